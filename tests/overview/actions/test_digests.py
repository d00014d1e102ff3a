"""The mail of a day: to whom, about what, never twice, and never with what is blind."""

from datetime import timedelta
from itertools import count
from smtplib import SMTPException
from threading import Lock

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotate.actions.rounds import create_round, open_round
from annotate.models import Repeat
from consensus.actions.meetings import close_meeting, plan_meeting
from consensus.actions.threads import say, see_mentions
from consensus.models import Digest, Meeting, Mention
from core import clock
from overview.actions.digests import MailFailed, send_digests, set_digest
from overview.queries.digests import news_for
from overview.tasks import send_digests as task
from rounds.drift import comes_again
from rounds.models import Label, Round, RoundVolunteer
from studies.actions import end_membership
from studies.models import Membership, Role
from tests import factories
from tests.kept import kept
from tests.long import only_long, sampled
from tests.races import at_once
from tests.worlds.meeting import meeting_world

pytestmark = pytest.mark.django_db


@kept
def world():
    return meeting_world(issues=3, members=3, rows=("C.2 C.2 C.3", "C.1 C.2 C.3", "B.1 B.1 B.2"))


@pytest.fixture
def now():
    return timezone.now()


class Broken(EmailBackend):
    """A mail server that refuses some addresses."""

    refused: tuple[str, ...] = ()

    def send_messages(self, messages):
        if any(address in self.refused for message in messages for address in message.to):
            raise SMTPException("No such mailbox.")
        return super().send_messages(messages)


@pytest.fixture
def broken(settings):
    settings.EMAIL_BACKEND = f"{__name__}.Broken"
    yield Broken
    Broken.refused = ()


def _say(world, text, *, number=1, by=None):
    return say(round_=world.round_, issue=world.issues[number - 1], author=by or world.lead, text=text)


def _to():
    return sorted(address for message in mail.outbox for address in message.to)


def _addresses(*members):
    return sorted(member.user.email for member in members)


def _label_again(world, member, issues):
    """Another round of the same taxonomy, in which the member has still to label these issues."""
    made = create_round(
        study=world.study, by=world.lead, name="Again", version=world.version, depth=2,
        issues=type(issues[0]).objects.filter(pk__in=[issue.pk for issue in issues]).order_by("pk"),
        members=[member],
    )  # fmt: skip
    return open_round(round_=made, by=world.lead)


def test_nothing_waits_or_all_was_read_and_nobody_gets_mail(world, now):
    _say(world, "@R1")
    see_mentions(member=world.members[0], issues=[world.issues[0].pk])
    assert send_digests(now=now) == 0
    assert (mail.outbox, Digest.objects.count()) == ([], 0)


def test_a_mention_is_told_once_without_its_text(world, now, settings):
    settings.SITE_URL = "https://labels.example.org"
    _say(world, "@R1: secretword")
    _say(world, "@R1 again", number=2)

    assert send_digests(now=now) == 1
    [message] = mail.outbox
    assert message.to == _addresses(world.members[0])
    assert message.subject == f"{world.study.name}: waiting for you"
    first, second = world.issues[:2]
    page = f"https://labels.example.org/rounds/{world.round_.pk}/disagreements/?issue="
    assert message.body.splitlines() == [
        "Hello R1,", "", f"Waiting for you in {world.study.name}:", "",
        "You were mentioned in 2 comments", "",
        f"* Lead, on {first.repository.path} #{first.number}", f"  {page}{first.pk}#thread", "",
        f"* Lead, on {second.repository.path} #{second.number}", f"  {page}{second.pk}#thread", "",
        "-- ",
        "This mail shows how much waits for you, never anybody’s label, vote or comment.",
        "To stop these mails, turn them off on the People page of your study:",
        f"https://labels.example.org/studies/{world.study.slug}/people/",
    ]  # fmt: skip
    digest = Digest.objects.get()
    assert (digest.member, digest.day, digest.sent_at) == (world.members[0], now.date(), now)
    assert set(Mention.objects.values_list("digest", flat=True)) == {digest.pk}

    assert send_digests(now=now) == send_digests(now=now + timedelta(days=1)) == 0


def test_a_server_without_mail_sends_none_and_notes_none(world, now, settings):
    settings.SENDS_MAIL = False
    _say(world, "@R1")
    assert send_digests(now=now) == 0
    assert (mail.outbox, Digest.objects.count()) == ([], 0)
    settings.SENDS_MAIL = True
    assert send_digests(now=now) == 1


def test_who_gets_no_mail(world, now):
    viewer = factories.make_member(world.study, Role.VIEWER, pseudonym="V1")
    stopped, left, closed = world.members
    set_digest(member=stopped, wants=False)
    _say(world, "@R1 @R2 @R3 @V1")
    end_membership(member=left, by=left.user)
    closed.user.is_active = False
    closed.user.save()

    assert (send_digests(now=now), _to()) == (1, _addresses(viewer))
    set_digest(member=stopped, wants=True)
    assert (send_digests(now=now), _to()) == (1, _addresses(viewer, stopped))


