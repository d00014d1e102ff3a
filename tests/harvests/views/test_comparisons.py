"""A harvest beside another one: its page, its file and its answer over REST."""

import pytest
from django.db import connection
from rest_framework.test import APIClient

from core import jobs
from harvests import actions
from harvests.actions.selections import run_selection
from harvests.models import Harvest, HarvestedIssue, HarvestedRepository, Selection
from harvests.queries.comparing import compare
from ingest.models import KeywordListVersion, KeywordTerm
from tests.factories import make_study
from tests.harvests.harvesting import plan, run
from tests.harvests.views.test_harvests import address, make_list, part, rows_of
from tests.races import at_once
from tests.worlds.pages import text_of

pytestmark = pytest.mark.django_db


def _add(repository, body, at):
    issue = repository.add(body=body, at=at)
    issue.title = f"Report {issue.number}"


@pytest.fixture
def two(server, study):
    """Two harvests. Before the second one the list says "hang" in place of "deadlock", an issue and a repository
    were added.
    """
    long_ago = server.clock.now().replace(year=2025)
    tool = server.github("team/tool", issues=0)
    for body in ("a deadlock", "a hang", "nothing of it", "a deadlock, then a hang"):
        _add(tool, body, long_ago)
    words = make_list(study, "deadlock")
    first = plan(server, study, tool, lists=[words])
    run(first)
    later = KeywordListVersion.objects.create(keyword_list=words, number=2, repositories=[], switches={})
    KeywordTerm.objects.create(version=later, position=1, text="hang")
    _add(tool, "one more hang", long_ago)
    extra = server.github("team/extra", issues=0)
    _add(extra, "it hangs: a hang", long_ago)
    second = plan(server, study, tool, extra, lists=[words])
    run(second)
    return first, second


TOTAL = {
    "earlier": 2, "later": 4, "both": 1, "earlier_only": 1, "earlier_not_fetched": 0, "later_only": 3,
    "later_not_fetched": 2,
}  # fmt: skip
OF_TOOL = {**TOTAL, "later": 3, "later_only": 2, "later_not_fetched": 1}
OF_EXTRA = {**dict.fromkeys(TOTAL, 0), "later": 1, "later_only": 1, "later_not_fetched": 1}


@pytest.fixture
def api(lead):
    made = APIClient()
    made.force_authenticate(lead.user)
    return made


def test_over_rest_whichever_is_asked(two, api, study):
    first, second = two
    there = f"/api/v1/studies/{study.slug}/harvests"

    found = api.get(f"{there}/{first.pk}/compared/?with={second.pk}").json()

    assert found == {
        "earlier": first.pk, "later": second.pk, "numbers": TOTAL,
        "repositories": [
            {"host": "github.com", "path": "team/tool", "in_earlier": True, "in_later": True, "numbers": OF_TOOL},
            {"host": "github.com", "path": "team/extra", "in_earlier": False, "in_later": True, "numbers": OF_EXTRA},
        ],
        "lists": [{"list": "LLM", "earlier": 1, "later": 2}],
        "terms": [
            {"list": "LLM", "version": None, "text": "hang", "earlier": None, "later": 4, "change": 4},
            {"list": "LLM", "version": None, "text": "deadlock", "earlier": 2, "later": None, "change": -2},
        ],
        "unfinished": [],
    }  # fmt: skip
    assert api.get(f"{there}/{second.pk}/compared/?with={first.pk}").json() == found
    for wrong in ("", "?with=", f"?with={second.pk}", "?with=x"):
        assert api.get(f"{there}/{second.pk}/compared/{wrong}").status_code == 404


def test_the_page_has_numbers_lists_terms_and_issues(two, signed_in, study):
    first, second = two
    assert (
        address("compared_harvests", study, second.pk)
        in signed_in.get(address("harvest", study, second.pk)).content.decode()
    )

    page = text_of(signed_in.get(address("compared_harvests", study, second.pk)))

    assert (
        "team/tool 2 3 1 1 0 2 1 team/extra only in the later harvest – 1 0 0 0 1 1 Total 2 4 1 1 0 3 2"
        in page
    )
    assert "LLM version 1 version 2 hang LLM – 4 deadlock LLM 2 –" in page
    assert "only in the later harvest 3 only in the earlier harvest 1 in both harvests 1" in page
    issues = page[page.index("In the other harvest") :]
    assert [issues.index(one) for one in ("Report 2", "no keyword", "Report 5", "not fetched")] == sorted(
        issues.index(one) for one in ("Report 2", "no keyword", "Report 5", "not fetched")
    )
    asked = f"{address('compared_harvests', study, first.pk)}?with={second.pk}"
    before = text_of(signed_in.get(f"{asked}&side=before"))
    assert "Report 1" in before
    assert "no keyword" in before
    assert "Report 4" not in before
    assert "Report 4" in part(signed_in, f"{asked}&side=both", "issues").content.decode()


def test_the_file_has_what_became_of_each_issue(two, signed_in, study):
    _first, second = two
    rows = rows_of(signed_in.get(address("compared_harvests_csv", study, second.pk)))
    assert rows[0] == ["host", "repository", "number", "title", "address", "opened_at", "earlier", "later"]
    assert [(row[1], row[2], row[3], *row[6:]) for row in rows[1:]] == [
        ("team/tool", "2", "Report 2", "unmatched", "matched"),
        ("team/tool", "5", "Report 5", "not_fetched", "matched"),
        ("team/extra", "1", "Report 1", "not_fetched", "matched"),
        ("team/tool", "1", "Report 1", "matched", "unmatched"),
        ("team/tool", "4", "Report 4", "matched", "matched"),
    ]


