"""How to cite the study."""

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.http import AuthedRequest
from core.http import go_to, render_page, require
from core.idempotency import once
from standards.actions.citing import change_citation
from standards.errors import AnswerRefused
from standards.forms import CitationForm, authors_as_lines
from standards.models import Citation
from standards.queries.facts import citation_facts
from standards.rules import may_answer_standards, may_read_standards
from standards.texts.availability import citation_cff
from studies.pages import frame, study_of


@require_http_methods(["GET", "HEAD", "POST"])
def citation(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show how to cite the study; owners and leads change it."""
    study, member = study_of(request, slug, may_read_standards)
    leads = may_answer_standards(member)
    if request.method == "POST":
        require(leads, _("Only owners and leads can change this."))
    found = Citation.objects.filter(study=study).first()
    initial = {
        "title": found.title if found else study.name,
        "authors": authors_as_lines(found.authors) if found else "",
        "licence": found.licence if found else "",
        "doi": found.doi if found else "",
        "revision": found.revision if found else 0,
    }
    form = CitationForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        try:
            once(request, lambda: change_citation(study=study, by=member, **form.cleaned_data))
        except AnswerRefused as refused:
            form.add_error(refused.field or None, str(refused.message))
        else:
            messages.success(request, _("The citation is stored."))
            return go_to(request, "citation", slug)
    context = {
        **frame(study, member, "standards"),
        "form": form,
        "leads": leads and not study.is_read_only,
        "cff": citation_cff(citation_facts(study), study.name),
    }
    return render_page(request, "standards/citation.html", context, status=422 if form.errors else 200)
