"""Proposals put to the vote: who may vote, what the ballots come to, and what the database refuses."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from uuid import uuid4

import pgtrigger
import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone, translation

from core import clock
from studies.models import Membership, Role
from taxonomy import errors
from taxonomy.actions import act, cast, close_due, create_taxonomy, publish, set_rule, withdraw
from taxonomy.actions.motions import MOST_DAYS
from taxonomy.models import Ballot, Motion, Taxonomy
from taxonomy.queries.drafts import drafted
from taxonomy.tree import read_csv
from taxonomy.tree.drafts import ADD, DESCRIBE, MERGE, RETIRE, SPLIT
from tests.factories import make_member, make_study, propose
from tests.races import at_once
from tests.taxonomy.trees import key, lines

pytestmark = pytest.mark.django_db

CSV = """code,level,name,definition
C,type,Bug,
C.1,theme,Memory,Memory is lost.
C.1.i,sub-theme,Leaks,
C.2,theme,Speed,
"""
FOR, AGAINST, ABSTAIN = "for", "against", "abstain"


@pytest.fixture
def taxonomy() -> Taxonomy:
    return create_taxonomy(study=make_study(), name="Cause", tree=read_csv(CSV), by=None).taxonomy


@pytest.fixture
def people(taxonomy: Taxonomy) -> list[Membership]:
    """An owner, a lead and a volunteer; and a viewer and a model, who do not vote."""
    study = taxonomy.study
    made = [make_member(study, role) for role in (Role.OWNER, Role.LEAD, Role.VOLUNTEER)]
    make_member(study, Role.VIEWER)
    make_member(study, Role.MODEL)
    return made


def opened(taxonomy: Taxonomy, by: Membership, kind: str = ADD, code: str = "", **given) -> Motion:
    """A motion, by itself for a new category below C. `code` is that of the category it is about."""
    values = given.pop("values", {"parent": key(taxonomy, "C"), "name": "Docs"} if kind == ADD else {})
    return propose(taxonomy, by, kind, code, values=values, **given)


def voted(motion: Motion, people: list[Membership], *choices: str) -> Motion:
    for member, choice in zip(people, choices, strict=False):
        motion = cast(motion=motion, member=member, choice=choice)
    return motion


@pytest.fixture
def later() -> Iterator[datetime]:
    """The actions' clock stands a week and a minute from now."""
    moment = timezone.now() + timedelta(days=7, minutes=1)
    with clock.at(moment):
        yield moment


# What is put to the vote


def test_those_vote_who_label_in_the_study(taxonomy, people):
    motion = opened(taxonomy, people[2])

    assert [ballot.member for ballot in motion.ballots.order_by("pk")] == people
    assert (motion.number, motion.title) == (1, "New below C Bug: Docs")
    assert (motion.electorate, motion.quorum) == (3, 3)
    assert opened(taxonomy, people[2], RETIRE, "C.2").quorum == 2
    assert lines(taxonomy)[-1] == "C.2 Speed"


def test_what_the_draft_would_not_take_is_not_put_to_the_vote(taxonomy, people):
    with pytest.raises(errors.ChangeRefused) as refused:
        opened(taxonomy, people[0], values={"parent": key(taxonomy, "C"), "name": "memory"})

    assert "C.1 has the same parent and the same name" in str(refused.value)
    assert not Motion.objects.exists()


@pytest.mark.parametrize(
    "given",
    [
        {"reasons": " "},
        {"deadline": timezone.now() - timedelta(minutes=1)},
        {"deadline": timezone.now() + timedelta(days=MOST_DAYS, hours=1)},
        {"quorum": 4},
        {"quorum": 0},
    ],
)
def test_a_motion_needs_reasons_a_deadline_to_come_and_a_quorum_that_can_be_met(taxonomy, people, given):
    with pytest.raises(errors.NotProposable):
        opened(taxonomy, people[0], **given)

    assert not Motion.objects.exists()


def test_who_comes_after_the_opening_does_not_vote(taxonomy, people):
    motion = opened(taxonomy, people[0])
    late = make_member(taxonomy.study)

    with pytest.raises(errors.NoBallot):
        cast(motion=motion, member=late, choice=FOR)
    with pytest.raises(DatabaseError, match="settled"), transaction.atomic():
        Ballot.objects.create(motion=motion, member=late)


# What the ballots come to


