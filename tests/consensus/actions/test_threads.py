"""Who may say something about an issue, when, and whom it reaches."""

import pytest
from django.utils import timezone

from annotate.actions.rounds import close_round
from consensus import errors
from consensus.actions.threads import say, see_mentions
from consensus.models import AgendaItem, Comment, Disagreement, Meeting, Mention
from consensus.queries.threads import thread, unseen_mentions
from rounds.errors import NotAllowed, UnknownCategory
from rounds.models import Round
from studies.actions import end_membership
from studies.models import Role
from tests import factories
from tests.kept import kept
from tests.worlds.pages import label_all
from tests.worlds.trained import training

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=3, members=3)]


@kept
def round_(world):
    """A round of which the first issue is a disagreement, the second half labelled, the third untouched."""
    round_ = world.round()
    label_all(world, round_, "C.2 C.2 C.3", "C.2")
    return round_


def _say(world, round_, text="Look at the log.", *, number=1, by=None, **fields):
    return say(
        round_=round_, issue=world.issues[number - 1], author=by or world.members[0], text=text, **fields
    )


def _told(comment):
    return sorted(comment.mentions.values_list("member__pseudonym", flat=True))


def test_a_comment_is_kept_with_what_it_argues_for(world, round_):
    made = _say(world, round_, "  Look at\r\nthe log.\x00 ", category=world.category("C.1.i"))
    stored = Comment.objects.get()
    assert (stored.pk, stored.round, stored.issue, stored.author, stored.text, stored.category) == (
        made.pk, round_, world.issues[0], world.members[0], "Look at\nthe log.\ufffd", world.category("C.1"),
    )  # fmt: skip


def test_who_labels_may_say_something_and_nobody_else(world, round_):
    for role in (Role.OWNER, Role.LEAD, Role.VOLUNTEER):
        member = factories.make_member(world.study, role, pseudonym=f"A {role}")
        assert _say(world, round_, by=member).author == member
    end_membership(member=world.members[2], by=world.members[2].user)
    world.members[2].refresh_from_db()
    others = [factories.make_member(world.study, role) for role in (Role.VIEWER, Role.MODEL)]
    for member in (*others, world.members[2], factories.make_member(factories.make_study(), Role.LEAD)):
        with pytest.raises(NotAllowed):
            _say(world, round_, by=member)


def test_nothing_is_said_before_the_reveal(world, round_):
    with pytest.raises(errors.NotYoursToSee) as refused:
        _say(world, round_, "typed", number=2, by=world.lead)
    assert refused.value.kept == {"text": "typed"}
    for member in world.members[1:]:
        world.submit(round_, world.issues[1], member, "C.3")
    assert _say(world, round_, number=2).issue == world.issues[1]


def test_who_still_labels_the_issue_elsewhere_neither_says_nor_reads(world, round_):
    _say(world, round_, "@R1 and @R2 and @R3", by=world.lead)
    world.waits_for(world.members[0], *world.issues)
    with pytest.raises(errors.NotYoursToSee):
        _say(world, round_, by=world.members[0])
    assert thread(round_, world.issues[0].pk, world.members[0]) == []
    assert unseen_mentions(world.members[0].user) == []
    assert [one.text for one in thread(round_, world.issues[0].pk, world.members[1])] == [
        "@R1 and @R2 and @R3"
    ]


def test_a_training_has_comments_of_its_own(world):
    round_ = training(world, "C.2", "C.2", "C.2")
    close_round(round_=round_, by=world.lead)
    with pytest.raises(NotAllowed):
        _say(world, round_, by=world.lead)


@pytest.mark.parametrize(
    ("text", "refusal"),
    [("", errors.CommentMissing), (" \n", errors.CommentMissing), ("x" * 2001, errors.CommentTooLong)],
)
def test_a_comment_says_something_and_not_too_much(world, round_, text, refusal):
    with pytest.raises(refusal) as refused:
        _say(world, round_, text)
    assert refused.value.kept == ({"text": text} if text.strip() else {})
    assert not Comment.objects.exists()


def test_a_comment_argues_for_a_category_of_the_version(world, round_):
    other = factories.make_version(factories.make_study())
    with pytest.raises(UnknownCategory) as refused:
        _say(world, round_, category=factories.category(other, "C.2"))
    assert refused.value.kept == {"text": "Look at the log."}


def test_whoever_is_named_and_may_see_the_issue_is_told(world, round_):
    factories.make_member(world.study, Role.VIEWER, pseudonym="V1")
    factories.make_member(world.study, Role.MODEL, pseudonym="M1")
    gone = factories.make_member(world.study, pseudonym="R9")
    end_membership(member=gone, by=gone.user)
    factories.make_member(factories.make_study(), pseudonym="R7")
    world.round(name="Again", members=[world.members[2]])

    text = "@r1 @R2 @r2 @R3 @R7 @R9 @V1 @M1 @LEAD `@Lead`"
    assert _told(_say(world, round_, text)) == ["Lead", "R2", "V1"]


def test_a_mention_is_seen_once(world, round_):
    _say(world, round_, "@R2: look")
    [two] = unseen_mentions(world.members[1].user)
    assert (two.comment.author, two.comment.issue) == (world.members[0], world.issues[0])
    page = f"/rounds/{round_.pk}/disagreements/?issue={world.issues[0].pk}#thread"
    assert two.comment.get_absolute_url() == page
    issues = [world.issues[0].pk]
    assert see_mentions(member=world.members[2], issues=issues) == 0
    assert see_mentions(member=world.members[1], issues=issues, round_=world.round(name="Other")) == 0
    assert see_mentions(member=world.members[1], issues=[world.issues[1].pk]) == 0
    assert see_mentions(member=world.members[1], issues=issues, round_=round_) == 1
    first = Mention.objects.get().seen_at
    assert see_mentions(member=world.members[1], issues=issues) == 0
    assert Mention.objects.get().seen_at == first
    assert unseen_mentions(world.members[1].user) == []


def test_screens_of_the_open_meeting_follow(world, round_):
    now = timezone.now()
    here, planned, closed = (
        factories.make_meeting(round_, world.lead, opened_at=now),
        factories.make_meeting(round_, world.lead),
        factories.make_meeting(round_, world.lead, opened_at=now, closed_at=now),
    )
    assert Disagreement.objects.filter(round=round_, issue=world.issues[0]).exists()
    item = {"round": round_, "issue": world.issues[0], "position": 1, "added_by": world.lead, "added_at": now}
    AgendaItem.objects.create(meeting=closed, released_at=now, **item)
    AgendaItem.objects.create(meeting=here, **item)
    _say(world, round_)
    revisions = dict(Meeting.objects.values_list("pk", "revision"))
    assert revisions == {here.pk: 1, planned.pk: 0, closed.pk: 0}


def test_a_reveal_at_the_close_keeps_comments_until_then(world):
    round_ = world.round(name="Hidden", reveal=Round.Reveal.ROUND_CLOSED)
    label_all(world, round_, "C.2 C.2 C.3")
    with pytest.raises(errors.NotYoursToSee):
        _say(world, round_)


def test_where_labels_agree_there_is_nothing_to_discuss(world):
    round_ = world.round()
    label_all(world, round_, "C.2 C.2 C.2", "C.2")
    close_round(round_=round_, by=world.lead)
    for number in (1, 2, 3):
        with pytest.raises(errors.NotYoursToSee):
            _say(world, round_, "@R2, why?", number=number)
    assert not Mention.objects.exists()
