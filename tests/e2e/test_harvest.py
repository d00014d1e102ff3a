"""From names of repositories to a screened, sampled round, in the browser alone, against a server that plays the forges."""

import queue
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.urls import reverse
from playwright.sync_api import Page, expect

from core import jobs
from harvests.models import Harvest
from rounds.models import Round
from studies.actions import create_study
from tests.e2e.axe import violations
from tests.e2e.room import answer
from tests.factories import make_user
from tests.forges import ForgeServer, RealClock, Repository
from tests.long import only_long

pytestmark = pytest.mark.django_db(transaction=True)

TOKEN = "token_0123456789abcdef"
TERMS = re.compile(r"\b(deadlock|shard)\b", re.IGNORECASE)
# Whole days of Shanghai: the window ends with the last of them.
START, END = datetime(2024, 1, 4, 16, tzinfo=UTC), datetime(2024, 1, 25, 16, tzinfo=UTC)


@pytest.fixture
def server(settings) -> Iterator[ForgeServer]:
    with ForgeServer(clock=RealClock()) as server:
        settings.FORGE_HOSTS = [server.host]
        server.tokens = {TOKEN}
        yield server


@pytest.fixture
def _worker(monkeypatch) -> Iterator[None]:
    """A worker in a thread: it runs each job that somebody rings for."""
    waiting: queue.Queue[int | None] = queue.Queue()
    monkeypatch.setattr(jobs, "ring", waiting.put)

    def work() -> None:
        while (job_id := waiting.get()) is not None:
            jobs.run(job_id)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    waiting.put(None)
    thread.join(30)


def listed(repository: Repository) -> list:
    """What a walk over the window lists: changed since its start, up to the end of the page that passes its end."""
    what = "both" if repository.forge == "github" else "issues"
    rows = [row for row in repository.listed(what) if row.updated_at >= START]
    pages = [rows[at : at + 100] for at in range(0, len(rows), 100)]
    last = next((nth for nth, page in enumerate(pages) if page[-1].created_at >= END), len(pages) - 1)
    return [row for page in pages[: last + 1] for row in page]


def truth(*repositories: Repository) -> dict[str, int]:
    """The numbers of the flow figure, by the server's own rows."""
    rows = [row for repository in repositories for row in listed(repository)]
    inside = [row for row in rows if START <= row.created_at < END]
    issues = [row for row in inside if not row.is_pull_request]
    matched = [
        row for row in issues if TERMS.search(f"{row.title} {(row.body or '').replace('/deadlock/', '')}")
    ]
    masked = sum("/deadlock/" in (row.body or "") for row in issues)
    return {
        "Listed by the forges": len(rows),
        "Opened outside the window": len(rows) - len(inside),
        "Opened in the window": len(inside),
        "Pull requests, left out": len(inside) - len(issues),
        "Issues": len(issues),
        "Not matched": len(issues) - len(matched),
        "no keyword": len(issues) - len(matched) - masked,
        "only in addresses, paths, names": masked,
        "Matched by a keyword": len(matched),
        "Kept": len(matched),
    }


def figure(page: Page) -> dict[str, int]:
    """The numbers that the flow figure shows, by their words."""
    said = page.locator("svg.flow desc").inner_html()
    return {
        words: int(number.replace(",", ""))
        for words, number in re.findall(r"(?:^|[.,] )([A-Za-z][A-Za-z ,]*?) ([\d,]+)(?=[.,])", said)
    }


def make_list_of_keywords(page: Page, slug: str) -> None:
    page.goto(reverse("new_keyword_list", args=[slug]))
    page.locator("[name=name]").fill("Frameworks")
    page.locator("[name=terms]").fill("deadlock\nshard")
    page.locator("form.stack button[type=submit]").first.click()
    page.wait_for_url("**/keywords/*/")


def make_taxonomy(page: Page, slug: str) -> None:
    page.goto(reverse("new_taxonomy", args=[slug]))
    page.locator("[name=source][value=relevance]").check()
    page.get_by_role("button", name="Publish taxonomy").click()
    page.wait_for_url("**/taxonomies/*/**")


def add_token(page: Page, host: str) -> None:
    page.get_by_role("link", name="Tokens").click()
    page.get_by_label("Host").fill(host)
    page.get_by_label("Name").fill("of the lead")
    page.get_by_label("Token", exact=True).fill(TOKEN)
    page.get_by_role("button", name="Add token").click()
    expect(page.locator(".toast.ok")).to_contain_text(f"of the lead for {host} is added")


