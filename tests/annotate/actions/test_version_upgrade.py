"""Rounds go on with a new version: what labels say then, and who looks at what again."""

import pytest
from django.db import DatabaseError, connection, transaction
from django.urls import reverse
from django.utils import translation

from annotate.actions import version_upgrade
from annotate.actions.rounds import close_round
from annotate.errors import LabelRevealed
from annotate.models import Draft
from annotate.queries.second_looks import before, lost_labels, revealed_in_open_rounds
from annotate.queries.turns import current_turn
from consensus.models import Decision, Disagreement
from consensus.models.platform_reasons import told
from consensus.queries.confusion import confusion, splits
from consensus.queries.disagreement_filters import Narrowing
from ingest.models import Issue
from reports.agreement_report import agreement_report
from rounds import errors
from rounds.models import Assignment, CurrentLabel, Label, Round, RoundIssue
from taxonomy.actions import act, publish
from taxonomy.actions.answers import answer
from taxonomy.models import Category, Version
from taxonomy.queries.codebooks import codebook
from taxonomy.queries.drafts import drafted
from taxonomy.queries.neighbours import neighbours
from taxonomy.tree.drafts import ADD, DESCRIBE, MERGE, MOVE, RETIRE, SPLIT
from tests import factories
from tests.kept import kept
from tests.worlds.pages import client, text_of
from tests.worlds.world import World, small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=5, members=3)]

SAID = (("C.1", "C.1", "C.1"), ("C.1", "C.2", "C.2"), ("C.2", "C.3", "C.3"), ("B.1", "C.9", "C.9"))


@kept
def labelled(world: World) -> tuple[World, Round]:
    return labelled_world(world)


def labelled_world(world: World) -> tuple[World, Round]:
    """Four issues with three labels each, one of them unanimous at C.1; the fifth has one label of three."""
    round_ = world.round()
    for issue, codes in zip(world.issues, SAID, strict=False):
        for member, code in zip(world.members, codes, strict=True):
            world.submit(round_, issue, member, code, summary=f"{code} by {member}")
    world.submit(round_, world.issues[4], world.members[0], "C.2")
    return world, round_


@kept
def retired(world: World) -> tuple[World, Round, Round, Issue]:
    return retired_world(world)


def retired_world(world: World) -> tuple[World, Round, Round, Issue]:
    """The same once C.9 is retired: R2 and R3 have a second look at the fourth issue."""
    world, round_ = labelled_world(world)
    change(world, RETIRE, "C.9")
    world.version = publication(world)
    return world, round_, Round.objects.get(of=round_), world.issues[3]


def change(world: World, kind: str, code: str, **values) -> None:
    taxonomy = world.version.taxonomy
    keys = {entry.code: entry.key for entry in drafted(taxonomy).draft}
    values = {
        name: keys.get(value, value) if name in {"into", "parent"} else value
        for name, value in values.items()
    }
    act(taxonomy=taxonomy, kind=kind, key=keys.get(code), values=values, by=None)


def publication(world: World, *again: str) -> Version:
    """The draft, published; the labels of these codes are asked for again."""
    keys = {entry.code: entry.key for entry in drafted(world.version.taxonomy).draft}
    asked = [keys[code] for code in again]
    return publish(
        taxonomy=world.version.taxonomy, by=world.lead.user, note="As the issues say.", again=asked
    )


def counted(round_: Round) -> int:
    """How many issues the agreement report counts."""
    round_.refresh_from_db()
    return agreement_report(round_).groups[0].agreement.issues


def said(round_: Round) -> list[list[str]]:
    """The codes that the labels of each issue say now, "" for none, in the order of issues and volunteers."""
    round_.refresh_from_db()
    states = codebook(round_.version_id).by_id
    found: dict[int, list[str]] = {}
    for issue, category in (
        CurrentLabel.objects.filter(round=round_)
        .order_by("issue", "volunteer")
        .values_list("issue", "category")
    ):
        found.setdefault(issue, []).append(states[category].code if category else "")
    return list(found.values())


def standing(round_: Round) -> dict[int, str]:
    """Issue id to the code of what stands decided."""
    round_.refresh_from_db()
    states = codebook(round_.version_id).by_id
    rows = RoundIssue.objects.filter(round=round_, decided__gt=0).order_by("position")
    return {row.issue_id: states[row.decided].code for row in rows}


