"""What the form of a harvest makes of what people type."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from harvests.forms import HarvestForm, TokenForm
from harvests.words import window_in_words
from ingest.forges.naming import Named
from ingest.models import KeywordList


def form(**fields) -> HarvestForm:
    made = HarvestForm({"repositories": "a/b", "zone": "UTC", **fields}, lists=KeywordList.objects.none())
    made.fields.pop("lists")  # it alone asks the database
    made.is_valid()
    return made


def test_days_are_whole_days_of_their_zone():
    made = form(first_day="2023-01-01", last_day="2025-04-30", zone="Asia/Shanghai")

    assert made.cleaned_data["opened_from"] == datetime(2022, 12, 31, 16, tzinfo=UTC)
    assert made.cleaned_data["opened_before"] == datetime(2025, 4, 30, 16, tzinfo=UTC)


def test_days_are_optional_and_in_order():
    assert form().cleaned_data["opened_from"] is None
    assert form().cleaned_data["opened_before"] is None
    wrong = form(first_day="2023-01-02", last_day="2023-01-01")
    assert wrong.errors == {"last_day": ["The last day is before the first day."]}


@pytest.mark.parametrize("day", ["0001-01-01", "1989-12-31", "2101-01-01", "9999-12-31"])
@pytest.mark.parametrize("name", ["first_day", "last_day"])
def test_days_are_of_years_with_issues(name, day):
    assert form(**{name: day}).errors == {name: ["Choose a day from 1990 to 2100."]}


def test_each_refused_line_is_named_with_its_cause():
    made = form(repositories="a/b\nvllm\nhttps://gitlab.com/x/y\nA/B")

    assert made.errors["repositories"] == [
        "Line 2 is not a repository: “vllm”. Write owner/name or the whole address.",
        "Line 3 is on GitLab, which cannot be harvested: “https://gitlab.com/x/y”. Import these issues from a file.",
        "Line 4 repeats line 1: “A/B”.",
    ]


def test_nothing_named_says_so():
    assert form(repositories="# later\n").errors == {"repositories": ["Type at least one repository."]}


def test_a_base_address_is_given_to_the_repositories_of_its_host():
    made = form(
        repositories="a/b\nhttps://git.example.org/x/y",
        bases="\ngit.example.org  https://git.example.org/rest/api/v5/\n",
    )

    assert made.cleaned_data["repositories"] == [
        Named(1, "github", "github.com", "a/b"),
        Named(2, "gitee", "git.example.org", "x/y", "https://git.example.org/rest/api/v5"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "github.com https://evil.example/api/v3",
        "other.example https://other.example/api/v3",
        "git.example.org",
    ],
)
def test_a_base_address_of_another_host_is_refused(line):
    made = form(repositories="a/b\nhttps://git.example.org/x/y", bases=line)

    (message,) = made.errors["bases"]
    assert message.startswith(f"Line 1 is not the address of a host above: “{line}”.")


def test_a_run_may_take_so_many_minutes():
    assert form(minutes="90").budget == 5400
    assert form().budget is None
    assert list(form(minutes="0").errors) == ["minutes"]


@pytest.mark.parametrize(
    ("typed", "host"),
    [
        ("github.com", "github.com"),
        (" https://api.github.com/ ", "github.com"),
        ("https://www.GitHub.com/settings", "github.com"),
        ("git.example.org:8443", "git.example.org:8443"),
    ],
)
def test_the_host_of_a_token_is_read_from_an_address_too(typed, host):
    made = TokenForm({"host": typed, "name": "mine", "token": "ghp_0123456789"})

    assert made.is_valid()
    assert made.cleaned_data["host"] == host


def test_a_token_never_comes_back_into_the_page():
    made = TokenForm({"host": "", "name": "mine", "token": "ghp_0123456789"})

    assert not made.is_valid()
    assert "ghp_0123456789" not in made.as_div()


SHANGHAI = ZoneInfo("Asia/Shanghai")
START, END = datetime(2023, 1, 1, tzinfo=SHANGHAI), datetime(2025, 5, 1, tzinfo=SHANGHAI)


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        (START, END, "opened from 1 January 2023 00:00 to 30 April 2025 24:00, Asia/Shanghai"),
        (START.astimezone(UTC), None, "opened from 1 January 2023 00:00 on, Asia/Shanghai"),
        (None, END.replace(hour=12), "opened up to 1 May 2025 12:00, Asia/Shanghai"),
        (None, None, "opened at any time before the harvest starts"),
    ],
)
def test_a_window_is_said_with_its_zone(start, end, words):
    assert window_in_words(start, end, "Asia/Shanghai") == words
