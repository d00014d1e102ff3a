"""The agreement of every round of a study that labels with one taxonomy, side by side."""

from dataclasses import dataclass
from typing import Any

from annotate.agreement import Agreement
from annotate.at_level import agreement_of
from annotate.models import Round
from annotate.queries.side_by_side import comparable_rounds, tuples_of, withheld_in
from annotate.queries.withheld import Reader
from taxonomy.models import Level
from taxonomy.queries import codebooks


@dataclass(frozen=True)
class OfRound:
    """The agreement of one round at the level of a report; None where its version has nothing at this level.

    `withheld` issues are held back from the reader, and in no number.
    """

    round: Round
    agreement: Agreement | None
    withheld: int

    def as_dict(self) -> dict[str, Any]:
        """The JSON of its group, with the number of issues held back from the reader."""
        found = self.agreement.as_dict() if self.agreement else {}
        return {"group": {"round": self.round.name}, "withheld": self.withheld, **found}


def other_rounds(round_: Round, level: Level, reader: Reader) -> list[OfRound]:
    """The agreement of every other round of the study that labels with the same taxonomy, as far as its
    labels are revealed and not held back from the reader: of each what its own report says.

    Every round is read with its own version: a label counts as its ancestor in that tree, and chance knows
    the categories of that codebook. Labels go by the identity of their category, so one that a version
    renamed or moved is the same; what a version made of those it took out is not followed. Eight queries at
    most, whatever the number of rounds.
    """
    rounds = comparable_rounds(round_)
    if not rounds:
        return []
    held = reader.held_back(rounds)
    books = codebooks({one.version_id for one in rounds})
    found, withheld = tuples_of(rounds, books, held), withheld_in(held)
    return [
        OfRound(
            one,
            agreement_of(found[one.pk], books[one.version_id], level)
            if books[one.version_id].at_level(level)
            else None,
            withheld.get(one.pk, 0),
        )
        for one in rounds
    ]
