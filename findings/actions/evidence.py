"""Attaching, removing and confirming the evidence of a finding."""

from collections.abc import Collection, Sequence

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from core import clock
from findings.actions.findings import hold, require_text
from findings.errors import EvidenceHidden, FindingRefused
from findings.models import Evidence, Finding
from findings.queries.evidence import CHANGED, HIDDEN, SAME, Live, common_quotes, live, report_figures
from findings.queries.findings import finding_line
from ingest.models import Issue
from interviews.models import Question, Quote
from reports.agreement_report import LEVELS
from rounds.models import Round, RoundIssue
from studies.actions import remove_copies
from studies.actions.copies import hold_study
from studies.models import Membership
from taxonomy.models import Category

LONGEST_NOTE, MOST = 500, 200


@transaction.atomic
def attach_quote(*, finding: Finding, quote: Quote, by: Membership, note: str = "") -> Evidence:
    """Attach a common quote whose participant permits quoting. Raises FindingRefused, FindingFrozen and
    PermissionDenied.
    """
    held = hold(finding, by, quote=quote)
    if quote.pk not in {one.pk for one in common_quotes(by, held.study_id)}:
        raise FindingRefused(
            _(
                "Only settled quotes of revealed interviews can be attached, and only if the participant"
                " permits quoting. Nothing was stored."
            ),
            field="quote",
        )
    return _attach(held, Evidence(kind=Evidence.Kind.QUOTE, quote=quote), by, note)


@transaction.atomic
def attach_issue(
    *, finding: Finding, issue: Issue, by: Membership, round_: Round | None = None, note: str = ""
) -> Evidence:
    """Attach an issue, with its decision in a round if one is given. Raises FindingRefused, FindingFrozen,
    EvidenceHidden and PermissionDenied.
    """
    held = hold(finding, by)
    hold_study(held.study_id)  # nobody removes issues of the study meanwhile
    is_there = Issue.objects.filter(pk=issue.pk, repository__study=held.study_id).exists()
    if not is_there or (round_ and round_.study_id != held.study_id):
        raise FindingRefused(_("This study has no such issue. Nothing was stored."), field="issue")
    if round_ and not RoundIssue.objects.filter(round=round_, issue=issue).exists():
        raise FindingRefused(_("This issue is not in that round. Nothing was stored."), field="round")
    return _attach(held, Evidence(kind=Evidence.Kind.ISSUE, issue=issue, round=round_), by, note)


@transaction.atomic
def attach_ranking(
    *, finding: Finding, question: Question, category: Category, by: Membership, note: str = ""
) -> Evidence:
    """Attach the ranks of a category in the answers to a question. Raises FindingRefused, FindingFrozen and
    PermissionDenied.
    """
    held = hold(finding, by)
    if question.part.guide.study_id != held.study_id or not question.is_ranking:
        raise FindingRefused(_("This study has no such ranking. Nothing was stored."), field="question")
    made = Evidence(kind=Evidence.Kind.RANKING, question=question, category=category)
    return _attach(held, made, by, note, missing=_("Nobody ranked this category. Nothing was stored."))


@transaction.atomic
def attach_number(
    *, finding: Finding, round_: Round, level: str, figure: Sequence[str], by: Membership, note: str = ""
) -> Evidence:
    """Attach a number of the agreement report of a round. Raises FindingRefused, EvidenceHidden,
    FindingFrozen and PermissionDenied.
    """
    held = hold(finding, by)
    known = level in LEVELS and round_.study_id == held.study_id and round_.opened_at is not None
    if not known or tuple(figure) not in report_figures(round_, level):
        raise FindingRefused(_("The report has no such number. Nothing was stored."), field="figure")
    made = Evidence(kind=Evidence.Kind.NUMBER, round=round_, level=level, figure=list(figure))
    return _attach(held, made, by, note, missing=_("This number is undefined. Nothing was stored."))


def _attach(finding: Finding, made: Evidence, by: Membership, note: str, *, missing: str = "") -> Evidence:
    """Store it with what it is now. The same source twice is refused."""
    others = finding.evidence.filter(removed_at=None)
    if others.count() >= MOST:
        raise FindingRefused(_("A finding can have %(most)s pieces of evidence.") % {"most": MOST})
    same = {
        name: getattr(made, name)
        for name in ("kind", "issue", "round", "quote", "question", "category", "level", "figure")
    }
    if others.filter(**same).exists():
        raise FindingRefused(_("This evidence is already attached. Nothing was stored."))
    made.finding, made.attached_by = finding, by
    made.note = require_text(finding.study_id, note, "note", LONGEST_NOTE)
    made.number = int(finding.evidence.aggregate(last=Max("number"))["last"] or 0) + 1
    made.save()
    now: Live = live(by, [made])[made.pk]
    if now.state == HIDDEN:
        raise EvidenceHidden
    if now.state != SAME:
        raise FindingRefused(missing or _("This evidence no longer exists. Nothing was stored."))
    made.noted = dict(now.noted)
    made.save(update_fields=["noted"])
    return made


@transaction.atomic
def remove_evidence(*, finding: Finding, number: int, by: Membership, back: bool = False) -> None:
    """Remove a piece of evidence, or bring it `back`. Raises FindingFrozen, FindingRefused and
    PermissionDenied.
    """
    held = hold(finding, by)
    held.evidence.filter(number=number).update(removed_at=None if back else clock.now())
    if not back:
        remove_copies(held.study_id)


@transaction.atomic
def confirm_evidence(*, finding: Finding, by: Membership, numbers: Collection[int] | None = None) -> int:
    """Say that the finding still holds with its evidence as it is now; what is hidden from the lead stays.
    Returns how many pieces were confirmed. Raises FindingFrozen, FindingRefused and PermissionDenied.
    """
    held = hold(finding, by)
    changed = [one for one in finding_line(held, by).evidence if one.state == CHANGED]
    chosen = [one for one in changed if numbers is None or one.number in numbers]
    for one in chosen:
        Evidence.objects.filter(pk=one.evidence.pk).update(noted=dict(one.live.noted))
    return len(chosen)
