"""The labels that issues have on their forge, hidden from those who still label them without."""

from collections.abc import Collection

from django.db.models import Exists, OuterRef, Q

from rounds.models import Round, RoundIssue, RoundVolunteer
from studies.models import Membership, Role


def hidden_forge_labels(user: int, issues: Collection[int]) -> set[int]:
    """Those of these issues whose labels on their forge this user must not see: the user labels in a round
    that hides these until it reveals the issue, planned or open. A model is held like a volunteer of each
    such round of its study. One query.
    """
    hiding = RoundIssue.objects.filter(
        issue__in=issues, round__forge_labels=Round.ForgeLabels.HIDDEN, round__closed_at=None
    ).exclude(round__reveal=Round.Reveal.ISSUE_COMPLETE, completed_at__isnull=False)
    seats = RoundVolunteer.objects.filter(round=OuterRef("round"), member__user=user, left_at=None)
    models = Membership.objects.filter(study=OuterRef("round__study"), user=user, role=Role.MODEL)
    return set(hiding.filter(Q(Exists(seats)) | Q(Exists(models))).values_list("issue", flat=True))
