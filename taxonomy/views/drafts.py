"""The editor of a taxonomy: the draft as a tree, one change at a time, and its publication."""

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from core.errors import DomainError
from core.http import go_to, is_fragment, render_page, require
from core.idempotency import once
from core.panels import panels
from studies.models import Membership
from studies.pages import frame
from taxonomy import actions, rules
from taxonomy.actions.drafts import redoable
from taxonomy.errors import ChangeClash
from taxonomy.forms import drafts as draft_forms
from taxonomy.forms.drafts import storable
from taxonomy.models import Category, Taxonomy, Version
from taxonomy.pages import taxonomy_of
from taxonomy.queries import draft_reading
from taxonomy.queries.drafts import Drafted, drafted, edition_of
from taxonomy.queries.motions import motion_lines
from taxonomy.queries.neighbours import Neighbour, neighbours, subtree
from taxonomy.queries.reading import level_counts
from taxonomy.queries.unvoted import unvoted_entries
from taxonomy.signals import followed
from taxonomy.tree import drafts
from taxonomy.tree.draft_trees import Entry


@require_safe
def draft(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Show the draft: the tree, and the category that the address names. With `edition` it answers 204 as
    long as the draft has that edition, so that an open page can poll for the changes of others.
    """
    taxonomy, member = _taxonomy(request, taxonomy_id)
    if is_fragment(request) and request.GET.get("edition") == edition_of(taxonomy):
        return HttpResponse(status=204)
    found = drafted(taxonomy)
    return _page(request, found, member, chosen=_named(found, request.GET.get("category", "")))


@require_POST
def change_draft(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Make one change in the draft. A refusal is shown on the page, with the user's text."""
    taxonomy, member = _taxonomy(request, taxonomy_id)
    found = drafted(taxonomy)
    posted = draft_forms.read(request.POST, found.draft)

    def change() -> actions.Acted:
        return actions.act(
            taxonomy=taxonomy,
            kind=posted.kind,
            key=posted.key,
            values=posted.values,
            by=request.user,
            seen=posted.seen,
        )

    beside = _beside(found, posted.key) if posted.kind == drafts.RETIRE else None
    return _acted(request, taxonomy, member, change, posted.key, posted.typed, beside=beside)


@require_POST
def undo_change(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Undo the reader's last change."""
    taxonomy, member = _taxonomy(request, taxonomy_id)
    return _acted(request, taxonomy, member, lambda: actions.undo(taxonomy=taxonomy, by=request.user))


@require_POST
def redo_change(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Redo the change that the reader undid."""
    taxonomy, member = _taxonomy(request, taxonomy_id)
    return _acted(request, taxonomy, member, lambda: actions.redo(taxonomy=taxonomy, by=request.user))


@require_POST
def publish_draft(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Publish the draft that the reader saw as the newest version."""
    taxonomy, member = _taxonomy(request, taxonomy_id)
    actions.close_due(taxonomy)
    try:
        version = once(
            request,
            lambda: actions.publish(
                taxonomy=taxonomy,
                by=request.user,
                note=storable(request.POST.get("note", "")).strip()[:2000],
                seen=request.POST.get("edition", ""),
                again=request.POST.getlist("again"),
            ),
        )
    except DomainError as error:
        found = drafted(taxonomy)
        return _page(request, found, member, chosen=_named(found, ""), error=error)
    if version:
        said = _("Version %(n)d of %(name)s is published.")
        told = [said % {"n": version.number, "name": taxonomy.name}]
        told += [text for _who, text in followed.send(sender=Version, version=version, member=member) if text]
        messages.success(request, " ".join(told))
    return go_to(request, taxonomy)


@require_POST
def delete_draft(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Delete a taxonomy that was never published, with the draft that the reader saw."""
    taxonomy, member = _taxonomy(request, taxonomy_id)
    edition = request.POST.get("edition", "")
    try:
        once(request, lambda: actions.delete_draft(taxonomy=taxonomy, by=request.user, seen=edition))
    except DomainError as error:
        found = drafted(taxonomy)
        return _page(request, found, member, chosen=_named(found, ""), error=error)
    messages.success(request, _("The draft of %(name)s is deleted.") % {"name": taxonomy.name})
    return go_to(request, "taxonomies", taxonomy.study.slug)


def _taxonomy(request: AuthedRequest, taxonomy_id: int) -> tuple[Taxonomy, Membership]:
    taxonomy, member = taxonomy_of(request, taxonomy_id)
    require(
        rules.may_edit_taxonomies(member),
        _("Only owners and leads can edit a taxonomy. Nothing was changed."),
    )
    return taxonomy, member


def _named(found: Drafted, code: str) -> Entry | None:
    """The category with this code, or the first."""
    entries = list(found.draft)
    return next((entry for entry in entries if entry.code == code), entries[0] if entries else None)


def _acted(
    request: AuthedRequest,
    taxonomy: Taxonomy,
    member: Membership,
    change: Callable[[], actions.Acted],
    key: str | None = None,
    typed: Mapping[str, str] | None = None,
    *,
    beside: str | None = None,
) -> HttpResponse:
    """The editor after a change, with the category of the change; or the reason for its refusal."""
    try:
        acted = once(request, change)
    except DomainError as error:
        found = drafted(taxonomy)
        chosen = found.draft.entries.get(key or request.POST.get("chosen", "")) or _named(found, "")
        return _page(request, found, member, chosen=chosen, error=error, typed=typed or {}, about=key)
    found = acted.drafted if acted else drafted(taxonomy)
    entry = _about(found, beside or (acted.change.key if acted and acted.change else key))
    if not is_fragment(request):
        return go_to(request, _address(request, taxonomy, entry))
    answer = _page(request, found, member, chosen=entry)
    answer.headers["HX-Push-Url"] = _address(request, taxonomy, entry)
    return answer


def _beside(found: Drafted, key: str | None) -> str | None:
    """The sibling after a category, or before it if it is the last."""
    if key is None or key not in found.draft:
        return None
    siblings = [entry.key for entry in found.draft.below(found.draft[key].parent)]
    place = siblings.index(key)
    return next(iter([*siblings[place + 1 :], *siblings[:place][::-1]]), None)


def _about(found: Drafted, key: object) -> Entry | None:
    """The category to show after a change: itself, what it became, its former parent, or the first."""
    draft = found.draft
    key = str(key or "")
    if key in draft:
        return draft[key]
    if key in draft.published:
        for target in (*draft.fate(key).targets, draft.published[key].parent or ""):
            if target in draft:
                return draft[target]
    return _named(found, "")


def _address(request: AuthedRequest, taxonomy: Taxonomy, entry: Entry | None) -> str:
    asked = dict(_CHANGES_ONLY) if _changes_only(request) else {}
    asked |= {"category": entry.code} if entry else {}
    return reverse("draft", args=[taxonomy.pk]) + (f"?{urlencode(asked)}" if asked else "")


_CHANGES_ONLY = {"view": "changes"}


def _shown(request: AuthedRequest) -> QueryDict:
    """What the reader sees of the tree: in the address, or in the form of an act."""
    return request.POST if request.method == "POST" else request.GET


def _changes_only(request: AuthedRequest) -> bool:
    """Does the reader see the changed categories only? The forms of this view say so, and an act keeps it."""
    return _shown(request).get("view") == "changes"


def _labels(request: AuthedRequest, found: Drafted, member: Membership) -> dict[str, int]:
    """How many revealed labels each published category has, by its key in the draft; {} before the first
    version, and before anybody has labelled by the taxonomy.
    """
    if found.published is None:
        return {}
    made = panels(request, "taxonomy.labels", version=found.published, reader=member)
    labels: dict[int, int] = next(iter(made), {})
    keys = Category.objects.filter(pk__in=labels).values_list("pk", "key") if labels else ()
    return {str(key): labels[pk] for pk, key in keys}


def _neighbours(request: AuthedRequest, found: Drafted, member: Membership) -> list[tuple[Neighbour, int]]:
    """The categories beside new ones, with how many revealed labels a second look would ask for again; only
    those with some.
    """
    beside = neighbours(found) if found.published else []
    if not beside:
        return []
    made = panels(request, "taxonomy.revealed_in_open_rounds", version=found.published, reader=member)
    labels: dict[int, int] = next(iter(made), {})
    keys = {
        str(key): labels[pk] for pk, key in Category.objects.filter(pk__in=labels).values_list("pk", "key")
    }
    counted = [(one, sum(keys.get(key, 0) for key in subtree(found.draft, one.entry.key))) for one in beside]
    return [(one, n) for one, n in counted if n]


def _page(
    request: AuthedRequest,
    found: Drafted,
    member: Membership,
    *,
    chosen: Entry | None,
    error: DomainError | None = None,
    typed: Mapping[str, str] | None = None,
    about: str | None = None,
) -> HttpResponse:
    """The editor. `typed` is text that could not be saved: it is shown again in its form, or by itself if the
    category that it was `about` is gone. A refusal keeps the filter of the tree; what was done ends it, since
    it could hide a new category.
    """
    words = _shown(request).get("q", "").strip()[:200] if error or request.method != "POST" else ""
    changes_only = _changes_only(request)
    is_new = bool(error) and request.POST.get("kind") == drafts.ADD
    proposed = motion_lines(found.taxonomy, member)
    counting = {change.pk for change in found.changes}
    is_here = chosen is not None and chosen.key == about
    kept = dict(typed or {}) if is_here else {}
    path = [found.draft[key] for key in found.draft.path(chosen.key)] if chosen else []
    again, refused = redoable(found, request.user)
    context = {
        **frame(found.taxonomy.study, member, "taxonomies"),
        "taxonomy": found.taxonomy,
        "found": found,
        "levels": level_counts(found.draft.level(entry.key) for entry in found.draft),
        "branches": draft_reading.branches(found, chosen, words, changes_only=changes_only),
        "changes_only": changes_only,
        "view": f"{urlencode(_CHANGES_ONLY)}&" if changes_only else "",
        "labels": _labels(request, found, member),
        "about": draft_reading.about(found, chosen, kept) if chosen else None,
        "chosen": chosen,
        "words": words,
        "mentioned": draft_reading.mentioned(found.draft),
        "told": draft_reading.told(found),
        "alone": unvoted_entries(found),
        "undefined": draft_reading.undefined(found),
        "neighbours": _neighbours(request, found, member),
        "again": request.POST.getlist("again") if error else [],
        "colours": list(enumerate(draft_reading.COLOURS)),
        "proposed": [line for line in proposed if line.motion.is_open or line.motion.change_id in counting],
        "waits_for": [line.motion.number for line in reversed(proposed) if line.motion.is_open],
        "error": error,
        "clash": error if isinstance(error, ChangeClash) else None,
        "typed": kept,
        "lost": {} if is_here or is_new else dict(typed or {}),
        "is_new": is_new,
        "note": request.POST.get("note", "") if error else "",
        "new_name": (typed or {}).get("name", "") if is_new else "",
        "typed_parts": request.POST.get("parts", "") if error else "",
        "stays": not error or "stays" in request.POST or "parts" not in request.POST,
        "places": [
            (each, found.draft.level(each.key) + 1) for each in path if found.draft.level(each.key) < 3
        ],
        "can_undo": any(change.made_by_id == request.user.pk for change in found.made),
        "can_redo": again is not None,
        "not_again": draft_reading.not_again(found, refused),
        "address": reverse("draft", args=[found.taxonomy.pk]),
    }
    return render_page(
        request, "taxonomy/draft.html", context, partials=["editor"], status=error.status if error else 200
    )