@pytest.mark.usefixtures("_worker")
@only_long
def test_from_names_of_repositories_to_a_sampled_round(open_page, server):
    owner = make_user("Mei")
    slug = create_study(name="Frameworks", by=owner).slug
    engine = server.github("acme/engine", issues=40, comments=1)
    tool = server.github("acme/tool", issues=30, comments=1)
    spore = server.gitee("mind/spore", issues=110, comments=1, step=timedelta(hours=9))
    for repository in (engine, tool, spore):
        for issue in repository.issues.values():
            issue.title += f" of {repository.path}"
    masked = engine.add(at=START + timedelta(days=3), body="See https://example.org/deadlock/x")
    masked.title = "A link, and nothing else"

    page = open_page(owner, reverse("study", args=[slug]))
    page.get_by_role("link", name="Harvest issues").click()
    expect(page.get_by_text("No harvests yet.")).to_be_visible()
    add_token(page, server.host)
    make_list_of_keywords(page, slug)
    make_taxonomy(page, slug)

    page.goto(reverse("harvests", args=[slug]))
    page.get_by_role("link", name="Plan harvest").click()
    page.locator("[name=repositories]").fill(
        f"{server.url}/api/v5/repos/mind/spore\n{server.url}/acme/engine\n{server.github_base}/repos/acme/tool"
    )
    page.get_by_label("First day").fill("2024-01-05")
    page.get_by_label("Last day").fill("2024-01-25")
    page.get_by_label("Time zone of these days").select_option("Asia/Shanghai")
    page.get_by_label("Frameworks (all repositories)").check()
    page.get_by_role("button", name="Start harvest").click()
    page.wait_for_url("**/harvests/*/")
    expect(page.locator("main .head")).to_contain_text(
        "Issues opened from 5 January 2024 00:00 to 25 January 2024 24:00, Asia/Shanghai."
    )

    # Gitee is asked at a polite pace, so there is time to pause.
    page.get_by_role("button", name="Pause harvest").click()
    expect(page.locator("#progress .badge").first).to_have_text("paused")
    harvest = Harvest.objects.get()
    assert harvest.repositories.exclude(phase="done").exists()
    page.get_by_role("button", name="Resume harvest").click()
    expect(page.locator("svg.flow")).to_be_visible(timeout=30_000)

    assert figure(page) == truth(engine, tool, spore)
    assert {seen.token for seen in server.seen} == {TOKEN}
    assert TOKEN not in page.content()
    assert violations(page) == []
    for link, heading in (("Show journal", "Journal"), ("Show left-out issues", "Left-out issues")):
        page.get_by_role("link", name=link).click()
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
        assert violations(page) == []
        assert TOKEN not in page.content()
        page.go_back()
    harvest.run.refresh_from_db()
    kept = harvest.run.counts["kept"]

    # A screening round of what was kept: the first issue is a false positive.
    page.goto(f"{reverse('new_round', args=[slug])}?kind=screening")
    page.locator("[name=name]").fill("Screening")
    page.locator("[name=excludes]").select_option(label="F False positive")
    page.locator("[name=members]").check()
    page.get_by_role("button", name="Save plan").click()
    page.wait_for_url("**/rounds/*/")
    screening = Round.objects.get()
    assert screening.round_issues.count() == kept
    open_round(page)
    page.goto(reverse("label", args=[screening.pk]))
    for nth in range(kept - 1):
        answer(page, "f 1 Enter Enter" if nth == 0 else "r Enter Enter")
    answer(page, "r Enter Enter")
    # The browser is on its way to the page of the end: another address meanwhile would be broken off.
    expect(page.get_by_role("heading", name="All done")).to_be_visible(timeout=30_000)
    page.goto(reverse("close_round", args=[screening.pk]))
    page.get_by_role("button", name="Close round").click()
    page.wait_for_url("**/rounds/*/")

    # A sample of what it kept, and a round of the sample.
    page.goto(reverse("new_sample", args=[slug]))
    page.locator("[name=name]").fill("Main sample")
    page.locator("[name=source]").select_option(f"kept:{screening.pk}")
    page.get_by_label("Margin of error, in %").fill("20")
    page.get_by_role("button", name="Draw sample").click()
    page.get_by_role("link", name="Plan a pilot with this sample").click()
    page.locator("[name=name]").fill("Pilot")
    page.locator("[name=members]").check()
    page.get_by_role("button", name="Save plan").click()
    page.wait_for_url("**/rounds/*/")
    pilot = Round.objects.get(name="Pilot")
    open_round(page)
    pilot.refresh_from_db()
    sampled = set(pilot.round_issues.values_list("issue_id", flat=True))
    excluded = screening.decisions.exclude(category__states__code__startswith="R").values_list(
        "issue_id", flat=True
    )
    assert pilot.opened_at
    assert 0 < len(sampled) < kept
    assert not sampled & set(excluded)


def open_round(page: Page) -> None:
    page.get_by_role("button", name="Open").click()
    page.locator("dialog[open]").get_by_role("button", name="Open round").click()
    expect(page.get_by_role("link", name="Label", exact=True).first).to_be_visible()
