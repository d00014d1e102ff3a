"""The walk over one repository of a harvest: every page of its issues and comments, then a comparison with
the forge's own count. It can be interrupted anywhere and goes on at the next page.

Issues are listed in the order in which they were opened, by the forge's own links. What changed during the
walk is listed once more at its end. If the numbers differ then, what is missing is looked for
(`actions/walk_checks.py`): an issue that was deleted on the forge moves the ones behind it by a place, and
one of them can fall between two pages.
"""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from urllib.parse import parse_qsl, urlsplit

from django.db.models import Q
from django.utils.translation import gettext as _

from core import clock
from harvests.actions import walk_checks
from harvests.actions.pages import Phase, Place, advance, path_of, place_of, store_page, window_of
from harvests.models import HarvestedRepository, HarvestPage
from ingest.forges.pages import Client, Kind, Moved, Page, PageMissing, RepositoryGone

OVERLAP = timedelta(hours=1)
"""By how much a later pass begins before the walk: the clocks of two machines differ."""

_MOST_MOVES = 5
_MOST_PASSES = 3
_MOST_ROUNDS = 10
"""So often a page may lead to the same next one: a pass begins again, and others list the same pages."""

Report = Callable[[Page | None], None]
"""Called after each step with the page that was stored, if it was one; it may raise to end the run there."""

_KINDS: dict[str, Kind] = {
    Phase.LISTING: "issues",
    Phase.PULLS: "pulls",
    Phase.COMMENTS: "comments",
    Phase.CLOSING: "issues",
    Phase.LATE_PULLS: "pulls",
    Phase.LATE_COMMENTS: "comments",
    Phase.AGAIN: "issues",
}
_LATE = {Phase.CLOSING, Phase.LATE_PULLS, Phase.LATE_COMMENTS}
_GONE = {410, 451}


def walk(repository: HarvestedRepository, client: Client, report: Report) -> None:
    """Go on until the repository is fetched. Raises Paused, PageMissing and TokenRefused of its forge, and
    every error of `report`; a repository that the forge does not have ends with the outcome `gone`.
    """
    if repository.started_at is None:
        repository.started_at = clock.now()
        repository.save(update_fields=["started_at"])
    moves = 0
    led_to: Counter[str] = Counter()
    while repository.phase != Phase.DONE:
        page = None
        try:
            page = _step(repository, client)
        except Moved as moved:
            moves += 1
            if moves > _MOST_MOVES:
                raise PageMissing(moved.to_url, "moved again and again") from None
            _follow(repository, client, moved)
        except RepositoryGone as gone:
            _lose(repository, client, gone)
        report(page)
        if page and page.next:
            led_to[page.next] += 1
            if led_to[page.next] > _MOST_ROUNDS:
                raise PageMissing(page.next, "its pages go round in a circle")


def _step(repository: HarvestedRepository, client: Client) -> Page | None:
    if repository.phase == Phase.COUNTING:
        _count(repository, client)
        return None
    if repository.phase == Phase.CHECKING:
        walk_checks.compare(repository, client)
        return None
    if repository.phase == Phase.GAPS:
        return walk_checks.ask_for_gaps(repository, client, then=_after(repository, client))
    if repository.phase == Phase.MISSED_COMMENTS:
        return walk_checks.fetch_missed_comments(repository, client, then=_after(repository, client))
    return _fetch(repository, client)


def phases_of(repository: HarvestedRepository, client: Client) -> list[str]:
    """The passes of the walk over this repository, in order."""
    harvest = repository.harvest
    first = repository.origin_id is None
    pulls = harvest.with_pull_requests and bool(client.forge.pulls_url("o/r"))
    comments = harvest.with_comments
    passes = {
        Phase.COUNTING: first,
        Phase.LISTING: True,
        Phase.PULLS: pulls,
        Phase.COMMENTS: comments,
        Phase.CLOSING: first,
        Phase.LATE_PULLS: first and pulls,
        Phase.LATE_COMMENTS: first and comments,
        Phase.MISSED_COMMENTS: comments,
        Phase.CHECKING: True,
        Phase.DONE: True,
    }
    return [str(phase) for phase, is_made in passes.items() if is_made]


def _after(repository: HarvestedRepository, client: Client) -> Place:
    """The beginning of the pass after the present one."""
    phases = phases_of(repository, client)
    if repository.phase in {Phase.GAPS, Phase.AGAIN}:
        return Place(Phase.MISSED_COMMENTS if repository.harvest.with_comments else Phase.CHECKING)
    return Place(phases[phases.index(repository.phase) + 1])


def _count(repository: HarvestedRepository, client: Client) -> None:
    try:
        expected = walk_checks.numbers(client.count(path_of(repository), window_of(repository)))
    except PageMissing:
        expected = None  # an estimate less; the count at the end tells
    advance(repository, at=place_of(repository), then=_after(repository, client), expected=expected)


