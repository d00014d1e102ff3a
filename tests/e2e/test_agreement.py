"""From seven people at their keyboards to the number on the agreement page."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from core import jobs
from core.models import Job
from rounds.models import Label
from tests.e2e.axe import violations
from tests.e2e.room import answer, title
from tests.long import only_long
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db(transaction=True)

# What each of the seven says of each issue.
SHEET = (
    "C.3 C.3 C.3 C.3 C.3 C.3 C.3",
    "C.3 C.3 C.2 C.3 C.2 C.3 C.3",
    "A.1 A.1 A.1 B.2 A.1 A.1 A.1",
    "B.2 C.2 B.2 C.2 B.2 C.2 B.2",
    "B.2 B.2 B.2 B.2 B.2 B.2 B.2",
)
KEYS = {"A.1": "a 1", "B.2": "b 2", "C.2": "c 2", "C.3": "c 3"}

KAPPA = 412 / 657
"""By hand. A row of seven with counts n has (Σ n² - 7) / 42 of its pairs alike: 42/42, 22/42, 30/42, 18/42 and
42/42, on average 154/210 = 11/15. Of 35 labels 6 are A.1, 12 B.2, 5 C.2 and 12 C.3: by chance
(36 + 144 + 25 + 144) / 1225 = 349/1225. (11/15 - 349/1225) / (1 - 349/1225) = 8240/13140 = 412/657 = 0.627.
"""


def of_a_spreadsheet(sheet) -> tuple[float, float]:
    """Percent agreement and Fleiss' kappa by the formulas that one writes into cells."""
    codes = sorted({code for row in sheet for code in row.split()})
    counts = [[row.split().count(code) for code in codes] for row in sheet]
    alike = [sum(n * (n - 1) for n in row) / (7 * 6) for row in counts]
    agreement = sum(alike) / len(alike)
    shares = [sum(column) / (7 * len(counts)) for column in zip(*counts, strict=True)]
    chance = sum(share**2 for share in shares)
    return agreement, (agreement - chance) / (1 - chance)


@only_long
def test_seven_people_label_by_keys_and_the_page_shows_the_kappa_of_a_spreadsheet(open_page):
    world = small_world(issues=len(SHEET), members=7)
    round_ = world.round(name="Main round")
    rows = {issue.current.title: row.split() for issue, row in zip(world.issues, SHEET, strict=True)}
    agreement, kappa = of_a_spreadsheet(SHEET)
    assert (agreement, kappa) == (pytest.approx(11 / 15), pytest.approx(KAPPA))

    for seat, member in enumerate(world.members):
        page = open_page(member.user, reverse("label", args=[round_.pk]))
        for number in range(1, len(SHEET) + 1):
            answer(page, f"{KEYS[rows[title(page)][seat]]} Enter Enter")
            if number < len(SHEET):
                expect(page.locator("#pace")).to_contain_text(f"{number} / {len(SHEET)}")
        expect(page.locator("h1")).to_have_text("All done")
    given = Label.objects.order_by("issue", "volunteer").values_list("category__states__code", flat=True)
    assert list(given) == [code for row in SHEET for code in row.split()]

    page = open_page(world.lead.user, reverse("agreement", args=[round_.pk]))
    expect(page.locator(".headline .value")).to_have_text("0.627")
    expect(page.locator("header.head")).to_contain_text("5 issues, 7 volunteers, 35 labels.")
    row = page.locator(".coefs tbody tr", has_text="Percent agreement")
    expect(row).to_contain_text("0.733")
    assert f"{KAPPA:.3f}" == f"{kappa:.3f}" == "0.627"
    assert f"{agreement:.3f}" == "0.733"


