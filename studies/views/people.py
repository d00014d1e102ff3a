"""Pages of a study's people: members, invitations, the audit."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.forms import AccountForm
from accounts.http import AuthedRequest, sign_in, throttle
from accounts.models import User
from core.http import go_to, is_fragment, render_page, require
from core.idempotency import first_time
from core.pages import page_of
from studies import actions, audit, queries, rules
from studies.forms import EraseForm, InvitationForm, ModelForm, RoleForm, StudyForm
from studies.models import Invitation, Membership, Role, Study
from studies.pages import frame, study_of, works_when_read_only

EARLIER_INVITATIONS = 20


@require_http_methods(["GET", "HEAD", "POST"])
@transaction.atomic
def new_study(request: AuthedRequest) -> HttpResponse:
    """Make a study and own it; its page, or that of published labels, comes next."""
    may = rules.may_create_studies(request.user)
    require(may, _("Your account may not create studies. Ask the administrator of this server."))
    form = StudyForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        if not first_time(request):
            return go_to(request, "home")
        study = actions.create_study(by=request.user, **form.cleaned_data)
        if request.POST.get("then") == "published":
            return go_to(request, "new_published_import", study.slug)
        return go_to(request, study)
    return render_page(request, "studies/new.html", {"form": form}, status=422 if form.errors else 200)


@require_safe
def people(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the members, and to owners the invitations."""
    study, member = study_of(request, slug, rules.may_see_people)
    return _people(request, study, member)


@require_POST
@transaction.atomic
def invite(request: AuthedRequest, slug: str) -> HttpResponse:
    """Make an invitation and show its link, once."""
    study, member = study_of(request, slug, rules.may_manage_people)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _people(request, study, member, invitation_form=form, status=422)
    if not first_time(request):
        return _sent_twice(request, study)
    invitation, token = actions.invite(study=study, by=request.user, **form.cleaned_data)
    link = request.build_absolute_uri(reverse("accept_invitation", args=[token]))
    return _people(request, study, member, new={"link": link, "invitation": invitation})


@require_POST
def revoke_invitation(request: AuthedRequest, slug: str, invitation_id: int) -> HttpResponse:
    """Close an invitation."""
    study, _member = study_of(request, slug, rules.may_manage_people)
    invitation = get_object_or_404(queries.invitations(study), pk=invitation_id)
    actions.revoke_invitation(invitation=invitation, by=request.user)
    messages.success(request, _("The invitation is revoked. The link no longer works."))
    return go_to(request, "people", study.slug)


@require_POST
def change_role(request: AuthedRequest, slug: str, member_id: int) -> HttpResponse:
    """Change a member's role."""
    study, member = study_of(request, slug, rules.may_manage_people)
    of = get_object_or_404(queries.members(study), pk=member_id)
    form = RoleForm(request.POST)
    if not form.is_valid():
        return _people(request, study, member, status=422)
    changed = actions.change_role(member=of, role=form.cleaned_data["role"], by=request.user)
    said = {"member": changed.pseudonym, "role": Role(changed.role).label}
    messages.success(request, _("%(member)s now has the role %(role)s.") % said)
    if is_fragment(request) and changed.user_id != request.user.pk:
        return _people(request, study, member)
    return go_to(request, "people", study.slug)


@works_when_read_only
@require_POST
def end_membership(request: AuthedRequest, slug: str, member_id: int) -> HttpResponse:
    """Take a member out of the study, or leave it."""
    study, member = study_of(request, slug)
    of = get_object_or_404(queries.members(study), pk=member_id)
    require(rules.may_end_membership(member, of))
    actions.end_membership(member=of, by=request.user)
    if of.user_id == request.user.pk:
        messages.success(request, _("You have left %(study)s.") % {"study": study.name})
        return go_to(request, "home")
    messages.success(
        request, _("%(member)s was removed from the study. All labels are kept.") % {"member": of.pseudonym}
    )
    return go_to(request, "people", study.slug)


@require_http_methods(["GET", "HEAD", "POST"])
def erase_me(request: AuthedRequest) -> HttpResponse:
    """Erase the reader's account and everything that identifies them, once they typed their address."""
    form = EraseForm(request.POST if request.method == "POST" else None, expected=request.user.email)
    if form.is_valid():
        actions.erase_person(user=request.user)
        logout(request)
        return render_page(request, "studies/erased.html")
    seats = queries.memberships_of(request.user)
    return render_page(
        request,
        "studies/erase_me.html",
        {"form": form, "seats": seats},
        status=422 if form.errors else 200,
    )


@require_POST
def rejoin(request: AuthedRequest, slug: str, member_id: int) -> HttpResponse:
    """Let a former member back in."""
    study, _member = study_of(request, slug, rules.may_manage_people)
    of = get_object_or_404(queries.members(study), pk=member_id)
    actions.rejoin(member=of, by=request.user)
    messages.success(request, _("%(member)s is a member again.") % {"member": of.pseudonym})
    return go_to(request, "people", study.slug)


