"""The numbers of a round's agreement report, computed from its labels."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache, wraps
from itertools import product
from operator import attrgetter
from types import EllipsisType
from typing import Any, TypeVar

import numpy as np
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from agreement import MISSING, Agreement, IntraRater, Patterns, intra_rater
from core import clock
from core.errors import DomainError
from ingest.queries.issues import repository_names
from reports.level_agreement import agreement_within, choosable_at, places_at
from reports.queries.label_tuples import Tuples, labelled_twice, tuples
from reports.queries.repeats import Repeats, repeats
from reports.queries.rounds_compared import RoundAgreement, other_rounds
from rounds.models import Round
from rounds.queries.admissions import NOBODY, Admissions, admissions
from rounds.queries.blindness import NOTHING, Reader, WithheldIssues
from rounds.queries.categories import categories_of
from rounds.queries.coached import CoachedIssues, coached_in_report
from rounds.queries.first_labels import FormerCategories
from taxonomy.models import Level
from taxonomy.queries.codebooks import Codebook
from taxonomy.queries.unvoted import codes_without_vote

GROUPINGS = ("type", "category", "repository", "month", "round")
BY = (("type",), ("repository",), ("month",))
"""The groupings of a frozen report."""
PAGE_BY = (*BY, ("round",))
"""The groupings of the page, of its files, and of the report in a package."""
LEVELS = {"type": Level.TYPE, "theme": Level.THEME, "sub-theme": Level.SUB_THEME}


class LevelTooDeep(DomainError):
    message = _("The taxonomy has no categories at this level.")
    status = 422


@dataclass(frozen=True)
class Group:
    """One group of issues and its agreement. `key` is {} for all issues, else {"type": "C"} and so on.

    The agreement's `left_out` counts `undecided_issues`: complete issues that a later decision can put into
    the group, since they have no decision yet, or one above the level of the group. `rows` are the rows of
    its issues in the label tuples of the report; those of another round are not in them.
    """

    key: dict[str, str]
    agreement: Agreement
    rows: NDArray[np.bool_] | EllipsisType = field(default=..., repr=False, compare=False)


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers that depend only on the labels of a round at one level; cached until the labels change.

    `labels` are the label tuples as read. `places` [C] maps each category's place in the codebook to its
    place at this level, or -1. `patterns` are the distinct label tuples at this level, and `decided` [P] is
    the decided category of each row, -1 for none; rows with different decisions stay separate.
    """

    labels: Tuples
    places: NDArray[np.int32]
    patterns: Patterns
    decided: NDArray[np.int32]
    groups: tuple[Group, ...]
    computed: dict[object, Any] = field(init=False, default_factory=dict, repr=False)