@only_long
def test_the_contents_follow_the_part_that_is_read(open_page):
    world = small_world(issues=len(SHEET), members=7)
    round_ = world.round(name="Main round")
    for issue, row in zip(world.issues, SHEET, strict=True):
        for member, code in zip(world.members, row.split(), strict=True):
            world.submit(round_, issue, member, code)
    page = open_page(world.lead.user, reverse("agreement", args=[round_.pk]))
    contents = page.get_by_role("navigation", name="Parts of this report")
    heads = page.locator("main .card h2:not(.sr)").all_text_contents()
    assert contents.locator("a").all_text_contents() == [" ".join(head.split()) for head in heads]
    for name in ("How to report this", "Coefficients side by side"):
        expect(page.get_by_role("heading", name=name, level=2)).to_be_in_viewport()
    marked = contents.locator("[aria-current]")
    expect(marked).to_have_text("Fleiss’ kappa, theme level")

    contents.get_by_role("link", name="How labels split").click()
    head = page.get_by_role("heading", name="How labels split")
    expect(marked).to_have_text("How labels split")
    expect(head).to_be_in_viewport()
    bar = contents.bounding_box()
    assert head.bounding_box()["y"] >= bar["y"] + bar["height"]

    page.get_by_role("link", name="After meetings").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Before and after consensus")
    page.get_by_role("link", name="Before meetings").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Agreement")


def test_a_page_that_takes_over_a_second_shows_a_sign_of_work(open_page):
    world = small_world(issues=2, members=2)
    round_ = world.round(name="Main round")
    page = open_page(world.lead.user, reverse("rounds", args=[world.study.slug]))
    watch = """() => {
        const bar = document.getElementById("going");
        const note = () => sessionStorage.setItem("seen", JSON.stringify(
            [bar.hidden, bar.textContent.trim(), document.querySelector("a[aria-busy]")?.textContent ?? ""]
        ));
        new MutationObserver(() => setTimeout(note)).observe(bar, { attributes: true });
    }"""

    waits = iter((0, 2500))

    def late(route) -> None:
        page.wait_for_timeout(next(waits))
        route.continue_()

    link = page.get_by_role("link", name="Main round", exact=True)
    for seen in (None, [False, "The page is loading …", "Main round"]):
        page.evaluate(watch)
        page.route(f"**{round_.get_absolute_url()}", late, times=1)
        link.click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Main round")
        expect(page.locator("#going")).to_be_hidden()
        assert page.evaluate("JSON.parse(sessionStorage.getItem('seen'))") == seen
        page.go_back()
        expect(page.get_by_role("heading", level=1)).to_have_text("Rounds")
        expect(page.locator("#going")).to_be_hidden()
        assert page.locator("a[aria-busy]").count() == 0


@only_long
def test_the_report_as_a_file_is_readable_and_asks_for_nothing(open_page):
    world = small_world(issues=len(SHEET), members=7)
    round_ = world.round(name="Main round")
    for issue, row in zip(world.issues, SHEET, strict=True):
        for member, code in zip(world.members, row.split(), strict=True):
            world.submit(round_, issue, member, code)
    report = reverse("agreement", args=[round_.pk])
    page = open_page(world.lead.user, report)
    page.locator("summary", has_text="Download").click()
    page.get_by_role("button", name="Make report as one HTML file").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Report as HTML")
    jobs.run(Job.objects.latest("pk").pk)
    with page.expect_download(timeout=60_000) as download:
        page.get_by_role("link", name="Download HTML").click()
    body = download.value.path().read_text()
    assert re.fullmatch(r"study-\d+-main-round-theme-agreement\.html", download.value.suggested_filename)

    for look, shown, hidden in (
        ({}, "page", "column"),
        ({"dark": True}, "page", "column"),
        ({"phone": True}, "column", "page"),
    ):
        # A page of its own: the policy of the page it came from would refuse its styles.
        page = open_page(None, "about:blank", **look)
        page.set_content(body)
        expect(page.locator(".headline .value")).to_have_text("0.627")
        expect(page.locator(f".picture.{shown}").first).to_be_visible()
        expect(page.locator(f".picture.{hidden}").first).to_be_hidden()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == []
