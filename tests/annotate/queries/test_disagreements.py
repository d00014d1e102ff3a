from dataclasses import replace

import pytest

from annotate.actions.decisions import note_disagreements, settle_issue
from annotate.actions.rounds import close_round
from annotate.models import Assignment, Draft, Round
from annotate.queries.disagreements import (
    Confusion,
    DisagreementCounts,
    Narrowing,
    confusion,
    disagreement_at,
    disagreement_counts,
    disagreements,
    is_unanimous,
)
from annotate.queries.rounds import round_progress, volunteers
from ingest.models import Issue
from taxonomy.models import Level
from tests import factories
from tests.annotate.world import World, small_world

pytestmark = pytest.mark.django_db

NOTHING = DisagreementCounts(complete=0, open=0, agenda=0, decided=0)


def _label(world: World, round_: Round, *rows: str) -> None:
    """One issue per row of codes, one code per volunteer, `-` for none."""
    for issue, row in zip(world.issues, rows, strict=False):
        for member, code in zip(world.members, row.split(), strict=True):
            if code != "-":
                world.submit(
                    round_, issue, member, code, summary=f"{member} on {issue}", unsure=code == "B.1"
                )


def _settle(world, round_, issue, code, seen=0):
    return settle_issue(
        round_=round_,
        issue=issue,
        by=world.lead,
        category=world.category(code),
        rationale="x",
        seen_number=seen,
    )


def _listed(round_, **filters):
    return [row.issue for row in disagreements(round_, Narrowing(**filters), None).rows]


def test_a_row_shows_labels_in_columns_split_and_where_they_part():
    world = small_world(issues=1, members=4)
    round_ = world.round()
    _label(world, round_, "C.2 A.1.i C.2 B.1")
    page = disagreements(round_, Narrowing(), None)
    assert [volunteer.member for volunteer in page.volunteers] == world.members
    (row,) = page.rows
    issue = world.issues[0]
    assert [(c.code, c.name, c.depth_code, c.summary, c.unsure, c.volunteer_id) for c in row.labels] == [
        (code, f"Name of {code}", depth, f"{member} on {issue}", unsure, member.pk)
        for member, (code, depth, unsure) in zip(
            world.members,
            [("C.2", "C.2", False), ("A.1.i", "A.1", False), ("C.2", "C.2", False), ("B.1", "B.1", True)],
            strict=True,
        )
    ]
    assert (row.issue, row.position, row.split, row.parts_at, row.decision, row.decided_code) == (
        issue,
        1,
        [("C.2", 2), ("A.1", 1), ("B.1", 1)],
        Level.TYPE,
        None,
        None,
    )
    assert (row.issue.repository, row.issue.current.title) == (world.repository, issue.current.title)
    assert page.next is None
    assert disagreement_at(round_, issue.pk, None) == row


@pytest.mark.parametrize(
    ("depth", "row", "parts_at"),
    [
        (Level.THEME, "A.1 A.2", Level.THEME),
        (Level.THEME, "A.1.i B.1", Level.TYPE),
        (Level.THEME, "A.1.i A.1.ii", None),
        (Level.THEME, "A.1 A.1.ii", None),
        (Level.SUB_THEME, "A.1.i A.1.ii", Level.SUB_THEME),
        (Level.TYPE, "A.1 A.2", None),
        (Level.TYPE, "A.1 C.2", Level.TYPE),
    ],
)
def test_labels_agree_or_part_at_the_rounds_depth(depth, row, parts_at):
    world = small_world(issues=1, members=2)
    round_ = world.round(depth=depth)
    _label(world, round_, row)
    assert [one.parts_at for one in disagreements(round_, Narrowing(), None).rows] == (
        [parts_at] if parts_at else []
    )
    assert is_unanimous(round_, world.issues[0].pk) == (parts_at is None)


def test_only_complete_issues_that_are_not_unanimous_are_listed_and_counted():
    world = small_world(issues=4, members=2)
    round_ = world.round()
    _label(world, round_, "C.2 C.3", "C.2 C.2", "C.2 -", "A.1 A.2")
    assert _listed(round_) == [world.issues[0], world.issues[3]]
    assert disagreement_counts(round_, None) == DisagreementCounts(complete=3, open=2, agenda=0, decided=0)
    assert round_progress(round_).complete == 3
    for issue in (world.issues[1], world.issues[2]):
        assert disagreement_at(round_, issue.pk, None) is None