def _fetch(repository: HarvestedRepository, client: Client) -> Page | None:
    """Fetch and store the next page of the present pass. None if another run was faster."""
    at = place_of(repository)
    kind = _KINDS[repository.phase]
    url = repository.next_url or _first_url(repository, client)
    known = _etag(repository, url)
    page = client.page(kind, url, known or None)
    if page is None:
        page = Page(kind, url, 304, known, "", (), "", None, b"")
    if page.next and not _is_beyond(repository, client, page):
        then = Place(repository.phase, page.next)
    elif _lost_some(repository, page):
        then = Place(repository.phase)
    else:
        then = _after(repository, client)
    return page if store_page(repository, client.forge, page, at=at, then=then) else None


def _first_url(repository: HarvestedRepository, client: Client) -> str:
    forge, path = client.forge, path_of(repository)
    since = repository.since or repository.harvest.opened_from
    if repository.phase in _LATE:
        since = (repository.started_at or clock.now()) - OVERLAP
    elif repository.phase == Phase.AGAIN:
        since = repository.harvest.opened_from
    ask = {"issues": forge.issues_url, "pulls": forge.pulls_url, "comments": forge.comments_url}
    return ask[_KINDS[repository.phase]](path, since=since)


def _etag(repository: HarvestedRepository, url: str) -> str:
    """The ETag that an earlier harvest had from this address, if that was the last page of its pass."""
    if repository.origin_id is None:
        return ""
    asked = HarvestPage.objects.filter(
        Q(repository=repository.origin_id) | Q(repository__origin=repository.origin_id), url=url, next_url=""
    ).exclude(repository=repository)
    return asked.order_by("-pk").values_list("etag", flat=True).first() or ""


def _is_beyond(repository: HarvestedRepository, client: Client, page: Page) -> bool:
    """Does the page end behind the window? Lists are in the order in which issues were opened."""
    if not page.records or page.kind == "comments":
        return False
    return client.forge.created_at(page.records[-1]) >= window_of(repository).end


def _lost_some(repository: HarvestedRepository, last: Page) -> bool:
    """Did the total of a list fall while its pages were asked for? Then something was deleted, and what came
    behind it moved up by a place: one record can have fallen between two pages. Only Gitee says totals.
    """
    pages = HarvestPage.objects.filter(repository=repository, phase=repository.phase).order_by("position")
    asked = [*pages.values_list("url", "total"), (last.url, last.total)]
    # By the page's number: the address is another one after a move.
    begins = [nth for nth, (url, _total) in enumerate(asked) if dict(_query(url)).get("page", "1") == "1"]
    totals = [total for _url, total in asked[begins[-1] if begins else 0 :] if total is not None]
    return len(begins) < _MOST_PASSES and any(later < former for former, later in pairwise(totals))


def _follow(repository: HarvestedRepository, client: Client, moved: Moved) -> None:
    """Go on under the path to which the repository was renamed: at the page to which the forge leads, or at
    the beginning of the pass if it leads to none.
    """
    at, former = place_of(repository), path_of(repository)
    path = moved.to_path or client.repository(former).path
    next_url = at.next_url
    if repository.phase in _KINDS:
        asked = at.next_url or _first_url(repository, client)
        next_url = moved.to_url if _query(moved.to_url) == _query(asked) else ""
    if path.lower() == former.lower() and next_url in {"", at.next_url}:
        raise PageMissing(moved.to_url, "moved to where it was")
    if _is_asked_for_too(repository, path):
        told = _("This repository is %(path)s now, which this harvest fetches as well.")
        walk_checks.finish(repository, HarvestedRepository.Outcome.GONE, told % {"path": path})
        return
    advance(repository, at=at, then=Place(at.phase, next_url), moved_to=path)


def _is_asked_for_too(repository: HarvestedRepository, path: str) -> bool:
    """Does the harvest have another repository at this path? Its issues would be listed and counted twice."""
    others = repository.harvest.repositories.exclude(pk=repository.pk).filter(host=repository.host)
    return others.filter(Q(path__iexact=path) | Q(moved_to__iexact=path)).exists()


def _query(url: str) -> list[tuple[str, str]]:
    return sorted(parse_qsl(urlsplit(url).query, keep_blank_values=True))


def _lose(repository: HarvestedRepository, client: Client, gone: RepositoryGone) -> None:
    """End the walk over a repository that its forge does not have. Raises PageMissing if it has it, or does
    not let these tokens see it: then a later run can go on.
    """
    if gone.status not in _GONE:
        try:
            facts = client.repository(path_of(repository))
        except RepositoryGone as also:
            if also.status == 403 or gone.status == 403:
                raise PageMissing(gone.url, f"status {gone.status}") from None
        else:
            if facts.has_issues or gone.status == 403:
                raise PageMissing(gone.url, f"status {gone.status}") from None
    told = _("The forge answered %(status)d to %(url)s.") % {"status": gone.status, "url": gone.url}
    walk_checks.finish(repository, HarvestedRepository.Outcome.GONE, told)
