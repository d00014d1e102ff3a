"""Signs that volunteers did not label independently, with their sentences for a page."""

from dataclasses import dataclass
from enum import Enum

from agreement.reasons import gettext_noop


class SignKind(Enum):
    """The kinds of signs; %(volunteers)s and the numbers of a `Sign` go into the text."""

    EQUALS_DECISION = gettext_noop(
        "%(volunteers)s chose what was decided on all of %(issues)s issues, and each of the others differs"
        " from the decision at least %(reference)s times."
    )
    NEVER_ALONE = gettext_noop(
        "%(volunteers)s never differs where all others agree, on any of %(issues)s issues, and each of the"
        " others does at least %(reference)s times."
    )
    NEVER_DIFFER = gettext_noop(
        "%(volunteers)s chose the same category on all of %(issues)s issues, and each of the others differs"
        " from them at least %(reference)s times."
    )
    ALONE_TOO_EVENLY = gettext_noop(
        "On %(issues)s issues exactly one differs, and who it is comes out more even than chance makes it:"
        " chi-square is %(observed)s, where volunteers who are equally likely to differ give %(reference)s on"
        " average, and others more."
    )
    TOO_FEW_AT_ONCE = gettext_noop(
        "On %(observed)s of %(issues)s issues %(differing)s differ at once from what most chose; volunteers"
        " who differ independently, as often as these do in smaller numbers, would on %(reference)s or more."
    )
    LONG_EQUAL = gettext_noop(
        "%(volunteers)s chose what was decided on %(observed)s issues running, while each of the others"
        " differs; in a random order such a run would seldom be longer than %(reference)s."
    )
    SAME_ROWS = gettext_noop(
        "Of %(issues)s issues that are not unanimous, %(observed)s that follow each other have the very same"
        " labels of the very same volunteers; in a random order such a run is seldom longer than"
        " %(reference)s."
    )
    SAME_LABEL = gettext_noop(
        "Of %(issues)s labels that differ from what was decided, or what most chose, %(volunteers)s chose one"
        " category %(observed)s times running; if the issues of each decision came in a random order, the"
        " longest run would seldom be longer than %(reference)s."
    )
    IN_TURN = gettext_noop(
        "%(volunteers)s differ from all others in turn, over %(observed)s such issues that follow each"
        " other; in a random order they would seldom do so over more than %(reference)s."
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
