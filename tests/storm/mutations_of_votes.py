"""What is taken out of votes on the taxonomy and of its versions, one at a time."""

from dataclasses import replace
from typing import Any

from taxonomy import signals
from taxonomy.actions import motions
from taxonomy.models import Motion
from taxonomy.queries import motions as motion_queries
from tests.storm.patches import Patch


def votes_on_proposals_lock_nothing(patch: Patch) -> None:
    def unlocked(motion: Motion) -> Motion:
        return Motion.objects.select_related("taxonomy__study").get(pk=motion.pk)

    patch.setattr(motions, "_held", unlocked)


def ballots_on_proposals_are_shown_early(patch: Patch) -> None:
    line = motion_queries._line

    def shown(motion: Any, ballots: Any, *given: Any) -> Any:
        return replace(line(motion, ballots, *given), ballots=tuple(one for one in ballots if one.choice))

    patch.setattr(motion_queries, "_line", shown)


def new_categories_need_only_a_majority(patch: Patch) -> None:
    patch.setattr(motions, "NEED_ALL", frozenset())


def rounds_stay_with_their_version(patch: Patch) -> None:
    patch.setattr(signals.published, "receivers", [])
    signals.published.sender_receivers_cache.clear()


MUTATIONS = [
    votes_on_proposals_lock_nothing,
    ballots_on_proposals_are_shown_early,
    new_categories_need_only_a_majority,
    rounds_stay_with_their_version,
]
