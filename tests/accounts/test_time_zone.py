"""Pages show dates in the time zone of their reader."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts import actions
from accounts.forms import time_zones
from accounts.middleware import zone_of
from accounts.models import User
from rounds.models import Round
from studies.models import Role
from tests.factories import make_issue, make_member, make_repository, make_round, make_study, make_version

pytestmark = pytest.mark.django_db

AT = datetime(2027, 3, 4, 20, 30, tzinfo=UTC)


@pytest.fixture
def lead(client):
    member = make_member(make_study(), Role.LEAD)
    issue = make_issue(make_repository(member.study))
    make_round(make_version(member.study), [issue], [member])
    Round.objects.update(deadline=AT)
    client.force_login(member.user)
    return member


def choose(client, zone: str, **more):
    return client.post(reverse("choose_time_zone"), {"time_zone": zone, **more})


def shown(client) -> str:
    return client.get(reverse("round", args=[Round.objects.get().pk])).text


def test_a_date_is_shown_in_the_zone_of_its_reader(client, lead):
    assert "4 Mar 2027" in shown(client)
    assert choose(client, "Asia/Shanghai").status_code == 302
    assert User.objects.get(pk=lead.user_id).time_zone == "Asia/Shanghai"
    assert "5 Mar 2027" in shown(client)
    assert "4 Mar 2027" not in shown(client)
    choose(client, "")
    assert "4 Mar 2027" in shown(client)


def test_the_next_reader_has_their_own_zone(client, lead):
    actions.choose_time_zone(user=lead.user, time_zone="Asia/Shanghai")
    shown(client)
    assert timezone.get_current_timezone_name() == "UTC"


def test_rest_gives_utc_to_everybody(client, lead):
    at = f"/api/v1/rounds/{Round.objects.get().pk}/"
    before = client.get(at).json()["deadline"]
    choose(client, "Asia/Shanghai")
    assert (before, client.get(at).json()["deadline"]) == ("2027-03-04T20:30:00Z",) * 2


@pytest.mark.parametrize("zone", ["Mars/Base", "../etc/passwd", "UTC\0"])
def test_what_is_no_zone_is_refused(client, lead, zone):
    assert choose(client, zone).status_code == 404
    assert User.objects.get(pk=lead.user_id).time_zone == ""


@pytest.mark.parametrize("zone", ["", "Mars/Base", "../etc/passwd"])
def test_a_zone_that_the_computer_lacks_is_that_of_the_server(zone):
    with zone_of(zone):
        assert timezone.get_current_timezone_name() == "UTC"


def test_every_zone_that_is_offered_works():
    assert len(time_zones()) > 300
    for name in time_zones():
        with zone_of(name):
            assert timezone.get_current_timezone_name() == name


def test_home_offers_a_zone_until_one_is_chosen(client, lead):
    assert 'data-server="UTC"' in client.get(reverse("home")).text
    choose(client, "UTC")
    assert "zone-offer" not in client.get(reverse("home")).text


def test_it_leads_back_to_the_page(client, lead):
    assert choose(client, "UTC", next=reverse("me")).headers["Location"] == reverse("me")
    assert choose(client, "UTC", next="//evil.example").headers["Location"] == "/"
