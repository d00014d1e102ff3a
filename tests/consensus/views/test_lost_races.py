"""Forms of the consensus pages that lose a race in the database are handled again, whole and once."""

from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.urls import reverse

from consensus.actions.follow_ups import follow_up
from consensus.models import BulkDecision, Decision, FollowUp, Meeting
from tests.database import as_owner
from tests.kept import kept
from tests.worlds.meeting import MeetingWorld, meeting_world
from tests.worlds.pages import client

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

Lose = Callable[[str, str], None]
STANDING = Decision.objects.filter(superseded_at=None)


@pytest.fixture
def lose() -> Iterator[Lose]:
    """Let the first statement of this kind on this table be the victim of a deadlock, as PostgreSQL says it."""
    tables = []
    with connection.cursor() as cursor:

        def once(verb: str, table: str) -> None:
            # A sequence does not roll back: it knows the second try from the first.
            with as_owner():
                cursor.execute("CREATE SEQUENCE lost_tries")
                cursor.execute("GRANT ALL ON SEQUENCE lost_tries TO PUBLIC")
                cursor.execute(
                    "CREATE FUNCTION lost() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF"
                    " nextval('lost_tries') = 1 THEN RAISE EXCEPTION 'lost' USING ERRCODE = '40P01'; END IF;"
                    " RETURN NULL; END $$"
                )
                cursor.execute(f"CREATE TRIGGER lost AFTER {verb} ON {table} EXECUTE FUNCTION lost()")
            tables.append(table)

        yield once
        cursor.execute("SELECT last_value FROM lost_tries")
        tries = cursor.fetchone()[0]
        with as_owner():
            cursor.execute(f"DROP TRIGGER lost ON {tables[0]}")
            cursor.execute("DROP FUNCTION lost")
            cursor.execute("DROP SEQUENCE lost_tries")
    assert tries > 1


@kept
def world() -> MeetingWorld:
    return meeting_world(4, members=3)


def send_twice(browser: Client, page: str, *args: object, **form: object) -> list[str]:
    """Send one form as a double click does; what the user is told of the first."""
    address = reverse(page, args=args)
    form = {"form_key": str(uuid4())} | form
    answers = [browser.post(address, form) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [302, 302]
    return [str(message) for message in get_messages(answers[0].wsgi_request)]


def planned(world: MeetingWorld, name: str) -> dict[str, object]:
    people = [one.pk for one in world.members]
    return {"name": name, "kind": "together", "chair": world.lead.pk, "quorum": 2, "participants": people}


def alike(world: MeetingWorld) -> dict[str, object]:
    issues = ",".join(str(issue.pk) for issue in world.issues[:2])
    category = world.category("C.9").pk
    return {"issues": issues, "choice": category, "rationale": "The log shows it.", "sure": "yes"}


def pair(world: MeetingWorld) -> dict[str, object]:
    first, second, _third = world.members
    return {"first": first.pk, "second": second.pk, "issues": world.issues[0].pk}


@pytest.mark.parametrize(
    ("page", "form", "table", "said", "left"),
    [
        (
            "decide_majority", lambda _world: {"at_least": 2}, "consensus_bulkdecision",
            "3 issues are decided by majority.",
            lambda: (BulkDecision.objects.count(), STANDING.count()) == (1, 3),
        ),
        (
            "decide_alike", alike, "consensus_bulkdecision", "2 issues are decided as C.9.",
            lambda: (
                BulkDecision.objects.count(), STANDING.filter(rationale="The log shows it.").count()
            ) == (1, 2),
        ),
        (
            "assign_pair", pair, "consensus_meeting", "1 issue is assigned to R1 & R2.",
            lambda: Meeting.objects.get().kind == "pair",
        ),
        (
            "new_meeting", lambda world: planned(world, "Of all"), "consensus_meeting",
            "Of all is planned, with an empty agenda.",
            lambda: Meeting.objects.get().name == "Of all",
        ),
    ],
)  # fmt: skip
def test_a_form_of_the_round(world: MeetingWorld, lose: Lose, page, form, table, said, left):
    lose("INSERT", table)

    assert send_twice(client(world.lead), page, world.round_.pk, **form(world)) == [said]
    assert left()


def test_change_meeting(world: MeetingWorld, lose: Lose):
    meeting = world.plan(opened=False)
    lose("UPDATE", "consensus_meeting")

    said = send_twice(client(world.lead), "change_meeting", meeting.pk, **planned(world, "Of some"))

    assert said == ["Of some is changed."]
    assert Meeting.objects.get().name == "Of some"


def test_take_off_what_was_planned(world: MeetingWorld, lose: Lose):
    meeting = world.plan(opened=False)
    lose("UPDATE", "consensus_agendaitem")

    items = [item.pk for item in world.items[:2]]
    said = send_twice(client(world.lead), "change_meeting", meeting.pk, off="1", items=items)

    assert said == ["2 issues were removed from the agenda."]
    assert meeting.items.filter(released_at=None).count() == 2


def test_mark_follow_up(world: MeetingWorld, lose: Lose):
    world.plan()
    noted = follow_up(item=world.items[0], by=world.lead, kind="guideline", text="Say it in the guideline.")
    lose("UPDATE", "consensus_followup")

    said = send_twice(client(world.lead), "mark_follow_up", world.study.slug, noted.pk)

    assert said == ["Marked as done."]
    assert FollowUp.objects.get().done_by == world.lead
