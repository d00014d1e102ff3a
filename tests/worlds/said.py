"""What stands on the issues of all rounds of their labels, against the labels themselves."""

from collections import defaultdict

from consensus.models import Decision
from rounds.models import Label, RoundIssue


def stands():
    """Id of each place to what stands on it, checked."""
    said = {place.pk: (place.labels, place.whose, place.decided) for place in RoundIssue.objects.all()}
    labels, decided = defaultdict(list), {}
    for label in Label.objects.filter(surplus=False).order_by("volunteer"):
        labels[label.round_id, label.issue_id].append((label.category_id or 0, label.volunteer_id))
    for decision in Decision.objects.filter(superseded_at=None):
        decided[decision.round_id, decision.issue_id] = decision.category_id
    computed = {}
    for place in RoundIssue.objects.all():
        given = labels[place.round_id, place.issue_id] if place.completed_at else []
        columns = (" ".join(map(str, column)) for column in zip(*given, strict=True))
        computed[place.pk] = (
            next(columns, ""),
            next(columns, ""),
            decided.get((place.round_id, place.issue_id), 0),
        )
    assert said == computed
    return said
