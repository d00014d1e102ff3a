import pytest
from django.urls import reverse
from django.utils import timezone

from tests.factories import make_issue, make_member, make_repository, make_round, make_study, make_version

pytestmark = pytest.mark.django_db


def test_the_label_tab_is_for_the_volunteers_of_the_open_round(client):
    study = make_study(slug="engines")
    volunteer, newcomer = make_member(study), make_member(study)
    round_ = make_round(make_version(study), [make_issue(make_repository(study))], [volunteer])
    link = f'href="{reverse("label", args=[round_.pk])}"'

    def tabs_of(member) -> str:
        client.force_login(member.user)
        return client.get(reverse("people", args=["engines"])).content.decode().partition('class="tabs"')[2]

    assert link in tabs_of(volunteer)
    assert link not in tabs_of(newcomer)
    round_.closed_at = timezone.now()
    round_.save()
    assert link not in tabs_of(volunteer)
