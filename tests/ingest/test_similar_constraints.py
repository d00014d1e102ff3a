"""The last guards of pairs, marks and compared texts: what the database itself refuses."""

import pytest
from django.db import DatabaseError, transaction

from ingest.models import SimilarMark, SimilarPair
from tests.factories import make_issues

pytestmark = pytest.mark.django_db


@pytest.fixture
def ends(study, repository):
    first, second = make_issues(repository, 2)
    return {"study": study, "first": first, "second": second}


def refusal(act) -> str:
    """The first line of the database's error."""
    with pytest.raises(DatabaseError) as refused, transaction.atomic():
        act()
    return str(refused.value).splitlines()[0]


def turned(ends):
    return ends | {"first": ends["second"], "second": ends["first"]}


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"likeness": 0.9}, "similar_pair_is_kept_once"),
        ({"likeness": 1.01}, "a_likeness_is_at_most_1"),
        ({"likeness": 0}, "a_likeness_is_at_most_1"),
    ],
)
def test_pairs(ends, fields, name):
    SimilarPair.objects.create(**ends, likeness=0.5, is_across=False)
    assert name in refusal(lambda: SimilarPair.objects.create(**ends, **fields, is_across=False))


def test_the_earlier_issue_comes_first(ends):
    pair = {"likeness": 1, "is_across": False}
    assert "the_earlier_issue_is_first" in refusal(lambda: SimilarPair.objects.create(**turned(ends), **pair))
    mark = {"kind": "related"}
    assert "the_earlier_issue_is_marked_first" in refusal(
        lambda: SimilarMark.objects.create(**turned(ends), **mark)
    )


def test_one_mark_stands_on_a_pair_and_stays_as_made(ends):
    mark = SimilarMark.objects.create(**ends, kind="related")
    assert "one_mark_stands_on_a_pair" in refusal(
        lambda: SimilarMark.objects.create(**ends, kind="duplicate")
    )
    chosen = SimilarMark.objects.filter(pk=mark.pk)
    for changed in ({"kind": "duplicate"}, {"note": "else"}):
        assert "Cannot update" in refusal(lambda changed=changed: chosen.update(**changed))
    chosen.update(ended_at=mark.marked_at)
    SimilarMark.objects.create(**ends, kind="duplicate")
    assert SimilarMark.objects.count() == 2
