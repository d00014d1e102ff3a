"""What evidence is now, for one reader: what may not be seen or quoted is left out, whoever attached it."""

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from consensus.queries.agendas import standing_decisions
from core.text.joining import clauses, named
from findings.models import Evidence
from ingest.models import Issue
from interviews.models import Consent, Place, Quote, Session, Transcript
from interviews.queries.exports import permissions
from interviews.queries.quotes import content_of, with_codes
from interviews.queries.rankings import shared_ranks
from interviews.queries.sessions import readable
from interviews.rules import may_read_quotes
from reports.agreement_report import BY, LEVELS, agreement_report
from reports.formats.json_report import report_as_dict
from reports.formats.tables import number
from reports.frozen.document import figures
from reports.frozen.wording import figure_name
from rounds.models import Round
from rounds.queries.blindness import keeps_frozen, seen_by
from studies.models import Membership
from studies.rules import may_read_revealed
from taxonomy.models import CategoryState, Level
from taxonomy.queries.codebooks import Codebook, codebook

SAME, CHANGED, GONE, HIDDEN, SILENT, ERASED = "same", "changed", "gone", "hidden", "silent", "erased"
UNARCHIVED = "unarchived"
"""States: as noted; other than noted; no longer there; not for this reader; not to be quoted; erased; in a
package only, not to be archived.
"""


@dataclass(frozen=True)
class Live:
    """What a piece of evidence is now. `noted` are its values to compare, `value` the one for the text,
    `reference` the name of a quote (`reference_of`).
    """

    source: str
    url: str = ""
    content: str = ""
    codes: tuple[str, ...] = ()
    value: str = ""
    noted: Mapping[str, Any] = field(default_factory=dict)
    state: str = SAME
    reference: str = ""


Found = dict[int, Live]


def live(member: Membership | None, found: Iterable[Evidence], *, is_archived: bool = False) -> Found:
    """What each piece of evidence is for this member, by its key; None: the shell, which sees everything that
    may be quoted. `is_archived`: for a package, whose quotes must be permitted to be archived. The number of
    queries grows with the rounds and questions named, not with the pieces.
    """
    kinds: dict[str, list[Evidence]] = defaultdict(list)
    for one in found:
        kinds[one.kind].append(one)
    read: dict[str, Callable[[Membership | None, Sequence[Evidence]], Found]] = {
        Evidence.Kind.QUOTE: partial(_quotes, is_archived=is_archived),
        Evidence.Kind.ISSUE: _issues,
        Evidence.Kind.RANKING: _rankings,
        Evidence.Kind.NUMBER: _numbers,
    }
    made: Found = {}
    for kind, ones in kinds.items():
        made |= read[Evidence.Kind(kind)](member, ones)
    return made


