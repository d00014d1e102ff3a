"""Disagreements as the rows of a table, each with the labels of its issue."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from consensus.queries.disagreements import DisagreementRow
from consensus.queries.probable import Probable
from consensus.views.label_cells import (
    MOST_COLUMNS,
    cells_in_row,
    label_cells,
    split_in_words,
    state_in_words,
)
from rounds.models import RoundVolunteer


@dataclass(frozen=True)
class IssueTable:
    """`address` leads to an issue: its id follows. `may_choose`: each row has a checkbox. `probable`: by
    issue, the most probable category by a model of erring raters.
    """

    items: Sequence[DisagreementRow]
    columns: Sequence[RoundVolunteer]
    colours: Mapping[str, str]
    address: str
    may_choose: bool
    probable: Mapping[int, Probable] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def in_columns(self) -> bool:
        return len(self.columns) <= MOST_COLUMNS

    @property
    def span(self) -> int:
        """The number of columns of the table."""
        return 2 + self.may_choose + (len(self.columns) if self.in_columns else 1)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """`why_not`: why the issue cannot be chosen, "" if it can. `said`: the labels with a summary."""
        for item in self.items:
            cells = label_cells(item, self.columns, self.colours)
            yield {
                "item": item,
                "issue": item.issue,
                "number": str(item.issue),
                "title": item.issue.current.title if item.issue.current else "",
                "why_not": _why_not(item),
                "cells": cells_in_row(cells, in_columns=self.in_columns),
                "said": [cell for cell in cells if cell and cell.chip.summary],
                "split": split_in_words(item.split, item.open_labels),
                "state": state_in_words(item),
                "probable": _probable(self.probable.get(item.issue.pk)),
            }


def _probable(found: Probable | None) -> str:
    """The most probable category and the decision, each with its probability; "" if it is not asked for."""
    if found is None:
        return ""
    said: dict[str, object] = {"code": found.state.code, "share": round(100 * found.probability)}
    if found.of_decision is None:
        return _("%(code)s %(share)s %%") % said
    said["decided"] = round(100 * found.of_decision)
    return _("%(code)s %(share)s %%, decision %(decided)s %%") % said


def _why_not(item: DisagreementRow) -> str:
    if item.state == "decided":
        return _("Decided. Reopen this issue to choose it again.")
    if item.meeting is not None:
        return _("On the agenda of %(meeting)s. Remove this issue from the agenda to choose it again.") % {
            "meeting": item.meeting.name
        }
    return ""
