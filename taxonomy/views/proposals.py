"""Proposals of a taxonomy: the list with its votes, a new proposal, ballots, withdrawal, the rule."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import AuthedRequest
from core.errors import DomainError
from core.http import go_to, is_fragment, render_page, require
from core.idempotency import once
from studies.models import Membership
from studies.pages import frame
from taxonomy import actions, errors, rules
from taxonomy.forms import drafts as draft_forms
from taxonomy.forms.motions import BallotForm, MotionForm
from taxonomy.models import Motion, Taxonomy
from taxonomy.pages import taxonomy_of
from taxonomy.queries.draft_reading import LABELS
from taxonomy.queries.drafts import drafted
from taxonomy.queries.motions import motion_lines
from taxonomy.tree import ALL_TEXTS, drafts

TYPED = ("kind", "key", "parent", "into", "name", "parts", "waits")


@require_safe
def proposals(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Show the open votes and the decided proposals."""
    return _page(request, *taxonomy_of(request, taxonomy_id, rules.may_read_taxonomies))


@require_http_methods(["GET", "HEAD", "POST"])
def new_proposal(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Put a change to the vote. The address can name the change (`kind`, and `key` of a category), and so can
    the editor, which posts its form with `prefill`.
    """
    taxonomy, member = _voter(request, taxonomy_id)
    if request.method != "POST" or "prefill" in request.POST:
        return proposal_form(request, taxonomy, member, _of_editor(request) or _flat(request.GET))
    form = MotionForm(request.POST)
    error: DomainError | None = None
    if form.is_valid():
        posted = draft_forms.read(request.POST, drafted(taxonomy).draft)

        def propose() -> Motion:
            return actions.open_motion(
                taxonomy=taxonomy,
                by=member,
                kind=posted.kind,
                key=posted.key if posted.kind != drafts.ADD else None,
                values=_worded(posted, _flat(request.POST)),
                waits=request.POST.get("waits", ""),
                **{name: form.cleaned_data[name] for name in ("reasons", "examples", "deadline", "quorum")},
            )

        try:
            motion = once(request, propose)
        except DomainError as refused:
            error = refused
        else:
            if motion:
                said = _("The vote on proposal %(n)d has started. %(all)d members can vote.")
                messages.success(request, said % {"n": motion.number, "all": motion.electorate})
            return go_to(request, "proposals", taxonomy.pk)
    return proposal_form(request, taxonomy, member, _flat(request.POST), form=form, error=error)


def proposal_form(
    request: AuthedRequest,
    taxonomy: Taxonomy,
    member: Membership,
    given: Mapping[str, str],
    *,
    form: MotionForm | None = None,
    error: DomainError | None = None,
    left_out: int = 0,
) -> HttpResponse:
    """The form of a new proposal, filled in with `given`. `form` was sent and refused; `left_out` is the
    number of open labels that are not quoted.
    """
    found = drafted(taxonomy)
    about = found.draft.entries.get(given.get("key", ""))
    now = {name: getattr(about, name) if about else "" for name in ALL_TEXTS}
    context = {
        **frame(taxonomy.study, member, "taxonomies"),
        "taxonomy": taxonomy,
        "form": form or MotionForm(initial=_asked(given)),
        "error": error,
        "typed": {"name": about.name if about else ""}
        | {name: given[name] for name in TYPED if name in given},
        "about": about,
        "texts": [
            (name, LABELS[name], given.get(f"text-{name}", text), given.get(f"seen-{name}", text))
            for name, text in now.items()
        ],
        "stays": "stays" in given or "parts" not in given,
        "entries": [(entry, found.draft.level(entry.key)) for entry in found.draft],
        "left_out": left_out,
    }
    return render_page(request, "taxonomy/new_proposal.html", context, status=422 if form else 200)


@require_POST
def vote_on_proposal(request: AuthedRequest, taxonomy_id: int, number: int) -> HttpResponse:
    """Vote, or change the reader's vote."""
    taxonomy, member = _voter(request, taxonomy_id)
    motion = get_object_or_404(Motion, taxonomy=taxonomy, number=number)
    form = BallotForm(request.POST)
    if not form.is_valid():
        error = errors.NotProposable(_("Choose for, against or abstain. Your vote was not stored."))
        return _page(request, taxonomy, member, error=error, about=number)
    given = form.cleaned_data

    def vote() -> Motion:
        return actions.cast(motion=motion, member=member, **given)

    def said(current: Motion) -> str:
        ballot = current.ballots.get(member=member)
        if ballot.choice != given["choice"] or ballot.argument != given["argument"]:
            return _("The deadline has passed. Your vote was not stored.")
        return _("Your vote on proposal %(n)d is stored.") % {"n": number}

    return _acted(request, taxonomy, member, number, vote, said)


@require_POST
def withdraw_proposal(request: AuthedRequest, taxonomy_id: int, number: int) -> HttpResponse:
    """Withdraw the reader's own proposal."""
    taxonomy, member = _voter(request, taxonomy_id)
    motion = get_object_or_404(Motion, taxonomy=taxonomy, number=number)

    def said(current: Motion) -> str:
        if current.outcome != Motion.Outcome.WITHDRAWN:
            return _("The deadline has passed, and the votes were counted.")
        return _("Proposal %(n)d is withdrawn.") % {"n": number}

    return _acted(request, taxonomy, member, number, lambda: actions.withdraw(motion=motion, by=member), said)


@require_POST
def comment_on_proposal(request: AuthedRequest, taxonomy_id: int, number: int) -> HttpResponse:
    """Comment on a proposal, open or decided."""
    taxonomy, member = _voter(request, taxonomy_id)
    motion = get_object_or_404(Motion, taxonomy=taxonomy, number=number)
    text = request.POST.get("text", "")
    try:
        once(request, lambda: actions.comment(motion=motion, by=member, text=text))
    except DomainError as error:
        return _page(request, taxonomy, member, error=error, about=number)
    return go_to(request, motion)


@require_POST
def see_proposal_comments(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Record that the reader has read the comments that name them; the page itself sends this."""
    taxonomy, member = taxonomy_of(request, taxonomy_id, rules.may_read_taxonomies)
    actions.see_comments(taxonomy=taxonomy, member=member)
    return HttpResponse() if is_fragment(request) else go_to(request, "proposals", taxonomy.pk)


@require_POST
def proposal_rule(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Set the rule by which proposals are accepted from now on."""
    taxonomy, member = _voter(request, taxonomy_id)
    require(rules.may_edit_taxonomies(member))
    actions.set_rule(taxonomy=taxonomy, by=member, by_majority="by_majority" in request.POST)
    messages.success(request, _("The rule is saved. The rule holds for new proposals."))
    return go_to(request, "proposals", taxonomy.pk)


def _voter(request: AuthedRequest, taxonomy_id: int) -> tuple[Taxonomy, Membership]:
    """The taxonomy, and the seat of a member who may propose and vote. A POST first closes due votes."""
    taxonomy, member = taxonomy_of(request, taxonomy_id, rules.may_read_taxonomies)
    require(
        rules.may_propose(member),
        _("Only owners, leads and volunteers can propose and vote. Nothing was changed."),
    )
    if request.method == "POST":
        actions.close_due(taxonomy)
    return taxonomy, member


def _flat(given: QueryDict) -> dict[str, str]:
    return {name: str(text) for name, text in given.items()}


def _of_editor(request: AuthedRequest) -> dict[str, str]:
    """The fields that the editor sent with `prefill`, with this form's names for texts of a category."""
    posted = _flat(request.POST)
    texts = {f"text-{name}": posted.pop(name) for name in ALL_TEXTS if name in posted}
    return {name: "" if text == "type" else text for name, text in posted.items()} | texts


def _asked(given: Mapping[str, str]) -> dict[str, Any]:
    kind = given.get("kind", "")
    asked = {name: given[name] for name in ("reasons", "examples") if name in given}
    return asked | ({"kind": kind} if kind in drafts.KINDS else {})


def _worded(posted: draft_forms.Posted, fields: Mapping[str, str]) -> dict[str, Any]:
    """The values of the change; to describe a category only the texts that differ from the form's."""
    given = {"name": fields.get("name", "")} | {name: fields.get(f"text-{name}", "") for name in ALL_TEXTS}
    texts = {name: draft_forms.storable(text).replace("\r\n", "\n").strip() for name, text in given.items()}
    if posted.kind == drafts.ADD:
        return {**posted.values, **{name: text for name, text in texts.items() if text}}
    if posted.kind == drafts.DESCRIBE:
        seen = {name: fields.get(f"seen-{name}", "").replace("\r\n", "\n").strip() for name in texts}
        return {name: text for name, text in texts.items() if text != seen[name] and (text or name != "name")}
    return dict(posted.values)


def _acted(
    request: AuthedRequest,
    taxonomy: Taxonomy,
    member: Membership,
    number: int,
    do: Callable[[], Motion],
    said: Callable[[Motion], str],
) -> HttpResponse:
    try:
        current = once(request, do)
    except DomainError as error:
        return _page(request, taxonomy, member, error=error, about=number)
    if current:
        messages.success(request, said(current))
    return go_to(request, "proposals", taxonomy.pk)


def _page(
    request: AuthedRequest,
    taxonomy: Taxonomy,
    member: Membership,
    *,
    error: DomainError | None = None,
    about: int | None = None,
) -> HttpResponse:
    lines = motion_lines(taxonomy, member, with_threads=True)
    context = {
        **frame(taxonomy.study, member, "taxonomies"),
        "taxonomy": taxonomy,
        "open": [line for line in lines if line.motion.is_open],
        "decided": [line for line in lines if not line.motion.is_open],
        "may_propose": rules.may_propose(member),
        "may_edit": rules.may_edit_taxonomies(member),
        "error": error,
        "about": about,
        "typed": request.POST.get("argument", "") if error else "",
        "said": request.POST.get("text", "") if error else "",
        "names_me": sum(one.is_unseen for line in lines for one in line.said),
    }
    return render_page(request, "taxonomy/proposals.html", context, status=error.status if error else 200)