def test_nothing_shows_before_reveal():
    world = small_world(issues=3, members=2)
    round_ = world.round(reveal=Round.Reveal.ROUND_CLOSED)
    _label(world, round_, "C.2 C.3", "C.2 C.2", "C.2 -")
    assert _listed(round_) == []
    assert disagreements(round_, Narrowing(), None).count == 0
    assert disagreement_at(round_, world.issues[0].pk, None) is None
    assert disagreement_counts(round_, None) == NOTHING
    assert confusion(round_, Level.THEME, None) == []
    assert is_unanimous(round_, world.issues[1].pk) is False
    assert (round_progress(round_).issues, round_progress(round_).complete) == (3, None)
    closed = close_round(round_=round_, by=world.lead)
    assert _listed(closed) == [world.issues[0]]
    assert disagreement_counts(closed, None) == DisagreementCounts(complete=2, open=1, agenda=0, decided=0)
    assert confusion(closed, Level.THEME, None) == [Confusion("C.2", "C.3", 1)]
    assert disagreements(closed, Narrowing(), None).count == 1
    assert is_unanimous(closed, world.issues[1].pk) is True
    assert round_progress(closed).complete == 2


def test_a_decision_of_the_lead_settles():
    world = small_world(issues=2, members=2)
    round_ = world.round()
    _label(world, round_, "C.2 C.3", "C.2 C.9")
    _settle(world, round_, world.issues[0], "C.2")
    second = _settle(world, round_, world.issues[0], "A.1.i", seen=1)
    assert disagreement_counts(round_, None) == DisagreementCounts(complete=2, open=1, agenda=0, decided=1)
    settled, still_open = disagreements(round_, Narrowing(), None).rows
    assert (settled.decision, settled.decided_code, still_open.decision) == (second, "A.1.i", None)
    assert _listed(round_, state="decided") == [world.issues[0]]
    assert _listed(round_, state="open") == [world.issues[1]]
    for state in ("decided", "open", ""):
        page = disagreements(round_, Narrowing(state=state), None)
        assert (page.decided, page.open, page.count) == (1, 1, 2)


def test_filters_narrow_alone_and_together():
    world = small_world(issues=5, members=3)
    elsewhere = factories.make_repository(world.study)
    world.issues.append(factories.make_issue(elsewhere))
    round_ = world.round()
    _label(
        world,
        round_,
        "C.2 C.3 C.3",
        "C.2 C.9 C.9",
        "A.1.i A.2 A.2",
        "C.2 C.3 A.1",
        "C.2 C.2 C.2",
        "C.3 C.2 C.2",
    )
    one, two, three, four, _, six = world.issues
    assert _listed(round_) == [one, two, three, six, four]
    assert _listed(round_, pair=("C.2", "C.3")) == [one, six, four]
    assert _listed(round_, pair=("C.3", "C.2")) == [one, six, four]
    assert _listed(round_, pair=("A.1", "A.2")) == [three]
    # Labels count at the round's depth.
    assert _listed(round_, pair=("A.1.i", "A.2")) == []
    assert _listed(round_, pair=("A", "C")) == [four]
    assert _listed(round_, pair=("A", "A")) == [three]
    assert _listed(round_, pair=("C", "C.3")) == [one, six, four]
    assert _listed(round_, pair=("C.3", "C.3")) == []
    assert _listed(round_, pair=("C.2", "X.1")) == []
    assert _listed(round_, type="A") == [three, four]
    assert _listed(round_, type="B") == []
    assert _listed(round_, repository=elsewhere.pk) == [six]
    assert _listed(round_, repository=world.repository.pk, pair=("C.2", "C.3")) == [one, four]
    assert _listed(round_, type="A", pair=("C.2", "C.3"), state="open") == [four]
    assert _listed(round_, type="A", pair=("C.2", "C.3"), state="decided") == []


