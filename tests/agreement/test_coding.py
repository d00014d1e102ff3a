"""Agreement of coders per answer and category: printed examples, by hand, and intervals over interviews."""

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from agreement.coding import COEFFICIENTS, CodedAnswers, Coder, agreement_on_codes
from agreement.coefficients import Coefficient
from agreement.reasons import Reason
from tests.agreement.test_agreement import DIAGNOSES
from tests.long import only_long

FEW = ("percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1")


def of(given, interview=None):
    """`given` [answers, coders, categories]; one interview unless said."""
    given = np.array(given, dtype=np.int8)
    return CodedAnswers(np.array(interview or [0] * len(given)), given)


def diagnoses(people=6):
    """Each of six coders gives each of 30 answers one of five codes."""
    chosen = np.array([[int(one) for one in row[:people]] for row in DIAGNOSES.split()])
    return of(chosen[:, :, np.newaxis] == np.arange(1, 6))


def test_kappa_of_each_category_as_r_prints_it():
    """irr, kappam.fleiss(diagnoses, detail = TRUE), which are the kappas of Fleiss (1971), table 2."""
    found = agreement_on_codes(diagnoses(), seed=1)
    kappas = [round(one.coefficients["fleiss_kappa"].value, 3) for one in found.categories]
    assert kappas == [0.245, 0.245, 0.520, 0.471, 0.566]
    assert (found.answers, found.coders, found.interviews, found.by_interview) == (30, 6, 1, False)


def test_categories_and_all_of_them_as_other_libraries_count_them():
    """Fleiss' kappa of two coders is Scott's pi; alpha is that of the package `krippendorff`."""
    coded = diagnoses(2)
    found = agreement_on_codes(coded, seed=1)
    assert tuple(found.overall.coefficients) == COEFFICIENTS == FEW
    tables = [coded.given[:, :, q] for q in range(5)]
    tables.append(coded.given.transpose(0, 2, 1).reshape(-1, 2))
    for one, table in zip((*found.categories, found.overall), tables, strict=True):
        alpha = krippendorff.alpha(reliability_data=table.T, level_of_measurement="nominal")
        assert one.coefficients["krippendorff_alpha"].value == pytest.approx(alpha, abs=1e-12)
        same, share = (table[:, 0] == table[:, 1]).mean(), table.mean()
        assert one.coefficients["percent_agreement"].value == pytest.approx(same, abs=1e-12)
        chance = share**2 + (1 - share) ** 2
        assert one.coefficients["fleiss_kappa"].value == pytest.approx((same - chance) / (1 - chance))
        ac1_chance = 2 * share * (1 - share)
        assert one.coefficients["gwet_ac1"].value == pytest.approx((same - ac1_chance) / (1 - ac1_chance))


def test_two_coders_who_give_a_code_equally_often_have_cohens_kappa():
    one, other = [1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0]
    found = agreement_on_codes(of(np.array([one, other]).T[:, :, np.newaxis]), seed=1).categories[0]
    assert found.coefficients["fleiss_kappa"].value == pytest.approx(cohen_kappa_score(one, other))
    assert (found.by_all, found.by_some) == (2, 2)


def test_coders_of_other_interviews_are_missing_not_silent():
    """Answer c has one coder, and is left out; a and b have two each, who agree."""
    answers = {"a": 1, "b": 2, "c": 3}
    coders = [
        Coder({1, 3}, {("a", "A"), ("c", "A")}),
        Coder({1, 2}, {("a", "A")}),
        Coder({2}, set()),
    ]
    found = agreement_on_codes(CodedAnswers.of(answers, ["A", "B"], coders), seed=1)
    assert (found.answers, found.left_out, found.interviews, found.coders) == (2, 1, 2, 3)
    first, second = found.categories
    assert (first.by_all, first.by_some, first.coefficients["fleiss_kappa"].value) == (1, 0, 1.0)
    assert second.coefficients["fleiss_kappa"].reason is Reason.CODE_UNUSED


@pytest.mark.parametrize(
    ("codes", "words"),
    [
        ({("z", "A")}, "unknown answer"),
        ({("a", "Z")}, "unknown answer or category"),
        ({("b", "A")}, "not in an interview of this coder"),
    ],
)
def test_codes_that_cannot_be_are_refused(codes, words):
    with pytest.raises(ValueError, match=words):
        CodedAnswers.of({"a": 1, "b": 2}, ["A"], [Coder({1}, codes)])


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (np.empty((0, 2, 1)), Reason.NO_ANSWERS),
        ([[[1]], [[0]]], Reason.ONE_CODER),
        ([[[1], [-1]], [[-1], [0]]], Reason.NO_COMMON_ANSWER),
        ([[[1], [0]]], Reason.ONE_COMMON_ANSWER),
        ([[[0], [0]], [[0], [0]]], Reason.CODE_UNUSED),
        ([[[1], [1]], [[1], [1]]], Reason.CODE_EVERYWHERE),
    ],
)
def test_what_has_no_kappa_has_its_reason(given, reason):
    [one] = agreement_on_codes(of(given), seed=1).categories
    assert (one.coefficients["fleiss_kappa"].value, one.coefficients["fleiss_kappa"].reason) == (None, reason)


