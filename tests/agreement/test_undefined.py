"""What is said where there is no number, and which input is refused."""

import numpy as np
import pytest

from agreement import Coefficient, Patterns, Reason, bootstrap, pairs, report
from agreement.reasons import Counted, message_of
from tests.worlds.labels import from_rows


class TestUndefined:
    @pytest.mark.parametrize(
        ("rows", "categories", "expected"),
        [
            ([], 3, [Reason.NO_LABELS] * 4),
            ([[-1, -1]], 3, [Reason.NO_LABELS] * 4),
            ([[0, -1], [1, -1]], 3, [Reason.ONE_RATER] * 4),
            ([[0, -1], [-1, 1]], 3, [Reason.NO_OVERLAP] * 4),
            ([[0, 1]], 3, [0.0] + [Reason.ONE_ISSUE] * 3),
            ([[0, 0]], 3, [1.0] + [Reason.ONE_ISSUE] * 3),
            ([[1, 1], [1, 1]], 3, [1.0, Reason.ONE_CATEGORY, 1.0, Reason.ONE_CATEGORY]),
            ([[0, 0], [0, 0]], 1, [1.0, Reason.ONE_CATEGORY, Reason.ONE_CODE, Reason.ONE_CATEGORY]),
        ],
    )
    def test_reason_instead_of_a_number(self, rows, categories, expected):
        found = report(from_rows(rows, categories), [str(k) for k in range(categories)]).coefficients
        percent, kappa, ac1, light = expected
        assert {name: one.reason if one.value is None else one.value for name, one in found.items()} == {
            "percent_agreement": percent,
            "fleiss_kappa": kappa,
            "krippendorff_alpha": kappa,
            "gwet_ac1": ac1,
            "brennan_prediger": ac1,
            "light_kappa": light,
            "conger_kappa": kappa,
        }
        undefined = [one for one in found.values() if one.value is None]
        assert undefined == [Coefficient(None, reason=one.reason) for one in undefined]

    def test_one_issue_has_a_percent_agreement_without_an_interval(self):
        found = report(from_rows([[0, 0, 1]], 2), "AB").coefficients["percent_agreement"]
        assert found == Coefficient(pytest.approx(1 / 3), None, None, None, Reason.ONE_ISSUE)

    @pytest.mark.parametrize(
        ("rows", "kappa"),
        [([[0, 0, 0], [1, 1, 1]], 1), ([[0, 1], [1, 0]], -1), ([[0, 1, 2], [0, 1, 2]], -1 / 2)],
    )
    def test_issues_that_do_not_vary_give_no_interval(self, rows, kappa):
        """An interval without width, as −0.333 to −0.333 of two issues, would be false certainty."""
        found = report(from_rows(rows, 3), "ABC")
        assert found.coefficients["fleiss_kappa"] == Coefficient(
            pytest.approx(kappa), reason=Reason.NO_SPREAD
        )
        assert {one.reason for one in found.categories if one.labels} == {Reason.FEW_OF_CATEGORY}
        assert bootstrap(from_rows(rows, 3), seed=1).intervals["percent_agreement"] is None

    def test_nine_issues_have_an_error_and_ten_an_interval(self):
        rows = [[0, 0, 0], [1, 1, 0], [1, 1, 1]] * 3
        nine = report(from_rows(rows, 2), "AB").coefficients["fleiss_kappa"]
        assert (nine.reason, nine.low, nine.high, nine.doubt) == (Reason.FEW_ISSUES, None, None, None)
        ten = report(from_rows([*rows, [0, 0, 0]], 2), "AB").coefficients["fleiss_kappa"]
        assert (ten.reason, ten.doubt, ten.low < ten.value < ten.high) == (None, Reason.FEW_COMPARED, True)
        assert ten.se < nine.se

    def test_perfect_agreement_has_no_interval(self):
        found = report(from_rows([[0, 0, 0], [1, 1, 1]], 2), "AB").coefficients
        assert found.pop("light_kappa") == Coefficient(1.0, None, None, None, Reason.BOOTSTRAP_ONLY)
        assert set(found.values()) == {Coefficient(1.0, reason=Reason.NO_SPREAD)}
        assert len(found) == 6

    def test_categories_nobody_or_everybody_chose(self):
        unused = report(from_rows([[0, 0], [1, 1], [0, 1]], 3), "ABC").categories
        few = Reason.FEW_OF_CATEGORY
        assert [each.reason for each in unused] == [few, few, Reason.CATEGORY_UNUSED]
        assert unused[2].kappa is None
        assert unused[2].labels == 0

        only = report(from_rows([[0, 0], [0, 0]], 2), "AB").categories
        assert [(each.kappa, each.reason) for each in only] == [
            (None, Reason.ONE_CATEGORY),
            (None, Reason.CATEGORY_UNUSED),
        ]

    def test_slots_have_no_pairs(self):
        rows = [[0, 0], [1, 1], [0, 1]]
        found = report(from_rows(rows, 2), "AB", columns_are_raters=False, raters=5)
        assert found.coefficients["light_kappa"] == Coefficient(None, reason=Reason.SLOTS)
        assert found.pairs == ()
        assert found.raters == 5
        assert found.coefficients["fleiss_kappa"].value == pytest.approx(1 / 3)

    def test_pairs_without_a_kappa_say_why(self):
        rows = [[0, 0, -1, 0], [0, 0, -1, 1], [-1, -1, 1, 1]]
        found = {(pair.first, pair.second): pair for pair in pairs(from_rows(rows, 2))}
        assert found[0, 1].reason is Reason.PAIR_ONE_CATEGORY
        assert (found[0, 1].issues, found[0, 1].agreement, found[0, 1].kappa) == (2, 1.0, None)
        assert found[0, 2].reason is Reason.NO_ISSUE_IN_COMMON
        assert (found[0, 2].issues, found[0, 2].agreement, found[0, 2].kappa) == (0, None, None)
        assert found[2, 3].reason is Reason.PAIR_ONE_CATEGORY
        assert found[0, 3].kappa == 0.0

    def test_lights_kappa_is_undefined_where_a_pair_has_no_kappa(self):
        """The mean of the others would leave out just the pair that agrees wholly, and be 0 here."""
        rows = [[0, 0, 0], [0, 0, 1]]
        assert [pair.kappa for pair in pairs(from_rows(rows, 2))] == [None, 0.0, 0.0]
        light = report(from_rows(rows, 2), "AB").coefficients["light_kappa"]
        assert light == Coefficient(None, reason=Counted(Reason.SOME_PAIRS, 1, 3))
        assert light.as_dict()["reason"] == "pairs without a kappa: 1 of 3"

    def test_one_issue_in_common_is_a_table_like_any_other(self):
        rows = [[0, 1, -1], [-1, 0, 1], [1, -1, 0], [1, -1, 1]]
        assert [(pair.issues, pair.kappa) for pair in pairs(from_rows(rows, 2))] == [(1, 0), (2, 0), (1, 0)]
        assert report(from_rows(rows, 2), "AB").coefficients["light_kappa"].value == 0

    def test_no_pair_has_a_kappa(self):
        rows = [[0, 0, -1], [-1, 1, 1], [1, -1, 1]]
        assert report(from_rows(rows, 2), "AB").coefficients["light_kappa"] == Coefficient(
            None, reason=Counted(Reason.SOME_PAIRS, 3, 3)
        )

    def test_the_numbers_of_a_reason_are_found_in_its_text(self):
        assert message_of("pairs without a kappa: 3 of 21") == (
            "pairs without a kappa: %(n)s of %(all)s", {"n": "3", "all": "21"},
        )  # fmt: skip
        assert message_of(Reason.FEW_TWICE.text) == (Reason.FEW_TWICE.text, {})

    def test_every_reason_has_its_own_words(self):
        texts = [reason.text for reason in Reason]
        assert len(set(texts)) == len(texts)
        assert all(texts)