def test_a_mention_on_what_is_withheld_waits_for_its_day(world, now):
    again = _label_again(world, world.members[0], world.issues[:1])
    made = _say(world, "@R1 @R2")
    Mention.objects.get_or_create(comment=made, member=world.members[0])
    assert (send_digests(now=now), _to()) == (1, _addresses(world.members[1]))
    world.submit(again, world.issues[0], world.members[0], "C.1")
    assert send_digests(now=now) == 1
    assert len(mail.outbox) == 2


@only_long
def test_meetings_are_told_when_planned_and_when_opened_and_the_day_before(world, now):
    start = now + timedelta(days=5)
    world.plan(opened=False, name="On C", starts_at=start)
    now = timezone.now()
    assert send_digests(now=now) == 4
    when = f"{start.day} {start:%B %Y, %H:%M} UTC"
    assert _to() == _addresses(world.lead, *world.members)
    assert f"* On C, {when}, 3 issues for you\n" in mail.outbox[0].body
    # Not again as long as nothing is new; then on the day before, and when it is opened.
    assert send_digests(now=now + timedelta(days=1)) == 0
    assert send_digests(now=start - timedelta(hours=23)) == 4
    Meeting.objects.filter(pk=world.meeting.pk).update(opened_at=start)
    assert send_digests(now=start + timedelta(hours=1)) == 4
    assert "* On C, open now, 3 issues for you\n" in mail.outbox[-1].body


def test_who_is_not_asked_hears_of_no_meeting(world, now):
    factories.make_member(world.study, pseudonym="R9")
    world.plan(participants=[world.members[0]])
    assert (send_digests(now=now), _to()) == (2, _addresses(world.lead, world.members[0]))
    close_meeting(meeting=world.meeting, by=world.lead)
    _say(world, "@R1")
    assert news_for(world.members[0], now).meetings == []


@only_long
def test_votes_that_wait_are_counted_for_each(world, now):
    world.plan(kind=Meeting.Kind.APART, quorum=2)
    one, two, three = world.items
    # R1 voted on the first; the second is decided; R2 has the third withheld.
    world.ballot(one, world.members[0], "C.2")
    world.ballot(two, world.members[0], "C.1")
    world.ballot(two, world.members[1], "C.1")
    world.ballot(two, world.members[2], "C.1")
    world.ballot(two, world.lead, "C.1")
    _label_again(world, world.members[1], [three.issue])
    found = {str(member): news_for(member, now) for member in (*world.members, world.lead)}
    assert {who: news.votes for who, news in found.items()} == {"R1": 1, "R2": 1, "R3": 2, "Lead": 2}
    assert {who: news.meetings[0].issues for who, news in found.items()} == {
        "R1": 3, "R2": 2, "R3": 3, "Lead": 3,
    }  # fmt: skip
    assert send_digests(now=now) == 4
    # They go on waiting, every day.
    assert send_digests(now=now + timedelta(days=1)) == 4
    text = next(message.body for message in mail.outbox if message.to == _addresses(world.members[2]))
    assert f"2 issues wait for your vote\n\n* {world.meeting.name}: 2\n" in text


def test_a_pair_votes_again_where_it_did_not_agree(world, now):
    world.plan(kind=Meeting.Kind.PAIR, participants=world.members[:2])
    world.ballot(world.items[0], world.members[0], "C.2")
    assert [news_for(member, now).votes for member in world.members] == [2, 3, 0]
    world.ballot(world.items[0], world.members[1], "C.3")
    assert [news_for(member, now).votes for member in world.members] == [3, 3, 0]
    world.ballot(world.items[1], world.members[0], "C.2")
    world.ballot(world.items[1], world.members[1], "C.2")
    assert [news_for(member, now).votes for member in world.members] == [2, 2, 0]


def test_one_failed_mail_holds_up_nobody_and_is_tried_again(world, now, broken):
    _say(world, "@R1 @R2 @R3")
    broken.refused = (world.members[1].user.email,)
    with pytest.raises(MailFailed) as failed:
        send_digests(now=now)
    assert (failed.value.sent, failed.value.failed, _to()) == (
        2, 1, _addresses(world.members[0], world.members[2]),
    )  # fmt: skip
    assert Mention.objects.get(digest=None).member == world.members[1]
    broken.refused = ()
    assert send_digests(now=now) == 1
    assert _to() == _addresses(*world.members)


def test_a_line_feed_in_a_name_ends_no_header(world, now):
    world.study.name = "Engines\nBcc: everybody@example.org"
    world.study.save()
    _say(world, "@R1")
    assert send_digests(now=now) == 1
    assert mail.outbox[0].message()["Subject"] == "Engines Bcc: everybody@example.org: waiting for you"


def test_the_command_and_the_task_are_doors_to_the_same(world, broken, capsys):
    _say(world, "@R1 @R2")
    broken.refused = (world.members[1].user.email,)
    with pytest.raises(CommandError, match="1 sent, 1 not"):
        call_command("send_digests")
    broken.refused = ()
    call_command("send_digests")
    assert capsys.readouterr().out == "1 sent.\n"
    _say(world, "@R3")
    task()
    assert _to() == _addresses(*world.members)


