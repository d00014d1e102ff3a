"""The labels of a study that no number of a package counts: those of trainings, whose volunteers saw the
right label of each issue, and those of rounds with another taxonomy.

No file here has a column with the name of a label that counts.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from django.utils.functional import cached_property
from django.utils.text import slugify

from annotate.queries.model_labels import model_labels_beside
from core.csv import csv_lines
from ingest.models import Issue
from replication.codebooks import former_csv, taxonomy_csv
from reports.agreement_report import AgreementReport
from reports.exports import HEADERS, label_rows
from rounds.models import Answer, Round
from rounds.queries.blindness import NOTHING, Reader, WithheldIssues
from rounds.queries.coached import coached_issues
from rounds.queries.first_labels import FormerCategories, all_former
from rounds.queries.rounds import revealed, revealed_labels
from taxonomy.queries.codebooks import Codebook, codebook

FOLDER = "not_counted"

OF_A_ROUND = ("Kind", "Round", "Taxonomy", "Version")
"""The first columns of every file: nobody reads a label without them."""

_OWN_NAMES = {
    "Label": "Uncounted_Label",
    "First_Label": "Uncounted_First_Label",
    "Second_Label": "Uncounted_Second_Label",
    "Final_Label": "Decision",
}

ROUND_COLUMNS = (
    *OF_A_ROUND, "Codebook", "Opened_at", "Closed_at", "Labels_per_issue", "Withheld_issues",
    "Why_not_counted",
)  # fmt: skip

Rows = Iterable[Iterable[object]]


@dataclass(frozen=True)
class UncountedRound:
    """One round whose labels the report does not count, with what of it is revealed to the reader."""

    round: Round
    why: str
    withheld: WithheldIssues
    blind: WithheldIssues

    @property
    def key(self) -> tuple[object, ...]:
        """The cells of OF_A_ROUND."""
        version = self.round.version
        return self.round.kind, self.round.name, version.taxonomy.name, version.number

    @cached_property
    def former(self) -> FormerCategories:
        return all_former(self.round.version_id)

    @cached_property
    def _present(self) -> Codebook:
        return codebook(self.round.version_id)

    @property
    def book(self) -> Codebook:
        """With the former categories that were asked for until now."""
        return self.former.beside(self._present)

    def has_revealed(self) -> bool:
        """Does the round reveal a label, or a right label, whoever reads it?"""
        issues = revealed(self.round).values("issue")
        answers = Answer.objects.filter(round=self.round, issue__in=issues)
        return revealed_labels(self.round).exists() or answers.exists()

    def labels(self, layout: str) -> Iterator[list[object]]:
        """The rows of a layout of `label_rows`, without the name of the round."""
        at = HEADERS[layout].index("Round") if "Round" in HEADERS[layout] else None
        for row in label_rows(self.round, layout, blind=self.blind):
            yield [cell for place, cell in enumerate(row) if place != at]

    def labels_of_models(self) -> Rows:
        said = model_labels_beside(self.round, self.blind)
        counted = [(url, model, self.former.counts_as(*choice)) for url, model, *choice in said]
        codes = {state.category_id: state.code for state in self.book.states}
        return ((url, model, codes[category]) for url, model, category in counted)

    def answers(self) -> Rows:
        """The right labels of a training, with their explanations."""
        book = self.book
        codes = {state.category_id: state.code for state in book.states}
        shown = revealed(self.round).exclude(pk__in=self.blind.values("pk")).order_by("position")
        found = Answer.objects.filter(round=self.round).select_related("given_by")
        by_issue = {answer.issue_id: answer for answer in found}
        urls = dict(Issue.objects.filter(pk__in=by_issue).values_list("pk", "url"))
        for issue in shown.values_list("issue", flat=True):
            if answer := by_issue.get(issue):
                code = codes.get(book.by_id.stands_as(answer.category_id) or 0, "")
                yield urls[issue], code, answer.explanation, answer.given_by.pseudonym


def not_counted_files(report: AgreementReport, reader: Reader) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Names and content of the files; none if the report counts every round that has revealed labels.

    A file without rows is left out. `labels.csv` is streamed: it can be as long as labels_long.csv.
    """
    found = uncounted_rounds(report, reader)
    if not found:
        return
    names = _codebook_names(found)
    yield (
        f"{FOLDER}/rounds.csv",
        csv_lines(ROUND_COLUMNS, (_facts(one, names[one.round.version_id]) for one in found)),
    )
    for name, header, rows_of in (
        ("labels", _columns("long"), lambda one: one.labels("long")),
        ("labels_second_look", _columns("second-look"), lambda one: one.labels("second-look")),
        ("labels_twice", _columns("twice"), lambda one: one.labels("twice")),
        ("labels_of_models", ("Issue_URL", "Model", "Uncounted_Label"), UncountedRound.labels_of_models),
        ("right_labels", ("Issue_URL", "Right_Label", "Explanation", "Given_by"), UncountedRound.answers),
    ):
        if any(True for one in found for _row in rows_of(one)):
            yield f"{FOLDER}/{name}.csv", _file(header, found, rows_of)
    for version, one in {one.round.version_id: one for one in found}.items():
        yield f"{FOLDER}/{names[version]}", [taxonomy_csv(one.round)]
        if one.former.states:
            name = names[version].replace(".csv", "-former.csv")
            yield f"{FOLDER}/{name}", former_csv(one.former.states.values(), one.book)


