import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import caches
from django.core.cache.utils import make_template_fragment_key
from django.template.loader import render_to_string
from django.utils import timezone

from ingest.models import Issue
from ingest.queries.keywords import keywords_of
from ingest.queries.reading import Reading
from tests import factories

pytestmark = pytest.mark.django_db

OPENED = datetime(2024, 5, 1, 10, tzinfo=UTC)


def _read(**fields):
    repository = factories.make_repository(factories.make_study(), forge="gitee", host="gitee.com")
    issue = factories.make_issue(repository, "I6UHT3", **fields)
    return Reading(Issue.objects.select_related("repository", "current").get(pk=issue.pk))


def test_an_issue_is_read_with_its_state_and_author():
    reading = _read(
        title="It fails",
        body="**so**",
        author="ann",
        author_association="CONTRIBUTOR",
        state="CLOSED",
        state_reason="COMPLETED",
    )
    found = (reading.title, reading.forge, str(reading.state), reading.is_closed)
    assert found == ("It fails", "Gitee", "Closed as completed", True)
    assert str(reading.association) == "contributor"
    assert reading.texts.body.strip() == '<p dir="auto"><strong>so</strong></p>'


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
    assert [(c.author, c.is_maintainer, c.is_author, c.later) for c in reading.texts.comments] == [
        ("max", True, False, "same day"),
        ("ann", False, True, "1 day later"),
        ("ola", True, False, "12 days later"),
        ("kim", True, False, "13 days later"),
        ("joe", False, False, "14 days later"),
    ]
    assert reading.from_maintainers == 3
    assert reading.texts.comments[0].gist == "max says"


def test_a_comment_that_lacks_everything_is_still_shown():
    reading = _read(opened_at=OPENED, comments=[{}, {"at": "no time", "author": None, "body": None}])
    assert [(c.author, c.at, c.later, c.gist) for c in reading.texts.comments] == [("", None, "", "")] * 2


def test_an_issue_without_text_has_its_number_for_a_title():
    reading = _read(text=False)
    assert (reading.title, reading.snapshot, reading.texts.body, reading.texts.comments) == (
        "#I6UHT3",
        None,
        "",
        [],
    )


def test_only_web_addresses_become_links():
    assert _read(url="https://gitee.com/a/b/issues/I6UHT3").link == "https://gitee.com/a/b/issues/I6UHT3"
    assert _read(url="javascript:alert(1)").link == ""


def _comments(number):
    return [{"author": f"ann{n}", "body": f"words {n}"} for n in range(number)]


@pytest.mark.parametrize(
    ("on_the_forge", "here", "said"),
    [
        (12, 0, "12 comments on Gitee, none here."),
        (1, 0, "1 comment on Gitee, none here."),
        (12, 3, "12 comments on Gitee, 3 here."),
        (3, 3, ""),
        (0, 0, ""),
        (1, 3, ""),
    ],
)
def test_a_discussion_that_is_missing_is_said_with_its_address(on_the_forge, here, said):
    url = "https://gitee.com/a/b/issues/I6UHT3"
    page = _drawn(_read(url=url, body="so", comments=_comments(here), comment_count=on_the_forge))
    words = " ".join(page.split())
    assert [one for one in (said,) if one] == re.findall(r"\d+ comments? on \w+, \w+ here\.", words)
    assert ("Read the discussion on Gitee" in words) is bool(said)
    assert page.count(f'href="{url}"') == 1 + bool(said)
    assert page.count('<details class="fold">') == here
    assert ("Discussion" in words) is bool(said or here)


def test_a_missing_discussion_without_an_address_has_no_link():
    page = _drawn(_read(url="javascript:alert(1)", body="so", comment_count=2))
    assert "2 comments on Gitee, none here." in " ".join(page.split())
    assert "Read the discussion" not in page


def test_what_the_template_of_the_repository_brought_is_folded():
    reading = _read(body="Checklist\n---\n\n- [x] Searched\n\n# Mine\n\n- [x] Searched, and more")
    assert "Template text" not in reading.texts.body
    before = reading.drawn_from
    repository = reading.issue.repository
    repository.headings, repository.headings_from = ["checklist", "searched"], 7
    now = Reading(reading.issue)
    assert now.texts.body.count("Template text") == 1
    assert '<span class="lines">3 lines</span><span class="gist">1 of 1 box ticked</span>' in now.texts.body
    assert now.drawn_from != before


@pytest.fixture
def drawings(settings):
    settings.CACHES = {
        "default": settings.CACHES["default"],
        "template_fragments": {
            "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
            "LOCATION": "drawn",
        },
    }
    yield caches["template_fragments"]
    caches["template_fragments"].clear()


def _drawn(reading, **page):
    return render_to_string("ingest/_issue.html", {"reading": reading} | page)


def test_an_issue_is_drawn_once_for_all_readers(drawings):
    reading = _read(title="It fails", body="**so**")
    first = _drawn(reading)
    assert "<strong>so</strong>" in first
    key = make_template_fragment_key("issue", [reading.drawn_from, ""])
    assert drawings.get(key) in first
    drawings.set(key, "drawn before")
    assert _drawn(Reading(reading.issue)).strip() == "drawn before"


def test_what_would_be_drawn_otherwise_is_drawn_again(drawings):
    reading = _read(title="It fails", body="so", opened_at=OPENED)
    issue, plain = reading.issue, _drawn(reading)
    assert "<h1" not in _drawn(reading, is_part=True)
    factories.make_list(issue.repository.study, "so")
    assert '<mark class="kw">so</mark>' in _drawn(Reading(issue, keywords_of(issue.repository.study_id)))
    with timezone.override("Asia/Tokyo"):
        assert 'title="2024-05-01 19:00 JST"' in _drawn(reading)
    assert 'title="2024-05-01 10:00 UTC"' in plain
    issue.current.content_hash = "of other content"
    issue.current.body = "other"
    assert "other" in _drawn(Reading(issue))
    issue.repository.path = "moved/here"
    assert "moved/here" in _drawn(Reading(issue))


@pytest.mark.parametrize(
    ("host", "said"),
    [("github.com", ">Original<"), ("github.com.evil.example", ">Original at github.com.evil")],
)
def test_the_link_to_a_host_that_looks_like_a_forge_names_it(host, said):
    repository = factories.make_repository(factories.make_study(), host=host)
    issue = factories.make_issue(repository)
    page = _drawn(Reading(Issue.objects.select_related("repository", "current").get(pk=issue.pk)))
    assert said in "".join(line.strip() for line in page.splitlines())
