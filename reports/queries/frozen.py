"""The frozen agreement reports of a round."""

from typing import Any

from django.db.models import JSONField, QuerySet
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Cast
from django.utils.text import slugify

from reports.models import FrozenReport
from rounds.models import Round


def frozen_reports(round_: Round) -> QuerySet[FrozenReport]:
    """The frozen reports of a round, newest first, without their documents."""
    found = round_.frozen_reports.select_related("round__study", "frozen_by", "version__taxonomy")
    return found.defer("document").order_by("-pk")


def at_levels(round_: Round, *names: str) -> dict[int, dict[str, Any]]:
    """The JSON of a round's frozen reports, by report and level; None for a missing level. One query."""
    levels = KeyTransform("levels", Cast("document", JSONField()))
    found = {f"at_{place}": KeyTransform(name, levels) for place, name in enumerate(names)}
    rows = FrozenReport.objects.filter(round=round_).annotate(**found).values_list("pk", *found)
    return {pk: dict(zip(names, at, strict=True)) for pk, *at in rows}


def package_files(round_: Round) -> dict[str, FrozenReport]:
    """The frozen reports of a round, without their documents, by file name in its package: the slug of the
    report's name, with the report's key if the slug is empty or taken. One query.
    """
    named: dict[str, FrozenReport] = {}
    for one in frozen_reports(round_).order_by("pk"):
        stem = slugify(one.name)
        while not stem or f"reports/{stem}.json" in named:
            stem = f"{stem}-{one.pk}".strip("-")
        named[f"reports/{stem}.json"] = one
    return named
