"""Agreement between raters: coefficients, intervals, and the reasons where there is none.

Pure functions of labels, with sources in the docstrings. The usual way in: group the
distinct label tuples in SQL, make `Patterns` of them, roll up with `relabel`, and call `report`.
"""

from annotate.agreement.bootstrap import Bootstrap, PercentileInterval, bootstrap
from annotate.agreement.clustering import clustered, order_of
from annotate.agreement.coefficients import (
    CategoryKappa,
    Coefficient,
    brennan_prediger,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    landis_koch,
    percent_agreement,
)
from annotate.agreement.dependence import signs_of_dependence
from annotate.agreement.intra import IntraRater, SelfAgreement, intra_rater
from annotate.agreement.models import ModelRater, model_rater
from annotate.agreement.pairs import PairKappa, against_decision, cohen_kappa, confusion, light_kappa, pairs
from annotate.agreement.patterns import MISSING, Patterns, Relabelled
from annotate.agreement.periods import Drift, Periods, by_period, drift
from annotate.agreement.planning import Volunteers, issues_for, volunteers_for
from annotate.agreement.raters import Rater, Stretch, dissents_by_place, lone_dissents, raters
from annotate.agreement.reasons import Reason, UndefinedAgreement
from annotate.agreement.reports import Agreement, report
from annotate.agreement.signs import Sign, SignKind
from annotate.agreement.splits import Split, splits

__all__ = [
    "MISSING",
    "Agreement",
    "Bootstrap",
    "CategoryKappa",
    "Coefficient",
    "Drift",
    "IntraRater",
    "ModelRater",
    "PairKappa",
    "Patterns",
    "PercentileInterval",
    "Periods",
    "Rater",
    "Reason",
    "Relabelled",
    "SelfAgreement",
    "Sign",
    "SignKind",
    "Split",
    "Stretch",
    "UndefinedAgreement",
    "Volunteers",
    "against_decision",
    "bootstrap",
    "brennan_prediger",
    "by_period",
    "clustered",
    "cohen_kappa",
    "confusion",
    "dissents_by_place",
    "drift",
    "fleiss_kappa",
    "gwet_ac1",
    "intra_rater",
    "issues_for",
    "krippendorff_alpha",
    "landis_koch",
    "light_kappa",
    "lone_dissents",
    "model_rater",
    "order_of",
    "pairs",
    "percent_agreement",
    "raters",
    "report",
    "signs_of_dependence",
    "splits",
    "volunteers_for",
]
