"""Pages of taxonomies: which there are, what they say, and a new one."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, render_page, require
from core.idempotency import first_time
from studies.models import Membership, Study
from studies.pages import frame
from studies.queries import membership_of, studies_for
from taxonomy import actions, queries, reading, rules
from taxonomy.asked import version_asked_for
from taxonomy.forms import TaxonomyForm
from taxonomy.presets import PRESETS
from taxonomy.tree import COLUMNS


@require_safe
def taxonomies(request: AuthedRequest, slug: str) -> HttpResponse:
    """List the taxonomies of a study."""
    study, member = _study(request, slug)
    require(rules.may_read_taxonomies(member))
    context = {
        **frame(study, member, "taxonomies"),
        "taxonomies": queries.taxonomies_with_counts(request.user, study),
        "may_create": rules.may_create_taxonomies(member),
        "may_edit": rules.may_edit_taxonomies(member),
    }
    return render_page(request, "taxonomy/taxonomies.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@transaction.atomic
def new_taxonomy(request: AuthedRequest, slug: str) -> HttpResponse:
    """Load a taxonomy, from a preset, a file or a text; its first version is published at once. One that
    begins empty is a draft.

    Posted with `prefill`, the text is put into the form, to be edited; with `check` it is only read.
    """
    study, member = _study(request, slug)
    require(rules.may_create_taxonomies(member))
    only_looks = "check" in request.POST
    posted = request.method == "POST"
    form = TaxonomyForm(request.POST if posted else None, request.FILES if posted else None)
    reader = form
    if "prefill" in request.POST:
        given = {name: request.POST.get(name, "") for name in ("text", "name")}
        form, reader = (
            TaxonomyForm(initial={"source": "text", **given}),
            TaxonomyForm({"source": "text", **given}),
        )
    if form.is_valid() and not only_looks:
        if not first_time(request):
            return go_to(request, "taxonomies", study.slug)
        name, made = form.cleaned_data["name"], form.cleaned_data["tree"]
        if made is None:
            return go_to(request, "draft", actions.start_taxonomy(study=study, name=name, by=request.user).pk)
        version = actions.create_taxonomy(study=study, name=name, tree=made, by=request.user)
        messages.success(
            request, _("%(name)s is published, with %(n)d categories.") % {"name": name, "n": len(made)}
        )
        return go_to(request, version.taxonomy)
    context = {
        **frame(study, member, "taxonomies"),
        "form": form,
        "presets": [(preset.name, _(preset.title), _(preset.description)) for preset in PRESETS.values()],
        "columns": COLUMNS,
        "reader": reader,
        "only_looks": only_looks,
        "levels": reading.levels_of(tree) if (tree := reader.tree_so_far()) else [],
    }
    status = 422 if form.is_bound and not only_looks else 200
    return render_page(request, "taxonomy/new.html", context, partials=["checked"], status=status)


@require_safe
def taxonomy(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Show one version of a taxonomy: the tree, and the category that the address names."""
    found, member, version = version_asked_for(request, taxonomy_id)
    book = queries.codebook(version)
    words = request.GET.get("q", "").strip()[:200]
    chosen = book.by_code.get(request.GET.get("category", "")) or reading.first_match(book, words)
    context: dict[str, Any] = {
        **frame(found.study, member, "taxonomies"),
        "taxonomy": found,
        "version": version,
        "versions": queries.published_versions(found),
        "branches": reading.branches(book, chosen=chosen, words=words),
        "about": reading.about(book, chosen) if chosen else None,
        "chosen": chosen,
        "levels": reading.level_counts(book),
        "words": words,
        "may_edit": rules.may_edit_taxonomies(member),
        "going_on": queries.going_on(found),
        "address": f"{reverse('taxonomy', args=[found.pk])}?version={version.number}",
    }
    return render_page(request, "taxonomy/taxonomy.html", context, partials=["category", "tree"])


def _study(request: AuthedRequest, slug: str) -> tuple[Study, Membership | None]:
    study = get_object_or_404(studies_for(request.user), slug=slug)
    return study, membership_of(request.user, study)
