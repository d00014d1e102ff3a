"""Pages of boards: the list, a new board, the board to sort on, and the agreement of its sorters."""

from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import AuthedRequest
from boards.errors import BoardRefused
from boards.forms import BoardForm
from boards.models import Board, Sorting
from boards.queries.agreement import agreement_of
from boards.queries.boards import boards_of, lists_of, sortings_apart, themes_of
from boards.queries.hidden import held_from
from boards.rules import may_make_board, may_sort
from boards.views.acts import board_and_seat
from boards.views.script_strings import board_words
from core.http import go_to, render_page, require
from core.idempotency import once
from studies.models import Membership
from studies.pages import frame
from studies.rules import may_see_people
from taxonomy.models import Taxonomy
from taxonomy.pages import taxonomy_of
from taxonomy.queries.taxonomies import published_version

CARDS_SHOWN = 200
"""The most cards of each pile on the page to read; the mapping has all cards."""


@require_safe
def boards(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """List the boards of a taxonomy."""
    taxonomy, member = taxonomy_of(request, taxonomy_id, may_see_people)
    found = boards_of(taxonomy, member)
    context = {
        **_around(taxonomy, member),
        "boards": found,
        "withheld": held_from([line.board for line in found], member),
        "may_make": may_make_board(member, taxonomy.study),
    }
    return render_page(request, "boards/boards.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new_board(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Begin a board. With `check` in the form the page only shows which cards it would have."""
    taxonomy, member = taxonomy_of(request, taxonomy_id, may_see_people)
    require(
        may_make_board(member, taxonomy.study),
        _("Only owners and leads can create a board. Nothing was changed."),
    )
    posted = request.method == "POST"
    initial = {"about": request.GET.get("about", "")}
    form = BoardForm(
        request.POST if posted else None,
        request.FILES if posted else None,
        taxonomy=taxonomy,
        member=member,
        initial=initial,
    )
    only_looks = "check" in request.POST
    if form.is_valid() and not only_looks:
        try:
            made = once(request, lambda: form.make(member))
            return go_to(request, made) if made else go_to(request, "boards", taxonomy.pk)
        except BoardRefused as refusal:
            form.add_error(None, str(refusal.message))
    context = {
        **_around(taxonomy, member),
        "form": form,
        "only_looks": only_looks,
        "summaries": sum(len(row.symptoms) for row in form.rows or ()),
    }
    status = 422 if form.errors and not only_looks else 200
    return render_page(request, "boards/new.html", context, partials=["checked"], status=status)


@require_safe
def board(request: AuthedRequest, board_id: int) -> HttpResponse:
    """Show the board; its script fetches the cards."""
    found, member = board_and_seat(request, board_id)
    taxonomy = found.taxonomy
    sortings = sortings_apart(found)
    own = next((each for each in sortings if each.member_id == member.pk), None)
    is_apart = found.phase == Board.Phase.APART
    sorts = may_sort(member, found) and found.phase != Board.Phase.CLOSED
    sorts = sorts and (not is_apart or (own is not None and own.done_at is None))
    leads = may_make_board(member, taxonomy.study)
    context = {
        **_around(taxonomy, member),
        "board": found,
        "sorters": [
            {"who": each.member.pseudonym, "done": each.done_at is not None}
            for each in sortings
            if each.member
        ],
        "themes": themes_of(found),
        "withheld": held_from([found], member),
        "may_sort": sorts,
        "may_be_done": sorts and is_apart,
        "may_go_on": is_apart and own is not None and own.done_at is not None,
        "looks_on": is_apart and own is None,
        "may_begin": leads and is_apart,
        "may_close": leads and found.phase == Board.Phase.TOGETHER,
        "may_make": leads and found.phase == Board.Phase.TOGETHER,
        "shows_agreement": bool(sortings) and not is_apart,
        "shows_mapping": not is_apart,
        "note": _note(found, own, sortings),
        "note_icon": "lock" if is_apart or found.closed_at else "people",
        "words": board_words(),
    }
    return render_page(request, "boards/board.html", context)


@require_safe
def board_piles(request: AuthedRequest, board_id: int) -> HttpResponse:
    """Show the piles and their cards, to read and to print; the board itself needs JavaScript."""
    found, member = board_and_seat(request, board_id)
    lists = lists_of(found, member)
    context = {
        **_around(found.taxonomy, member),
        "board": found,
        "piles": [each for each in lists if each.pile],
        "others": [each for each in lists if not each.pile and each.cards],
        "cards": sum(len(each.cards) for each in lists),
        "withheld": held_from([found], member),
        "shown": CARDS_SHOWN,
    }
    return render_page(request, "boards/piles.html", context)


@require_safe
def board_agreement(request: AuthedRequest, board_id: int) -> HttpResponse:
    """Show how similarly the cards were sorted apart. 404 while they are, and if nobody sorted apart."""
    found, member = board_and_seat(request, board_id)
    agreement = agreement_of(found, member)
    if agreement is None:
        raise Http404
    context = {
        **_around(found.taxonomy, member),
        "board": found,
        "found": agreement,
        "withheld": held_from([found], member),
    }
    return render_page(request, "boards/agreement.html", context)


def _around(taxonomy: Taxonomy, member: Membership) -> dict[str, Any]:
    """The context that all pages of boards share."""
    page = "taxonomy" if published_version(taxonomy) else "draft"
    return {
        **frame(taxonomy.study, member, "taxonomies"),
        "taxonomy": taxonomy,
        "taxonomy_address": reverse(page, args=[taxonomy.pk]),
    }


def _note(board: Board, own: Sorting | None, sortings: list[Sorting]) -> str:
    """What the reader can do in this phase, in a sentence; "" for no sentence."""
    if board.phase == Board.Phase.CLOSED:
        return _("This board is closed, and its piles no longer change.")
    if board.phase == Board.Phase.TOGETHER:
        if not sortings:
            return ""
        return _(
            "Cards that everybody grouped the same way are already in piles. Sort the rest"
            " together; each card shows who put it where."
        )
    if own is None:
        return _("Each member sorts alone. All piles are hidden from you until the joint session starts.")
    if own.done_at is not None:
        return _("You have finished sorting. A lead starts the joint session.")
    return _("You sort alone. Until the joint session nobody sees your piles, and you see no other piles.")
