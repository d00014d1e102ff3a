"""Compares the taxonomy, its votes and the versions of rounds with the model."""

from typing import TYPE_CHECKING

from rounds.models import Round
from taxonomy.models import Category, CategoryState, Change, Motion, Version
from tests.storm.trees import MotionModel
from tests.storm.votes import ballots_of

if TYPE_CHECKING:
    from tests.storm.life import Life


def the_taxonomy_is_as_answered(life: "Life") -> None:
    for motion in life.taxonomy.motions.values():
        if not motion.is_closed:
            _a_vote_is_as_answered(life, motion)
    _versions_hold_what_was_seen(life)
    life.taxonomy.published.clear()
    _drafts_are_as_answered(life)
    _rounds_follow(life)


def _a_vote_is_as_answered(life: "Life", motion: MotionModel) -> None:
    """Each answered ballot counts once, the last one closes the vote, and the outcome follows from the ballots."""
    stored = ballots_of(motion.pk)
    for member, sent in motion.perhaps.items():
        if member in stored:
            ways = {*sent, motion.cast.get(member)}
            assert stored[member] in ways, f"ballot {stored[member]}, sent were {ways}"
            motion.cast[member] = stored[member]
    motion.perhaps.clear()
    assert stored == motion.cast, (
        f"ballots on proposal {motion.number}: {stored}, answered were {motion.cast}"
    )
    row = Motion.objects.get(pk=motion.pk)
    all_voted = stored.keys() == motion.electors
    if row.closed_at is None:
        assert not all_voted, f"all have voted on proposal {motion.number}, and its vote is open"
        return
    assert all_voted or row.closed_at >= motion.deadline, f"the vote on {motion.number} was closed early"
    motion.is_closed = True
    counted = {"for": row.in_favour, "against": row.against, "abstain": row.abstained}
    choices = [choice for choice, _argument in stored.values()]
    assert counted == {one: choices.count(one) for one in counted}, f"proposal {motion.number}: {counted}"
    assert row.outcome == motion.outcome(), (
        f"proposal {motion.number} is {row.outcome}, not {motion.outcome()}"
    )
    if row.change_id is not None:
        assert row.outcome == "accepted", f"proposal {motion.number} was made and is {row.outcome}"
        life.taxonomy.draft[row.change_id] = motion.edit
    elif row.outcome == "accepted":
        assert row.refused, f"proposal {motion.number} was accepted, and nothing became of it"


def _versions_hold_what_was_seen(life: "Life") -> None:
    taxonomy = life.taxonomy
    rows = Version.objects.filter(taxonomy=taxonomy.pk, published_at__isnull=False).order_by("number")
    for version in rows:
        if version.number in taxonomy.trees:
            continue
        assert version.number == taxonomy.newest + 1, (
            f"version {version.number} comes after {taxonomy.newest}"
        )
        assert version.number in taxonomy.published, f"nobody published version {version.number}"
        open_then = Motion.objects.filter(taxonomy=taxonomy.pk, opened_at__lt=version.published_at)
        open_then = open_then.filter(closed_at=None) | open_then.filter(closed_at__gt=version.published_at)
        assert not open_then, f"version {version.number} was published while a vote was open"
        made = set(Change.objects.filter(version=version, undone_at=None).values_list("pk", flat=True))
        seen = taxonomy.published[version.number]
        assert made == seen, f"version {version.number} has the changes {made}, seen were {seen}"
        taxonomy.pks[version.number] = version.pk
        taxonomy.trees[version.number] = tree = taxonomy.tree.with_all(
            taxonomy.draft.pop(pk) for pk in sorted(seen)
        )
        by_key = {key: name for name, key in life.category_keys.items()}
        life.codes = {
            pk: by_key[str(key)]
            for pk, key in Category.objects.filter(taxonomy=taxonomy.pk).values_list("pk", "key")
        }
        _is_the_tree(life, version, tree)


def _is_the_tree(life: "Life", version: Version, tree) -> None:
    states = list(CategoryState.objects.filter(version=version))
    shown = {life.codes[one.category_id]: life.codes.get(one.parent_id or 0) for one in states}
    expected = {name: above for name, above in tree.parents.items() if tree.is_there(name)}
    assert shown == expected, f"version {version.number}: {shown}, not {expected}"
    names = {life.codes[one.category_id]: one.name for one in states}
    for name, text in tree.names.items():
        assert not tree.is_there(name) or names[name] == text, f"{name} is called {names[name]}, not {text}"


def _drafts_are_as_answered(life: "Life") -> None:
    kept = Change.objects.filter(
        version__taxonomy=life.taxonomy.pk, version__published_at=None, undone_at=None
    )
    stored = set(kept.values_list("pk", flat=True))
    assert stored == life.taxonomy.draft.keys(), (
        f"the draft holds {stored}, answered was {life.taxonomy.draft}"
    )


def _rounds_follow(life: "Life") -> None:
    """Rounds that are not closed go on with the newest version; closed ones keep theirs."""
    trees = life.taxonomy.trees
    now = dict(Round.objects.values_list("pk", "version__number"))
    for round_ in life.rounds:
        number = now[round_.pk]
        round_.has_followed = number != round_.version
        if not round_.is_closed:
            assert number == max(trees), f"{round_.name} stays with version {number} of {max(trees)}"
        elif round_.has_followed:
            assert ("close", round_.pk) in life.busy, f"{round_.name} is closed, and goes on with {number}"
        round_.version, round_.version_pk = number, life.taxonomy.pks[number]
        round_.tree = trees[number]
