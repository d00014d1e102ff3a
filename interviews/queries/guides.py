"""The guide: its versions, what a text of one says, and what its ranking questions can be about."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.contrib.auth.models import AnonymousUser
from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from interviews.models import Audience, Guide, Part, Question
from interviews.queries.rankings import asked_about, taxonomies_to_rank
from studies.models import Study
from studies.queries import studies_for
from taxonomy.models import CategoryState, Level


@dataclass(frozen=True)
class AskedQuestion:
    """A question as a text of a guide says it; `audience` is the name of a group, "" for all."""

    text: str
    audience: str = ""
    ranks: bool = False
    top: int | None = None


@dataclass(frozen=True)
class AskedPart:
    """A part as a text of a guide says it."""

    title: str
    objective: str = ""
    minutes: int | None = None
    questions: Sequence[AskedQuestion] = ()


@dataclass(frozen=True)
class GuideText:
    """What a text of a guide says. `problems` name their lines, in words; they refuse nothing."""

    parts: Sequence[AskedPart] = ()
    problems: Sequence[str] = field(default=())

    @property
    def audiences(self) -> list[str]:
        """The groups that the text names, in their order."""
        named = (question.audience for part in self.parts for question in part.questions)
        return list(dict.fromkeys(filter(None, named)))

    def ranking(self) -> list[tuple[int, int, AskedQuestion]]:
        """The ranking questions with the positions of their part and of themselves."""
        return [
            (at, place, question)
            for at, part in enumerate(self.parts)
            for place, question in enumerate(part.questions)
            if question.ranks
        ]


def guides_for(user: User | AnonymousUser) -> QuerySet[Guide]:
    """The versions of the guides of the studies that this user is a member of."""
    return Guide.objects.filter(study__in=studies_for(user)).select_related("study", "published_by")


def parts_of(guide: Guide) -> list[Part]:
    """The parts with their questions. Two queries."""
    questions = Question.objects.select_related("audience", "taxonomy").order_by("position")
    return list(guide.parts.prefetch_related(Prefetch("questions", queryset=questions)))


@dataclass(frozen=True)
class PrintedQuestion:
    """A question, and the categories that it asks to put in order, as they are published now."""

    question: Question
    categories: Sequence[CategoryState] = ()


@dataclass(frozen=True)
class PrintedPart:
    part: Part
    questions: Sequence[PrintedQuestion]


def guide_on_paper(guide: Guide, audience: Audience | None = None) -> list[PrintedPart]:
    """The parts with their questions; with `audience` only the questions that it is asked, and no part
    without any. Two queries, and two where categories are ranked.
    """
    parts = parts_of(guide)
    asked = {
        part.pk: [one for one in part.questions.all() if audience is None or one.audience in {None, audience}]
        for part in parts
    }
    ranks = any(one.is_ranking for questions in asked.values() for one in questions)
    states = {taxonomy.pk: found for taxonomy, found in taxonomies_to_rank(guide.study)} if ranks else {}
    return [
        PrintedPart(
            part,
            [
                PrintedQuestion(one, asked_about(one, states.get(one.taxonomy_id or 0, ())))
                for one in asked[part.pk]
            ],
        )
        for part in parts
        if asked[part.pk]
    ]


def audiences_asked(guide: Guide) -> QuerySet[Audience]:
    """The audiences that have questions of their own in this guide."""
    return Audience.objects.filter(questions__part__guide=guide).distinct()


def what_to_rank(study: Study) -> list[tuple[str, list[tuple[str, str]]]]:
    """What a ranking question can be about, as choices of a form in groups by taxonomy: all categories of a
    level, or those below one category. The key is `taxonomy:level:category`.
    """
    groups = []
    for taxonomy, states in taxonomies_to_rank(study):
        levels = {state.level for state in states}
        choices = [
            (f"{taxonomy.pk}:{level.value}:", _ALL[level]()) for level in Level if level.value in levels
        ]
        choices += [
            (f"{taxonomy.pk}:{level}:{state.category_id}", _below(state, level))
            for state in states
            for level in range(state.level + 1, 4)
            if any(below.parent_id == state.category_id for below in states) and level in levels
        ]
        groups.append((taxonomy.name, choices))
    return groups


_ALL = {
    Level.TYPE: lambda: _("all types"),
    Level.THEME: lambda: _("all themes"),
    Level.SUB_THEME: lambda: _("all sub-themes"),
}


def _below(state: CategoryState, level: int) -> str:
    words = _("themes of %(code)s %(name)s") if level == Level.THEME else _("sub-themes of %(code)s %(name)s")
    return words % {"code": state.code, "name": state.title}