def test_two_versions_of_a_list_are_told_apart(two, signed_in, api, study):
    first, second = two
    lists = list(KeywordListVersion.objects.order_by("number"))
    jobs.run(actions.select_issues(harvest=second, lists=lists, by=None, rings=False).pk)

    found = api.get(f"/api/v1/studies/{study.slug}/harvests/{first.pk}/compared/?with={second.pk}").json()

    assert found["lists"] == [
        {"list": "LLM", "earlier": 1, "later": 1}, {"list": "LLM", "earlier": None, "later": 2},
    ]  # fmt: skip
    assert found["terms"] == [
        {"list": "LLM", "version": 2, "text": "hang", "earlier": None, "later": 4, "change": 4}
    ]
    page = text_of(signed_in.get(address("compared_harvests", study, second.pk)))
    assert "LLM version 1 version 1 LLM – version 2 hang LLM, version 2 – 4" in page


def test_a_selection_that_is_not_finished_is_told(two, signed_in, api, study, server):
    first, second = two

    def told() -> tuple[list[str], list[str]]:
        asked = f"{second.pk}/compared/?with={first.pk}"
        over_rest = api.get(f"/api/v1/studies/{study.slug}/harvests/{asked}").json()["unfinished"]
        page = text_of(signed_in.get(address("compared_harvests", study, second.pk)))
        return over_rest, [
            one
            for one in ("earlier", "later")
            if f"A selection of the {one} harvest is not finished. The numbers here change until then."
            in page
        ]

    assert told() == ([], [])
    Selection.objects.create(harvest=first)
    assert told() == (["earlier"], ["earlier"])
    run_selection(selection=Selection.objects.create(harvest=first))  # in place of what was cut off
    assert told() == ([], [])
    refresh = plan(server, study, server.github("team/late", issues=0))
    Harvest.objects.filter(pk=refresh.pk).update(refreshes=second)
    Selection.objects.create(harvest=refresh)
    assert told() == (["later"], ["later"])


@pytest.mark.django_db(transaction=True)
def test_numbers_and_issues_are_of_one_moment(two, signed_in, study):
    """A selection changes all issues as soon as the first ones are counted."""
    changed = []

    def change(execute, sql, params, many, context):
        found = execute(sql, params, many, context)
        if not changed and "harvests_harvestedissue" in sql and "GROUP BY" in sql:
            changed.extend(at_once(lambda: HarvestedIssue.objects.update(is_matched=False)))
        return found

    with connection.execute_wrapper(change):
        page = text_of(signed_in.get(address("compared_harvests", study, two[1].pk)))

    assert changed == [10]
    assert "Total 2 4 1 1 0 3 2" in page
    assert "3 issues, in the order of fetching" in page
    assert "Total 0 0 0 0 0 0 0" in text_of(signed_in.get(address("compared_harvests", study, two[1].pk)))


def test_a_renamed_repository_is_the_same_one(two):
    first, second = two
    HarvestedRepository.objects.filter(harvest=second, path="team/tool").update(
        path="old/tool", moved_to="Team/Tool"
    )
    found = compare(second, first)
    assert [(pair.before and pair.before.path, pair.now.path) for pair in found.pairs] == [
        ("team/tool", "old/tool"), (None, "team/extra")
    ]  # fmt: skip
    assert found.numbers()[0].both == 1


def test_there_is_nothing_to_compare_with_one_harvest(signed_in, study, server):
    only = plan(server, study, server.github("team/tool", issues=2))
    run(only)
    waiting = plan(server, study, server.github("team/other", issues=2))
    page = text_of(signed_in.get(address("compared_harvests", study, only.pk)))
    assert "Nothing to compare yet." in page
    assert len(rows_of(signed_in.get(address("compared_harvests_csv", study, only.pk)))) == 1
    asked = address("compared_harvests", study, only.pk)
    assert signed_in.get(f"{asked}?with={waiting.pk}").status_code == 404


def test_another_studys_harvest_is_no_choice(two, signed_in, study, server):
    first, _second = two
    other = plan(server, make_study(), server.github("other/tool", issues=2))
    run(other)
    for name in ("compared_harvests", "compared_harvests_csv"):
        assert signed_in.get(f"{address(name, study, first.pk)}?with={other.pk}").status_code == 404
        assert signed_in.get(address(name, study, other.pk)).status_code == 404


@pytest.mark.parametrize("how_many", [1, 3])
def test_takes_a_fixed_number_of_queries(signed_in, study, server, django_assert_num_queries, how_many):
    repositories = [server.github(f"team/tool{nth}", issues=2) for nth in range(how_many)]
    lists = [make_list(study, "step", name=f"List {nth}") for nth in range(how_many)]
    harvests = [plan(server, study, *repositories, lists=lists) for _ in range(2)]
    for harvest in harvests:
        run(harvest)
    asked = address("compared_harvests", study, harvests[1].pk)
    signed_in.get(asked)

    # With two of the savepoint, which in a request is a transaction.
    with django_assert_num_queries(18):
        signed_in.get(asked)