def test_the_bell_rings_in_the_morning(settings):
    entry = settings.BELL["send-digests"]
    assert (entry["task"], entry["hour"]) == (task.name, 7)


class Slow(EmailBackend):
    """Takes the mails of all threads, each after a moment."""

    sent: list = []
    lock = Lock()
    fails_once = False

    def send_messages(self, messages):
        with self.lock:
            if Slow.fails_once:
                Slow.fails_once = False
                raise SMTPException("Try again.")
            Slow.sent += [address for message in messages for address in message.to]
        return len(messages)


@only_long
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("fails_once", [False, True])
def test_four_workers_send_each_mail_once(settings, fails_once):
    settings.EMAIL_BACKEND = f"{__name__}.Slow"
    world = meeting_world(issues=1, members=3, rows=("C.2 C.2 C.3",))
    for day in range(sampled(10, 3)):
        now = timezone.now() + timedelta(days=day)
        _say(world, "@R1 @R2 @R3")
        Slow.sent, Slow.fails_once = [], fails_once
        results = at_once(*[lambda now=now: send_digests(now=now)] * 4)
        failed = [result for result in results if isinstance(result, MailFailed)]
        assert len(failed) <= fails_once
        assert all(isinstance(result, int | MailFailed) for result in results)
        if failed:
            send_digests(now=now)
        assert sorted(Slow.sent) == _addresses(*world.members)
        assert Digest.objects.filter(day=now.date()).count() == 3
    assert Mention.objects.filter(digest=None).count() == 0


def test_no_word_of_what_is_blind_is_in_any_mail(world, now):
    """Labels, summaries, ballots, comments, rationales and titles, of withheld issues and of all others."""
    world.plan(kind=Meeting.Kind.APART, quorum=2, name="Over days")
    _label_again(world, world.members[0], world.issues[:2])
    titles = [issue.current.title for issue in world.issues if issue.current]
    summaries = list(Label.objects.values_list("summary", flat=True))
    for number in (1, 2, 3):
        _say(world, "@R1 @R2 @R3 canarycomment", number=number)
    for item, code in zip(world.items, ("C.10", "C.9", "A.2"), strict=True):
        world.ballot(item, world.members[1], code)
    assert send_digests(now=now) == 4
    codes = [state.code for state in world.version.states.all() if "." in state.code]
    names = [state.name for state in world.version.states.all()]
    words = ["canarycomment", *titles, *filter(None, summaries), *names, *(f" {code} " for code in codes)]
    for message in mail.outbox:
        text = message.message().as_string().replace("\n", " ")
        assert [word for word in words if word in text] == []
    withheld = next(message.body for message in mail.outbox if message.to == _addresses(world.members[0]))
    assert [f"#{issue.number}\n" in withheld for issue in world.issues] == [False, False, True]
    assert "* Over days, open now, 1 issue for you" in withheld
    assert "* Over days: 1" in withheld


def test_planning_a_meeting_later_reaches_who_heard_already(world, now):
    plan_meeting(round_=world.round_, by=world.lead, name="First", chair=world.lead, quorum=2)
    assert send_digests(now=timezone.now()) == 4
    plan_meeting(round_=world.round_, by=world.lead, name="Second", chair=world.lead, quorum=2)
    tomorrow = timezone.now() + timedelta(days=1)
    assert Membership.objects.filter(gets_digest=True).count() == 4
    assert send_digests(now=tomorrow) == 4
    assert "* Second, no date yet, 0 issues for you" in mail.outbox[-1].body


def test_who_labelled_everything_is_told_when_more_has_come(world, now, settings):
    """The mail says how much comes and when, in words that do not say why."""
    settings.SITE_URL = "https://labels.example.org"
    round_ = _label_again(world, world.members[0], world.issues)
    seed = next(n for n in count() if all(comes_again(one.pk, n, 50) for one in world.issues[:2]))
    Round.objects.filter(pk=round_.pk).update(drift_percent=50, reveal="round_closed")
    RoundVolunteer.objects.filter(round=round_).update(seed=seed)
    round_.refresh_from_db()
    for issue in world.issues:
        world.submit(round_, issue, world.members[0], "C.2")
    left = Repeat.objects.count()
    assert left >= 2
    assert send_digests(now=now) == 0, "what comes later is no news by itself"

    _say(world, "@R1")
    assert send_digests(now=now) == 1
    page = f"https://labels.example.org/rounds/{round_.pk}/label/"
    more = f"* Again: {left} more issues come tomorrow\n  {page}"
    assert more in mail.outbox[-1].body

    Repeat.objects.update(due_at=now + timedelta(hours=20))
    after = now + timedelta(days=1)
    with clock.at(after):
        assert send_digests(now=after) == 1
    assert f"More issues to label\n\n* Again: {left} issues to label\n  {page}" in mail.outbox[-1].body
    with clock.at(after + timedelta(days=1)):
        assert send_digests(now=after + timedelta(days=1)) == 0, "told once"
