"""The page that imports a table of participants: a file, its columns with a preview, then the import."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import ngettext
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from interviews.actions.participants import import_participants
from interviews.actions.tables import TablePlan
from interviews.forms.tables import ColumnsForm, TableForm
from interviews.models import Participant
from interviews.queries.participants import audiences_of
from interviews.queries.reading import Unread, read_table
from interviews.queries.tables import Table, packed, unpacked
from interviews.views.pages import PEOPLE, around, form_page, is_stored, led_study
from studies.models import Membership

SHOWN = 50


@sensitive_post_parameters()
@sensitive_variables()
@require_http_methods(["GET", "HEAD", "POST"])
def import_table(request: AuthedRequest, slug: str) -> HttpResponse:
    """Read a file, choose its columns, look at the participants, then import them."""
    study, member = led_study(request, slug)
    if not audiences_of(study):
        return go_to(request, "audiences", slug)
    table = unpacked(request.POST.get("secret_table", ""))
    if table:
        return _columns(request, member, table, ColumnsForm(request.POST, study=study, table=table))
    posted = request.method == "POST"
    form = TableForm(request.POST if posted else None, request.FILES if posted else None)
    if form.is_valid():
        upload = form.cleaned_data["file"]
        try:
            ending, sheet = upload.name.lower().rpartition(".")[2], form.cleaned_data["sheet"]
            table = read_table(upload.read(), ending, sheet)
        except Unread as refused:
            form.add_error("file", str(refused))
        else:
            return _columns(request, member, table, ColumnsForm(study=study, table=table))
    return form_page(request, "import_table", form, around(study, member, PEOPLE))


@sensitive_variables()
def _columns(request: AuthedRequest, member: Membership, table: Table, columns: ColumnsForm) -> HttpResponse:
    """The participants of the rows with the chosen columns; with `import` in the form they are stored."""
    study = columns.study
    is_right = not columns.is_bound or columns.is_valid()
    plan = columns.plan() if is_right else TablePlan([], [], [])
    counted = " ".join(f"{audience.prefix}{count}" for audience, count in plan.counts)
    stores = "import" in request.POST
    # What is stored was counted before: other choices than those of the preview only show a new one.
    is_seen = stores and columns.data.get("counted") == counted
    if is_seen and is_right and not plan.problems:
        made: list[list[Participant]] = []

        def act() -> list[Participant]:
            return import_participants(study=study, people=plan.people, by=member)

        if is_stored(request, columns, act, made):
            count = len(made[0]) if made else 0
            told = ngettext("%(n)s participant is added.", "%(n)s participants are added.", count)
            messages.success(request, told % {"n": count})
            return go_to(request, "participants", study.slug)
    context: dict[str, Any] = {
        **around(study, member, PEOPLE),
        "columns": columns,
        "people": plan.people[:SHOWN],
        "count": len(plan.people),
        "counts": plan.counts,
        "counted": counted,
        "is_new": stores and is_right and not is_seen and not plan.problems,
        "problems": plan.problems,
        "packed": packed(table),
    }
    status = 422 if stores or columns.errors else 200
    return render_page(request, "interviews/import_table.html", context, status=status)
