"""Second looks: why a label is asked for again, and which rounds go on with a new version."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.models import Assignment, Label, Round
from annotate.queries.categories import categories_of, codebook, deepest_level
from annotate.queries.turns import Turn
from studies.models import Membership
from taxonomy.models import CategoryState, Remap, Version

STILL_LOOKING = """EXISTS (
    SELECT FROM annotate_round looks
    JOIN annotate_assignment waits ON waits.round_id = looks.id
    WHERE looks.of_id = {round} AND looks.closed_at IS NULL
      AND waits.issue_id = {issue} AND waits.submitted_at IS NULL
)"""
"""SQL: does somebody have to look again at this issue of this round?"""


def kept_from_following(round_: Round, version: Version) -> Promise | None:
    """Why a round that is not closed keeps its version when this one is published; None if it does not."""
    if round_.kind == Round.Kind.TRAINING:
        return _("a training keeps its version, as its right labels do")
    if deepest_level(version.pk) < round_.depth:
        return _("the new version is not as deep as its labels are compared")
    if round_.excludes_id is not None and codebook(version.pk).states.stands_as(round_.excludes_id) is None:
        return _("the new version has no category like the one that it excludes")
    return None


def looks_again(round_: Round, label: Label) -> bool:
    """Does its author give this label anew in a second look, or have they? Without a query for a label whose
    category its round still has.
    """
    stands = codebook(round_.version_id).states.stands_as
    if label.category_id and stands(label.category_id, label.version_id) is not None:
        return False
    turns = Assignment.objects.filter(round__of=round_, issue=label.issue_id, volunteer=label.volunteer_id)
    return turns.exists()


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
