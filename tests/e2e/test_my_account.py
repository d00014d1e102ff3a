"""My account in the browser: axe finds nothing, and home offers the time zone of the browser."""

import pytest
from playwright.sync_api import expect

from accounts import actions
from accounts.models import User
from tests.e2e.axe import violations
from tests.factories import make_member, make_study
from tests.long import only_long

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def user() -> User:
    user = make_member(make_study()).user
    for name in (
        "Harvest of Monday",
        "A name that is as long as names of tokens can be, which is eighty letters …",
    ):
        actions.make_token(user=user, name=name)
    return user


def test_home_offers_the_zone_of_the_browser_once(open_page, user, settings):
    settings.TIME_ZONE = "Asia/Shanghai"
    page = open_page(user, "/")
    offer = page.locator("#zone-offer")
    expect(offer).to_be_visible()
    assert violations(page) == []
    here = page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    page.locator("#zone-here").click()
    expect(offer).to_have_count(0)
    assert User.objects.get(pk=user.pk).time_zone == here


def test_home_offers_nothing_where_the_zones_are_the_same(open_page, user):
    page = open_page(user, "/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("#zone-offer")).to_be_hidden()


@only_long
@pytest.mark.parametrize("look", [{}, {"phone": True, "dark": True}])
def test_axe_finds_nothing_on_the_pages_of_an_account(open_page, user, look):
    link = actions.ask_for_address(user=user, email="new@example.org")
    for path in ("/accounts/me/", "/accounts/me/address/", f"/accounts/address/{link}/"):
        page = open_page(user, path, **look)
        assert violations(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
