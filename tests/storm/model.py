"""What must be true of a round, in plain Python: no SQL, no lock, nothing of the application's own code."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from itertools import combinations

from tests.storm.trees import Tree

Place = tuple[int, int]
"""An issue and a member."""


@dataclass(frozen=True)
class Said:
    """What a label says: the first code of its category, and a word that occurs nowhere else."""

    code: str
    word: str


@dataclass
class RoundModel:
    """A round as those who got an answer know it."""

    pk: int
    name: str
    is_crossed: bool
    waits_for_close: bool
    majority: int | None
    lease_minutes: int
    wanted: dict[int, int]
    """Issue to the number of its slots."""
    seats: dict[int, bool]
    """Member to whether they still label in the round."""
    quota: dict[int, int] = field(default_factory=dict)
    is_closed: bool = False
    labels: dict[Place, Said] = field(default_factory=dict)
    """Labels whose storing was answered."""
    perhaps: dict[Place, set[Said]] = field(default_factory=dict)
    """Labels that may be stored: whoever sent them got no answer."""
    surplus: set[Place] = field(default_factory=set)
    known: set[Place] = field(default_factory=set)
    """The labels that were stored after the step before."""
    must_count: set[Place] = field(default_factory=set)
    """Labels of this step that came within their lease."""
    decided: dict[int, set[str]] = field(default_factory=dict)
    """Issue to the codes that leads decided: several, if an answer was lost or two decided at once."""
    ruled: dict[int, str | None] = field(default_factory=dict)
    """What the rule of the round made of an issue when it was revealed: later changes of the rule change nothing."""
    majorities: set[int | None] = field(default_factory=set)
    """The majorities that were asked for during this step."""
    raising: int | None = None
    """The number of labels for each issue that a lead asked for in this step."""
    seats_asked: dict[int, bool] = field(default_factory=dict)
    was_revealed: set[int] = field(default_factory=set)
    held: dict[Place, datetime] = field(default_factory=dict)
    """Claimed slots, and until when nobody else may get them."""
    version: int = 1
    version_pk: int = 0
    tree: Tree = field(default_factory=Tree)
    """The version of the taxonomy that the round goes by."""
    has_followed: bool = False
    """Did it move to another version in this step?"""

    def themes(self, issue: int) -> list[str | None]:
        """What the labels that count say in the version of the round."""
        return [self.tree.theme(said.code) for said in self.counted(issue).values()]

    def counted(self, issue: int) -> dict[int, Said]:
        return {
            member: said
            for (of, member), said in self.labels.items()
            if of == issue and (of, member) not in self.surplus
        }

    def is_complete(self, issue: int) -> bool:
        return len(self.counted(issue)) >= self.wanted[issue]

    def is_revealed(self, issue: int) -> bool:
        return self.is_closed or (not self.waits_for_close and self.is_complete(issue))

    def by_rule(self, issue: int, majority: int | None) -> str | None:
        """The theme that the rule of the round decides, None for a disagreement or an issue that is not complete."""
        if not self.is_complete(issue) or not self.is_revealed(issue):
            return None
        themes = Counter(self.themes(issue))
        (first, most), *others = themes.most_common()
        if not others:
            return first
        if majority and most >= majority and most > others[0][1]:
            return first
        return None

    def can_fall_to(self, issue: int, member: int) -> bool:
        """Can this member still come to label the issue?"""
        if self.is_closed or not self.seats.get(member) or (issue, member) in self.labels:
            return False
        return self.is_crossed or not self.is_complete(issue)

    def percent_agreement(self) -> Fraction | None:
        shares = []
        for issue in self.wanted:
            themes = self.themes(issue)
            if self.is_complete(issue) and self.is_revealed(issue) and len(themes) > 1:
                pairs = list(combinations(themes, 2))
                shares.append(Fraction(sum(first == second for first, second in pairs), len(pairs)))
        return sum(shares, Fraction(0)) / len(shares) if shares else None
