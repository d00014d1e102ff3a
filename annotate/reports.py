"""From the labels of a round to its agreement report: the same numbers for page, command and REST."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from annotate import over_time, two_by_two
from annotate.agreement import (
    MISSING,
    Agreement,
    Bootstrap,
    IntraRater,
    Patterns,
    Periods,
    Rater,
    Split,
    against_decision,
    bootstrap,
    by_period,
    clustered,
    intra_rater,
    raters,
    splits,
)
from annotate.at_level import agreement_within, places_at
from annotate.by_round import OfRound, other_rounds
from annotate.composition import Composition, composition, distribution
from annotate.model_raters import ModelLine, model_lines
from annotate.models import Round
from annotate.queries.agreement import Tuples, labelled_twice, tuples
from annotate.queries.categories import categories_of
from annotate.queries.withheld import NOTHING, Held, Reader
from core.errors import DomainError
from ingest.repositories import repository_names
from taxonomy.models import Level
from taxonomy.queries import Codebook

if TYPE_CHECKING:
    from annotate.before_after import BeforeAfter

GROUPINGS = ("type", "category", "repository", "month", "round")
LEVELS = {"type": Level.TYPE, "theme": Level.THEME, "sub-theme": Level.SUB_THEME}


class LevelTooDeep(DomainError):
    message = _("The taxonomy has no categories at this level.")
    status = 422


@dataclass(frozen=True)
class Group:
    """One group of issues and its agreement. `key` is {} for all, else {"type": "C"} and so on.

    `undecided_issues` in what the agreement leaves out: complete issues that may come to be in the group,
    since they have no decision yet, or one above the level of the group.
    """

    key: dict[str, str]
    agreement: Agreement


@dataclass(frozen=True, eq=False)
class Numbers:
    """What is computed of the labels of a round at one level, and nothing else: it is kept while they stay.

    `decided` [P] is the decided category of each row of `patterns`, -1 for none at this level: rows that
    differ in it alone stand apart. `periods` are the months (UTC) in which last labels came.
    """

    columns: tuple[str, ...]
    patterns: Patterns
    decided: NDArray[np.int32]
    groups: tuple[Group, ...]
    periods: Periods

    @cached_property
    def splits(self) -> tuple[Split, ...]:
        return splits(self.patterns)

    @cached_property
    def volunteers(self) -> tuple[Rater, ...]:
        return raters(self.patterns, self.decided) if self.columns else ()

    @cached_property
    def side_by_side(self) -> tuple[int, ...]:
        return tuple(clustered(self.groups[0].agreement.pairs))

    @cached_property
    def against_decision(self) -> NDArray[np.int64]:
        return against_decision(self.patterns, self.decided)


@dataclass(frozen=True)
class AgreementReport:
    """The agreement of a round at one level, for all its complete issues and for the groups asked for.

    `complete` issues are all that are complete and revealed, with a label at this level or without.
    `withheld` more are held back from the reader, and in no number. `intra` compares second labels of the
    drift check with the first ones; None where it gave none yet. `issues` are those of `Tuples`. `reader` is
    who is asked for what other rounds of the study hold; None: these are not asked. `held` is what is held
    back from them in this one. `rounds` are this one and the others of the study where `by` asks for
    "round", else none.
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
    held: Held = NOTHING
    rounds: tuple[OfRound, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return self.numbers.columns

    @property
    def patterns(self) -> Patterns:
        return self.numbers.patterns

    @property
    def decided(self) -> NDArray[np.int32]:
        return self.numbers.decided

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        of_rounds = [Group({"round": one.round.name}, one.agreement) for one in self.rounds if one.agreement]
        return (*self.numbers.groups, *of_rounds)

    @property
    def periods(self) -> Periods:
        return self.numbers.periods

    @property
    def overall(self) -> Agreement:
        return self.groups[0].agreement

    @property
    def splits(self) -> tuple[Split, ...]:
        """How the labels of an issue part: unanimous, 6 : 1, 5 : 2, …"""
        return self.numbers.splits

    @property
    def volunteers(self) -> tuple[Rater, ...]:
        """Each volunteer beside the others and the decision; () where columns are no volunteers."""
        return self.numbers.volunteers

    @cached_property
    def models(self) -> tuple[ModelLine, ...]:
        """Each model beside the volunteers: in no other number of the report. Read when it is asked for."""
        return model_lines(self, places_at(self.codebook, self.level))

    @cached_property
    def composition(self) -> Composition:
        """The issues by repository, year and decided type. Five queries at most, when it is asked for."""
        return composition(self)

    @cached_property
    def consensus(self) -> "BeforeAfter | None":
        """Agreement before and after consensus, for who reads; None where nobody voted."""
        from annotate.before_after import of_report  # noqa: PLC0415 - which is made of reports

        return of_report(self)

    @property
    def side_by_side(self) -> tuple[int, ...]:
        """The columns of the volunteers who are compared, those who agree side by side; files keep theirs."""
        return self.numbers.side_by_side

    @property
    def against_decision(self) -> NDArray[np.int64]:
        """[q, q] labels of one category on issues decided as another."""
        return self.numbers.against_decision

    def by(self, *names: str) -> tuple[Group, ...]:
        """The groups of one grouping, or of a crossing."""
        return tuple(group for group in self.groups if set(group.key) == set(names))

    def undecided(self, name: str) -> int:
        """Complete issues that are in no group of the grouping `name`; 0 where there is no group at all."""
        return max(
            (group.agreement.left_out.get("undecided_issues", 0) for group in self.by(name)), default=0
        )

    def as_dict(self, *, issues: bool = True) -> dict[str, Any]:
        """The JSON of the command and of REST: full precision, null and a reason where undefined.

        `issues`: with what was labelled, which takes five queries at most; all else takes none.
        """
        return {
            "study": self.round.study.slug,
            "round": self.round.name,
            "level": level_name(self.level),
            "as_of": self.as_of.isoformat(),
            "withheld": self.withheld,
            "groups": [
                *({"group": group.key, **group.agreement.as_dict()} for group in self.numbers.groups),
                *(one.as_dict() for one in self.rounds if one.agreement),
            ],
            **({"issues": self.composition.as_dict()} if issues else {}),
            "distribution": [
                {"level": level_name(one.state.level), **one.as_dict()} for one in distribution(self)
            ],
            "over_time": over_time.as_dict(self),
            "splits": [
                {"sizes": list(split.sizes), "issues": split.issues, "share": split.share}
                for split in self.splits
            ],
            "pairs": list(two_by_two.pairs(self)),
            "confusion": two_by_two.meeting_categories(self),
            "against_decision": two_by_two.against_decision(self),
            "volunteers": [self._volunteer(one) for one in self.volunteers],
            "models": [line.as_dict() for line in self.models],
            "intra_rater": self.intra and self.intra.as_dict(),
        }

    def _volunteer(self, one: Rater) -> dict[str, Any]:
        return {
            "volunteer": self.columns[one.column],
            "labels": one.labels,
            "compared": one.compared,
            "agreement": one.agreement.as_dict(),
            "mean_kappa": one.kappa.as_dict(),
            "decision": {
                "issues": one.decision.issues,
                "percent_agreement": one.decision.agreement,
                "cohen_kappa": one.decision.kappa,
                "reason": one.decision.reason and one.decision.reason.text,
            },
            "without": one.without.as_dict(),
            "effect": one.effect,
            "alone": one.alone,
            "others_agree": one.others_agree,
        }


def level_name(level: int) -> str:
    """The level's name in commands and files, in every language: type, theme, sub-theme."""
    return next(name for name, number in LEVELS.items() if number == level)


def agreement_report(
    round_: Round,
    *,
    level: Level | None = None,
    by: Iterable[Sequence[str]] = (),
    held: Held = NOTHING,
    reader: Reader | None = None,
) -> AgreementReport:
    """The agreement of a round's complete, revealed issues, without what is held back from the reader.

    `level`: the round's depth if not said. `by`: groupings, each a sequence of names of GROUPINGS that are
    crossed ("round" with no other); the first group is always all, and rounds come last. A decided type or
    category above the level asked for is no group: each group says in `left_out` how many issues are in none
    for this reason, within its other values.
    `reader`: whose eyes other rounds of the study are read with, such as a screening's false positives;
    nobody's if not said, and then nothing is read of them.

    Raises LevelTooDeep, ValueError for an unknown grouping. Three queries for the labels while these stay as
    they are, two more where they do not (four where volunteers came or went); one for those of the drift
    check, one for the repositories if they are asked for, one to count what is held back where something is,
    and for rounds what `other_rounds` says.
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
    found = tuples(round_, book, held=held, by_repository=by_repository, by_month=True, by_year=True)
    names_of = tuple(repository_names(round_.study_id).items()) if by_repository else ()
    within = tuple(names for names in groupings if names != ("round",))
    compute = _numbers if found.edition else _numbers.__wrapped__
    numbers = compute(found, book, level, within, names_of)
    withheld = held.filter(completed_at__isnull=False).count()
    rounds: tuple[OfRound, ...] = ()
    if within != groupings:
        rounds = _rounds(round_, level, numbers.groups[0].agreement, withheld, reader)
    return AgreementReport(
        round=round_,
        level=level,
        as_of=found.as_of,
        complete=int(found.counts.sum()),
        withheld=withheld,
        numbers=numbers,
        codebook=book,
        intra=_intra(round_, book, places_at(book, level), len(book.at_level(level)), held),
        issues=found.issues,
        reader=reader,
        held=held,
        rounds=rounds,
    )


@lru_cache(maxsize=32)
def _numbers(
    found: Tuples,
    book: Codebook,
    level: Level,
    by: tuple[tuple[str, ...], ...],
    repositories: tuple[tuple[int, str], ...],
) -> Numbers:
    """The numbers of these tuples. `repositories`: their ids and names, in the order of their groups."""
    rolled = places_at(book, level)
    codes = [state.code for state in book.at_level(level)]
    whole = Patterns(found.codes, found.counts, len(book.states))
    everything = np.ones(len(found.counts), dtype=np.bool_)
    at_level = np.append(rolled, np.int32(MISSING))[np.column_stack([found.codes, found.decided])]
    beside = Patterns(at_level, found.counts, len(codes)).merged()
    groups = [Group({}, agreement_within(whole, everything, rolled, codes, found, found.left_out))]
    for names in by:
        axes = [_axis(name, found, book, level, repositories) for name in names]
        nowhere = [~np.logical_or.reduce([mask for _value, mask in axis] or [~everything]) for axis in axes]
        for cell in product(*axes):
            chosen = np.logical_and.reduce([mask for _value, mask in cell])
            if not chosen.any():
                continue
            key = {name: value for name, (value, _mask) in zip(names, cell, strict=True)}
            possible = np.logical_and.reduce(
                [mask | none for (_value, mask), none in zip(cell, nowhere, strict=True)]
            )
            undecided = int(found.counts[possible & ~chosen].sum())
            left_out = {"undecided_issues": undecided} if undecided else {}
            groups.append(Group(key, agreement_within(whole, chosen, rolled, codes, found, left_out)))
    return Numbers(
        columns=found.columns,
        patterns=Patterns(beside.codes[:, :-1], beside.counts, len(codes)),
        decided=beside.codes[:, -1],
        groups=tuple(groups),
        periods=by_period(found.months, at_level[:, :-1], at_level[:, -1], found.counts, len(codes)),
    )


def _rounds(
    round_: Round, level: Level, own: Agreement, withheld: int, reader: Reader | None
) -> tuple[OfRound, ...]:
    """The round among the others of the study, in the order in which they were opened; alone where nobody
    said who reads, or before it is open. A training is beside no other.
    """
    if round_.kind == Round.Kind.TRAINING:
        return ()
    others = other_rounds(round_, level, reader) if reader and round_.opened_at else []
    found = [*others, OfRound(round_, own, withheld)]
    return tuple(sorted(found, key=lambda one: (one.round.opened_at or timezone.now(), one.round.pk)))


def resampled(report: AgreementReport) -> Bootstrap:
    """The intervals of a report by resampling its issues: seconds for a large study, once while its labels
    stay. The seed is the round's own, read as unsigned: the same labels give the same intervals.
    """
    return _resampled(report.numbers, report.round.seed % 2**64)


@lru_cache(maxsize=8)
def _resampled(numbers: Numbers, seed: int) -> Bootstrap:
    return bootstrap(numbers.patterns, seed=seed, columns_are_raters=bool(numbers.columns))


def _intra(
    round_: Round, book: Codebook, rolled: NDArray[np.int32], categories: int, held: Held
) -> IntraRater | None:
    """The drift check at the level whose places `rolled` gives."""
    rows = labelled_twice(round_, held)
    if not rows:
        return None
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
    return intra_rater(twice, categories, left_out=said)


def _axis(
    name: str, found: Tuples, book: Codebook, level: Level, repositories: tuple[tuple[int, str], ...]
) -> list[tuple[str, NDArray[np.bool_]]]:
    """The values of one grouping that occur, each with its rows: in the codebook's order, the repositories',
    or that of the months.
    """
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


def rows(groups: Iterable[Group]) -> Iterator[dict[str, object]]:
    """The report as a flat table: a row per group and coefficient."""
    for group in groups:
        for name, found in group.agreement.coefficients.items():
            yield {
                "group": ", ".join(f"{key} {value}" for key, value in group.key.items()) or "all",
                "issues": group.agreement.issues,
                "raters": group.agreement.raters,
                "labels": group.agreement.labels,
                "coefficient": name,
                **found.as_dict(),
            }