def counters_are_right() -> bool:
    """Is what stands on the issues what labels and decisions say, when it is computed anew from these?"""
    stored = list(RoundIssue.objects.order_by("pk").values_list("labels", "decided"))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT CASE WHEN completed_at IS NULL THEN '' ELSE (rounds_labels_said(round_id, issue_id)).labels END,"
            " consensus_decided(round_id, issue_id) FROM rounds_roundissue ORDER BY id"
        )
        return stored == cursor.fetchall() and any(labels for labels, _decided in stored)


def test_a_merge_counts_at_once_and_rewrites_no_label(labelled):
    world, round_ = labelled
    chosen = list(Label.objects.order_by("pk").values_list("pk", "category", "version", "summary"))
    change(world, MERGE, "C.2", into="C.1")
    version = publication(world)
    round_.refresh_from_db()
    assert round_.version == version
    event = world.study.events.get(verb="rounds.followed")
    assert event.detail == {"round": round_.name, "before": 1, "version": 2, "again": 0}
    assert list(Label.objects.order_by("pk").values_list("pk", "category", "version", "summary")) == chosen
    assert said(round_) == [["C.1"] * 3, ["C.1"] * 3, ["C.1", "C.3", "C.3"], ["B.1", "C.9", "C.9"], ["C.1"]]
    assert standing(round_) == {world.issues[0].pk: "C.1", world.issues[1].pk: "C.1"}
    assert set(Disagreement.objects.values_list("issue", flat=True)) == {
        world.issues[2].pk,
        world.issues[3].pk,
    }
    rows = RoundIssue.objects.filter(round=round_).order_by("issue")
    one, three, nine, b = (world.category(code).pk for code in ("C.1", "C.3", "C.9", "B.1"))
    assert [row.labels for row in rows] == [
        f"{one} {one} {one}",
        f"{one} {one} {one}",
        f"{one} {three} {three}",
        f"{b} {nine} {nine}",
        "",
    ]
    assert not Round.objects.filter(kind=Round.Kind.LOOK).exists()


def test_pairs_and_splits_follow_a_version_with_as_many_disagreements(labelled):
    world, round_ = labelled

    def shown():
        round_.refresh_from_db()
        pairs = confusion(round_, round_.depth, world.lead)
        return {(one.first, one.second): one.issues for one in pairs}, splits(round_, Narrowing(), world.lead)

    two_to_one = [((2, 1), 3)]
    assert shown() == ({("C.1", "C.2"): 1, ("C.2", "C.3"): 1, ("B.1", "C.9"): 1}, two_to_one)
    change(world, MERGE, "C.9", into="C.3")
    world.version = publication(world)
    assert shown() == ({("C.1", "C.2"): 1, ("C.2", "C.3"): 1, ("B.1", "C.3"): 1}, two_to_one)
    change(world, RETIRE, "B.1")
    world.version = publication(world)
    look, fourth = Round.objects.get(of=round_), world.issues[3]
    world.submit(look, fourth, world.members[0], "A.2")
    assert shown() == ({("C.1", "C.2"): 1, ("C.2", "C.3"): 1, ("A.2", "C.3"): 1}, two_to_one)


def test_closed_rounds_and_trainings_keep_their_version(labelled):
    world, round_ = labelled
    training = world.round(kind=Round.Kind.TRAINING, pass_mark=70, opened=False)
    close_round(round_=round_, by=world.lead)
    planned = world.round(opened=False)
    change(world, MERGE, "C.2", into="C.1")
    version = publication(world)
    kept = {one.pk: one.version for one in Round.objects.filter(pk__in=[round_.pk, training.pk, planned.pk])}
    assert kept == {round_.pk: world.version, training.pk: world.version, planned.pk: version}
    assert said(round_)[1] == ["C.1", "C.2", "C.2"]


def test_a_round_that_is_deeper_than_the_new_version_keeps_its_own(world):
    round_ = world.round()
    for code in ("A.1", "A.2", "B.1", "B.2", "C.1", "C.2", "C.3", "C.9", "C.10"):
        change(world, RETIRE, code)
    publication(world)
    round_.refresh_from_db()
    assert round_.version == world.version