@require_POST
@transaction.atomic
def add_model(request: AuthedRequest, slug: str) -> HttpResponse:
    """Add a program that labels over REST, and show its token, once."""
    study, member = study_of(request, slug, rules.may_manage_people)
    form = ModelForm(request.POST)
    if not form.is_valid():
        return _people(request, study, member, model_form=form, status=422)
    if not first_time(request):
        return _sent_twice(request, study)
    added, token = actions.add_model(study=study, name=form.cleaned_data["name"], by=request.user)
    return _people(request, study, member, new={"token": token, "member": added})


@require_POST
@transaction.atomic
def make_model_token(request: AuthedRequest, slug: str, member_id: int) -> HttpResponse:
    """Replace a model's token by a new one and show it, once."""
    study, member = study_of(request, slug)
    of = get_object_or_404(queries.members(study), pk=member_id)
    require(rules.may_make_token_for(member, of))
    if not first_time(request):
        return _sent_twice(request, study)
    token = actions.make_model_token(member=of, by=request.user)
    return _people(request, study, member, new={"token": token, "member": of})


@require_safe
def audit_page(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the audit of the study, newest first."""
    study, member = study_of(request, slug, rules.may_read_audit)
    page = page_of(queries.events(study), request.GET, newest_first=True)
    context = {
        **frame(study, member, "audit"),
        "lines": [audit.line(event) for event in page.rows],
        "page": page,
        **page.links(),
    }
    return render_page(request, "studies/audit.html", context, partials=["events"])


@login_not_required
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def accept_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Show the invitation; a POST joins, with a new account if nobody is signed in."""
    if request.method == "POST" and (too_many := throttle(request, "accept_invitation", key=token)):
        return too_many
    invitation = queries.invitation(token)
    seat = queries.membership_of(request.user, invitation.study) if invitation else None
    if invitation is None or seat or not queries.is_open(invitation):
        return _not_open(request, invitation, seat)
    form = None
    if not request.user.is_authenticated:
        form = AccountForm(request.POST if request.method == "POST" else None)
    if form and form.is_valid():
        return _joined(request, actions.join_with_new_account(token=token, **form.cleaned_data))
    if request.method == "POST" and isinstance(request.user, User):
        return _joined(request, actions.accept_invitation(token=token, user=request.user))
    context = {"invitation": invitation, "form": form}
    return render_page(
        request, "studies/invitation.html", context, status=422 if form and form.errors else 200
    )


def _not_open(request: HttpRequest, invitation: Invitation | None, seat: Membership | None) -> HttpResponse:
    """Explain why nobody can join by this link: unknown, closed, or the user is already a member."""
    status = 404 if invitation is None else 410
    if seat:
        status = 409 if request.method == "POST" else 200
    context = {"invitation": invitation, "seat": seat}
    return render_page(request, "studies/invitation_closed.html", context, status=status)


def _joined(request: HttpRequest, member: Membership) -> HttpResponse:
    if member.user and not request.user.is_authenticated:
        sign_in(request, member.user)
    messages.success(
        request, _("Welcome. Your pseudonym in this study is %(member)s.") % {"member": member.pseudonym}
    )
    return go_to(request, member.study)


def _people(
    request: AuthedRequest,
    study: Study,
    member: Membership | None,
    *,
    invitation_form: InvitationForm | None = None,
    model_form: ModelForm | None = None,
    new: Mapping[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page of people. `new` is shown once: a `link` with its invitation, or a `token` with its member."""
    context: dict[str, Any] = {
        **frame(study, member, "people"),
        "seats": [_seat(of, member, writable=not study.is_read_only) for of in queries.members(study)],
        "new": new or {},
    }
    partials = ["members"]
    if rules.may_manage_people(member) and not study.is_read_only:
        partials += ["invitations", "models"]
        context |= {
            "invitations": queries.open_invitations(study),
            "earlier": queries.closed_invitations(study)[:EARLIER_INVITATIONS],
            "invitation_form": invitation_form or InvitationForm(),
            "model_form": model_form or ModelForm(),
        }
    return render_page(request, "studies/people.html", context, partials=partials, status=status)


def _seat(of: Membership, reader: Membership | None, *, writable: bool) -> dict[str, Any]:
    """A row of the page: a member, and the acts that the reader may do on this seat."""
    manages, here = rules.may_manage_people(reader), of.left_at is None
    is_person = of.role != Role.MODEL
    form = RoleForm(initial={"role": of.role}, auto_id=f"role-{of.pk}-%s")
    return {
        "member": of,
        "is_me": reader is not None and of.pk == reader.pk,
        "name": of.user.name if of.user and (rules.may_see_names(reader) or of == reader) else "",
        "address": of.user.email if manages and of.user and is_person and not of.user.is_erased else "",
        "role_form": form if writable and manages and here and is_person else None,
        "may_end": here and rules.may_end_membership(reader, of),
        "may_rejoin": writable and manages and not here and (of.user is None or of.user.is_active),
        "may_make_token": writable and here and rules.may_make_token_for(reader, of),
    }


def _sent_twice(request: HttpRequest, study: Study) -> HttpResponse:
    messages.warning(
        request,
        _("The form was sent twice and handled once. If you did not see the result, fill in the form again."),
    )
    return go_to(request, "people", study.slug)