class TestInput:
    @pytest.mark.parametrize(
        ("codes", "numbers"),
        [([[0, 2]], [1]), ([[0, -2]], [1]), ([[0, 1]], [1, 1]), ([[0, 1]], [-1]), ([0], [1])],
    )
    def test_what_is_not_patterns(self, codes, numbers):
        with pytest.raises(ValueError, match=r"shape|indexes|negative|codes"):
            Patterns(np.array(codes), np.array(numbers), 2)

    def test_names_must_fit_the_codebook(self):
        with pytest.raises(ValueError, match="2 codes for 3 categories"):
            report(from_rows([[0, 1]], 3), "AB")

    def test_rows_are_merged_and_ordered(self):
        merged = Patterns(
            np.array([[1, 0], [0, 1], [1, 0], [-1, -1], [0, 0]]), np.array([2, 1, 3, 9, 0]), 2
        ).merged()
        assert merged.codes.tolist() == [[0, 1], [1, 0]]
        assert merged.counts.tolist() == [1, 5]

    def test_many_columns_need_more_than_one_sort_key(self):
        rows = np.random.default_rng(1).integers(-1, 69, (200, 40))
        twice = np.concatenate([rows, rows[::-1]])
        merged = from_rows(twice.tolist(), 69)
        assert merged.codes.tolist() == sorted(rows.tolist())
        assert set(merged.counts.tolist()) == {2}