def test_what_was_retired_is_looked_at_again_by_exactly_who_chose_it(retired):
    world, round_, look, fourth = retired
    waits = set(Assignment.objects.filter(round=look).values_list("issue", "volunteer", "submitted_at"))
    assert waits == {(fourth.pk, member.pk, None) for member in world.members[1:]}
    place = RoundIssue.objects.get(round=round_, issue=fourth)
    assert (place.completed_at, place.was_completed_at is not None, place.labels) == (None, True, "")
    assert not Disagreement.objects.filter(issue=fourth).exists()
    assert counted(round_) == 3
    drafts = Draft.objects.filter(round=look).order_by("volunteer").values_list("category", "summary")
    assert list(drafts) == [(None, f"C.9 by {member}") for member in world.members[1:]]
    # What was revealed once stays, also for the database.
    with pytest.raises(DatabaseError, match="stays as it is"), transaction.atomic():
        Label.objects.filter(round=round_, issue=fourth).update(summary="else")


def test_a_second_look_is_given_like_any_label_and_the_issue_is_complete_with_the_last(retired):
    world, round_, look, fourth = retired
    first = world.submit(look, fourth, world.members[1], "B.1")
    assert (first.completed, RoundIssue.objects.get(round=round_, issue=fourth).completed_at) == (False, None)
    assert said(round_)[3] == ["B.1", "B.1", ""]
    last = world.submit(look, fourth, world.members[2], "B.1")
    assert last.completed
    assert RoundIssue.objects.get(round=round_, issue=fourth).completed_at is not None
    assert said(round_)[3] == ["B.1"] * 3
    assert standing(round_)[fourth.pk] == "B.1"
    assert Decision.objects.filter(issue=fourth).values_list("round", "method").get() == (
        round_.pk,
        "unanimous",
    )
    assert not Disagreement.objects.filter(round=look).exists()
    assert counted(round_) == 4
    own = Label.objects.filter(round=round_, issue=fourth).order_by("volunteer")
    codes = codebook(Version.objects.first()).by_id
    assert [codes[label.category_id].code for label in own] == ["B.1", "C.9", "C.9"]


def test_parts_of_a_split_that_still_differ_are_a_disagreement(labelled):
    world, round_ = labelled
    change(world, SPLIT, "C.9", parts=[{"name": "Nine"}, {"name": "Ten"}], stays=False)
    world.version = publication(world)
    look, fourth = Round.objects.get(of=round_), world.issues[3]
    nine, ten = (state.code for state in codebook(world.version).states if state.name in {"Nine", "Ten"})
    world.submit(look, fourth, world.members[1], nine)
    world.submit(look, fourth, world.members[2], ten)
    assert said(round_)[3] == ["B.1", nine, ten]
    row = Disagreement.objects.get(round=round_, issue=fourth)
    assert (row.ways, row.parts_at) == (3, 1)
    assert fourth.pk not in standing(round_)


def test_what_was_split_and_is_still_there_is_looked_at_again_too(labelled):
    world, round_ = labelled
    change(world, SPLIT, "C.9", parts=[{"name": "Ten"}], stays=True)
    world.version = publication(world)
    look, fourth = Round.objects.get(of=round_), world.issues[3]
    assert said(round_)[3] == ["B.1", "", ""]
    for member in world.members[1:]:
        world.submit(look, fourth, member, "C.9")
    assert said(round_)[3] == ["B.1", "C.9", "C.9"]
    change(world, DESCRIBE, "C.3", name="Other")
    publication(world)
    assert said(round_)[3] == ["B.1", "C.9", "C.9"]
    assert Round.objects.filter(of=round_).count() == 1


def test_a_decision_for_a_category_that_was_retired_is_open_again(labelled):
    world, round_ = labelled
    change(world, RETIRE, "C.1")
    world.version = publication(world)
    first = world.issues[0]
    gone = Decision.objects.get(round=round_, issue=first)
    assert gone.superseded_at is not None
    assert gone.superseded_why == "gone:v2:C.1 Name of C.1"
    assert gone.why_superseded == "Version 2 split or retired C.1 Name of C.1."
    with translation.override("zh-hans"):  # each reader reads it in their own language
        assert gone.why_superseded == "第2版拆分或停用了 C.1 Name of C.1。"
    assert standing(round_) == {}
    look = Round.objects.get(of=round_)
    for member in world.members:
        world.submit(look, first, member, "C.3")
    assert standing(round_) == {first.pk: "C.3"}


