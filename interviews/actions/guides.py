"""Publishing a version of the guide: its parts and questions are read from the text."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from interviews.actions.audiences import add_audience, prefix_for
from interviews.actions.leading import require_lead, require_length
from interviews.errors import InterviewRefused
from interviews.models import Audience, Guide, Part, Question
from interviews.queries.guides import AskedQuestion, GuideText
from interviews.queries.rankings import taxonomies_to_rank
from studies.actions import record
from studies.models import Membership, Study

LONGEST_GUIDE = 200_000


@dataclass(frozen=True)
class Ranks:
    """What a ranking question is about: categories of a taxonomy at a level, below one category or all; the
    first `top` of them, or all.
    """

    taxonomy: int
    level: int
    under: int | None = None
    top: int | None = None


Place = tuple[int, int]
"""The positions of a part and of a question in it, from 0."""


@transaction.atomic
def publish_guide(
    *,
    study: Study,
    text: str,
    said: GuideText,
    by: Membership,
    note: str = "",
    rankings: Mapping[Place, Ranks] | None = None,
    prefixes: Mapping[str, str] | None = None,
) -> Guide:
    """Publish the next version. `said` is what the text says (interviews.reading). A ranking question without
    an entry in `rankings` is asked, and its answers are not recorded. Audiences that the study lacks are
    added, with these `prefixes`. Raises InterviewRefused and PermissionDenied.
    """
    require_lead(study.pk, by)
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    require_length(text, LONGEST_GUIDE, "text")
    require_length(note, 500, "note")
    last = Guide.objects.filter(study=study).order_by("-number").first()
    if not said.parts:
        raise InterviewRefused(_("The text has no part with questions. Nothing was published."), field="text")
    if last and last.text == text:
        raise InterviewRefused(
            _("The text is the same as the current version. Nothing was published."), field="text"
        )
    if last and not note.strip():
        raise InterviewRefused(_("Write one sentence: what changed, and why?"), field="note")
    rankings = rankings or {}
    _check_rankings(study, rankings)
    audiences = _audiences(study, said, prefixes or {}, by)
    guide = Guide.objects.create(
        study=study, number=last.number + 1 if last else 1, text=text, note=note.strip(), published_by=by
    )
    for at, part in enumerate(said.parts):
        made = Part.objects.create(
            guide=guide, position=at, title=part.title[:300], objective=part.objective, minutes=part.minutes
        )
        Question.objects.bulk_create(
            _question(made, place, question, audiences, rankings.get((at, place)))
            for place, question in enumerate(part.questions)
        )
    record(study, "guides.published", by.user, number=guide.number)
    return guide


def _question(
    part: Part, place: int, question: AskedQuestion, audiences: Mapping[str, Audience], ranks: Ranks | None
) -> Question:
    audience = audiences.get(question.audience.casefold()) if question.audience else None
    made = Question(part=part, position=place, audience=audience, text=question.text)
    if ranks and question.ranks:
        made.is_ranking, made.top, made.level = True, ranks.top, ranks.level
        made.taxonomy_id, made.under_id = ranks.taxonomy, ranks.under
    return made


def _check_rankings(study: Study, rankings: Mapping[Place, Ranks]) -> None:
    known = {
        taxonomy.pk: ({state.level for state in states}, {state.category_id for state in states})
        for taxonomy, states in (taxonomies_to_rank(study) if rankings else ())
    }
    for ranks in rankings.values():
        levels, categories = known.get(ranks.taxonomy, (set(), set()))
        if ranks.level not in levels or (ranks.under is not None and ranks.under not in categories):
            raise InterviewRefused(_("This study has no such categories to rank. Nothing was published."))
        if ranks.top is not None and not 1 <= ranks.top <= 999:
            raise InterviewRefused(_("The number of first places is 1 or more. Nothing was published."))


def _audiences(
    study: Study, said: GuideText, prefixes: Mapping[str, str], by: Membership
) -> dict[str, Audience]:
    """The audience of each name that the text has, by the name in lower case; new ones are added."""
    found = {one.name.casefold(): one for one in Audience.objects.filter(study=study)}
    for name in said.audiences:
        if name.casefold() not in found:
            taken = [one.prefix for one in found.values()]
            prefix = prefixes.get(name) or prefix_for(name, taken)
            found[name.casefold()] = add_audience(study=study, name=name[:80], prefix=prefix, by=by)
    return found
