"""Groups of alike disagreements and the issues of the open group, as the page lists them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from consensus.models import Meeting
from consensus.queries.alike import AlikeGroup
from consensus.queries.disagreements import DisagreementRow
from consensus.views.label_cells import (
    MOST_COLUMNS,
    cells_in_row,
    label_cells,
    split_in_words,
    state_in_words,
)
from ingest.models import Issue
from rounds.models import RoundVolunteer
from rounds.queries.categories import ShownCodebook


def group_line(
    group: AlikeGroup,
    centre: Issue,
    columns: Sequence[RoundVolunteer],
    colours: Mapping[str, str],
    book: ShownCodebook,
) -> dict[str, Any]:
    """One group as a template draws it: `centre` is the issue that the others are like.

    `apart` names the volunteers who label otherwise than most. `decided`: how often issues of this kind were
    decided as which code, with its hue.
    """
    apart = [one.member.pseudonym for one in columns if one.member_id in group.apart]
    stands_apart = ngettext("%(who)s stands apart", "%(who)s stand apart", len(apart))
    decided = [(issues, book.states[id_].code) for id_, issues in group.decided]
    return {
        "group": group,
        "centre": centre,
        "title": (centre.current.title if centre.current else "") or centre.repository.path,
        "split": split_in_words(
            [(book.states[id_].code, votes) for id_, votes in group.split], group.open_labels
        ),
        "apart": stands_apart % {"who": ", ".join(apart)} if apart else _("no side is the larger one"),
        "decided": [(issues, code, colours[code]) for issues, code in decided],
    }


@dataclass(frozen=True)
class AlikeTable:
    """The issues of the open group, with their labels.

    `address` leads to the list of disagreements and ends where the id of an issue follows. `meetings`: issue
    id to the meeting that has it on its agenda. `may_act`: each row has a box.
    """

    items: Sequence[DisagreementRow]
    columns: Sequence[RoundVolunteer]
    colours: Mapping[str, str]
    address: str
    meetings: Mapping[int, Meeting]
    may_act: bool

    def __len__(self) -> int:
        return len(self.items)

    @property
    def in_columns(self) -> bool:
        return len(self.columns) <= MOST_COLUMNS

    @property
    def span(self) -> int:
        """The number of columns of the table."""
        return 2 + self.may_act + (len(self.columns) if self.in_columns else 1)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Each issue with its drawn labels; `said` are the labels that come with a summary."""
        for item in self.items:
            cells = label_cells(item, self.columns, self.colours)
            yield {
                "item": item,
                "number": str(item.issue),
                "title": item.issue.current.title if item.issue.current else "",
                "cells": cells_in_row(cells, in_columns=self.in_columns),
                "said": [cell for cell in cells if cell and cell.chip.summary],
                "split": split_in_words(item.split, item.open_labels),
                "state": state_in_words(item),
                "meeting": self.meetings.get(item.issue.pk),
            }
