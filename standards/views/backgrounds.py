"""What a rater tells about themselves, on a page of their own."""

from django.contrib import messages
from django.forms import model_to_dict
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from core.idempotency import once
from standards.actions.backgrounds import delete_background, tell_background
from standards.errors import AnswerRefused
from standards.forms import BackgroundForm
from standards.models import RaterBackground
from standards.rules import may_tell_background
from studies.pages import frame, study_of, works_when_read_only


@require_http_methods(["GET", "HEAD", "POST"])
def my_background(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the reader's own background, and store what they change."""
    study, member = study_of(request, slug, may_tell_background)
    found = RaterBackground.objects.filter(member=member).first()
    form = BackgroundForm(
        request.POST if request.method == "POST" else None, initial=model_to_dict(found) if found else None
    )
    if form.is_valid():
        try:
            once(request, lambda: tell_background(member=member, **form.cleaned_data))
        except AnswerRefused as refused:
            form.add_error(refused.field or None, str(refused.message))
        else:
            messages.success(request, _("Your background is stored."))
            return go_to(request, "my_background", slug)
    context = {**frame(study, member, "my_background"), "form": form, "found": found}
    return render_page(request, "standards/background.html", context, status=422 if form.errors else 200)


@works_when_read_only
@require_POST
def remove_background(request: AuthedRequest, slug: str) -> HttpResponse:
    """Delete what the reader told about themselves."""
    _study, member = study_of(request, slug, may_tell_background)
    once(request, lambda: delete_background(member=member))
    messages.success(request, _("Your background is deleted."))
    return go_to(request, "my_background", slug)
