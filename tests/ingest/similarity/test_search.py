"""Which reports are similar: values on both sides of each rule, and the truth of comparing all with all."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.similarity import LEAST, Pair, Report, Search, elements, groups_of, likeness
from ingest.similarity.elements import LINE
from ingest.similarity.search import LEAST_LINES, LEAST_SHARING, SHARING, SHORTEST, boilerplate, counted


def numbers(*given):
    return np.array(sorted(set(given)), dtype=np.uint64)


def found(reports, keys=None):
    """All pairs, sorted."""
    search = Search(reports)
    keys = [report.key for report in reports] if keys is None else keys
    return sorted(pair for _key, pairs in search.pairs_of(keys) for pair in pairs)


def brute(reports):
    """The same by comparing all with all."""
    shared = boilerplate(reports)
    sets = {report.key: counted(report.elements, shared) for report in reports}
    pairs = [
        Pair(one, other, likeness(sets[one], sets[other])) for one, other in combinations(sorted(sets), 2)
    ]
    return [pair for pair in pairs if pair.likeness >= LEAST]


# Few numbers, so that sets overlap, and lines among them.
sets = st.lists(
    st.sets(st.integers(1, 40).map(lambda one: one if one < 30 else one + int(LINE)), max_size=24).map(
        lambda given: numbers(*given)
    ),
    max_size=12,
)


def reports_of(given, repositories=3):
    return [Report(key, key % repositories, one) for key, one in enumerate(given, start=1)]


class TestLikeness:
    @pytest.mark.parametrize(
        ("one", "other", "expected"),
        [
            ((1, 2, 3), (1, 2, 3), 1.0),
            ((1, 2, 3), (4, 5), 0.0),
            ((1, 2, 3), (2, 3, 4), 0.5),
            ((1, 2, 3, 4), (1,), 0.25),
            ((), (), 0.0),
            ((), (1,), 0.0),
        ],
    )
    def test_values(self, one, other, expected):
        assert likeness(numbers(*one), numbers(*other)) == expected
        assert likeness(numbers(*other), numbers(*one)) == expected


class TestCounted:
    def test_lines_count_as_far_as_there_are_words(self):
        words = list(range(1, 26))
        lines = [int(LINE) + one for one in range(100)]
        assert counted(numbers(*words, *lines), numbers()).tolist() == words + lines[:25]
        assert counted(numbers(*words[:3], *lines), numbers()).tolist() == words[:3] + lines[:LEAST_LINES]

    def test_what_is_shared_does_not(self):
        assert counted(numbers(*range(1, 12)), numbers(1, 3, 99)).tolist() == [2, *range(4, 12)]
        assert counted(numbers(*range(1, 11)), numbers(1, 3, 99)).tolist() == [2, *range(4, 11)]
        assert counted(numbers(*range(1, 10)), numbers(1, 3, 99)).tolist() == []
        assert len(range(1, 11)) - 2 == SHORTEST

    @pytest.mark.parametrize(
        ("holders", "others", "expected"),
        [
            (LEAST_SHARING - 1, 0, []),
            (LEAST_SHARING, 0, [7]),
            (LEAST_SHARING, LEAST_SHARING * (SHARING - 1), [7]),
            (LEAST_SHARING, LEAST_SHARING * (SHARING - 1) + 1, []),
        ],
    )
    def test_boilerplate_is_what_many_of_a_repository_share(self, holders, others, expected):
        reports = [Report(key, 1, numbers(7, 1000 + key)) for key in range(holders)]
        reports += [Report(holders + key, 1, numbers(100_000 + key)) for key in range(others)]
        assert boilerplate(reports).tolist() == expected
        apart = [report._replace(repository=report.key) for report in reports]
        assert boilerplate(apart).tolist() == []


class TestSearch:
    def test_values(self):
        base = set(range(1, 13))
        reports = [
            Report(30, 1, numbers(*base)),
            Report(10, 2, numbers(*base)),
            Report(20, 1, numbers(*range(1, 10), 101, 102, 103)),  # 9 of 15
            Report(40, 2, numbers(*range(1, 9), 201, 202, 203, 204)),  # 8 of 16, just enough
            Report(50, 2, numbers(*range(1, 8), 301, 302, 303, 304, 305)),  # 7 of 17
            Report(60, 3, numbers(*range(1, 8))),  # too short
        ]
        assert found(reports) == [
            (10, 20, 0.6),
            (10, 30, 1.0),
            (10, 40, 0.5),
            (20, 30, 0.6),
            (20, 40, 0.5),
            (30, 40, 0.5),
        ]

    def test_reports(self):
        bodies = {
            1: "Training with eight cards stops after the first step: all ranks wait for the broadcast for ever.",
            2: "Training with eight cards stops after the second step: all ranks wait for the broadcast for ever.",
            3: "Export of the tokenizer loses its special tokens when the cache folder is read only.",
        }
        reports = [Report(key, key, elements("It hangs", body)) for key, body in bodies.items()]
        assert found(reports) == [(1, 2, pytest.approx(17 / 21))]

    def test_of_nothing(self):
        assert found([]) == []
        assert found([Report(1, 1, numbers())]) == []
        assert found([Report(1, 1, numbers()), Report(2, 1, numbers())]) == []

    @given(sets)
    def test_no_pair_is_missed_and_none_made_up(self, given):
        reports = reports_of(given)
        assert found(reports) == brute(reports)

    @given(sets, st.randoms(use_true_random=False))
    def test_order_does_not_matter(self, given, chance):
        reports = reports_of(given)
        shuffled = chance.sample(reports, len(reports))
        assert found(shuffled) == found(reports)

    @given(sets, sets)
    def test_what_came_later_is_found_as_if_all_had_come_at_once(self, before, after):
        reports = reports_of([*before, *after])
        late = [report.key for report in reports[len(before) :]]
        early = found(reports[: len(before)])
        assert sorted(early + found(reports, late)) == found(reports)

    @given(sets, st.data())
    def test_a_digest_changes_with_what_counts(self, given, data):
        reports = reports_of(given)
        digests = Search(reports).digests
        for one, other in combinations(reports, 2):
            same = counted(one.elements, numbers()).tolist() == counted(other.elements, numbers()).tolist()
            assert (digests[one.key] == digests[other.key]) is same

    def test_templates_of_a_large_repository_make_nothing_similar(self):
        template = "### Describe the bug\n\nA clear and concise description.\n\n### To reproduce\n\nSteps or a code sample.\n\n### Versions\n\nPlease paste it here."
        reports = [
            Report(
                key,
                1,
                elements(
                    f"Case {key}", f"{template}\n\nIt is w{key}a w{key}b w{key}c w{key}d w{key}e w{key}f"
                ),
            )
            for key in range(LEAST_SHARING)
        ]
        assert found(reports) == []
        assert len(found(reports[1:])) == (LEAST_SHARING - 1) * (LEAST_SHARING - 2) // 2


class TestGroups:
    def test_are_what_chains_connect_the_largest_first(self):
        assert groups_of([]) == []
        assert groups_of([(5, 6), (1, 2), (2, 9), (3, 9), (7, 8)]) == [[1, 2, 3, 9], [5, 6], [7, 8]]

    @given(
        st.lists(
            st.tuples(st.integers(1, 30), st.integers(1, 30)).filter(lambda two: two[0] != two[1]),
            max_size=40,
        ),
        st.randoms(use_true_random=False),
    )
    def test_order_does_not_matter_and_all_are_connected(self, pairs, chance):
        groups = groups_of(pairs)
        assert groups_of(chance.sample(pairs, len(pairs))) == groups
        assert sorted(one for group in groups for one in group) == sorted(
            {one for pair in pairs for one in pair}
        )
        of = {one: place for place, group in enumerate(groups) for one in group}
        assert all(of[one] == of[other] for one, other in pairs)
        assert all(len(one) >= len(other) for one, other in pairwise(groups))
