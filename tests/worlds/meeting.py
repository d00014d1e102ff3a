"""A round with disagreements, seven who gave its labels, and a meeting about them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils import timezone

from consensus.actions.consensus import decide_item
from consensus.actions.decisions import decide_all_by_rule
from consensus.actions.meetings import open_meeting, plan_meeting, turn_to
from consensus.actions.presence import here
from consensus.actions.votes import cast_ballot, open_vote
from consensus.models import AgendaItem, Ballot, Decision, Disagreement, Meeting, Participant, Vote
from consensus.queries.meetings import meetings_for
from ingest.models import Issue
from rounds.models import Assignment, Label, Round, RoundIssue
from rounds.queries.rounds import rounds_for
from studies.models import Membership, Role
from tests import factories
from tests.worlds.world import World

ROWS = (
    "C.9 C.1 C.9 C.9 C.1 C.9 C.1",
    "C.1 C.9 C.9 C.1 C.9 C.1 C.9",
    "B.1 B.2 B.1 B.2 B.1 B.2 B.2",
    "C.2 C.9 A.1 C.2 C.2 C.9 A.1",
)
"""What seven volunteers said, in turn, of the issues of the round; the first two of them differ."""


@dataclass
class MeetingWorld(World):
    round_: Round
    meeting: Meeting = field(init=False)
    items: list[AgendaItem] = field(default_factory=list)

    @property
    def volunteers(self) -> list[Membership]:
        return self.members

    def plan(self, *, opened: bool = True, on_agenda: int | None = None, **fields) -> Meeting:
        """A meeting led by the lead, with all disagreements on its agenda, or the first few of them."""
        fields.setdefault("name", f"Meeting {self.round_.meetings.count() + 1}")
        fields.setdefault("chair", self.lead)
        fields.setdefault("quorum", min(4, len(self.members)))
        made = plan_meeting(round_=self.round_, by=self.lead, **fields)
        if opened:
            open_meeting(meeting=made, by=self.lead)
        self.meeting = meetings_for(self.lead.user).get(pk=made.pk)
        self.items = put(self.meeting, self.lead, self.issues[:on_agenda])
        return self.meeting

    def put_on(self, meeting: Meeting, *issues: Issue) -> AgendaItem:
        """More issues on an agenda; the last of their items."""
        return put(meeting, self.lead, issues)[-1]

    def arrive(self, *members: Membership) -> None:
        """These come to the meeting; all of its volunteers and the lead if nobody is named."""
        for member in members or (self.lead, *self.members):
            here(meeting=self.meeting, member=member)

    def fresh(self) -> Meeting:
        self.meeting = meetings_for(self.lead.user).get(pk=self.meeting.pk)
        return self.meeting

    def vote(self, item: AgendaItem, *codes: str, of: Sequence[Membership] = ()) -> Vote:
        """The chair turns to the item and opens a vote; the volunteers cast these codes, `-` to abstain."""
        if self.meeting.kind == Meeting.Kind.TOGETHER:
            turn_to(meeting=self.meeting, item=item, by=self.lead)
            open_vote(item=item, by=self.lead)
        ballots = [self.ballot(item, member, code) for member, code in zip(of or self.members, codes)]  # noqa: B905 - some may be absent
        return Vote.objects.get(pk=ballots[-1].vote_id)

    def ballot(self, item: AgendaItem, member: Membership, code: str, **fields) -> Ballot:
        category = None if code == "-" else self.category(code)
        return cast_ballot(item=item, member=member, category=category, **fields)

    def decide(self, item: AgendaItem, code: str, how: str = Decision.How.CHAIR, **fields) -> Decision:
        fields.setdefault("rationale", "The logs say so.")
        fields.setdefault("seen_number", 0)
        fields.setdefault("by", self.lead)
        return decide_item(item=item, category=self.category(code), how=how, **fields)


def meeting_world(issues: int = 3, *, members: int = 7, rows: Sequence[str] = ROWS, **fields) -> MeetingWorld:
    """A closed study of `members` volunteers and a lead, whose round has so many disagreements, as `rows` say.

    Straight in the tables, by the statement that notes disagreements. `fields` are those of the round.
    """
    study = factories.make_study()
    repository = factories.make_repository(study)
    version = factories.make_version(study)
    made = factories.make_issues(repository, issues)
    volunteers = [factories.make_member(study, pseudonym=f"R{number}") for number in range(1, members + 1)]
    lead = factories.make_member(study, Role.LEAD, pseudonym="Lead")
    round_ = factories.make_round(version, made, volunteers, **fields)
    label(round_, {issue.pk: rows[place % len(rows)].split()[:members] for place, issue in enumerate(made)})
    decide_all_by_rule(round_, timezone.now())
    return MeetingWorld(
        study=study,
        version=version,
        repository=repository,
        issues=made,
        lead=lead,
        members=volunteers,
        round_=rounds_for(lead.user).get(pk=round_.pk),
    )


def held(issues: int, *, members: int, come: str = "all", **plan) -> MeetingWorld:
    """A `meeting_world` with an open meeting, to which "all" come, "volunteers" without the lead, or "nobody".

    `plan` are the fields of the meeting; a pair is of the first two volunteers.
    """
    world = meeting_world(issues, members=members)
    if plan.get("kind") == "pair":
        plan.setdefault("participants", world.members[:2])
    world.plan(**plan)
    if come != "nobody":
        world.arrive(*(world.members if come == "volunteers" else ()))
    return world


def stay(world: MeetingWorld) -> MeetingWorld:
    """Who came to the meeting of a kept world is there now: a sign of life ages while neighbouring tests run."""
    came = Participant.objects.filter(meeting=world.meeting, joined_at__isnull=False, left_at=None)
    came.update(joined_at=timezone.now(), last_seen_at=timezone.now())
    return world


def label(round_: Round, codes: dict[int, list[str]]) -> None:
    """Give these labels, issue by issue and volunteer by volunteer, and complete the issues."""
    now = timezone.now()
    known = {state.code: state.category_id for state in round_.version.states.all()}
    slots = Assignment.objects.filter(round=round_, issue__in=codes).order_by("issue", "slot")
    Label.objects.bulk_create(
        Label(
            round=round_,
            issue_id=slot.issue_id,
            volunteer_id=slot.volunteer_id,
            assignment=slot,
            category_id=known[codes[slot.issue_id][slot.slot - 1]],
            version=round_.version,
            summary=f"slot {slot.slot} on {slot.issue_id}",
            submitted_at=now,
        )
        for slot in slots
    )
    slots.update(submitted_at=now)
    RoundIssue.objects.filter(round=round_, issue__in=codes).update(completed_at=now)


def put(meeting: Meeting, by: Membership, issues: Sequence[Issue]) -> list[AgendaItem]:
    """These issues on its agenda, in this order, straight in the table."""
    now = timezone.now()
    start = meeting.items.count()
    known = set(Disagreement.objects.filter(round=meeting.round).values_list("issue", flat=True))
    return AgendaItem.objects.bulk_create(
        AgendaItem(
            meeting=meeting, round=meeting.round, issue=issue, position=place, added_by=by, added_at=now
        )
        for place, issue in enumerate((one for one in issues if one.pk in known), start=start + 1)
    )


def there(meeting: Meeting) -> set[str]:
    """The pseudonyms of who is there."""
    rows = Participant.objects.filter(meeting=meeting, joined_at__isnull=False, left_at=None)
    return set(rows.values_list("member__pseudonym", flat=True))
