"""What the parts of the demonstration study have in common: who is in it, and when it is told to happen."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone

from ingest.models import Issue
from studies.models import Guideline, Membership, Study


@dataclass(frozen=True)
class Story:
    """What the rounds have in common. `guidelines` are oldest first."""

    study: Study
    members: Mapping[str, Membership]
    guidelines: list[Guideline]

    @property
    def lead(self) -> Membership:
        return self.members["R2"]

    def volunteers(self, *but: str) -> list[Membership]:
        names = (f"R{number}" for number in range(1, 8))
        return [self.members[name] for name in names if name not in but]

    def issues(self) -> dict[str, Issue]:
        return {issue.url: issue for issue in Issue.objects.filter(repository__study=self.study)}


def days_ago(days: int) -> date:
    return timezone.localdate() - timedelta(days=days)


def moment(days: int, hours: float = 0) -> datetime:
    """So many days ago at this hour of the day, in UTC."""
    return timezone.now().replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(
        days=-days, hours=hours
    )
