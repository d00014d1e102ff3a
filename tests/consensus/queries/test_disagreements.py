import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from annotate.actions.rounds import close_round
from annotate.models import Draft
from consensus import models
from consensus.actions.agendas import put_on_agenda, take_off_agenda
from consensus.actions.decisions import note_disagreements
from consensus.actions.meetings import plan_meeting
from consensus.queries.agendas import open_agendas
from consensus.queries.confusion import Confusion, confusion, splits
from consensus.queries.disagreement_filters import Narrowing
from consensus.queries.disagreements import (
    DisagreementCounts,
    disagreement_at,
    disagreement_counts,
    disagreements,
    is_unanimous,
    key_of,
    next_after,
    rounds_to_label,
)
from ingest.models import Issue
from overview.queries.overview import consensus
from rounds.models import Assignment, Round
from rounds.queries.categories import codebook
from rounds.queries.rounds import round_progress, volunteers
from taxonomy.models import Level
from tests import factories
from tests.kept import kept
from tests.worlds.world import World, small_world

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


def _listed(round_, **filters):
    return [row.issue for row in disagreements(round_, Narrowing(**filters), None).rows]


@pytest.mark.world(issues=1, members=4)
def test_a_row_shows_labels_in_columns_split_and_where_they_part(world):
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


@pytest.mark.world(issues=1, members=2)
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
def test_labels_agree_or_part_at_the_rounds_depth(world, depth, row, parts_at):
    round_ = world.round(depth=depth)
    _label(world, round_, row)
    assert [one.parts_at for one in disagreements(round_, Narrowing(), None).rows] == (
        [parts_at] if parts_at else []
    )
    assert is_unanimous(round_, world.issues[0].pk) == (parts_at is None)


@pytest.mark.world(issues=4, members=2)
def test_only_complete_issues_that_are_not_unanimous_are_listed_and_counted(world):
    round_ = world.round()
    _label(world, round_, "C.2 C.3", "C.2 C.2", "C.2 -", "A.1 A.2")
    assert _listed(round_) == [world.issues[0], world.issues[3]]
    assert disagreement_counts(round_, None) == DisagreementCounts(complete=3, open=2, agenda=0, decided=0)
    assert round_progress(round_).complete == 3
    for issue in (world.issues[1], world.issues[2]):
        assert disagreement_at(round_, issue.pk, None) is None


@pytest.mark.world(issues=3, members=2)
def test_nothing_shows_before_reveal(world):
    round_ = world.round(reveal=Round.Reveal.ROUND_CLOSED)
    _label(world, round_, "C.2 C.3", "C.2 C.2", "C.2 -")
    assert _listed(round_) == []
    assert disagreements(round_, Narrowing(), None).count == 0
    assert disagreement_at(round_, world.issues[0].pk, None) is None
    assert disagreement_counts(round_, None) == NOTHING
    assert confusion(round_, Level.THEME, None) == ()
    assert is_unanimous(round_, world.issues[1].pk) is False
    assert (round_progress(round_).issues, round_progress(round_).complete) == (3, None)
    closed = close_round(round_=round_, by=world.lead)
    assert _listed(closed) == [world.issues[0]]
    assert disagreement_counts(closed, None) == DisagreementCounts(complete=2, open=1, agenda=0, decided=0)
    assert list(confusion(closed, Level.THEME, None)) == [Confusion("C.2", "C.3", 1)]
    assert disagreements(closed, Narrowing(), None).count == 1
    assert is_unanimous(closed, world.issues[1].pk) is True
    assert round_progress(closed).complete == 2


@pytest.mark.world(issues=2, members=2)
def test_a_decision_of_the_lead_settles(world):
    round_ = world.round()
    _label(world, round_, "C.2 C.3", "C.2 C.9")
    world.settle(round_, world.issues[0], "C.2")
    second = world.settle(round_, world.issues[0], "A.1.i", seen=1)
    assert disagreement_counts(round_, None) == DisagreementCounts(complete=2, open=1, agenda=0, decided=1)
    settled, still_open = disagreements(round_, Narrowing(), None).rows
    assert (settled.decision, settled.decided_code, still_open.decision) == (second, "A.1.i", None)
    assert _listed(round_, state="decided") == [world.issues[0]]
    assert _listed(round_, state="open") == [world.issues[1]]
    for state in ("decided", "open", ""):
        page = disagreements(round_, Narrowing(state=state), None)
        assert (page.counts["decided"], page.counts["open"], page.count) == (1, 1, 2)


