"""What `make test` samples, and `make test-long` does whole: races, crawls, examples, journeys with many people."""

import os

import pytest

LONG = os.environ.get("CROSSCHECK_TEST_LONG") == "1"

only_long = pytest.mark.skipif(not LONG, reason="`make test-long` runs it")


def sampled(whole: int, sample: int) -> int:
    """How often to do what a long run does `whole` times."""
    return whole if LONG else sample


def leave_cases_out(items: list[pytest.Item]) -> None:
    """Leave most cases of each slow test to a long run: the first one stays, or as many as `slow(cases=n)` says,
    spread evenly.
    """
    if LONG:
        return
    cases: dict[tuple[object, str], list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("slow") and isinstance(item, pytest.Function):
            cases.setdefault((item.parent, item.originalname), []).append(item)
    for of_one in cases.values():
        mark = of_one[0].get_closest_marker("slow")
        number = min(mark.kwargs.get("cases", 1) if mark else 1, len(of_one))
        stay = {of_one[place * len(of_one) // number].nodeid for place in range(number)}
        for item in of_one:
            if item.nodeid not in stay:
                item.add_marker(only_long)
