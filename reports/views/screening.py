"""A screening: the excluded issues, the reasons, and the agreement of the raters. Revealed issues only."""

from dataclasses import asdict, dataclass, replace
from typing import Any, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from consensus import rules
from consensus.actions import decisions
from consensus.errors import StaleDecision
from consensus.forms.decisions import MajorityForm
from consensus.queries import screening as queries
from consensus.queries.bulk import bulk_decisions
from consensus.queries.screening import ScreenedIssue, ScreenedPage, ScreenedState, ScreeningCounts
from consensus.views.bulk import why_no_majority
from consensus.views.label_cells import decided_code, label_cells, split_in_words
from consensus.views.matrix import hues
from core.http import go_to, render_page, require
from core.numbers import SHORT, number_asked
from core.templatetags.crosscheck import count
from drawing.flow import Flow, Words, flow
from ingest.models import Issue
from ingest.queries.forge_labels import hides_forge_labels
from ingest.queries.keywords import keywords_of
from ingest.queries.reading import Reading
from reports.file_responses import attached
from reports.formats.files import named_for
from reports.formats.tables import as_csv, number
from reports.forms.screening import ScreenForm
from reports.queries.screened import repositories_table, screening_agreement
from reports.sentences.numbers import no_interval, undefined
from reports.views.shortcuts import round_to_read
from rounds.models import Round
from rounds.queries.blindness import WithheldIssues, withheld_issues
from rounds.queries.categories import ShownCodebook, codebook
from rounds.queries.rounds import reveals_complete_issues
from rounds.rules import may_create_round
from studies.models import Membership
from studies.pages import frame


@dataclass(frozen=True)
class ListAddress:
    """The parameters of the address: decided issues to show, repository, start of the page, issue to read."""

    page: str
    show: ScreenedState = "excluded"
    repository: int | None = None
    after: int | None = None
    issue: int | None = None

    @classmethod
    def read(cls, round_: Round, query: QueryDict) -> "ListAddress":
        """Read the address; Http404 for parameters that no link produces."""
        show = query.get("show", "excluded")
        if show not in {"excluded", "included"}:
            raise Http404
        numbers = {name: number_asked(query, name, digits=SHORT) for name in ("repository", "after", "issue")}
        return cls(reverse("screening", args=[round_.pk]), cast(ScreenedState, show), **numbers)

    def address(self, **changes: Any) -> str:
        given = asdict(self) | changes
        page = given.pop("page")
        query = urlencode({name: value for name, value in given.items() if value not in {None, "excluded"}})
        return f"{page}?{query}" if query else page


