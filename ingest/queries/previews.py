"""Previews of uploaded files: what an import of the file would add to the study."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from django.db import connection

from ingest import files
from ingest.models import Import
from ingest.readers import Draft, Look, Refusal, counted, is_complete, open_reader
from studies.models import Study

LOOKED_AT = 1000
LOOKED_AT_BYTES = 8 << 20
SHOWN = 5

Identity = tuple[str, str, str]
"""Host, path in lower case, and number of an issue."""


@dataclass(frozen=True)
class Preview:
    """What an import would add, judged by the first `rows` rows of the file, or by all of them if `whole`.
    `rows` = `new` + `known` + `repeated` + `refused`; `estimate` is the number of rows of the whole file.
    `aside` as of ingest.readers.Reader.
    """

    rows: int
    whole: bool
    estimate: int
    new: int
    known: int
    repeated: int
    refused: int
    repaired: int
    pull_requests: int
    with_text: int
    repositories: list[tuple[str, int]] = field(default_factory=list)
    aside: dict[str, int] = field(default_factory=dict)
    drafts: list[Draft] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)


@dataclass(frozen=True)
class _Read:
    """What was read of the beginning of a file."""

    drafts: dict[Identity, Draft]
    refusals: list[Refusal]
    rows: int
    repaired: int
    size: int
    whole: bool
    aside: dict[str, int]


def preview(run: Import) -> Preview | None:
    """Read the beginning of the file, at most LOOKED_AT rows or LOOKED_AT_BYTES, and store nothing; None if
    the file is missing, or nobody has said yet where its addresses are. One query.
    """
    return previews(run.study, [run])[0]


def previews(study: Study, runs: Sequence[Import], look: Look | None = None) -> list[Preview | None]:
    """The preview of each import, by the beginning of its file. One query for all."""
    look = look or Look(LOOKED_AT, LOOKED_AT_BYTES)
    read = [_read(run, look) for run in runs]
    known = _known(study, {identity for one in read if one for identity in one.drafts})
    return [_preview(run, one, known) if one else None for run, one in zip(runs, read, strict=True)]


def _read(run: Import, look: Look) -> _Read | None:
    path = files.located(run.path)
    sniffed = files.as_sniffed(run.mapping)
    if not run.path or not path.is_file() or not is_complete(sniffed):
        return None
    drafts: dict[Identity, Draft] = {}
    refusals: list[Refusal] = []
    rows = repaired = 0
    with path.open("rb") as stream:
        reader = open_reader(stream, run.name, sniffed=sniffed, look=look)
        for found in reader:
            rows += 1
            if isinstance(found, Refusal):
                refusals.append(found)
            else:
                drafts.setdefault(found.address.identity, found)
                repaired += bool(found.repaired)
        read = reader.bytes_read
    return _Read(drafts, refusals, rows, repaired, read, not reader.is_cut, counted(reader.aside))


def _preview(run: Import, read: _Read, known: Collection[Identity]) -> Preview:
    drafts = list(read.drafts.values())
    here = len(read.drafts.keys() & known)
    rows = read.rows
    paths = Counter(draft.address.path for draft in drafts)
    return Preview(
        rows=rows,
        whole=read.whole,
        estimate=rows if read.whole else max(rows + 1, round(rows * run.size / max(1, read.size))),
        new=len(drafts) - here,
        known=here,
        repeated=rows - len(read.refusals) - len(drafts),
        refused=len(read.refusals),
        repaired=read.repaired,
        pull_requests=sum(draft.is_pull_request is True for draft in drafts),
        with_text=sum(bool(draft.title or draft.body) for draft in drafts),
        repositories=paths.most_common(),
        aside=read.aside,
        drafts=drafts[:SHOWN],
        refusals=read.refusals[:SHOWN],
    )


def _known(study: Study, identities: Collection[Identity]) -> set[Identity]:
    """Those of these issues that the study has."""
    if not identities:
        return set()
    hosts, paths, numbers = (list(part) for part in zip(*identities, strict=True))
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT given.host, given.path, given.number
            FROM unnest(%s::text[], %s::text[], %s::text[]) AS given (host, path, number)
            JOIN ingest_repository r
              ON r.study_id = %s AND r.host = given.host AND lower(r.path) = given.path
            JOIN ingest_issue i ON i.repository_id = r.id AND i.number = given.number
            """,
            [hosts, paths, numbers, study.pk],
        )
        return set(cursor.fetchall())
