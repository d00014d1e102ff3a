"""Who changed their mind, and agreement with the last ballots, against what was counted by hand."""

import pytest
from django.urls import reverse
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from consensus.actions.meetings import close_meeting
from consensus.actions.votes import close_vote, open_vote
from consensus.models import Disagreement, Meeting
from consensus.queries.changed_votes import (
    ABSTAINED,
    AWAY,
    JOINED,
    KEPT,
    NONE_FITS,
    CategoryChange,
    changed_votes,
)
from reports.agreement_report import LevelTooDeep, agreement_report
from reports.queries.before_after import before_and_after, with_rows
from reports.queries.label_tuples import tuples
from rounds.models import Label, Round
from rounds.queries.categories import categories_of
from taxonomy.models import Level
from tests.kept import kept
from tests.long import only_long
from tests.worlds.looks import split_and_look_again
from tests.worlds.meeting import MeetingWorld, meeting_world
from tests.worlds.pages import client
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db

ROWS = (
    "C.9 C.9 C.9 C.9 C.1 C.1 C.1",
    "C.9 C.1 C.9 C.1 C.9 C.1 C.9",
    "B.1 B.1 B.1 B.2 B.2 B.2 B.2",
    "C.2 C.2 C.2 C.9 C.9 A.1 A.1",
    "B.2 B.2 B.2 B.2 B.2 B.2 B.2",
)
LAST = {0: "C.9 C.9 C.9 C.9 C.9 C.9 -", 1: "C.1 C.1 C.9 C.9 A.1 - C.9", 3: "C.9 C.2 C.2 C.9 C.9 C.9 A.1"}


@kept
def world():
    return meeting_world(issues=5, members=7, rows=ROWS)


def _vote(world, number, codes):
    """A vote on one item, which closes as everybody who is there has voted: the lead does not vote."""
    vote = world.vote(world.items[number], *codes.split())
    vote.refresh_from_db()
    if vote.closed_at is None:
        close_vote(vote=vote, by=world.lead)


@kept
def voted(world):
    """All of LAST; on the second issue after an earlier vote; on the third a vote that is open still."""
    world.plan()
    world.arrive()
    _vote(world, 1, "C.1 C.1 C.1 C.1 C.1 C.1 C.1")
    for number, codes in LAST.items():
        _vote(world, number, codes)
    open_vote(item=world.items[2], by=world.lead)
    world.ballot(world.items[2], world.members[0], "B.2")
    return world


def _labels(world):
    """What was labelled, as codes, an issue per row."""
    found = Label.objects.filter(round=world.round_).order_by("issue", "volunteer")
    codes = {state.category_id: state.code for state in world.version.states.all()}
    rows = {}
    for label in found:
        rows.setdefault(label.issue_id, []).append(codes[label.category_id])
    return list(rows.values())


def _kappa(rows):
    table, _categories = aggregate_raters(rows)
    return fleiss_kappa(table)


def test_before_any_vote_nobody_changed_their_mind(world):
    found = changed_votes(world.round_, world.lead)
    assert (found.moves, found.minds, found.turns, found.issues, found.others) == ((), (), (), 0, 0)
    both = before_and_after(world.round_, world.lead)
    assert both.before.as_dict() == both.after.as_dict()
    assert (both.voted, both.replaced, both.changed, both.withheld) == (0, 0, 0, 0)


def test_each_last_ballot_is_held_against_the_own_label(voted):
    found = changed_votes(voted.round_, voted.lead)
    assert [
        (str(mind.member), mind.voted, mind.kept, mind.joined, mind.away, mind.abstained)
        for mind in found.minds
    ] == [
        # label -> last ballot on the issues 1, 2 and 4
        ("R1", 3, 1, 0, 2, 0),  # C.9 C.9, C.9 C.1, C.2 C.9
        ("R2", 3, 3, 0, 0, 0),  # C.9 C.9, C.1 C.1, C.2 C.2
        ("R3", 3, 3, 0, 0, 0),  # C.9 C.9, C.9 C.9, C.2 C.2
        ("R4", 3, 2, 1, 0, 0),  # C.9 C.9, C.1 C.9, C.9 C.9
        ("R5", 3, 1, 1, 1, 0),  # C.1 C.9, C.9 A.1, C.9 C.9
        ("R6", 3, 0, 1, 1, 1),  # C.1 C.9, C.1 -,   A.1 C.9
        ("R7", 3, 2, 0, 0, 1),  # C.1 -,   C.9 C.9, A.1 A.1
    ]
    assert found.total == {"voted": 21, KEPT: 12, JOINED: 3, AWAY: 4, ABSTAINED: 2, NONE_FITS: 0}
    assert (found.issues, found.others) == (3, 0)


