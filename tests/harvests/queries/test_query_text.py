"""The query as text: every number of it is that of a row."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from django.utils.translation import gettext, override

from core import jobs
from harvests import actions
from harvests.models import HarvestedIssue
from harvests.queries.query_text import query_text
from ingest.forms.keyword_lists import ZONE_NAMES
from tests.factories import make_list
from tests.harvests.harvesting import finished, plan, run, token

pytestmark = pytest.mark.django_db
CHINA = ZoneInfo("Asia/Shanghai")


def test_a_plan(server, study):
    start, end = datetime(2024, 1, 1, tzinfo=CHINA), datetime(2025, 1, 1, tzinfo=CHINA)
    harvest = plan(
        server, study, server.github("team/tool"), server.github("team/other"), server.gitee("mei/engine"),
        opened_from=start, opened_before=end, zone="Asia/Shanghai",
    )  # fmt: skip
    assert query_text(harvest) == (
        "The issues of team/tool and team/other on GitHub and mei/engine on Gitee, opened from 1 January 2024 00:00"
        " to 31 December 2024 24:00, Asia/Shanghai, will be harvested."
    )


def test_with_pages_missing(server, study):
    """It is copied into papers: it never claims to be about what is not here."""
    repository = server.github("team/tool", issues=20, pulls_every=0)
    other = server.github("team/other", issues=30, pulls_every=0)
    harvest = plan(server, study, repository, other)
    server.faults.add("502", when=lambda seen: "/team/other/issues" in seen.path, times=None)
    run(harvest)
    assert query_text(harvest) == (
        "The issues of team/tool and team/other on GitHub, opened at any time before the harvest starts, were harvested."
        " The REST interfaces gave issues and their comments in 4 pages, read on 15 January 2026."
        " The forges listed 20 records; 20 of them were opened in the window."
        " The numbers of issues equal those which the forges count for team/tool. All 20 issues were kept."
        " The harvest is not complete: pages of team/other are missing. Their issues are not counted."
    )


def test_without_lists(server, study):
    repository = server.github("team/tool", issues=230)
    token(server, study)
    harvest = plan(server, study, repository)
    run(harvest)
    assert query_text(harvest) == (
        "The issues of team/tool on GitHub, opened at any time before the harvest starts, were harvested."
        " The REST interfaces gave issues and their comments in 8 pages, read on 15 January 2026."
        " The forges listed 287 records; 287 of them were opened in the window."
        " Without pull requests (57), 230 issues remained."
        " The number of issues equals that which the forge counts in the window."
        " All 230 issues were kept."
    )


def test_with_lists_and_a_refresh(server, study):
    repository = server.github("team/tool", issues=0)
    for nth, body in enumerate(("a hang", "see src/hang/x.py", "nothing", "nothing else")):
        repository.add(body=body, at=datetime(2025, 1, 1, tzinfo=UTC)).title = f"Report {nth}"
    gone = server.gitee("mei/gone")
    gone.status = 404
    hang = make_list(study, "hang", "stall", name="Hangs", repositories=("team/tool", "gitee.com/mei/gone"))
    harvest = plan(server, study, repository, gone, lists=[hang.keyword_list], with_comments=False)
    finished(harvest)
    path = HarvestedIssue.objects.get(outcome="path_only")
    actions.keep_by_hand(harvest=harvest, ids=[HarvestedIssue.objects.get(number="3").pk], by=None)
    assert path.number == "2"
    server.clock.sleep(5 * 86_400)
    refresh = actions.refresh_harvest(harvest=harvest, by=None, rings=False)
    refresh.run.refresh_from_db()
    jobs.run(refresh.run.job.pk)
    assert query_text(harvest) == (
        "The issues of team/tool on GitHub and mei/gone on Gitee, opened at any time before the harvest starts, were"
        " harvested. The REST interfaces gave issues without comments in 2 pages, read on 15 January 2026."
        " The forges listed 4 records; 4 of them were opened in the window."
        " The numbers of issues equal those which the forges count for team/tool. The forge did not have mei/gone."
        " Issues were selected by the list “Hangs”, version 1 (2 terms, for gitee.com/mei/gone and"
        " github.com/team/tool). Terms match whole words in titles, prose and code."
        " Letter case and width do not count (NFKC, case folding)."
        " A space, a hyphen and an underscore between parts of a term are the same."
        " Names of models may have a version behind them."
        " Hits in user names, web addresses, file paths, commit hashes and headings of issue templates do not count."
        " 1 issue had at least one hit. 1 issue had hits only where they do not count, and was excluded."
        " The researchers kept 1 more individually. In all, 2 issues were kept."
    )
    assert "A refresh asked for what had changed: 1 page, read on 20 January 2026." in query_text(refresh)


def test_prose_is_one_word_in_chinese_wherever_a_keyword_was_found():
    with override("zh-hans"):
        assert {gettext("prose"), gettext("text"), str(ZONE_NAMES["prose"])} == {"正文"}
        assert gettext("In text") == "正文中"
