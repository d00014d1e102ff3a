"""The end of a walk: the comparison with the forge's own count, and the search for what is missing.

If the numbers differ, gaps between the numbers of issues are asked for, as long as that takes fewer requests
than to list all a second time; then all is listed a second time, and what that does not list is asked for
one by one. Comments are compared with the number that each issue's record names.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import parse_qsl, urlsplit

from django.db import connection, transaction
from django.db.models import Count, Min, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core import clock
from harvests.actions.pages import (
    Outcome,
    Phase,
    Place,
    advance,
    journal,
    owner_of,
    path_of,
    place_of,
    store_issues,
    store_page,
    window_of,
)
from harvests.models import HarvestedIssue, HarvestedRepository, HarvestPage
from ingest.addresses import Address, Kind
from ingest.forges.graphql import AT_ONCE
from ingest.forges.pages import Client, Moved, Page, PageMissing, RepositoryGone, Resolved
from ingest.forges.pages import Count as ForgeCount

FEWEST_SHORT = 20
"""So many issues with missing comments are always asked for one by one; more only up to the pages that
their list had: some forges count what they do not list.
"""

_MOST_GAPS = 50_000

_NUMBER = re.compile(r"/(?:issues|pulls)/!?([^/?#]+)(?:/comments)?(?:[?#]|$)")


def numbers(count: ForgeCount) -> dict[str, int | bool | None]:
    return {"issues": count.issues, "pull_requests": count.pulls, "complete": count.complete}


def finish(repository: HarvestedRepository, outcome: str, trouble: str) -> None:
    """End the walk over a repository."""
    at, now = place_of(repository), clock.now()
    ended = {"outcome": outcome, "trouble": trouble, "finished_at": now}
    advance(repository, at=at, then=Place(Phase.DONE), **ended)


# --- the forge's count


def compare(repository: HarvestedRepository, client: Client) -> None:
    """Compare what is stored with the forge's count; if they differ, look for the difference or report it."""
    ends = HarvestedRepository.Outcome
    if repository.counted is None and not _has_pages(repository, Phase.GAPS):
        between = gaps_of(repository, client)
        if between and _is_cheap(repository, client, between):
            advance(repository, at=place_of(repository), then=Place(Phase.GAPS))
            return
    try:
        count = client.count(path_of(repository), window_of(repository))
    except PageMissing as missing:
        told = _("The forge did not give the number of issues: %(url)s, %(cause)s.")
        finish(repository, ends.UNCHECKED, told % {"url": missing.url, "cause": missing.cause})
        return
    former = repository.counted or {}
    kept = {name: former[name] for name in ("asked_for_gaps",) if name in former}
    repository.counted = numbers(count) | _shortness(repository) | kept
    repository.save(update_fields=["counted"])
    told = " ".join(_differences(repository, count))
    if told and not count.complete:
        finish(repository, ends.UNCHECKED, _("The forge reports that its own count is incomplete."))
    elif told and _look_again(repository, client, count):
        return
    else:
        if told and _has_pages(repository, Phase.AGAIN):
            _set_vanished(repository, client)
            told = " ".join(_differences(repository, count))
        finish(repository, ends.DIFFERS if told else ends.COMPLETE, told)


def _stored(repository: HarvestedRepository) -> QuerySet[HarvestedIssue]:
    """What is stored of the window, and is still on the forge."""
    window = window_of(repository)
    return HarvestedIssue.objects.filter(
        repository=owner_of(repository),
        opened_at__gte=window.start,
        opened_at__lt=window.end,
        vanished_at=None,
    )


def _differences(repository: HarvestedRepository, count: ForgeCount) -> Iterator[str]:
    """In words, how the stored numbers differ from the forge's."""
    found = _stored(repository).aggregate(
        issues=Count("pk", filter=Q(is_pull_request=False)), pulls=Count("pk", filter=Q(is_pull_request=True))
    )
    if found["issues"] != count.issues:
        told = _("The forge counts %(theirs)d issues in the window; %(ours)d are here.")
        yield told % {"theirs": count.issues, "ours": found["issues"]}
    lists_pulls = found["pulls"] or repository.harvest.with_pull_requests
    if count.pulls is not None and lists_pulls and found["pulls"] != count.pulls:
        told = _("The forge counts %(theirs)d pull requests in the window; %(ours)d are here.")
        yield told % {"theirs": count.pulls, "ours": found["pulls"]}