@require_safe
def screening(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show the numbers and the decisions of a screening."""
    round_, member = _screening(request, round_id)
    return _page(request, round_, member, ListAddress.read(round_, request.GET))


@require_safe
def screening_csv(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Send the table of the repositories as a file."""
    round_, member = _screening(request, round_id)
    counts = queries.screening_counts(round_, withheld_issues(round_, member))
    text = as_csv(repositories_table(counts))
    return attached(text, named_for(round_, "-screening.csv"), withheld=counts.withheld)


@require_safe
def screening_flow(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Send the flow figure as a file."""
    round_, member = _screening(request, round_id)
    counts = queries.screening_counts(round_, withheld_issues(round_, member))
    drawn = {"flow": _flow(counts), "flow_title": _flow_title(round_), "standalone": True}
    text = render_to_string("shared/_flow.html", drawn)
    name = named_for(round_, "-screening.svg")
    return attached(text.strip() + "\n", name, "image/svg+xml", withheld=counts.withheld)


@require_POST
def screen_issue(request: AuthedRequest, round_id: int, issue_id: int) -> HttpResponse:
    """Bring an excluded issue back, or exclude an included issue: a new decision with its rationale."""
    round_, member = _screening(request, round_id)
    require(rules.may_settle(member, round_), _("Only owners and leads can decide this."))
    asked = replace(ListAddress.read(round_, request.GET), issue=issue_id)
    found = queries.vote_at(round_, issue_id, withheld_issues(round_, member))
    if found is None:
        raise Http404
    form = _form(round_, found.rows[0], request.POST)
    if not form.is_valid():
        return _page(request, round_, member, asked, form=form, status=422)
    try:
        decision = decisions.settle_issue(
            round_=round_, issue=found.rows[0].item.issue, by=member, **form.cleaned_data
        )
    except StaleDecision as refusal:
        said = str(refusal.message)
        return _page(request, round_, member, asked, form=form, refusal=said, status=refusal.status)
    book = codebook(round_.version_id)
    code = book.states[decision.category_id].code
    if decision.category_id in queries.excluded_codes(book, round_):
        said = _("%(issue)s is excluded: %(code)s.")
    else:
        said = _("%(issue)s is back in the study: %(code)s.")
    messages.success(request, said % {"issue": found.rows[0].item.issue, "code": code})
    return go_to(request, asked.address(issue=None))


def _screening(request: AuthedRequest, round_id: int) -> tuple[Round, Membership]:
    round_, member = round_to_read(request, round_id)
    if round_.kind != Round.Kind.SCREENING:
        raise Http404
    return round_, member


def _page(
    request: AuthedRequest,
    round_: Round,
    member: Membership,
    asked: ListAddress,
    *,
    form: ScreenForm | None = None,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    blind = withheld_issues(round_, member)
    counts = queries.screening_counts(round_, blind)
    book = codebook(round_.version_id)
    may_settle = rules.may_settle(member, round_)
    context: dict[str, Any] = {
        **frame(round_.study, member, "rounds"),
        "round": round_,
        "counts": counts,
        "excludes": book.states.get(round_.excludes_id or 0),
        "hidden": bool(round_.opened_at) and not reveals_complete_issues(round_),
        "may_settle": may_settle,
        "may_plan": may_create_round(member, round_.study),
        "asked": asked,
        "refusal": refusal,
    }
    if counts.whole.decided or counts.whole.open_disagreements:
        context |= {"flow": _flow(counts), "flow_title": _flow_title(round_)}
        context["agreement"] = _agreement(round_, blind)
        context |= _list(round_, asked, book, counts, blind)
        if may_settle:
            context["votes"] = [one for one in bulk_decisions(round_, member) if one.standing]
            if not why_no_majority(round_):
                context["majority"] = MajorityForm(round_=round_)
    if asked.issue is not None:
        found = queries.vote_at(round_, asked.issue, blind)
        if found is None:
            raise Http404
        context |= _issue(round_, found, book, asked, form if may_settle else None, member.user_id)
        if not may_settle:
            context["form"] = None
    return render_page(request, "reports/screening/screening.html", context, status=status)


def _agreement(round_: Round, blind: WithheldIssues) -> dict[str, Any]:
    found = screening_agreement(round_, blind)
    kappa, percent = (found.coefficients[name] for name in ("fleiss_kappa", "percent_agreement"))
    return {
        "issues": found.issues,
        "compared": found.compared,
        "kappa": number(kappa.value),
        "low": number(kappa.low),
        "high": number(kappa.high),
        "no_interval": no_interval(kappa.reason),
        "reason": undefined(kappa.reason),
        "percent": number(None if percent.value is None else 100 * percent.value, 1),
    }


def _list(
    round_: Round, asked: ListAddress, book: ShownCodebook, counts: ScreeningCounts, blind: WithheldIssues
) -> dict[str, Any]:
    page = queries.votes(round_, asked.show, repository=asked.repository, after=asked.after, blind=blind)
    colours = hues(book)
    return {
        "rows": [
            _row(one, page, colours) | {"url": asked.address(issue=one.item.issue.pk)} for one in page.rows
        ],
        "tabs": [
            {
                "name": name,
                "issues": issues,
                "url": asked.address(show=show, after=None, issue=None),
                "current": show == asked.show,
            }
            for show, name, issues in (
                ("excluded", _("Excluded"), counts.whole.excluded),
                ("included", _("Included"), counts.whole.included),
            )
        ],
        "menu": [
            {
                "path": one.repository,
                "url": asked.address(repository=one.repository_id, after=None, issue=None),
                "on": one.repository_id == asked.repository,
            }
            for one in counts.repositories
        ],
        "any_repository": asked.address(repository=None, after=None, issue=None),
        "first_url": asked.address(after=None, issue=None) if asked.after is not None else "",
        "next_url": asked.address(after=page.next, issue=None) if page.next is not None else "",
    }


def _row(one: ScreenedIssue, page: ScreenedPage, colours: dict[str, str]) -> dict[str, Any]:
    return {
        "voted": one,
        "item": one.item,
        "title": one.item.issue.current.title if one.item.issue.current else "",
        "looks": [cell for cell in label_cells(one.item, page.volunteers, colours) if cell],
        "split": split_in_words(one.item.split, one.item.open_labels),
        "decided": decided_code(one.item, colours),
        "past": [(decision, code, colours[code]) for decision, code in one.past],
    }


def _issue(
    round_: Round,
    found: ScreenedPage,
    book: ShownCodebook,
    asked: ListAddress,
    form: ScreenForm | None,
    user: int | None,
) -> dict[str, Any]:
    issue = Issue.objects.select_related("repository", "current").get(pk=found.rows[0].item.issue.pk)
    voted = found.rows[0]
    return {
        "shown": _row(voted, found, hues(book)),
        "reading": Reading(issue, keywords_of(issue.repository.study_id), hides_forge_labels(user, issue)),
        "is_part": True,
        "is_excluded": _is_excluded(round_, voted, book),
        "form": form or _form(round_, voted),
        "screen_url": asked.address(page=reverse("screen_issue", args=[round_.pk, issue.pk]), issue=None),
        "close_url": asked.address(issue=None),
    }


def _is_excluded(round_: Round, voted: ScreenedIssue, book: ShownCodebook) -> bool | None:
    decision = voted.item.decision
    return None if decision is None else decision.category_id in queries.excluded_codes(book, round_)


def _form(round_: Round, voted: ScreenedIssue, data: QueryDict | None = None) -> ScreenForm:
    book = codebook(round_.version_id)
    decision = voted.item.decision
    return ScreenForm(
        data,
        round_=round_,
        book=book,
        is_excluded=_is_excluded(round_, voted, book),
        initial={"seen_number": decision.number if decision else 0},
    )


def _flow_title(round_: Round) -> str:
    return _("Flow of the screening %(name)s") % {"name": round_.name}


def _flow(counts: ScreeningCounts) -> Flow:
    whole, reasons = counts.whole, counts.reasons
    gone: list[tuple[str, str]] = [(_("Excluded"), count(whole.excluded))]
    gone += [(f"{one.code} {one.title}", count(one.issues)) for one in reasons.reasons if one.issues]
    gone += [(_("reasons differ"), count(reasons.differ))] if reasons.differ else []
    if reasons.unsaid and reasons.reasons:
        gone.append((_("no reason"), count(reasons.unsaid)))
    leaving: list[tuple[str, Words]] = [("out", gone)]
    if whole.undecided:
        waiting = [(_("Undecided"), count(whole.undecided))]
        if whole.open_disagreements:
            waiting.append((_("waiting for a decision"), count(whole.open_disagreements)))
        if whole.incomplete:
            waiting.append((_("labels are missing"), count(whole.incomplete)))
        leaving.append(("aside", waiting))
    others = []
    if counts.outside:
        others.append(("aside", [(_("Not in this screening"), count(counts.outside))]))
    if counts.withheld:
        others.append(("aside", [(_("Hidden from you"), count(counts.withheld))]))
    return flow(
        [
            ([(_("Identified"), count(counts.study_issues))], others),
            ([(_("Screened"), count(whole.issues))], leaving),
            ([(_("Included"), count(whole.included))], []),
        ]
    )