@dataclass(frozen=True)
class AgreementReport:
    """The agreement of a round at one level, for all its complete issues and for the requested groups.

    `complete` counts all complete, revealed issues, with a label at this level or without. `withheld` issues
    are withheld from the reader and in no other number. `intra` compares second labels of the drift check
    with first labels; None without second labels. `issues` are those of `Tuples`. `reader` is the member who
    reads the other rounds of the study; None reads no other round. Volunteers were coached on `coached` of
    the complete issues (`coached_issues`); these are in no number if `without` holds them. All numbers are of
    the first labels: `again` labels of `looked_at_again` issues, given in a second look after the reveal, are
    left out. `had_looks`: the round had second looks, with counted issues or without. `alone` are the codes
    of categories of the round's version that were added or split without a vote. `blind` issues of this
    round are left out: those withheld from the reader, and those `without`. `rounds` are this round and
    the others if `by` contains "round", else empty. `admissions`: who labelled without a passed training.
    `repeats`: what became of the planned drift check, None without one.
    """

    round: Round
    level: Level
    as_of: datetime
    complete: int
    withheld: int
    numbers: Numbers
    codebook: Codebook
    intra: IntraRater | None
    issues: tuple[tuple[int, int | None, int, int], ...] = ()
    reader: Reader | None = None
    blind: WithheldIssues = NOTHING
    coached: int = 0
    coached_issues: CoachedIssues = NOTHING
    without: WithheldIssues = NOTHING
    without_coached: bool = False
    again: int = 0
    looked_at_again: int = 0
    had_looks: bool = False
    alone: tuple[str, ...] = ()
    rounds: tuple[RoundAgreement, ...] = ()
    admissions: Admissions = NOBODY
    repeats: Repeats | None = None
    computed: dict[object, Any] = field(init=False, default_factory=dict, repr=False, compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.numbers.labels.columns

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        of_rounds = [Group({"round": one.round.name}, one.agreement) for one in self.rounds if one.agreement]
        return (*self.numbers.groups, *of_rounds)

    @property
    def overall(self) -> Agreement:
        return self.groups[0].agreement

    def by(self, *names: str) -> tuple[Group, ...]:
        """The groups of one grouping, or of crossed groupings."""
        return tuple(group for group in self.groups if set(group.key) == set(names))

    def undecided(self, name: str) -> int:
        """Complete issues that are in no group of the grouping `name`; 0 without any group."""
        return max(
            (group.agreement.left_out.get("undecided_issues", 0) for group in self.by(name)), default=0
        )


Answer = TypeVar("Answer")
Computed = Callable[[AgreementReport], Answer]


def computed_once(compute: Computed[Answer]) -> Computed[Answer]:
    """Compute the answer at the first call and cache it in the report."""
    return _kept(compute, attrgetter("computed"))


def computed_of_labels(compute: Computed[Answer]) -> Computed[Answer]:
    """For answers that depend on the labels alone: cache them in the `Numbers`, which reports share."""
    return _kept(compute, attrgetter("numbers.computed"))


def _kept(compute: Computed[Answer], place: Computed[dict[object, Any]]) -> Computed[Answer]:
    @wraps(compute)
    def kept(report: AgreementReport) -> Answer:
        answers = place(report)
        if compute not in answers:
            answers[compute] = compute(report)
        answer: Answer = answers[compute]
        return answer

    return kept


def level_name(level: int) -> str:
    """The level's name in commands and files, in every language: type, theme, sub-theme."""
    return next(name for name, number in LEVELS.items() if number == level)


def agreement_report(
    round_: Round,
    *,
    level: Level | None = None,
    by: Iterable[Sequence[str]] = (),
    blind: WithheldIssues = NOTHING,
    reader: Reader | None = None,
    without_coached: bool = False,
) -> AgreementReport:
    """The agreement of a round's complete, revealed issues, without the `blind` issues.

    `level`: the round's depth by default. `by`: groupings, each a sequence of names of GROUPINGS to cross
    ("round" with no other); the first group is always all issues, and rounds come last. An issue decided
    above the level is in no group: each group counts in `left_out` the undecided issues of its other values.
    `reader`: the reader of the study's other rounds, such as a screening's false positives; None reads none.
    `without_coached` leaves out the issues that volunteers were coached on (rounds.queries.coached).

    Raises LevelTooDeep, ValueError for an unknown grouping. Three queries for unchanged labels, two more for
    changed labels (four if volunteers came or went); one for pilots and trainings, and one to count coached
    issues if there can be any; two for a version that is not the first; two for the drift check, one for the
    repositories if requested, one to count withheld issues if there can be any, for rounds the queries of
    `other_rounds`, and for a round that asks for a training those of `admissions`.
    """
    level = Level(level or round_.depth)
    groupings = tuple(tuple(names) for names in by)
    for names in groupings:
        if unknown := set(names) - set(GROUPINGS):
            raise ValueError(f"unknown grouping: {', '.join(sorted(unknown))}")
        if "round" in names and len(names) > 1:
            raise ValueError("rounds are crossed with no other grouping")
    book = categories_of(round_.version_id)
    if not book.at_level(level):
        raise LevelTooDeep
    by_repository = any("repository" in names for names in groupings)
    coached, counted = coached_in_report(round_, blind)
    without = coached if without_coached else NOTHING
    left = blind | without
    found = tuples(round_, book, blind=left, by_repository=True, by_month=True, by_year=True)
    book = found.book or book
    names_of = tuple(repository_names(round_.study_id).items()) if by_repository else ()
    within = tuple(names for names in groupings if names != ("round",))
    compute = _numbers if found.edition else _numbers.__wrapped__
    numbers = compute(found, book, level, within, names_of)
    withheld = blind.filter(completed_at__isnull=False).count()
    rounds: tuple[RoundAgreement, ...] = ()
    if within != groupings:
        own = RoundAgreement(round_, numbers.groups[0].agreement, withheld, found, book)
        rounds = _rounds(own, level, reader, without_coached=without_coached)
    return AgreementReport(
        round=round_,
        level=level,
        as_of=found.as_of,
        complete=int(found.counts.sum()),
        withheld=withheld,
        numbers=numbers,
        codebook=book,
        intra=_intra(round_, book, level, left),
        issues=found.issues,
        reader=reader,
        blind=left,
        coached=counted.count(),
        coached_issues=counted,
        without=without,
        without_coached=without_coached,
        again=found.again,
        looked_at_again=found.looked_at_again,
        had_looks=found.had_looks,
        alone=codes_without_vote(round_.version),
        rounds=rounds,
        admissions=admissions(round_, blind=left),
        repeats=repeats(round_, left, reader.member if reader else None),
    )


@lru_cache(maxsize=32)
def _numbers(
    found: Tuples,
    book: Codebook,
    level: Level,
    by: tuple[tuple[str, ...], ...],
    repositories: tuple[tuple[int, str], ...],
) -> Numbers:
    """The numbers of these tuples. `repositories`: ids and names, in the order of their groups."""
    rolled = places_at(book, level)
    codes = [state.code for state in book.at_level(level)]
    nowhere = np.zeros(len(found.counts), dtype=np.bool_)
    q = choosable_at(found, level)
    groups = [Group({}, agreement_within(found, rolled, codes, found.left_out, q=q))]
    for names in by:
        axes = [_axis(name, found, book, level, repositories) for name in names]
        undecided = [~np.logical_or.reduce([nowhere, *(mask for _value, mask in axis)]) for axis in axes]
        for cell in product(*axes):
            chosen = np.logical_and.reduce([mask for _value, mask in cell])
            if not chosen.any():
                continue
            key = {name: value for name, (value, _mask) in zip(names, cell, strict=True)}
            possible = np.logical_and.reduce(
                [mask | none for (_value, mask), none in zip(cell, undecided, strict=True)]
            )
            count = int(found.counts[possible & ~chosen].sum())
            left_out = {"undecided_issues": count} if count else {}
            found_there = agreement_within(found, rolled, codes, left_out, chosen, q=q)
            groups.append(Group(key, found_there, chosen))
    return numbers_of(found, rolled, len(codes), q, tuple(groups))


def numbers_of(
    found: Tuples, rolled: NDArray[np.int32], categories: int, q: int | None, groups: tuple[Group, ...]
) -> Numbers:
    """The numbers of these tuples with these groups; `rolled` are the places of the codebook at the level."""
    at_level = np.append(rolled, np.int32(MISSING))[np.column_stack([found.codes, found.decided])]
    beside = Patterns(at_level, found.counts, categories).merged()
    return Numbers(
        labels=found,
        places=rolled,
        patterns=Patterns(beside.codes[:, :-1], beside.counts, categories, q),
        decided=beside.codes[:, -1],
        groups=groups,
    )


def _rounds(
    own: RoundAgreement, level: Level, reader: Reader | None, *, without_coached: bool
) -> tuple[RoundAgreement, ...]:
    """This round and, with a reader, the study's other rounds, by time of opening; () for a training."""
    round_ = own.round
    if round_.kind == Round.Kind.TRAINING:
        return ()
    others: list[RoundAgreement] = []
    if reader and round_.opened_at:
        others = other_rounds(round_, level, reader, without_coached=without_coached)
    return tuple(sorted([*others, own], key=lambda one: (one.round.opened_at or clock.now(), one.round.pk)))


def _intra(round_: Round, book: Codebook, level: Level, blind: WithheldIssues) -> IntraRater | None:
    """The drift check at this level; None without second labels. Categories that were split or retired since
    count as they were.
    """
    former = FormerCategories(round_.version_id)
    rows = labelled_twice(round_, former, blind)
    if not rows:
        return None
    book = former.beside(book)
    rolled = places_at(book, level)
    place = {state.category_id: int(rolled[index]) for index, state in enumerate(book.states)}
    twice: dict[str, list[tuple[int, int, int]]] = {}
    left_out = {"open_labels": 0, "labels_above_the_level": 0}
    for name, first, second, issues in rows:
        at = [MISSING if one is None else place.get(one, MISSING) for one in (first, second)]
        twice.setdefault(name, []).append((at[0], at[1], issues))
        if first is None or second is None:
            left_out["open_labels"] += issues
        elif MISSING in at:
            left_out["labels_above_the_level"] += issues
    said = {reason: count for reason, count in left_out.items() if count}
    return intra_rater(twice, len(book.at_level(level)), left_out=said)


def _axis(
    name: str, found: Tuples, book: Codebook, level: Level, repositories: tuple[tuple[int, str], ...]
) -> list[tuple[str, NDArray[np.bool_]]]:
    """The occurring values of one grouping with their rows, in the order of codebook, names or months."""
    if name == "repository":
        masks = [(called, found.repositories == pk) for pk, called in repositories]
        return [(called, mask) for called, mask in masks if mask.any()]
    if name == "month":
        return [(str(month), found.months == month) for month in np.unique(found.months)]
    at = Level.TYPE if name == "type" else level
    places = np.append(places_at(book, at), np.int32(MISSING))[found.decided]
    return [
        (state.code, places == place)
        for place, state in enumerate(book.at_level(at))
        if (places == place).any()
    ]
