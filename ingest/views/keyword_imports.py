"""The page that imports keyword lists from a text or a file. Nothing is stored before it is confirmed."""

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from accounts.http import AuthedRequest
from core.errors import DomainError
from core.http import go_to, render_page
from core.idempotency import once
from ingest import actions, rules
from ingest.errors import ListNameTaken, ListRefused
from ingest.forms.keyword_lists import ListTextForm, ReadListForm, list_forms, problem_text
from ingest.keywords import read_list
from ingest.models import Repository
from studies.models import Study
from studies.pages import frame, study_of


@require_http_methods(["GET", "HEAD", "POST"])
def import_keyword_lists(request: AuthedRequest, slug: str) -> HttpResponse:
    """The form; a POST shows what the text holds, and one with `confirm` stores the chosen lists."""
    study, _member = study_of(request, slug, rules.may_import)
    if request.method != "POST":
        return _page(request, study, ListTextForm())
    form = ListTextForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, study, form, status=422)
    read = read_list(form.cleaned_data["text"])
    if read.problems:
        return _page(request, study, form, problems=[*map(problem_text, read.problems)], status=422)
    confirmed = "confirm" in request.POST
    repositories = list(Repository.objects.filter(study=study).order_by("path", "pk"))
    lists = list_forms(
        read,
        repositories,
        request.POST if confirmed else None,
        form.cleaned_data.get("file_name", ""),
    )
    if not lists:
        return _page(request, study, form, problems=[_("This text has no term.")], status=422)
    if not confirmed:
        return _page(request, study, form, lists)
    return _store(request, study, form, lists)


def _store(
    request: AuthedRequest, study: Study, form: ListTextForm, lists: list[ReadListForm]
) -> HttpResponse:
    chosen = [one for one in lists if one["take"].value()]
    if not all([one.is_valid() for one in chosen]):  # noqa: C419 - each form shows its own errors
        return _page(request, study, form, lists, status=422)
    if not chosen:
        return _page(request, study, form, lists, problems=[_("Choose at least one list.")], status=422)
    contents = [(one.cleaned_data["name"], one.content()) for one in chosen]
    try:
        made = once(
            request,
            lambda: actions.import_keyword_lists(study=study, lists=contents, by=request.user),
        )
    except (ListRefused, ListNameTaken) as refused:
        return _page(request, study, form, lists, refused=refused, status=refused.status)
    if made is not None:
        told = ngettext("%(n)d keyword list is imported.", "%(n)d keyword lists are imported.", len(made))
        messages.success(request, told % {"n": len(made)})
    return go_to(request, "keywords", study.slug)


def _page(
    request: AuthedRequest,
    study: Study,
    form: ListTextForm,
    lists: list[ReadListForm] | None = None,
    *,
    problems: list[str] | None = None,
    refused: DomainError | None = None,
    status: int = 200,
) -> HttpResponse:
    _study, member = study_of(request, study.slug, rules.may_import)
    context = {
        **frame(study, member, "keywords"),
        "form": form,
        "text": form.cleaned_data.get("text", "") if form.is_bound else "",
        "lists": lists,
        "problems": refused.problems if isinstance(refused, ListRefused) else problems or [],
        "refused": refused if isinstance(refused, ListNameTaken) else None,
    }
    return render_page(request, "ingest/keywords/import.html", context, status=status)
