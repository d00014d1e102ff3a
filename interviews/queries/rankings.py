"""Rankings: what a question asks to put in order, and what a participant answered."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.db.models import Q, QuerySet

from interviews.models import Guide, Question, Ranking, Session
from studies.models import Study
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
    """The categories that the question asks to put in order, as this version has them. One query."""
    states = list(CategoryState.objects.filter(version=version).order_by("position"))
    return asked_about(question, states)


def asked_about(question: Question, states: Sequence[CategoryState]) -> list[CategoryState]:
    """Those of a version's states that the question asks to put in order."""
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
        asked = asked_about(question, states[version.pk]) if version else []
        choices = [Choice(state, places.get(state.category_id)) for state in asked]
        answers.append(Answer(question, version, choices, ranking))
    return answers


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
