"""Agreement between raters: coefficients, intervals, and the reasons where there is none.

Pure functions of labels, with sources in the docstrings. The usual way in: group the
distinct label tuples in SQL, make `Patterns` of them, roll up with `relabel`, and call `report`.
"""

from agreement.coefficients import Benchmark, Coefficient, benchmark, landis_koch
from agreement.dependence.search import signs_of_dependence
from agreement.dependence.signs import Sign, SignKind
from agreement.differences import Difference, adjusted, beside_others, between, left_out
from agreement.forecasts.before_labels import issues_before
from agreement.forecasts.more_labels import Volunteers, issues_for, volunteers_for
from agreement.forecasts.ranges import Range, issues_range, volunteers_range
from agreement.intervals.bootstrap import FROM_COUNTS, Bootstrap, PercentileInterval, bootstrap
from agreement.intervals.categories import CategoryKappa
from agreement.intervals.sampled_units import UnitIntervals, over_clusters, over_raters
from agreement.pairs import PairKappa, against_decision, clustered, confusion, light_kappa, order_of, pairs
from agreement.patterns import MISSING, Patterns, Relabelled
from agreement.periods import Drift, Periods, Trend, by_period, drift, trend
from agreement.raters.models import ModelRater, model_rater
from agreement.raters.self_agreement import IntraRater, SelfAgreement, intra_rater
from agreement.raters.volunteers import Rater, Stretch, dissents_by_place, lone_dissents, raters
from agreement.reasons import Reason
from agreement.shares import share
from agreement.splits import Split, splits
from agreement.summary import Agreement, report
