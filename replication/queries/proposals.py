"""The decided proposals of a taxonomy for a replication package: reasons, ballots and comments."""

from collections import defaultdict
from typing import Any

from rounds.models import Round
from taxonomy.models import Ballot, Motion, MotionComment


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


def _at(moment: Any) -> str | None:
    return moment.isoformat() if moment else None
