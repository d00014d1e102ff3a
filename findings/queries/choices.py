"""What can be attached to a finding."""

from django.db.models import QuerySet

from findings.queries.evidence import in_words, report_figures
from interviews.models import Place, Question
from reports.frozen.wording import figure_name
from rounds.models import Round
from rounds.queries.blindness import keeps_frozen
from studies.models import Membership, Study
from taxonomy.models import CategoryState


def reported_rounds(study: Study) -> QuerySet[Round]:
    """The rounds that have a report of their own, newest first."""
    found = Round.objects.filter(study=study, opened_at__isnull=False, of=None)
    return found.select_related("study", "version__taxonomy").order_by("-pk")


def ranked_questions(study: Study) -> QuerySet[Question]:
    """The ranking questions of all versions of the guide that somebody answered."""
    found = Question.objects.filter(part__guide__study=study, is_ranking=True, rankings__isnull=False)
    return (
        found.select_related("part__guide").distinct().order_by("part__guide", "part__position", "position")
    )


def ranked_categories(study: Study) -> list[tuple[int, str]]:
    """The categories that somebody ranked, by code, each with its newest name."""
    ranked = Place.objects.filter(ranking__session__study=study).values("category")
    states = CategoryState.objects.filter(category__in=ranked).order_by("version__number")
    named = {state.category_id: (state.position, f"{state.code} {state.title}") for state in states}
    return [(pk, name) for pk, (_place, name) in sorted(named.items(), key=lambda one: one[1])]


def figure_choices(round_: Round, level: str, member: Membership) -> list[tuple[str, str, str]] | None:
    """The defined numbers of a report: key, name, value; None if the report is hidden from this member."""
    if keeps_frozen(round_, member).exists():
        return None
    return [
        ("|".join(key), figure_name(*key), in_words(found["value"]))
        for key, found in report_figures(round_, level).items()
        if found["value"] is not None
    ]
