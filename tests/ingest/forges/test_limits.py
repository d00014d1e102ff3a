"""Waits as the forges document them, the budget of a run, and the pace."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from core.fetch.answers import Answer
from ingest.forges.limits import LONGEST, wait_of
from ingest.forges.pages import PageMissing, Paused
from tests.forges import ForgeServer
from tests.ingest.forges.walking import TOKENS, asking, walked

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
LIMIT = b'{"message": "You have exceeded a secondary rate limit."}'
RIGHTS = b'{"message": "Resource not accessible by integration"}'


def _wait(status, times=0, body=b"", **headers):
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    wait = wait_of(Answer(status, given, body, "https://api.github.com/x"), NOW, times)
    return None if wait is None else (wait.seconds, wait.is_of_token)


def _date(**later):
    return format_datetime(NOW + timedelta(**later), usegmt=True)


@pytest.mark.parametrize("status", [403, 429])
class TestOneAnswer:
    def test_retry_after_comes_first(self, status):
        reset = str(int(NOW.timestamp()) + 900)
        more = {"x_ratelimit_remaining": "0", "x_ratelimit_reset": reset}
        assert _wait(status, retry_after="30", **more) == (31, False)
        assert _wait(status, retry_after=_date(seconds=30), **more) == (31, False)
        assert _wait(status, retry_after="0") == (1, False)
        assert _wait(status, retry_after=_date(seconds=-30)) == (1, False)

    def test_a_used_up_limit_ends_at_its_reset(self, status):
        reset = str(int(NOW.timestamp()) + 900)
        assert _wait(status, x_ratelimit_remaining="0", x_ratelimit_reset=reset) == (901, True)

    def test_the_forge_counts_by_its_own_clock(self, status):
        there = NOW + timedelta(minutes=5)
        reset = str(int(there.timestamp()) + 60)
        date = {"date": format_datetime(there, usegmt=True)}
        assert _wait(status, x_ratelimit_remaining="0", x_ratelimit_reset=reset, **date) == (61, True)
        assert _wait(status, retry_after=_date(minutes=6), **date) == (61, False)

    def test_without_either_a_minute_that_doubles(self, status):
        waits = [_wait(status, times, LIMIT, x_ratelimit_remaining="4000") for times in range(4)]
        assert waits == [(60, False), (120, False), (240, False), (480, False)]

    def test_a_reset_that_is_over_does_not_make_a_storm(self, status):
        reset = str(int(NOW.timestamp()) - 100)
        waits = [
            _wait(status, times, x_ratelimit_remaining="0", x_ratelimit_reset=reset) for times in range(4)
        ]
        assert waits == [(1, True), (2, True), (4, True), (8, True)]

    @pytest.mark.parametrize("text", ["soon", "-5", "1e9", "٣", "", "Thu, 99 Nov 2026 00:00:00 GMT"])
    def test_nonsense_is_no_wait_of_its_own(self, status, text):
        assert _wait(status, 0, LIMIT, retry_after=text) == (60, False)
        assert _wait(status, 0, LIMIT, x_ratelimit_remaining="0", x_ratelimit_reset=text) == (60, False)

    def test_no_wait_is_longer_than_a_month(self, status):
        assert _wait(status, retry_after="999999999999") == (LONGEST, False)
        assert _wait(status, 0, x_ratelimit_remaining="0", x_ratelimit_reset="999999999999") == (
            LONGEST,
            True,
        )
        assert _wait(status, 1000, LIMIT) == (LONGEST, False)


def test_what_is_no_rate_limit():
    assert _wait(403, 0, RIGHTS, x_ratelimit_remaining="4000") is None
    assert _wait(403, 0, b"<html>rate limit") is None
    assert _wait(404, 0, LIMIT, retry_after="5") is None
    assert _wait(200, 0, LIMIT, retry_after="5") is None
    assert _wait(503) is None


def test_what_is_one_in_other_words():
    assert _wait(429) == (60, False)
    assert _wait(403, 0, b'{"message": "You have triggered an abuse detection mechanism"}') == (60, False)
    assert _wait(403, 0, '{"message": "请求过于频繁"}'.encode()) == (60, False)
    assert _wait(503, retry_after="7") == (8, False)


@pytest.fixture
def server():
    with ForgeServer() as server:
        server.github("team/tool", issues=250, comments=0, pulls_every=0)
        server.gitee("team/tool", issues=250, comments=0, pulls_every=0)
        yield server


def _walk(client):
    return walked(client, "issues", client.forge.issues_url("team/tool"))


class TestWaiting:
    def test_a_secondary_limit_again_and_again(self, server):
        server.faults.add("secondary_bare", at=range(2, 6))
        with asking(server) as client:
            assert len(_walk(client)) == 250
            assert client.waited == 60 + 120 + 240 + 480
        assert server.violations == []

    def test_another_token_does_not_break_a_secondary_limit(self, server):
        server.faults.add("secondary", at=2, seconds=300)
        with asking(server, tokens=TOKENS) as client:
            assert len(_walk(client)) == 250
            assert client.waited == 301
        assert server.violations == []

    def test_another_token_does_not_wait_for_a_primary_limit(self, server):
        server.faults.add("primary", at=2, seconds=300)
        with asking(server, tokens=TOKENS) as client:
            assert len(_walk(client)) == 250
            assert client.waited == 0
        assert server.violations == []

    def test_a_limit_without_end_pauses(self, server):
        server.faults.add("secondary", times=None, seconds=5)
        with asking(server) as client, pytest.raises(Paused) as paused:
            _walk(client)
        assert paused.value.why == "rate_limit"
        assert paused.value.until > server.clock.now()
        assert len(server.seen) == 10
        assert server.violations == []

    def test_a_wait_ends_when_sleep_raises(self, server):
        class Stop(Exception):
            pass

        def stop(_seconds):
            raise Stop

        server.faults.add("secondary", at=2)
        with asking(server) as client:
            client._sleep = stop
            with pytest.raises(Stop):
                _walk(client)
        assert len(server.seen) == 2


class TestBudget:
    def test_a_wait_beyond_it_pauses_and_asks_nothing_more(self, server):
        server.faults.add("secondary", at=2, seconds=600)
        begin = server.clock.now()
        with asking(server, budget=300) as client, pytest.raises(Paused) as paused:
            _walk(client)
        assert paused.value.until == begin + timedelta(seconds=601)
        assert paused.value.why == "rate_limit"
        assert server.clock.now() == begin
        assert len(server.seen) == 2

    def test_a_used_up_token_pauses_until_its_reset(self, server):
        server.hourly = 2
        with asking(server, budget=300) as client, pytest.raises(Paused) as paused:
            _walk(client)
        assert paused.value.until == datetime(2026, 1, 15, 13, 0, 1, tzinfo=UTC)
        assert server.violations == []

    def test_it_is_over(self, server):
        with asking(server, budget=300) as client:
            page = client.page("issues", client.forge.issues_url("team/tool"))
            server.clock.sleep(300)
            with pytest.raises(Paused) as paused:
                client.page("issues", page.next)
        assert (paused.value.until, paused.value.why) == (server.clock.now(), "budget")
        assert len(server.seen) == 1

    def test_tries_end_with_it(self, server):
        server.faults.add("502", times=None)
        with asking(server, budget=5) as client, pytest.raises(Paused) as paused:
            _walk(client)
        assert paused.value.why == "budget"
        with asking(server, budget=500) as client, pytest.raises(PageMissing):
            _walk(client)

    def test_a_paused_walk_goes_on_where_it_was(self, server):
        server.hourly = 1
        url, found, runs = (
            f"{server.github_base}/repos/team/tool/issues?state=all&direction=asc&per_page=100",
            0,
            0,
        )
        while url:
            runs += 1
            with asking(server, budget=60) as client:
                try:
                    while url:
                        page = client.page("issues", url)
                        found, url = found + len(page.records), page.next
                except Paused as paused:
                    server.clock.sleep((paused.until - server.clock.now()).total_seconds())
        assert (found, runs, len(server.seen)) == (250, 3, 3)
        assert server.violations == []


class TestPace:
    def test_gitee_is_asked_slowly(self, server):
        with asking(server, "gitee") as client:
            _walk(client)
        begin = server.seen[0].at
        assert [(seen.at - begin).total_seconds() for seen in server.seen] == [0, 0.75, 1.5]

    def test_the_pace_can_be_set(self, server):
        with asking(server, "gitee", pace=3.0) as client:
            _walk(client)
            assert client.waited == 6

    def test_time_that_went_by_counts(self, server):
        with asking(server, "gitee") as client:
            page = client.page("issues", client.forge.issues_url("team/tool"))
            server.clock.sleep(10)
            client.page("issues", page.next)
            assert client.waited == 0

    def test_requests_are_counted_with_each_try(self, server):
        server.faults.add("502", at=2)
        with asking(server) as client:
            _walk(client)
            assert client.asked == {"issues": 4}
