"""What revealed codings hold, for numbers: quotes of coders and common ones, on the newest transcripts. The
caller says which codings; `revealed_codings` are those that a reader may see.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import QuerySet

from interviews.models import Coder, Coding, Quote, QuoteCode, Transcript, Turn
from interviews.queries.open_codes import revealed_codings
from interviews.queries.quotes import Span
from studies.models import Membership, Study
from taxonomy.models import Taxonomy, Version
from taxonomy.queries.taxonomies import published_version


@dataclass(frozen=True)
class CodedQuote:
    """A quote with ids of its categories and names of its open codes. `by` is "" for a common quote."""

    by: str
    span: Span
    categories: frozenset[int]
    open_codes: frozenset[str]


@dataclass(frozen=True)
class CodedInterview:
    """A revealed coding. `answers` are the positions of the turns that can be coded, `coders` those who
    finished: what an `unfinished` coder coded, who left half-way, does not count. `left_behind` quotes of
    them are on an earlier transcript, since a correction changed their words.
    """

    coding: Coding
    coders: tuple[str, ...]
    answers: tuple[int, ...]
    quotes: tuple[CodedQuote, ...] = field(default=())
    common: tuple[CodedQuote, ...] = field(default=())
    left_behind: int = 0
    unfinished: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return str(self.coding.session.participant)


def coded_interviews(codings: QuerySet[Coding]) -> list[CodedInterview]:
    """These codings by the date of their interview. Seven queries."""
    found = list(
        codings.select_related("session__participant__audience", "version__taxonomy").order_by(
            "session__held_on", "session"
        )
    )
    newest = (
        Transcript.objects.filter(session__in=[one.session_id for one in found])
        .order_by("session", "-number")
        .distinct("session")
    )
    transcripts = dict(newest.values_list("session", "pk"))
    coders: dict[int, list[str]] = defaultdict(list)
    unfinished: dict[int, list[str]] = defaultdict(list)
    rows = Coder.objects.filter(coding__in=found).order_by("pk")
    for coding, name, done_at in rows.values_list("coding", "member__pseudonym", "done_at"):
        (coders if done_at else unfinished)[coding].append(name)
    answers: dict[int, list[int]] = defaultdict(list)
    turns = Turn.objects.filter(transcript__in=transcripts.values(), is_interviewer=False)
    for transcript, position in turns.order_by("position").values_list("transcript", "position"):
        answers[transcript].append(position)
    quotes = _quotes(found, transcripts.values())
    behind = Quote.objects.filter(
        coding__in=found, coder__done_at__isnull=False, dropped_at=None, carried_to=None
    )
    lost = Counter(behind.exclude(transcript__in=transcripts.values()).values_list("coding", flat=True))
    return [
        CodedInterview(
            coding=one,
            coders=tuple(coders[one.pk]),
            answers=tuple(answers[transcripts.get(one.session_id, 0)]),
            quotes=tuple(quote for quote in quotes[one.pk] if quote.by in coders[one.pk]),
            common=tuple(quote for quote in quotes[one.pk] if not quote.by),
            left_behind=lost[one.pk],
            unfinished=tuple(unfinished[one.pk]),
        )
        for one in found
    ]


def _quotes(codings: Iterable[Coding], transcripts: Iterable[int]) -> Mapping[int, list[CodedQuote]]:
    shown = Quote.objects.filter(coding__in=codings, transcript__in=transcripts, dropped_at=None)
    categories: dict[int, set[int]] = defaultdict(set)
    names: dict[int, set[str]] = defaultdict(set)
    codes = QuoteCode.objects.filter(quote__in=shown)
    for quote, category, name in codes.values_list("quote", "category", "open_code__name"):
        if category is None:
            names[quote].add(name)
        else:
            categories[quote].add(category)
    found: dict[int, list[CodedQuote]] = defaultdict(list)
    fields = ("pk", "coding", "coder__member__pseudonym", "turn__position", "start", "end")
    for pk, coding, by, turn, start, end in shown.order_by("turn__position", "start", "pk").values_list(
        *fields
    ):
        span = Span(turn, start, end)
        made = CodedQuote(by or "", span, frozenset(categories[pk]), frozenset(names[pk]))
        found[coding].append(made)
    return found


def revealed_of(study: Study, member: Membership | None) -> QuerySet[Coding]:
    """The revealed codings that this member may read; None: the shell, which reads all."""
    if member is None:
        return Coding.objects.filter(session__study=study, revealed_at__isnull=False)
    return revealed_codings(study, member)


@dataclass(frozen=True)
class CodedStudy:
    """The revealed interviews of one taxonomy that a reader may see, the version whose categories count, and
    all taxonomies with such interviews. Without one, `version` is None.
    """

    interviews: list[CodedInterview]
    version: Version | None
    taxonomies: list[Taxonomy]


def coded_study(study: Study, member: Membership, taxonomy_id: int | None = None) -> CodedStudy | None:
    """What the reader may see of this taxonomy, by default that of the newest coding; None for a taxonomy
    without a revealed coding.
    """
    shown = revealed_codings(study, member)
    newest = shown.select_related("version__taxonomy").order_by("-revealed_at")
    taxonomies = list({one.version.taxonomy_id: one.version.taxonomy for one in newest}.values())
    chosen = next((one for one in taxonomies if taxonomy_id in {None, one.pk}), None)
    if chosen is None:
        return CodedStudy([], None, []) if taxonomy_id is None else None
    interviews = coded_interviews(shown.filter(version__taxonomy=chosen))
    return CodedStudy(interviews, published_version(chosen), taxonomies)
