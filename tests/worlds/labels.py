"""Labels as rows, an issue each, for tests of the statistics."""

import numpy as np

from agreement import Patterns


def from_rows(rows, categories) -> Patterns:
    """Patterns of rows of equal length; -1 is a missing label."""
    codes = np.array(rows, dtype=np.int32) if len(rows) else np.empty((0, 0), dtype=np.int32)
    return Patterns(codes, np.ones(len(codes), dtype=np.int64), categories).merged()
