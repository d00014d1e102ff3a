"""The kappa of each category against all others, with an interval that holds for few issues."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import asin, pi, sin, sqrt

from agreement.coefficients import lowest, t_quantile, why_undefined
from agreement.intervals.doubts import FEWEST_OF_CATEGORY, doubt_of_category
from agreement.reasons import Reason, Why
from agreement.standard_errors import CategorySums, category_sums, standard_error
from agreement.tally import Tally


@dataclass(frozen=True)
class CategoryKappa:
    """The kappa of one category against the rest, with the number of labels and issues behind it.

    `issues` have the category and two labels or more. `doubt` warns of an interval from few issues.
    """

    code: str
    labels: int
    issues: int
    kappa: float | None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    reason: Why | None = None
    doubt: Reason | None = None

    def as_dict(self) -> dict[str, float | int | str | None]:
        """As in the JSON of reports; reason and doubt in words."""
        return vars(self) | {
            "reason": self.reason and self.reason.text,
            "doubt": self.doubt and self.doubt.text,
        }


def category_kappas(tally: Tally, codes: Sequence[str]) -> tuple[CategoryKappa, ...]:
    """Fleiss' kappa of each category against all others taken together, in the order of `codes`.

    For r labels on every issue: 1 - sum_i n_ik (r - n_ik) / (N r (r - 1) p_k (1 - p_k)), Fleiss (1971).
    For unequal r_i it is Gwet's generalisation of Fleiss' kappa, applied to the two classes "k" and "not k"
    over the issues with two labels or more. Issues with one label count only in `labels`: such issues change
    the share of a category but not its disagreements, and could push a rare category far below -1.
    Undefined below two compared issues, and where no compared label or every one is of the category.
    `codes` names the q categories; ValueError if there are not q. Cost: O(entries), for all categories.
    """
    if len(codes) != tally.categories:
        msg = f"{len(codes)} codes for {tally.categories} categories"
        raise ValueError(msg)
    compared = tally.several()
    bases = list(
        zip(
            codes,
            tally.labels_per_category.tolist(),
            compared.per_category(compared.weights[compared.row]).astype(int).tolist(),
            strict=True,
        )
    )
    undefined = why_undefined("fleiss_kappa", tally)
    if undefined not in {None, Reason.ONE_CATEGORY}:
        return tuple(CategoryKappa(*basis, None, reason=undefined) for basis in bases)
    labels, among = tally.labels_per_category, compared.labels_per_category
    sums = category_sums(compared)
    least = lowest("fleiss_kappa", compared)
    most = int(compared.sizes.max())
    found = []
    for place, basis in enumerate(bases):
        reason = _why_undefined(basis[1], int(labels.sum()), int(among[place]), int(among.sum()))
        if reason:
            found.append(CategoryKappa(*basis, None, reason=reason))
        else:
            found.append(_with_interval(basis, sums[place], least, most))
    return tuple(found)


def _why_undefined(labels: int, total: int, among: int, compared: int) -> Reason | None:
    """Why a category has no kappa: it has `labels` of `total`, `among` of the `compared` labels."""
    if labels == 0:
        return Reason.CATEGORY_UNUSED
    if labels == total:
        return Reason.ONE_CATEGORY
    if among == 0:
        return Reason.CATEGORY_NOT_COMPARED
    return Reason.ONE_CATEGORY_COMPARED if among == compared else None


def _with_interval(basis: tuple[str, int, int], sums: CategorySums, least: float, most: int) -> CategoryKappa:
    exact, squares = sums.estimate()
    kappa, se = float(exact), standard_error(squares, sums.issues) or None
    fewer = min(sums.with_it, sums.with_another)
    if fewer < FEWEST_OF_CATEGORY:
        return CategoryKappa(*basis, kappa, se, reason=Reason.FEW_OF_CATEGORY)
    low, high = arcsine_interval(sums, kappa, least, most)
    return CategoryKappa(*basis, kappa, se, low, high, doubt=doubt_of_category(fewer))


def arcsine_interval(sums: CategorySums, kappa: float, least: float, most: int) -> tuple[float, float]:
    """The 95 % interval of a category's `kappa`; `least` is its lowest value, `most` the largest r_i.

    Of the category, or of its complement if that has fewer labels, half an issue is added on which one of
    `most` labels is of it, and half an issue on which all are. Kappa and Gwet's linearised error of these
    issues are carried to y = asin sqrt((kappa - least) / (1 - least)), whose spread hardly depends on kappa.
    The interval is y -+ t error, carried back. Student's t has as many degrees of freedom as issues have the
    category, or another one, whichever is less. Pseudo-issues: Agresti and Coull (1998), The American
    Statistician 52, 119-126; arcsine: Anscombe (1948), Biometrika 35, 246-254. docs/coverage.md tells how
    often the interval holds the true value, and what else was tried.
    """
    unit, issues = sums.unit, sums.issues + 1
    unlike, share = sums.unlike / unit, sums.share / unit
    unlike_squared, share_squared = sums.unlike_squared / unit**2, sums.share_squared / unit**2
    both = sums.both / unit**2
    if share > sums.issues / 2:
        share_squared += sums.issues - 2 * share
        both = unlike - both
        share = sums.issues - share
    one, odd = 1 / most, 2 / most
    unlike, share = unlike + odd / 2, share + (one + 1) / 2
    unlike_squared, share_squared = unlike_squared + odd**2 / 2, share_squared + (one**2 + 1) / 2
    both += one * odd / 2
    p = share / issues
    spread = 2 * p * (1 - p)
    distance = unlike / issues / spread
    by_unlike, by_share = -1 / spread, 2 * distance * (1 - 2 * p) / spread
    rest = distance - by_share * p
    squares = (
        by_unlike**2 * unlike_squared
        + by_share**2 * share_squared
        + rest**2 * issues
        + 2 * (by_unlike * by_share * both + by_unlike * rest * unlike + by_share * rest * share)
    )
    error = sqrt(max(0.0, squares) / (issues * (issues - 1)))
    place = min(max((1 - distance - least) / (1 - least), 0.0), 1.0)
    slope = 2 * sqrt(place * (1 - place)) * (1 - least)
    half = t_quantile(min(sums.with_it, sums.with_another)) * error / slope if slope else pi / 2
    low, high = (
        least + (1 - least) * sin(min(max(asin(sqrt(place)) + side, 0.0), pi / 2)) ** 2
        for side in (-half, half)
    )
    return min(low, kappa), max(high, kappa)
