"""Two harvests of a study beside each other: the issues that their lists found in both, and in one only."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from itertools import zip_longest
from operator import add, itemgetter
from typing import Any, Literal, NamedTuple, Self

from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.fields import BigIntegerField
from django.db.models.functions import Coalesce

from harvests.models import Harvest, HarvestedIssue, HarvestedRepository, Selection
from harvests.queries.reports import own_selection, owner_id
from harvests.queries.selecting import going_on

Side = Literal["both", "before", "now"]
"""Matched by both harvests, by the earlier one only, by the later one only."""
SIDES: tuple[Side, ...] = ("now", "before", "both")


class Pair(NamedTuple):
    """A repository in the earlier and in the later harvest; None where one of the two has it not."""

    before: HarvestedRepository | None
    now: HarvestedRepository | None

    @property
    def shown(self) -> HarvestedRepository:
        return next(one for one in (self.now, self.before) if one)

    @property
    def path(self) -> str:
        return self.shown.moved_to or self.shown.path


@dataclass(frozen=True)
class Numbers:
    """Matched issues: in both harvests, in one only, and how many of these the other one never fetched."""

    both: int = 0
    before_only: int = 0
    before_not_fetched: int = 0
    now_only: int = 0
    now_not_fetched: int = 0

    @property
    def before(self) -> int:
        return self.both + self.before_only

    @property
    def now(self) -> int:
        return self.both + self.now_only

    def __add__(self, other: Self) -> Self:
        sums = {one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)}
        return type(self)(**sums)

    def as_json(self) -> dict[str, int]:
        names = (
            "before", "now", "both", "before_only", "before_not_fetched", "now_only", "now_not_fetched",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Compared:
    """An earlier and a later harvest with their latest selections."""

    before: Harvest
    now: Harvest
    selection_before: Selection
    selection_now: Selection
    pairs: tuple[Pair, ...]

    def numbers(self) -> tuple[Numbers, list[Numbers]]:
        """The numbers of all repositories, and of each pair in order. Two queries."""
        earlier = _grouped(self._matched("before"))
        later = _grouped(self._matched("now"))
        each = [
            _numbers(earlier[owner_id(pair.before)] if pair.before else Counter(),
                     later[owner_id(pair.now)] if pair.now else Counter())
            for pair in self.pairs
        ]  # fmt: skip
        return reduce(add, each, Numbers()), each

    def issues(self, side: Side) -> QuerySet[Any, Any]:
        """The issues of one side, of the later harvest where both have them. `there`: what became of an issue
        in the other harvest, None if it was not fetched there.
        """
        rows = self._matched("before" if side == "before" else "now")
        return rows.filter(is_there_too=side == "both").select_related("repository")

    def _matched(self, side: Literal["before", "now"]) -> QuerySet[Any, Any]:
        """What one harvest matched, with what the other one says of it."""
        partners = [pair if side == "now" else Pair(pair.now, pair.before) for pair in self.pairs]
        known = [(owner_id(mine), owner_id(other)) for other, mine in partners if mine and other]
        cases = [When(repository=mine, then=Value(other)) for mine, other in known]
        partner = Case(*cases, default=None, output_field=BigIntegerField())
        there = HarvestedIssue.objects.filter(repository=OuterRef("partner"), number=OuterRef("number"))
        mine = [owner_id(mine) for _other, mine in partners if mine]
        return HarvestedIssue.objects.filter(repository__in=mine, is_matched=True).annotate(
            partner=partner,
            there=Subquery(there.values("outcome")[:1]),
            is_there_too=Exists(there.filter(is_matched=True)),
        )

    def unfinished(self) -> list[Literal["before", "now"]]:
        """The harvests with a selection, also of a refresh, that began later and goes on: the numbers change
        until then. One query.
        """
        began = going_on().filter(
            Q(harvest=self.before, pk__gt=self.selection_before.pk)
            | Q(harvest=self.now, pk__gt=self.selection_now.pk)
            | Q(harvest__refreshes__in=[self.before, self.now])
        )
        found = set(began.values_list(Coalesce("harvest__refreshes", "harvest"), flat=True))
        return [name for name in ("before", "now") if getattr(self, name).pk in found]

    def lists(self) -> list[dict[str, Any]]:
        """The keyword lists with their version in each harvest, by name; None where it did not select."""
        return [
            {"list": name, "before": before and before["number"], "now": now and now["number"]}
            for name, before, now in _beside(self.selection_before, self.selection_now)
        ]

    def terms(self) -> list[dict[str, Any]]:
        """The terms that found another number of issues, or are in one harvest's lists only."""
        return changed_terms(self.selection_before, self.selection_now)