def test_pages_follow_the_order_of_the_round_without_gaps():
    world = small_world(issues=5, members=2)
    round_ = world.round(issues=Issue.objects.order_by("-pk"))
    _label(world, round_, *["C.2 C.3"] * 5)
    came, after = [], None
    while True:
        page = disagreements(round_, Narrowing(), None, after=after, limit=2)
        came.append([row.issue for row in page.rows])
        if (after := page.next) is None:
            break
    newest_first = world.issues[::-1]
    assert came == [newest_first[:2], newest_first[2:4], newest_first[4:]]
    assert disagreements(round_, Narrowing(), None, limit=5).next is None


def test_surplus_labels_take_no_part():
    world = small_world(issues=1, members=3)
    round_, issue = world.k_of_n(2), world.issues[0]
    first, second, third = world.members
    world.submit(round_, issue, first, "C.2")
    Draft.objects.create(round=round_, issue=issue, volunteer=third)
    Assignment.objects.filter(volunteer=None).update(volunteer=second)
    assert world.submit(round_, issue, third, "A.1", summary="surplus").surplus is True
    world.submit(round_, issue, second, "C.3")
    (row,) = disagreements(round_, Narrowing(), None).rows
    assert ([chip and chip.code for chip in row.labels], row.split) == (
        ["C.2", "C.3", None],
        [("C.2", 1), ("C.3", 1)],
    )
    assert _listed(round_, type="A") == []
    assert confusion(round_, Level.TYPE, None) == [Confusion("C", "C", 1)]


def test_confusion_counts_issues_at_each_level():
    world = small_world(issues=6, members=3)
    round_ = world.round(depth=Level.THEME)
    _label(
        world,
        round_,
        "C.2 C.3 C.3",
        "C.3 C.2 C.2",
        "A.1.i A.1.ii A.1",
        "C.10 C.9 A.2",
        "C.2 C.2 C.2",
        "C.2 C.3 -",
    )
    assert confusion(round_, Level.TYPE, None) == [Confusion("C", "C", 3), Confusion("A", "C", 1)]
    assert confusion(round_, Level.THEME, None) == [
        Confusion("C.2", "C.3", 2),
        Confusion("A.2", "C.9", 1),
        Confusion("A.2", "C.10", 1),
        Confusion("C.9", "C.10", 1),
    ]
    # Labels are compared at the round's depth, so no deeper level has anything else to say.
    assert confusion(round_, Level.SUB_THEME, None) == confusion(round_, Level.THEME, None)


def test_confusion_at_a_level_that_the_version_lacks_is_that_of_the_last_one():
    world = small_world(issues=1, members=2)
    flat = factories.make_version(world.study, ["A", "B"])
    world = replace(world, version=flat)
    round_ = world.round(depth=Level.TYPE)
    _label(world, round_, "A B")
    assert confusion(round_, Level.TYPE, None) == [Confusion("A", "B", 1)]
    assert confusion(round_, Level.THEME, None) == [Confusion("A", "B", 1)]


def test_rounds_do_not_mix():
    world = small_world(issues=2, members=2)
    first, second = world.round(), world.round()
    _label(world, first, "C.2 C.3", "C.2 C.2")
    _label(world, second, "A.1 A.1", "A.1 A.2")
    assert _listed(first) == [world.issues[0]]
    assert _listed(second) == [world.issues[1]]
    assert confusion(second, Level.THEME, None) == [Confusion("A.1", "A.2", 1)]
    assert [one.member for one in volunteers(second)] == world.members


@pytest.mark.slow
@pytest.mark.parametrize("issues", [1, 3, 300])
def test_reads_cost_the_same_whatever_the_size(issues, django_assert_num_queries):
    world = small_world(issues=issues, members=2)
    round_ = world.round()
    for number, issue in enumerate(world.issues):
        factories.add_label(round_, issue, world.members[0], "C.2")
        factories.add_label(round_, issue, world.members[1], "C.3" if number % 2 == 0 else "C.9")
    note_disagreements(round_)
    narrowing = Narrowing(pair=("C.2", "C.3"), repository=world.repository.pk, state="open")
    with django_assert_num_queries(10):
        rows = disagreements(round_, narrowing, world.lead).rows
        assert [str(row.issue.repository) + row.issue.current.title for row in rows]
    assert len(rows) == min(50, (issues + 1) // 2)
    with django_assert_num_queries(4):
        disagreement_counts(round_, world.lead)
    with django_assert_num_queries(3):
        confusion(round_, Level.THEME, world.lead)
