"""Where on their way each volunteer of an agreement report stood alone: tiredness and learning show there."""

from dataclasses import dataclass

import numpy as np

from annotate.agreement import MISSING, Stretch, dissents_by_place, lone_dissents
from annotate.at_level import places_at
from annotate.queries.agreement import ways
from annotate.reports import AgreementReport

TENTHS = 10


@dataclass(frozen=True)
class Way:
    """The tenths of one volunteer's own way through the round, or those of all together (`volunteer` "")."""

    volunteer: str
    labels: int
    stretches: tuple[Stretch, ...]

    @property
    def issues(self) -> int:
        """How many they labelled on which all others, two or more, agree."""
        return sum(stretch.issues for stretch in self.stretches)

    @property
    def alone(self) -> int:
        return sum(stretch.alone for stretch in self.stretches)


def dissents(report: AgreementReport) -> tuple[Way, ...]:
    """How often each volunteer stood alone in each tenth of their way, in the order of columns; then all
    together. () without labels at this level.

    A way is the order of their own submissions, over the issues that the report counts. A second or so for a
    full study: asked for, not shown by itself. Two queries.
    """
    found = ways(report.round, report.codebook, report.held)
    codes = np.append(places_at(report.codebook, report.level), np.int32(MISSING))[found.codes]
    base, alone = lone_dissents(codes)
    answer = []
    for column, volunteer in enumerate(found.volunteers):
        order, at = found.order[:, column], base[:, column]
        labels = int((order != MISSING).sum())
        if labels:
            stretches = dissents_by_place(order[at], alone[at, column], of=labels, parts=TENTHS)
            answer.append(Way(volunteer, labels, stretches))
    if not answer:
        return ()
    everybody = tuple(
        Stretch(sum(one.issues for one in tenth), sum(one.alone for one in tenth))
        for tenth in zip(*(way.stretches for way in answer), strict=True)
    )
    return (*answer, Way("", sum(way.labels for way in answer), everybody))
