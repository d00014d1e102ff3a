"""Agreement before and after consensus, in short: what the page of the agreement report shows of it."""

from dataclasses import dataclass

from annotate import statements as say
from annotate.agreement import Coefficient
from annotate.before_after import BeforeAfter
from annotate.reports import AgreementReport
from annotate.tables import number

SHOWN = ("fleiss_kappa", "percent_agreement", "gwet_ac1")


@dataclass(frozen=True)
class Line:
    """One coefficient before and after, as texts; where there is no value the text says why."""

    key: str
    name: str
    before: str
    interval: str
    after: str


@dataclass(frozen=True)
class BothWays:
    both: BeforeAfter
    lines: list[Line]
    caveat: str


def both_ways(report: AgreementReport) -> BothWays | None:
    """The few coefficients that the report shows; None where nobody voted."""
    both = report.consensus
    if both is None:
        return None
    return BothWays(both, [line(both, key) for key in SHOWN], str(say.BALLOTS_KNOW))


def line(both: BeforeAfter, key: str) -> Line:
    before, after = both.before.coefficients[key], both.after.coefficients[key]
    return Line(
        key=key,
        name=str(say.COEFFICIENTS[key][0]),
        before=_text(before),
        interval=say.span(before.low, before.high),
        after=_text(after),
    )


def _text(found: Coefficient) -> str:
    return number(found.value) or say.undefined(found.reason)
