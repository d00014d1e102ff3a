"""The numbers of rankings as rows of a CSV file: one for each question and category."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from agreement.intervals.bootstrap import PercentileInterval
from agreement.rankings.groups import GroupComparison
from agreement.reasons import Reason
from interviews.errors import IdentityUnreadable
from interviews.queries.exports import without_names
from interviews.queries.ranking_numbers import RankedQuestion, RankLine, StudyRankings
from studies.models import Study

HEADER = (
    "question", "text", "asked_for", "participants", "code", "name", "ranked_by", "mean_rank",
    "mean_rank_low", "mean_rank_high", "mean_rank_given", "first_places", "share", "share_low", "share_high",
    "first_group", "second_group", "first_participants", "second_participants", "first_mean_rank",
    "second_mean_rank", "difference", "difference_low", "difference_high", "by_chance_low", "by_chance_high",
    "p", "p_holm", "w", "w_low", "w_high", "w_chi2", "w_df", "w_p", "w_permutation_p", "reason", "w_reason",
)  # fmt: skip

ANSWERS = ("question", "answer", "group", "code", "place")


def rows_to_leave(study: Study, found: StudyRankings) -> Iterator[tuple[object, ...]]:
    """The rows as they may leave the study: a question that contains a listed name has no text, nor has any
    question while the listed names are unreadable. Groups have no numbers where `has_one_alone`: less the
    groups, the numbers of all are those of the one who is in neither.
    """
    questions = [one.question for one in found.questions]
    try:
        told, _named = without_names(study.pk, questions, [one.text for one in questions])
    except IdentityUnreadable:
        told = []
    leaving = replace(found, questions=tuple(map(_without_groups_of_one, found.questions)))
    yield from ranking_rows(leaving, untold={one.pk for one in questions} - {one.pk for one in told})


def _without_groups_of_one(question: RankedQuestion) -> RankedQuestion:
    if not question.has_one_alone:
        return question
    sizes = question.comparison.first, question.comparison.second
    return replace(
        question,
        lines=tuple(replace(line, difference=None) for line in question.lines),
        comparison=GroupComparison(*sizes, reason=question.comparison.reason or Reason.ONE_IN_GROUP),
    )


def answer_rows(found: StudyRankings) -> Iterator[tuple[object, ...]]:
    """In the order of ANSWERS: a row for each category that a participant ranked, without who it was."""
    for question in found.questions:
        for number, (group, places) in enumerate(question.counted, start=1):
            for code, place in places:
                yield question.question.reference, number, group, code, place


def ranking_rows(found: StudyRankings, *, untold: Collection[int] = ()) -> Iterator[tuple[object, ...]]:
    """In the order of HEADER; numbers that are undefined are empty, and the reasons are in words. `untold`
    are the ids of questions without a text.
    """
    for question in found.questions:
        for line in question.lines:
            yield (
                question.question.reference,
                "" if question.question.pk in untold else question.question.text,
                *_of_all(question, line),
                found.groups.first,
                found.groups.second,
                *_of_groups(question, line),
                *_of_w(question),
                _words(line.numbers.reason or _why(question, line)),
                _words(question.concordance.reason),
            )


def _of_all(question: RankedQuestion, line: RankLine) -> tuple[object, ...]:
    numbers = line.numbers
    return (
        question.question.top,
        question.participants,
        line.state.code,
        line.state.title,
        numbers.ranked_by,
        numbers.mean_rank,
        *_bounds(numbers.interval),
        numbers.mean_given,
        question.top,
        numbers.top.value,
        numbers.top.low,
        numbers.top.high,
    )


def _of_groups(question: RankedQuestion, line: RankLine) -> tuple[object, ...]:
    one, sizes = line.difference, (question.comparison.first, question.comparison.second)
    if one is None:
        return (*sizes, *[None] * 9)
    bounds = (*_bounds(one.interval), *(one.by_chance or (None, None)))
    return (*sizes, one.first, one.second, one.difference, *bounds, one.p, one.adjusted)


def _of_w(question: RankedQuestion) -> tuple[object, ...]:
    one = question.concordance
    return one.w, one.low, one.high, one.chi2, one.df, one.p, one.permutation_p


def _bounds(interval: PercentileInterval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)


def _why(question: RankedQuestion, line: RankLine) -> Reason | None:
    return line.difference.reason if line.difference else question.comparison.reason


def _words(reason: Reason | None) -> str:
    return reason.text if reason else ""
