"""Harvests of a study: their state and their numbers."""

from collections import Counter
from collections.abc import Iterable

from django.db.models import Max, QuerySet

from harvests.models import Harvest, Selection
from ingest.models import KeywordListVersion

FLOW = (
    "listed", "outside", "vanished", "pull_requests", "refused", "unmatched", "path_only", "matched",
    "by_hand", "kept_earlier", "kept", "new", "known", "changed",
)  # fmt: skip


def current_versions(lists: Iterable[int]) -> QuerySet[KeywordListVersion]:
    """The current version of each keyword list."""
    newest = (
        KeywordListVersion.objects.filter(keyword_list__in=list(lists))
        .values("keyword_list")
        .annotate(newest=Max("pk"))
    )
    chosen = KeywordListVersion.objects.filter(pk__in=newest.values("newest"))
    return chosen.select_related("keyword_list").order_by("keyword_list")


def latest_selection(harvest: Harvest) -> Selection | None:
    """The last finished selection of a harvest, or of a refresh of it."""
    mine = Selection.objects.filter(harvest=harvest) | Selection.objects.filter(harvest__refreshes=harvest)
    return mine.exclude(finished_at=None).order_by("-pk").first()


def totals(selection: Selection) -> dict[str, int]:
    """The numbers of a selection over all its repositories; of those that are 0 only the main ones."""
    sums: Counter[str] = Counter()
    for numbers in selection.counts.values():
        sums.update(numbers)
    main = {"listed", "matched", "kept"}
    return {name: sums[name] for name in FLOW if sums[name] or name in main}
