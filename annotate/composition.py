"""What the issues of an agreement report are: by repository, year and decided type, and what was decided."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotate.queries.false_positives import false_positives
from ingest.repositories import repository_names
from taxonomy.models import CategoryState, Level

if TYPE_CHECKING:
    from annotate.reports import AgreementReport

Found = tuple[int, int | None, int, int]


@dataclass(frozen=True)
class Line:
    """The issues of one repository, or of all (`repository` is "" then).

    `years` and `types` count them in the order of the composition's; `undecided` have no decision yet.
    `false_positives` are further issues, which a screening excluded; None where the study has no screening.
    """

    repository: str
    issues: int
    years: tuple[int, ...]
    types: tuple[int, ...]
    undecided: int
    false_positives: int | None

    def as_dict(self, composition: "Composition") -> dict[str, Any]:
        years = (str(year or "unknown") for year in composition.years)
        codes = (state.code for state in composition.types)
        return {
            "repository": self.repository or "all",
            "issues": self.issues,
            "years": dict(zip(years, self.years, strict=True)),
            "types": dict(zip(codes, self.types, strict=True)),
            "undecided": self.undecided,
            "false_positives": self.false_positives,
        }


@dataclass(frozen=True)
class Composition:
    """A line per repository and one for all, over the years and the types that occur.

    A year is None where it is unknown, and comes last.
    """

    years: tuple[int | None, ...]
    types: tuple[CategoryState, ...]
    lines: tuple[Line, ...]
    whole: Line

    def as_dict(self) -> list[dict[str, Any]]:
        """The JSON of the command and of REST, all issues last."""
        return [line.as_dict(self) for line in (*self.lines, self.whole)]


@dataclass(frozen=True)
class Decided:
    """How many issues were decided as one category, of the `base` that were decided at its level or below."""

    state: CategoryState
    issues: int
    base: int

    @property
    def share(self) -> float:
        return self.issues / self.base

    def as_dict(self) -> dict[str, Any]:
        return {
            "code": self.state.code,
            "issues": self.issues,
            "base": self.base,
            "share": self.share,
        }


def composition(report: "AgreementReport") -> Composition:
    """Table I: the issues of the report by repository, year and decided type, with the false positives.

    A repository that has false positives alone is a line too. Five queries at most.
    """
    found = report.issues
    dropped = false_positives(report.round, report.reader) if report.reader else None
    years = sorted({year for _repository, year, _place, _count in found}, key=lambda year: year or 9999)
    types = _rolled_up(report, Level.TYPE)
    occur = set(types.values())
    known = [state for state in report.codebook.at_level(Level.TYPE) if state.category_id in occur]
    seen = {repository for repository, *_rest in found} | set(dropped or ())
    names = repository_names(report.round.study_id)

    def line(name: str, rows: Iterable[Found], false: int | None) -> Line:
        by_year, by_type = Counter[int | None](), Counter[int | None]()
        for _repository, year, place, count in rows:
            by_year[year] += count
            by_type[types.get(place)] += count
        return Line(
            repository=name,
            issues=by_year.total(),
            years=tuple(by_year[year] for year in years),
            types=tuple(by_type[state.category_id] for state in known),
            undecided=by_type[None],
            false_positives=false,
        )

    return Composition(
        years=tuple(years),
        types=tuple(known),
        lines=tuple(
            line(name, [row for row in found if row[0] == pk], None if dropped is None else dropped[pk])
            for pk, name in names.items()
            if pk in seen
        ),
        whole=line("", found, None if dropped is None else dropped.total()),
    )


def distribution(report: "AgreementReport") -> tuple[Decided, ...]:
    """The decided types, then the decided themes, that occur: in the order of the tree."""
    answer: list[Decided] = []
    for level in (Level.TYPE, Level.THEME):
        at, counted = _rolled_up(report, level), Counter[int]()
        for _repository, _year, place, count in report.issues:
            if place in at:
                counted[at[place]] += count
        known = (state for state in report.codebook.at_level(level) if counted[state.category_id])
        answer += [Decided(state, counted[state.category_id], counted.total()) for state in known]
    return tuple(answer)


def _rolled_up(report: "AgreementReport", level: Level) -> dict[int, int]:
    """Of the decided places that occur: the id of the category of this level that each lies in, if any."""
    book, above = report.codebook, report.codebook.rolled_up(level)
    places = {place for _repository, _year, place, _count in report.issues if place >= 0}
    found = {place: above.get(book.states[place].category_id) for place in places}
    return {place: category for place, category in found.items() if category is not None}
