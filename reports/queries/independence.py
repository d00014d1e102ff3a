"""Whether the labels of a report look as if they had been given independently."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from agreement import MISSING, Sign, signs_of_dependence
from reports.agreement_report import AgreementReport, Numbers
from reports.level_agreement import places_at
from reports.queries.label_tuples import labels_in_order
from rounds.models import Round
from rounds.queries.blindness import NOTHING, WithheldIssues
from rounds.queries.categories import categories_of
from taxonomy.models import Level


@dataclass(frozen=True)
class Suspicion:
    """A sign that labels were not given independently; of a run, with the issue at which it begins."""

    sign: Sign
    issue_id: int | None


def suspicions(report: AgreementReport) -> tuple[Suspicion, ...]:
    """What in the order and the equality of a round's labels independent labels would hardly show, at the
    report's level; () where columns are no volunteers.

    A second or two for a full study: asked for, not shown by itself, and kept while the labels stay. Two
    queries.
    """
    if not report.columns:
        return ()
    if report.blind.query.is_empty():
        return _kept_suspicions(report.numbers, report.round, report.level)
    return _suspicions(report.round, report.level, report.blind)


@lru_cache(maxsize=8)
def _kept_suspicions(_numbers: Numbers, round_: Round, level: Level) -> tuple[Suspicion, ...]:
    return _suspicions(round_, level)


def _suspicions(round_: Round, level: Level, blind: WithheldIssues = NOTHING) -> tuple[Suspicion, ...]:
    book = categories_of(round_.version_id)
    places = np.append(places_at(book, level), np.int32(MISSING))
    found = labels_in_order(round_, book, blind)
    signs = signs_of_dependence(
        {path: (places[one.codes], places[one.decided]) for path, one in found.items()}
    )
    return tuple(
        Suspicion(sign, None if sign.first is None else found[sign.part].issues[sign.first]) for sign in signs
    )
