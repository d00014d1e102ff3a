"""Second looks: why a label is asked for again, and which rounds follow a new version."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.queries.turns import Turn
from ingest.models import Issue
from rounds.models import Assignment, CurrentLabel, Label, Round, RoundIssue
from rounds.queries.blindness import still_to_label, withheld_issues_in
from rounds.queries.categories import categories_of, codebook, deepest_level
from rounds.queries.rounds import current_labels
from studies.models import Membership
from taxonomy.models import CategoryState, Gone, Remap, Version

STILL_LOOKING = """EXISTS (
    SELECT FROM rounds_round looks
    JOIN rounds_assignment waits ON waits.round_id = looks.id
    JOIN rounds_roundvolunteer seat ON seat.round_id = looks.of_id AND seat.member_id = waits.volunteer_id
    JOIN studies_membership who ON who.id = waits.volunteer_id
    WHERE looks.of_id = {round} AND looks.closed_at IS NULL
      AND waits.issue_id = {issue} AND (waits.submitted_at IS NULL) IS TRUE
      AND seat.left_at IS NULL AND who.left_at IS NULL AND who.user_id IS NOT NULL
    OFFSET 0
)"""
"""SQL: has a member who can still label to look again at this issue of this round?

Of a second look made a moment ago the planner knows nothing. OFFSET 0 has each issue looked up. IS TRUE keeps
the search from the index of open slots, which was empty before: with 23,000 labels that took minutes.
"""


def kept_from_following(round_: Round, version: Version) -> Promise | None:
    """Why a round that is not closed keeps its version when this version is published; None if it follows."""
    excludes = round_.excludes_id
    return why_kept(
        round_,
        deepest_level(version.pk),
        has_excluded=excludes is None or codebook(version.pk).states.stands_as(excludes) is not None,
    )


def why_kept(round_: Round, depth: int, *, has_excluded: bool) -> Promise | None:
    """Why the round keeps its version, for a new version of this depth, with or without the excluded type."""
    if round_.kind == Round.Kind.TRAINING:
        return _("a training and its right labels keep their version")
    if depth < round_.depth:
        return _("the new version does not have the level by which labels are compared")
    if not has_excluded:
        return _("the new version does not have the excluded category")
    return None


def revealed_in_open_rounds(version: Version, reader: Membership | None) -> dict[int, int]:
    """Category id to the number of its revealed labels in open rounds with this version, without issues that
    are withheld from the reader: what a second look would ask for. Three queries at most.
    """
    rounds = Round.objects.filter(version=version, opened_at__isnull=False, closed_at=None)
    asked = list(rounds.exclude(kind__in=Round.APART))
    if not asked:
        return {}
    said: QuerySet[CurrentLabel] = reduce(or_, (current_labels(round_) for round_ in asked))
    if reader is not None:
        blind = withheld_issues_in(asked, [reader])
        said = said.exclude(Exists(blind.filter(round=OuterRef("round"), issue=OuterRef("issue"))))
    counted = said.filter(category__isnull=False).order_by().values_list("category")
    return dict(counted.annotate(n=Count("pk")))


def look_to_label(round_: Round, member: Membership) -> Round | None:
    """The second look of this round in which the member still has issues to label. One query."""
    own = Assignment.objects.filter(round=OuterRef("pk"), volunteer=member, submitted_at=None)
    looks = Round.objects.filter(Exists(own), of=round_, opened_at__isnull=False, closed_at=None)
    return looks.order_by("pk").first()


def waits_for_a_look(look: Round, issue: Issue) -> bool:
    """Is the issue blind in the original round of this look? If not, it went on without its author."""
    places = RoundIssue.objects.filter(round=look.of_id, issue=issue)
    return places.filter(completed_at=None, was_completed_at__isnull=False).exists()


@dataclass(frozen=True)
class LostLabel:
    """One of the member's labels that has no category in the round's version, and that the member can change.
    `last` is the category that was split or retired, `answer` the category that answers its proposal.
    `is_there`: the category is still there, beside parts of it or new ones.
    """

    label: Label
    last: CategoryState | None
    answer: CategoryState | None
    is_there: bool = False


def lost_labels(round_: Round, member: Membership) -> list[LostLabel]:
    """The member's labels of a round, on issues that nobody else sees, that lost their category with a new
    version, or whose proposal a category answers by now. Two queries.
    """
    labels = _lost([round_], [member]).select_related("issue__repository", "proposal")
    found = []
    for label in labels.order_by("submitted_at", "pk"):
        states = categories_of(round_.version_id).by_id
        answer = label.proposal.answered_by_id if label.proposal else None
        here = states.stands_as(answer) if answer else None
        if label.category_id or here:
            last = states[label.category_id] if label.category_id else None
            is_there = label.category_id in states
            found.append(LostLabel(label, last, states[here] if here else None, is_there))
    return found


def to_choose_again(own: Iterable[tuple[Round, Membership]]) -> list[tuple[Round, int, int]]:
    """For each of these rounds of one person the number of its `lost_labels` and the issue id of the first
    label. One query.
    """
    seats = {round_.pk: (round_, member) for round_, member in own}
    labels = _lost(
        [round_ for round_, _member in seats.values()], {member for _round, member in seats.values()}
    )
    found: dict[int, list[int]] = {}
    rows = labels.order_by("submitted_at", "pk")
    for id_, issue, category, answer in rows.values_list(
        "round", "issue", "category", "proposal__answered_by"
    ):
        if category or (answer and codebook(seats[id_][0].version_id).states.stands_as(answer)):
            found.setdefault(id_, []).append(issue)
    return [(seats[id_][0], len(issues), issues[0]) for id_, issues in found.items()]


def _lost(rounds: Iterable[Round], members: Iterable[Membership]) -> QuerySet[Label]:
    """The labels of these members without a category in the version of their round, on issues that nobody
    else sees: the category is gone, or the label is open and a category answers its proposal.
    """
    ids = [round_.pk for round_ in rounds]
    gone = Gone.objects.filter(version__rounds__in=ids, became=None)
    seen = RoundIssue.objects.filter(
        Q(completed_at__isnull=False, round__reveal=Round.Reveal.ISSUE_COMPLETE)
        | Q(was_completed_at__isnull=False),
        round=OuterRef("round"),
        issue=OuterRef("issue"),
    )
    return Label.objects.filter(
        Q(category__in=gone.values("category")) | Q(proposal__answered_by__isnull=False),
        Exists(CurrentLabel.objects.filter(pk=OuterRef("pk"), category=None)),
        ~Exists(seen),
        round__in=ids,
        volunteer__in=members,
    )


def begun(version: Version, reader: Membership | None) -> tuple[int, int, bool]:
    """How many labels of how many people a new version asks for again, and False; if the reader's labels are
    among them, their number, 1 and True. Issues that the reader has yet to label in another round are left
    out. One query, and two for each round with a second look.
    """
    labels: Counter[int] = Counter()
    looks = Round.objects.filter(of__isnull=False, version=version, opened_at__gte=version.published_at)
    for round_ in Round.objects.filter(looks__in=looks).distinct().select_related("version"):
        held = still_to_label(round_, reader).exclude(round__of=round_)
        asked = Assignment.objects.filter(round__in=looks, round__of=round_)
        labels.update(asked.exclude(issue__in=held.values("issue")).values_list("volunteer", flat=True))
    own = labels[reader.pk] if reader else 0
    return own or labels.total(), 1 if own else len(labels), bool(own)


@dataclass(frozen=True)
class FirstLabel:
    """A member's first label of an issue in a second look. `state` is the category at that time, None for an
    open label, whose proposed name is `proposed`; `became` are the categories into which it was split since,
    and `is_there`: the category is still there, beside new ones.
    """

    state: CategoryState | None
    version: int
    proposed: str
    summary: str
    became: tuple[CategoryState, ...]
    is_there: bool = False


def before(turn: Turn, round_: Round, member: Membership) -> FirstLabel | None:
    """The member's label of an issue before this second look; None in other rounds. Three queries."""
    if round_.of_id is None:
        return None
    found = Label.objects.filter(round=round_.of_id, issue=turn.issue, volunteer=member)
    label = found.select_related("proposal", "version").first()
    if label is None:
        return None
    states = categories_of(round_.version_id).by_id
    parts = Remap.objects.filter(
        source=label.category_id,
        kind=Remap.Kind.SPLIT,
        to_version__taxonomy=round_.version.taxonomy_id,
        to_version__number__gt=label.version.number,
    )
    targets = dict.fromkeys(parts.order_by("to_version", "pk").values_list("target", flat=True))
    return FirstLabel(
        state=categories_of(label.version_id).by_id[label.category_id] if label.category_id else None,
        version=label.version.number,
        proposed=label.proposal.name if label.proposal else "",
        summary=label.summary,
        became=tuple(states[id_] for id_ in targets if id_ in states) if label.category_id else (),
        is_there=label.category_id in states,
    )