def test_below_ten_answers_with_the_code_there_is_no_interval():
    def kappa(coded):
        rows = [[[1], [1]]] * (coded - 1) + [[[1], [0]]] + [[[0], [0]]] * 20
        return agreement_on_codes(of(rows), seed=1).categories[0].coefficients["fleiss_kappa"]

    assert (kappa(9).low, kappa(9).reason) == (None, Reason.CODED_RARELY)
    assert kappa(10).low < kappa(10).value < kappa(10).high
    assert kappa(10).reason is None


@pytest.mark.parametrize("interviews", [1, 5])
def test_coders_who_agree_everywhere_have_no_interval(interviews):
    """Twenty equal answers do not show an error of 0, drawn as answers or as interviews; one other gives one."""
    rows = [[[1], [1]], [[0], [0]]] * 10
    where = [place * interviews // 20 for place in range(20)]
    alike = agreement_on_codes(of(rows, where), seed=1)
    for found in (alike.overall, *alike.categories):
        for name, one in found.coefficients.items():
            assert one == Coefficient(1.0, reason=Reason.CODED_ALIKE), name
    rows[0] = [[1], [0]]
    varied = agreement_on_codes(of(rows, where), seed=1).categories[0].coefficients["fleiss_kappa"]
    assert varied.low < varied.value < varied.high <= 1
    assert varied.reason is None


def test_answers_of_one_interview_are_alike_so_interviews_are_drawn():
    """Coders agree in four interviews and not in the fifth: one opinion too few, not 20 answers too few."""
    agreed, not_agreed = [[[1], [1]], [[0], [0]]] * 10, [[[1], [0]], [[0], [1]]] * 10
    where = [number for number in range(5) for _answer in range(20)]
    five = agreement_on_codes(of(agreed * 4 + not_agreed, where), seed=1)
    one = agreement_on_codes(of(agreed * 4 + not_agreed), seed=1)
    assert (five.by_interview, one.by_interview) == (True, False)
    clustered, single = (found.categories[0].coefficients["fleiss_kappa"] for found in (five, one))
    assert clustered.value == single.value == 0.6
    assert clustered.high - clustered.low > 2 * (single.high - single.low)


def test_a_seed_gives_the_same_intervals_again():
    first, again, other = (
        agreement_on_codes(diagnoses(), seed=seed).overall.coefficients["gwet_ac1"] for seed in (1, 1, 2)
    )
    assert first == again
    assert (first.value, first.low != other.low) == (other.value, True)


def test_all_categories_together_are_drawn_with_their_answer():
    """Ten categories that each repeat the first tell nothing new: the interval stays as wide."""
    rows = np.array([[[1], [1]], [[1], [0]], [[0], [0]]] * 10)
    once = agreement_on_codes(of(rows), seed=1).overall.coefficients["fleiss_kappa"]
    tenfold = agreement_on_codes(of(np.repeat(rows, 10, axis=2)), seed=1).overall.coefficients["fleiss_kappa"]
    assert tenfold == once


@pytest.mark.slow
@only_long
def test_intervals_over_interviews_cover_the_truth_and_those_over_answers_do_not():
    """Eleven interviews in which coders err differently often: 95 % intervals, 200 studies."""
    random = np.random.default_rng(1)

    def study(interviews):
        given = np.empty((interviews, 20, 2, 1), dtype=np.int8)
        for one in given:
            said, err = 1 / (1 + np.exp(-random.normal([-1.4, -1.7], 1.0)))
            meant = random.random((20, 1)) < said
            one[:, :, 0] = meant ^ (random.random((20, 2)) < err)
        return given.reshape(-1, 2, 1)

    def kappa(given, where=None, seed=1):
        found = agreement_on_codes(of(given, where), seed=seed, replicates=500)
        return found.categories[0].coefficients["fleiss_kappa"]

    truth, where = kappa(study(3000)).value, [number for number in range(11) for _answer in range(20)]
    held = [0, 0]
    for seed in range(200):
        given = study(11)
        for place, clusters in enumerate((where, None)):
            found = kappa(given, clusters, seed)
            held[place] += found.low <= truth <= found.high
    assert held[0] >= 176
    assert held[1] < held[0]
