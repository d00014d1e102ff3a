"""The meetings of the demonstration study: one that is over, one to come, one over days, and one of a pair.

What is over is stored as it went, moment by moment, since no action takes another moment than now; the
database holds it to its rules all the same. What is to come is planned by the actions.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime, time, timedelta
from typing import Any

from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.actions.agendas import put_on_agenda
from annotate.actions.demonstration.data import rows, told
from annotate.actions.demonstration.story import Story, moment
from annotate.actions.meetings import plan_meeting
from annotate.models import (
    AgendaItem,
    Ballot,
    BulkDecision,
    Comment,
    Decision,
    Disagreement,
    FollowUp,
    Meeting,
    Mention,
    Participant,
    Round,
    RoundIssue,
    Spell,
    Vote,
)
from ingest.models import Issue
from studies.actions import record
from studies.models import Event, Membership
from taxonomy.models import Category
from taxonomy.queries import Codebook

MET_DAYS_AGO = 2
MET_AT = 14
QUORUM = 5
THURSDAY = 3
AT_LEAST = 6

APART_BALLOTS: tuple[dict[str, str], ...] = (
    {"R1": "C.7", "R4": "C.7", "R5": "C.9"},
    {"R1": "C.7", "R4": "C.8"},
    {},
)
PAIR_BALLOTS = ({"R4": "C.9"}, {"R4": "C.1", "R6": "C.1"})


def meetings(story: Story, round_: Round, book: Codebook) -> None:
    """All of it: what was said, decided and taken back, and what is on which agenda."""
    issues = story.issues()
    agendas: dict[str, list[Issue]] = defaultdict(list)
    for row in rows("agendas.csv"):
        agendas[row["agenda"]].append(issues[row["Issue_URL"]])
    elsewhere = [issue for found in agendas.values() for issue in found]
    complete = RoundIssue.objects.filter(round=round_).aggregate(last=Max("completed_at"))["last"]
    labelled = complete + timedelta(minutes=10)
    Past(story, round_, book, issues).hold()
    _apart(story, round_, book, agendas["apart"])
    _taken_back(story, round_, labelled)
    _arguments(story, round_, book, issues, labelled)
    _pair(story, round_, book, agendas["pair"], labelled + timedelta(minutes=20))
    _to_come(story, round_, elsewhere, labelled + timedelta(minutes=50))


class Past:
    """The meeting that is over, told line by line by meeting.jsonl: `at` is in minutes from its opening."""

    def __init__(self, story: Story, round_: Round, book: Codebook, issues: Mapping[str, Issue]) -> None:
        self.story, self.round, self.book, self.issues = story, round_, book, issues
        self.opened_at = moment(MET_DAYS_AGO, MET_AT) + timedelta(minutes=3)
        self.now = self.opened_at
        self.items: dict[str, AgendaItem] = {}
        self.item: AgendaItem
        self.vote: Vote | None = None

    def hold(self) -> Meeting:
        lines = told()
        self._begin(list(dict.fromkeys(line["issue"] for line in lines if line["do"] == "turn")))
        for line in lines:
            self.now = self.opened_at + timedelta(minutes=line["at"])
            getattr(self, f"_{line['do']}")(line)
        Meeting.objects.filter(pk=self.meeting.pk).update(revision=len(lines))
        self.meeting.refresh_from_db()
        return self.meeting

    def _begin(self, agenda: list[str]) -> None:
        lead = self.story.lead
        planned = moment(MET_DAYS_AGO + 1, 9)
        self.meeting = Meeting.objects.create(
            round=self.round,
            name=_("First meeting"),
            starts_at=moment(MET_DAYS_AGO, MET_AT),
            ends_at=moment(MET_DAYS_AGO, MET_AT + 1),
            chair=lead,
            quorum=QUORUM,
            by_majority=True,
            created_by=lead,
            opened_at=self.opened_at,
        )
        Meeting.objects.filter(pk=self.meeting.pk).update(created_at=planned)
        for number, member in enumerate(self.story.volunteers()):
            late = member.pseudonym == "R5"
            joined_at = None if late else self.opened_at + timedelta(seconds=8 * number)
            Participant.objects.create(
                meeting=self.meeting, member=member, joined_at=joined_at, last_seen_at=joined_at
            )
        for position, url in enumerate(agenda, start=1):
            self.items[url] = AgendaItem.objects.create(
                meeting=self.meeting,
                round=self.round,
                issue=self.issues[url],
                position=position,
                added_by=lead,
                added_at=planned,
            )
        name = {"round": self.round.name, "meeting": self.meeting.name}
        _recorded(self.story, "meetings.planned", planned, **name)
        _recorded(self.story, "meetings.opened", self.now, **name)

    def _turn(self, line: dict[str, Any]) -> None:
        self._end_spell()
        self.item, self.vote = self.items[line["issue"]], None
        Spell.objects.create(meeting=self.meeting, item=self.item, began_at=self.now)

    def _end_spell(self) -> None:
        Spell.objects.filter(meeting=self.meeting, ended_at=None).update(ended_at=self.now)

    def _join(self, line: dict[str, Any]) -> None:
        self._seat(line["who"]).update(joined_at=self.now, left_at=None, last_seen_at=self.now)

    def _leave(self, line: dict[str, Any]) -> None:
        self._seat(line["who"]).update(left_at=self.now, last_seen_at=self.now)

    def _seat(self, who: str) -> Any:
        return Participant.objects.filter(meeting=self.meeting, member=self.story.members[who])

    def _there(self) -> Any:
        return Participant.objects.filter(meeting=self.meeting, joined_at__isnull=False, left_at=None)

    def _say(self, line: dict[str, Any]) -> None:
        say(
            self.round,
            self.item.issue,
            self.story.members[line["who"]],
            line["text"],
            _category(self.book, line["for"]),
            self.now,
        )

    def _vote(self, line: dict[str, Any]) -> None:
        self.vote = Vote.objects.create(
            meeting=self.meeting,
            item=self.item,
            number=1 + Vote.objects.filter(item=self.item).count(),
            opened_at=self.now,
            opened_by=self.story.lead,
        )
        _cast(self.vote, self.story, self.book, line["ballots"], self.now, seconds=9)
        last = self.vote.ballots.aggregate(at=Max("cast_at"))["at"]
        Vote.objects.filter(pk=self.vote.pk).update(closed_at=last, present=self._there().count())

    def _decide(self, line: dict[str, Any]) -> None:
        made = _decide(
            self.round,
            self.item.issue,
            self.book.by_code[line["category"]].category,
            self.now,
            method=Decision.Method.MEETING,
            item=self.item,
            how=line["how"],
            vote=self.vote,
            rationale=line["rationale"],
            cause=line["cause"],
            decided_by=self.story.lead,
        )
        _recorded(
            self.story,
            "meetings.decided",
            self.now,
            meeting=self.meeting.name,
            issue=self.item.issue_id,
            number=made.number,
        )

    def _follow(self, line: dict[str, Any]) -> None:
        FollowUp.objects.create(
            item=self.item,
            kind=line["kind"],
            category=_category(self.book, line.get("category", "")),
            text=line["text"],
            made_by=self.story.members[line["who"]],
            made_at=self.now,
        )

    def _park(self, line: dict[str, Any]) -> None:
        AgendaItem.objects.filter(pk=self.item.pk).update(parked_at=self.now, parked_why=line["text"])

    def _reopen(self, line: dict[str, Any]) -> None:
        Decision.objects.filter(round=self.round, issue=self.item.issue_id, superseded_at=None).update(
            superseded_at=self.now, superseded_by=self.story.lead, superseded_why=line["text"]
        )

    def _close(self, _line: dict[str, Any]) -> None:
        self._end_spell()
        self.meeting.items.update(released_at=self.now)
        self._there().update(last_seen_at=self.now, left_at=self.now)
        Meeting.objects.filter(pk=self.meeting.pk).update(closed_at=self.now)
        _recorded(self.story, "meetings.closed", self.now, meeting=self.meeting.name)


def say(
    round_: Round, issue: Issue, author: Membership, words: str, category: Category | None, at: datetime
) -> Comment:
    """One line of a thread, said then."""
    comment = Comment.objects.create(round=round_, issue=issue, author=author, text=words, category=category)
    Comment.objects.filter(pk=comment.pk).update(said_at=at)
    return comment


def _category(book: Codebook, code: str) -> Category | None:
    """None for none: to abstain, or to argue for nothing."""
    return book.by_code[code].category if code else None


def _cast(
    vote: Vote, story: Story, book: Codebook, said: Mapping[str, str], at: datetime, *, seconds: int
) -> None:
    for number, (who, code) in enumerate(said.items(), start=1):
        Ballot.objects.create(
            meeting_id=vote.meeting_id,
            vote=vote,
            member=story.members[who],
            category=_category(book, code),
            cast_at=at + timedelta(seconds=seconds * number),
        )


def _decide(round_: Round, issue: Issue, category: Category, at: datetime, **how: Any) -> Decision:
    """A decision of then; one that stood is superseded."""
    earlier = Decision.objects.filter(round=round_, issue=issue)
    earlier.filter(superseded_at=None).update(superseded_at=at)
    return Decision.objects.create(
        round=round_,
        issue=issue,
        number=1 + earlier.count(),
        category=category,
        version_id=round_.version_id,
        decided_at=at,
        **how,
    )


def _arguments(
    story: Story, round_: Round, book: Codebook, issues: Mapping[str, Issue], begun: datetime
) -> None:
    """What was said of issues before they are talked over, last night; who is named has not read it yet."""
    for number, row in enumerate(rows("arguments.csv")):
        comment = say(
            round_,
            issues[row["Issue_URL"]],
            story.members[row["volunteer"]],
            row["text"],
            _category(book, row["category"]),
            begun + timedelta(minutes=2 * number),
        )
        named = (name for name in story.members if f"@{name}" in row["text"])
        Mention.objects.bulk_create(Mention(comment=comment, member=story.members[name]) for name in named)


def _taken_back(story: Story, round_: Round, at: datetime) -> None:
    """The lead let six equal labels decide last night, looked at what that did, and took it back."""
    lead, back_at = story.lead, at + timedelta(minutes=4)
    bulk = BulkDecision.objects.create(
        round=round_,
        kind=BulkDecision.Kind.MAJORITY,
        at_least=AT_LEAST,
        by=lead,
        at=at,
        taken_back_at=back_at,
        taken_back_by=lead,
    )
    decided = Decision.objects.filter(round=round_, superseded_at=None).values("issue")
    majorities = Disagreement.objects.filter(round=round_, votes__0__gte=AT_LEAST).exclude(issue__in=decided)
    for row in majorities.order_by("position"):
        _decide(
            round_,
            row.issue,
            Category.objects.get(pk=row.chosen[0]),
            at,
            method=Decision.Method.MAJORITY,
            decided_by=lead,
            bulk=bulk,
        )
    made = Decision.objects.filter(bulk=bulk)
    made.update(superseded_at=back_at, superseded_by=lead)
    made_by = {"round": round_.name, "at_least": AT_LEAST}
    _recorded(story, "decisions.majority", at, decided=made.count(), **made_by)
    _recorded(story, "decisions.bulk_taken_back", back_at, round=round_.name, reopened=made.count())


def _others(
    story: Story,
    round_: Round,
    agenda: list[Issue],
    at: datetime,
    people: list[Membership],
    **fields: Any,
) -> Iterator[Vote]:
    """A meeting without a time of its own, open since then; the vote on each issue, to cast ballots in."""
    lead = story.lead
    meeting = Meeting.objects.create(
        round=round_, chair=lead, created_by=lead, opened_at=at, revision=len(agenda), **fields
    )
    Meeting.objects.filter(pk=meeting.pk).update(created_at=at)
    Participant.objects.bulk_create(Participant(meeting=meeting, member=member) for member in people)
    name = {"round": round_.name, "meeting": meeting.name}
    _recorded(story, "meetings.planned", at, **name)
    _recorded(story, "meetings.opened", at, **name)
    for position, issue in enumerate(agenda, start=1):
        item = AgendaItem.objects.create(
            meeting=meeting, round=round_, issue=issue, position=position, added_by=lead, added_at=at
        )
        yield Vote(meeting=meeting, item=item, number=1, opened_by=lead)


def _ballots_of(vote: Vote, story: Story, book: Codebook, said: Mapping[str, str], at: datetime) -> None:
    """Who votes is there by that; the first ballot opens the vote."""
    if not said:
        return
    members = [story.members[who] for who in said]
    Participant.objects.filter(meeting=vote.meeting, member__in=members).update(joined_at=at, last_seen_at=at)
    vote.opened_at, vote.opened_by = at, members[0]
    vote.save()
    _cast(vote, story, book, said, at, seconds=40)


def _apart(story: Story, round_: Round, book: Codebook, agenda: list[Issue]) -> None:
    """Since yesterday morning everybody votes when they can; nothing has its quorum yet."""
    begun = moment(1, 8)
    votes = _others(
        story,
        round_,
        agenda,
        begun,
        story.volunteers(),
        name=_("Configuration and versions, over the week"),
        kind=Meeting.Kind.APART,
        quorum=QUORUM,
        by_majority=True,
        ends_at=moment(-4, 18),
    )
    for hours, (vote, said) in enumerate(zip(votes, APART_BALLOTS, strict=True), start=1):
        _ballots_of(vote, story, book, said, begun + timedelta(hours=hours))


def _pair(story: Story, round_: Round, book: Codebook, agenda: list[Issue], at: datetime) -> None:
    """Two who read C.1 and C.8 in other ways settle between them; of one issue they have."""
    both = [story.members["R4"], story.members["R6"]]
    votes = _others(story, round_, agenda, at, both, name="R4 and R6", kind=Meeting.Kind.PAIR, quorum=2)
    for number, (vote, said) in enumerate(zip(votes, PAIR_BALLOTS, strict=True), start=1):
        cast_at = at + timedelta(minutes=10 * number)
        _ballots_of(vote, story, book, said, cast_at)
        if len(said) < len(both):
            continue
        closed_at = cast_at + timedelta(seconds=80)
        Vote.objects.filter(pk=vote.pk).update(closed_at=closed_at, present=len(said))
        _decide(
            round_,
            vote.item.issue,
            book.by_code[said["R6"]].category,
            closed_at,
            method=Decision.Method.MEETING,
            item=vote.item,
            how=Decision.How.UNANIMITY,
            vote=vote,
            decided_by=both[1],
        )


def _to_come(story: Story, round_: Round, elsewhere: list[Issue], at: datetime) -> None:
    """The meeting of the next Thursday: whatever waits for a decision, and is on no other agenda."""
    zone = timezone.get_current_timezone()
    today = timezone.localdate()
    day = today + timedelta(days=(THURSDAY - today.weekday()) % 7 or 7)
    meeting = plan_meeting(
        round_=round_,
        by=story.lead,
        name=_("Second meeting"),
        chair=story.lead,
        quorum=QUORUM,
        by_majority=True,
        starts_at=datetime.combine(day, time(15), tzinfo=zone),
        ends_at=datetime.combine(day, time(16, 30), tzinfo=zone),
        participants=story.volunteers(),
    )
    waiting = Disagreement.objects.filter(round=round_).exclude(issue__in=elsewhere)
    put_on_agenda(meeting=meeting, by=story.lead, issues=list(waiting.values_list("issue", flat=True)))
    Meeting.objects.filter(pk=meeting.pk).update(created_at=at)
    meeting.items.update(added_at=at)
    Event.objects.filter(study=story.study, detail__meeting=meeting.name).update(at=at)


def _recorded(story: Story, verb: str, at: datetime, **detail: Any) -> None:
    """A line of the audit, written by the lead then."""
    event = record(story.study, verb, story.lead.user, **detail)
    Event.objects.filter(pk=event.pk).update(at=at)
