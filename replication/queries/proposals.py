"""How a taxonomy changed, for a replication package: by decided proposals, and without a vote."""

from collections import defaultdict
from typing import Any

from rounds.models import Round
from taxonomy.models import Ballot, Motion, MotionComment
from taxonomy.queries.taxonomies import published_versions
from taxonomy.queries.unvoted import without_vote


def decided_proposals(round_: Round) -> list[dict[str, Any]]:
    """The closed motions of a round's taxonomy, oldest first, with pseudonyms. Open motions are left out
    because their ballots are still hidden. Three queries.
    """
    motions = list(
        Motion.objects.filter(taxonomy=round_.version.taxonomy_id, closed_at__isnull=False)
        .select_related("opened_by", "change__version")
        .order_by("number")
    )
    ballots: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for ballot in Ballot.objects.filter(motion__in=motions).select_related("member").order_by("member"):
        ballots[ballot.motion_id].append(
            {
                "member": ballot.member.pseudonym,
                "choice": ballot.choice,
                "argument": ballot.argument,
                "cast_at": _at(ballot.cast_at),
            }
        )
    comments: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for one in MotionComment.objects.filter(motion__in=motions).select_related("author").order_by("pk"):
        comments[one.motion_id].append(
            {"author": one.author.pseudonym, "text": one.text, "said_at": _at(one.said_at)}
        )
    return [
        {
            "number": motion.number,
            "title": motion.title,
            "kind": motion.kind,
            "category": str(motion.key),
            "values": motion.values,
            "reasons": motion.reasons,
            "examples": motion.examples.splitlines(),
            "opened_by": motion.opened_by.pseudonym,
            "opened_at": _at(motion.opened_at),
            "deadline": _at(motion.deadline),
            "rule": "majority" if motion.by_majority else "unanimity",
            "electorate": motion.electorate,
            "quorum": motion.quorum,
            "closed_at": _at(motion.closed_at),
            "outcome": motion.outcome,
            "for": motion.in_favour,
            "against": motion.against,
            "abstained": motion.abstained,
            "became_part_of_version": motion.change.version.number if motion.change else None,
            "not_made_because": motion.refused,
            "ballots": ballots[motion.pk],
            "comments": comments[motion.pk],
        }
        for motion in motions
    ]


def changes_without_vote(round_: Round) -> list[dict[str, Any]]:
    """The categories that versions of the round's taxonomy, up to its own, added or split without a vote
    after volunteers had labelled, oldest first, each with the reason of its version. Three queries at most.
    """
    version = round_.version
    versions = published_versions(version.taxonomy).filter(number__lte=version.number)
    return [
        {
            "version": one.version.number,
            "category": str(one.state.category.key),
            "code": one.state.code,
            "name": one.state.name,
            "split_off_from": one.source.code if one.source else None,
            "reason": one.version.note,
            "published_at": _at(one.version.published_at),
            "published_by": getattr(one.version, "publisher", None),
        }
        for one in without_vote(versions)
    ]


def _at(moment: Any) -> str | None:
    return moment.isoformat() if moment else None
