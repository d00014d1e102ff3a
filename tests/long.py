"""What `make test` samples, and `make test-long` does whole: races, crawls, examples, journeys with many people."""

import os

import pytest

LONG = os.environ.get("CROSSCHECK_TEST_LONG") == "1"

only_long = pytest.mark.skipif(not LONG, reason="`make test-long` runs it")


def sampled(whole: int, sample: int) -> int:
    """How often to do what a long run does `whole` times."""
    return whole if LONG else sample
