"""The replication package of a round: the data to compute its report again, and the script that does it."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.conf import settings
from django.db.models import F
from django.utils import translation

from core.csv import csv_lines
from core.sql.snapshots import snapshot
from findings.files import findings_csv, findings_markdown
from findings.queries.archiving import quotes_left_out
from findings.queries.findings import finding_lines
from ingest.models import Repository, Source, SourceEntry
from interviews.queries import agreement_rows, ranking_rows
from interviews.queries.ranking_numbers import rankings_of
from protocols.files import package_files as protocol_files
from replication import croissant
from replication.codebooks import taxonomy_csv
from replication.origins import origin_files
from replication.package_inputs import as_json, document, facts, inputs
from replication.queries.chains import (
    CHAIN,
    CHAIN_COLUMNS,
    EVENT_COLUMNS,
    EVENTS,
    event_rows,
    seal_rows,
)
from replication.queries.exports import folders_of
from replication.queries.moments import last_change
from replication.queries.proposals import changes_without_vote, decided_proposals
from reports.agreement_report import PAGE_BY, agreement_report
from reports.exports import BATCH, decisions_csv, issues_csv, labels_csv, labels_twice_csv
from reports.queries.frozen import package_files
from rounds.models import Round
from rounds.queries.blindness import NOTHING, Reader, WithheldIssues, keeps_frozen
from rounds.queries.coached import coached_issues
from rounds.queries.rounds import revealed
from rounds.queries.seals import head_of
from standards import files as standards_files
from studies.models import Study

WHY_WITHHELD = "who made this package still has to label them in another round"

REPLICATION = Path(__file__).parent / "scripts"

SCRIPTS = ("recompute.py", *sorted({path.name for path in REPLICATION.glob("*.py")} - {"recompute.py"}))
"""The script that people run, and its parts."""
LOADER = "load.py"
RANKINGS, RANKING_ANSWERS = "interviews/rankings.csv", "interviews/ranking_answers.csv"
README = "README.md"
MANIFEST, ITS_HASH = "manifest.json", "manifest.sha256"
LIBRARIES = ("numpy", "pandas", "scipy", "statsmodels")


Sink = Callable[[str, Iterable[bytes]], None]
"""Writes a file of a package, given its name and content, into a folder or an archive."""


Told = Callable[[str, int], None]


def into_folder(folder: Path, name: str, chunks: Iterable[bytes]) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        stream.writelines(chunks)


def into_zip(archive: ZipFile, moment: datetime, name: str, chunks: Iterable[bytes]) -> None:
    """Of the file, the archive has the name and this moment, and nothing of the machine."""
    entry = ZipInfo(name, moment.astimezone(UTC).timetuple()[:6])
    entry.compress_type, entry.create_system, entry.external_attr = ZIP_DEFLATED, 3, 0o644 << 16
    with archive.open(entry, "w", force_zip64=True) as stream:
        for chunk in chunks:
            stream.write(chunk)


@translation.override("en")
def write_package(
    round_: Round,
    to: Path,
    *,
    blind: WithheldIssues = NOTHING,
    reader: Reader | None = None,
    without_coached: bool = False,
    told: Told = lambda _name, _rows: None,
) -> dict[str, str]:
    """Write the replication package of a round into a folder or a new `.zip`; returns SHA-256 by file, with
    that of the manifest. The same state makes the same bytes, whenever and by whatever process.

    The package has the published layout (`<folder>/<folder>.csv`, `<folder>/<folder>_<year>.txt`,
    `taxonomy.csv`), the long layout with the first labels, the issues, the labels of the drift check, the
    other inputs of the agreement report (replication.package_inputs), this report as `reader` sees it, the
    decided proposals and what was changed without a vote, the script that computes the report again, the
    frozen reports, the findings that this reader may read, and a manifest with the moment, the version and
    the hashes. Of `blind` issues, withheld from the reader, the files have nothing but the address, in a list
    that was imported or as evidence. If any issue is withheld,
    frozen reports are left out, since they count all issues; the manifest gives both numbers and the reason.
    With `without_coached`, no label of an issue that volunteers were coached on is in any file but the frozen
    reports. Findings, checklist and method section, whose numbers count these labels, are left out. `told` is
    called with the name of a file and the number of rows that were just written to it; an error in `told`
    ends the writing.
    """
    left = blind | coached_issues(round_) if without_coached else blind
    with snapshot():
        moment = last_change(round_, left, reader.member if reader else None)
        if to.suffix == ".zip":
            to.parent.mkdir(parents=True, exist_ok=True)
            with ZipFile(to, "w", ZIP_DEFLATED) as archive:
                sink = _telling(partial(into_zip, archive, moment), told)
                return _write_files(round_, sink, moment, blind, reader, without_coached=without_coached)
        to.mkdir(parents=True, exist_ok=True)
        sink = _telling(partial(into_folder, to), told)
        return _write_files(round_, sink, moment, blind, reader, without_coached=without_coached)


def _telling(sink: Sink, told: Told) -> Sink:
    """The same sink, which calls `told` for each piece."""

    def pieces(name: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
        told(name, 0)
        for chunk in chunks:
            yield chunk
            told(name, chunk.count(b"\n"))

    return lambda name, chunks: sink(name, pieces(name, chunks))


def _write_files(
    round_: Round,
    sink: Sink,
    moment: datetime,
    blind: WithheldIssues,
    reader: Reader | None,
    *,
    without_coached: bool,
) -> dict[str, str]:
    hashes: dict[str, str] = {}

    def write(name: str, chunks: Iterable[bytes]) -> None:
        digest = hashlib.sha256()

        def seen() -> Iterator[bytes]:
            for chunk in chunks:
                digest.update(chunk)
                yield chunk

        sink(name, seen())
        hashes[name] = digest.hexdigest()

    left = blind | coached_issues(round_) if without_coached else blind
    with snapshot():
        for name, repositories in folders_of(round_).items():
            write(f"{name}/{name}.csv", labels_csv(round_, repositories=repositories, blind=left))
            for listed, urls in _lists(round_, name, repositories, left):
                write(f"{name}/{listed}", _joined(urls))
        write("taxonomy.csv", [taxonomy_csv(round_)])
        write("labels_long.csv", labels_csv(round_, layout="long", blind=left))
        write("issues.csv", issues_csv(round_, blind=left))
        write("decisions.csv", decisions_csv(round_, blind=left))
        write("labels_twice.csv", labels_twice_csv(round_, blind=left))
        found = agreement_report(
            round_, by=PAGE_BY, blind=blind, reader=reader, without_coached=without_coached
        )
        findings = () if without_coached else _findings(round_.study, reader)
        about = reader.member if reader else None
        texts = () if without_coached else standards_files.package_files(round_, about)
        plan = _protocol(round_.study, reader, without_coached=without_coached)
        for name, chunks in chain(
            inputs(found),
            plan,
            findings,
            _interviews(round_.study, reader),
            texts,
            origin_files(round_, left),
        ):
            write(name, chunks)
        write("agreement.json", [as_json(document(found, moment))])
        decided, alone = decided_proposals(round_), changes_without_vote(round_)
        if decided or alone:
            write("proposals.json", [as_json({"proposals": decided, "without_vote": alone})])
        withheld = blind.exists() or keeps_frozen(round_, reader.member if reader else None).exists()
        reports = package_files(round_)
        sealed = _sealed(round_, is_whole=not withheld and not without_coached)
        frozen = ((name, [one.document.encode()]) for name, one in reports.items() if not withheld)
        for name, chunks in chain(frozen, sealed.items()):
            write(name, chunks)
    for name in SCRIPTS:
        write(name, [(REPLICATION / name).read_bytes()])
    left_out = () if without_coached else _quotes_left_out(round_.study, reader)
    write(README, [(REPLICATION / README).read_bytes(), *left_out])
    write("requirements.txt", [requirements().encode()])
    write(croissant.NAME, [as_json(croissant.croissant(round_, moment, hashes))])
    manifest = {
        "study": round_.study.slug,
        **facts(round_, blind, found.numbers.labels.choosable),
        "coached_left_out": without_coached,
        "taxonomy": round_.version.taxonomy.name,
        "version": round_.version.number,
        "as_of": moment.isoformat(),
        **({"why_withheld": WHY_WITHHELD, "withheld_reports": len(reports)} if withheld else {}),
        **_head(round_, sealed),
        "sha256": hashes,
    }
    write(MANIFEST, [as_json(manifest)])
    sink(ITS_HASH, [f"{hashes[MANIFEST]}  {MANIFEST}\n".encode()])
    return hashes


def _sealed(round_: Round, *, is_whole: bool) -> dict[str, Iterable[bytes]]:
    """The files of the chain, for a whole package. Before the close, and of issues that are withheld, seals
    would count what nobody may know of.
    """
    if not is_whole or not round_.closed_at or head_of(round_) is None:
        return {}
    return {
        CHAIN: csv_lines(CHAIN_COLUMNS, seal_rows(round_)),
        EVENTS: csv_lines(EVENT_COLUMNS, event_rows(round_)),
    }


def _head(round_: Round, sealed: dict[str, Iterable[bytes]]) -> dict[str, str]:
    head = head_of(round_) if sealed else None
    return {"chain_head": head.digest} if head else {}


def _protocol(
    study: Study, reader: Reader | None, *, without_coached: bool
) -> Iterator[tuple[str, Iterable[bytes]]]:
    """The frozen protocol; what deviates from it can count the labels of coached issues."""
    files = protocol_files(study, reader.member if reader else None)
    for name, content in files.items():
        if name != "deviations.csv" or not without_coached:
            yield name, [content]


def _findings(study: Study, reader: Reader | None) -> Iterator[tuple[str, Iterable[bytes]]]:
    """The findings of the study that the reader may read, with the evidence that they may see."""
    lines = finding_lines(study, reader.member if reader else None, is_archived=True)
    if lines:
        yield "findings/findings.csv", findings_csv(lines, study.pk)
        yield "findings/findings.md", [findings_markdown(lines, study.pk).encode()]


def _interviews(study: Study, reader: Reader | None) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Of the interviews that the reader may read, numbers and codes only: the rankings, and the agreement of
    coders where it is revealed.
    """
    member = reader.member if reader else None
    if agreed := list(agreement_rows.study_rows(study, member)):
        yield "interviews/coder_agreement.csv", csv_lines(agreement_rows.HEADER, agreed)
    ranked = rankings_of(study, member)
    if ranked.questions:
        yield RANKINGS, csv_lines(ranking_rows.HEADER, ranking_rows.rows_to_leave(study, ranked))
        yield RANKING_ANSWERS, csv_lines(ranking_rows.ANSWERS, ranking_rows.answer_rows(ranked))


