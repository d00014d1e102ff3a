"""Answers to open names, the missing categories that labels wait for: a vote or a lead names the category.
Names that look alike count as one name, whoever proposed them, and nobody learns their number. A lead can
join two names that mean the same.
"""

from django.db import transaction
from django.db.models import Q

from studies.actions import record
from studies.models import Membership
from taxonomy import errors
from taxonomy.models import Category, CategoryState, Motion, Proposal, Taxonomy
from taxonomy.queries.codebooks import answered as standing_answers
from taxonomy.queries.taxonomies import published_version
from taxonomy.signals import answered
from taxonomy.tree import drafts, look_alike

VOTED_FOR = Q(motion__outcome=Motion.Outcome.ACCEPTED, motion__change__isnull=False)
"""Names for which an accepted vote made a change in a draft."""
IN_THE_DRAFT = VOTED_FOR & Q(motion__change__version__published_at=None)
"""Names whose change is still in the draft; publishing the draft answers them."""


@transaction.atomic
def answer(*, taxonomy: Taxonomy, name: str, category: Category | None, by: Membership) -> None:
    """Name, without a vote, the category of the newest version that the labels with this open name wait for;
    None withdraws it. Answers by an accepted vote stay. Locks the taxonomy. Raises NotAnAnswer.
    """
    Taxonomy.objects.select_for_update(no_key=True).get(pk=taxonomy.pk)
    if category is not None:
        version = published_version(taxonomy)
        state = CategoryState.objects.filter(version=version, category=category).first()
        if version is None or state is None:
            raise errors.NotAnAnswer
    same = Proposal.objects.filter(pk__in=named(taxonomy, name)).exclude(IN_THE_DRAFT)
    same.exclude(VOTED_FOR & Q(pk__in=_standing(taxonomy))).update(answered_by=category)
    code = state.code if category is not None and state else ""
    record(taxonomy.study, "taxonomies.answered", by.user, name=name, category=code)
    answered.send(sender=Proposal, taxonomy=taxonomy)


def link(motion: Motion, name: str) -> None:
    """Put this open name to the vote of the motion. A name in another open vote keeps that vote; a name that
    a vote or a lead answered stays so while its category exists. The caller has locked the taxonomy.
    """
    free = Q(motion=None) | Q(motion__closed_at__isnull=False)
    found = Proposal.objects.filter(free, pk__in=named(motion.taxonomy, name)).exclude(IN_THE_DRAFT)
    found.exclude(pk__in=_standing(motion.taxonomy)).update(motion=motion, answered_by=None)


@transaction.atomic
def join_names(*, taxonomy: Taxonomy, name: str, into: str | None, by: Membership) -> None:
    """Let an open name count as another proposed name, `into` as it stands here: its labels wait for the same
    vote, and get the same answer. Without `into` let a joined name count by itself again. Locks the taxonomy.
    Raises NotJoined for a name that is put to the vote or answered.
    """
    if not into:
        _part_names(taxonomy, name, by)
        return
    Taxonomy.objects.select_for_update(no_key=True).get(pk=taxonomy.pk)
    joins, stays = named(taxonomy, name), named(taxonomy, into)
    if not joins or not stays or joins == stays or _decided(taxonomy, joins):
        raise errors.NotJoined
    kept = Proposal.objects.filter(pk__in=stays).order_by("pk")
    if all(look_alike(one.called) != look_alike(into) for one in kept):
        into = kept[0].called
    for one in Proposal.objects.filter(pk__in=joins):
        # Not as the oldest proposal spells it: that may be of a label that nobody else sees yet.
        one.joined_as = "" if look_alike(one.name) == look_alike(into) else into
        inherit(one).save(update_fields=["joined_as", "motion", "answered_by"])
    record(taxonomy.study, "taxonomies.joined", by.user, name=name, into=into)
    answered.send(sender=Proposal, taxonomy=taxonomy)


