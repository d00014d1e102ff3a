"""The tables of an agreement report, and a table as CSV or Markdown: for the page and the command."""

import csv
import io
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.utils.translation import gettext_noop

from annotate import model_raters, over_time, two_by_two
from annotate.agreement import Agreement, Coefficient
from annotate.composition import distribution
from annotate.dissents import dissents
from annotate.reports import AgreementReport, Group, level_name, rows
from ingest.readers.text import make_inert

COEFFICIENTS = (
    "percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "brennan_prediger", "light_kappa",
)  # fmt: skip
NOTHING_AT_LEVEL = gettext_noop("the version has no categories at this level")
ESTIMATE = ("value", "se", "low", "high", "reason")


@dataclass(frozen=True)
class Table:
    """Rows under columns, at full precision; None is an empty cell. Column names are those of files."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    @classmethod
    def of(cls, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> "Table":
        return cls(tuple(columns), tuple(tuple(row) for row in rows))


def number(value: float | None, digits: int = 3) -> str:
    """A statistic as people read it: three digits, a minus sign and no hyphen, "" for none.

    What rounds to nothing has no sign.
    """
    if value is None:
        return ""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


# --- the tables of a report


def whole_table(groups: Iterable[Group]) -> Table:
    """Everything: a row per group and coefficient."""
    columns = ("group", "issues", "raters", "labels", "coefficient", *ESTIMATE)
    return Table.of(columns, ([row[name] for name in columns] for row in rows(groups)))


def coefficients(report: AgreementReport) -> Table:
    """The coefficients of all issues, side by side."""
    found = report.overall.coefficients
    return Table.of(("coefficient", *ESTIMATE), ([name, *_cells(found[name])] for name in COEFFICIENTS))


def types(report: AgreementReport) -> Table:
    """Agreement by the type of the decision, and of all issues: Table I of the reference study."""
    return _groups(report, "type")


def repositories(report: AgreementReport) -> Table:
    """Agreement by repository, and of all issues."""
    return _groups(report, "repository")


def months(report: AgreementReport) -> Table:
    """Agreement by the month in which the last label of an issue came, and of all issues."""
    return _groups(report, "month")


def issues(report: AgreementReport) -> Table:
    """The issues by repository, year and decided type, with the false positives of screenings: Table I."""
    found = report.composition
    years = (f"year_{year or 'unknown'}" for year in found.years)
    codes = (f"type_{state.code}" for state in found.types)
    columns = ("repository", "issues", *years, *codes, "undecided", "false_positives")
    return Table.of(
        columns,
        (
            [
                line.repository or "all",
                line.issues,
                *line.years,
                *line.types,
                line.undecided,
                line.false_positives,
            ]
            for line in (*found.lines, found.whole)
        ),
    )


def decided(report: AgreementReport) -> Table:
    """How many issues were decided as each type and theme, of how many decided at that level."""
    return Table.of(
        ("level", "code", "name", "issues", "base", "share"),
        (
            [level_name(one.state.level), one.state.code, one.state.name, one.issues, one.base, one.share]
            for one in distribution(report)
        ),
    )


def over_months(report: AgreementReport) -> Table:
    """What was labelled, and decided, in each month: a row per month and category."""
    columns = ("month", "code", "labels", "share", "decided", "decided_share")
    return Table.of(columns, over_time.rows(report))


def change(report: AgreementReport) -> Table:
    """Whether the decisions changed from month to month by more than chance."""
    found = over_time.change(report)
    return Table.of(found, [found.values()])


def dissents_by_tenth(report: AgreementReport) -> Table:
    """How often each volunteer, and all, stood alone in each tenth of their own way."""
    return Table.of(
        ("volunteer", "tenth", "issues", "alone", "share"),
        (
            [
                way.volunteer or "all",
                tenth,
                one.issues,
                one.alone,
                one.alone / one.issues if one.issues else None,
            ]
            for way in dissents(report)
            for tenth, one in enumerate(way.stretches, start=1)
        ),
    )


def before_and_after(report: AgreementReport) -> Table:
    """The coefficients of the independent labels, and with the last ballots in them; no row before a vote."""
    columns = ("coefficient", "before", "low", "high", "reason", "after", "reason_after")
    both = report.consensus
    if both is None:
        return Table(columns, ())
    made = []
    for name in COEFFICIENTS:
        value, _se, low, high, reason = _cells(both.before.coefficients[name])
        after, *_interval, why = _cells(both.after.coefficients[name])
        made.append([name, value, low, high, reason, after, why if after is None else None])
    return Table.of(columns, made)


def rounds(report: AgreementReport) -> Table:
    """Agreement by round, of those of the study that label with the same taxonomy."""
    columns = (
        "round", "kind", "taxonomy_version", "issues", "labels", "percent_agreement",
        "fleiss_kappa", "se", "low", "high", "gwet_ac1", "reason", "withheld",
    )  # fmt: skip
    made = []
    for one in report.rounds:
        said = [one.round.name, one.round.kind, one.round.version.number]
        if one.agreement is None:
            made.append([*said, *[None] * 8, NOTHING_AT_LEVEL, one.withheld])
            continue
        numbers = _numbers(one.agreement)
        made.append([*said, *numbers, one.withheld])
    return Table.of(columns, made)


def _numbers(found: Agreement) -> list[object]:
    """What the tables of groups say of one."""
    kappa = _cells(found.coefficients["fleiss_kappa"])
    return [
        found.issues,
        found.labels,
        found.coefficients["percent_agreement"].value,
        *kappa[:-1],
        found.coefficients["gwet_ac1"].value,
        kappa[-1],
    ]


def _groups(report: AgreementReport, name: str) -> Table:
    columns = (
        name, "issues", "labels", "percent_agreement",
        "fleiss_kappa", "se", "low", "high", "gwet_ac1", "reason",
    )  # fmt: skip
    groups = (*report.by(name), report.groups[0])
    made = [[group.key.get(name, "all"), *_numbers(group.agreement)] for group in groups]
    return Table.of(columns, made)


def categories(report: AgreementReport) -> Table:
    """The kappa of each category against all others, with the labels behind it."""
    return Table.of(
        ("code", "name", "labels", "kappa", "se", "low", "high", "reason"),
        (
            [
                found.code,
                report.codebook.by_code[found.code].name,
                found.labels,
                found.kappa,
                found.se,
                found.low,
                found.high,
                found.reason.text if found.reason else None,
            ]
            for found in report.overall.categories
        ),
    )


def pairs(report: AgreementReport) -> Table:
    """Cohen's kappa of every two volunteers."""
    columns = ("first", "second", "issues", "percent_agreement", "cohen_kappa", "reason")
    return Table.of(columns, (pair.values() for pair in two_by_two.pairs(report)))