@pytest.mark.parametrize(
    ("kind", "by_majority", "choices", "outcome"),
    [
        (ADD, False, (FOR, FOR, FOR), "accepted"),
        (ADD, False, (FOR, FOR, ABSTAIN), "declined"),
        (SPLIT, False, (FOR, FOR, FOR), "accepted"),
        (RETIRE, False, (FOR, FOR, ABSTAIN), "accepted"),
        (RETIRE, False, (FOR, ABSTAIN, ABSTAIN), "declined"),
        (ADD, False, (FOR, FOR, AGAINST), "declined"),
        (ADD, True, (FOR, FOR, AGAINST), "declined"),
        (SPLIT, True, (FOR, FOR, AGAINST), "declined"),
        (RETIRE, False, (FOR, FOR, AGAINST), "declined"),
        (RETIRE, True, (FOR, FOR, AGAINST), "accepted"),
        (RETIRE, True, (FOR, ABSTAIN, ABSTAIN), "declined"),
        (RETIRE, True, (FOR, AGAINST, ABSTAIN), "declined"),
    ],
)
def test_the_last_ballot_decides(taxonomy, people, kind, by_majority, choices, outcome):
    set_rule(taxonomy=taxonomy, by=people[0], by_majority=by_majority)
    taxonomy.refresh_from_db()
    values = {ADD: {"name": "Docs"}, SPLIT: {"parts": [{"name": "Docs"}]}, RETIRE: {}}[kind]
    motion = opened(taxonomy, people[0], kind, "" if kind == ADD else "C.2", values=values)

    motion = voted(motion, people, *choices)

    assert motion.outcome == outcome
    assert (motion.in_favour, motion.against, motion.abstained) == tuple(
        choices.count(choice) for choice in (FOR, AGAINST, ABSTAIN)
    )
    assert (motion.change is not None) == (outcome == "accepted")


def test_what_is_accepted_is_a_change_in_the_draft(taxonomy, people):
    motion = voted(opened(taxonomy, people[0]), people, FOR, FOR, FOR)

    assert lines(taxonomy)[-1] == "C.3 Docs"
    assert motion.change == drafted(taxonomy).changes[-1]
    assert motion.change.made_by is None
    assert str(motion.change.key) == str(motion.key)


def test_what_can_no_longer_be_made_is_accepted_and_says_why(taxonomy, people):
    values = {"into": key(taxonomy, "C.1")}
    motion = opened(taxonomy, people[0], MERGE, "C.2", values=values)
    act(taxonomy=taxonomy, kind=RETIRE, key=key(taxonomy, "C.2"), values={}, by=None)

    motion = voted(motion, people, FOR, FOR, FOR)

    assert (motion.outcome, motion.change) == ("accepted", None)
    assert motion.refused == (
        "Not possible: C.2 no longer exists because the category was retired. Nothing was changed."
    )


def test_what_the_draft_says_already_is_no_change(taxonomy, people):
    motion = opened(taxonomy, people[0], DESCRIBE, "C.2", values={"name": "Pace"})
    act(taxonomy=taxonomy, kind=DESCRIBE, key=key(taxonomy, "C.2"), values={"name": "Pace"}, by=None)

    motion = voted(motion, people, FOR, FOR, FOR)

    assert (motion.outcome, motion.change, motion.refused) == (
        "accepted",
        None,
        "The draft already contains this change.",
    )


def test_a_ballot_can_be_changed_while_the_vote_is_open(taxonomy, people):
    motion = opened(taxonomy, people[0])
    cast(motion=motion, member=people[0], choice=AGAINST, argument="No.")
    cast(motion=motion, member=people[0], choice=FOR, argument=" Well, yes. ")

    motion = voted(motion, people[1:], FOR, FOR)

    assert motion.outcome == "accepted"
    assert Ballot.objects.get(motion=motion, member=people[0]).argument == "Well, yes."
    with pytest.raises(errors.MotionClosed):
        cast(motion=motion, member=people[0], choice=AGAINST)


# The deadline