def test_a_move_that_parts_what_agreed_opens_it(world):
    """Two sub-themes of C.1 agree at the level of themes until one of them moves below A.2."""
    round_ = world.round(depth=2)
    change(world, ADD, "", parent="C.1", name="Second")
    world.version = publication(world)
    for member, code in zip(world.members, ("C.1.i", "C.1.i", "C.1.ii"), strict=True):
        world.submit(round_, world.issues[0], member, code)
    assert standing(round_) == {world.issues[0].pk: "C.1"}
    change(world, MOVE, "C.1.ii", parent="A.2")
    publication(world)
    assert standing(round_) == {}
    row = Disagreement.objects.get(round=round_)
    assert (row.ways, row.parts_at, row.votes) == (2, 1, [2, 1])


def test_an_open_form_is_stored_as_it_was_chosen(labelled):
    """Chosen under version 1, stored under version 1, shown under 2."""
    world, round_ = labelled
    seen = world.version.pk
    change(world, MERGE, "C.2", into="C.1")
    publication(world)
    stored = world.submit(round_, world.issues[4], world.members[1], "C.2", version=seen)
    assert (stored.label.category, stored.label.version_id) == (world.category("C.2"), seen)
    assert said(round_)[4] == ["C.1", "C.1"]


def test_a_category_that_vanished_under_their_hands_asks_again_and_keeps_the_text(labelled):
    world, round_ = labelled
    seen = world.version.pk
    change(world, RETIRE, "C.9")
    publication(world)
    with pytest.raises(errors.CategoryGone, match=r"C\.9 Name of C\.9") as refusal:
        world.submit(
            round_, world.issues[4], world.members[1], "C.9", version=seen, summary="typed at length"
        )
    assert refusal.value.is_kept
    assert refusal.value.kept == {"category": "C.9", "summary": "typed at length"}
    draft = Draft.objects.get(round=round_, volunteer=world.members[1])
    assert (draft.category, draft.summary) == (None, "typed at length")
    assert not Label.objects.filter(round=round_, issue=world.issues[4], volunteer=world.members[1]).exists()


def test_a_split_under_their_hands_asks_again_even_if_the_code_is_still_there(labelled):
    world, round_ = labelled
    seen = world.version.pk
    change(world, SPLIT, "C.9", parts=[{"name": "Ten"}], stays=True)
    now = publication(world).pk
    with pytest.raises(errors.CategoryGone):
        world.submit(round_, world.issues[4], world.members[1], "C.9", version=seen)
    world.submit(round_, world.issues[4], world.members[1], "C.9", version=now)


def test_a_version_that_the_round_never_had_is_refused(labelled):
    world, round_ = labelled
    other = small_world()
    with pytest.raises(errors.StaleVersion):
        world.submit(round_, world.issues[4], world.members[1], "C.2", version=other.version.pk)
    with pytest.raises(errors.UnknownCategory):
        other.submit(round_, world.issues[4], world.members[1], "C.2")


def test_a_draft_follows_what_its_category_became_and_asks_again_where_that_was_split(labelled):
    world, round_ = labelled
    for member, code in zip(world.members[1:], ("C.9", "C.3"), strict=True):
        world.draft(round_, world.issues[4], member, code, "half")
    change(world, SPLIT, "C.9", parts=[{"name": "Ten"}], stays=True)
    change(world, DESCRIBE, "C.3", name="Other")
    change(world, MERGE, "C.2", into="C.1")
    publication(world)
    drafts = Draft.objects.filter(round=round_).order_by("volunteer")
    assert list(drafts.values_list("category", "summary", "revision")) == [
        (None, "half", 1),
        (world.category("C.3").pk, "half", 1),
    ]
    merged = world.draft(round_, world.issues[4], world.members[1], "C.2", "half", revision=1)
    assert merged.category == world.category("C.2")