def meeting_categories(report: AgreementReport) -> Table:
    """In how many issues two categories were both chosen, most first; each pair once, in the tree's order."""
    found = two_by_two.meeting_categories(report)
    return Table.of(("first", "second", "issues"), (pair.values() for pair in found))


def split_sizes(report: AgreementReport) -> Table:
    """How the labels of an issue part, most agreeing first: 7, 6:1, 5:2, …"""
    return Table.of(
        ("split", "issues", "share"),
        ([":".join(map(str, split.sizes)), split.issues, split.share] for split in report.splits),
    )


def volunteers(report: AgreementReport) -> Table:
    """Each volunteer beside the others, beside the decision, and left out."""
    columns = (
        "volunteer", "labels", "agreement", "low", "high", "mean_kappa",
        "decided_issues", "decision_agreement", "decision_kappa", "kappa_without", "effect",
        "others_agree", "alone",
    )  # fmt: skip
    return Table.of(
        columns,
        (
            [
                report.columns[one.column],
                one.labels,
                one.agreement.value,
                one.agreement.low,
                one.agreement.high,
                one.kappa.value,
                one.decision.issues,
                one.decision.agreement,
                one.decision.kappa,
                one.without.value,
                one.effect,
                one.others_agree,
                one.alone,
            ]
            for one in report.volunteers
        ),
    )


