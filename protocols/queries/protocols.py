"""Versions of the protocol of a study, and which of them counts for a round."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, QuerySet

from protocols.models import Protocol
from rounds.models import Label, Round
from studies.models import Study


@dataclass(frozen=True)
class LabelsBefore:
    """Labels of main rounds that exist already: how many, and since when."""

    labels: int
    since: datetime


def frozen_versions(study: Study) -> QuerySet[Protocol]:
    """The frozen versions, oldest first."""
    found = Protocol.objects.filter(study=study, frozen_at__isnull=False)
    return found.select_related("study", "frozen_by__user", "version").order_by("number")


def draft_of(study: Study) -> Protocol | None:
    """The draft, for those who may plan."""
    found = Protocol.objects.filter(study=study, frozen_at=None)
    return found.select_related("study", "made_by__user", "saved_by__user", "version").first()


def protocol_in_force(study: Study) -> Protocol | None:
    """The newest frozen version; None if nothing was fixed."""
    return frozen_versions(study).last()


def in_force_for(round_: Round, versions: Sequence[Protocol]) -> Protocol | None:
    """Of these frozen versions, oldest first, the one that was in force when the round was opened. A round
    that was opened before any version was frozen is compared with the first one.
    """
    opened = round_.opened_at
    before = [one for one in versions if opened is None or (one.frozen_at and one.frozen_at <= opened)]
    return before[-1] if before else next(iter(versions), None)


def main_rounds(study: Study) -> list[Round]:
    """The opened main rounds of a study that were labelled here, by time of opening."""
    found = Round.objects.filter(study=study, kind=Round.Kind.MAIN, opened_at__isnull=False)
    ordered = found.select_related("study", "version__taxonomy").order_by("opened_at", "pk")
    return [one for one in ordered if not one.is_imported]


def labels_before(study: Study) -> LabelsBefore | None:
    """How many labels main rounds have already, for the warning to those who plan; None without any."""
    rounds: Iterable[Round] = main_rounds(study)
    found = Label.objects.filter(round__in=[one.pk for one in rounds]).aggregate(
        labels=Count("pk"), since=Min("submitted_at")
    )
    return LabelsBefore(found["labels"], found["since"]) if found["labels"] else None
