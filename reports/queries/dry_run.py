"""The effect of publishing a draft of a taxonomy on existing labels and decisions."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from django.utils.functional import Promise
from numpy.typing import NDArray

from agreement import MISSING, Agreement
from annotate.queries.proposed_categories import open_names
from annotate.queries.second_looks import why_kept
from consensus.queries.category_counts import chosen_alone, rounds_of
from reports.level_agreement import agreement_of, agreement_within
from reports.queries.label_tuples import tuples
from rounds.models import Round
from rounds.queries.blindness import NOTHING, withheld_issues_in
from rounds.queries.categories import categories_of
from studies.models import Membership
from taxonomy.actions.answers import answers_of
from taxonomy.models import Category, Level
from taxonomy.queries.drafts import Drafted
from taxonomy.tree.draft_trees import Entry, Fate
from taxonomy.tree.drafts import Draft


@dataclass(frozen=True)
class CategoryEffect:
    """The fate of one category (`kind` as in Remap), and the numbers of its labels and decisions."""

    entry: Entry
    fate: Fate
    became: list[Entry]
    labels: int
    decisions: int


BothKappas = tuple[str, tuple[Agreement, Agreement]]
"""A level, and the agreement of a round there under the published version and under the draft."""


@dataclass(frozen=True)
class DryRun:
    """The effect of a draft. `follow` labels follow their category; `again` labels need a second look by the
    author; `answered` open labels get their category. `effects` has the categories that change, most labels
    first. `kappas` compares the kappas of the round `round_name`, "" if there is none. `withheld` issues are
    withheld from the reader and in no other number. `rounds` lists the rounds that are not closed, with the
    reason to keep the old version, or None if they use the new version.
    """

    labels: int = 0
    follow: int = 0
    again: int = 0
    answered: int = 0
    effects: tuple[CategoryEffect, ...] = ()
    rounds: tuple[tuple[Round, Promise | None], ...] = ()
    round_name: str = ""
    kappas: tuple[BothKappas, ...] = ()
    withheld: int = 0


def dry_run(found: Drafted, reader: Membership | None = None) -> DryRun:
    """The effect of a draft on revealed labels, without issues withheld from the reader; it changes nothing.

    Labels from earlier versions count as the categories that they became.
    """
    if found.published is None or not found.changes:
        return DryRun()
    chosen = chosen_alone(found.published, reader)
    draft = found.draft
    keys = {
        str(key): pk for key, pk in Category.objects.filter(taxonomy=found.taxonomy).values_list("key", "pk")
    }
    labels = chosen.labels if chosen else Counter()
    decisions = chosen.decisions if chosen else Counter()
    effects = []
    for entry in found.entries:
        if (fate := draft.fate(entry.key)).kind != "same":
            became, pk = [draft[key] for key in fate.targets], keys[entry.key]
            effects.append(CategoryEffect(entry, fate, became, labels[pk], decisions[pk]))
    again = {"split", "retired"}
    names = answers_of(found.taxonomy, draft)
    waiting = open_names(found.taxonomy, reader) if names else Counter()
    round_, kappas = _kappas(found, keys, reader)
    return DryRun(
        labels=labels.total(),
        follow=sum(each.labels for each in effects if each.fate.kind not in again),
        again=sum(each.labels for each in effects if each.fate.kind in again),
        answered=sum(waiting[name] for name in names),
        effects=tuple(sorted(effects, key=lambda each: -each.labels)),
        rounds=_rounds_then(found),
        round_name=round_.name if round_ else "",
        kappas=kappas,
        withheld=chosen.withheld if chosen else 0,
    )


def _rounds_then(found: Drafted) -> tuple[tuple[Round, Promise | None], ...]:
    """The rounds that are not closed, each with the reason to keep its version. Two queries at most."""
    rounds = Round.objects.filter(version__taxonomy=found.taxonomy, closed_at=None)
    rounds = rounds.select_related("version", "excludes").order_by("pk")
    draft = found.draft
    depth = max((draft.level(entry.key) for entry in draft), default=0)
    then = []
    for one in rounds:
        has_excluded = one.excludes is None or draft.whole(str(one.excludes.key)) is not None
        then.append((one, why_kept(one, depth, has_excluded=has_excluded)))
    return tuple(then)


def _kappas(
    found: Drafted, keys: dict[str, int], reader: Membership | None
) -> tuple[Round | None, tuple[BothKappas, ...]]:
    """The newest main round of the published version, and its kappas under this version and the draft."""
    mains = [
        round_
        for round_ in rounds_of(found.taxonomy.pk)
        if round_.kind == Round.Kind.MAIN and found.published and round_.version_id == found.published.pk
    ]
    if not mains:
        return None, ()
    round_ = mains[-1]
    book = categories_of(round_.version_id)
    blind = withheld_issues_in([round_], [reader]) if reader else NOTHING
    labels = tuples(round_, book, blind=blind, present=True)
    changes = []
    for level in Level:
        if level > round_.depth or not book.at_level(level):
            continue
        codes, places = _places(found.draft, [state.category_id for state in book.states], keys, level)
        after = agreement_within(labels, places, codes, labels.left_out)
        before = agreement_of(labels, book, level)
        changes.append((str(level.label), (before, after)))
    return round_, tuple(changes)


def _places(
    draft: Draft, ids: list[int], keys: dict[str, int], level: Level
) -> tuple[list[str], NDArray[np.int32]]:
    """The codes of a draft at one level, and for each published category the place of its ancestor there."""
    there = [entry for entry in draft if draft.level(entry.key) == level]
    at = {entry.key: place for place, entry in enumerate(there)}
    by_id = {pk: key for key, pk in keys.items()}

    def above(key: str) -> int:
        while key not in at and (parent := draft[key].parent) is not None:
            key = parent
        return at.get(key, MISSING)

    def place(key: str) -> int:
        fate = draft.fate(key)
        # If all parts of a split category are below one category, its labels still count as that category.
        found = {above(target) for target in fate.targets}
        return found.pop() if len(found) == 1 and fate.is_whole else MISSING

    return [entry.code for entry in there], np.array([place(by_id[pk]) for pk in ids], dtype=np.int32)