@pytest.mark.parametrize(
    ("kind", "choices", "outcome"),
    [
        (RETIRE, (FOR,), "no quorum"),
        (RETIRE, (FOR, FOR), "accepted"),
        (RETIRE, (FOR, AGAINST), "declined"),
        (ADD, (FOR, FOR), "no quorum"),
    ],
)
def test_after_the_deadline_those_count_who_have_voted(taxonomy, people, kind, choices, outcome, request):
    code = "C.2" if kind == RETIRE else ""
    motion = voted(opened(taxonomy, people[0], kind, code), people, *choices)
    assert (motion.is_open, close_due()) == (True, 0)
    moment = request.getfixturevalue("later")

    # What is due is looked for by the clock of the actions.
    assert close_due(taxonomy) == 1
    assert close_due(taxonomy) == 0

    motion.refresh_from_db()
    assert (motion.outcome, motion.closed_at) == (outcome, moment)


def test_a_ballot_after_the_deadline_is_not_taken_and_closes_the_vote(taxonomy, people, request):
    motion = voted(opened(taxonomy, people[0], RETIRE, "C.2"), people, FOR, FOR)
    request.getfixturevalue("later")

    motion = cast(motion=motion, member=people[2], choice=AGAINST)

    assert (motion.outcome, motion.in_favour, motion.against) == ("accepted", 2, 0)
    assert Ballot.objects.get(motion=motion, member=people[2]).choice == ""


# Withdrawn, published


def test_who_made_it_withdraws_it_and_nobody_else(taxonomy, people):
    motion = voted(opened(taxonomy, people[2]), people, FOR)

    with pytest.raises(errors.NotOwnMotion):
        withdraw(motion=motion, by=people[0])
    motion = withdraw(motion=motion, by=people[2])

    assert (motion.outcome, motion.in_favour, motion.change) == ("withdrawn", 1, None)
    with pytest.raises(errors.MotionClosed):
        withdraw(motion=motion, by=people[2])


def test_a_version_is_published_when_all_is_decided(taxonomy, people):
    act(taxonomy=taxonomy, kind=RETIRE, key=key(taxonomy, "C.2"), values={}, by=None)
    motion = opened(taxonomy, people[0])

    with pytest.raises(errors.MotionsOpen, match="The vote on proposal 1 is still open"):
        publish(taxonomy=taxonomy, by=None)
    voted(motion, people, FOR, FOR, AGAINST)

    assert publish(taxonomy=taxonomy, by=None).number == 2


# What the database refuses


def test_the_database_counts_for_itself(taxonomy, people):
    motion = voted(opened(taxonomy, people[0], RETIRE, "C.2"), people, FOR, FOR)
    rows = Motion.objects.filter(pk=motion.pk)
    told = {"closed_at": motion.deadline, "in_favour": 2, "against": 0, "abstained": 0, "refused": "Why."}
    for wrong, why in (
        ({"outcome": "accepted", "in_favour": 3}, "counts its ballots"),
        ({"outcome": "accepted", "closed_at": motion.opened_at}, "may still vote"),
        ({"outcome": "declined", "refused": ""}, "say otherwise"),
        ({"outcome": "no quorum", "refused": ""}, "say otherwise"),
    ):
        with pytest.raises(DatabaseError, match=why), transaction.atomic():
            rows.update(**(told | wrong))

    rows.update(**told, outcome="accepted")
    new = voted(opened(taxonomy, people[0]), people, FOR, FOR, ABSTAIN)
    assert new.outcome == "declined"
    with pytest.raises(IntegrityError, match="need_all_votes"), transaction.atomic():
        Motion.objects.create(
            taxonomy=taxonomy, number=9, kind=ADD, key=uuid4(), title="New", reasons="Why", opened_by=people[0],
            opened_at=motion.opened_at, deadline=motion.deadline, electorate=3, quorum=2,
        )  # fmt: skip


def test_a_new_category_that_one_has_not_voted_for_is_not_accepted_by_the_database(taxonomy, people):
    motion = voted(opened(taxonomy, people[0]), people, FOR, FOR)
    told = {"closed_at": motion.deadline, "in_favour": 2, "against": 0, "abstained": 0, "refused": "Why."}

    with pytest.raises(DatabaseError, match="say otherwise"), transaction.atomic():
        Motion.objects.filter(pk=motion.pk).update(**told, outcome="accepted")


