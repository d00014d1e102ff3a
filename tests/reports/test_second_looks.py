"""What a report says of issues that came back in a second look."""

import pytest
from django.urls import reverse

from reports.agreement_report import agreement_report
from reports.sentences.agreement import how_to_report
from rounds.models import Round
from taxonomy.tree.drafts import RETIRE
from tests.annotate.actions.test_version_upgrade import change, publication
from tests.worlds.pages import client

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=2, members=3)]


def test_issues_of_a_second_look_are_said_to_be_no_longer_independent(world):
    """Its labels are given after the first ones were revealed, and stand in their place."""
    round_ = world.round()
    for issue in world.issues[:2]:
        for member, code in zip(world.members, ("C.9", "C.2", "C.9"), strict=True):
            world.submit(round_, issue, member, code)
    said = "in a second look, after"
    before = agreement_report(round_)
    assert (before.looked_at_again, said in how_to_report(before)) == (0, False)

    change(world, RETIRE, "C.9")
    world.version = publication(world)
    round_.refresh_from_db()
    for member in (world.members[0], world.members[2]):
        world.submit(Round.objects.get(of=round_), world.issues[0], member, "C.3")
    round_ = Round.objects.get(pk=round_.pk)
    found = agreement_report(round_)
    assert (found.complete, found.looked_at_again) == (1, 1)
    assert "1 of these issues was in a second look, after its first labels were revealed." in how_to_report(
        found
    )
    page = client(world.lead).get(reverse("agreement", args=[round_.pk])).content.decode()
    assert "Labels that were given again are not independent." in page
