"""A thread as one member reads it, in a fixed number of queries."""

import pytest

from annotate.actions.rounds import close_round
from consensus.actions.threads import say, see_mentions
from consensus.models import Comment, Mention
from consensus.queries.threads import may_read_thread, readable, thread, unseen_mentions
from core.text.mentions import Piece
from rounds.models import Round, RoundVolunteer
from rounds.queries.blindness import is_withheld, waits_elsewhere
from rounds.queries.categories import categories_of
from studies.models import Role
from tests import factories
from tests.kept import kept
from tests.worlds.pages import label_all
from tests.worlds.trained import training

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=3, members=3)]


@kept
def round_(world):
    round_ = world.round()
    label_all(world, round_, *["C.2 C.2 C.3"] * 2)
    return round_


def _say(world, round_, text, *, by=0, number=1, code=""):
    category = world.category(code) if code else None
    return say(
        round_=round_, issue=world.issues[number - 1], author=world.members[by], text=text, category=category
    )


def test_a_thread_says_who_when_and_for_what(world, round_):
    first = _say(world, round_, "Look, @R2", code="C.3")
    second = _say(world, round_, "No.", by=1)
    one, two = thread(round_, world.issues[0].pk, world.members[1])
    assert (one.id, one.author, one.is_own, one.code, one.category, one.type_place, one.said_at) == (
        first.pk, "R1", False, "C.3", "Name of C.3", 2, first.said_at,
    )  # fmt: skip
    assert (one.text, one.pieces, one.is_unseen) == ("Look, @R2", (Piece("Look, "), Piece("@R2", "R2")), True)
    assert (two.id, two.author, two.is_own, two.code, two.is_unseen) == (second.pk, "R2", True, "", False)

    see_mentions(member=world.members[1], issues=[world.issues[0].pk])
    assert [said.is_unseen for said in thread(round_, world.issues[0].pk, world.members[1])] == [False, False]


def test_names_are_for_those_who_work_together(world, round_):
    _say(world, round_, "No.")
    viewer = factories.make_member(world.study, Role.VIEWER, pseudonym="V1")
    issue = world.issues[0].pk
    assert [said.name for said in thread(round_, issue, world.lead)] == [world.members[0].user.name]
    assert [said.name for said in thread(round_, issue, viewer)] == ["R1"]


def test_a_thread_is_empty_for_who_may_not_read_it(world, round_):
    _say(world, round_, "No.")
    issue = world.issues[0].pk
    readers = {
        "volunteer": world.members[2],
        "viewer": factories.make_member(world.study, Role.VIEWER, pseudonym="V1"),
        "model": factories.make_member(world.study, Role.MODEL, pseudonym="M1"),
        "stranger": factories.make_member(factories.make_study(), Role.OWNER),
        "nobody": None,
    }
    assert {name: len(thread(round_, issue, member)) for name, member in readers.items()} == {
        "volunteer": 1, "viewer": 1, "model": 0, "stranger": 0, "nobody": 0,
    }  # fmt: skip


def test_comments_of_a_training_are_not_a_thread(world):
    round_ = training(world, "C.2", "C.2", "C.2")
    close_round(round_=round_, by=world.lead)
    round_.refresh_from_db()
    Comment.objects.create(round=round_, issue=world.issues[0], author=world.members[0], text="Unclear.")
    assert not may_read_thread(round_, world.issues[0].pk, world.lead)
    assert thread(round_, world.issues[0].pk, world.lead) == []


@pytest.mark.parametrize("comments", [1, 3])
def test_a_thread_of_any_length_takes_as_many_queries(world, round_, django_assert_num_queries, comments):
    for _ in range(comments):
        _say(world, round_, "@R2 look", code="C.3")
    categories_of(round_.version_id)
    # The reveal; where the reader labels besides; the comments; whom they can name.
    with django_assert_num_queries(4):
        assert len(thread(round_, world.issues[0].pk, world.members[1])) == comments


@pytest.mark.parametrize("comments", [1, 3])
def test_mentions_that_wait_take_one_query(world, round_, django_assert_num_queries, comments):
    for number in range(comments):
        _say(world, round_, "@R2 look", number=1 + number % 2)
    with django_assert_num_queries(1):
        assert len(unseen_mentions(world.members[1].user)) == comments


def test_mentions_wait_while_they_may_not_be_seen(world, round_):
    """Each gate by itself: the reveal taken back, the issue to be labelled elsewhere, the role, the seat."""
    _say(world, round_, "@R2 look")
    member, user = world.members[1], world.members[1].user

    def waiting():
        return len(unseen_mentions(user))

    assert waiting() == 1
    Round.objects.filter(pk=round_.pk).update(reveal=Round.Reveal.ROUND_CLOSED)
    assert waiting() == 0
    Round.objects.filter(pk=round_.pk).update(reveal=Round.Reveal.ISSUE_COMPLETE)

    again = world.round(name="Again", members=[member])
    assert waiting() == 0
    world.submit(again, world.issues[0], member, "C.2")
    assert waiting() == 1

    member.role = Role.MODEL
    member.save()
    assert waiting() == 0
    member.role = Role.VIEWER
    member.save()
    assert waiting() == 1
    member.left_at = again.opened_at
    member.save()
    assert waiting() == 0


@pytest.mark.parametrize("allocation", [Round.Allocation.CROSSED, Round.Allocation.K_OF_N])
def test_both_ways_of_asking_what_is_withheld_agree(world, round_, allocation):
    fields = {"allocation": allocation, "name": "Again"}
    if allocation == Round.Allocation.K_OF_N:
        fields["labels_per_issue"] = 1
    again = world.round(members=world.members[:2], **fields)
    world.submit(again, world.issues[0], world.members[0], "C.2")
    RoundVolunteer.objects.filter(round=again, member=world.members[1]).update(left_at=again.opened_at)
    for number in (1, 2):
        comment = _say(world, round_, "All of you.", by=2, number=number)
        Mention.objects.bulk_create(Mention(comment=comment, member=member) for member in world.members)
    gate = waits_elsewhere(
        member="member", round_="comment__round", taxonomy="comment__round__version__taxonomy", issue="comment__issue"
    )  # fmt: skip
    mentions = Mention.objects.annotate(waits=gate)
    one_by_one = {
        mention.pk: is_withheld(round_, mention.comment.issue_id, mention.member)
        for mention in mentions.select_related("comment", "member")
    }
    assert dict(mentions.values_list("pk", "waits")) == one_by_one
    assert {pk for pk, waits in one_by_one.items() if not waits} == set(
        readable(Mention.objects.all()).values_list("pk", flat=True)
    )
    assert set(one_by_one.values()) == {True, False}