def test_a_label_that_is_not_revealed_is_changed_where_it_is(labelled):
    """The fifth issue has one label of three: nobody learns that its category was retired."""
    world, round_ = labelled
    change(world, RETIRE, "C.2")
    publication(world)
    look = Round.objects.get(of=round_)
    assert not look.round_issues.filter(issue=world.issues[4]).exists()
    world.change(round_, world.issues[4], world.members[0], "C.3")
    assert said(round_)[4] == ["C.3"]
    with pytest.raises(LabelRevealed):
        world.change(round_, world.issues[1], world.members[1], "C.3")


def test_a_second_look_begins_when_the_issue_is_complete(labelled):
    """The fifth issue has a label of C.9 before C.9 is retired, and gets the two others after it."""
    world, round_ = labelled
    world.submit(round_, world.issues[4], world.members[1], "C.9")
    change(world, RETIRE, "C.9")
    world.version = publication(world)
    fifth, look = world.issues[4], Round.objects.get(of=round_)
    assert set(look.round_issues.values_list("issue", flat=True)) == {world.issues[3].pk}
    last = world.submit(round_, fifth, world.members[2], "C.2")
    assert (last.completed, last.decision) == (False, None)
    place = RoundIssue.objects.get(round=round_, issue=fifth)
    assert (place.completed_at, place.was_completed_at) == (None, last.label.submitted_at)
    assert list(look.assignments.filter(issue=fifth).values_list("volunteer", flat=True)) == [
        world.members[1].pk
    ]
    world.submit(look, fifth, world.members[1], "C.2")
    place.refresh_from_db()
    assert place.completed_at is not None
    assert standing(round_)[fifth.pk] == "C.2"


def test_where_nothing_is_revealed_before_the_close_nobody_looks_again(world):
    round_ = world.round(reveal=Round.Reveal.ROUND_CLOSED)
    for member in world.members:
        world.submit(round_, world.issues[0], member, "C.9")
    change(world, RETIRE, "C.9")
    publication(world)
    assert not Round.objects.filter(of=round_).exists()
    assert said(round_) == [["", "", ""]]


def test_closing_the_second_look_leaves_out_what_was_not_given(retired):
    world, round_, look, fourth = retired
    world.submit(look, fourth, world.members[1], "B.1")
    close_round(round_=look, by=world.lead)
    place = RoundIssue.objects.get(round=round_, issue=fourth)
    b = world.category("B.1").pk
    assert (place.completed_at is not None, place.labels) == (True, f"{b} {b} 0")
    assert Disagreement.objects.get(round=round_, issue=fourth).open_labels == 1


def test_closing_the_round_closes_its_second_looks(retired):
    world, round_, look, fourth = retired
    close_round(round_=round_, by=world.lead)
    look.refresh_from_db()
    assert look.closed_at is not None
    b = world.category("B.1").pk
    assert RoundIssue.objects.get(round=round_, issue=fourth).labels == f"{b} 0 0"


def test_a_second_look_of_a_second_look(retired):
    world, round_, first, fourth = retired
    for member in world.members[1:]:
        world.submit(first, fourth, member, "C.10")
    assert said(round_)[3] == ["B.1", "C.10", "C.10"]
    change(world, RETIRE, "C.10")
    world.version = publication(world)
    second = Round.objects.filter(of=round_).latest("pk")
    assert second != first
    for member in world.members[1:]:
        world.submit(second, fourth, member, "B.1")
    assert said(round_)[3] == ["B.1"] * 3


def test_who_looks_again_is_told_what_they_said_and_what_became_of_it(labelled):
    world, round_ = labelled
    change(world, SPLIT, "C.9", parts=[{"name": "Nine"}, {"name": "Ten"}], stays=False)
    publication(world)
    look = Round.objects.select_related("version__taxonomy").get(of=round_)
    turn = current_turn(look, world.members[1])
    told = before(turn, look, world.members[1])
    assert (told.state.code, told.version, told.summary) == ("C.9", 1, "C.9 by R2")
    assert [state.name for state in told.became] == ["Nine", "Ten"]
    assert before(turn, round_, world.members[1]) is None