def test_changes_are_counted_by_pair_with_the_issues_behind(voted):
    one, two, _three, four, _five = (issue.pk for issue in voted.issues)
    assert list(changed_votes(voted.round_, voted.lead).turns) == [
        CategoryChange("C.1", "C.9", 3, (one, two)),
        CategoryChange("A.1", "C.9", 1, (four,)),
        CategoryChange("C.2", "C.9", 1, (four,)),
        CategoryChange("C.9", "A.1", 1, (two,)),
        CategoryChange("C.9", "C.1", 1, (two,)),
    ]


def test_a_tie_has_no_majority_to_join():
    world = meeting_world(issues=1, members=4, rows=("C.9 C.9 C.1 C.1",))
    world.plan(quorum=2)
    world.arrive()
    _vote(world, 0, "C.9 C.1 C.9 C.1")
    assert changed_votes(world.round_, world.lead).total == {
        "voted": 4,
        KEPT: 2,
        JOINED: 0,
        AWAY: 2,
        ABSTAINED: 0,
        NONE_FITS: 0,
    }


def test_who_missed_a_category_and_votes_for_one_has_changed_from_none():
    small = small_world(issues=1, members=4)
    round_, issue = small.round(), small.issues[0]
    for member, code in zip(small.members, ("?Farm", "C.9", "C.9", "?Barn"), strict=True):
        small.submit(round_, issue, member, code)
    world = MeetingWorld(**vars(small), round_=round_)
    world.plan(quorum=2)
    world.arrive()
    _vote(world, 0, "C.9 C.9 C.1 C.1")
    found = changed_votes(world.round_, world.lead)
    nine, one = world.category("C.9").pk, world.category("C.1").pk
    assert [(move.before, move.after, move.what) for move in found.moves] == [
        (None, nine, JOINED),
        (nine, nine, KEPT),
        (nine, one, AWAY),
        (None, one, AWAY),
    ]
    assert list(found.turns) == [
        CategoryChange("", "C.1", 1, (issue.pk,)),
        CategoryChange("", "C.9", 1, (issue.pk,)),
        CategoryChange("C.9", "C.1", 1, (issue.pk,)),
    ]


def test_who_had_not_labelled_the_issue_changes_no_mind(voted):
    voted.ballot(voted.items[2], voted.lead, "B.2")
    close_vote(vote=voted.items[2].votes.get(), by=voted.lead)
    found = changed_votes(voted.round_, voted.lead)
    assert (found.issues, found.others, found.total["voted"]) == (4, 1, 22)


def test_a_later_meeting_has_the_last_word(voted):
    close_vote(vote=voted.items[2].votes.get(), by=voted.lead)
    close_meeting(meeting=voted.meeting, by=voted.lead)
    voted.plan(kind=Meeting.Kind.PAIR, participants=voted.members[:2])
    item = next(item for item in voted.items if item.issue_id == voted.issues[0].pk)
    for member in voted.members[:2]:
        voted.ballot(item, member, "C.1")
    moves = {
        str(voted.members[place]): move.what
        for place in range(3)
        for move in changed_votes(voted.round_, voted.lead).moves
        if (move.issue, move.member) == (voted.issues[0].pk, voted.members[place].pk)
    }
    assert moves == {"R1": AWAY, "R2": AWAY, "R3": KEPT}


def test_labels_count_at_the_depth_of_the_round():
    world = meeting_world(issues=1, members=3, rows=("C.1.i C.1 C.2",))
    world.plan(quorum=2)
    world.arrive()
    _vote(world, 0, "C.1 C.1 C.1")
    assert [move.what for move in changed_votes(world.round_, world.lead).moves] == [KEPT, KEPT, JOINED]
    both = before_and_after(world.round_, world.lead)
    assert both.after.coefficients["percent_agreement"].value == 1


