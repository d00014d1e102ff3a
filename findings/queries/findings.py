"""Findings with their evidence, as one reader may see them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from findings.models import Evidence, Finding
from findings.queries.evidence import (
    CHANGED,
    GONE,
    HIDDEN,
    SAME,
    SILENT,
    UNARCHIVED,
    Live,
    in_words,
    is_as_noted,
    live,
)
from findings.rules import may_write_findings
from studies.models import Membership, Study
from studies.queries import studies_for

PLACE = re.compile(r"\{(\d{1,4})\}")
"""The value of a piece of evidence in the text of a finding."""


@dataclass(frozen=True)
class EvidenceLine:
    """A piece of evidence for one reader. `was` is its value when it was confirmed, if that is another one
    now; `shown` the value in the text of its finding.
    """

    evidence: Evidence
    live: Live
    state: str
    was: str = ""
    shown: str = ""

    @property
    def number(self) -> int:
        return self.evidence.number


@dataclass(frozen=True)
class Told:
    """A piece of a finding's text; `number` is that of the evidence that it is the value of, 0 for words."""

    text: str
    number: int = 0
    state: str = SAME


@dataclass(frozen=True)
class FindingLine:
    """A finding for one reader. `number` is its place, 0 for a deleted one."""

    finding: Finding
    number: int
    evidence: list[EvidenceLine]

    @property
    def told(self) -> list[Told]:
        """The text with the values of its evidence in their places."""
        return list(told(self.finding.text, self.evidence))

    @property
    def text(self) -> str:
        return "".join(one.text for one in self.told)

    @property
    def changed(self) -> int:
        """How many pieces of evidence are no longer what they were, as far as the reader may know."""
        return sum(one.state not in {SAME, HIDDEN} for one in self.evidence)

    @property
    def is_changed(self) -> bool:
        return self.changed > 0


def findings_for(user: User | AnonymousUser) -> QuerySet[Finding]:
    """The findings of the studies that this user is a member of, readable or not."""
    return Finding.objects.filter(study__in=studies_for(user)).select_related("study", "frozen_by", "made_by")


def finding_lines(
    study: Study, member: Membership | None, *, deleted: bool = False, is_archived: bool = False
) -> list[FindingLine]:
    """The findings that this member may read, in their order, with their evidence; None: the shell, which
    reads all. `deleted`: those that are deleted. `is_archived`: for a package, without quotes that may not be
    archived. The number of queries does not grow with the findings.
    """
    found = list(_with_evidence(Finding.objects.filter(study=study, deleted_at__isnull=not deleted)))
    numbers = {one.pk: 0 if deleted else place for place, one in enumerate(found, 1)}
    if member is not None and not may_write_findings(member):
        found = [one for one in found if one.frozen_at and not deleted]
    return _lines(found, member, numbers, is_archived=is_archived)


def finding_line(finding: Finding, member: Membership) -> FindingLine:
    """One finding as this member may see it."""
    [found] = _with_evidence(Finding.objects.filter(pk=finding.pk))
    return _lines([found], member, {found.pk: number_of(found)})[0]


def number_of(finding: Finding) -> int:
    """Its place among the findings of its study; 0 if it is deleted."""
    if finding.deleted_at:
        return 0
    order = Finding.objects.filter(study=finding.study_id, deleted_at=None).values_list("pk", flat=True)
    return list(order).index(finding.pk) + 1


def removed_evidence(finding: Finding) -> QuerySet[Evidence]:
    """What was removed and can come back, without its content."""
    return finding.evidence.filter(removed_at__isnull=False)


def _with_evidence(findings: QuerySet[Finding]) -> QuerySet[Finding]:
    rows = Evidence.objects.filter(removed_at=None).select_related(
        "issue__repository__study",
        "issue__current",
        "round__version__taxonomy",
        "round__study",
        "question__part__guide",
        "finding__study",
    )
    return findings.select_related("study", "frozen_by", "made_by").prefetch_related(
        Prefetch("evidence", rows, to_attr="attached")
    )


def _lines(
    found: Sequence[Finding],
    member: Membership | None,
    numbers: dict[int, int],
    *,
    is_archived: bool = False,
) -> list[FindingLine]:
    attached: list[Evidence] = [one for finding in found for one in finding.attached]  # type: ignore[attr-defined]  # prefetched
    now = live(member, attached, is_archived=is_archived)
    return [
        FindingLine(
            finding,
            numbers[finding.pk],
            [_line(one, now[one.pk], finding) for one in finding.attached],  # type: ignore[attr-defined]  # prefetched
        )
        for finding in found
    ]


def _line(one: Evidence, now: Live, finding: Finding) -> EvidenceLine:
    """A frozen finding shows the value of the moment when it was frozen, a live one the current value."""
    if now.state != SAME:
        return EvidenceLine(one, now, now.state, shown=_instead(now.state))
    before = noted_in_words(one)
    frozen = finding.frozen_at is not None and one.kind in {Evidence.Kind.NUMBER, Evidence.Kind.RANKING}
    shown = before if frozen and before else now.value
    if is_as_noted(one.noted, now.noted):
        return EvidenceLine(one, now, SAME, shown=shown)
    return EvidenceLine(one, now, CHANGED, before, shown)


def _instead(state: str) -> str:
    """What the text of a finding says in the place of a value that is not shown."""
    return {
        HIDDEN: _("[hidden from you]"),
        SILENT: _("[not to be quoted]"),
        UNARCHIVED: _("[not to be archived]"),
        GONE: _("[no longer there]"),
    }.get(state, _("[erased]"))


def noted_in_words(one: Evidence) -> str:
    """The value that somebody confirmed; of a quote its codes, since its words are kept nowhere else."""
    noted: dict[str, Any] = one.noted
    if one.kind == Evidence.Kind.NUMBER and noted.get("value") is not None:
        return in_words(noted["value"])
    if one.kind == Evidence.Kind.RANKING and "mean" in noted:
        return f"{noted['mean']:.2f}"
    if one.kind == Evidence.Kind.ISSUE:
        return noted.get("code") or _("no decision")
    if one.kind == Evidence.Kind.QUOTE and noted.get("codes"):
        return ", ".join(noted["codes"])
    return ""


def told(text: str, evidence: Iterable[EvidenceLine]) -> Iterable[Told]:
    """The text in pieces: words, and values of evidence. A place without evidence stays as it was typed."""
    by_number = {one.number: one for one in evidence}
    at = 0
    for place in PLACE.finditer(text):
        one = by_number.get(int(place[1]))
        if place.start() > at:
            yield Told(text[at : place.start()])
        at = place.end()
        if one is None:
            yield Told(place[0], int(place[1]), GONE)
        else:
            yield Told(one.shown, one.number, one.state)
    if at < len(text):
        yield Told(text[at:])
