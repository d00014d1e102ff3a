"""The walk over one repository of a harvest: every page of its issues and comments, then a comparison with
the forge's own count. It can be interrupted anywhere and goes on at the next page.

Issues are listed in the order in which they were opened, by the forge's own links. What changed during the
walk is listed once more at its end. If the numbers differ then, all is listed a second time: an issue that
was deleted on the forge moves the ones behind it by a place, and one of them can fall between two pages.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import Count, Max, Min, Q
from django.utils.translation import gettext as _

from core import clock
from ingest.actions.harvest_pages import Phase, Place, advance, store_page
from ingest.forges.pages import Client, Kind, Moved, Page, PageMissing, RepositoryGone, Window
from ingest.forges.pages import Count as ForgeCount
from ingest.models import HarvestedIssue, HarvestedRepository, HarvestPage

OVERLAP = timedelta(hours=1)
"""By how much the pass at the end begins before the walk: the clocks of two machines differ."""

EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)

Report = Callable[[], None]
"""Called after each page; it may raise to end the run between two pages."""

_KINDS: dict[str, Kind] = {
    Phase.LISTING: "issues",
    Phase.PULLS: "pulls",
    Phase.CLOSING: "issues",
    Phase.AGAIN: "issues",
    Phase.COMMENTS: "comments",
    Phase.LATE_COMMENTS: "comments",
}


def walk(repository: HarvestedRepository, client: Client, report: Report) -> None:
    """Go on until the repository is fetched. Raises Paused, PageMissing and TokenRefused of its forge, and
    every error of `report`; a repository that the forge does not have ends with the outcome `gone`.
    """
    if repository.started_at is None:
        repository.started_at = clock.now()
        repository.save(update_fields=["started_at"])
    while repository.phase != Phase.DONE:
        try:
            _step(repository, client)
        except Moved as moved:
            _follow(repository, client, moved)
        except RepositoryGone as gone:
            _finish(
                repository,
                HarvestedRepository.Outcome.GONE,
                _("The forge answered %(status)d to %(url)s.") % {"status": gone.status, "url": gone.url},
            )
        report()


def _step(repository: HarvestedRepository, client: Client) -> None:
    if repository.phase == Phase.COUNTING:
        _count(repository, client)
    elif repository.phase == Phase.CHECKING:
        _check(repository, client)
    else:
        _fetch(repository, client)


def window_of(repository: HarvestedRepository) -> Window:
    """The harvest's window; without an end, it ends where the walk began."""
    harvest = repository.harvest
    end = harvest.opened_before or repository.started_at or clock.now()
    return Window(harvest.opened_from or EARLIEST, end)


def phases_of(repository: HarvestedRepository, client: Client) -> list[str]:
    """The passes of the walk over this repository, in order."""
    harvest = repository.harvest
    return [
        *([] if repository.origin_id else [Phase.COUNTING]),
        Phase.LISTING,
        *([Phase.PULLS] if harvest.with_pull_requests and client.forge.pulls_url("o/r") else []),
        *([Phase.COMMENTS] if harvest.with_comments else []),
        *([] if repository.origin_id else [Phase.CLOSING]),
        *([Phase.LATE_COMMENTS] if harvest.with_comments and not repository.origin_id else []),
        Phase.CHECKING,
        Phase.DONE,
    ]


def _after(repository: HarvestedRepository, client: Client) -> Place:
    """The beginning of the pass after the present one."""
    if repository.phase == Phase.AGAIN:
        return Place(Phase.CHECKING)
    phases = phases_of(repository, client)
    return Place(phases[phases.index(repository.phase) + 1])


def _count(repository: HarvestedRepository, client: Client) -> None:
    try:
        repository.expected = _numbers(client.count(_path(repository), window_of(repository)))
    except PageMissing:
        repository.expected = None  # an estimate less; the count at the end tells
    with transaction.atomic():
        if advance(repository, at=Place(Phase.COUNTING), then=_after(repository, client)):
            repository.save(update_fields=["expected"])


def _numbers(count: ForgeCount) -> dict[str, int | bool | None]:
    return {"issues": count.issues, "pull_requests": count.pulls, "complete": count.complete}


def _fetch(repository: HarvestedRepository, client: Client) -> None:
    """Fetch and store the next page of the present pass."""
    at = Place(repository.phase, repository.next_url)
    kind = _KINDS[repository.phase]
    url = repository.next_url or _first_url(repository, client)
    known = _etag(repository, url)
    page = client.page(kind, url, known or None)
    if page is None:
        page = Page(kind, url, 304, known, "", (), "", None, b"")
    is_last = not page.next or _is_beyond(repository, client, page)
    then = _after(repository, client) if is_last else Place(repository.phase, page.next)
    if not store_page(repository, client.forge, page, at=at, then=then):
        repository.refresh_from_db()


def _first_url(repository: HarvestedRepository, client: Client) -> str:
    forge, path = client.forge, _path(repository)
    start = repository.since or repository.harvest.opened_from
    began = repository.started_at or clock.now()
    if repository.phase == Phase.CLOSING:
        return forge.issues_url(path, since=began - OVERLAP)
    if repository.phase == Phase.LATE_COMMENTS:
        return forge.comments_url(path, since=began - OVERLAP)
    if repository.phase == Phase.COMMENTS:
        return forge.comments_url(path, since=start)
    if repository.phase == Phase.PULLS:
        return forge.pulls_url(path, since=start)
    return forge.issues_url(path, since=start)