def harvests_to_compare(harvest: Harvest) -> list[Harvest]:
    """The other harvests of the study whose issues were selected, newest first. A refresh is part of the
    harvest that it refreshes.
    """
    found = Harvest.objects.filter(run__study=harvest.run.study_id, refreshes=None)
    selected = Selection.objects.filter(harvest=OuterRef("pk"), finished_at__isnull=False)
    return list(found.filter(Exists(selected)).exclude(pk=harvest.pk).select_related("run").order_by("-pk"))


def compare(one: Harvest, other: Harvest) -> Compared | None:
    """Two harvests beside each other, the earlier one first; None before both were selected. Four queries."""
    before, now = sorted((one, other), key=lambda harvest: harvest.pk)
    earlier, later = own_selection(before), own_selection(now)
    if earlier is None or later is None:
        return None
    return Compared(before, now, earlier, later, _pairs(_repositories(before), _repositories(now)))


def changed_terms(before: Selection, now: Selection) -> list[dict[str, Any]]:
    """The terms that two selections counted differently, by the size of the change: `list`, `text`, and the
    issues `before` and `now`, None where no list had the term. `version` tells several lists of one name, or
    versions of one list, apart; else it is None.
    """
    rows: list[dict[str, Any]] = []
    lists = _beside(before, now)
    times = Counter(name for name, _one, _other in lists)
    for name, one, other in lists:
        former, later = _issues_by_term(one), _issues_by_term(other)
        rows += (
            {
                "list": name,
                "version": (other or one)["number"] if times[name] > 1 else None,
                "text": text,
                "before": former.get(text),
                "now": later.get(text),
                "change": later.get(text, 0) - former.get(text, 0),
            }
            for text in {**former, **later}
            if former.get(text) != later.get(text)
        )
    rows.sort(key=lambda row: -abs(row["change"]))
    return rows


def _issues_by_term(told: Mapping[str, Any] | None) -> dict[str, int]:
    return {counts[0]: counts[1] for counts in told["terms"]} if told else {}


def _beside(before: Selection, now: Selection) -> list[tuple[str, Any, Any]]:
    """What two selections tell of each keyword list, by its name: of the same version first, then of the
    versions in order. None where one selection has no further version, or no other list of this name.
    """
    former, later = _by_name(before), _by_name(now)
    rows: list[tuple[str, Any, Any]] = []
    for name in sorted({*former, *later}, key=str.casefold):
        left, others = former[name], []
        for told in later[name]:
            same = next((one for one in left if one["number"] == told["number"]), None)
            if same is None:
                others.append(told)
            else:
                left.remove(same)
                rows.append((name, same, told))
        rows += ((name, *pair) for pair in zip_longest(left, others))
    return rows


def _by_name(selection: Selection) -> Mapping[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for told in sorted(selection.terms, key=itemgetter("number")):
        found[told["list"]].append(told)
    return found


def _repositories(harvest: Harvest) -> list[HarvestedRepository]:
    return list(harvest.repositories.order_by("position"))


def _pairs(before: Sequence[HarvestedRepository], now: Sequence[HarvestedRepository]) -> tuple[Pair, ...]:
    """The repositories side by side, in the order of the later harvest: by any name that both know."""
    by_name = {name: one for one in before for name in _names(one)}
    pairs: list[Pair] = []
    taken: set[int] = set()
    for one in now:
        found = next((by_name[name] for name in _names(one) if name in by_name), None)
        if found and found.pk in taken:
            found = None
        taken |= {found.pk} if found else set()
        pairs.append(Pair(found, one))
    return (*pairs, *(Pair(one, None) for one in before if one.pk not in taken))


def _names(repository: HarvestedRepository) -> list[tuple[str, str]]:
    host = repository.host.lower()
    return [(host, path.lower()) for path in (repository.moved_to, repository.path) if path]


def _grouped(rows: QuerySet[Any, Any]) -> Mapping[int, Counter[str]]:
    """The numbers of one side by repository: in both, not fetched in the other, left out in the other."""
    groups = rows.order_by().values("repository", "there", "is_there_too").annotate(issues=Count("pk"))
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for group in groups:
        kind = "both" if group["is_there_too"] else "not_fetched" if group["there"] is None else "fetched"
        found[group["repository"]][kind] += group["issues"]
    return found


def _numbers(before: Counter[str], now: Counter[str]) -> Numbers:
    return Numbers(
        both=now["both"],
        before_only=before["fetched"] + before["not_fetched"],
        before_not_fetched=before["not_fetched"],
        now_only=now["fetched"] + now["not_fetched"],
        now_not_fetched=now["not_fetched"],
    )
