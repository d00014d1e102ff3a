"""Lists of issues narrowed to those that have similar reports, or are marked as duplicates."""

import pytest
from django.urls import reverse

from ingest.models import SimilarMark, SimilarPair
from ingest.queries.filters import IssueFilter
from ingest.queries.issues import filter_issues
from studies.models import Role
from tests.factories import make_issue, make_member, make_repository, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def issues(study, repository):
    """Six issues: 1, 2 and 3 are similar, 4 and 5 are marked as not similar; 1 and 6 are duplicates by hand."""
    made = [make_issue(repository, str(number), title=f"Report {number}") for number in range(1, 7)]
    for one, other in ((0, 1), (1, 2), (3, 4)):
        SimilarPair.objects.create(
            study=study, first=made[one], second=made[other], likeness=0.5, is_across=False
        )
    SimilarMark.objects.create(study=study, first=made[3], second=made[4], kind="distinct")
    SimilarMark.objects.create(study=study, first=made[0], second=made[5], kind="duplicate")
    ended = {"kind": "duplicate", "ended_at": made[0].current.taken_at}
    SimilarMark.objects.create(study=study, first=made[1], second=made[2], **ended)
    SimilarMark.objects.create(study=study, first=made[1], second=made[2], kind="related")
    return made


def numbers(study, **narrowed):
    found = filter_issues(study, IssueFilter.from_query(narrowed))
    return sorted(found.values_list("number", flat=True))


def test_lists_are_narrowed(study, issues):
    assert numbers(study, similar="any") == ["1", "2", "3"]
    assert numbers(study, similar="duplicate") == ["1", "6"]
    assert numbers(study, similar="any", q="3") == ["3"]
    assert numbers(study, similar="some") == numbers(study) == ["1", "2", "3", "4", "5", "6"]
    stranger = make_study()
    make_issue(make_repository(stranger, "o/engine"), "1")
    assert (numbers(stranger, similar="any"), numbers(stranger, similar="duplicate")) == ([], [])


def test_a_filter_is_its_query_again():
    narrowed = IssueFilter(similar="duplicate", words="a")
    assert narrowed.query == {"similar": "duplicate", "q": "a"}
    assert IssueFilter.from_query(narrowed.query) == narrowed


@pytest.mark.parametrize("role", [Role.LEAD, Role.VOLUNTEER, Role.VIEWER])
def test_the_list_offers_it(client, study, issues, role):
    client.force_login(make_member(study, role).user)
    address = reverse("issues", args=[study.slug])
    page = client.get(address).text
    assert [f"?similar={one}" in page for one in ("any", "duplicate")] == [True, True]
    narrowed = client.get(address, {"similar": "duplicate"}).text
    assert [f"Report {number}" in narrowed for number in range(1, 7)] == [
        True,
        False,
        False,
        False,
        False,
        True,
    ]
    assert '<input type="hidden" name="similar" value="duplicate">' in narrowed
