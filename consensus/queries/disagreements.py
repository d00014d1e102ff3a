"""The disagreements of a round: complete, revealed issues whose labels are not all the same at its depth.

The reveal stores one row per disagreement (consensus.models.Disagreement), so that no request counts labels
again. Every list and number leaves out the issues that the member has yet to label in another round
(rounds.queries.blindness).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from consensus import models
from consensus.models import Decision, Meeting
from consensus.queries.agendas import unclosed_meetings
from consensus.queries.disagreement_filters import STATES, Narrowing, found, number_in, waiting
from consensus.queries.disagreement_states import StateCounts, tallies_by_split, tally
from consensus.queries.probable import Probable, probable_of
from core.sql.models import Rows
from ingest.models import Issue, Repository, Snapshot
from rounds.models import Round, RoundVolunteer
from rounds.queries.blindness import seen_by, still_to_label, withheld_issues
from rounds.queries.categories import ShownCodebook, codebook
from rounds.queries.rounds import RoundProgress, current_labels, revealed, round_progress, volunteers
from studies.models import Membership
from taxonomy.models import Level


class LabelChip(NamedTuple):
    """One label of a disagreement: the chosen `code`, and `depth_code`, which the label counts as. An open
    label has neither: `name` is the name of the proposed category.
    """

    code: str
    name: str
    depth_code: str
    summary: str
    unsure: bool
    volunteer_id: int


@dataclass(frozen=True)
class DisagreementRow:
    """One issue whose labels differ.

    `labels` has one place per volunteer of the round, in the order of their columns, None without a label.
    `split` lists the categories that the labels count as, each with its number of labels, largest first, then
    in the order of the tree; it leaves out `open_labels`. `parts_at`: the first level at which labels differ.
    `decision` stands. `meeting` has the issue on its agenda; only lists and panels of disagreements set it.
    `issue` includes its repository, and of its snapshot only the title.
    """

    issue: Issue
    position: int
    labels: list[LabelChip | None]
    split: list[tuple[str, int]]
    parts_at: Level | None
    decision: Decision | None
    decided_code: str | None
    open_labels: int = 0
    meeting: Meeting | None = None

    @property
    def state(self) -> str:
        if self.decision is not None:
            return "decided"
        return "agenda" if self.meeting is not None else "open"


@dataclass(frozen=True)
class DisagreementPage:
    """One page of disagreements; `next` is the `after` of the following page, None at the end. `counts`: the
    disagreements on all pages by state, before the filter by state; `shown`: how many the list has.
    `probable`: by issue and model, the most probable category, only if the list is filtered by a posterior.
    """

    volunteers: list[RoundVolunteer]
    rows: list[DisagreementRow]
    next: str | None
    counts: StateCounts
    shown: int
    probable: Mapping[int, Mapping[str, Probable]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return self.counts.total()


@dataclass(frozen=True)
class DisagreementCounts:
    """The complete, revealed issues that a member may see, and the disagreements among them by state.

    `withheld`: complete issues that the member has yet to label elsewhere, including issues with equal
    labels, because the number of disagreements alone would tell something about each issue. `progress` of the
    round is the same for every reader.
    """

    complete: int
    open: int
    agenda: int
    decided: int
    withheld: int = 0
    progress: RoundProgress | None = field(default=None, compare=False)

    @property
    def not_unanimous(self) -> int:
        return self.open + self.agenda + self.decided


def disagreements(
    round_: Round,
    narrowing: Narrowing,
    member: Membership | None,
    *,
    after: str | None = None,
    limit: int = 50,
    book: ShownCodebook | None = None,
    counts: DisagreementCounts | None = None,
) -> DisagreementPage:
    """A page of the round's disagreements, the easiest to settle by one argument first: the fewest groups of
    equal labels, then the closest split, then the order of the round. At most nine queries, and those of
    `issues_apart` and `probable_of` for a posterior.

    `after`: the `next` of the page before; ValueError for any other text. `counts`: those of the round, if
    the caller has them; without other filters than the state they are not computed again.
    """
    book = book or codebook(round_.version_id)
    columns = list(volunteers(round_))
    if counts is not None and not replace(narrowing, state=""):
        counted = Counter({state: getattr(counts, state) for state in STATES})
    else:
        by_split = tallies_by_split(round_, replace(narrowing, split=(), state=""), member, book=book)
        chosen = [by_split.get(narrowing.split, Counter())] if narrowing.split else by_split.values()
        counted = sum(chosen, Counter())
    rows = found(round_, narrowing, member, book=book)
    ordered = _behind(rows, after).order_by("ways", "margin", "position")
    meeting = Subquery(waiting(round_).values("meeting"))
    places = list(ordered.values_list("issue_id", "position", "ways", "margin", meeting)[: limit + 1])
    last = places[limit - 1] if len(places) > limit else None
    shown = rows_of(round_, {place[0]: place[1] for place in places[:limit]}, columns, book)
    return DisagreementPage(
        volunteers=columns,
        rows=_with_meetings(round_, shown, {place[0]: place[-1] for place in places}),
        next=f"{last[2]}-{last[3]}-{last[1]}" if last else None,
        counts=counted,
        shown=counted[narrowing.state] if narrowing.state else counted.total(),
        probable=probable_of(round_, [row.issue.pk for row in shown], withheld_issues(round_, member))
        if narrowing.posterior and shown
        else {},
    )


def chain_of(round_: Round, issue_id: int) -> list[Decision]:
    """All decisions of an issue, oldest first, with their authors and meetings."""
    made = Decision.objects.filter(round=round_, issue=issue_id)
    told = made.select_related("decided_by", "superseded_by", "item__meeting").only(
        *(field.attname for field in Decision._meta.concrete_fields),  # noqa: SLF001 - documented
        "decided_by__pseudonym",
        "superseded_by__pseudonym",
        "item__meeting__name",
    )
    return list(told.order_by("number"))


def rounds_to_label(round_: Round, member: Membership | None) -> list[Round]:
    """The other open rounds in which this member still has to label complete issues of this round. Two
    queries.
    """
    complete = revealed(round_).filter(completed_at__isnull=False)
    turns = still_to_label(round_, member).filter(issue__in=complete.values("issue"))
    return list(Round.objects.filter(pk__in=turns.values("round"), opened_at__isnull=False).order_by("pk"))


def key_of(round_: Round, issue_id: int) -> str | None:
    """The `after` of the list behind this issue; None if the issue is no disagreement."""
    row = models.Disagreement.objects.filter(round=round_, issue=issue_id)
    key = row.values_list("ways", "margin", "position").first()
    return None if key is None else "-".join(map(str, key))


def next_after(
    round_: Round, narrowing: Narrowing, member: Membership | None, after: str | None
) -> int | None:
    """The issue that follows this key in the list, None at the end."""
    ordered = _behind(found(round_, narrowing, member), after).order_by("ways", "margin", "position")
    return ordered.values_list("issue_id", flat=True).first()


def _behind(rows: QuerySet[models.Disagreement], after: str | None) -> QuerySet[models.Disagreement]:
    if after is None:
        return rows
    ways, margin, position = (number_in(part) or 0 for part in after.split("-"))
    return rows.filter(
        Q(ways__gt=ways)
        | Q(ways=ways, margin__gt=margin)
        | Q(ways=ways, margin=margin, position__gt=position),
        ways__gte=ways,
    )


def _with_meetings(
    round_: Round, rows: list[DisagreementRow], waits: Mapping[int, int | None]
) -> list[DisagreementRow]:
    """The rows, each undecided row with the meeting of its agenda; `waits`: issue to meeting. One query."""
    meetings = {meeting.pk: meeting for meeting in unclosed_meetings(round_)}
    return [
        row if row.decision else replace(row, meeting=meetings.get(waits.get(row.issue.pk) or 0))
        for row in rows
    ]


def disagreement_at(round_: Round, issue_id: int, member: Membership | None) -> DisagreementRow | None:
    """One disagreement; None if there is none or it is withheld. At most eight queries."""
    place = seen_by(models.Disagreement.objects.filter(round=round_, issue=issue_id), round_, member)
    found = place.values_list("position", Subquery(waiting(round_).values("meeting"))).first()
    if found is None:
        return None
    position, meeting = found
    rows = rows_of(round_, {issue_id: position}, list(volunteers(round_)), codebook(round_.version_id))
    return _with_meetings(round_, rows, {issue_id: meeting})[0]


def disagreement_counts(round_: Round, member: Membership | None) -> DisagreementCounts:
    """How many issues are complete, and how many disagreements are in each state. At most five queries."""
    progress = round_progress(round_)
    withheld = withheld_count(round_, member)
    counted = tally(round_, member)
    return DisagreementCounts(
        complete=(progress.complete or 0) - withheld,
        withheld=withheld,
        progress=progress,
        **{state: counted[state] for state in STATES},
    )


def withheld_count(round_: Round, member: Membership | None) -> int:
    """The number of complete issues that the member has yet to label elsewhere. At most two queries."""
    turns = still_to_label(round_, member)
    if turns.query.is_empty():
        return 0
    complete = revealed(round_).filter(completed_at__isnull=False)
    return complete.filter(Exists(turns.filter(issue=OuterRef("issue")))).count()


def is_unanimous(round_: Round, issue_id: int) -> bool:
    """Do all labels of this complete, revealed issue agree at the round's depth?"""
    differs = models.Disagreement.objects.filter(round=round_, issue=OuterRef("issue"))
    complete = revealed(round_).filter(issue=issue_id, completed_at__isnull=False)
    return complete.exclude(Exists(differs)).exists()


