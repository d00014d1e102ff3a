"""Pages of taxonomies: the list, one taxonomy, its history, and a new taxonomy."""

from functools import cache
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from core.idempotency import first_time
from core.numbers import whole_number
from core.panels import panels
from studies.models import Study
from studies.pages import frame, study_of
from taxonomy import actions, rules
from taxonomy.codebooks import codebook_file
from taxonomy.forms.taxonomies import TaxonomyForm
from taxonomy.models import Category, Taxonomy
from taxonomy.pages import version_asked_for
from taxonomy.presets import PRESETS, load_preset
from taxonomy.queries import reading
from taxonomy.queries.codebooks import codebook
from taxonomy.queries.history import life, steps
from taxonomy.queries.taxonomies import going_on, published_versions, taxonomies_with_counts
from taxonomy.tree import COLUMNS
from taxonomy.tree.nodes import text_in


@require_safe
def taxonomies(request: AuthedRequest, slug: str) -> HttpResponse:
    """List the taxonomies of a study."""
    study, member = study_of(request, slug, rules.may_read_taxonomies)
    context = {
        **frame(study, member, "taxonomies"),
        "taxonomies": taxonomies_with_counts(request.user, study),
        "may_create": rules.may_create_taxonomies(member),
        "may_edit": rules.may_edit_taxonomies(member),
    }
    return render_page(request, "taxonomy/taxonomies.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@transaction.atomic
def new_taxonomy(request: AuthedRequest, slug: str) -> HttpResponse:
    """Load a taxonomy from a preset, a file or a text. Its first version is published at once, or with
    `draft` opened in the editor; an empty taxonomy begins as a draft. With `prefill` the posted text is put
    into the form for editing; with `check` it is only read. `origin`: the taxonomy of a pilot, see the model.
    """
    study, member = study_of(request, slug, rules.may_create_taxonomies)
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
        origin = _origin(study, request.POST.get("origin", ""))
        if made is None or "draft" in request.POST:
            started = actions.start_taxonomy(
                study=study, name=name, by=request.user, tree=made, origin=origin
            )
            return go_to(request, "draft", started.pk)
        version = actions.create_taxonomy(study=study, name=name, tree=made, by=request.user, origin=origin)
        messages.success(
            request, _("%(name)s is published, with %(n)d categories.") % {"name": name, "n": len(made)}
        )
        return go_to(request, version.taxonomy)
    context = {
        **frame(study, member, "taxonomies"),
        "form": form,
        "presets": [
            (preset.name, _(preset.title), _(preset.description), _outline(preset.name, get_language()))
            for preset in PRESETS.values()
        ],
        "columns": COLUMNS,
        "reader": reader,
        "origin": request.POST.get("origin", ""),
        "only_looks": only_looks,
        "levels": reading.level_counts(node.level for node in reader.tree_so_far() or ()),
    }
    status = 422 if form.is_bound and not only_looks else 200
    return render_page(request, "taxonomy/new.html", context, partials=["checked"], status=status)


@cache
def _outline(preset: str, language: str | None) -> list[tuple[int, str, str]]:
    """Level, code and name of each category of a preset, in this language where the preset has it."""
    return [(node.level, node.code, text_in(node, "name", language)) for node in load_preset(preset)]


def _origin(study: Study, text: str) -> Taxonomy | None:
    return Taxonomy.objects.filter(study=study, pk=whole_number(text) or 0).first()


@require_safe
def taxonomy(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Show one version of a taxonomy: the tree, and the category that the address names."""
    found, member, version = version_asked_for(request, taxonomy_id)
    book = codebook(version)
    words = request.GET.get("q", "").strip()[:200]
    chosen = book.by_code.get(request.GET.get("category", "")) or reading.first_match(book, words)
    context: dict[str, Any] = {
        **frame(found.study, member, "taxonomies"),
        "taxonomy": found,
        "version": version,
        "versions": published_versions(found),
        "branches": reading.branches(book, chosen=chosen, words=words),
        "about": reading.about(book, chosen) if chosen else None,
        "chosen": chosen,
        "levels": reading.level_counts(state.level for state in book.states),
        "words": words,
        "may_edit": rules.may_edit_taxonomies(member),
        "going_on": going_on(found),
        "counts": next(iter(panels(request, "taxonomy.counts", version=version, reader=member)), None),
        "address": f"{reverse('taxonomy', args=[found.pk])}?version={version.number}",
    }
    return render_page(request, "taxonomy/taxonomy.html", context, partials=["category", "tree"])


@require_safe
def taxonomy_history(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Show the changes of each version; with `category`, the key of a category, its history as well."""
    taxonomy, member, version = version_asked_for(request, taxonomy_id)
    category = _category(taxonomy, request.GET.get("category", ""))
    shown = life(taxonomy, category.pk) if category else None
    about = {"taxonomy": taxonomy, "category": category, "reader": member}
    times = next(iter(panels(request, "taxonomy.times", **about)), None) if shown else None
    context = {
        **frame(taxonomy.study, member, "taxonomies"),
        "taxonomy": taxonomy,
        "version": version,
        "steps": steps(taxonomy),
        "category": category,
        "life": shown,
        "times": times,
        "looks": [(*look, times and times.between(*look[2:])) for look in shown.states] if shown else [],
        "may_edit": rules.may_edit_taxonomies(member),
    }
    return render_page(request, "taxonomy/history.html", context)


def _category(taxonomy: Taxonomy, key: str) -> Category | None:
    """The category with this key; None without a key."""
    if not key:
        return None
    try:
        found = taxonomy.categories.filter(key=UUID(key)).first()
    except ValueError:
        raise Http404 from None
    if found is None:
        raise Http404
    return found


@require_safe
def taxonomy_csv(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Send one version as CSV, from which it can be loaded again."""
    return taxonomy_file(request, taxonomy_id, "csv")


@require_safe
def taxonomy_file(request: AuthedRequest, taxonomy_id: int, form: str) -> HttpResponse:
    """Send the codebook of one version: csv, md, tex, or jsonld (SKOS)."""
    _taxonomy, _member, version = version_asked_for(request, taxonomy_id)
    return codebook_file(version, form)
