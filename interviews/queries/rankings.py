"""Rankings: what a question asks to put in order, what a participant answered, and all answers of a study."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.db.models import Q, QuerySet

from interviews.models import Guide, Place, Question, Ranking, Session
from interviews.queries.sessions import readable
from studies.models import Membership, Study
from taxonomy.models import CategoryState, Taxonomy, Version
from taxonomy.queries.taxonomies import published_version


def competition_places(given: Mapping[int, int]) -> dict[int, int]:
    """The same order with each place counted as in a competition: 1, 1, 3. Equal places are ties."""
    return {one: 1 + sum(other < place for other in given.values()) for one, place in given.items()}


def shared_ranks(places: Mapping[int, int]) -> dict[int, Fraction]:
    """The rank of each category, where ties share the mean of their ranks: 3/2, 3/2, 3."""
    ties: dict[int, int] = defaultdict(int)
    for place in places.values():
        ties[place] += 1
    return {one: place + Fraction(ties[place] - 1, 2) for one, place in places.items()}


def states_to_rank(question: Question, version: Version) -> list[CategoryState]:
    """The categories that the question asks to put in order, as this version has them."""
    states = list(CategoryState.objects.filter(version=version).order_by("position"))
    return _asked(question, states)


def _asked(question: Question, states: Sequence[CategoryState]) -> list[CategoryState]:
    parents = {state.category_id: state.parent_id for state in states}

    def is_below(category: int | None) -> bool:
        while category is not None:
            if category == question.under_id:
                return True
            category = parents.get(category)
        return False

    at_level = [state for state in states if state.level == question.level]
    if question.under_id is None:
        return at_level
    return [state for state in at_level if is_below(state.parent_id)]


def ranking_questions(session: Session) -> QuerySet[Question]:
    """The ranking questions that this participant was asked, in the order of the guide."""
    asked = Q(audience=None) | Q(audience=session.participant.audience_id)
    found = Question.objects.filter(asked, part__guide=session.guide_id, is_ranking=True)
    return found.select_related("part", "taxonomy").order_by("part__position", "position")


@dataclass(frozen=True)
class Choice:
    """A category that can be ranked, and its place, None without one."""

    state: CategoryState
    place: int | None


@dataclass(frozen=True)
class Answer:
    """A ranking question of an interview with its categories; `version` is that of the answer, or the newest
    one, None without a published version.
    """

    question: Question
    version: Version | None
    choices: list[Choice]
    ranking: Ranking | None

    @property
    def order(self) -> list[list[CategoryState]]:
        """The ranked categories from the first place on; ties share a place."""
        places: dict[int, list[CategoryState]] = defaultdict(list)
        for choice in self.choices:
            if choice.place is not None:
                places[choice.place].append(choice.state)
        return [places[place] for place in sorted(places)]


def answers_of(session: Session) -> list[Answer]:
    """The ranking questions of an interview with what the participant answered. Two queries, and two for each
    taxonomy that is asked about.
    """
    questions = list(ranking_questions(session))
    found = Ranking.objects.filter(session=session).select_related("version").prefetch_related("places")
    rankings = {one.question_id: one for one in found}
    newest: dict[int, Version | None] = {}
    states: dict[int, list[CategoryState]] = {}
    answers = []
    for question in questions:
        ranking = rankings.get(question.pk)
        taxonomy = question.taxonomy
        if taxonomy and taxonomy.pk not in newest:
            newest[taxonomy.pk] = published_version(taxonomy)
        version = ranking.version if ranking else newest[taxonomy.pk] if taxonomy else None
        if version and version.pk not in states:
            states[version.pk] = list(CategoryState.objects.filter(version=version).order_by("position"))
        places = {one.category_id: one.place for one in ranking.places.all()} if ranking else {}
        asked = _asked(question, states[version.pk]) if version else []
        choices = [Choice(state, places.get(state.category_id)) for state in asked]
        answers.append(Answer(question, version, choices, ranking))
    return answers


@dataclass(frozen=True)
class RankedCategory:
    """A category in the answers to one question: who ranked it, the mean rank of these, and how many put it
    into the first places that the question asks for.
    """

    code: str
    title: str
    ranked_by: int
    mean: float
    top: int


@dataclass(frozen=True)
class RankedQuestion:
    """The answers to one question: of each participant, and of all together, best mean rank first."""

    question: Question
    answers: list[tuple[str, list[list[str]]]]
    categories: list[RankedCategory]


def rankings_of(study: Study, member: Membership) -> list[RankedQuestion]:
    """The answers to the ranking questions of a study, of the interviews that this member may read. Four
    queries.
    """
    sessions = Session.objects.filter(readable(member), study=study)
    rankings = (
        Ranking.objects.filter(session__in=sessions.values("pk"))
        .select_related("question__part__guide", "session__participant__audience")
        .order_by(
            "question__part__guide__number",
            "question__part__position",
            "question__position",
            "session__participant__audience__position",
            "session__participant__number",
        )
    )
    places: dict[int, dict[int, int]] = defaultdict(dict)
    for one in Place.objects.filter(ranking__in=rankings.values("pk")):
        places[one.ranking_id][one.category_id] = one.place
    asked = list(rankings)
    versions = {one.version_id for one in asked}
    named = CategoryState.objects.filter(version__in=versions).order_by("version__number")
    states = {state.category_id: state for state in named}
    grouped: dict[int, list[Ranking]] = defaultdict(list)
    for ranking in asked:
        grouped[ranking.question_id].append(ranking)
    return [_ranked(group, places, states) for group in grouped.values()]


def _ranked(
    group: Sequence[Ranking], places: Mapping[int, Mapping[int, int]], states: Mapping[int, CategoryState]
) -> RankedQuestion:
    question = group[0].question
    answers: list[tuple[str, list[list[str]]]] = []
    ranks: dict[int, list[Fraction]] = defaultdict(list)
    top: dict[int, int] = defaultdict(int)
    for ranking in group:
        given = places.get(ranking.pk, {})
        order: dict[int, list[str]] = defaultdict(list)
        for category, place in given.items():
            order[place].append(states[category].code)
            top[category] += question.top is not None and place <= question.top
        for category, rank in shared_ranks(given).items():
            ranks[category].append(rank)
        answers.append((str(ranking.session), [sorted(order[place]) for place in sorted(order)]))
    categories = [
        RankedCategory(
            code=states[category].code,
            title=states[category].title,
            ranked_by=len(own),
            mean=float(sum(own) / len(own)),
            top=top[category],
        )
        for category, own in ranks.items()
    ]
    categories.sort(key=lambda one: (one.mean, -one.ranked_by, one.code))
    return RankedQuestion(question, answers, categories)


def guides_of(study: Study) -> QuerySet[Guide]:
    """The versions of the guide, newest first, without their texts."""
    return Guide.objects.filter(study=study).defer("text").select_related("published_by").order_by("-number")


def taxonomies_to_rank(study: Study) -> list[tuple[Taxonomy, list[CategoryState]]]:
    """The taxonomies of a study that are published, each with the categories of its newest version."""
    versions = (
        Version.objects.filter(taxonomy__study=study, published_at__isnull=False)
        .select_related("taxonomy")
        .order_by("taxonomy", "-number")
        .distinct("taxonomy")
    )
    found = {version.pk: version.taxonomy for version in versions}
    states: dict[int, list[CategoryState]] = defaultdict(list)
    for state in CategoryState.objects.filter(version__in=list(found)).order_by("position"):
        states[state.version_id].append(state)
    return [(taxonomy, states[pk]) for pk, taxonomy in found.items()]
