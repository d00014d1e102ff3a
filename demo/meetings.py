"""The meetings of the demonstration: one that is over, one to come, one over days, and one of a pair."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from consensus.actions.agendas import put_on_agenda
from consensus.actions.bulk import decide_majority, take_back
from consensus.actions.consensus import decide_item
from consensus.actions.decisions import reopen
from consensus.actions.follow_ups import follow_up
from consensus.actions.meetings import close_meeting, open_meeting, park, plan_meeting, turn_to
from consensus.actions.presence import away, here
from consensus.actions.threads import say
from consensus.actions.votes import cast_ballot, open_vote
from consensus.models import AgendaItem, Decision, Disagreement, Meeting
from consensus.queries.disagreement_filters import Narrowing
from core import clock
from demo.data import meeting_lines, rows
from demo.story import Scene
from ingest.models import Issue
from studies.models import Membership

MET_DAYS_AGO = 2
MET_AT = 14
QUORUM = 5
THURSDAY = 3
AT_LEAST = 6

APART_BALLOTS: tuple[dict[str, str], ...] = (
    {"R1": "C.7", "R4": "C.7", "R5": "C.9"},
    {"R1": "C.7", "R4": "C.8"},
)
PAIR_BALLOTS = ({"R4": "C.9"}, {"R4": "C.1", "R6": "C.1"})


def plan_meetings(scene: Scene, completed_at: datetime) -> None:
    """Plan all meetings and comments, and a majority decision that is taken back. `completed_at`: the moment
    when the last complete issue got its last label.
    """
    agendas: dict[str, list[str]] = defaultdict(list)
    for row in rows("agendas.csv"):
        agendas[row["agenda"]].append(row["Issue_URL"])
    FirstMeeting(scene)
    scene.plan(scene.story.moment(1, 8), _begin_apart, scene, agendas["apart"])
    begun = completed_at + timedelta(minutes=10)
    scene.plan(begun, _decide_and_take_back, scene)
    for number, row in enumerate(rows("arguments.csv")):
        at, issue = begun + timedelta(minutes=2 * number), scene.story.issues[row["Issue_URL"]]
        scene.plan(at, _comment, scene, issue, row["volunteer"], row["text"], row["category"])
    scene.plan(begun + timedelta(minutes=20), _begin_pair, scene, agendas["pair"])
    elsewhere = [url for urls in agendas.values() for url in urls]
    scene.plan(begun + timedelta(minutes=50), _plan_second_meeting, scene, elsewhere)


class FirstMeeting:
    """The first meeting, which is over. meeting.jsonl has its events; `at` is in minutes from its opening.
    Each kind of line has a method, which acts at the moment of the line.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene, self.story, self.lead = scene, scene.story, scene.story.lead
        self.present: list[Membership] = []
        self.meeting: Meeting
        self.item: AgendaItem
        opened_at = self.story.moment(MET_DAYS_AGO, MET_AT) + timedelta(minutes=3)
        lines = meeting_lines()
        scene.plan(self.story.moment(MET_DAYS_AGO + 1, 9), self._plan, lines)
        scene.plan(opened_at, self._open)
        for number, member in enumerate(self.story.volunteers("R5")):
            scene.plan(opened_at + timedelta(seconds=8 * number), self._come, member)
        for line in lines:
            scene.plan(opened_at + timedelta(minutes=line["at"]), getattr(self, f"_{line['do']}"), line)

    def _plan(self, lines: list[dict[str, Any]]) -> None:
        self.meeting = _plan_meeting(
            self.scene,
            name=_("First meeting"),
            starts_at=self.story.moment(MET_DAYS_AGO, MET_AT),
            ends_at=self.story.moment(MET_DAYS_AGO, MET_AT + 1),
        )
        turns = dict.fromkeys(line["issue"] for line in lines if line["do"] == "turn")
        _put(self.scene, self.meeting, turns)

    def _open(self) -> None:
        open_meeting(meeting=self.meeting, by=self.lead)

    def _come(self, member: Membership) -> None:
        """A member comes; everybody present shows a sign of life, as their open pages would."""
        self.present.append(member)
        for one in self.present:
            here(meeting=self.meeting, member=one)

    def _turn(self, line: dict[str, Any]) -> None:
        self.item = _item(self.scene, self.meeting, line["issue"])
        turn_to(meeting=self.meeting, item=self.item, by=self.lead)

    def _join(self, line: dict[str, Any]) -> None:
        self._come(self.story.members[line["who"]])

    def _leave(self, line: dict[str, Any]) -> None:
        away(meeting=self.meeting, member=self.story.members[line["who"]])

    def _say(self, line: dict[str, Any]) -> None:
        _comment(self.scene, self.item.issue, line["who"], line["text"], line["for"])

    def _vote(self, line: dict[str, Any]) -> None:
        open_vote(item=self.item, by=self.lead)
        _plan_ballots(self.scene, self.item, line["ballots"], seconds=8)

    def _decide(self, line: dict[str, Any]) -> None:
        decide_item(
            item=self.item,
            by=self.lead,
            category=self.scene.book.by_code[line["category"]].category,
            how=line["how"],
            rationale=line["rationale"],
            cause=line["cause"],
            seen_number=0,
        )

    def _follow(self, line: dict[str, Any]) -> None:
        follow_up(
            item=self.item,
            by=self.story.members[line["who"]],
            kind=line["kind"],
            category=self.scene.category(line.get("category", "")),
            text=line["text"],
        )

    def _park(self, line: dict[str, Any]) -> None:
        park(item=self.item, by=self.lead, why=line["text"])

    def _reopen(self, line: dict[str, Any]) -> None:
        standing = Decision.objects.get(item=self.item, superseded_at=None)
        reopen(
            round_=self.scene.round,
            issue=self.item.issue,
            by=self.lead,
            why=line["text"],
            seen_number=standing.number,
        )

    def _close(self, _line: dict[str, Any]) -> None:
        close_meeting(meeting=self.meeting, by=self.lead)