def test_agreement_is_what_statsmodels_says_of_both(voted):
    before = _labels(voted)
    after = [list(row) for row in before]
    for number, codes in LAST.items():
        for place, code in enumerate(codes.split()):
            if code != "-":
                after[number][place] = code
    both = before_and_after(voted.round_, voted.lead)
    assert both.before.coefficients["fleiss_kappa"].value == pytest.approx(_kappa(before), abs=1e-12)
    assert both.after.coefficients["fleiss_kappa"].value == pytest.approx(_kappa(after), abs=1e-12)
    assert (both.voted, both.replaced, both.changed, both.withheld) == (3, 19, 7, 0)


def test_the_independent_labels_stay_those_of_the_report(voted):
    report = agreement_report(voted.round_).overall
    both = before_and_after(voted.round_, voted.lead)
    assert both.before.as_dict() == report.as_dict()
    assert both.after.as_dict() != report.as_dict()
    assert {label for row in _labels(voted) for label in row} == {"C.9", "C.1", "B.1", "B.2", "C.2", "A.1"}


@only_long
def test_after_has_no_interval(voted):
    found = before_and_after(voted.round_, voted.lead).as_dict()
    assert {one["low"] for one in found["after"]["coefficients"].values()} == {None}
    assert {(one["se"], one["doubt"]) for one in found["after"]["coefficients"].values()} == {(None, None)}
    assert found["before"]["coefficients"]["fleiss_kappa"]["se"] > 0
    assert (found["level"], found["voted_issues"], found["replaced_labels"], found["changed_labels"]) == (
        "theme", 3, 19, 7,
    )  # fmt: skip


@only_long
def test_levels_down_to_that_of_the_round(voted):
    both = before_and_after(voted.round_, voted.lead, level=Level.TYPE)
    before = [[code[0] for code in row] for row in _labels(voted)]
    assert both.before.coefficients["fleiss_kappa"].value == pytest.approx(_kappa(before), abs=1e-12)
    # Of the seven that differ by theme, two go from one type to another: A.1 to C.9, and C.9 to A.1.
    assert (both.replaced, both.changed, both.as_dict()["changed_labels"]) == (19, 2, 2)
    with pytest.raises(LevelTooDeep):
        before_and_after(voted.round_, voted.lead, level=Level.SUB_THEME)


def test_what_is_withheld_is_in_no_number(voted):
    member = voted.members[0]
    voted.waits_for(member, *(voted.issues[place] for place in (1, 2, 4)))
    found = changed_votes(voted.round_, member)
    one, _two, _three, four, _five = (issue.pk for issue in voted.issues)
    assert {move.issue for move in found.moves} == {one, four}
    assert (found.issues, found.total["voted"]) == (2, 14)
    both = before_and_after(voted.round_, member)
    rows = _labels(voted)
    assert (both.voted, both.replaced, both.changed, both.withheld) == (2, 13, 4, 3)
    assert (both.before.issues, both.after.issues) == (2, 2)
    kept = [rows[0], rows[3]]
    assert both.before.coefficients["fleiss_kappa"].value == pytest.approx(_kappa(kept), abs=1e-12)
    assert changed_votes(voted.round_, voted.lead).issues == 3


def test_slots_and_people_who_came_later():
    """Where columns are slots, or issues have labels of different people, ballots go to their authors."""
    world = meeting_world(issues=2, members=3, rows=("C.9 C.9 C.1", "C.9 C.1 C.1"), labels_per_issue=3)
    Round.objects.filter(pk=world.round_.pk).update(allocation=Round.Allocation.K_OF_N)
    world.round_.refresh_from_db()
    world.plan(quorum=2)
    world.arrive()
    _vote(world, 0, "C.9 C.9 C.9")
    both = before_and_after(world.round_, world.lead)
    assert both.before.as_dict() == agreement_report(world.round_).overall.as_dict()
    rows = [["C.9", "C.9", "C.9"], ["C.9", "C.1", "C.1"]]
    assert both.after.coefficients["fleiss_kappa"].value == pytest.approx(_kappa(rows), abs=1e-12)


