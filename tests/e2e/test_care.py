"""A gentle word after a long stretch of work."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotate.queries.labels import _done_before
from rounds.models import Label, Round
from studies.models import Membership
from tests.e2e.room import answer, label_page, stored
from tests.long import only_long
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db(transaction=True)


def at_work_for(round_: Round, member: Membership, minutes: int) -> None:
    """Date the member's nine labels back, evenly, so that the first is so many minutes old."""
    labels = list(Label.objects.filter(round=round_, volunteer=member).order_by("pk"))
    for number, label in enumerate(labels):
        ago = timedelta(minutes=minutes * (len(labels) - number) / len(labels))
        Label.objects.filter(pk=label.pk).update(submitted_at=timezone.now() - ago)
    # After midnight some of these labels are of yesterday, whose number is remembered.
    _done_before.cache_clear()


@only_long
def test_after_an_hour_without_a_pause_one_is_suggested_once_and_never_to_who_rested(open_page):
    world = small_world(issues=11)
    round_, member = world.round(), world.members[0]
    for issue in world.issues[:9]:
        world.submit(round_, issue, member, "C.1")
    for minutes in (58, 120):  # in two hours with a pause after each label
        at_work_for(round_, member, minutes)
        page = open_page(member.user, label_page(round_))
        note = page.locator("#care [role=status]")
        expect(page.locator("#pace")).to_contain_text("9 / 11")
        expect(note).to_have_count(0)

    at_work_for(round_, member, 70)
    page.reload()
    expect(note).to_contain_text("You have been labelling for 70 minutes.")
    expect(note).to_contain_text("Take a short break: everything is saved.")
    note.get_by_role("button", name="Dismiss").click()
    expect(note).to_have_count(0)

    answer(page, "c 3 Enter Enter")
    stored(page)
    expect(page.locator("#pace[data-stretch]")).to_contain_text("10 / 11")
    expect(note).to_have_count(0)