def _plan_meeting(scene: Scene, **changes: Any) -> Meeting:
    """Plan a meeting of all volunteers, which the lead chairs."""
    lead = scene.story.lead
    usual: dict[str, Any] = {"quorum": QUORUM, "by_majority": True, "participants": scene.story.volunteers()}
    return plan_meeting(round_=scene.round, by=lead, chair=lead, **(usual | changes))


def _put(scene: Scene, meeting: Meeting, urls: Iterable[str]) -> None:
    """Put issues on the agenda one by one, so that they keep this order."""
    for url in urls:
        put_on_agenda(meeting=meeting, by=scene.story.lead, issues=[scene.story.issues[url].pk])


def _item(scene: Scene, meeting: Meeting, url: str) -> AgendaItem:
    items = AgendaItem.objects.select_related("meeting__round__study", "round", "issue")
    return items.get(meeting=meeting, issue=scene.story.issues[url])


def _comment(scene: Scene, issue: Issue, who: str, text: str, code: str) -> None:
    author, category = scene.story.members[who], scene.category(code)
    say(round_=scene.round, issue=issue, author=author, text=text, category=category)


def _plan_ballots(scene: Scene, item: AgendaItem, ballots: Mapping[str, str], *, seconds: int) -> None:
    """Plan one ballot after the other, from this moment on."""
    for number, (name, code) in enumerate(ballots.items(), start=1):
        member, category = scene.story.members[name], scene.category(code)
        at = clock.now() + timedelta(seconds=seconds * number)
        scene.plan(at, cast_ballot, item=item, member=member, category=category)


def _decide_and_take_back(scene: Scene) -> None:
    """Last night the lead decided by majorities of six, looked at the result, and took it back."""
    lead = scene.story.lead
    bulk = decide_majority(round_=scene.round, by=lead, at_least=AT_LEAST, narrowing=Narrowing())
    scene.plan(clock.now() + timedelta(minutes=4), take_back, bulk=bulk, by=lead)


def _begin(
    scene: Scene, meeting: Meeting, urls: Sequence[str], ballots: Sequence[Mapping[str, str]], minutes: int
) -> None:
    """Open a meeting without a fixed time; after each pause somebody votes on its next issue."""
    begun = open_meeting(meeting=meeting, by=scene.story.lead)
    _put(scene, begun, urls)
    for number, (url, given) in enumerate(zip(urls, ballots, strict=False), start=1):
        at = clock.now() + timedelta(minutes=minutes * number)
        scene.plan(at, _plan_ballots, scene, _item(scene, begun, url), given, seconds=40)


def _begin_apart(scene: Scene, urls: Sequence[str]) -> None:
    """Since yesterday morning everybody votes when they like. No issue has its quorum yet."""
    meeting = _plan_meeting(
        scene,
        name=_("Configuration and versions, over the week"),
        kind=Meeting.Kind.APART,
        ends_at=scene.story.moment(-4, 18),
    )
    _begin(scene, meeting, urls, APART_BALLOTS, minutes=60)


def _begin_pair(scene: Scene, urls: Sequence[str]) -> None:
    """R4 and R6 read C.1 and C.8 differently and settle that between them. They agree on one issue so far."""
    pair = [scene.story.members["R4"], scene.story.members["R6"]]
    meeting = _plan_meeting(
        scene, name="R4 & R6", kind=Meeting.Kind.PAIR, quorum=2, by_majority=False, participants=pair
    )
    _begin(scene, meeting, urls, PAIR_BALLOTS, minutes=10)


def _plan_second_meeting(scene: Scene, elsewhere: Collection[str]) -> None:
    """Plan the meeting of the next Thursday: all disagreements that are on no other agenda."""
    zone, today = timezone.get_current_timezone(), scene.story.day(0)
    day = today + timedelta(days=(THURSDAY - today.weekday()) % 7 or 7)
    meeting = _plan_meeting(
        scene,
        name=_("Second meeting"),
        starts_at=datetime.combine(day, time(15), tzinfo=zone),
        ends_at=datetime.combine(day, time(16, 30), tzinfo=zone),
    )
    waiting = Disagreement.objects.filter(round=scene.round).exclude(issue__url__in=elsewhere)
    issues = list(waiting.values_list("issue", flat=True))
    put_on_agenda(meeting=meeting, by=scene.story.lead, issues=issues)