@pytest.mark.world(issues=5, members=3)
def test_filters_narrow_alone_and_together(world):
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


@pytest.mark.world(issues=5, members=2)
def test_pages_follow_the_order_of_the_round_without_gaps(world):
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


@pytest.mark.world(issues=1, members=3)
def test_surplus_labels_take_no_part(world):
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
    assert list(confusion(round_, Level.TYPE, None)) == [Confusion("C", "C", 1)]


@pytest.mark.world(issues=6, members=3)
def test_confusion_counts_issues_at_each_level(world):
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
    assert list(confusion(round_, Level.TYPE, None)) == [Confusion("C", "C", 3), Confusion("A", "C", 1)]
    assert list(confusion(round_, Level.THEME, None)) == [
        Confusion("C.2", "C.3", 2),
        Confusion("A.2", "C.9", 1),
        Confusion("A.2", "C.10", 1),
        Confusion("C.9", "C.10", 1),
    ]
    # Labels are compared at the round's depth, so no deeper level has anything else to say.
    assert confusion(round_, Level.SUB_THEME, None) == confusion(round_, Level.THEME, None)


@pytest.mark.world(issues=1, members=2)
def test_confusion_at_a_level_that_the_version_lacks_is_that_of_the_last_one(world):
    flat = factories.make_version(world.study, ["A", "B"])
    world = replace(world, version=flat)
    round_ = world.round(depth=Level.TYPE)
    _label(world, round_, "A B")
    assert list(confusion(round_, Level.TYPE, None)) == [Confusion("A", "B", 1)]
    assert list(confusion(round_, Level.THEME, None)) == [Confusion("A", "B", 1)]


