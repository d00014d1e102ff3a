"""Previews of uploaded files: what an import of the file would add to the study."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ingest import files
from ingest.models import Import, Issue
from ingest.readers import Draft, Look, Refusal, counted, is_complete, open_reader
from studies.models import Study

LOOKED_AT = 1000
LOOKED_AT_BYTES = 8 << 20
SHOWN = 5


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


def preview(run: Import) -> Preview | None:
    """Read the beginning of the file, at most LOOKED_AT rows or LOOKED_AT_BYTES, and store nothing; None if
    the file is missing, or nobody has said yet where its addresses are. One query.
    """
    path = files.located(run.path)
    sniffed = files.as_sniffed(run.mapping)
    if not run.path or not path.is_file() or not is_complete(sniffed):
        return None
    drafts: dict[tuple[str, str, str], Draft] = {}
    refusals: list[Refusal] = []
    rows = repaired = 0
    with path.open("rb") as stream:
        reader = open_reader(stream, run.name, sniffed=sniffed, look=Look(LOOKED_AT, LOOKED_AT_BYTES))
        for found in reader:
            rows += 1
            if isinstance(found, Refusal):
                refusals.append(found)
            else:
                drafts.setdefault(found.address.identity, found)
                repaired += bool(found.repaired)
        read = reader.bytes_read
    whole = not reader.is_cut
    known = _known(run.study, drafts.values())
    paths = Counter(draft.address.path for draft in drafts.values())
    return Preview(
        rows=rows,
        whole=whole,
        estimate=rows if whole else max(rows + 1, round(rows * run.size / max(1, read))),
        new=len(drafts) - known,
        known=known,
        repeated=rows - len(refusals) - len(drafts),
        refused=len(refusals),
        repaired=repaired,
        pull_requests=sum(draft.is_pull_request is True for draft in drafts.values()),
        with_text=sum(bool(draft.title or draft.body) for draft in drafts.values()),
        repositories=paths.most_common(),
        aside=counted(reader.aside),
        drafts=list(drafts.values())[:SHOWN],
        refusals=refusals[:SHOWN],
    )


def _known(study: Study, drafts: Iterable[Draft]) -> int:
    """The number of these issues that the study has."""
    identities = [draft.address.identity for draft in drafts]
    if not identities:
        return 0
    hosts, paths, numbers = (list(part) for part in zip(*identities, strict=True))
    found = Issue.objects.raw(
        """
        SELECT i.id FROM unnest(%s::text[], %s::text[], %s::text[]) AS given (host, path, number)
        JOIN ingest_repository r ON r.study_id = %s AND r.host = given.host AND lower(r.path) = given.path
        JOIN ingest_issue i ON i.repository_id = r.id AND i.number = given.number
        """,
        [hosts, paths, numbers, study.pk],
    )
    return len(list(found))