def _part_names(taxonomy: Taxonomy, name: str, by: Membership) -> None:
    Taxonomy.objects.select_for_update(no_key=True).get(pk=taxonomy.pk)
    joined = Proposal.objects.filter(taxonomy=taxonomy).exclude(joined_as="")
    parts = [one for one in joined if look_alike(one.name) == look_alike(name)]
    ids = [one.pk for one in parts]
    if not parts or _decided(taxonomy, ids):
        raise errors.NotJoined
    Proposal.objects.filter(pk__in=ids).update(joined_as="")
    record(taxonomy.study, "taxonomies.parted", by.user, name=name, into=parts[0].joined_as)


def _decided(taxonomy: Taxonomy, ids: list[int]) -> bool:
    """Is one of these proposals put to the vote now, accepted in the draft, or answered?"""
    voted = Q(motion__isnull=False, motion__closed_at=None) | IN_THE_DRAFT | Q(pk__in=_standing(taxonomy))
    return Proposal.objects.filter(voted, pk__in=ids).exists()


def inherit(proposal: Proposal) -> Proposal:
    """Give a newly proposed name the vote and the answer of an earlier proposal of the same name, and the
    name that this one was joined with.
    """
    others = list(Proposal.objects.filter(taxonomy=proposal.taxonomy_id).exclude(pk=proposal.pk))
    if not proposal.joined_as:
        own = (one for one in others if look_alike(one.name) == look_alike(proposal.name))
        proposal.joined_as = next((one.joined_as for one in own if one.joined_as), "")
    same = [one for one in others if one.motion_id or one.answered_by_id]
    for other in sorted(
        same, key=lambda one: (one.motion_id is None, one.motion_id or 0, one.pk), reverse=True
    ):
        if look_alike(other.called) == look_alike(proposal.called):
            proposal.motion_id, proposal.answered_by_id = other.motion_id, other.answered_by_id
            break
    return proposal


def answer_by_votes(taxonomy: Taxonomy, draft: drafts.Draft, categories: dict[str, int]) -> None:
    """When a draft is published: answer each name that a vote accepted by the category that its change made.
    `categories` are ids by key.
    """
    found = {name: categories[key] for name, key in answers_of(taxonomy, draft).items()}
    for one in Proposal.objects.filter(taxonomy=taxonomy, answered_by=None) if found else ():
        if look_alike(one.called) in found:
            one.answered_by_id = found[look_alike(one.called)]
            one.save(update_fields=["answered_by"])


def answers_of(taxonomy: Taxonomy, draft: drafts.Draft) -> dict[str, str]:
    """The answers that publishing the draft would give: for each name that a vote accepted, folded by
    `look_alike`, the key of the category that its change made.
    """
    voted = Proposal.objects.filter(VOTED_FOR, taxonomy=taxonomy, answered_by=None).select_related("motion")
    answers = {look_alike(one.called): _became(one, draft) for one in voted}
    return {name: key for name, key in answers.items() if key and key in draft}


def _standing(taxonomy: Taxonomy) -> list[int]:
    """The ids of the proposals that a category of the newest version answers."""
    version = published_version(taxonomy)
    return list(standing_answers(version)) if version else []


def named(taxonomy: Taxonomy, name: str) -> list[int]:
    """The ids of all proposals that count as this name, as `look_alike` compares names. A name that was
    joined with another means the other one: who may not see its labels knows this name only.
    """
    rows = list(Proposal.objects.filter(taxonomy=taxonomy).only("name", "joined_as").order_by("pk"))
    folded = look_alike(name)
    if not any(look_alike(one.called) == folded for one in rows):
        folded = next((look_alike(one.called) for one in rows if look_alike(one.name) == folded), folded)
    return [one.pk for one in rows if look_alike(one.called) == folded]


def _became(proposal: Proposal, draft: drafts.Draft) -> str | None:
    """The key of the category that a vote made for this name; after a split, of the part with the name."""
    motion = proposal.motion
    if motion is None:
        return None
    if motion.kind != drafts.SPLIT:
        return draft.whole(str(motion.key))
    parts = [
        part["key"]
        for part in motion.values["parts"]
        if look_alike(part["name"]) in {look_alike(proposal.called), look_alike(proposal.name)}
    ]
    return draft.whole(parts[0]) if parts else None
