"""The sentences on labels over time."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext_lazy

from agreement import Drift
from reports.formats.tables import number
from reports.sentences import numbers as say

FEW_EXPECTED = 5.0
"""With a smaller expected number in a cell, the probability of a chi-square test is rough."""

# Translators: the words of Cohen (1988) for the size of an effect.
SIZES = (
    (0.1, pgettext_lazy("Cohen", "negligible")),
    (0.3, pgettext_lazy("Cohen", "small")),
    (0.5, pgettext_lazy("Cohen", "medium")),
)
LARGE = pgettext_lazy("Cohen", "large")


def size(found: Drift) -> str:
    """The word of Cohen (1988, section 7.2) for Cramer's V: the cut points are those of w = V √(least - 1),
    where least is the smaller of the numbers of periods and categories. "" where undefined.
    """
    if found.cramers_v is None:
        return ""
    effect = found.cramers_v * (min(found.periods, found.categories) - 1) ** 0.5
    return str(next((word for bound, word in SIZES if effect < bound), LARGE))


def change_sentences(found: Drift) -> list[str]:
    """Whether the decisions changed over the months, how much, and how reliable the test is."""
    if found.cramers_v is None or found.p is None or found.smallest is None:
        return [
            _("Change of decisions over the months: %(undefined)s.")
            % {"undefined": say.undefined(found.reason)}
        ]
    said = {
        "v": number(found.cramers_v),
        "word": size(found),
        "chi2": number(found.chi2, 1),
        "df": found.df,
        "p": say.p_value(found.p),
        "months": found.periods,
        "n": f"{found.labels:,}",
        "smallest": number(found.smallest, 1),
    }
    sentences = [
        ngettext(
            "Change of decisions over %(months)s months (%(n)s issue): Cramér’s V = %(v)s, “%(word)s” after"
            " Cohen (1988); χ²(%(df)s) = %(chi2)s, %(p)s.",
            "Change of decisions over %(months)s months (%(n)s issues): Cramér’s V = %(v)s, “%(word)s”"
            " after Cohen (1988); χ²(%(df)s) = %(chi2)s, %(p)s.",
            found.labels,
        )
        % said
    ]
    if found.smallest < FEW_EXPECTED:
        text = _("The smallest expected number is %(smallest)s. Below 5, the probability is only rough.")
        sentences.append(text % said)
    return sentences