def test_tuples_with_more_issues_are_whole_and_no_others(voted):
    book = categories_of(voted.version.pk)
    kept = tuples(voted.round_, book, by_month=True)
    member, category = voted.members[0].pk, book.states[0].category_id
    more = with_rows(kept, [[(member, category)]], {member: 0}, book)
    rows = len(kept.counts) + 1
    assert {len(part) for part in (more.codes, more.counts, more.decided, more.repositories)} == {rows}
    assert more.months.tolist() == [*kept.months.tolist(), None]
    assert kept == tuples(voted.round_, book, by_month=True)
    assert more != kept


@pytest.mark.parametrize("issues", [1, 3])
def test_as_many_queries_for_any_number_of_votes(django_assert_num_queries, issues):
    world = meeting_world(issues=3, members=3, rows=("C.9 C.9 C.1", "C.9 C.1 C.1", "B.1 B.2 B.2"))
    world.plan(quorum=2)
    world.arrive()
    for number in range(issues):
        _vote(world, number, "C.9 C.9 C.9")
    with django_assert_num_queries(6):
        found = changed_votes(world.round_, world.lead)
    assert found.issues == issues
    with django_assert_num_queries(10):
        before_and_after(world.round_, world.lead, found=found)


def test_a_ballot_is_compared_with_the_label_at_the_vote(meeting_of_three):
    """What a second look gives later changes no ballot of the meeting before it."""
    world, before = meeting_of_three
    issue = world.issues[0]
    assert [(one.member, one.what) for one in before.moves] == [
        (member.pk, what) for member, what in zip(world.members, (KEPT, KEPT, JOINED), strict=True)
    ]
    assert (before.total["kept"], before_and_after(world.round_, world.lead).changed) == (2, 1)

    version = split_and_look_again(world, "C.9", "C.3")
    round_ = Round.objects.select_related("version").get(pk=world.round_.pk)
    found = changed_votes(round_, world.lead)
    assert [(one.member, one.what) for one in found.moves] == [(one.member, one.what) for one in before.moves]
    assert found.turns == (CategoryChange("C.1", "C.9@v1", 1, (issue.pk,)),)
    both = before_and_after(round_, world.lead)
    assert (both.replaced, both.changed) == (3, 1)
    assert both.before.as_dict() == agreement_report(round_).overall.as_dict()
    assert both.before.coefficients["percent_agreement"].value == pytest.approx(1 / 6)
    assert both.after.coefficients["percent_agreement"].value == pytest.approx(1 / 2)
    page = client(world.lead).get(reverse("consensus", args=[round_.pk])).content.decode()
    assert "C.9@v1" in page

    # In a meeting after the second look, ballots are compared with its labels.
    world.version = version
    world.plan()
    world.arrive()
    vote = world.vote(world.items[0], "C.3", "C.3", "C.3")
    close_vote(vote=vote, by=world.lead)
    again = changed_votes(round_, world.lead)
    assert [one.what for one in again.moves] == [KEPT, KEPT, JOINED]


def test_votes_stay_when_a_second_look_ends_the_disagreement(meeting_of_three):
    world, before = meeting_of_three
    split_and_look_again(world, "C.9", "C.1")
    round_ = Round.objects.select_related("version").get(pk=world.round_.pk)
    assert not Disagreement.objects.filter(round=round_, issue=world.issues[0]).exists()
    found = changed_votes(round_, world.lead)
    assert [(one.member, one.what) for one in found.moves] == [(one.member, one.what) for one in before.moves]
    assert before_and_after(round_, world.lead).replaced == 3


@pytest.fixture
def meeting_of_three():
    """Two disagreements of three volunteers, a meeting with a vote on the first one, and its changed votes."""
    world = meeting_world(issues=2, members=3, rows=("C.9 C.9 C.1", "C.1 C.9 C.2"))
    world.plan(quorum=2)
    world.arrive()
    vote = world.vote(world.items[0], "C.9", "C.9", "C.9")
    close_vote(vote=vote, by=world.lead)
    close_meeting(meeting=world.fresh(), by=world.lead)
    return world, changed_votes(world.round_, world.lead)
