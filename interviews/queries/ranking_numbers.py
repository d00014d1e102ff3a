"""The rankings of a study in numbers: the query collects places, the package `agreement` computes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.patterns import MISSING
from agreement.rankings.concordance import (
    Concordance,
    RankedCategory,
    Rankings,
    concordance,
    ranked_categories,
)
from agreement.rankings.groups import GroupComparison, RankDifference, compare_groups
from agreement.reasons import Reason
from interviews.models import Participant, Place, Question, Ranking, Session
from interviews.queries.coding_agreement import SEED
from interviews.queries.ranking_groups import Groups, GroupsAsked, groups_of
from interviews.queries.rankings import asked_about
from interviews.queries.sessions import readable
from interviews.rules import may_lead_interviews
from studies.models import Membership, Study
from taxonomy.models import CategoryState

FIRST_PLACES = 3
"""How many first places have a share where the question asks for all categories."""


@dataclass(frozen=True)
class RankLine:
    """A category in the answers to one question, and where two groups differ in its rank."""

    state: CategoryState
    numbers: RankedCategory
    difference: RankDifference | None
    in_first_places: int

    @property
    def share_bounds(self) -> tuple[float, float]:
        """Wilson's interval of the share in the first places, to a percent."""
        return round(self.numbers.top.low or 0, 2), round(self.numbers.top.high or 0, 2)


@dataclass(frozen=True)
class RankedQuestion:
    """The answers to one question: of each participant, from the first place on, and of all together, the
    best mean rank first. `top` first places have a share. `is_mixed`: versions with other categories.
    `counted` has the answers that count, each with the name of its group ("" for none, and for all if
    `has_one_alone`) and the place of each category by its code, in an order that does not tell whose they
    are.
    """

    question: Question
    answers: tuple[tuple[str, list[list[str]]], ...]
    lines: tuple[RankLine, ...]
    participants: int
    top: int
    concordance: Concordance
    comparison: GroupComparison
    is_mixed: bool
    counted: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]

    @property
    def is_complete(self) -> bool:
        """Did everybody rank all categories? Then nobody's missing places share the last rank."""
        return all(line.numbers.ranked_by == self.participants for line in self.lines)

    @property
    def has_same_ranks(self) -> bool:
        """Did all participants give a category the same rank?"""
        return any(line.numbers.reason is Reason.SAME_RANK for line in self.lines)

    @property
    def has_same_ranks_in_groups(self) -> bool:
        """Did each of two groups give a category one rank, and not both the same?"""
        return any(each.reason is Reason.SAME_RANK_IN_GROUPS for each in self.comparison.categories)

    @property
    def has_one_alone(self) -> bool:
        """Is a single answer in one of the groups, or in neither? Then groups tell whose it is."""
        return _has_one_alone(self.comparison, self.participants)


@dataclass(frozen=True)
class StudyRankings:
    questions: tuple[RankedQuestion, ...]
    groups: Groups


def rankings_of(study: Study, member: Membership | None, asked: GroupsAsked | None = None) -> StudyRankings:
    """The answers to the ranking questions of a study, of the interviews that this member may read (None: the
    shell, which reads all), and how two groups of these participants differ. Three queries. Raises
    UnknownGroupError.
    """
    sessions = Session.objects.filter(study=study)
    if member is not None:
        sessions = sessions.filter(readable(member))
    rankings = list(
        Ranking.objects.filter(session__in=sessions.values("pk"))
        .select_related("question__part__guide", "session__participant__audience", "version")
        .order_by(
            "question__part__guide__number",
            "question__part__position",
            "question__position",
            "session__participant__audience__position",
            "session__participant__audience_id",
            "session__participant__number",
            "session",
        )
    )
    places: dict[int, dict[int, int]] = defaultdict(dict)
    for one in Place.objects.filter(ranking__in=[one.pk for one in rankings]):
        places[one.ranking_id][one.category_id] = one.place
    states: dict[int, list[CategoryState]] = defaultdict(list)
    versions = {one.version_id for one in rankings}
    for state in CategoryState.objects.filter(version__in=versions).order_by("position"):
        states[state.version_id].append(state)
    participants = {one.session.participant_id: one.session.participant for one in rankings}
    groups = groups_of(list(participants.values()), asked or GroupsAsked(), leads=may_lead_interviews(member))
    grouped: dict[int, list[Ranking]] = defaultdict(list)
    for ranking in rankings:
        if places[ranking.pk]:
            grouped[ranking.question_id].append(ranking)
    return StudyRankings(tuple(_ranked(group, places, states, groups) for group in grouped.values()), groups)


