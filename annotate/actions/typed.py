"""What a member has typed: as it can be stored, and carried by every refusal so that none of it is lost."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from annotate import errors
from annotate.actions.proposals import Proposed, proposed, require_lengths
from annotate.models import Draft, Label, Repeat, Round
from annotate.queries.categories import categories_of
from core.errors import DomainError
from taxonomy.models import Category

SUMMARY_LENGTH = 500
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class Typed:
    """What stands in the form of one issue. With a proposed name `category` is what comes nearest, if
    anything.
    """

    category: int | None
    summary: str
    unsure: bool
    proposed_name: str = ""
    proposed_reason: str = ""

    @classmethod
    def of(cls, draft: Draft) -> "Typed":
        return cls(draft.category_id, draft.summary, draft.unsure, draft.proposed_name, draft.proposed_reason)

    def says_all_of(self, other: "Typed") -> bool:
        """Is no word of the other lost with it, whatever was chosen there?"""
        return (
            other.summary in self.summary
            and other.proposed_name in self.proposed_name
            and other.proposed_reason in self.proposed_reason
        )

    def label(self) -> "Choice":
        """The same as a label. Raises CategoryMissing, ProposalIncomplete, ProposalTooLong."""
        proposal = proposed(self.proposed_name, self.proposed_reason, self.category)
        if proposal is None and self.category is None:
            raise errors.CategoryMissing
        return Choice(None if proposal else self.category, proposal, self.summary.strip(), self.unsure)


@dataclass(frozen=True)
class Choice:
    """What a label says: a category, or the one that is missing."""

    category: int | None
    proposed: Proposed | None
    summary: str
    unsure: bool

    def is_in(self, label: Label | Repeat) -> bool:
        """Does this label say the same already?"""
        same = (self.category, self.summary, self.unsure) == (label.category_id, label.summary, label.unsure)
        if self.proposed is None:
            return same and label.category_id is not None
        return same and self.proposed.is_in(label)


def typed_in(
    category: Category | None, summary: str, proposed_name: str, proposed_reason: str, *, unsure: bool
) -> Typed:
    """What PostgreSQL cannot hold becomes U+FFFD."""
    texts = (UNSTORABLE.sub("\ufffd", text) for text in (summary, proposed_name, proposed_reason))
    summary, proposed_name, proposed_reason = texts
    return Typed(category.pk if category else None, summary, unsure, proposed_name, proposed_reason)


@contextmanager
def keeping(round_: Round, typed: Typed) -> Iterator[None]:
    """Whatever is refused within carries what was typed, so that the page can show it back.

    Raises SummaryTooLong and ProposalTooLong itself.
    """
    try:
        if len(typed.summary) > SUMMARY_LENGTH:
            raise errors.SummaryTooLong
        require_lengths(typed.proposed_name, typed.proposed_reason)
        yield
    except DomainError as refusal:
        refusal.kept = refusal.kept or in_words(round_, typed)
        raise


def in_words(round_: Round, typed: Typed) -> dict[str, str]:
    """By the name of the field; the category by its code."""
    states = categories_of(round_.version_id).by_id
    code = states[typed.category].code if typed.category and states.knows(typed.category) else ""
    kept = {"category": code, "summary": typed.summary}
    proposal = {"proposed_name": typed.proposed_name, "proposed_reason": typed.proposed_reason}
    return kept | {name: text for name, text in proposal.items() if text}


def require_known(round_: Round, category: int | None, version: int | None = None) -> None:
    """Raises UnknownCategory for one that the round's version never had, and CategoryGone for one that was
    split or retired since the `version` that it was chosen in.
    """
    if category is None:
        return
    states = categories_of(round_.version_id).by_id
    if not states.knows(category):
        raise errors.UnknownCategory
    if states.stands_as(category, version) is None:
        raise errors.CategoryGone(states[category], is_split=category in states)


def require_deep_enough(round_: Round, category: int, version: int) -> None:
    """What require_known raises, or TooShallow for one above the round's depth that had others below it in
    the `version` that it was chosen in.
    """
    require_known(round_, category, version)
    book = categories_of(version)
    if category not in book.by_id:
        raise errors.UnknownCategory
    parents = {state.parent_id for state in book.states}
    if book.by_id[category].level < round_.depth and category in parents:
        raise errors.TooShallow