_TITLED = Rows(Issue, Repository, Decision, Membership)
_WHOLE = Rows(Issue, Repository, Decision, Membership, Snapshot)
_TOLD = """
    SELECT {columns}
    FROM ingest_issue p0
    JOIN ingest_repository p1 ON p1.id = p0.repository_id
    LEFT JOIN consensus_decision p2
        ON p2.round_id = %(round)s AND p2.issue_id = p0.id AND p2.superseded_at IS NULL
    LEFT JOIN studies_membership p3 ON p3.id = p2.decided_by_id
    LEFT JOIN ingest_snapshot p4 ON p4.id = p0.current_id
    WHERE p0.id = ANY(%(issues)s)
"""


def rows_of(
    round_: Round,
    page: Mapping[int, int],
    columns: Sequence[RoundVolunteer],
    book: ShownCodebook,
    *,
    whole: bool = False,
) -> list[DisagreementRow]:
    """The rows of these revealed issues (id: position), in this order, with equal or different labels.
    `whole`: with the texts of the issues. Two queries.
    """
    labels: dict[int, dict[int, LabelChip]] = {id_: {} for id_ in page}
    shown = current_labels(round_).filter(issue__in=page)
    told_by = ("volunteer", "category", "label__summary", "label__unsure", "label__proposal__name")
    for issue_id, volunteer, *given in shown.values_list("issue", *told_by):
        labels[issue_id][volunteer] = _chip(volunteer, *given, depth=round_.depth, book=book)
    told = _told(round_, page, whole=whole)
    return [_row(*told[id_], page[id_], labels[id_], columns, round_.depth, book) for id_ in page]


