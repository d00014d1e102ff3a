"""Pages of long lists by key: both ends, both directions, both orders."""

import pytest
from django.http import QueryDict

from core import pages
from core.models import Job
from core.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(monkeypatch):
    """Seven rows whose keys are 1 to 7, three of them on a page."""
    monkeypatch.setattr(pages, "ON_A_PAGE", 3)
    Job.objects.bulk_create(Job(kind="x", attempt=number) for number in range(1, 8))
    return Job.objects.all()


@pytest.mark.parametrize(
    ("asked", "shown", "previous", "following"),
    [
        ("", [1, 2, 3], None, 3),
        ("after=0", [1, 2, 3], 1, 3),
        ("after=3", [4, 5, 6], 4, 6),
        ("after=6", [7], 7, None),
        ("after=7", [], None, None),
        ("before=7", [4, 5, 6], 4, 6),
        ("before=4", [1, 2, 3], None, 3),
        ("before=3", [1, 2], None, 2),
        ("before=1", [], None, None),
        ("before=7&after=1", [4, 5, 6], 4, 6),
        ("before=x&after=-3", [1, 2, 3], None, 3),
        ("after=" + "9" * 19, [1, 2, 3], None, 3),
        ("after=" + "9" * 18, [], None, None),
        ("newest", [7, 6, 5], None, 5),
        ("newest&before=5", [4, 3, 2], 4, 2),
        ("newest&before=2", [1], 1, None),
        ("newest&before=1", [], None, None),
        ("newest&after=1", [4, 3, 2], 4, 2),
        ("newest&after=4", [7, 6, 5], None, 5),
        ("newest&after=5", [7, 6], None, 6),
        ("newest&after=7", [], None, None),
        ("newest&before=7&after=1", [4, 3, 2], 4, 2),
    ],
)
def test_the_pages_of_a_list(rows, django_assert_num_queries, asked, shown, previous, following):
    with django_assert_num_queries(0 if asked == "after=" + "9" * 18 else 1):
        page = page_of(rows, QueryDict(asked), key="attempt", newest_first="newest" in asked)
    assert [row.attempt for row in page.rows] == shown
    assert (page.previous, page.next) == (previous, following)


def test_the_key_is_the_primary_key_unless_named(rows):
    ids = list(rows.order_by("pk").values_list("pk", flat=True))
    page = page_of(rows.order_by("-attempt"), {"after": str(ids[2])})
    assert ([row.pk for row in page.rows], page.previous, page.next) == (ids[3:6], ids[3], ids[5])


def test_a_list_without_rows_has_one_empty_page(rows):
    page = page_of(rows.none(), {})
    assert (page.rows, page.links()) == ([], {"before_url": "", "after_url": ""})


def test_links_keep_the_filters_and_replace_the_key(rows):
    query = QueryDict("after=3&year=2024&q=a+b")
    page = page_of(rows, query, key="attempt")
    found = page.links(query)
    assert found == {"before_url": "?year=2024&q=a+b&before=4", "after_url": "?year=2024&q=a+b&after=6"}
    assert page.links() == {"before_url": "?before=4", "after_url": "?after=6"}


def test_links_of_a_list_with_the_newest_row_first_go_back_to_newer_rows(rows):
    page = page_of(rows, QueryDict("before=5"), key="attempt", newest_first=True)
    assert page.links() == {"before_url": "?after=4", "after_url": "?before=2"}
