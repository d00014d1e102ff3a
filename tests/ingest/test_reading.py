from datetime import UTC, datetime, timedelta

import pytest

from ingest.models import Issue
from ingest.queries.reading import RenderedTexts, read
from tests import factories

pytestmark = pytest.mark.django_db

OPENED = datetime(2024, 5, 1, 10, tzinfo=UTC)


def _read(**fields):
    repository = factories.make_repository(factories.make_study(), forge="gitee", host="gitee.com")
    issue = factories.make_issue(repository, "I6UHT3", **fields)
    return read(Issue.objects.select_related("repository", "current").get(pk=issue.pk))


def test_an_issue_is_read_with_its_state_and_author():
    reading = _read(
        title="It fails",
        body="**so**",
        author="ann",
        author_association="CONTRIBUTOR",
        state="CLOSED",
        state_reason="COMPLETED",
    )
    assert (reading.title, reading.forge, str(reading.state), reading.is_closed) == (
        "It fails",
        "Gitee",
        "Closed as completed",
        True,
    )
    assert str(reading.association) == "contributor"
    assert reading.html.strip() == '<p dir="auto"><strong>so</strong></p>'


@pytest.mark.parametrize(
    ("state", "reason", "said", "closed"),
    [
        ("open", "", "Open", False),
        ("closed", "", "Closed", True),
        ("closed", "something new", "Closed", True),
        ("progressing", "", "In progress", False),
        ("waiting", "", "Waiting", False),
        ("", "", "", False),
    ],
)
def test_states_are_said_in_words(state, reason, said, closed):
    reading = _read(state=state, state_reason=reason)
    assert (str(reading.state), reading.is_closed) == (said, closed)


def test_maintainers_and_the_author_are_marked_and_times_are_said_from_the_start():
    def comment(author, association, days):
        at = (OPENED + timedelta(days=days, hours=1)).isoformat()
        return {"author": author, "association": association, "at": at, "body": f"**{author}** says"}

    reading = _read(
        author="ann",
        opened_at=OPENED,
        comments=[
            comment("max", "MEMBER", 0),
            comment("ann", "NONE", 1),
            comment("ola", "owner", 12),
            comment("kim", "COLLABORATOR", 13),
            comment("joe", "CONTRIBUTOR", 14),
        ],
    )
    assert [(c.author, c.is_maintainer, c.is_author, c.later) for c in reading.comments] == [
        ("max", True, False, "same day"),
        ("ann", False, True, "1 day later"),
        ("ola", True, False, "12 days later"),
        ("kim", True, False, "13 days later"),
        ("joe", False, False, "14 days later"),
    ]
    assert reading.from_maintainers == 3
    assert reading.comments[0].gist == "max says"


def test_a_comment_that_lacks_everything_is_still_shown():
    reading = _read(opened_at=OPENED, comments=[{}, {"at": "no time", "author": None, "body": None}])
    assert [(c.author, c.at, c.later, c.gist) for c in reading.comments] == [("", None, "", "")] * 2


def test_an_issue_without_text_has_its_number_for_a_title():
    reading = _read(text=False)
    assert (reading.title, reading.snapshot, reading.html, reading.comments) == ("#I6UHT3", None, "", [])


def test_only_web_addresses_become_links():
    assert _read(url="https://gitee.com/a/b/issues/I6UHT3").link == "https://gitee.com/a/b/issues/I6UHT3"
    assert _read(url="javascript:alert(1)").link == ""


def test_a_text_is_rendered_once_for_its_keywords_and_its_language():
    kept = RenderedTexts(characters=10_000)
    first = kept.get(("a crash", "en", ("crash",)))
    assert kept.get(("a crash", "en", ("crash",))) is first
    assert kept.get(("a crash", "en", ())) == ('<p dir="auto">a crash</p>\n', {}, "a crash")
    assert first[1] == {("crash", "text"): 1}


def test_rendered_texts_stay_within_their_bound_and_the_oldest_goes_first():
    kept = RenderedTexts(characters=300)
    first, last = ("the first", "en", ()), ("the last", "en", ())
    was = kept.get(first)
    for number in range(20):
        kept.get((f"text {number}", "en", ()))
    stays = kept.get(last)
    assert kept.get(last) is stays
    assert kept.get(first) is not was
    assert kept.length <= 300
