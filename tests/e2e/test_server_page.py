"""The page for administrators in a real browser: as axe and a phone find it, and what a click on it does."""

import pytest

from accounts.actions import make_administrator
from core import clock, embedded
from core.models import Job
from core.watching import problems, workers
from core.watching.problems import keep_problem
from core.watching.store import store
from core.watching.workers import note_worker
from tests.e2e.axe import violations
from tests.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)

WIDER = "document.documentElement.scrollWidth - innerWidth"
SCROLLS = "table => { const card = table.closest('.card'); return table.scrollWidth - card.clientWidth; }"


@pytest.fixture
def administrator(monkeypatch):
    embedded.ensure_redis()
    for module in (problems, workers):
        monkeypatch.setattr(module, "KEY", f"tests-page-{module.__name__}")
        store().delete(module.KEY)
    note_worker("celery@host")
    Job.objects.create(kind="tests.waits")
    Job.objects.create(kind="tests.failed", state=Job.State.FAILED, finished_at=clock.now())
    user = make_user("Ada")
    make_administrator(user=user)
    return user


@pytest.mark.parametrize("look", [{}, {"dark": True}, {"phone": True, "language": "zh-CN"}])
def test_the_page_is_accessible_and_fits(open_page, administrator, look):
    keep_problem(ValueError(), where="/studies/<slug:slug>/issues/<int:issue_id>/labels/")
    page = open_page(administrator, "/server/?error=nothing", **look)
    assert violations(page) == []
    assert page.evaluate(WIDER) <= 0
    # Details are sentences: nobody scrolls sideways to read them.
    assert page.locator("[aria-labelledby=parts-h] table").evaluate(SCROLLS) <= 0
    assert page.locator("html").get_attribute("lang") == ("zh-hans" if "language" in look else "en")


def test_an_error_is_found_and_a_test_mail_sent_by_hand(open_page, administrator, mailoutbox):
    found = keep_problem(KeyError(), where="/x/")
    page = open_page(administrator, "/")
    page.locator(".avatar").click()
    page.get_by_role("link", name="This server").click()
    page.get_by_label("Id that somebody told you").fill(found)
    page.get_by_role("button", name="Find error").click()
    assert page.locator("#errors .note.ok b").inner_text() == found
    page.get_by_role("button", name="Send test mail").click()
    assert "took the test mail" in page.locator("#mail .note.ok").inner_text()
    assert [mail.to for mail in mailoutbox] == [[administrator.email]]