def _told(round_: Round, issues: Iterable[int], *, whole: bool) -> dict[int, tuple[Issue, Decision | None]]:
    """By id: the issue, with its whole text or its title alone, and its standing decision. One statement."""
    parts = _WHOLE if whole else _TITLED
    columns = parts.columns if whole else f"{parts.columns}, p4.id, p4.title"
    with connection.cursor() as cursor:
        cursor.execute(_TOLD.format(columns=columns), {"round": round_.pk, "issues": list(issues)})
        rows = cursor.fetchall()
    told: dict[int, tuple[Issue, Decision | None]] = {}
    for row in rows:
        issue, repository, decision, decided_by, *text = parts.models(row)
        issue.repository = repository
        if issue.current_id is not None:
            issue.current = text[0] if whole else Snapshot.from_db("default", ["id", "title"], row[-2:])
        if decided_by is not None:
            decision.decided_by = decided_by
        told[issue.pk] = issue, decision
    return told


def _row(
    issue: Issue,
    standing: Decision | None,
    position: int,
    labels: Mapping[int, LabelChip],
    columns: Sequence[RoundVolunteer],
    depth: int,
    book: ShownCodebook,
) -> DisagreementRow:
    decision = standing if labels else None  # an issue without revealed labels shows no decision
    counted = Counter(chip.depth_code for chip in labels.values() if chip.depth_code)
    return DisagreementRow(
        issue=issue,
        position=position,
        labels=[labels.get(column.member_id) for column in columns],
        split=sorted(counted.items(), key=lambda one: (-one[1], book.by_code[one[0]].position)),
        parts_at=_parts_at([book.by_code[code].category_id for code in counted], depth, book),
        decision=decision,
        decided_code=book.states[decision.category_id].code if decision else None,
        open_labels=len(labels) - counted.total(),
    )


def _chip(
    volunteer_id: int,
    category_id: int | None,
    summary: str,
    unsure: bool,  # noqa: FBT001 - a column
    proposed: str | None,
    *,
    depth: int,
    book: ShownCodebook,
) -> LabelChip:
    """`proposed` is the name of the category that an open label proposes."""
    if category_id is None:
        return LabelChip("", proposed or "", "", summary, unsure, volunteer_id)
    state, at_depth = book.states[category_id], book.at_depth(category_id, depth)
    return LabelChip(state.code, state.title, at_depth.code, summary, unsure, volunteer_id)


def _parts_at(categories: Sequence[int], depth: int, book: ShownCodebook) -> Level | None:
    """The first level, down to the depth, at which these categories differ; None if they never do."""
    for level in Level:
        if level <= depth and len({book.at_depth(id_, level).category_id for id_ in categories}) > 1:
            return level
    return None
