"""Home: what waits for the reader in all studies, and their studies."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from consensus.queries.meetings import own_meetings
from consensus.queries.threads import unseen_mentions
from core.http import render_page
from core.text.sorting import by_name
from overview.queries import overview as queries
from overview.views.between import between_stages
from overview.views.waits import mentions, waits_for, with_meetings
from studies.queries import active, memberships_of
from studies.rules import may_create_studies
from taxonomy.queries.motion_threads import unseen_on_motions


@require_safe
def home(request: AuthedRequest) -> HttpResponse:
    """Show what waits for the reader across studies, and their progress in the open rounds of each."""
    every = by_name(memberships_of(request.user), lambda seat: seat.study.name)
    seats = active(every)
    own = queries.own_rounds(seats)
    waits = waits_for(seats, own, queries.open_disagreements(seats))
    waits += between_stages(seats)
    waits += mentions(unseen_mentions(request.user), unseen_on_motions(request.user))
    lines = []
    for seat in seats:
        rounds = [one for one in own if one.member.pk == seat.pk]
        done, total = sum(one.done for one in rounds), sum(one.total for one in rounds)
        lines.append({"member": seat, "done": done, "total": total})
    context = {
        "waits": with_meetings(waits, own_meetings(seats)),
        "lines": lines,
        "archived": [seat for seat in every if seat.study.is_read_only],
        "may_create": may_create_studies(request.user),
    }
    return render_page(request, "overview/home.html", context, partials=["waits"])
