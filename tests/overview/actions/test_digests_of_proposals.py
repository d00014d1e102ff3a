"""What the mail of a day says of proposals: which wait, which end tomorrow, which are decided."""

from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from overview.actions.digests import send_digests
from studies.models import Role
from taxonomy.actions import cast, comment, see_comments
from tests import factories
from tests.long import only_long

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=1, members=2)]


@pytest.fixture
def now():
    return timezone.now()


def opened(world, now, code="C.1", days=7):
    fields = {"reasons": "secretword", "deadline": now + timedelta(days=days)}
    return factories.propose(world.version.taxonomy, world.lead, code=code, **fields)


def sent(at) -> dict[str, str]:
    """Who got mail at this moment, and what it says before its foot."""
    mail.outbox.clear()
    send_digests(now=at)
    return {message.body.split()[1].rstrip(","): message.body.split("-- ")[0] for message in mail.outbox}


@only_long
def test_a_vote_is_told_to_who_has_yet_to_vote_once_and_on_its_last_day(world, now) -> None:
    motion = opened(world, now)
    factories.make_member(world.study, Role.VIEWER, pseudonym="V1")
    factories.make_member(world.study, pseudonym="Late")  # without a ballot
    cast(motion=motion, member=world.members[0], choice="for", argument="secretword")

    told = sent(now + timedelta(minutes=1))
    assert sorted(told) == ["Lead", "R2"]
    assert "1 proposal waits for your vote\n" in told["R2"]
    assert f"* {world.version.taxonomy.name}, proposal 1, until " in told["R2"]
    assert motion.get_absolute_url() in told["R2"]
    assert "secretword" not in "".join(told.values())
    assert sent(now + timedelta(days=3)) == {}
    assert sorted(sent(now + timedelta(days=6, hours=1))) == ["Lead", "R2"]
    assert sent(now + timedelta(days=8)) == {}  # over: nothing waits, and nothing is counted yet


def test_what_was_decided_is_told_to_all_who_read_it_and_once(world, now) -> None:
    factories.make_member(world.study, Role.VIEWER, pseudonym="V1")
    motion = opened(world, now)
    for member in (world.lead, *world.members):
        cast(motion=motion, member=member, choice="against", argument="secretword")

    told = sent(now + timedelta(minutes=1))
    assert sorted(told) == ["Lead", "R1", "R2", "V1"]
    assert f"* {world.version.taxonomy.name}, proposal 1: declined\n" in told["V1"]
    assert "secretword" not in "".join(told.values())
    assert sent(now + timedelta(days=1)) == {}


def test_who_is_named_on_a_proposal_is_told_once_unless_they_have_read_it(world, now) -> None:
    motion = opened(world, now)
    for member in (world.lead, *world.members):
        cast(motion=motion, member=member, choice="for")
    sent(now + timedelta(minutes=1))
    comment(motion=motion, by=world.lead, text="@R1 @R2 secretword")
    see_comments(taxonomy=world.version.taxonomy, member=world.members[1])

    told = sent(now + timedelta(days=1))
    assert list(told) == ["R1"]
    assert (
        f"You were mentioned in 1 comment on a proposal\n\n* Lead, on {world.version.taxonomy.name}, proposal 1"
        in told["R1"]
    )
    assert "secretword" not in told["R1"]
    assert sent(now + timedelta(days=2)) == {}
