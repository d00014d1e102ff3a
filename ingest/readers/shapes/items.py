"""What one record of a file holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Raw = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Item:
    """An issue or a comment, in the keys of its forge; "gone": a comment that was deleted. `are_all`: an
    issue with comments in it has all of them.
    """

    kind: Literal["issue", "comment", "gone"]
    record: Raw
    are_all: bool = True
