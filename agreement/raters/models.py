"""A model compared with each label of the volunteers; no other statistic counts its labels."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agreement.coefficients import Coefficient, coefficient
from agreement.differences import Difference, beside_others
from agreement.pairs import PairKappa, light_kappa, pair_of, pairs
from agreement.patterns import MISSING, Ints, Patterns
from agreement.raters.volunteers import agreement_with_others, beside, kappa_with_decision
from agreement.reasons import Reason
from agreement.tally import Tally


@dataclass(frozen=True)
class ModelRater:
    """One model beside the volunteers and the decision.

    `compared` of its `labels` are on issues that a volunteer labelled. `agreement` is the mean over these
    issues of the share of the volunteers' labels that equal the model's, with a t interval; `kappa` is the
    mean of the model's Cohen's kappas with the volunteers who share an issue with it, undefined if one of
    these is. `among_agreement` (percent agreement) and
    `among_kappa` (Light's) compare the volunteers with each other over the issues that the model labelled.
    `difference` is `agreement` less `among_agreement`, paired by issue: above 0 if the model equals the
    volunteers more often than they equal each other.
    `decision` compares the model with the decision: a pair of the columns R and R + 1.
    """

    labels: int
    compared: int
    agreement: Coefficient
    kappa: Coefficient
    among_agreement: Coefficient
    among_kappa: Coefficient
    difference: Difference
    decision: PairKappa


def model_rater(
    patterns: Patterns, model: npt.ArrayLike, decided: npt.ArrayLike, *, columns_are_raters: bool = True
) -> ModelRater:
    """Compare a model's labels with the labels of the volunteers in `patterns` [P, R].

    `model` [P] is the model's category for each row, `decided` [P] the decided category, both among the same
    categories, -1 for none; rows that differ only there must stay separate. Where columns are slots the two
    kappas are undefined. ValueError where shapes do not fit. Cost: O(P R^2).
    """
    given: Ints = np.asarray(model)
    whole = beside(beside(patterns, given), decided)
    own = patterns.columns
    labelled = given != MISSING
    among = Patterns(patterns.codes[labelled], patterns.counts[labelled], patterns.categories)
    compared, agreement = agreement_with_others(beside(patterns, given), own)
    kappa = among_kappa = Coefficient(None, reason=Reason.SLOTS)
    if columns_are_raters:
        beside_each = [pair_of(whole, column, own) for column in range(own)]
        shared = [pair for pair in beside_each if pair.issues]
        kappa = light_kappa(shared) if shared else Coefficient(None, reason=Reason.NO_VOLUNTEER)
        among_kappa = light_kappa(pairs(among))
    return ModelRater(
        labels=int(patterns.counts[labelled].sum()),
        compared=compared,
        agreement=agreement,
        kappa=kappa,
        among_agreement=coefficient("percent_agreement", Tally.of(among)),
        among_kappa=among_kappa,
        difference=beside_others(patterns, given),
        decision=kappa_with_decision(pair_of(whole, own, own + 1)),
    )
