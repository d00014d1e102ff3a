"""The decisions that stand in a round."""

from django.db.models import QuerySet

from consensus.models import Decision
from rounds.models import Round
from rounds.queries.rounds import revealed


def standing_decisions(round_: Round) -> QuerySet[Decision]:
    """The decisions of revealed issues that no newer one supersedes."""
    return Decision.objects.filter(
        round=round_, superseded_at=None, issue__in=revealed(round_).values("issue")
    )
