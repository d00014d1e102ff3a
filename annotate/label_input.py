"""One form of the labelling page as an object; forms and serializers make it, the actions take it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from annotate.actions.proposals import ProposedName, proposed
from annotate.errors import CategoryMissing, SummaryTooLong
from annotate.models import Draft, Repeat
from core.errors import DomainError
from rounds import errors
from rounds.actions.proposals import require_lengths
from rounds.models import Label, Round
from rounds.queries.categories import categories_of

SUMMARY_LENGTH = 500
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class LabelInput:
    """What a member chose and typed for one issue, and what the page had shown to the member.

    With a proposed name the label is open: it waits for a missing category, and `category` is the nearest
    category, if any. The same `form_key` stores one label only. `version`, `snapshot` and `guideline` are the
    ids of what the page showed: 0 for nothing, None for the current one. `revision` is that of the draft in
    the form, None for a form without drafts. `seen` is the last change of the label to be changed; None skips
    this check. Characters that PostgreSQL cannot store become U+FFFD.
    """

    category: int | None = None
    summary: str = ""
    unsure: bool = False
    proposed_name: str = ""
    proposed_reason: str = ""
    form_key: UUID | None = None
    version: int | None = None
    snapshot: int | None = None
    guideline: int | None = None
    revision: int | None = None
    seen: datetime | None = None

    def __post_init__(self) -> None:
        for name in ("summary", "proposed_name", "proposed_reason"):
            object.__setattr__(self, name, UNSTORABLE.sub("\ufffd", getattr(self, name)))

    @classmethod
    def of(cls, stored: Draft | Label | None) -> "LabelInput":
        """The content of a draft or a label, as the form shows it."""
        if stored is None:
            return cls()
        if isinstance(stored, Draft):
            proposal = (stored.proposed_name, stored.proposed_reason)
            return cls(stored.category_id, stored.summary, stored.unsure, *proposal)
        if stored.proposal is None:
            return cls(stored.category_id, stored.summary, stored.unsure)
        name, reason = stored.proposal.name, stored.proposed_reason
        return cls(stored.nearest_id, stored.summary, stored.unsure, name, reason)

    @property
    def content(self) -> dict[str, Any]:
        """What the member chose and typed, by the name of the field."""
        names = ("category", "summary", "unsure", "proposed_name", "proposed_reason")
        return {name: getattr(self, name) for name in names}

    def is_in_draft(self, draft: Draft) -> bool:
        return self.content == LabelInput.of(draft).content

    def contains_text_of(self, draft: Draft) -> bool:
        """Does this input repeat every word of the draft, whatever category the draft has?"""
        return (
            draft.summary in self.summary
            and draft.proposed_name in self.proposed_name
            and draft.proposed_reason in self.proposed_reason
        )

    def choice(self) -> "LabelChoice":
        """The label that the member chose. Raises CategoryMissing, ProposalIncomplete, ProposalTooLong."""
        proposal = proposed(self.proposed_name, self.proposed_reason, self.category)
        if proposal is None and self.category is None:
            raise CategoryMissing
        return LabelChoice(None if proposal else self.category, proposal, self.summary.strip(), self.unsure)


@dataclass(frozen=True)
class LabelChoice:
    """The choice of a label: a category, or the proposal of a missing category."""

    category: int | None
    proposed: ProposedName | None
    summary: str
    unsure: bool

    def is_in(self, label: Label | Repeat) -> bool:
        """Does the stored label have the same content already?"""
        same = (self.category, self.summary, self.unsure) == (label.category_id, label.summary, label.unsure)
        if self.proposed is None:
            return same and label.category_id is not None
        return same and self.proposed.is_in(label)


@contextmanager
def keeping(round_: Round, given: LabelInput) -> Iterator[None]:
    """Put the typed text into every refusal that is raised within, so that the page can show the text again.
    Raises SummaryTooLong and ProposalTooLong itself.
    """
    try:
        if len(given.summary) > SUMMARY_LENGTH:
            raise SummaryTooLong
        require_lengths(given.proposed_name, given.proposed_reason)
        yield
    except DomainError as refusal:
        refusal.kept = refusal.kept or in_words(round_, given)
        raise


def in_words(round_: Round, given: LabelInput) -> dict[str, str]:
    """The typed text by the name of the field; the category as its code."""
    states = categories_of(round_.version_id).by_id
    code = states[given.category].code if given.category and states.knows(given.category) else ""
    kept = {"category": code, "summary": given.summary}
    proposal = {"proposed_name": given.proposed_name, "proposed_reason": given.proposed_reason}
    return kept | {name: text for name, text in proposal.items() if text}


def require_known(round_: Round, category: int | None, version: int | None = None) -> None:
    """Check that the category exists in the version of the round; None passes.

    Raises UnknownCategory for a category that the version never had, and CategoryGone for a category that was
    split or retired since the `version` in which the member chose it.
    """
    if category is None:
        return
    states = categories_of(round_.version_id).by_id
    if not states.knows(category):
        raise errors.UnknownCategory
    if states.stands_as(category, version) is None:
        raise errors.CategoryGone(states[category], is_split=category in states)


def require_deep_enough(round_: Round, category: int, version: int) -> None:
    """Check that the category exists and can be a label of the round.

    Raises what `require_known` raises, and TooShallow for a category above the depth of the round that had
    categories below it in the `version` in which the member chose it.
    """
    require_known(round_, category, version)
    book = categories_of(version)
    if category not in book.by_id:
        raise errors.UnknownCategory
    if category not in book.choosable(round_.depth):
        raise errors.TooShallow