def uncounted_rounds(report: AgreementReport, reader: Reader) -> list[UncountedRound]:
    """The opened rounds with revealed labels that the report does not count, by time of opening. A round
    whose labels are all withheld from the reader is among them, and tells how many issues are.

    A second look is no round of its own: its labels are beside those of its round. A package without coached
    issues has no training, and of other rounds only what volunteers were not coached on.
    """
    counted = {report.round.pk, *(one.round.pk for one in report.rounds if one.agreement is not None)}
    opened = Round.objects.filter(study=report.round.study_id, opened_at__isnull=False)
    rounds = opened.exclude(kind=Round.Kind.LOOK).exclude(pk__in=counted)
    found = []
    for one in rounds.select_related("version__taxonomy", "study").order_by("opened_at", "pk"):
        trains = one.kind == Round.Kind.TRAINING
        if trains and report.without_coached:
            continue
        withheld = reader.withheld_issues([one])
        coached = coached_issues(one) if report.without_coached else NOTHING
        uncounted = UncountedRound(one, _why(report.round, one), withheld, withheld | coached)
        if uncounted.has_revealed():
            found.append(uncounted)
    return found


def _why(of: Round, one: Round) -> str:
    if one.kind == Round.Kind.TRAINING:
        return "training: volunteers saw the right label of each issue after their own"
    if one.version.taxonomy_id != of.version.taxonomy_id:
        return "another taxonomy"
    if of.kind == Round.Kind.TRAINING:
        return "the report of a training counts no other round"
    return "its taxonomy has no category at the level of the report"


def _facts(one: UncountedRound, codebook_name: str) -> Iterable[object]:
    round_ = one.round
    yield from one.key
    yield codebook_name
    yield from (moment and moment.isoformat() for moment in (round_.opened_at, round_.closed_at))
    yield from (round_.labels_per_issue, one.withheld.count(), one.why)


def _codebook_names(found: Iterable[UncountedRound]) -> dict[int, str]:
    """The name of the codebook of each version; two taxonomies never share one."""
    names: dict[int, str] = {}
    for one in found:
        version = one.round.version
        name = f"codebooks/{slugify(version.taxonomy.name) or 'taxonomy'}-v{version.number}.csv"
        if name in (other for id_, other in names.items() if id_ != version.pk):
            name = name.replace(".csv", f"-{len(names) + 1}.csv")
        names.setdefault(version.pk, name)
    return names


def _columns(layout: str) -> tuple[str, ...]:
    return tuple(_OWN_NAMES.get(name, name) for name in HEADERS[layout] if name != "Round")


def _file(
    header: Iterable[str], found: Iterable[UncountedRound], rows_of: Callable[[UncountedRound], Rows]
) -> Iterator[bytes]:
    rows = ((*one.key, *row) for one in found for row in rows_of(one))
    return csv_lines((*OF_A_ROUND, *header), rows)