def test_no_category_is_a_former_one_by_mistake(labelled):
    """Each former category and its last state, over three versions, worked out by hand."""
    world, _round = labelled
    ids = {code: world.category(code).pk for code in ("C.1", "C.2", "C.3", "C.9", "C.10")}
    one = world.version
    change(world, MERGE, "C.2", into="C.1")
    change(world, RETIRE, "C.9")
    two = publication(world)
    change(world, MERGE, "C.1", into="C.3")
    change(world, SPLIT, "C.10", parts=[{"name": "New"}], stays=True)
    three = publication(world)
    states = codebook(three).by_id
    assert states.stands_as(ids["C.2"]) == states.stands_as(ids["C.1"], two.pk) == ids["C.3"]
    assert states.stands_as(ids["C.9"]) is None
    assert states.stands_as(ids["C.10"], two.pk) is None
    assert states.stands_as(ids["C.10"], three.pk) == states.stands_as(ids["C.10"]) == ids["C.10"]
    assert states[ids["C.9"]].name == "Name of C.9"
    assert codebook(two).by_id.stands_as(ids["C.2"], one.pk) == ids["C.1"]
    assert ids["C.2"] not in states
    assert states.knows(ids["C.2"])
    assert not states.knows(Category.objects.latest("pk").pk + 1)
    assert set(states.chosen_as([ids["C.3"]])) == {ids["C.3"], ids["C.1"], ids["C.2"]}


def test_what_stands_on_the_issues_is_what_labels_and_decisions_say(labelled):
    """After each of three versions and a second look."""
    world, round_ = labelled
    change(world, MERGE, "C.2", into="C.1")
    change(world, RETIRE, "C.9")
    world.version = publication(world)
    assert counters_are_right()
    for member in world.members[1:]:
        world.submit(Round.objects.get(of=round_), world.issues[3], member, "B.1")
    assert counters_are_right()
    change(world, SPLIT, "C.1", parts=[{"name": "New"}], stays=True)
    change(world, MERGE, "B.1", into="B.2")
    world.version = publication(world)
    assert counters_are_right()
    assert said(round_)[3] == ["B.2"] * 3


@pytest.mark.parametrize("is_answered_first", [False, True])
def test_an_issue_is_given_anew_twice_under_one_version(labelled, is_answered_first):
    """Because C.9 is retired; and because a name that an open label waits for is answered, after that or before."""
    world, round_ = labelled
    fifth = world.issues[4]
    world.submit(round_, fifth, world.members[1], "C.9")
    world.submit(round_, fifth, world.members[2], "?Docs")
    change(world, RETIRE, "C.9")
    world.version = publication(world)
    first, two = Round.objects.get(of=round_), world.category("C.2")
    if is_answered_first:
        answer(taxonomy=world.version.taxonomy, name="Docs", category=two, by=world.lead)
    world.submit(first, fifth, world.members[1], "C.2")
    assert said(round_)[4] == ["C.2", "C.2", ""]
    if not is_answered_first:
        answer(taxonomy=world.version.taxonomy, name="Docs", category=two, by=world.lead)
    second = Round.objects.filter(of=round_).latest("pk")
    assert second != first
    assert list(second.assignments.values_list("issue", "volunteer")) == [(fifth.pk, world.members[2].pk)]
    draft = Draft.objects.get(round=second)
    assert (draft.volunteer, draft.category) == (world.members[2], two)
    world.submit(second, fifth, world.members[2], "C.2")
    assert standing(round_)[fifth.pk] == "C.2"


def test_a_name_that_is_answered_is_chosen_already_for_who_has_not_been_seen(labelled):
    world, round_ = labelled
    world.submit(round_, world.issues[4], world.members[2], "?Docs")
    assert lost_labels(round_, world.members[2]) == []
    answer(taxonomy=world.version.taxonomy, name="Docs", category=world.category("C.2"), by=world.lead)
    assert not Round.objects.filter(of=round_).exists()
    [lost] = lost_labels(round_, world.members[2])
    assert (lost.label.issue, lost.last, lost.answer.code) == (world.issues[4], None, "C.2")
    assert lost_labels(round_, world.members[0]) == []


