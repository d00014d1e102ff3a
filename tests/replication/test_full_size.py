"""A study as large as the reference study, whose categories are rare, is computed again from its package.

A long run takes all of its 38,736 issues, `make test` 650 of them.
"""

import pytest

from replication.actions.published import import_study
from replication.package import write_package
from rounds.models import Round
from tests.long import sampled
from tests.worlds.rare_study import SHARES, VOLUNTEERS, write_rare_study
from tests.worlds.recomputed import run, summary

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

ISSUES = sampled(38_736, 650)


def test_every_number_of_a_large_study_with_rare_categories_is_recomputed(tmp_path):
    import_study(folder=write_rare_study(tmp_path / "in", ISSUES), slug="rare")
    write_package(Round.objects.get(), tmp_path / "out")

    done = run(tmp_path / "out")
    numbers, wrong, skipped = summary(tmp_path / "out")

    assert (wrong, skipped) == (0, 0)
    assert numbers > 40 * len(SHARES)
    # The files of repositories have a row for each issue, the long one for each label.
    rows = int(done.stdout.partition(" rows compared with other files")[0].rpartition("\n")[2])
    assert rows > ISSUES * (2 + VOLUNTEERS)
    assert "which its own rounding does not explain" not in done.stdout
