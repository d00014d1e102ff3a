"""How labels split."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from agreement import Patterns, Split, splits
from tests.worlds.labels import from_rows


def test_splits_come_most_agreeing_first_with_their_shares():
    labels = Patterns(
        np.array(
            [
                [0, 0, 0, 0, 0, 0, 0],
                [1, 1, 1, 1, 1, 1, 1],
                [0, 0, 1, 0, 0, 0, 0],
                [2, 2, 2, 2, 2, 0, 0],
                [2, 1, 2, 2, 2, 0, 2],
                [2, 1, 2, 2, 1, 0, 2],
            ]
        ),
        np.array([6, 4, 5, 2, 2, 1]),
        3,
    )

    assert splits(labels) == (
        Split((7,), 10, 0.5), Split((6, 1), 5, 0.25), Split((5, 2), 2, 0.1), Split((5, 1, 1), 2, 0.1),
        Split((4, 2, 1), 1, 0.05),
    )  # fmt: skip


def test_missing_labels_and_issues_with_one_label_do_not_count():
    labels = from_rows([[0, 0, -1], [0, 0, 0], [1, -1, 2], [-1, -1, 2], [-1, -1, -1]], 3)

    assert splits(labels) == (Split((3,), 1, 1 / 3), Split((2,), 1, 1 / 3), Split((1, 1), 1, 1 / 3))


def test_nothing_to_compare_has_no_split():
    assert splits(from_rows([], 3)) == ()
    assert splits(from_rows([[0, -1], [-1, 1]], 3)) == ()


@given(st.lists(st.lists(st.integers(-1, 3), min_size=4, max_size=4), max_size=15))
def test_splits_equal_counting_issue_by_issue(rows):
    expected = {}
    for row in rows:
        sizes = tuple(sorted((row.count(k) for k in range(4) if k in row), reverse=True))
        if sum(sizes) >= 2:
            expected[sizes] = expected.get(sizes, 0) + 1

    assert {split.sizes: split.issues for split in splits(from_rows(rows, 4))} == expected