def test_a_name_answered_before_the_issue_is_complete_is_asked_for_as_it_is(labelled):
    """Its author did not move the label in time: the second look begins with the last label."""
    world, round_ = labelled
    fifth = world.issues[4]
    world.submit(round_, fifth, world.members[2], "?Docs")
    answer(taxonomy=world.version.taxonomy, name="Docs", category=world.category("C.2"), by=world.lead)
    last = world.submit(round_, fifth, world.members[1], "C.2")
    assert last.completed is False
    [draft] = Draft.objects.filter(round__of=round_)
    assert (draft.issue, draft.volunteer, draft.category) == (fifth, world.members[2], world.category("C.2"))
    world.submit(draft.round, fifth, world.members[2], "?Docs")  # who stays with it is not asked twice
    assert said(round_)[4] == ["C.2", "C.2", ""]
    assert Round.objects.filter(of=round_).count() == 1
    assert RoundIssue.objects.get(round=round_, issue=fifth).completed_at is not None


def test_labels_beside_a_new_category_are_asked_for_again_where_a_lead_asks(labelled):
    world, round_ = labelled
    change(world, ADD, "", parent="C", name="Docs")
    taxonomy = world.version.taxonomy
    beside = {one.entry.code: [new.name for new in one.new] for one in neighbours(drafted(taxonomy))}
    assert beside == {code: ["Docs"] for code in ("C.1", "C.2", "C.3", "C.9", "C.10")}
    assert revealed_in_open_rounds(world.version, world.lead) == {
        world.category(code).pk: n for code, n in (("C.1", 4), ("C.2", 3), ("C.3", 2), ("B.1", 1), ("C.9", 2))
    }
    world.version = publication(world, "C.3", "C.9", "B.1")  # B.1 is beside nothing new
    look = Round.objects.get(of=round_)
    asked = Assignment.objects.filter(round=look).order_by("issue", "volunteer")
    two, three = world.members[1:]
    third, fourth = world.issues[2], world.issues[3]
    assert list(asked.values_list("issue", "volunteer")) == [
        (third.pk, two.pk), (third.pk, three.pk), (fourth.pk, two.pk), (fourth.pk, three.pk),
    ]  # fmt: skip
    assert said(round_) == [["C.1"] * 3, ["C.1", "C.2", "C.2"], ["C.2", "", ""], ["B.1", "", ""], ["C.2"]]
    turn = current_turn(look, two)
    shown = before(turn, look, two)
    assert (shown.state.code, shown.is_there, shown.became) == ("C.3", True, ())
    event = world.study.events.get(verb="taxonomies.asked_again")
    assert event.detail["categories"] == ["C.3", "C.9"]
    # The same again counts, and so does the new one.
    new = codebook(world.version).by_code["C.11"].code
    for issue, codes in ((third, ("C.3", new)), (fourth, (new, "C.9"))):
        for member, code in zip((two, three), codes, strict=True):
            world.submit(look, issue, member, code)
    assert said(round_) == [
        ["C.1"] * 3, ["C.1", "C.2", "C.2"], ["C.2", "C.3", new], ["B.1", new, "C.9"], ["C.2"],
    ]  # fmt: skip
    assert counters_are_right()
    assert set(Disagreement.objects.values_list("issue", flat=True)) == {
        world.issues[1].pk, third.pk, fourth.pk,
    }  # fmt: skip
    # Labels of before keep their category in the report of first labels, and the old version its numbers.
    assert Label.objects.filter(round=round_, category=world.category("C.3")).count() == 2


def test_a_second_look_does_not_tell_of_a_split_from_before_the_label(labelled):
    world, round_ = labelled
    change(world, SPLIT, "C.9", parts=[{"name": "Ten"}], stays=True)
    world.version = publication(world)
    fourth, fifth = world.issues[3:5]
    look, two, three = Round.objects.get(of=round_), *world.members[1:]
    for member in (two, three):
        world.submit(look, fourth, member, "C.9")
        world.submit(round_, fifth, member, "C.9")
    change(world, ADD, "", parent="C", name="Docs")
    publication(world, "C.9")
    look = Round.objects.filter(of=round_).latest("pk")
    turn = current_turn(look, two)
    if turn.issue == fourth:  # the order is each volunteer's own
        world.submit(look, fourth, two, "C.9")
        turn = current_turn(look, two)
    shown = before(turn, look, two)
    assert (turn.issue, shown.state.code, shown.is_there, shown.became) == (fifth, "C.9", True, ())


