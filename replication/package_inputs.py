"""The inputs of a replication package's report besides the labels of its round.

A file and the number it explains have the same reader: both leave out what is withheld from this reader.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from django.utils.text import slugify

from annotate.queries.model_labels import model_labels_beside
from consensus.queries.changed_votes import ChangedVotes, changed_votes
from consensus.queries.false_positives import excluded
from consensus.queries.probable import MODELS, probable_by_url
from core.csv import csv_lines
from ingest.models import Issue
from ingest.queries.issues import repository_names
from replication.codebooks import former_csv, taxonomy_csv
from replication.not_counted import not_counted_files
from replication.queries.minutes import minutes_files
from replication.queries.votes import VOTE_COLUMNS, ballots_of_votes
from reports.agreement_report import AgreementReport, level_name
from reports.exports import BATCH, issues_csv, labels_csv, labels_twice_csv
from reports.formats.on_request import PARTS, report_with
from reports.queries.label_tuples import labelled_twice
from reports.queries.weight_matrices import weight_matrices
from reports.sections.consensus import before_and_after
from reports.sections.probable import confusions, probable
from rounds.models import Round
from rounds.queries.blindness import Reader, WithheldIssues, seen_sql
from rounds.queries.coached import coached_by, coached_in, coached_issues
from rounds.queries.first_labels import FormerCategories, first_labels, has_second_looks
from rounds.queries.rounds import volunteers
from taxonomy.models import CategoryState, Level
from taxonomy.queries.codebooks import Codebook, codebook

Files = Iterator[tuple[str, Iterable[bytes]]]


def inputs(report: AgreementReport) -> Files:
    """Names and content of the non-empty files: labels of second looks, labels of models, coached issues,
    admissions, false positives, ballots, minutes, guidelines, former categories, other rounds, labels that
    no number counts.
    """
    round_, former = report.round, FormerCategories(report.round.version_id)
    if report.had_looks:
        yield "labels_second_look.csv", labels_csv(round_, layout="second-look", blind=report.blind)
    yield from _models(round_, report.blind, former, report.codebook)
    if report.coached:
        yield "coached.csv", csv_lines(("Issue_URL", "Round", "Kind"), _coached(report))
    yield from _admissions(report)
    labelled_twice(round_, former, report.blind)  # these labels can have other former categories
    book = former.beside(report.codebook)
    if report.reader is not None:
        yield from _false_positives(round_, report.reader)
        votes = changed_votes(round_, report.reader.member, without=report.without)
        every = list(ballots_of_votes(round_, report.reader.member, votes.former, without=report.without))
        book = votes.former.beside(book)
        if votes.moves:
            yield "ballots.csv", _ballots(round_, votes, book)
        if every:
            yield "votes.csv", csv_lines(VOTE_COLUMNS, every)
        yield from minutes_files(round_, report.reader.member, without=report.without)
    yield from _weights(round_)
    for guideline in round_.study.guidelines.order_by("number"):
        yield f"guidelines/guideline-{guideline.number}.md", [guideline.text.encode()]
        if guideline.text_zh:
            yield f"guidelines/guideline-{guideline.number}.zh-Hans.md", [guideline.text_zh.encode()]
    yield from _probable(report)
    if gone := [state for state in book.states if state.category_id < 0]:
        yield "former_categories.csv", former_csv(gone, book)
    if report.reader is not None:
        yield from _rounds(report, report.reader)
        yield from not_counted_files(report, report.reader)


def _probable(report: AgreementReport) -> Files:
    """What models of erring raters find most probable for each issue, and the confusions of volunteers."""
    found = probable(report)
    columns = [column for name in MODELS for column in (name, f"{name}_probability")]
    rows = (
        (url, *(cell for one in by_model.values() for cell in (one.state.code, one.probability)))
        for url, by_model in probable_by_url(report.round, found, report.blind)
    )
    if found.keys:
        yield "probable.csv", csv_lines(("Issue_URL", *columns), rows)
        confused = (
            (found.names[column], found.states[right].code, found.states[label].code, probability, issues)
            for column, right, label, probability, issues in confusions(found)
        )
        heads = ("Volunteer", "Probable", "Label", "Probability", "Expected_issues")
        yield "probable_confusion.csv", csv_lines(heads, confused)


def _weights(round_: Round, folder: str = "") -> Files:
    """Every matrix of weights of the version of the round."""
    for matrix in weight_matrices(round_.version_id).exclude(text=""):
        yield f"{folder}weights/weights-{matrix.number}.csv", [matrix.text.encode()]


def _models(
    round_: Round, blind: WithheldIssues, former: FormerCategories, book: Codebook, folder: str = ""
) -> Files:
    """The labels of models; `former` has the former categories that they chose, from then on."""
    if said := list(model_labels_beside(round_, blind)):
        counted = [(url, model, former.counts_as(*choice)) for url, model, *choice in said]
        codes = {state.category_id: state.code for state in former.beside(book).states}
        labels = ((url, model, codes[category]) for url, model, category in counted)
        yield f"{folder}labels_of_models.csv", csv_lines(("Issue_URL", "Model", "Label"), labels)


def _false_positives(round_: Round, reader: Reader) -> Files:
    if (found := excluded(round_, reader)) is not None:
        places = found.order_by("round", "issue__repository__path", "issue")
        names = repository_names(round_.study_id)
        rows = places.values_list("issue__url", "issue__repository", "round__name")
        named = ((url, names[repository], screening) for url, repository, screening in rows)
        yield "false_positives.csv", csv_lines(("Issue_URL", "Repository", "Round"), named)


def _ballots(round_: Round, votes: ChangedVotes, book: Codebook) -> Iterator[bytes]:
    """The last ballots of label authors, with the moment at which the vote was closed."""
    codes = {state.category_id: state.code for state in book.states}
    urls = dict(Issue.objects.filter(pk__in={one.issue for one in votes.moves}).values_list("pk", "url"))
    pseudonyms = dict(volunteers(round_).values_list("member", "member__pseudonym"))
    rows = (
        (urls[one.issue], pseudonyms[one.member], codes.get(one.after or 0, ""), one.closed_at.isoformat())
        for one in votes.moves
    )
    return csv_lines(("Issue_URL", "Volunteer", "Ballot", "Closed_at"), rows)


def _rounds(report: AgreementReport, reader: Reader) -> Files:
    """The labels of each other round in the report, in its own folder, with issues, taxonomy and facts."""
    folders: set[str] = set()
    for place, one in enumerate(report.rounds, 1):
        if one.agreement is None or one.round == report.round:
            continue
        folder = slugify(one.round.name) or f"round-{place}"
        while folder in folders:
            folder = f"{folder}-{place}"
        folders.add(folder)
        blind = reader.withheld_issues([one.round])
        left = blind | coached_issues(one.round) if report.without_coached else blind
        yield f"rounds/{folder}/labels_long.csv", labels_csv(one.round, layout="long", blind=left)
        book, former = codebook(one.round.version_id), FormerCategories(one.round.version_id)
        if has_second_looks(one.round):
            given = labels_csv(one.round, layout="second-look", blind=left)
            yield f"rounds/{folder}/labels_second_look.csv", given
            seen = seen_sql(left, "c.issue_id")
            former = first_labels(one.round.pk, one.round.version_id, *seen).former
        if labelled_twice(one.round, former, left):
            yield f"rounds/{folder}/labels_twice.csv", labels_twice_csv(one.round, blind=left)
        yield from _models(one.round, left, former, book, f"rounds/{folder}/")
        if former.states:
            yield (
                f"rounds/{folder}/former_categories.csv",
                former_csv(former.states.values(), former.beside(book)),
            )
        yield f"rounds/{folder}/issues.csv", issues_csv(one.round, blind=left)
        yield f"rounds/{folder}/taxonomy.csv", [taxonomy_csv(one.round)]
        yield from _weights(one.round, f"rounds/{folder}/")
        of_round = facts(one.round, blind, one.choosable)
        of_round["coached_left_out"] = report.without_coached
        yield f"rounds/{folder}/manifest.json", [as_json(of_round)]


def _admissions(report: AgreementReport) -> Files:
    rows = [
        (one.volunteer, one.at.isoformat(), one.by, one.reason, one.until and one.until.isoformat())
        for one in report.admissions.let_in
    ]
    if rows:
        header = ("Volunteer", "Let_in_at", "By", "Reason", "Taken_back_at")
        yield "admissions.csv", csv_lines(header, rows)


def _coached(report: AgreementReport) -> Iterator[tuple[str, str, str]]:
    """The complete issues that volunteers were coached on, once for each pilot and training."""
    counted = report.coached_issues.values("pk")
    for one in coached_by(report.round):
        issues = coached_in(report.round, one.round).filter(pk__in=counted).order_by("position")
        for url in issues.values_list("issue__url", flat=True).iterator(chunk_size=BATCH):
            yield url, one.round.name, one.round.kind


def facts(
    round_: Round, blind: WithheldIssues, choosable: Mapping[int, CategoryState] | None = None
) -> dict[str, object]:
    """The facts of a round that the script needs to count its labels. `choosable` as in `Tuples`."""
    by_level: dict[str, list[str]] | None = None
    if choosable is not None:
        by_level = {level_name(level): [] for level in Level}
        for state in choosable.values():
            by_level[level_name(state.level)].append(state.code)
    return {
        "round": round_.name,
        "kind": round_.kind,
        "allocation": round_.allocation,
        "depth": round_.depth,
        "reveal": round_.reveal,
        "forge_labels": "" if round_.is_imported else round_.forge_labels,
        "needs_training": round_.training_id is not None,
        "choosable": by_level and {level: sorted(codes) for level, codes in by_level.items()},
        "volunteers": list(volunteers(round_).values_list("member__pseudonym", flat=True)),
        "closed_at": round_.closed_at and round_.closed_at.isoformat(),
        "withheld_issues": blind.count(),
    }


def document(report: AgreementReport, moment: datetime) -> dict[str, object]:
    """agreement.json: the report of REST with all that is on request there, and consensus. It is of the
    moment of the package's state, not of the moment at which it is computed.
    """
    consensus, as_of = before_and_after(report), {"as_of": moment.isoformat()}
    return report_with(report, PARTS) | {**as_of, "consensus": consensus and consensus.as_dict() | as_of}


def as_json(content: object) -> bytes:
    return json.dumps(content, indent=2).encode() + b"\n"