def _ranked(
    rankings: Sequence[Ranking],
    places: Mapping[int, Mapping[int, int]],
    states: Mapping[int, list[CategoryState]],
    groups: Groups,
) -> RankedQuestion:
    question = rankings[0].question
    # Somebody who was interviewed twice has one opinion: the later one.
    latest = {one.session.participant: one for one in rankings}
    last = {who: places[one.pk] for who, one in latest.items()}
    used = {one.version_id for one in latest.values()}
    versions = {one.version_id: one.version.number for one in rankings}
    # First those of the answers that count, the newest first; the others only name categories of old answers.
    in_order = sorted(versions, key=lambda version: (version not in used, -versions[version]))
    asked = {version: asked_about(question, states[version]) for version in in_order}
    columns = {state.category_id: state for version in reversed(in_order) for state in asked[version]}
    order = list(
        dict.fromkeys(state.category_id for version in in_order[: len(used)] for state in asked[version])
    )
    found = _places(list(last.values()), order)
    top = question.top or min(FIRST_PLACES, max(1, len(order) - 1))
    is_mixed = len({frozenset(state.category_id for state in asked[one]) for one in used}) > 1
    comparison = compare_groups(*_sides(last, order, groups), seed=SEED)
    differences = comparison.categories or (None,) * len(order)
    numbers = ranked_categories(found, top=top, seed=SEED)
    lines = (
        RankLine(columns[category], one, difference, round((one.top.value or 0) * len(last)))
        for category, one, difference in zip(order, numbers, differences, strict=True)
    )
    return RankedQuestion(
        question=question,
        answers=tuple((str(one.session), _order(places[one.pk], columns)) for one in rankings),
        lines=tuple(sorted(lines, key=lambda one: (one.numbers.mean_rank, -one.numbers.ranked_by))),
        participants=len(last),
        top=top,
        concordance=Concordance(len(last), len(order), reason=Reason.OTHER_CATEGORIES)
        if is_mixed
        else concordance(found, seed=SEED),
        comparison=comparison,
        is_mixed=is_mixed,
        counted=_counted(last, columns, None if _has_one_alone(comparison, len(last)) else groups),
    )


def _has_one_alone(comparison: GroupComparison, participants: int) -> bool:
    sizes = comparison.first, comparison.second
    return 1 in {*sizes, participants - sum(sizes)}


def _counted(
    last: Mapping[Participant, Mapping[int, int]],
    columns: Mapping[int, CategoryState],
    groups: Groups | None,
) -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    """Sorted by what is in them, so that their order tells nothing else."""
    return tuple(
        sorted(
            (_group(who, groups) if groups else "", _by_code(given, columns)) for who, given in last.items()
        )
    )


def _group(who: Participant, groups: Groups) -> str:
    side = groups.side.get(who.pk)
    return "" if side is None else groups.first if side else groups.second


def _by_code(given: Mapping[int, int], columns: Mapping[int, CategoryState]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((columns[category].code, place) for category, place in given.items()))


def _places(given: Sequence[Mapping[int, int]], order: Sequence[int]) -> Rankings:
    rows = [[one.get(category, MISSING) for category in order] for one in given]
    return Rankings(np.array(rows, dtype=np.int64).reshape(len(rows), len(order)))


def _sides(
    last: Mapping[Participant, Mapping[int, int]], order: Sequence[int], groups: Groups
) -> tuple[Rankings, Rankings]:
    first, second = (
        _places([given for one, given in last.items() if groups.side.get(one.pk) is side], order)
        for side in (True, False)
    )
    return first, second


def _order(given: Mapping[int, int], columns: Mapping[int, CategoryState]) -> list[list[str]]:
    order: dict[int, list[str]] = defaultdict(list)
    for category, place in given.items():
        order[place].append(columns[category].code)
    return [sorted(order[place]) for place in sorted(order)]
