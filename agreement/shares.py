"""A share of a whole, with its interval."""

from math import sqrt

from agreement.coefficients import CONFIDENCE, Coefficient


def share(part: int, whole: int) -> Coefficient:
    """A share with its score interval, which is valid for small numbers and at 0 and 1 too; `whole` is at
    least 1.

    Source: Wilson (1927), Journal of the American Statistical Association 22, 209-212.
    """
    from scipy.special import ndtri  # noqa: PLC0415 - SciPy loads for long

    value = part / whole
    z = float(ndtri((1 + CONFIDENCE) / 2))
    middle = (value + z * z / (2 * whole)) / (1 + z * z / whole)
    half = z / (1 + z * z / whole) * sqrt(value * (1 - value) / whole + z * z / (4 * whole * whole))
    return Coefficient(
        value, sqrt(value * (1 - value) / whole), max(0.0, middle - half), min(1.0, middle + half)
    )
