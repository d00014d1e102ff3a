"""Quotes of findings that a replication package leaves out: it is put into archives, where nobody can take it
back (docs/decisions/0044).
"""

from dataclasses import dataclass

from findings.models import Evidence
from findings.rules import may_write_findings
from interviews.models import Consent
from interviews.queries.exports import permissions
from studies.models import Membership, Study


@dataclass(frozen=True)
class QuotesLeftOut:
    """How many quotes of the findings a package leaves out: without a consent to quote, and of those with it,
    without one to archive.
    """

    quoting: int = 0
    archiving: int = 0


def quotes_left_out(study: Study, member: Membership | None) -> QuotesLeftOut:
    """Of the findings that this member may read; None: the shell, which reads all. Two queries."""
    found = Evidence.objects.filter(
        finding__study=study,
        finding__deleted_at=None,
        removed_at=None,
        quote__isnull=False,
        quote__coding__session__participant__erased_at=None,
    )
    if member is not None and not may_write_findings(member):
        found = found.filter(finding__frozen_at__isnull=False)
    rows = found.order_by().values_list("quote", "quote__coding__session__participant").distinct()
    quotes = dict(rows)
    permitted = permissions(set(quotes.values()))
    left = [permitted.get(who, set()) for who in quotes.values()]
    quoting = sum(Consent.Permission.QUOTE not in permits for permits in left)
    kept = sum({Consent.Permission.QUOTE, Consent.Permission.ARCHIVE} <= permits for permits in left)
    return QuotesLeftOut(quoting, len(left) - quoting - kept)
