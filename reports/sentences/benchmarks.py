"""The words for the size of a kappa, and how probable they are."""

from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from agreement import Coefficient, benchmark, landis_koch
from agreement.coefficients import WORDS
from reports.sentences.numbers import percent

# Translators: the words of Landis and Koch (1977) for the size of a kappa.
LANDIS_KOCH_WORDS = {
    "poor": pgettext_lazy("Landis and Koch", "poor"),
    "slight": pgettext_lazy("Landis and Koch", "slight"),
    "fair": pgettext_lazy("Landis and Koch", "fair"),
    "moderate": pgettext_lazy("Landis and Koch", "moderate"),
    "substantial": pgettext_lazy("Landis and Koch", "substantial"),
    "almost_perfect": pgettext_lazy("Landis and Koch", "almost perfect"),
}


def landis_koch_word(value: float) -> str:
    return str(LANDIS_KOCH_WORDS[landis_koch(value)])


def word_probability(kappa: Coefficient) -> str:
    """How probable the word for a kappa is, and the word that is nearly certain; "" without an error, or
    for the lowest word, which every kappa has or exceeds.
    """
    found = benchmark(kappa)
    if found is None or found.word == WORDS[0]:
        return ""
    said = {
        "word": LANDIS_KOCH_WORDS[found.word],
        "probability": percent(found.at_least[found.word]),
        "sure": LANDIS_KOCH_WORDS[found.sure],
    }
    text = _("The true kappa is “%(word)s” or better with a probability of %(probability)s.") % said
    if found.sure == found.word:
        return text
    return " ".join([text, _("The best word with a probability of 95 %% is “%(sure)s”.") % said])
