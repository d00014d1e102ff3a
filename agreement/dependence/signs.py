"""Signs that volunteers did not label independently, with their sentences for a page."""

from dataclasses import dataclass
from enum import Enum

from agreement.reasons import gettext_noop


class SignKind(Enum):
    """The kinds of signs; %(volunteers)s and the numbers of a `Sign` go into the text."""

    EQUALS_DECISION = gettext_noop(
        "The labels of %(volunteers)s equal the decision on all %(issues)s issues. Each other volunteer"
        " differs from the decision at least %(reference)s times."
    )
    NEVER_ALONE = gettext_noop(
        "%(volunteers)s never differs on the %(issues)s issues where all others agree. Each other volunteer"
        " does so at least %(reference)s times."
    )
    NEVER_DIFFER = gettext_noop(
        "%(volunteers)s chose the same category on all %(issues)s issues. Each other volunteer differs from"
        " them at least %(reference)s times."
    )
    ALONE_TOO_EVENLY = gettext_noop(
        "On %(issues)s issues exactly one volunteer differs, and each volunteer does so almost equally"
        " often. Chi-square is %(observed)s; by chance the mean is %(reference)s or more."
    )
    TOO_FEW_AT_ONCE = gettext_noop(
        "On %(observed)s of %(issues)s issues, %(differing)s volunteers differ from the majority together."
        " If they differed independently, this number would be %(reference)s or more. Volunteers who know"
        " different areas of one category can also give this sign."
    )
    LONG_EQUAL = gettext_noop(
        "%(volunteers)s chose the decided category on %(observed)s issues in a row, while every other"
        " volunteer differs at least once. In a random order such a run is rarely longer than"
        " %(reference)s."
    )
    SAME_ROWS = gettext_noop(
        "Of %(issues)s issues that are not unanimous, %(observed)s in a row have the same labels by the"
        " same volunteers. In a random order such a run is rarely longer than %(reference)s."
    )
    SAME_LABEL = gettext_noop(
        "Among %(issues)s labels that differ from the decision or the majority, %(volunteers)s chose one"
        " category %(observed)s times in a row. If issues with the same decision came in a random order,"
        " the longest run would rarely exceed %(reference)s."
    )
    IN_TURN = gettext_noop(
        "%(volunteers)s take turns in differing from all others, on %(observed)s such issues in a row. In a"
        " random order such a run is rarely longer than %(reference)s."
    )

    @property
    def text(self) -> str:
        """A sentence in English, also its message id."""
        return str(self.value)


@dataclass(frozen=True)
class Sign:
    """One sign in one `part` (a repository): worth a look, and no proof.

    `raters` are columns, () if the sign is about all. The test read `issues`; the text of the kind compares
    `observed` with `reference`. `first` is the row of a run's first issue, None without a run; `differing` is
    the number of raters who differ at once, for the kind that counts them.
    `p` bounds the probability of this finding, or a stronger one, in independent labels; `adjusted` is Holm's
    p over all tests of the report. Both are at least 1e-300.
    """

    part: str
    kind: SignKind
    raters: tuple[int, ...]
    issues: int
    observed: float
    reference: float
    p: float
    adjusted: float = 1.0
    first: int | None = None
    differing: int | None = None