def is_as_noted(noted: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Are these values equal, numbers but for their last digits?"""
    return noted.keys() == now.keys() and all(_equal(noted[name], now[name]) for name in now)


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return bool(one == other)


# --- quotes


def reference_of(quote: Quote) -> str:
    """The name of a common quote for people and programs: participant, number of their interview, turn from
    1, first character from 0 and the one after the last. `quote` was read with `interview`.
    """
    place = f"{quote.turn.position + 1}.{quote.start}-{quote.end}"
    return f"{_participant(quote)}.{quote.interview}.{place}"  # type: ignore[attr-defined]  # annotated


def common_quotes(member: Membership | None, study_id: int) -> list[Quote]:
    """The common quotes of a study that this member may see and that may be quoted, by interview and place;
    with all that a line shows. Five queries.
    """
    found = Quote.objects.filter(
        coding__session__study=study_id, coder=None, dropped_at=None, carried_to=None
    )
    quotes = [one for one in _read(found) if _may_read(member, one) and not one.is_behind]
    silent = _silent(quotes)
    return [one for one in quotes if _participant(one).pk not in silent and not _participant(one).erased_at]


def _read(quotes: QuerySet[Quote]) -> list[Any]:
    """`is_behind`: the transcript was corrected since, and the quote could not be carried. `interview`: which
    interview of the participant it is, in the order in which they were added.
    """
    newer = Transcript.objects.filter(
        session=OuterRef("transcript__session"), number__gt=OuterRef("transcript__number")
    )
    earlier = Session.objects.filter(
        participant=OuterRef("coding__session__participant"), pk__lte=OuterRef("coding__session")
    )
    place = earlier.order_by().values("participant").annotate(place=Count("pk")).values("place")
    rows = (
        with_codes(quotes)
        .select_related(
            "turn", "transcript", "coding__session__participant__audience", "coding__session__study"
        )
        .annotate(is_behind=Exists(newer), interview=Subquery(place))
    )
    return list(rows.order_by("coding__session__held_on", "coding", "turn__position", "start", "end"))


def _participant(quote: Quote) -> Any:
    return quote.coding.session.participant


def _may_read(member: Membership | None, quote: Quote) -> bool:
    if member is None:
        return quote.coding.revealed_at is not None
    quote.coding.session.coding = quote.coding
    return may_read_quotes(member, quote.coding)


def _silent(quotes: Iterable[Quote], *, is_archived: bool = False) -> dict[int, str]:
    """Participants of these quotes whose words are not shown, with the state that says why."""
    asked = {_participant(one).pk for one in quotes}
    permitted = permissions(asked)
    found = {}
    for pk in asked:
        if Consent.Permission.QUOTE not in permitted.get(pk, ()):
            found[pk] = SILENT
        elif is_archived and Consent.Permission.ARCHIVE not in permitted[pk]:
            found[pk] = UNARCHIVED
    return found


def _quotes(member: Membership | None, ones: Sequence[Evidence], *, is_archived: bool = False) -> Found:
    """A quote that was carried to a corrected transcript is the one there."""
    codings = Quote.objects.filter(pk__in=[one.quote_id for one in ones]).values("coding")
    quotes = {one.pk: one for one in _read(Quote.objects.filter(coding__in=codings, coder=None))}
    carried = {one.carried_from_id: one.pk for one in quotes.values() if one.carried_from_id}
    silent = _silent(quotes.values(), is_archived=is_archived)
    books = books_of(quotes.values())
    made: Found = {}
    for one in ones:
        pk = one.quote_id
        while pk in carried:
            pk = carried[pk]
        made[one.pk] = _quote(member, quotes.get(pk) if pk else None, silent, books)
    return made


def books_of(quotes: Iterable[Quote]) -> dict[int, Codebook]:
    """The codebooks of these quotes, by version. One query for each."""
    return {version: codebook(version) for version in {one.coding.version_id for one in quotes}}


def _quote(
    member: Membership | None, quote: Any, silent: Mapping[int, str], books: Mapping[int, Codebook]
) -> Live:
    if quote is None:
        return Live(_("a quote whose settlement was undone"), state=GONE)
    if not _may_read(member, quote):
        return Live(_("a quote"), state=HIDDEN)
    session: Session = quote.coding.session
    source = _("%(participant)s, %(day)s, turn %(turn)s") % {
        "participant": session.participant,
        "day": date_format(session.held_on, "Y-m-d"),
        "turn": quote.turn.position + 1,
    }
    url = reverse("reconcile", args=[quote.coding_id])
    name = reference_of(quote)
    if session.participant.erased_at:
        return Live(source, url, state=ERASED, reference=name)
    if session.participant_id in silent:
        return Live(source, url, state=silent[session.participant_id], reference=name)
    if quote.dropped_at or quote.is_behind:
        return Live(source, url, state=GONE, reference=name)
    text = quote.turn.text[quote.start : quote.end]
    content = content_of(quote, books[quote.coding.version_id])
    codes = content.codes + content.open_codes
    noted = {"codes": list(codes), "text": hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]}
    return Live(source, url, text, codes, f"“{text}”", noted, reference=name)


# --- issues


def _issues(member: Membership | None, ones: Sequence[Evidence]) -> Found:
    """Each with its decision in the round that it names, where the reader may see this decision."""
    decided: dict[tuple[int | None, int | None], str] = {}
    hidden: set[tuple[int | None, int | None]] = set()
    rounds: dict[int, Round] = {one.round.pk: one.round for one in ones if one.round}
    for pk, round_ in rounds.items():
        issues = [one.issue_id for one in ones if one.round_id == pk]
        decisions = standing_decisions(round_).filter(issue__in=issues)
        seen = seen_by(decisions, round_, member)
        book = codebook(round_.version_id)
        codes = {
            issue: book.states[book.places[category]].code
            for issue, category in seen.values_list("issue", "category")
        }
        kept = keeps_frozen(round_, member).filter(issue__in=issues).values_list("issue", flat=True)
        hidden |= {(pk, issue) for issue in kept}
        decided |= {(pk, issue): code for issue, code in codes.items()}
    return {one.pk: _issue(member, one, one.issue, decided, hidden) for one in ones if one.issue}


def _issue(
    member: Membership | None,
    one: Evidence,
    issue: Issue,
    decided: Mapping[tuple[int | None, int | None], str],
    hidden: set[tuple[int | None, int | None]],
) -> Live:
    source = f"{issue.repository.path}#{issue.number}"
    url = reverse("issue", args=[issue.repository.study.slug, issue.pk])
    title = issue.current.title if issue.current else issue.url
    at = (one.round_id, one.issue_id)
    if one.round and ((member and not may_read_revealed(member)) or at in hidden):
        return Live(source, url, state=HIDDEN)
    code = decided.get(at, "")
    where = clauses([source, one.round.name]) if one.round else source
    noted = {"snapshot": issue.current_id, "code": code}
    return Live(where, url, title, (code,) if code else (), code or source, noted)


# --- rankings


def _rankings(member: Membership | None, ones: Sequence[Evidence]) -> Found:
    """Mean rank of a category where participants ranked it; hidden from who may not read all answers to its
    question. Somebody who was interviewed twice counts with the later answer, as on the page of rankings.
    """
    questions = {one.question_id for one in ones}
    answers: dict[int, dict[int, dict[int, int]]] = defaultdict(lambda: defaultdict(dict))
    last: dict[tuple[int, int], int] = {}
    rows = Place.objects.filter(ranking__question__in=questions).order_by("ranking__session")
    for asked, ranking, who, category, place in rows.values_list(
        "ranking__question", "ranking", "ranking__session__participant", "category", "place"
    ):
        answers[asked][ranking][category] = place
        last[asked, who] = ranking
    given: dict[int, list[dict[int, int]]] = defaultdict(list)
    for (asked, _who), ranking in last.items():
        given[asked].append(answers[asked][ranking])
    kept: set[int | None] = set()
    if member is not None:
        answered = Session.objects.filter(rankings__question__in=questions)
        kept = set(answered.exclude(readable(member)).values_list("rankings__question", flat=True))
    newest = CategoryState.objects.filter(category__in=[one.category_id for one in ones])
    states = {state.category_id: state for state in newest.order_by("version__number")}
    made: Found = {}
    for one in ones:
        question = one.question
        if question is None or one.category_id is None:
            continue  # a constraint of the table forbids it
        state = states.get(one.category_id)
        source = _("Guide v%(guide)s: %(question)s") % {
            "guide": question.part.guide.number,
            "question": question.text,
        }
        if question.pk in kept:
            made[one.pk] = Live(source, state=HIDDEN)
            continue
        ranks = [
            (shared_ranks(places)[one.category_id], places[one.category_id])
            for places in given[question.pk]
            if one.category_id in places
        ]
        made[one.pk] = _ranked(one, source, state.code if state else "", ranks, len(given[question.pk]))
    return made


def _ranked(
    one: Evidence, source: str, code: str, ranks: Sequence[tuple[Fraction, int]], answers: int
) -> Live:
    question = one.question
    url = reverse("rankings", args=[one.finding.study.slug])
    if not ranks:
        return Live(source, url, codes=(code,), state=GONE)
    mean = float(sum(rank for rank, _place in ranks) / len(ranks))
    words = _("mean rank %(mean)s; ranked by %(n)s of %(all)s")
    if question and question.top:  # the mean over all participants is another number
        words = _("mean rank where ranked %(mean)s; ranked by %(n)s of %(all)s")
    content = words % {"mean": number(mean, 2), "n": len(ranks), "all": answers}
    noted: dict[str, Any] = {"mean": mean, "ranked": len(ranks), "answers": answers}
    if question and question.top:
        noted["top"] = sum(place <= question.top for _rank, place in ranks)
        content += "; " + _("%(n)s in the first %(top)s") % {"n": noted["top"], "top": question.top}
    return Live(source, url, content, (code,), number(mean, 2), noted)


# --- numbers of a report


def _numbers(member: Membership | None, ones: Sequence[Evidence]) -> Found:
    """Numbers of whole rounds; hidden from who may not see an issue of the round."""
    rounds = {one.round.pk: one.round for one in ones if one.round}
    hidden = {
        pk
        for pk, round_ in rounds.items()
        if (member and not may_read_revealed(member)) or keeps_frozen(round_, member).exists()
    }
    reports = {
        (pk, level): report_figures(rounds[pk], level)
        for pk, level in {(one.round_id, one.level) for one in ones}
        if pk is not None and pk not in hidden
    }
    made: Found = {}
    for one in ones:
        if one.round is None or one.round_id is None:
            continue  # a constraint of the table forbids it
        level = str(Level(LEVELS[one.level]).label).lower()
        source = named(clauses([one.round.name, level]), figure_name(*one.figure))
        url = f"{reverse('agreement', args=[one.round.pk])}?level={one.level}"
        if one.round_id in hidden:
            made[one.pk] = Live(source, url, state=HIDDEN)
            continue
        found = reports[one.round_id, one.level].get(tuple(one.figure))
        if found is None or found["value"] is None:
            made[one.pk] = Live(source, url, state=GONE)
            continue
        shown = in_words(found["value"])
        low, high = found["low"], found["high"]
        content = f"{shown} [{number(low)}, {number(high)}]" if low is not None else shown
        made[one.pk] = Live(source, url, content, (), shown, found)
    return made


def in_words(value: float) -> str:
    return str(value) if isinstance(value, int) else number(value)


def report_figures(round_: Round, level: str) -> dict[tuple[str, str, str], dict[str, Any]]:
    """The numbers of the current report of the whole round, for who may see all of it, by their key."""
    if not codebook(round_.version_id).at_level(LEVELS[level]):
        return {}
    report = report_as_dict(agreement_report(round_, level=LEVELS[level], by=BY))
    made = {}
    for key, figure in figures(report, set(report)):
        low, high = figure.interval or (None, None)
        made[tuple(key)] = {"value": figure.value, "low": low, "high": high}
    return made  # type: ignore[return-value]  # a key has three texts
