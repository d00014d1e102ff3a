"""What the database reads grows with what is written at once, whatever its statistics and its kept plans say.

What PostgreSQL reads is counted, not the time: rows and blocks of every table and index, in this transaction.
"""

from dataclasses import dataclass

import pytest
from django.db import connection
from django.utils import timezone

from annotate.queries.turns import current_turn, seat_of
from consensus.models import Decision
from ingest.models import Issue
from rounds.actions.proposals import open_proposal
from rounds.models import Assignment, Label, Round, RoundIssue
from tests import factories
from tests.database import as_owner
from tests.long import only_long
from tests.worlds.said import stands
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db

FEW, MANY = 100, 400
LEEWAY = 1.5
"""So many times as much as in proportion may be read: indexes grow deeper, and small tables are read whole."""
ROWS_OF_A_SUBMIT = 100
CODES = "C.2", "C.9", "C.1"

_READ = """
    SELECT sum(pg_stat_get_xact_tuples_returned(oid))::bigint, sum(pg_stat_get_xact_blocks_fetched(oid))::bigint
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')
"""


@dataclass(frozen=True)
class Read:
    """How many rows and blocks PostgreSQL has read in this transaction."""

    rows: int
    blocks: int

    @classmethod
    def so_far(cls) -> "Read":
        with connection.cursor() as cursor:
            cursor.execute(_READ)
            return cls(*cursor.fetchone())

    def since(self, before: "Read") -> "Read":
        return Read(self.rows - before.rows, self.blocks - before.blocks)


@pytest.fixture(params=["a round before", "empty tables", "nothing"])
def world(request):
    """A study in a database whose statistics know of a round before, of empty tables, or of nothing."""
    with as_owner(), connection.cursor() as cursor:
        # Without the pages that other tests have left there.
        cursor.execute("TRUNCATE ingest_issue, rounds_round CASCADE")
    world = small_world(issues=0, members=len(CODES))
    if request.param == "empty tables":
        _analyze()
    before = _round(world, 30)
    # A session keeps plans: here they are made of one row at a time, and of a few.
    for code, member in zip(CODES, world.members, strict=True):
        world.submit(before, before.round_issues.first().issue, member, code)
    for write in AT_ONCE:
        write(before)
    if request.param == "a round before":
        _analyze()
    return world


def _analyze():
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _round(world: World, issues: int) -> Round:
    """An open round over so many new issues, whose labels are not seen before it is closed."""
    number = Issue.objects.count()
    made = Issue.objects.bulk_create(
        Issue(
            repository=world.repository, number=f"{number + one}", url=f"https://example.org/{number + one}"
        )
        for one in range(issues)
    )
    chosen = Issue.objects.filter(pk__gte=made[0].pk).order_by("pk")
    return world.round(issues=chosen, reveal=Round.Reveal.ROUND_CLOSED)


def _label(round_, slots=None, **said):
    """All labels come that are waited for, in one INSERT."""
    codes = {state.code: state.category_id for state in round_.version.states.all()}
    columns = dict(round_.volunteers.values_list("member", "column"))
    now = timezone.now()
    slots = Assignment.objects.filter(round=round_, submitted_at=None) if slots is None else slots
    Label.objects.bulk_create(
        Label(
            round=round_, issue_id=slot.issue_id, volunteer_id=slot.volunteer_id, assignment=slot,
            version=round_.version, submitted_at=now,
            **said or {"category_id": codes[CODES[columns[slot.volunteer_id] - 1]]},
        )
        for slot in slots
    )  # fmt: skip
    slots.update(submitted_at=now)


def _complete(round_):
    RoundIssue.objects.filter(round=round_, completed_at=None).update(completed_at=timezone.now())


def _a_category(round_):
    return factories.category(round_.version, CODES[0])


def _change(round_):
    Label.objects.filter(round=round_).update(category=_a_category(round_))


def _decide(round_):
    category = _a_category(round_)
    Decision.objects.bulk_create(
        Decision(
            round=round_, issue_id=issue, category=category, version=round_.version, method="imported",
            decided_at=timezone.now(),
        )
        for issue in round_.round_issues.values_list("issue", flat=True)
    )  # fmt: skip


def _say_again(round_):
    """Whatever is written there, it is computed anew."""
    RoundIssue.objects.filter(round=round_).update(labels="", decided=-1)


def _supersede(round_):
    Decision.objects.filter(round=round_).update(superseded_at=timezone.now())


def _lose(round_):
    """All labels of issues that stay complete go, in one DELETE."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM rounds_label WHERE round_id = %s", [round_.pk])
    Assignment.objects.filter(round=round_).update(submitted_at=None)


def _label_again(round_):
    """All labels of complete issues come, in one INSERT."""
    _label(round_)


AT_ONCE = (_label, _complete, _change, _decide, _say_again, _supersede, _lose, _label_again)


@pytest.mark.slow
@only_long
def test_what_is_written_at_once_is_read_a_few_times(world):
    read = {}
    for issues in (FEW, MANY):
        round_ = _round(world, issues)
        for write in AT_ONCE:
            read[write.__name__, issues] = _read_by(write, round_)
        stands()
    for write in AT_ONCE:
        _in_proportion(read[write.__name__, FEW], read[write.__name__, MANY], write.__name__)


@pytest.mark.slow
@only_long
def test_what_is_said_in_a_second_look_is_read_issue_by_issue(world):
    """All labels are open, and their authors gave each a category in a second look."""
    read = {}
    for issues in (FEW, MANY):
        round_ = _round(world, issues)
        proposal = open_proposal(round_=round_, member=world.members[0], name="New")
        _label(round_, proposal=proposal, proposed_reason="None fits.")
        look = world.round(issues=Issue.objects.filter(in_rounds__round=round_))
        Round.objects.filter(pk=look.pk).update(kind=Round.Kind.LOOK, of=round_)
        _label(look)
        read[issues] = _read_by(_complete, round_)
        assert not round_.round_issues.filter(labels__regex=r"\m0\M").exists()
    _in_proportion(read[FEW], read[MANY], "second look")


def _read_by(write, round_):
    before = Read.so_far()
    write(round_)
    return Read.so_far().since(before)


def _in_proportion(few, many, what):
    most = LEEWAY * MANY / FEW
    assert many.rows < most * few.rows, (what, few, many)
    assert many.blocks < most * few.blocks, (what, few, many)


@pytest.mark.slow
@only_long
def test_one_label_is_stored_with_as_little_in_a_large_round_as_in_a_small_one(world):
    """Of its author and of its round there are many labels already; the last of the three completes the issue.

    So is the next turn found; its statements are prepared, and their plans kept.
    """
    read = {}
    for issues in (FEW, MANY):
        round_ = _round(world, issues)
        for turn, member in enumerate(world.members * 3):
            before = Read.so_far()
            assert seat_of(member.user, round_.pk).round == round_
            assert current_turn(round_, member).assignment.volunteer_id == member.pk
            read[turn, issues] = Read.so_far().since(before)
        issue = round_.round_issues.first().issue
        _label(round_, Assignment.objects.filter(round=round_).exclude(issue=issue))
        for code, member in zip(CODES, world.members, strict=True):
            before = Read.so_far()
            world.submit(round_, issue, member, code)
            read[code, issues] = Read.so_far().since(before)
    for code in (*CODES, *range(9)):
        assert read[code, MANY].rows < ROWS_OF_A_SUBMIT, read
        assert read[code, MANY].blocks < 1.25 * read[code, FEW].blocks, read
