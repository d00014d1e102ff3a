"""The items of a set with their states: what the rows say, and what people answered."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from standards.checks import CHECKS, NOT_IN_PANEL
from standards.facts import Facts
from standards.models import ItemAnswer
from standards.outcomes import ANSWERED, ASKED, NOT_APPLICABLE, NOT_MET, STATES, Link, Outcome, Said
from standards.sets import Item, Standard
from studies.models import Study


@dataclass(frozen=True)
class ItemLine:
    """An item, its state, and what it rests on. `history`: all answers, oldest first."""

    item: Item
    state: str
    outcome: Outcome
    history: tuple[ItemAnswer, ...] = ()

    @property
    def said(self) -> tuple[Said, ...]:
        return self.outcome.said

    @property
    def links(self) -> tuple[Link, ...]:
        return self.outcome.links

    @property
    def answer(self) -> ItemAnswer | None:
        """The answer that counts; None without one, or once it was taken back."""
        return self.history[-1] if self.history and self.history[-1].text else None

    @property
    def by_platform(self) -> bool:
        """Do rows alone give the state?"""
        return bool(self.item.check) and self.outcome.state != ASKED

    @property
    def number(self) -> int:
        """Of the latest answer, 0 without one."""
        return self.history[-1].number if self.history else 0


def item_lines(standard: Standard, facts: Facts, study: Study) -> list[ItemLine]:
    """All items of a set. One query."""
    answers: dict[str, list[ItemAnswer]] = {}
    given = ItemAnswer.objects.filter(study=study, standard=standard.key).order_by("item", "number")
    for one in given.select_related("given_by__user"):
        answers.setdefault(one.item, []).append(one)
    return [_line(item, facts, answers.get(item.number, ())) for item in standard.items]


def _line(item: Item, facts: Facts, history: Sequence[ItemAnswer]) -> ItemLine:
    outcome = CHECKS[item.check](facts) if item.check else Outcome(ASKED)
    latest = history[-1] if history else None
    state = outcome.state
    if latest is not None and latest.text:
        if latest.does_not_apply and state in {ASKED, NOT_MET}:
            state = NOT_APPLICABLE
        elif state == ASKED:
            state = ANSWERED
    return ItemLine(item, state, outcome, tuple(history))


def counted(lines: Iterable[ItemLine]) -> list[tuple[str, int]]:
    """How many items each state has, in the order of the states, without empty ones."""
    found = Counter(line.state for line in lines)
    return [(state, found[state]) for state in STATES if found[state]]


def not_met_in_panel(standard: Standard, facts: Facts, study: Study) -> list[ItemLine]:
    """The essential and desirable items that are not met, for `facts_of_panel`."""
    return [
        line
        for line in item_lines(standard, facts, study)
        if line.state == NOT_MET and line.item.kind in {"E", "D"} and line.item.check not in NOT_IN_PANEL
    ]
