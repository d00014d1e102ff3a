"""Files of a replication package on where its issues come from and what was said about them: keyword lists,
harvests, samples, the codebook as prose, and the comments on issues.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC

from django.utils import timezone
from django.utils.text import slugify

from annotate.models import Sample
from annotate.queries.samples import framed_urls
from consensus.models import Comment
from core.csv import csv_lines
from harvests.models import HarvestedRepository, HarvestPage
from harvests.queries.reports import harvests_of
from ingest.models import KeywordTerm
from replication.package_inputs import as_json
from reports.exports import BATCH
from rounds.models import Round
from rounds.queries.blindness import WithheldIssues
from rounds.queries.rounds import revealed
from studies.models import Study
from taxonomy.codebooks import as_markdown
from taxonomy.queries.codebooks import codebook

Files = Iterator[tuple[str, Iterable[bytes]]]

KEYWORDS = (
    "List", "Version", "Stored_at", "Note", "Repositories", "Position", "Term", "Kind", "Case_sensitive",
)  # fmt: skip
HARVESTS = (
    "Harvest", "Name", "Host", "Repository", "Opened_from", "Opened_before", "Pull_requests", "Comments",
    "Started_at", "Finished_at", "Outcome", "Expected", "Counted", "Requests",
)  # fmt: skip
PAGES = (
    "Harvest", "Host", "Repository", "Page", "Pass", "Address", "Status", "Records", "SHA256", "Fetched_at",
)  # fmt: skip
FRAME = ("Repository", "Issue_URL", "Drawn")
COMMENTS = ("Issue_URL", "Author", "Argues_for", "Text", "Said_at")


def origin_files(round_: Round, blind: WithheldIssues) -> Files:
    """Names and content of the files that are not empty. Comments are those on revealed issues of the round
    outside of `blind`.
    """
    book = codebook(round_.version_id)
    with timezone.override(UTC):  # the day of publication is the same wherever a package is made
        yield "codebook.md", [as_markdown(round_.version, book.tree()).encode()]
    yield from _keywords(round_.study)
    yield from _harvests(round_.study)
    yield from _samples(round_.study)
    said = Comment.objects.filter(round=round_, issue__in=revealed(round_).values("issue"))
    said = said.exclude(issue__in=blind.values("issue")).order_by("pk")
    if said.exists():
        codes = {state.category_id: state.code for state in book.states}
        rows = said.values_list("issue__url", "author__pseudonym", "category", "text", "said_at")
        yield (
            "comments.csv",
            csv_lines(
                COMMENTS,
                (
                    (url, author, codes.get(category or 0, ""), text, at.isoformat())
                    for url, author, category, text, at in rows.iterator(chunk_size=BATCH)
                ),
            ),
        )


def _keywords(study: Study) -> Files:
    """Every version of every keyword list, a row for each term."""
    terms = KeywordTerm.objects.filter(version__keyword_list__study=study).select_related(
        "version__keyword_list"
    )
    if terms.exists():
        rows = (
            (
                one.version.keyword_list.name, one.version.number, one.version.stored_at.isoformat(),
                one.version.note, " ".join(one.version.repositories), one.position, one.text, one.kind,
                "yes" if one.is_case_sensitive else "",
            )
            for one in terms.order_by("version__keyword_list", "version__number", "position").iterator(
                chunk_size=BATCH
            )
        )  # fmt: skip
        yield "keywords.csv", csv_lines(KEYWORDS, rows)


def _harvests(study: Study) -> Files:
    """What was asked of which forge, and each page of its answers with the SHA-256 of the body."""
    asked = HarvestedRepository.objects.filter(harvest__in=harvests_of(study)).select_related("harvest__run")
    if not asked.exists():
        return
    rows = (
        (
            one.harvest_id, one.harvest.run.name, one.host, one.path, _moment(one.harvest.opened_from),
            _moment(one.harvest.opened_before), "yes" if one.harvest.with_pull_requests else "",
            "yes" if one.harvest.with_comments else "", _moment(one.started_at), _moment(one.finished_at),
            one.outcome, _issues(one.expected), _issues(one.counted), one.requests,
        )
        for one in asked.order_by("harvest", "position")
    )  # fmt: skip
    yield "harvests/harvests.csv", csv_lines(HARVESTS, rows)
    pages = HarvestPage.objects.filter(repository__in=asked).order_by(
        "repository__harvest", "repository__position", "position"
    )
    fields = (
        "repository__harvest", "repository__host", "repository__path", "position", "phase", "url", "status",
        "records", "sha256", "fetched_at",
    )  # fmt: skip
    found = pages.values_list(*fields).iterator(chunk_size=BATCH)
    yield "harvests/pages.csv", csv_lines(PAGES, ((*row[:-1], row[-1].isoformat()) for row in found))


def _samples(study: Study) -> Files:
    """The plan and the seed of each sample, and the frame that it was drawn from with the drawn issues."""
    for place, sample in enumerate(Sample.objects.filter(study=study).order_by("pk"), 1):
        name = f"samples/{place:02}-{slugify(sample.name) or 'sample'}"
        plan = {"name": sample.name, "seed": sample.seed, "plan": sample.plan}
        yield f"{name}.json", [as_json(plan | {"drawn_at": sample.created_at.isoformat()})]
        frame = ((path, url, "yes" if drawn else "") for path, url, drawn in framed_urls(sample))
        yield f"{name}.csv", csv_lines(FRAME, frame)


def _moment(at: object) -> str:
    return at.isoformat() if hasattr(at, "isoformat") else ""


def _issues(counted: dict[str, int] | None) -> int | str:
    return (counted or {}).get("issues", "")
