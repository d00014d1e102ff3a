"""The weights of categories for agreement with partial credit: their page and their file."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, render_page, require
from core.numbers import number_asked
from reports.actions.weights import set_weights
from reports.errors import WeightsRefused
from reports.file_responses import attached
from reports.forms.agreement import WeightsForm
from reports.queries.weight_matrices import matrix_in_use, matrix_of_tree, weight_matrices
from reports.rules import may_set_weights
from studies.pages import frame
from taxonomy.pages import version_asked_for
from taxonomy.queries.codebooks import codebook


@require_http_methods(["GET", "HEAD", "POST"])
def taxonomy_weights(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Show the weights of a version and their history; set a matrix, or with `tree` go back to the tree."""
    taxonomy, member, version = version_asked_for(request, taxonomy_id)
    form = WeightsForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    here = f"{reverse('taxonomy_weights', args=[taxonomy.pk])}?version={version.number}"
    causes: list[str] = []
    if request.method == "POST":
        require(may_set_weights(member, version))
        if "tree" in request.POST:
            set_weights(version=version, by=member, text="")
            messages.success(request, _("The weights are those of the tree again."))
            return go_to(request, here)
        if form.is_valid():
            try:
                set_weights(version=version, by=member, text=form.cleaned_data["matrix"])
            except WeightsRefused as refusal:
                heading, *causes = str(refusal.message).splitlines()
                form.add_error(None, heading)
            else:
                messages.success(request, _("The matrix is set. Reports of this version use it from now on."))
                return go_to(request, here)
    context = {
        **frame(taxonomy.study, member, "taxonomies"),
        "taxonomy": taxonomy,
        "version": version,
        "form": form,
        "causes": causes,
        "in_use": matrix_in_use(version.pk),
        "matrices": weight_matrices(version.pk),
        "may_set": may_set_weights(member, version),
        "here": here,
    }
    return render_page(request, "reports/weights/weights.html", context, status=422 if form.errors else 200)


@require_safe
def taxonomy_weights_csv(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Send a matrix as CSV: the one of `?number=`, or the one in use, else the weights of the tree."""
    taxonomy, _member, version = version_asked_for(request, taxonomy_id)
    number = number_asked(request.GET, "number")
    if number:
        matrix = weight_matrices(version.pk).filter(number=number).exclude(text="").first()
        if matrix is None:
            raise Http404
    else:
        matrix = matrix_in_use(version.pk) if number is None else None
    text = matrix.text if matrix else matrix_of_tree(codebook(version)).as_csv()
    name = f"weights-{taxonomy.pk}-v{version.number}-{matrix.number if matrix else 'tree'}.csv"
    return attached(text, name, "text/csv; charset=utf-8")
