"""The demonstration has a frozen protocol, a deviation that is explained, and one that is not."""

import pytest

from demo.demonstration import load_demonstration
from protocols.queries.deviations import deviations_of
from protocols.queries.protocols import protocol_in_force
from reports.planned import planned_of

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def test_the_protocol_was_frozen_before_the_main_round_and_deviations_wait():
    told = load_demonstration()
    study = told.study
    found = protocol_in_force(study)
    main = study.rounds.get(name="Main round")
    assert found.frozen_at < main.opened_at
    assert (planned_of(main).level, planned_of(main).coefficient) == ("theme", "fleiss_kappa")
    assert [(one.kind, one.is_explained) for one in deviations_of(told.members["R1"], study)] == [
        ("unplanned", True),
        ("rule", False),
    ]
