"""What the rows of a study already say of its plan. Nothing that only people can say."""

from collections import Counter
from typing import Any

from annotate.models import Sample
from ingest.models import KeywordList, Repository
from reports.agreement_report import level_name
from rounds.models import Round, RoundIssue, RoundVolunteer
from studies.models import Study
from taxonomy.models import Version

MOST_NAMED = 100


def versions_of(study: Study) -> dict[str, Version]:
    """The published taxonomy versions of a study by their name in a plan. One query."""
    found = Version.objects.filter(taxonomy__study=study, published_at__isnull=False)
    return {named(one): one for one in found.select_related("taxonomy").order_by("taxonomy_id", "number")}


def named(version: Version) -> str:
    """A taxonomy version as a plan names it."""
    return f"{version.taxonomy.name} v{version.number}"


def from_rows(study: Study) -> dict[str, Any]:
    """The values of a plan that the rows of the study give, for its newest main round. Eight queries."""
    found: dict[str, Any] = {"sources": _repositories(study), "keywords": _keywords(study)}
    sample = Sample.objects.filter(study=study).order_by("-pk").first()
    if sample:
        drawn = sample.drawn.count()
        found |= {"sample": sample.name, "seed": sample.seed, "size": drawn}
    rounds = list(
        Round.objects.filter(study=study, kind__in=Round.PLANNED).select_related("version__taxonomy")
    )
    kinds = Counter(one.kind for one in rounds)
    names = {
        "screenings": Round.Kind.SCREENING,
        "pilots": Round.Kind.PILOT,
        "trainings": Round.Kind.TRAINING,
        "main_rounds": Round.Kind.MAIN,
    }
    if rounds:
        found |= {key: kinds[kind] for key, kind in names.items()}
    mains = [one for one in rounds if one.kind == Round.Kind.MAIN and not one.is_imported]
    if mains:
        newest = max(mains, key=lambda one: one.pk)
        found |= {
            "taxonomy": named(newest.version),
            "raters": RoundVolunteer.objects.filter(round=newest, left_at=None).count(),
            "per_issue": newest.labels_per_issue,
            "size": RoundIssue.objects.filter(round=newest).count() or found.get("size"),
            "order": newest.order,
            "reveal": newest.reveal,
            "rule": newest.rule,
            "majority": newest.majority,
            "level": level_name(newest.depth),
        }
    return {key: value for key, value in found.items() if value not in {None, ""}}


def _repositories(study: Study) -> str:
    names = [str(one) for one in Repository.objects.filter(study=study).order_by("pk")[: MOST_NAMED + 1]]
    more = ["…"] if len(names) > MOST_NAMED else []
    return "\n".join([*names[:MOST_NAMED], *more])


def _keywords(study: Study) -> str:
    lists = KeywordList.objects.filter(study=study, retired_at=None).order_by("name")
    numbers = lists.values_list("name", "versions__number").order_by("name", "-versions__number")
    newest: dict[str, int | None] = {}
    for name, number in numbers:
        newest.setdefault(name, number)
    return "\n".join(f"{name} v{number}" if number else name for name, number in newest.items())