def models(report: AgreementReport) -> Table:
    """Each model beside the volunteers and the decision, with how the volunteers do among themselves."""
    return Table.of(model_raters.COLUMNS, model_raters.rows(report))


def against_decision(report: AgreementReport) -> Table:
    """How many labels of one category lie on issues decided as another, most first."""
    found = two_by_two.against_decision(report)
    return Table.of(("label", "decision", "labels"), (pair.values() for pair in found))


def intra_rater(report: AgreementReport) -> Table:
    """The drift check: each volunteer against themselves, and all pooled; no row where there is none."""
    columns = (
        "volunteer", "issues", "percent_agreement", "low", "high",
        "cohen_kappa", "kappa_low", "kappa_high", "reason",
    )  # fmt: skip
    found = report.intra
    return Table.of(
        columns,
        (
            [
                one.rater or "all",
                one.issues,
                one.percent_agreement.value,
                one.percent_agreement.low,
                one.percent_agreement.high,
                one.cohen_kappa.value,
                one.cohen_kappa.low,
                one.cohen_kappa.high,
                _cells(one.cohen_kappa)[-1],
            ]
            for one in ((*found.raters, found.pooled) if found else ())
        ),
    )


def left_out(report: AgreementReport) -> Table:
    """What of the round is not in the report, and how much."""
    return Table.of(("reason", "count"), report.overall.left_out.items())


TABLES: dict[str, Callable[[AgreementReport], Table]] = {
    "report": lambda report: whole_table(report.groups),
    "coefficients": coefficients,
    "types": types,
    "categories": categories,
    "repositories": repositories,
    "months": months,
    "over-time": over_months,
    "over-time-test": change,
    "rounds": rounds,
    "consensus": before_and_after,
    "issues": issues,
    "distribution": decided,
    "splits": split_sizes,
    "volunteers": volunteers,
    "models": models,
    "dissents": dissents_by_tenth,
    "pairs": pairs,
    "confusion": meeting_categories,
    "against-decision": against_decision,
    "intra-rater": intra_rater,
    "left-out": left_out,
}
"""The tables of the agreement page by the name that its links use."""


def _cells(found: Coefficient) -> tuple[object, ...]:
    cells = found.as_dict()
    return tuple(cells[name] for name in ESTIMATE)


def caption(report: AgreementReport, name: str) -> str:
    """What a table shows, for the head of its LaTeX: study, round, level, moment."""
    return (
        f"{name}: {report.round.study.name}, {report.round.name}, {level_name(report.level)} level,"
        f" taxonomy v{report.round.version.number}, as of {report.as_of:%Y-%m-%d %H:%M} UTC"
    )


# --- as text


def as_csv(table: Table) -> str:
    """UTF-8 text with LF at full precision. Texts that a spreadsheet would run are made inert."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(
        [make_inert(cell) if isinstance(cell, str) else cell for cell in row] for row in table.rows
    )
    return buffer.getvalue()


def as_markdown(table: Table) -> str:
    """A Markdown table, statistics to three digits."""
    lines = [table.columns, *([rounded(cell) for cell in row] for row in table.rows)]
    head, *body = ("| " + " | ".join(_plain(cell) for cell in line) + " |" for line in lines)
    return "\n".join([head, "|" + "---|" * len(table.columns), *body])


def _plain(text: str) -> str:
    """Text in a cell of Markdown, in one line, with nothing in it that would be read as markup."""
    return re.sub(r"[\\|<*`\[_~&$]", r"\\\g<0>", one_line(text))


def one_line(text: str) -> str:
    return " ".join(text.split())


def rounded(cell: object) -> str:
    """A cell as people read it."""
    if isinstance(cell, float):
        return number(cell)
    return "" if cell is None else str(cell)