def _etag(repository: HarvestedRepository, url: str) -> str:
    """The ETag that an earlier harvest had from this address, if that was the last page of its pass."""
    if not repository.origin_id:
        return ""
    asked = HarvestPage.objects.filter(
        Q(repository=repository.origin_id) | Q(repository__origin=repository.origin_id), url=url, next_url=""
    ).exclude(repository=repository)
    return asked.order_by("-pk").values_list("etag", flat=True).first() or ""


def _is_beyond(repository: HarvestedRepository, client: Client, page: Page) -> bool:
    """Does the page end behind the window? Lists are in the order in which issues were opened."""
    end = repository.harvest.opened_before
    if end is None or not page.records or page.kind == "comments" or repository.origin_id:
        return False
    return client.forge.created_at(page.records[-1]) >= end


def _path(repository: HarvestedRepository) -> str:
    return repository.moved_to or repository.path


def _follow(repository: HarvestedRepository, client: Client, moved: Moved) -> None:
    """Begin the present pass anew under the path to which the repository was renamed."""
    path = moved.to_path or client.repository(_path(repository)).path
    if path.lower() == _path(repository).lower():
        raise PageMissing(moved.to_url, "moved to where it was")
    with transaction.atomic():
        if advance(repository, at=Place(repository.phase, repository.next_url), then=Place(repository.phase)):
            repository.moved_to = path
            repository.save(update_fields=["moved_to"])


# --- the count at the end


def _check(repository: HarvestedRepository, client: Client) -> None:
    """Compare what is stored with the forge's count; if they differ, list all once more and compare again."""
    outcome = HarvestedRepository.Outcome
    try:
        count = client.count(_path(repository), window_of(repository))
    except PageMissing as missing:
        told = _("The forge did not say how many there are: %(url)s, %(cause)s.")
        _finish(repository, outcome.UNCHECKED, told % {"url": missing.url, "cause": missing.cause})
        return
    repository.counted = _numbers(count)
    repository.save(update_fields=["counted"])
    difference = list(_differences(repository, count))
    listed_again = HarvestPage.objects.filter(repository=repository, phase=Phase.AGAIN)
    first_again = listed_again.aggregate(first=Min("pk"))["first"]
    if difference and not count.complete:
        _finish(repository, outcome.UNCHECKED, _("The forge says that its own count is not complete."))
    elif difference and first_again is None:
        advance(repository, at=Place(Phase.CHECKING), then=Place(Phase.AGAIN))
    elif difference:
        _set_vanished(repository, first_again)
        left = list(_differences(repository, count))
        if left:
            _finish(repository, outcome.DIFFERS, " ".join(left))
        else:
            _finish(repository, outcome.COMPLETE, "")
    else:
        _finish(repository, outcome.COMPLETE, "")


def _differences(repository: HarvestedRepository, count: ForgeCount) -> Iterator[str]:
    """In words, how the stored numbers differ from the forge's."""
    window = window_of(repository)
    stored = HarvestedIssue.objects.filter(
        repository=repository.origin_id or repository.pk,
        opened_at__gte=window.start,
        opened_at__lt=window.end,
    ).exclude(outcome=HarvestedIssue.Outcome.VANISHED)
    numbers = stored.aggregate(
        issues=Count("pk", filter=Q(is_pull_request=False)), pulls=Count("pk", filter=Q(is_pull_request=True))
    )
    if numbers["issues"] != count.issues:
        told = _("The forge counts %(theirs)d issues in the window; %(ours)d are here.")
        yield told % {"theirs": count.issues, "ours": numbers["issues"]}
    lists_pulls = numbers["pulls"] or repository.harvest.with_pull_requests
    if count.pulls is not None and lists_pulls and numbers["pulls"] != count.pulls:
        told = _("The forge counts %(theirs)d pull requests in the window; %(ours)d are here.")
        yield told % {"theirs": count.pulls, "ours": numbers["pulls"]}


def _set_vanished(repository: HarvestedRepository, first_again: int) -> None:
    """Mark what the second listing did not list any more: deleted on the forge, or moved elsewhere."""
    newest = HarvestPage.objects.filter(repository=repository).aggregate(newest=Max("pk"))["newest"]
    window = window_of(repository)
    gone = HarvestedIssue.objects.filter(
        repository=repository.origin_id or repository.pk,
        opened_at__gte=window.start,
        opened_at__lt=window.end,
    ).exclude(page__gte=first_again, page__lte=newest)
    gone.update(outcome=HarvestedIssue.Outcome.VANISHED)


def _finish(repository: HarvestedRepository, outcome: str, trouble: str) -> None:
    at = Place(repository.phase, repository.next_url)
    with transaction.atomic():
        HarvestedRepository.objects.filter(pk=repository.pk, phase=at.phase, next_url=at.next_url).update(
            phase=Phase.DONE, next_url="", outcome=outcome, trouble=trouble, finished_at=clock.now()
        )
    repository.refresh_from_db()
