"""The people, moments and rounds that the parts of the demonstration share, and the order of its events."""

import heapq
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.functional import cached_property

from annotate.actions.labels import submit_label
from annotate.label_input import LabelInput
from consensus.actions.decisions import settle_issue
from core import clock
from ingest.models import Issue
from rounds.models import Round
from studies.models import Membership, Study
from taxonomy.models import Category
from taxonomy.queries.codebooks import Codebook, codebook


@dataclass
class Story:
    """The demonstration study while it is loaded. All its moments count back from `told_at`, the present."""

    study: Study
    members: Mapping[str, Membership]
    told_at: datetime

    @property
    def owner(self) -> Membership:
        return self.members["R1"]

    @property
    def lead(self) -> Membership:
        return self.members["R2"]

    def volunteers(self, *but: str) -> list[Membership]:
        """R1 to R7, without the members named in `but`."""
        names = (f"R{number}" for number in range(1, 8))
        return [self.members[name] for name in names if name not in but]

    @cached_property
    def issues(self) -> dict[str, Issue]:
        """The issues of the study by their URLs."""
        return {issue.url: issue for issue in Issue.objects.filter(repository__study=self.study)}

    def day(self, days_ago: int) -> date:
        return timezone.localdate(self.told_at) - timedelta(days=days_ago)

    def moment(self, days_ago: int, hours: float = 0) -> datetime:
        return moment(self.told_at, days_ago, hours)

    def at(self, days_ago: int, hours: float = 0) -> AbstractContextManager[None]:
        """Set the clock to that moment."""
        return clock.at(self.moment(days_ago, hours))


def moment(told_at: datetime, days_ago: int, hours: float = 0) -> datetime:
    """This hour of the day, in UTC, that number of days before `told_at`."""
    midnight = told_at.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + timedelta(days=-days_ago, hours=hours)


@dataclass
class Scene:
    """A round of the story, with the events planned in it. They run in the order of their moments."""

    story: Story
    round: Round
    _planned: list[tuple[datetime, int, Callable[[], Any]]] = field(default_factory=list)
    _count: int = 0

    def plan(self, at: datetime, act: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
        """Plan an action, even while one runs; actions of the same moment run in the order of planning."""
        self._count += 1
        heapq.heappush(self._planned, (at, self._count, lambda: act(*args, **kwargs)))

    def run(self) -> None:
        """Run all planned actions, each with the clock set to its moment."""
        while self._planned:
            at, _number, act = heapq.heappop(self._planned)
            with clock.at(at):
                act()

    @cached_property
    def book(self) -> Codebook:
        return codebook(self.round.version_id)

    def category(self, code: str) -> Category | None:
        """The category with a code. None without a code: an abstention, or a comment for no category."""
        return self.book.by_code[code].category if code else None

    def label(self, code: str, summary: str = "", name: str = "", reason: str = "") -> LabelInput:
        """A label as in the files. With the `name` of a missing category, `code` is the nearest category."""
        return LabelInput(
            category=self.book.by_code[code].category_id,
            summary=summary,
            unsure=summary.endswith("?"),
            proposed_name=name,
            proposed_reason=reason,
        )

    def submit(self, at: datetime, url: str, member: Membership, given: LabelInput) -> None:
        """Plan that a member submits this label."""
        issue = self.story.issues[url]
        self.plan(at, submit_label, round_=self.round, issue=issue, member=member, given=given)

    def settle(
        self, url: str, code: str, rationale: str, *, by: Membership | None = None, seen_number: int = 0
    ) -> None:
        """Settle a disagreement, as the lead if nobody is named."""
        settle_issue(
            round_=self.round,
            issue=self.story.issues[url],
            by=by or self.story.lead,
            category=self.book.by_code[code].category,
            rationale=rationale,
            seen_number=seen_number,
        )