def _look_again(repository: HarvestedRepository, client: Client, count: ForgeCount) -> bool:
    """Begin the next search for a difference. False if there is none left."""
    at = place_of(repository)
    if _has_pages(repository, Phase.AGAIN):
        return False
    known = repository.counted or {}
    if not known.get("asked_for_gaps") and _stored(repository).count() < count.issues + (count.pulls or 0):
        gaps = gaps_of(repository, client)
        if gaps and _is_cheap(repository, client, gaps):
            return advance(
                repository, at=at, then=Place(Phase.GAPS), counted=known | {"asked_for_gaps": len(gaps)}
            )
    return advance(repository, at=at, then=Place(Phase.AGAIN))


def _is_cheap(repository: HarvestedRepository, client: Client, gaps: Sequence[int]) -> bool:
    """Does it take at most as many requests to ask for the gaps as to list all once more?"""
    requests = -(-len(gaps) // AT_ONCE) if client.has_tokens else len(gaps)
    return requests <= HarvestPage.objects.filter(repository=repository, phase=Phase.LISTING).count()


def _has_pages(repository: HarvestedRepository, phase: str) -> bool:
    return HarvestPage.objects.filter(repository=repository, phase=phase).exists()


# --- gaps between numbers


def gaps_of(repository: HarvestedRepository, client: Client) -> list[int]:
    """Numbers that are not stored, between the first and the last one of the window; those of discussions are
    among them. Only GitHub numbers in sequence.

    Before the counts were compared: only those where one page ends and another begins, and only if pages had
    numbers. A cursor loses nothing between two pages.
    """
    if client.forge.name != "github":
        return []
    between = repository.counted is None
    if between and not _is_by_number(repository):
        return []
    window = window_of(repository)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            WITH known AS (
                SELECT number::bigint AS number, page_id, opened_at >= %s AND opened_at < %s AS inside
                FROM harvests_harvestedissue WHERE repository_id = %s
            ), ends AS (
                SELECT min(number) FILTER (WHERE inside) AS first, max(number) FILTER (WHERE inside) AS last
                FROM known
            ), steps AS (
                SELECT number, page_id, lead(number) OVER numbered AS following,
                       lead(page_id) OVER numbered AS following_page
                FROM known WINDOW numbered AS (ORDER BY number)
            )
            SELECT number, following FROM steps, ends
            WHERE following > number + 1 AND following > first AND number <= last
                  AND (NOT %s OR page_id <> following_page)
            ORDER BY number
            """,
            [window.start, window.end, owner_of(repository), between],
        )
        found: list[int] = []
        for number, following in cursor.fetchall():
            found.extend(range(number + 1, min(following, number + _MOST_GAPS)))
            if len(found) >= _MOST_GAPS:
                break
    return found


def _is_by_number(repository: HarvestedRepository) -> bool:
    """Was a page of the list asked for by its number, and not by a cursor?"""
    pages = HarvestPage.objects.filter(repository=repository, phase=Phase.LISTING)
    urls = (dict(parse_qsl(urlsplit(url).query)) for url in pages.values_list("url", flat=True))
    return any("page" in query and not {"after", "before", "cursor"} & query.keys() for query in urls)


def ask_for_gaps(repository: HarvestedRepository, client: Client, *, then: Place) -> Page | None:
    """Ask what the next missing numbers are, and store those that are of this repository."""
    at = place_of(repository)
    asked = _NUMBER.search(at.next_url)
    after = int(asked[1]) if asked else 0
    gaps = [number for number in gaps_of(repository, client) if number > after]
    some = [_address(repository, client, str(number)) for number in gaps[:AT_ONCE]]
    if not some:
        advance(repository, at=at, then=then)
        return None
    found = [one for one in client.resolve(some).values() if one.record and one.outcome != "transferred"]
    last = client.forge.issue_url(some[-1])
    page = _page(client.forge.issue_url(some[0]), found, last if len(gaps) > AT_ONCE else "")
    is_stored = store_page(
        repository, client.forge, page, at=at, then=Place(Phase.GAPS, last) if page.next else then
    )
    return page if is_stored else None


def _page(url: str, found: Sequence[Resolved], following: str = "") -> Page:
    records = [one.record for one in found if one.record is not None]
    return Page("issues", url, 200, "", "", records, following, None, b"")


def _address(repository: HarvestedRepository, client: Client, number: str) -> Address:
    kind: Kind = "pull_request" if number.startswith("!") else "issue"
    return Address(client.forge.name, client.forge.host, path_of(repository), number, kind)


# --- what the second listing did not list


def _set_vanished(repository: HarvestedRepository, client: Client) -> None:
    """Ask what became of what the second listing did not list: deleted, moved elsewhere, or there."""
    pages = HarvestPage.objects.filter(repository=repository)
    first = pages.filter(phase=Phase.AGAIN).aggregate(first=Min("pk"))["first"]
    missed = _stored(repository).exclude(page__gte=first, page__repository=repository).order_by("pk")
    listed = missed if client.forge.pulls_url("o/r") == "" else missed.filter(is_pull_request=False)
    after = 0
    while rows := list(listed.filter(pk__gt=after).values_list("pk", "number")[:AT_ONCE]):
        after = rows[-1][0]
        found = client.resolve([_address(repository, client, number) for _pk, number in rows])
        _store_fates(repository, client, {address.number: one for address, one in found.items()})


@transaction.atomic
def _store_fates(repository: HarvestedRepository, client: Client, fates: Mapping[str, Resolved]) -> None:
    HarvestedRepository.objects.select_for_update(no_key=True).get(pk=repository.pk)
    there = [one for one in fates.values() if one.record and one.outcome != "transferred"]
    url = client.forge.issue_url(next(iter(fates.values())).address)
    page = journal(repository, _page(url, there), Phase.CHECKING)
    store_issues(repository, client.forge, [one.record for one in there if one.record], page)
    gone = [number for number, one in fates.items() if one not in there]
    rows = HarvestedIssue.objects.filter(repository=owner_of(repository), number__in=gone)
    rows.update(vanished_at=clock.now())
    rows.filter(issue=None).update(outcome=Outcome.VANISHED)


# --- comments


def _short_of_comments(repository: HarvestedRepository, most: int) -> list[str]:
    """Numbers of issues that this walk listed, and that have fewer comments here than their record says."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT issue.number
            FROM harvests_harvestedissue issue
            JOIN harvests_harvestpage page ON page.id = issue.page_id AND page.repository_id = %s
            WHERE issue.repository_id = %s AND issue.outcome <> 'outside' AND issue.vanished_at IS NULL
                  AND issue.number NOT LIKE '!%%' AND (%s OR NOT issue.is_pull_request)
                  AND issue.comment_count > (
                      SELECT count(*) FROM harvests_harvestedcomment comment
                      WHERE comment.repository_id = issue.repository_id AND comment.number = issue.number
                  )
            ORDER BY issue.id
            LIMIT %s
            """,
            [repository.pk, owner_of(repository), repository.harvest.with_pull_requests, most],
        )
        return [number for (number,) in cursor.fetchall()]


def _shortness(repository: HarvestedRepository) -> dict[str, int]:
    """How many issues have fewer comments than their record says; empty if all have theirs."""
    short = len(_short_of_comments(repository, 1_000_000)) if repository.harvest.with_comments else 0
    return {"short_of_comments": short} if short else {}


def fetch_missed_comments(repository: HarvestedRepository, client: Client, *, then: Place) -> Page | None:
    """Fetch the next page of comments of an issue that has fewer of them here than its record says."""
    at = place_of(repository)
    url = at.next_url or _next_short(repository, client)
    if not url:
        advance(repository, at=at, then=then)
        return None
    try:
        page = client.page("comments", url) or Page("comments", url, 304, "", "", (), "", None, b"")
    except RepositoryGone as gone:
        page = Page("comments", url, gone.status, "", "", (), "", None, b"")
    except Moved:
        # The repository was renamed, or this issue is in another one now.
        path = client.repository(path_of(repository)).path
        if path.lower() != path_of(repository).lower():
            advance(repository, at=at, then=Place(at.phase), moved_to=path)
            return None
        page = Page("comments", url, 301, "", "", (), "", None, b"")
    is_stored = store_page(repository, client.forge, page, at=at, then=Place(at.phase, page.next))
    return page if is_stored else None


def _next_short(repository: HarvestedRepository, client: Client) -> str:
    """The comments of the next issue that misses some, and was not asked for; "" if there is none."""
    pages = HarvestPage.objects.filter(repository=repository)
    most = max(FEWEST_SHORT, pages.filter(phase=Phase.COMMENTS).count())
    short = _short_of_comments(repository, most + 1)
    asked = set(pages.filter(phase=Phase.MISSED_COMMENTS).values_list("url", flat=True))
    if len(short) > most or len(asked) > 2 * most:
        return ""
    urls = (client.forge.comments_of_url(path_of(repository), number) for number in short)
    return next((url for url in urls if url not in asked), "")


def told_of_comments(counted: Mapping[str, object] | None) -> str:
    """In words, that comments are missing which the forge counts; "" if none are."""
    short = (counted or {}).get("short_of_comments")
    if not isinstance(short, int) or not short:
        return ""
    told = ngettext(
        "%(n)d issue has fewer comments here than its forge counts.",
        "%(n)d issues have fewer comments here than their forge counts.",
        short,
    )
    return told % {"n": short}