@pytest.mark.world(issues=2, members=2)
def test_rounds_do_not_mix(world):
    first, second = world.round(), world.round()
    _label(world, first, "C.2 C.3", "C.2 C.2")
    _label(world, second, "A.1 A.1", "A.1 A.2")
    assert _listed(first) == [world.issues[0]]
    assert _listed(second) == [world.issues[1]]
    assert list(confusion(second, Level.THEME, None)) == [Confusion("A.1", "A.2", 1)]
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
    with django_assert_num_queries(9):
        rows = disagreements(round_, narrowing, world.lead).rows
        assert [str(row.issue.repository) + row.issue.current.title for row in rows]
    assert len(rows) == min(50, (issues + 1) // 2)
    with django_assert_num_queries(4):
        disagreement_counts(round_, world.lead)
    with django_assert_num_queries(4):
        met = confusion(round_, Level.THEME, world.lead)
    # Nothing was revealed since: what the labels say is at hand.
    with django_assert_num_queries(3):
        assert confusion(round_, Level.THEME, world.lead) == met


@pytest.mark.world(issues=3, members=2)
def test_what_was_counted_before_is_counted_anew_when_more_is_revealed(world):
    round_ = world.round()
    _label(world, round_, "C.2 C.9", "C.2 C.9")
    assert [one.issues for one in confusion(round_, Level.THEME, world.lead)] == [2]
    assert splits(round_, Narrowing(), world.lead) == [((1, 1), 2)]
    for member, code in zip(world.members, ("C.2", "C.9"), strict=True):
        factories.add_label(round_, world.issues[2], member, code)
    note_disagreements(round_)
    assert [one.issues for one in confusion(round_, Level.THEME, world.lead)] == [3]
    assert splits(round_, Narrowing(), world.lead) == [((1, 1), 3)]


# --- what each filter leaves, and what it leaves out


@kept
def parted() -> tuple[World, Round]:
    """4:3, 4:3 across types, 5:2, 3:2:2 and 6 with an open label, of seven volunteers."""
    world = small_world(issues=5, members=7)
    round_ = world.round()
    _label(
        world,
        round_,
        "C.2 C.2 C.2 C.2 C.9 C.9 C.9",
        "B.1 B.1 B.1 C.2 C.2 C.2 C.2",
        "C.3 C.3 C.2 C.2 C.2 C.2 C.2",
        "C.2 C.3 C.2 C.3 C.2 C.9 C.9",
        "- C.9 C.9 C.9 C.9 C.9 C.9",
    )
    world.submit(round_, world.issues[4], world.members[0], "?Farm")
    return world, round_


def test_the_order_is_what_one_argument_can_settle(parted):
    world, round_ = parted
    assert _listed(round_) == [world.issues[place] for place in (0, 1, 2, 4, 3)]


def test_a_filter_leaves_those_who_stand_apart(parted):
    world, round_ = parted
    one, two, three, four, five = world.issues
    apart = {member.pseudonym: _listed(round_, volunteer=member.pk) for member in world.members}
    assert apart["R1"] == [two, three, five]
    assert apart["R7"] == [one, four]
    # A tie has no largest group, so that nobody is in a minority.
    tied = small_world(issues=1, members=2)
    open_one = tied.round()
    _label(tied, open_one, "C.2 C.3")
    assert _listed(open_one, volunteer=tied.members[0].pk) == []


def test_splits_are_offered_with_counts_and_filter(parted):
    world, round_ = parted
    offered = [((4, 3), 2), ((5, 2), 1), ((6, 1), 1), ((3, 2, 2), 1)]
    assert splits(round_, Narrowing(), None) == offered
    assert splits(round_, Narrowing(split=(4, 3)), None) == offered
    assert splits(round_, Narrowing(type="B"), None) == [((4, 3), 1)]
    for split, n in offered:
        assert len(_listed(round_, split=split)) == n
    assert _listed(round_, split=(4, 3)) == world.issues[:2]
    # An open label is a group of one.
    assert _listed(round_, split=(6, 1)) == [world.issues[4]]
    assert _listed(round_, split=(7,)) == []
    assert _listed(round_, split=(6, 1, 1)) == []


def test_a_filter_by_the_level_at_which_labels_part(parted):
    world, round_ = parted
    one, two, three, four, _five = world.issues
    assert _listed(round_, parts_at=Level.TYPE) == [two]
    assert _listed(round_, parts_at=Level.THEME) == [one, three, four]
    assert _listed(round_, parts_at=Level.SUB_THEME) == []


@pytest.mark.world(issues=0, members=2)
@pytest.mark.parametrize(
    ("keyword", "expected"),
    [("llama", [0, 1]), ("LLAMA", [0, 1]), ("llam", []), ("llam*", [0, 1, 2]), ("out of memory", [3]),
     ("显存", [4]), ("c++", [2]), ("100%", [3]), ("nothing", []), ("Crash", [])],
)  # fmt: skip
@pytest.mark.slow(cases=4)
def test_a_filter_by_a_keyword_in_title_or_text(world, keyword, expected):
    texts = [("llama_index fails", ""), ("Crash", "with Llama."), ("llamas in C++", ""),
             ("OOM", "CUDA out of memory at 100%"), ("显存不足", "")]  # fmt: skip
    for title, body in texts:
        world.issues.append(factories.make_issue(world.repository, title=title, body=body))
    words = ("llama", "llam*", "out of memory", "显存", "c++", "100%", "nothing")
    factories.make_list(world.study, *words, search=True)
    round_ = world.round()
    _label(world, round_, *["C.2 C.3"] * 5)
    assert _listed(round_, keyword=keyword) == [world.issues[place] for place in expected]


def test_a_filter_by_the_cause_of_the_decision_that_stands(parted):
    world, round_ = parted
    for place, cause in ((0, "slip"), (1, "overlap"), (2, "")):
        world.settle(round_, world.issues[place], "C.2", rationale="x", cause=cause)
    assert _listed(round_, cause="slip") == [world.issues[0]]
    assert _listed(round_, cause="overlap") == [world.issues[1]]
    assert _listed(round_, cause="guideline") == []
    world.settle(round_, world.issues[0], "C.9", rationale="y", cause="overlap", seen=1)
    assert _listed(round_, cause="slip") == []


def test_states_are_open_on_an_agenda_and_decided(parted):
    world, round_ = parted
    one, two, three, four, five = world.issues
    meeting = plan_meeting(round_=round_, by=world.lead, name="Thursday", chair=world.lead, quorum=1)
    assert put_on_agenda(meeting=meeting, by=world.lead, issues=[one.pk, two.pk, three.pk]) == 3
    world.settle(round_, four, "C.2")
    assert _listed(round_, state="open") == [five]
    assert _listed(round_, state="agenda") == [one, two, three]
    assert _listed(round_, state="decided") == [four]
    take_off_agenda(item=meeting.items.get(issue=two), by=world.lead)
    assert _listed(round_, state="open") == [two, five]
    assert disagreement_counts(round_, None) == DisagreementCounts(complete=5, open=2, agenda=2, decided=1)
    page = disagreements(round_, Narrowing(state="agenda"), None)
    assert (page.counts["open"], page.counts["agenda"], page.counts["decided"], page.count, page.shown) == (
        2,
        2,
        1,
        5,
        2,
    )
    assert [(row.state, row.meeting) for row in disagreements(round_, Narrowing(), None).rows] == [
        ("agenda", meeting), ("open", None), ("agenda", meeting), ("open", None), ("decided", None),
    ]  # fmt: skip
    assert [meeting.name for meeting in open_agendas(round_, world.lead)] == ["Thursday"]
    assert splits(round_, Narrowing(state="agenda"), None) == [((4, 3), 1), ((5, 2), 1)]
    page = disagreements(round_, Narrowing(split=(4, 3), state="open"), None)
    assert (page.counts["open"], page.counts["agenda"], page.counts["decided"], page.shown) == (1, 1, 0, 1)
    assert [row.issue for row in page.rows] == [two]
    # Six labels alike and an open one.
    page = disagreements(round_, Narrowing(split=(6, 1)), None)
    assert (page.counts["open"], page.counts["agenda"], page.counts["decided"]) == (1, 0, 0)


@pytest.mark.parametrize(
    "narrowing",
    [Narrowing(), Narrowing(pair=("C.1", "C.9")), Narrowing(type="A", repository=3, volunteer=4, state="agenda"),
     Narrowing(split=(3, 2, 2), parts_at=2, keyword="out of memory", cause="slip")],
)  # fmt: skip
def test_an_address_says_the_same_narrowing_again(narrowing):
    assert Narrowing.from_query(narrowing.query) == narrowing


# --- what a member has yet to label in another round


def test_what_a_member_has_yet_to_label_elsewhere_is_kept_from_them(parted):
    world, round_ = parted
    first, second = world.members[:2]
    again = world.round(members=[first], issues=Issue.objects.filter(pk__in=[world.issues[1].pk]))
    seen = [world.issues[place] for place in (0, 2, 4, 3)]
    assert [row.issue for row in disagreements(round_, Narrowing(), first).rows] == seen
    assert [row.issue for row in disagreements(round_, Narrowing(), second).rows] == [
        world.issues[place] for place in (0, 1, 2, 4, 3)
    ]
    assert disagreement_counts(round_, first) == DisagreementCounts(
        complete=4, open=4, agenda=0, decided=0, withheld=1
    )
    assert disagreement_counts(round_, second) == DisagreementCounts(complete=5, open=5, agenda=0, decided=0)
    assert Confusion("B", "C", 1) not in confusion(round_, Level.TYPE, first)
    assert Confusion("B", "C", 1) in confusion(round_, Level.TYPE, second)
    assert disagreement_at(round_, world.issues[1].pk, first) is None
    assert disagreement_at(round_, world.issues[1].pk, second) is not None
    assert splits(round_, Narrowing(), first)[0] == ((4, 3), 1)
    assert next_after(round_, Narrowing(), first, key_of(round_, world.issues[0].pk)) == world.issues[2].pk
    assert rounds_to_label(round_, first) == [again]
    assert consensus([round_], [first])[round_.pk].open == 4
    assert consensus([round_], [second])[round_.pk].open == 5
    world.submit(again, world.issues[1], first, "C.2")
    assert _counts_of(round_, first) == _counts_of(round_, second)


def _counts_of(round_, member):
    return disagreement_counts(round_, member), confusion(round_, Level.THEME, member)


@pytest.mark.world(issues=2, members=2)
def test_the_number_withheld_does_not_say_whether_labels_differ(world):
    """One complete issue that agrees and one that does not: both count, so the number tells nothing of either."""
    round_ = world.round()
    _label(world, round_, "C.2 C.3", "C.2 C.2")
    for place in (0, 1):
        again = world.round(
            members=[world.members[0]], issues=Issue.objects.filter(pk=world.issues[place].pk)
        )
        counts = disagreement_counts(round_, world.members[0])
        assert (counts.withheld, counts.complete) == (1, 1)
        world.submit(again, world.issues[place], world.members[0], "C.2")


def test_rounds_of_another_taxonomy_and_closed_ones_hold_nothing_back(parted):
    world, round_ = parted
    other = replace(world, version=factories.make_version(world.study, ["A", "B"]))
    other.round(members=[world.members[0]], depth=Level.TYPE)
    closed = world.round(members=[world.members[0]])
    close_round(round_=closed, by=world.lead)
    assert disagreement_counts(round_, world.members[0]).withheld == 0


# --- the table says what the labels say


CODES = ("A.1", "A.1.i", "A.1.ii", "A.2", "B.1", "C.1.i", "C.1", "C.2", "C.9", None)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_rows_equal_a_count_of_the_labels(depth):
    chance = random.Random(depth)
    world = small_world(issues=25, members=4)
    round_ = world.round(depth=depth)
    book = codebook(world.version.pk)
    given: dict[int, list[str | None]] = {}
    for issue in world.issues:
        among = chance.sample(CODES, chance.choice((1, 2, 3, 4)))
        given[issue.pk] = [chance.choice(among) for _member in world.members]
        for member, code in zip(world.members, given[issue.pk], strict=True):
            if code is None:
                world.submit(round_, issue, member, "?Farm")
            else:
                factories.add_label(round_, issue, member, code)
    note_disagreements(round_)
    held = {row.issue_id: row for row in models.Disagreement.objects.filter(round=round_)}
    ids = {state.code: id_ for id_, state in book.states.items()}
    met: Counter[tuple[str, str]] = Counter()
    for position, issue in enumerate(world.issues, start=1):
        rolled = [book.at_depth(ids[code], depth) if code else None for code in given[issue.pk]]
        groups = Counter(state.category_id for state in rolled if state)
        left_open = rolled.count(None)
        if len(groups) + left_open < 2:
            assert issue.pk not in held
            assert is_unanimous(round_, issue.pk)
            continue
        row = held[issue.pk]
        assert not is_unanimous(round_, issue.pk)
        ordered = sorted(groups, key=lambda id_: (-groups[id_], book.states[id_].position))
        sizes = sorted([*groups.values(), *[1] * left_open], reverse=True)
        assert (row.position, row.chosen, row.votes, row.open_labels) == (
            position, ordered, [groups[id_] for id_ in ordered], left_open,
        )  # fmt: skip
        assert row.ways == len(groups) + left_open
        assert row.margin == (sizes[0] - sizes[1] if groups else 0)
        level = next(
            (n for n in range(1, depth + 1) if len({book.at_depth(id_, n).code for id_ in groups}) > 1), None
        )
        assert row.parts_at == level
        apart = set()
        if groups and sizes[0] > sizes[1]:
            apart = {
                member.pk
                for member, state in zip(world.members, rolled, strict=True)
                if state is None or state.category_id != ordered[0]
            }
        assert set(row.apart) == apart
        codes = [book.states[id_].code for id_ in sorted(groups, key=lambda id_: book.states[id_].position)]
        met.update(combinations(codes, 2))
    assert {(one.first, one.second): one.issues for one in confusion(round_, depth, None)} == dict(met)


@pytest.mark.world(issues=2, members=1)
def test_a_single_open_label_waits_for_a_decision(world):
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "?Farm")
    factories.add_label(round_, world.issues[1], world.members[0], "C.1")
    note_disagreements(round_)

    assert _listed(round_) == [world.issues[0]]
    assert splits(round_, Narrowing(), None) == [((1,), 1)]
    assert _listed(round_, split=(1,)) == [world.issues[0]]
    assert not is_unanimous(round_, world.issues[0].pk)
    assert world.settle(round_, world.issues[0], "C.9").method == "lead"
