"""What publishing a draft of a taxonomy would do to the labels and decisions that there are."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from django.utils.functional import Promise
from numpy.typing import NDArray

from agreement import MISSING, Agreement
from annotate.queries.proposed_categories import open_names
from annotate.queries.second_looks import why_kept
from consensus.queries.category_counts import chosen_in, rounds_of
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
    """What becomes of one category (`kind` as in Remap), and how many labels and decisions chose it."""

    entry: Entry
    fate: Fate
    became: list[Entry]
    labels: int
    decisions: int


BothKappas = tuple[str, tuple[Agreement, Agreement]]
"""A level, and the agreement of a round there under the published version and under the draft."""


@dataclass(frozen=True)
class DryRun:
    """What a draft would do. `follow` labels go with their category to what it becomes; `again` need another
    look by who gave them, and `answered` are open and get the category that they wait for. `effects` are of
    the categories that do not stay the same, most labels first. `round_name` is the round whose kappas are
    compared, "" without one. `withheld` issues are held back from the reader, and in none of the numbers.
    `rounds` are those that are not closed, each with the reason why it would keep its version; None where it
    goes on with the new one.
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
    """The effect of a draft on what is revealed, without what is held back from the reader.

    Nothing is changed by it. Labels that were chosen under earlier versions count as what they are now.
    """
    if found.published is None or not found.changes:
        return DryRun()
    chosen = chosen_in(found.published, reader)
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
    """The rounds that are not closed, and whether they would go on with the draft. Two queries at most."""
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
    """The kappas of the newest main round of the published version, before and after."""
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
    labels = tuples(round_, book, blind=blind)
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
        # Where all parts of what was split stand below the same category, its labels are still that.
        found = {above(target) for target in fate.targets}
        return found.pop() if len(found) == 1 and fate.is_whole else MISSING

    return [entry.code for entry in there], np.array([place(by_id[pk]) for pk in ids], dtype=np.int32)
