"""What must be true of a taxonomy and of the votes on it, in plain Python."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from tests.factories.taxonomy import CODES as FIRST


@dataclass(frozen=True)
class Edit:
    """One change of a draft. Categories are named by their first codes, new ones by `N1`, `N2`, ….

    `other` is the parent of a new category, and what a merged one is merged into.
    """

    kind: str
    name: str
    other: str = ""
    text: str = ""


@dataclass(frozen=True)
class Tree:
    """A version: who is below whom, and what merged categories became."""

    parents: Mapping[str, str | None] = field(
        default_factory=lambda: {code: code.rpartition(".")[0] or None for code in FIRST}
    )
    became: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def meaning(self, name: str) -> str:
        """What a label with this category says now."""
        now = name
        while now in self.became:
            now = self.became[now]
        return now

    def level(self, name: str) -> int:
        above = self.parents[name]
        return 1 if above is None else 1 + self.level(above)

    def theme(self, name: str | None) -> str | None:
        now = None if name is None else self.meaning(name)
        while now is not None and self.level(now) > 2:
            now = self.parents[now]
        return now

    def is_there(self, name: str) -> bool:
        return name in self.parents and name not in self.became

    def below(self, name: str) -> list[str]:
        return [one for one, above in self.parents.items() if above == name and self.is_there(one)]

    def after(self, edit: Edit) -> "Tree":
        if edit.kind == "add":
            return replace(
                self,
                parents={**self.parents, edit.name: edit.other},
                names={**self.names, edit.name: edit.text},
            )
        if edit.kind == "describe":
            return replace(self, names={**self.names, edit.name: edit.text})
        moved = dict.fromkeys(self.below(edit.name), edit.other)
        became = {**self.became, edit.name: edit.other}
        return replace(self, parents={**self.parents, **moved}, became=became)

    def with_all(self, edits: Iterable[Edit]) -> "Tree":
        tree = self
        for edit in edits:
            tree = tree.after(edit)
        return tree


@dataclass
class MotionModel:
    """A vote as those who got an answer know it."""

    pk: int
    number: int
    edit: Edit
    electors: frozenset[int]
    quorum: int
    by_majority: bool
    deadline: datetime
    cast: dict[int, tuple[str, str]] = field(default_factory=dict)
    """Member to choice and argument, as answered."""
    perhaps: dict[int, set[tuple[str, str]]] = field(default_factory=dict)
    is_closed: bool = False
    withdrawn_in_this_step: bool = False

    def outcome(self) -> str:
        votes = Counter(choice for choice, _argument in self.cast.values())
        if sum(votes.values()) < self.quorum:
            return "no quorum"
        if self.edit.kind == "add":
            accepted = votes["for"] == len(self.electors)
        elif self.by_majority:
            accepted = 2 * votes["for"] > sum(votes.values())
        else:
            accepted = not votes["against"] and votes["for"] > votes["abstain"]
        return "accepted" if accepted else "declined"


@dataclass
class TaxonomyModel:
    pk: int
    by_majority: bool
    trees: dict[int, Tree] = field(default_factory=lambda: {1: Tree()})
    """The tree of each version, by its number."""
    pks: dict[int, int] = field(default_factory=dict)
    """Version number to id."""
    draft: dict[int, Edit] = field(default_factory=dict)
    """Changes of the draft by their ids."""
    motions: dict[int, MotionModel] = field(default_factory=dict)
    published: dict[int, set[int]] = field(default_factory=dict)
    """Of a version whose publication was asked for in this step: the changes that the lead saw."""
    added: int = 0

    @property
    def newest(self) -> int:
        return max(self.trees)

    def shown_in(self, pk: int | None) -> Tree:
        """The tree of the version with this id."""
        return next((self.trees[number] for number, known in self.pks.items() if known == pk), self.tree)

    @property
    def tree(self) -> Tree:
        return self.trees[self.newest]

    def drafted(self) -> Tree:
        return self.tree.with_all(self.draft[pk] for pk in sorted(self.draft))
