"""Facts that are computed from labels: revealed ones only, without what is withheld from their reader."""

from collections.abc import Sequence
from functools import reduce
from operator import or_

from django.db.models import Count, Exists, OuterRef, Q

from agreement.shares import share
from consensus.models import Comment, Decision, Disagreement
from consensus.queries.consensus_numbers import consensus_numbers
from consensus.queries.screening import excluded_codes
from reports.agreement_report import agreement_report, level_name
from reports.queries.independence import suspicions, suspicions_for_page
from reports.sentences.agreement import is_paradox
from rounds.models import Round
from rounds.queries.blindness import NOTHING, Reader, seen_by, withheld_issues
from rounds.queries.categories import codebook
from rounds.queries.rounds import revealed
from standards.facts import AgreementFacts, Estimate, ScreeningFacts, SettledFacts
from studies.models import Membership


def agreement_facts(
    round_: Round, member: Membership | None, *, whole: bool = False
) -> AgreementFacts | None:
    """The agreement of a round; None before anything is revealed that this member may see."""
    report = agreement_report(round_, blind=withheld_issues(round_, member))
    found = report.overall
    if not found.compared:
        return None
    signs = suspicions(report) if whole else suspicions_for_page(report)
    return AgreementFacts(
        level=level_name(report.level),
        issues=found.issues,
        raters=found.raters,
        labels=found.labels,
        equal_labels=found.equal_labels,
        coefficients={
            name: Estimate(one.value, one.low, one.high) for name, one in found.coefficients.items()
        },
        is_paradox=is_paradox(found),
        categories=found.choosable,
        withheld=report.withheld,
        incomplete=found.left_out.get("incomplete_issues", 0),
        coached=report.coached,
        twice=report.intra.pooled.issues if report.intra else 0,
        signs=None if signs is None or not report.columns else len(signs),
    )


def settled_facts(round_: Round, member: Membership | None) -> SettledFacts:
    """How the disagreements of a round were settled, as far as this member may see them."""
    found = consensus_numbers(round_, member)
    seen = seen_by(Disagreement.objects.filter(round=round_), round_, member)
    argued = Comment.objects.filter(
        round=round_, issue=OuterRef("issue"), said_at__lte=OuterRef("decided_at")
    )
    decided = Decision.objects.filter(
        Exists(argued), round=round_, superseded_at=None, issue__in=seen.values("issue")
    )
    names = ("meetings", "unanimity", "majority", "chair", "pair", "lead", "bulk", "open")
    return SettledFacts(**{name: getattr(found, name) for name in names}, argued=decided.count())


def screening_facts(rounds: Sequence[Round], member: Membership | None) -> ScreeningFacts | None:
    """The decisions of all screenings together: one that excludes an issue suffices. At most three
    queries, and one for each version of a taxonomy that this process has not read.
    """
    screenings = [
        one for one in rounds if one.kind == Round.Kind.SCREENING and one.opened_at and one.excludes_id
    ]
    if not screenings:
        return None
    blind = Reader(member).withheld_issues(screenings)
    place = {"round": OuterRef("round"), "issue": OuterRef("issue")}
    shown = reduce(or_, map(revealed, screenings), NOTHING)
    out = reduce(
        or_,
        (Q(round=one, category__in=excluded_codes(codebook(one.version_id), one)) for one in screenings),
    )
    made = Decision.objects.filter(Exists(shown.filter(**place)), round__in=screenings, superseded_at=None)
    counted = made.exclude(Exists(blind.filter(**place))).aggregate(
        decided=Count("issue", distinct=True), excluded=Count("issue", distinct=True, filter=out)
    )
    rate = share(counted["excluded"], counted["decided"]) if counted["decided"] else None
    return ScreeningFacts(
        screenings[0].pk, **counted, low=rate.low if rate else None, high=rate.high if rate else None
    )
