"""A harvest as text for the method section of a paper: what was asked, when, and how many remained at each
step. English sentences, made from rows.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from django.db.models import Count, Max, Min
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.text.joining import listed
from harvests.models import Harvest, HarvestedRepository, HarvestPage, Selection
from harvests.queries.harvests import latest_selection
from harvests.queries.reports import Flow, flow_of
from harvests.words import window_in_words
from ingest.keywords import Switches
from ingest.models import KeywordListVersion

FORGES = {"github": "GitHub", "gitee": "Gitee"}

Ended = HarvestedRepository.Outcome


def query_text(harvest: Harvest) -> str:
    """The sentences about a harvest, or about the harvest that a refresh refreshes together with the refresh;
    about its plan only as long as nothing is chosen.
    """
    root = harvest.refreshes or harvest
    repositories = list(root.repositories.order_by("position"))
    selection = latest_selection(root)
    sentences = [_asked(root, repositories), *_fetched(harvest, repositories)]
    if selection is not None:
        flow, _each = flow_of(repositories)
        sentences += [*_numbers(root, flow), *_checked(repositories), *_chosen(selection, flow)]
    sentences += _incomplete(repositories)
    return " ".join(sentences)


def _asked(harvest: Harvest, repositories: Sequence[HarvestedRepository]) -> str:
    by_forge: dict[tuple[str, str], list[str]] = {}
    for one in repositories:
        by_forge.setdefault((one.forge, one.host), []).append(one.moved_to or one.path)
    where = [
        _("%(paths)s on %(forge)s") % {"paths": _listed(paths), "forge": _forge(forge, host)}
        for (forge, host), paths in by_forge.items()
    ]
    told = _("The issues of %(repositories)s, %(window)s, were harvested.")
    if not any(one.started_at for one in repositories):
        told = _("The issues of %(repositories)s, %(window)s, will be harvested.")
    window = window_in_words(harvest.opened_from, harvest.opened_before, harvest.zone)
    return told % {"repositories": _listed(where), "window": window}


def _forge(forge: str, host: str) -> str:
    name = FORGES.get(forge, forge)
    return name if host in {"github.com", "gitee.com"} else f"{name} ({host})"


def _fetched(harvest: Harvest, repositories: Sequence[HarvestedRepository]) -> Iterator[str]:
    for one in dict.fromkeys([harvest.refreshes or harvest, harvest]):
        pages = HarvestPage.objects.filter(repository__harvest=one)
        times = pages.aggregate(first=Min("fetched_at"), last=Max("fetched_at"))
        if not times["first"]:
            continue
        number = pages.count()
        values = {
            "n": _count(number),
            "when": _when(times["first"], times["last"], harvest.zone),
            "what": _("issues and their comments") if harvest.with_comments else _("issues without comments"),
        }
        if one.refreshes_id:
            told = ngettext(
                "A refresh asked for what had changed: %(n)s page, %(when)s.",
                "A refresh asked for what had changed: %(n)s pages, %(when)s.",
                number,
            )
        else:
            told = ngettext(
                "The REST interfaces gave %(what)s in %(n)s page, %(when)s.",
                "The REST interfaces gave %(what)s in %(n)s pages, %(when)s.",
                number,
            )
        yield told % values
    moved = [one for one in repositories if one.moved_to]
    if moved:
        told = _("%(former)s was found under its new name, %(now)s.")
        yield " ".join(told % {"former": one.path, "now": one.moved_to} for one in moved)


def _when(first: datetime, last: datetime, zone: str) -> str:
    days = [formats.date_format(at.astimezone(ZoneInfo(zone)).date(), "DATE_FORMAT") for at in (first, last)]
    if days[0] == days[1]:
        return _("read on %(day)s") % {"day": days[0]}
    return _("read from %(first)s to %(last)s") % {"first": days[0], "last": days[1]}


def _numbers(harvest: Harvest, flow: Flow) -> Iterator[str]:
    told = _("The forges listed %(listed)s records; %(inside)s of them were opened in the window.")
    yield told % {"listed": _count(flow.listed), "inside": _count(flow.in_window)}
    left_out = [
        (flow.pull_requests, _("pull requests (%(n)s)")),
        (flow.vanished, _("what was deleted or moved during the harvest (%(n)s)")),
        (flow.refused, _("what could not be stored (%(n)s)")),
    ]
    words = [text % {"n": _count(number)} for number, text in left_out if number]
    if words:
        yield _("Without %(reasons)s, %(issues)s issues remained.") % {
            "reasons": _listed(words), "issues": _count(flow.issues),
        }  # fmt: skip
    elif harvest.with_pull_requests:
        yield _("Pull requests are among them.")


def _checked(repositories: Sequence[HarvestedRepository]) -> Iterator[str]:
    ends: dict[str, list[str]] = {}
    for one in repositories:
        ends.setdefault(one.outcome, []).append(one.moved_to or one.path)
    complete = ends.pop(Ended.COMPLETE, [])
    unfinished = ends.pop("", [])
    if complete and not ends and not unfinished:
        yield ngettext(
            "The number of issues equals that which the forge counts in the window.",
            "For each repository the number of issues equals that which its forge counts in the window.",
            len(complete),
        )
    elif complete:
        told = _("The numbers of issues equal those which the forges count for %(paths)s.")
        yield told % {"paths": _listed(complete)}
    words = {
        Ended.DIFFERS: _("The number of issues differs from the forge’s count for %(paths)s."),
        Ended.UNCHECKED: _("The forge gave no number for %(paths)s."),
        Ended.GONE: _("The forge did not have %(paths)s."),
    }
    for outcome, text in words.items():
        if outcome in ends:
            yield text % {"paths": _listed(ends[outcome])}
    yield from (one.trouble for one in repositories if one.outcome == Ended.DIFFERS and one.trouble)


def _incomplete(repositories: Sequence[HarvestedRepository]) -> Iterator[str]:
    """That pages are missing. A text that is copied early must not claim to be about all of them."""
    missing = [one.moved_to or one.path for one in repositories if not one.outcome]
    if missing and any(one.started_at for one in repositories):
        told = _("The harvest is not complete: pages of %(paths)s are missing. Their issues are not counted.")
        yield told % {"paths": _listed(missing)}


def _chosen(selection: Selection, flow: Flow) -> Iterator[str]:
    lists = selection.lists.select_related("keyword_list").annotate(size=Count("terms"))
    versions = list(lists.order_by("keyword_list__name", "number"))
    if not versions:
        yield ngettext("All %(n)s issue was kept.", "All %(n)s issues were kept.", flow.kept) % {
            "n": _count(flow.kept)
        }
        return
    lists_in_words = _listed([_list(one, one.size) for one in versions])
    yield _("Issues were selected by %(lists)s.") % {"lists": lists_in_words}
    yield from dict.fromkeys(" ".join(_rules(Switches.from_json(one.switches))) for one in versions)
    told = ngettext(
        "%(matched)s issue had at least one hit.", "%(matched)s issues had at least one hit.", flow.matched
    )
    yield told % {"matched": _count(flow.matched)}
    if flow.path_only:
        told = ngettext(
            "%(n)s issue had hits only where they do not count, and was excluded.",
            "%(n)s issues had hits only where they do not count, and were excluded.",
            flow.path_only,
        )
        yield told % {"n": _count(flow.path_only)}
    if flow.by_hand:
        yield _("The researchers kept %(n)s more individually.") % {"n": _count(flow.by_hand)}
    if flow.kept_earlier:
        yield _("%(n)s more had been kept by an earlier selection.") % {"n": _count(flow.kept_earlier)}
    if flow.kept != flow.matched:
        yield _("In all, %(n)s issues were kept.") % {"n": _count(flow.kept)}


def _list(version: KeywordListVersion, terms: int) -> str:
    told = ngettext(
        "the list “%(name)s”, version %(number)d (%(n)d term%(where)s)",
        "the list “%(name)s”, version %(number)d (%(n)d terms%(where)s)",
        terms,
    )
    where = _(", for %(paths)s") % {"paths": _listed(version.repositories)} if version.repositories else ""
    values = {"name": version.keyword_list.name, "number": version.number, "n": terms, "where": where}
    return told % values


def _rules(switches: Switches) -> Iterator[str]:
    """How terms match, in words."""
    yield _("Terms match whole words in %(zones)s.") % {
        "zones": _listed([_zone(one) for one in switches.zones])
    }
    if switches.folds:
        yield _("Letter case and width do not count (NFKC, case folding).")
    else:
        yield _("Letter case counts (NFKC).")
    if switches.joins:
        yield _("A space, a hyphen and an underscore between parts of a term are the same.")
    if switches.plurals:
        yield _("The last part may have the plural ending s or es.")
    if switches.version_tails:
        yield _("Names of models may have a version behind them.")
    if not switches.unspaced:
        yield _("A Chinese or Japanese letter beside a term makes it part of a longer word.")
    if switches.masks:
        yield _("Hits in %(masks)s do not count.") % {
            "masks": _listed([_mask(one) for one in switches.masks])
        }


def _zone(zone: str) -> str:
    return {"title": _("titles"), "prose": _("prose"), "code": _("code")}[zone]


def _mask(mask: str) -> str:
    return {
        "user_names": _("user names"),
        "urls": _("web addresses"),
        "paths": _("file paths"),
        "hashes": _("commit hashes"),
        "template_headings": _("headings of issue templates"),
    }[mask]


def _listed(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return _("%(parts)s and %(last)s") % {"parts": listed(parts[:-1]), "last": parts[-1]}


def _count(number: int) -> str:
    return f"{number:,}"
