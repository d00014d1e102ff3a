"""Pages of rankings: the form of an interview, and the answers of the study."""

from django.contrib import messages
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import AuthedRequest
from core.csv import csv_file
from core.http import go_to, render_page
from core.idempotency import once
from core.numbers import whole_number
from drawing.vega import FORMS, render
from interviews.actions.rankings import record_ranking
from interviews.errors import InterviewRefused
from interviews.queries.ranking_groups import UnknownGroupError, groups_asked
from interviews.queries.ranking_numbers import StudyRankings, rankings_of
from interviews.queries.ranking_rows import HEADER, ranking_rows
from interviews.queries.rankings import Choice, answers_of, ranking_questions
from interviews.rules import may_enter_interviews
from interviews.views.pages import RANKINGS, SESSIONS, around, led_session
from interviews.views.ranking_figure import rank_figure, rank_specification
from studies.models import Membership, Study
from studies.pages import study_of


@require_safe
def rankings(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the answers to ranking questions, of the interviews that this member may read."""
    study, member = study_of(request, slug, may_enter_interviews)
    found = _found(request, study, member)
    context = {
        **around(study, member, RANKINGS),
        "ranked": [(one, rank_figure(one)) for one in found.questions],
        "groups": found.groups,
        "forms": [form for form in FORMS if form != "png"],
        "asked_for": request.GET.urlencode(),
    }
    return render_page(request, "interviews/rankings.html", context)


@require_safe
def rankings_csv(request: AuthedRequest, slug: str) -> StreamingHttpResponse:
    """The numbers of the page of rankings, a row for each question and category."""
    study, member = study_of(request, slug, may_enter_interviews)
    return csv_file(f"{slug}-rankings.csv", HEADER, ranking_rows(_found(request, study, member)))


@require_safe
def ranks_file(request: AuthedRequest, slug: str, question_id: int, form: str) -> HttpResponse:
    """The mean ranks of one question with their intervals, as a figure for a paper."""
    study, member = study_of(request, slug, may_enter_interviews)
    questions = _found(request, study, member).questions
    found = next((one for one in questions if one.question.pk == question_id), None)
    if form not in FORMS or found is None:
        raise Http404
    headers = {"Content-Disposition": f'attachment; filename="ranks-{question_id}.{form}"'}
    return HttpResponse(render(rank_specification(found), form), content_type=FORMS[form], headers=headers)


def _found(request: AuthedRequest, study: Study, member: Membership) -> StudyRankings:
    """The rankings, with the groups of `by`, `first`, `second` and `at` in the address. Raises Http404."""
    try:
        return rankings_of(study, member, groups_asked(request.GET))
    except UnknownGroupError:
        raise Http404 from None


@require_http_methods(["GET", "HEAD", "POST"])
def rank(request: AuthedRequest, session_id: int) -> HttpResponse:
    """Record the order that a participant gave to the categories of a question: a place for each."""
    session, member = led_session(request, session_id)
    refusal, asked, status = "", None, 200
    if request.method == "POST":
        number = whole_number(request.POST.get("question"))
        question = get_object_or_404(ranking_questions(session), pk=number or 0)
        asked = question.pk
        try:
            places = _places(request)
            once(
                request,
                lambda: record_ranking(session=session, question=question, places=places, by=member),
            )
        except InterviewRefused as refused:
            refusal, status = str(refused.message), refused.status
        else:
            told = _("The ranking of %(participant)s is saved.")
            messages.success(request, told % {"participant": session})
            return go_to(request, "rank", session.pk)
    typed = {name: value for name, value in _texts(request) if name.startswith("place_")}
    lines = [
        (answer, [(one, _shown(typed, one, is_posted=asked == answer.question.pk)) for one in answer.choices])
        for answer in answers_of(session)
    ]
    context = {
        **around(session.study, member, SESSIONS),
        "session": session,
        "lines": lines,
        "refusal": refusal,
        "asked": asked,
    }
    return render_page(request, "interviews/rank.html", context, status=status)


def _texts(request: AuthedRequest) -> list[tuple[str, str]]:
    return [(name, str(request.POST[name])) for name in request.POST]


def _shown(typed: dict[str, str], choice: Choice, *, is_posted: bool) -> str:
    kept = "" if choice.place is None else str(choice.place)
    return typed.get(f"place_{choice.state.category_id}", "") if is_posted else kept


def _places(request: AuthedRequest) -> dict[int, int]:
    """The places that were typed, by category. Raises InterviewRefused for what is no number."""
    places = {}
    for name, value in _texts(request):
        category = whole_number(name.removeprefix("place_")) if name.startswith("place_") else None
        if category is None or not value.strip():
            continue
        place = whole_number(value.strip(), digits=4)
        if place is None:
            raise InterviewRefused(_("Places are whole numbers from 1. Nothing was stored."))
        places[category] = place
    return places