def test_a_decision_beside_a_new_category_says_why_it_ended(labelled):
    world, round_ = labelled
    world.settle(round_, world.issues[2], "C.3")
    change(world, ADD, "", parent="C", name="Docs")
    world.version = publication(world, "C.3")
    ended = Decision.objects.get(issue=world.issues[2])
    assert told(ended.superseded_why) == (
        "Version 2 has new categories beside C.3 Name of C.3 and asks for its labels again."
    )


def test_nothing_is_asked_for_again_unless_a_lead_asks(labelled):
    world, round_ = labelled
    change(world, ADD, "", parent="C", name="Docs")
    world.version = publication(world)
    assert not Round.objects.filter(of=round_).exists()
    assert [len(issue) for issue in said(round_)] == [3, 3, 3, 3, 1]
    assert not any("" in codes for codes in said(round_))


def test_labels_of_closed_rounds_are_not_asked_for_again_and_the_pages_say_so(labelled):
    world, round_ = labelled
    close_round(round_=round_, by=world.lead)
    change(world, ADD, "", parent="C", name="Docs")
    publication(world, "C.9")
    assert not Round.objects.filter(of=round_).exists()
    shown = text_of(client(world.lead).get(reverse("taxonomy", args=[world.version.taxonomy_id])))
    assert "2 labels are not counted in this version" in shown
    assert "their categories were split or retired, or got new categories beside them." in shown
    assert "chosen again" not in shown


def test_what_is_not_revealed_is_asked_for_again_in_private(labelled):
    world, round_ = labelled
    change(world, ADD, "", parent="C", name="Docs")
    world.version = publication(world, "C.2")
    round_.refresh_from_db()
    [lost] = lost_labels(round_, world.members[0])
    assert (lost.label.issue, lost.last.code, lost.is_there) == (world.issues[4], "C.2", True)
    world.change(round_, world.issues[4], world.members[0], "C.2")
    assert lost_labels(round_, world.members[0]) == []


def test_a_page_from_before_is_told_that_a_category_is_asked_for_again(labelled):
    world, round_ = labelled
    seen = world.version.pk
    change(world, ADD, "", parent="C", name="Docs")
    publication(world, "C.9")
    with pytest.raises(errors.CategoryGone) as refusal:
        world.submit(round_, world.issues[4], world.members[1], "C.9", version=seen)
    assert str(refusal.value.message).startswith(
        "The new version of the taxonomy has split C.9 Name of C.9, or has new categories beside it."
    )


def test_a_new_sub_theme_is_beside_its_siblings_or_its_theme(labelled):
    world, _round = labelled
    change(world, ADD, "", parent="C.2", name="First below")
    change(world, ADD, "", parent="C.1", name="Another below")
    change(world, SPLIT, "C.9", parts=[{"name": "Left"}], stays=True)
    found = {
        one.entry.code: [new.name for new in one.new] for one in neighbours(drafted(world.version.taxonomy))
    }
    below = [entry.code for entry in drafted(world.version.taxonomy).draft if entry.code.startswith("C.1.")]
    assert found == {"C.2": ["First below"]} | {code: ["Another below"] for code in below[:-1]}


def test_the_version_that_lost_a_category_is_told_to_a_round_that_skipped_it(labelled):
    world, _round = labelled
    first, taxonomy = world.version, world.version.taxonomy
    ids = {code: factories.category(first, code).pk for code in ("C.1", "C.2", "C.3", "C.9", "B.1")}
    change(world, RETIRE, "C.1")
    change(world, MERGE, "C.2", into="C.3")
    second = publication(world)
    change(world, SPLIT, "C.3", parts=[{"name": "Nine"}, {"name": "Ten"}], stays=False)
    change(world, ADD, "", parent="C", name="Docs")
    third = publication(world, "C.9")
    assert taxonomy.versions.count() == 3

    lost = {code: version_upgrade._lost_in(pk, first.pk, third) for code, pk in ids.items() if code != "B.1"}

    assert lost == {"C.1": (2, True), "C.2": (3, True), "C.3": (3, True), "C.9": (3, False)}
    assert version_upgrade._lost_in(ids["C.1"], first.pk, second) == (2, True)
