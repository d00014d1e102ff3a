"""Second looks: why a label is asked for again, and which rounds go on with a new version."""

from dataclasses import dataclass

from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.models import Label, Round, RoundIssue, Said
from annotate.queries.categories import categories_of, codebook, deepest_level
from annotate.queries.turns import Turn
from ingest.models import Issue
from studies.models import Membership
from taxonomy.models import CategoryState, Remap, Version

STILL_LOOKING = """EXISTS (
    SELECT FROM annotate_round looks
    JOIN annotate_assignment waits ON waits.round_id = looks.id
    JOIN annotate_roundvolunteer seat ON seat.round_id = looks.of_id AND seat.member_id = waits.volunteer_id
    JOIN studies_membership who ON who.id = waits.volunteer_id
    WHERE looks.of_id = {round} AND looks.closed_at IS NULL
      AND waits.issue_id = {issue} AND waits.submitted_at IS NULL
      AND seat.left_at IS NULL AND who.left_at IS NULL AND who.user_id IS NOT NULL
)"""
"""SQL: does somebody who still can have to look again at this issue of this round?"""


def kept_from_following(round_: Round, version: Version) -> Promise | None:
    """Why a round that is not closed keeps its version when this one is published; None if it does not."""
    excludes = round_.excludes_id
    return why_kept(
        round_,
        deepest_level(version.pk),
        has_excluded=excludes is None or codebook(version.pk).states.stands_as(excludes) is not None,
    )


def why_kept(round_: Round, depth: int, *, has_excluded: bool) -> Promise | None:
    """The same of a version of this depth, which has what the round excludes or has not."""
    if round_.kind == Round.Kind.TRAINING:
        return _("a training keeps its version, as its right labels do")
    if depth < round_.depth:
        return _("the new version is not as deep as its labels are compared")
    if not has_excluded:
        return _("the new version has no category like the one that it excludes")
    return None


def waits_for_a_look(look: Round, issue: Issue) -> bool:
    """Is the issue blind in the round that this second look is of? If not, it went on without its author."""
    places = RoundIssue.objects.filter(round=look.of_id, issue=issue)
    return places.filter(completed_at=None, was_completed_at__isnull=False).exists()


@dataclass(frozen=True)
class LostLabel:
    """A label of the member's own that says no category of its round's version, and that they can change.
    `last` is the category that was split or retired, `answer` the one that their proposal became.
    """

    label: Label
    last: CategoryState | None
    answer: CategoryState | None


def lost_labels(round_: Round, member: Membership) -> list[LostLabel]:
    """The member's labels of a round, in issues that nobody else sees, that a new version left without a
    category, or that wait for one which is there by now. Two queries.
    """
    seen = RoundIssue.objects.filter(
        Q(completed_at__isnull=False, round__reveal=Round.Reveal.ISSUE_COMPLETE)
        | Q(was_completed_at__isnull=False),
        round=round_,
    )
    said = Said.objects.filter(round=round_, volunteer=member, category=None)
    labels = (
        Label.objects.filter(pk__in=said.values("pk"))
        .exclude(issue__in=seen.values("issue"))
        .select_related("issue__repository", "proposal")
        .order_by("submitted_at", "pk")
    )
    states = categories_of(round_.version_id).by_id
    found = []
    for label in labels:
        answer = label.proposal.answered_by_id if label.proposal else None
        here = states.stands_as(answer) if answer else None
        if label.category_id or here:
            last = states[label.category_id] if label.category_id else None
            found.append(LostLabel(label, last, states[here] if here else None))
    return found


@dataclass(frozen=True)
class Before:
    """What a member said the first time. `state` is the category as it was, None for an open label, whose
    proposed name `proposed` is; `became` are the categories it was split into.
    """

    state: CategoryState | None
    version: int
    proposed: str
    summary: str
    became: tuple[CategoryState, ...]


def before(turn: Turn, round_: Round, member: Membership) -> Before | None:
    """What the member said of an issue before this second look; None in other rounds. Three queries."""
    if round_.of_id is None:
        return None
    found = Label.objects.filter(round=round_.of_id, issue=turn.issue, volunteer=member)
    label = found.select_related("proposal", "version").first()
    if label is None:
        return None
    states = categories_of(round_.version_id).by_id
    parts = Remap.objects.filter(
        source=label.category_id, kind=Remap.Kind.SPLIT, to_version__taxonomy=round_.version.taxonomy_id
    )
    targets = dict.fromkeys(parts.order_by("to_version", "pk").values_list("target", flat=True))
    return Before(
        state=categories_of(label.version_id).by_id[label.category_id] if label.category_id else None,
        version=label.version.number,
        proposed=label.proposal.name if label.proposal else "",
        summary=label.summary,
        became=tuple(states[id_] for id_ in targets if id_ in states) if label.category_id else (),
    )
