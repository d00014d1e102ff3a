"""Ids of requests: of whom they are taken, what has them, and what takes them along."""

from types import SimpleNamespace

import pytest
from celery.signals import before_task_publish, task_postrun, task_prerun

from core.tasks import sweep
from core.watching.ids import accepted, new_id, request_id, under

pytestmark = pytest.mark.django_db
GIVEN = "0a1b2c3d-of-the-proxy"


def test_an_id_is_taken_from_a_trusted_proxy_alone(client, settings):
    def answered(given: str = GIVEN) -> str:
        return client.get("/healthz", headers={"X-Request-ID": given}).headers["X-Request-ID"]

    ours = answered()
    assert (ours != GIVEN, len(ours)) == (True, 12)
    settings.TRUSTED_PROXIES = ["127.0.0.0/8"]
    assert answered() == GIVEN
    for strange in ("short", "x" * 65, "a b c d e f g h", "abcdefgh\r\nX: y", "ünïcödé-id", ""):
        assert answered(strange) not in {strange, GIVEN}


def test_each_request_has_an_id_of_its_own(client):
    ids = {client.get("/healthz").headers["X-Request-ID"] for _ in range(3)}
    assert len(ids) == 3
    assert request_id() == ""


def test_a_task_works_under_the_id_of_the_request_that_sent_it():
    headers: dict[str, str] = {}
    with under(GIVEN):
        before_task_publish.send(sweep.name, headers=headers)
    assert headers == {"request_id": GIVEN}
    task = SimpleNamespace(request=SimpleNamespace(**headers))
    task_prerun.send(sweep, task=task, task_id="1", args=[], kwargs={})
    assert request_id() == GIVEN
    task_postrun.send(sweep, task=task, task_id="1", args=[], kwargs={}, retval=None, state="")
    assert request_id() == ""


def test_a_task_that_no_request_sent_has_an_id_of_its_own():
    headers: dict[str, str] = {}
    before_task_publish.send(sweep.name, headers=headers)
    assert headers == {}
    task_prerun.send(sweep, task=SimpleNamespace(request=SimpleNamespace()), task_id="1", args=[], kwargs={})
    assert len(request_id()) == 12
    task_postrun.send(sweep, task=None, task_id="1", args=[], kwargs={}, retval=None, state="")


def test_ids_of_our_own_are_well_formed():
    assert all(accepted(one) == one for one in (new_id(), GIVEN))
