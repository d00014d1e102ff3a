"""A token is nowhere but where it is sent: in no row, log, error, argument or answer of a whole run."""

import logging

import pytest
from django.db import connection

from core.models import Job
from harvests import actions
from harvests.actions.estimates import estimate
from harvests.models import ForgeToken
from tests.forges import ForgeServer
from tests.harvests.harvesting import asked, finished, plan, run, token

pytestmark = pytest.mark.django_db
TEXT = "ghp_s3cr3t0123456789abcdefXYZ"


@pytest.fixture
def written(caplog):
    caplog.set_level(logging.DEBUG)
    for name in ("httpcore", "httpcore.http11", "httpcore.connection", "httpx", "ingest", "core.jobs"):
        logging.getLogger(name).disabled = False
        caplog.set_level(logging.DEBUG, logger=name)
    return caplog


def _everything() -> str:
    """All rows of all tables, as text."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f"SELECT coalesce(string_agg(t::text, chr(10)), '') FROM \"{table}\" t")
            found.append(cursor.fetchone()[0])
    return "\n".join(found)


def _hidden(*texts: str) -> None:
    for text in texts:
        assert TEXT not in text
        assert TEXT.encode().hex() not in text, "a bytea is shown in hexadecimal"
        assert "s3cr3t" not in text


@pytest.mark.slow
@pytest.mark.parametrize("forge", ["github", "gitee"])
def test_of_a_whole_run(server, study, written, forge, lead):
    repository = server.add(forge, "team/tool", issues=230)
    kept = token(server, study, TEXT, "of the lead")
    for nth, fault in enumerate(("502", "secondary", "html", "reset", "empty_page", "cut_json"), start=2):
        server.faults.add(fault, at=2 * nth)
    harvest = plan(server, study, repository, by=lead.user)
    told = []
    server.rename(repository, "team/renamed")  # Gitee's redirect has the token in it
    job = finished(harvest)
    assert job.state == Job.State.DONE, job.error
    told.append(f"{job.result} {job.error} {job.arguments}")
    server.faults.add("422", kind="issues", times=None)
    server.clock.sleep(86_400)
    refresh = actions.refresh_harvest(harvest=harvest, by=None, rings=False)
    assert finished_after(refresh).state == Job.State.FAILED
    server.faults.rules.clear()
    server.tokens = {"another"}
    assert run(refresh).state == Job.State.FAILED, "refused"
    found = estimate(
        study=study, repositories=[asked(server, repository)], opened_from=None, opened_before=None,
        with_pull_requests=False, with_comments=True,
    )  # fmt: skip
    assert all(seen.token == TEXT for seen in server.seen), "it was sent"
    kept.refresh_from_db()
    _hidden(_everything(), written.text, *told, repr(found), repr(kept), str(kept), str(vars(kept)))
    assert ForgeToken.objects.count() == 1


def finished_after(refresh):
    refresh.run.refresh_from_db()
    from core import jobs

    return jobs.run(refresh.run.job.pk)


def test_it_goes_to_no_other_host(server, study, settings):
    """A repository whose base address is another host does not get the token of the first."""
    with ForgeServer() as other:
        settings.FORGE_HOSTS = [server.host, other.host]
        mine, theirs = server.github("team/tool", issues=5), other.github("team/tool", issues=5)
        token(server, study, TEXT)
        harvest = plan(server, study, mine)
        run(harvest)
        assert {seen.token for seen in server.seen} == {TEXT}
        run(plan(other, study, theirs))
        assert {seen.token for seen in other.seen} == {""}

        # Nor by a redirect or a link of its own forge.
        other.forget()
        true = server.github_side.reply

        def elsewhere(seen):
            reply = true(seen)
            reply.status, reply.headers["Location"] = 302, f"{other.github_base}/repos/team/tool/issues"
            return reply

        server.github_side.reply = elsewhere
        job = run(plan(server, study, server.github("team/more", issues=5)))
        assert job.state == Job.State.FAILED
        assert "redirected to another host" in job.error
        assert other.seen == []


def test_rebinding_is_refused_at_run_time(server, study, settings):
    """An address that was allowed when it was planned, and is not any more."""
    harvest = plan(server, study, server.github("team/tool", issues=5))
    settings.FORGE_HOSTS = []
    job = run(harvest)
    assert job.state == Job.State.FAILED
    assert "https://" in harvest.repositories.get().trouble
    assert server.seen == []
