"""The settings of a study: its name, the archive, its deletion."""

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from studies import actions, rules
from studies.forms import DeleteStudyForm, StudyForm
from studies.models import Membership, Study
from studies.pages import frame, study_of, works_when_read_only


@require_http_methods(["GET", "HEAD", "POST"])
def study_settings(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the settings; a POST stores name and description."""
    study, member = study_of(request, slug, rules.may_lead)
    if request.method != "POST":
        return _settings(request, study, member)
    form = StudyForm(request.POST)
    if not form.is_valid():
        return _settings(request, study, member, form=form)
    actions.describe_study(study=study, by=request.user, **form.cleaned_data)
    messages.success(request, _("Saved. The address of the study stays the same."))
    return go_to(request, "study_settings", study.slug)


@works_when_read_only
@require_POST
def archive_study(request: AuthedRequest, slug: str) -> HttpResponse:
    """Make the study read-only."""
    study, _member = study_of(request, slug, rules.may_lead)
    actions.archive_study(study=study, by=request.user)
    messages.success(request, _("The study is archived. Everybody can read it, and nobody can change it."))
    return go_to(request, "study_settings", study.slug)


@works_when_read_only
@require_POST
def unarchive_study(request: AuthedRequest, slug: str) -> HttpResponse:
    """Make an archived study writable."""
    study, _member = study_of(request, slug, rules.may_lead)
    actions.unarchive_study(study=study, by=request.user)
    messages.success(request, _("The study can be changed again."))
    return go_to(request, "study_settings", study.slug)


@works_when_read_only
@require_POST
def delete_study(request: AuthedRequest, slug: str) -> HttpResponse:
    """Mark the study for deletion, once an owner typed its name."""
    study, member = study_of(request, slug, rules.may_delete_study)
    form = DeleteStudyForm(request.POST, expected=study.name)
    if not form.is_valid():
        return _settings(request, study, member, deletion=form)
    address = request.build_absolute_uri(actions.settings.settings_address(study))
    actions.ask_deletion(study=study, by=request.user, address=address)
    messages.success(request, _("The study will be deleted. Until then a lead can keep it."))
    return go_to(request, "study_settings", study.slug)


@works_when_read_only
@require_POST
def keep_study(request: AuthedRequest, slug: str) -> HttpResponse:
    """Undo the deletion that is ahead."""
    study, _member = study_of(request, slug, rules.may_lead)
    actions.keep_study(study=study, by=request.user)
    messages.success(request, _("The study is kept."))
    return go_to(request, "study_settings", study.slug)


def _settings(
    request: AuthedRequest,
    study: Study,
    member: Membership,
    *,
    form: StudyForm | None = None,
    deletion: DeleteStudyForm | None = None,
) -> HttpResponse:
    context = {
        **frame(study, member, "study_settings"),
        "form": form or StudyForm(instance=study),
        "may_delete": rules.may_delete_study(member),
        "deletion": deletion or DeleteStudyForm(expected=study.name),
        "days": actions.settings.GRACE.days,
    }
    refused = form is not None or deletion is not None
    return render_page(request, "studies/settings.html", context, status=422 if refused else 200)
