"""`manage.py harvest`: the same from a shell, safe to repeat."""

import io

import pytest
from django.core.management import CommandError, call_command

from core import jobs
from harvests.models import ForgeToken, Harvest
from ingest.models import Issue
from tests.factories import make_list
from tests.harvests.harvesting import stored, truth
from tests.long import only_long

pytestmark = pytest.mark.django_db


def _said(study, *options) -> str:
    out = io.StringIO()
    call_command("harvest", "--study", study.slug, *map(str, options), stdout=out)
    return out.getvalue()


@pytest.fixture
def repository(server):
    return server.github("team/tool", issues=230)


@pytest.fixture
def plan(server):
    return ["--repository", "github:team/tool", "--base-url", server.github_base]


def test_harvests_and_tells_the_numbers(server, study, repository, plan, monkeypatch, lead):
    monkeypatch.setenv("MY_TOKEN", "token_0123456789abcdef")
    said = _said(study, *plan, "--token-env", "MY_TOKEN", "--owner", lead.user.email)
    harvest = Harvest.objects.get()
    assert f"Harvest {harvest.pk}: team/tool. --resume {harvest.pk} goes on with it." in said
    assert f"The token of MY_TOKEN is kept for {server.host}, encrypted." in said
    assert "token_0123456789abcdef" not in said
    assert (
        "      287 listed by the forges\n      287 opened in the window\n       57 pull requests, left out\n"
        in said
    )
    assert "      230 kept\nteam/tool: complete.\nThe issues of team/tool on GitHub" in said
    assert harvest.run.created_by == lead.user
    assert {seen.token for seen in server.seen} == {"token_0123456789abcdef"}
    assert stored(harvest) == {"team/tool": truth(repository)}


def test_again_does_nothing(server, study, repository, plan, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "token_0123456789abcdef")
    _said(study, *plan, "--token-env", "MY_TOKEN")
    server.forget()
    said = _said(study, *plan, "--token-env", "MY_TOKEN")
    harvest = Harvest.objects.get()
    assert f"Nothing was fetched: --refresh {harvest.pk} fetches what changed since." in said
    assert server.seen == []
    assert ForgeToken.objects.count() == 1


@only_long
def test_a_budget_pauses_and_the_same_command_goes_on(server, study):
    server.gitee("team/tool", issues=330)
    options = ["--repository", "gitee:team/tool", "--base-url", server.gitee_base, "--budget", 2]
    said = _said(study, *options)
    harvest = Harvest.objects.get()
    assert (
        f"The time is used up: paused. A running server goes on by itself then; so does --resume {harvest.pk}."
        in said
    )
    for _ in range(10):
        said = _said(study, *options)
        if "complete" in said:
            break
    assert Issue.objects.count() == 330
    assert Harvest.objects.count() == 1
    assert "330 kept" in _said(study, "--resume", harvest.pk)


@only_long
def test_refreshes(server, study, repository, plan):
    _said(study, *plan)
    harvest = Harvest.objects.get()
    server.clock.sleep(86_400)
    repository.edit("3", "another text")
    said = _said(study, "--refresh", harvest.pk)
    assert "Refreshed: 0 new, 1 changed, 229 unchanged." in said
    assert Harvest.objects.count() == 2


def test_lists_and_days_of_a_zone(server, study, plan):
    repository = server.github("team/tool", issues=0)
    for day in (9, 10, 11):
        repository.add(body="a hang", at=server.clock.now().replace(month=1, day=day, hour=20)).title = "x"
    make_list(study, "hang", name="Hangs")
    _said(
        study, *plan, "--from", "2026-01-11", "--before", "2026-01-12", "--zone", "Asia/Shanghai", "--list", "hangs",
        "--no-comments",
    )  # fmt: skip
    # 20:00 in London is the next day in Shanghai.
    assert list(Issue.objects.values_list("number", flat=True)) == ["2"]
    assert server.asked["comments"] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "Name at least one --repository"),
        (["--repository", "gitlab:a/b"], "names no repository"),
        (["--repository", "github:a/b", "--zone", "Mars"], "no time zone"),
        (["--repository", "github:a/b", "--list", "none"], "There is no keyword list 'none'"),
        (["--repository", "github:a/b", "--base-url", "https://10.0.0.1/api/v3"], "FORGE_HOSTS"),
        (["--resume", "99"], "no harvest 99"),
        (["--refresh", "99", "--repository", "github:a/b"], "leave --repository out"),
        (["--repository", "github:a/b", "--owner", "nobody@example.org"], "No account"),
    ],
)
def test_refusals(study, options, words):
    with pytest.raises(CommandError, match=words):
        _said(study, *options)
    assert not Harvest.objects.exists()


def test_an_unknown_study():
    with pytest.raises(CommandError, match="There is no study 'none'"):
        call_command("harvest", "--study", "none", "--repository", "github:a/b")


def test_a_missing_variable(server, study, repository, plan):
    with pytest.raises(CommandError, match="NO_SUCH_TOKEN is not set"):
        _said(study, *plan, "--token-env", "NO_SUCH_TOKEN")


def test_a_missing_page_is_an_error(server, study, repository, plan):
    server.faults.add("422", kind="comments", times=None)
    with pytest.raises(CommandError, match=r"1 repository is not complete\. team/tool: http"):
        _said(study, *plan)


def test_interrupted_it_is_paused(server, study, repository, plan, monkeypatch):
    real = jobs.run
    calls = []

    def interrupted(*args, **more):
        calls.append(args)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return real(*args, **more)

    monkeypatch.setattr(jobs, "run", interrupted)
    with pytest.raises(CommandError, match=r"Paused\. --resume"):
        _said(study, *plan)
