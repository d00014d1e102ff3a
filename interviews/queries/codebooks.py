"""The codebook of the interviews in the published shape: settled quotes, and codebooks that were imported."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from interviews.models import Coding, ImportedCodebook, Participant, Quote, Transcript
from interviews.queries.exports import LeftOut, may_be_quoted
from interviews.queries.open_codes import revealed_codings
from interviews.queries.quotes import content_of, with_codes
from interviews.queries.reading import Unread, unread
from interviews.readers.codebook import Codebook as ReadCodebook
from interviews.readers.codebook import CodebookRow, read_codebook, unknown_links
from interviews.readers.refusals import Unreadable
from studies.models import Membership, Study
from taxonomy.models import CategoryState, Version
from taxonomy.queries.codebooks import codebooks

FIELDS = ("participant", "kind", "experience", "context", "prompt", "quote", "linked", "insight")


@dataclass(frozen=True)
class Book:
    """The rows of a codebook that may leave the study, and how many may not."""

    rows: list[CodebookRow]
    left_out: LeftOut


def settled_codings(study: Study, member: Membership) -> QuerySet[Coding]:
    """The settled codings that this member may read, by the date of their interview."""
    shown = revealed_codings(study, member).filter(settled_at__isnull=False)
    found = shown.select_related("session__participant__audience", "version")
    return found.order_by("session__held_on", "session")


def settled_book(study: Study, member: Membership) -> Book:
    """The common quotes of the settled interviews that this member may read, by date and place. Nine queries,
    however many interviews.
    """
    codings = list(settled_codings(study, member))
    newest = (
        Transcript.objects.filter(session__in=[one.session_id for one in codings])
        .order_by("session_id", "-number")
        .distinct("session_id")
    )
    shown = Quote.objects.filter(
        coding__in=codings, coder=None, dropped_at=None, transcript__in=[one.pk for one in newest]
    )
    books = codebooks({one.version_id for one in codings})
    by_coding: dict[int, list[Quote]] = {one.pk: [] for one in codings}
    for quote in with_codes(shown):
        by_coding[quote.coding_id].append(quote)
    rows = []
    for coding in codings:
        who = coding.session.participant
        for quote in by_coding[coding.pk]:
            said = content_of(quote, books[coding.version_id])
            rows.append(
                CodebookRow(
                    participant=str(who),
                    kind=who.audience.name,
                    experience=who.experience,
                    context=who.context,
                    prompt="",
                    quote=quote.turn.text[quote.start : quote.end],
                    linked=", ".join([*said.codes, *said.open_codes]),
                    insight=quote.memo,
                )
            )
    return Book(*may_be_quoted(study, rows))


def imported_of(study: Study) -> QuerySet[ImportedCodebook]:
    """The imported codebooks, newest first."""
    return ImportedCodebook.objects.filter(study=study).select_related("version__taxonomy", "imported_by")


def rows_of(codebook: ImportedCodebook) -> list[CodebookRow]:
    """All rows as the file had them. One query."""
    return [CodebookRow(*row) for row in codebook.entries.values_list(*FIELDS, "line")]


def imported_book(codebook: ImportedCodebook) -> Book:
    """What of an imported codebook may leave the study. Five queries."""
    rows = rows_of(codebook)
    return Book(*may_be_quoted(codebook.study, rows, is_published=codebook.is_published))


def flaws_of(codebook: ImportedCodebook, rows: Sequence[CodebookRow]) -> list[str]:
    """The links of these rows to categories that the version of the codebook lacks."""
    return unknown_in(rows, codebook.version)


def unknown_in(rows: Sequence[CodebookRow], version: Version | None) -> list[str]:
    """The links to categories that a version lacks, in words; [] without a version."""
    if version is None:
        return []
    known = set(CategoryState.objects.filter(version=version).values_list("code", flat=True))
    return [note.text(_) for note in unknown_links(rows, known)]


@sensitive_variables()
def codebook_file(data: bytes) -> ReadCodebook:
    """The rows of a file, with its flaws. A row of another width than the header is refused: without it, a
    quote would be lost. Raises Unread.
    """
    try:
        read = read_codebook(data)
    except Unreadable as refused:
        raise unread(refused) from None
    for note in read.problems:
        if note.code == "ragged":
            raise Unread(_("%(cause)s Nothing was stored.") % {"cause": note.text(_)})
    return read


def flaws_in(read: ReadCodebook, version: Version | None, study: Study) -> list[str]:
    """The flaws of a file before it is imported, in words: those of its rows, links to categories that the
    version lacks, and participants whom the study lacks. Two queries.
    """
    found = [note.text(_) for note in read.problems] + unknown_in(read.rows, version)
    if strangers := strangers_in(read.rows, _pseudonyms(study)):
        words = _("The study has no participants of these names: %(names)s.")
        found.append(words % {"names": ", ".join(strangers)[:400]})
    return found


def strangers_in(rows: Sequence[CodebookRow], known: Collection[str]) -> list[str]:
    """The participants of these rows that are none of the known pseudonyms."""
    named = dict.fromkeys(row.participant.strip() for row in rows)
    return [name for name in named if name and name.casefold() not in known]


def _pseudonyms(study: Study) -> set[str]:
    people = Participant.objects.filter(study=study).select_related("audience")
    return {str(one).casefold() for one in people}
