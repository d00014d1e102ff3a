"""The interviews of a study as a project for other coding programs: pseudonymised transcripts whose
participants permit quoting and sharing, with the quotes of revealed codings. `interviews.qdpx` writes it.
"""

from collections import defaultdict
from dataclasses import dataclass

from django.views.decorators.debug import sensitive_variables

from interviews.models import Coding, Consent, OpenCode, Participant, Quote, Session, Transcript, Turn
from interviews.queries.exports import LeftOut, permitting, without_names
from interviews.queries.open_codes import revealed_codings
from interviews.queries.quotes import with_codes
from studies.models import Membership, Study
from taxonomy.models import Version


@dataclass(frozen=True, repr=False)
class Marked:
    """A quote in the text of its source, from `start` to before `end`. `by` is the pseudonym of its coder, ""
    for a common quote of a settled coding.
    """

    pk: int
    start: int
    end: int
    by: str
    memo: str
    categories: tuple[int, ...]
    open_codes: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class Source:
    """One interview: its newest transcript as a text, and its quotes."""

    session: Session
    participant: Participant
    text: str
    quotes: tuple[Marked, ...]

    @property
    def name(self) -> str:
        return f"{self.participant}, {self.session.held_on:%Y-%m-%d}"


@dataclass(frozen=True, repr=False)
class Project:
    """What may leave the study. `left_out` counts interviews."""

    study: Study
    sources: tuple[Source, ...]
    versions: tuple[Version, ...]
    open_codes: tuple[OpenCode, ...]
    left_out: LeftOut

    @property
    def quotes(self) -> int:
        return sum(len(source.quotes) for source in self.sources)


@sensitive_variables()
def project_of(study: Study, member: Membership) -> Project:
    """The project of this study, for owner and leads. Ten queries or so. Raises IdentityUnreadable."""
    newest = (
        Transcript.objects.filter(session__study=study)
        .select_related("session__participant__audience")
        .order_by("session_id", "-number")
        .distinct("session_id")
    )
    transcripts = sorted(newest, key=lambda one: (one.session.held_on, one.session_id))
    people = Participant.objects.filter(study=study)
    permit = permitting(people, Consent.Permission.QUOTE, Consent.Permission.SHARE)
    allowed = [one for one in transcripts if one.session.participant_id in permit]
    texts, starts = _texts(allowed)
    codings = list(
        revealed_codings(study, member)
        .filter(session__in=[one.session_id for one in allowed])
        .select_related("version__taxonomy")
        .order_by("pk")
    )
    quotes = _quotes(codings, allowed, starts)
    whole = [_everything(one, texts[one.pk], quotes[one.pk]) for one in allowed]
    kept, named = without_names(study.pk, allowed, whole)
    shown = {code for one in kept for quote in quotes[one.pk] for code in quote.open_codes}
    codes = list(OpenCode.objects.filter(pk__in=shown).order_by("name", "pk"))
    clean, _of_codes = without_names(study.pk, codes, [code.name for code in codes])
    sources = [
        Source(one.session, one.session.participant, texts[one.pk], tuple(quotes[one.pk])) for one in kept
    ]
    versions = {coding.version_id: coding.version for coding in codings}
    left_out = LeftOut(len(transcripts) - len(allowed), named)
    return Project(study, tuple(sources), tuple(versions.values()), tuple(clean), left_out)


def _texts(transcripts: list[Transcript]) -> tuple[dict[int, str], dict[int, int]]:
    """The text of each transcript, a line for each turn, and where each turn's own text begins in it."""
    lines: dict[int, list[str]] = {one.pk: [] for one in transcripts}
    sizes: dict[int, int] = defaultdict(int)
    starts: dict[int, int] = {}
    for turn in Turn.objects.filter(transcript__in=transcripts).order_by("transcript", "position"):
        time = f"[{turn.time}] " if turn.begins is not None else ""
        head = f"{time}{turn.speaker}: "
        starts[turn.pk] = sizes[turn.transcript_id] + len(head)
        lines[turn.transcript_id].append(f"{head}{turn.text}\n")
        sizes[turn.transcript_id] += len(head) + len(turn.text) + 1
    return {pk: "".join(parts) for pk, parts in lines.items()}, starts


def _quotes(
    codings: list[Coding], transcripts: list[Transcript], starts: dict[int, int]
) -> dict[int, list[Marked]]:
    """The quotes of each transcript: the common ones of a settled coding, else those of the coders."""
    settled = {one.pk for one in codings if one.settled_at}
    shown = Quote.objects.filter(coding__in=codings, transcript__in=transcripts, dropped_at=None)
    found: dict[int, list[Marked]] = defaultdict(list)
    for quote in with_codes(shown):
        if (quote.coder is None) != (quote.coding_id in settled):
            continue
        codes = list(quote.codes.all())
        start = starts[quote.turn_id]
        found[quote.transcript_id].append(
            Marked(
                pk=quote.pk,
                start=start + quote.start,
                end=start + quote.end,
                by=quote.coder.member.pseudonym if quote.coder else "",
                memo=quote.memo,
                categories=tuple(one.category_id for one in codes if one.category_id is not None),
                open_codes=tuple(one.open_code_id for one in codes if one.open_code_id is not None),
            )
        )
    return found


def _everything(transcript: Transcript, text: str, quotes: list[Marked]) -> str:
    """All that the file would say of an interview, to look for names in it."""
    who = transcript.session.participant
    return "\n".join([text, who.experience, who.context, *(quote.memo for quote in quotes)])