def _quotes_left_out(study: Study, reader: Reader | None) -> Iterator[bytes]:
    """The end of the README: how many quotes of findings are not in the package, and why."""
    found = quotes_left_out(study, reader.member if reader else None)
    if found.quoting or found.archiving:
        yield (
            "\n## Quotes that are left out\n\n"
            f"Quotes of findings without a consent that permits quoting: {found.quoting}. With a consent to"
            f" quote and none to archive: {found.archiving}. Their words are not in this package."
            " `findings/` says where.\n"
        ).encode()


def requirements() -> str:
    """The libraries of the script: in the versions that are installed here, else in those of the lock file
    for development, with which tests run the script.
    """
    return "".join(f"{name}=={_version(name)}\n" for name in LIBRARIES)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        lock = (settings.BASE_DIR / "requirements-dev.lock").read_text(encoding="utf-8")
        pinned = re.search(rf"^{name}==([^ ;\\]+)", lock, re.MULTILINE)
        return pinned[1] if pinned else ""


def _lists(
    round_: Round, folder: str, repositories: list[Repository], blind: WithheldIssues
) -> Iterator[tuple[str, Iterator[str]]]:
    """The lists of a folder as imported; for a folder without lists, the round's revealed issues by year."""
    sources = Source.objects.filter(repository__in=repositories).order_by("name")
    for source in sources:
        entries = SourceEntry.objects.filter(source=source).order_by("position")
        yield source.name, entries.values_list("url", flat=True).iterator(chunk_size=BATCH)
    if not sources:
        issues = revealed(round_).exclude(pk__in=blind.values("pk"))
        issues = issues.filter(issue__repository__in=repositories, issue__year__isnull=False)
        for year in issues.order_by("issue__year").values_list("issue__year", flat=True).distinct():
            urls = (
                issues.filter(issue__year=year).order_by("position").values_list(F("issue__url"), flat=True)
            )
            yield f"{folder}_{year}.txt", urls.iterator(chunk_size=BATCH)


def _joined(urls: Iterable[str]) -> Iterator[bytes]:
    for url in urls:
        yield f"{url}\n".encode()