def test_what_was_voted_stays(taxonomy, people):
    motion = opened(taxonomy, people[0])
    other = opened(taxonomy, people[0], values={"name": "Other"})
    ballots = Ballot.objects.filter(motion=motion, member=people[0])
    with pytest.raises(DatabaseError, match="stays"), transaction.atomic():
        Motion.objects.filter(pk=motion.pk).update(reasons="Others.")
    with pytest.raises(DatabaseError, match="in time"), transaction.atomic():
        ballots.update(choice=FOR, cast_at=motion.deadline)
    with pytest.raises(DatabaseError, match="keeps motion"), transaction.atomic():
        ballots.update(motion=other)
    voted(motion, people, FOR, FOR, FOR)
    for act_ in (
        lambda: Motion.objects.filter(pk=motion.pk).update(refused="Why."),
        lambda: Motion.objects.filter(pk=motion.pk)._raw_delete("default"),
        lambda: ballots.update(choice=AGAINST),
        lambda: ballots._raw_delete("default"),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            act_()


# Races


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_last_vote_and_the_deadline_have_one_outcome(taxonomy, people):
    for place in range(4):
        motion = opened(taxonomy, people[0], values={"parent": key(taxonomy, "C"), "name": f"New {place}"})
        voted(motion, people, FOR, FOR)
        deadline = timezone.now() + timedelta(milliseconds=50)
        with pgtrigger.ignore():
            Motion.objects.filter(pk=motion.pk).update(deadline=deadline)

        def wait_and(function, until=deadline):
            while timezone.now() < until - timedelta(milliseconds=3):
                pass
            return function()

        cast_, *_closed = at_once(
            lambda motion=motion: wait_and(lambda: cast(motion=motion, member=people[2], choice=AGAINST)),
            lambda: wait_and(lambda: [close_due() for _ in range(8)]),
            lambda: wait_and(lambda: [close_due() for _ in range(8)]),
        )
        while timezone.now() < deadline:
            pass
        close_due()

        motion.refresh_from_db()
        is_in = Ballot.objects.get(motion=motion, member=people[2]).choice == AGAINST
        assert (motion.outcome, motion.against) == (("declined", 1) if is_in else ("no quorum", 0))
        assert isinstance(cast_, errors.MotionClosed) or cast_.closed_at == motion.closed_at
        assert not [line for line in lines(taxonomy) if line.endswith(f"New {place}")]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_last_two_votes_at_once_close_it_once(taxonomy, people):
    motion = voted(opened(taxonomy, people[0]), people, FOR)

    first, second = at_once(
        lambda: cast(motion=motion, member=people[1], choice=FOR),
        lambda: cast(motion=motion, member=people[2], choice=FOR),
    )

    assert sorted([first.is_open, second.is_open]) == [False, True]
    motion.refresh_from_db()
    assert (motion.outcome, motion.in_favour, len(drafted(taxonomy).changes)) == ("accepted", 3, 1)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_withdrawal_and_the_last_vote_have_one_outcome(taxonomy, people):
    motion = voted(opened(taxonomy, people[0]), people, FOR, FOR)

    withdrawn, last = at_once(
        lambda: withdraw(motion=motion, by=people[0]),
        lambda: cast(motion=motion, member=people[2], choice=FOR),
    )

    motion.refresh_from_db()
    is_in = isinstance(withdrawn, errors.MotionClosed)
    assert isinstance(last, errors.MotionClosed) != is_in
    assert (motion.outcome, motion.in_favour) == (("accepted", 3) if is_in else ("withdrawn", 2))


def test_the_title_is_in_the_language_of_its_reader(taxonomy, people):
    with translation.override("zh-hans"):
        split = opened(
            taxonomy, people[0], SPLIT, "C.1", values={"parts": [{"name": "Leaks"}, {"name": "Corruption"}]}
        )
    new, merged = (
        opened(taxonomy, people[0]),
        opened(taxonomy, people[1], MERGE, "C.2", values={"into": key(taxonomy, "C.1")}),
    )
    read = {}
    for language in ("en", "zh-hans"):
        with translation.override(language):
            read[language] = [Motion.objects.get(pk=one.pk).heading for one in (split, new, merged)]
    assert read["en"] == [
        "Split C.1 Memory: Leaks, Corruption",
        "New below C Bug: Docs",
        "Merge C.2 Speed into C.1 Memory",
    ]
    assert all(theirs != ours for theirs, ours in zip(read["zh-hans"], read["en"], strict=True))
    assert split.title == read["zh-hans"][0]
    assert Motion(title="Neu").heading == "Neu", "an older motion has its title alone"
    with pytest.raises(DatabaseError), transaction.atomic():
        Motion.objects.filter(pk=new.pk).update(names={})
