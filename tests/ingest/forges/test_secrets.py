"""Tokens of a walk reach their forge, and nothing that is written or kept."""

import logging
import traceback

import pytest

from core.fetch.answers import Secret
from ingest.forges.pages import ForgeError
from ingest.forges.tokens import Token
from tests.forges import ForgeServer
from tests.ingest.forges.walking import PATIENT, QUICK, TEXTS, TOKENS, asking

FAULTS = [
    "502", "html", "reset", "truncated", "hang", "401", "no_rights", "404", "410", "451", "422", "redirect_elsewhere",
    "moved_elsewhere", "link_elsewhere", "secondary", "primary",
]  # fmt: skip


@pytest.fixture
def written(caplog):
    caplog.set_level(logging.DEBUG)
    for name in ("httpcore", "httpcore.http11", "httpcore.connection", "httpx"):
        logging.getLogger(name).disabled = False
        caplog.set_level(logging.DEBUG, logger=name)
    return caplog


def _is_secret(text):
    return any(secret in text for secret in (*TEXTS.values(), "0123456789"))


def _frames(error):
    shown = traceback.TracebackException.from_exception(error, capture_locals=True)
    while shown is not None:
        for frame in shown.stack:
            if "/tests/" not in frame.filename:
                yield f"{frame.filename} {frame.line} {frame.locals}"
        shown = shown.__cause__ or shown.__context__


@pytest.mark.parametrize("name", ["github", "gitee"])
def test_a_page_holds_no_token(name, written):
    with ForgeServer() as server:
        server.add(name, "team/tool", issues=150)
        with asking(server, name) as client:
            page = client.page("issues", client.forge.issues_url("team/tool"))
            again = client.page("issues", page.next)
        # Gitee's own link has the token in it.
        assert {seen.token for seen in server.seen} == {TEXTS["first"]}
        for kept in (page, again):
            assert not _is_secret(f"{kept.url} {kept.next} {kept.etag} {kept.raw!r} {kept.records}")
        assert not _is_secret(repr(client.ring.turns) + repr(TOKENS))
    assert not _is_secret(written.text)


@pytest.mark.parametrize("name", ["github", "gitee"])
@pytest.mark.parametrize("fault", FAULTS)
def test_no_error_shows_a_token(name, fault, written):
    limits = QUICK if fault == "hang" else PATIENT
    with ForgeServer(patience=0.2) as server:
        server.add(name, "team/tool", issues=150)
        server.faults.add(fault, times=None)
        with (
            asking(server, name, tokens=TOKENS[:2], limits=limits, budget=10) as client,
            pytest.raises(ForgeError) as error,
        ):
            client.page("issues", client.forge.issues_url("team/tool"))
    assert not _is_secret(f"{error.value} {error.value!r} {vars(error.value)}")
    assert [frame for frame in _frames(error.value) if _is_secret(frame)] == []
    assert not _is_secret(written.text)


def test_no_token_goes_to_another_host(written):
    """Two servers: the first redirects, links and moves to the second, which is allowed as well."""
    with ForgeServer() as server, ForgeServer() as other:
        server.github("team/tool", issues=150)
        other.github("team/tool", issues=150)
        for status, header in (
            (301, "Location"),
            (302, "Location"),
            (307, "Location"),
            (308, "Location"),
            (200, "Link"),
        ):
            there = f"{other.github_base}/repos/team/tool/issues"

            true = server.github_side.reply

            def elsewhere(seen, *, status=status, header=header, there=there, true=true):
                reply = true(seen)
                reply.status = status
                reply.headers[header] = there if header == "Location" else f'<{there}>; rel="next"'
                return reply

            server.github_side.reply = elsewhere
            with asking(server, hosts=[other.host]) as client, pytest.raises(ForgeError):
                client.page("issues", client.forge.issues_url("team/tool"))
            server.github_side.reply = true
        assert server.seen
        assert other.seen == []
    assert not _is_secret(written.text)


def test_a_token_that_is_none():
    with pytest.raises(ValueError):
        Token("mine", Secret("two words here"))
