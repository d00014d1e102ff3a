"""An upgrade refuses nobody and loses nothing: old and new code on one database while twenty people label."""

import pytest

from tests.core.places import place
from tests.long import only_long
from tests.rig.upgrade import PEOPLE, NoHistoryError, before_the_last_migration, rehearse


@pytest.mark.slow
@only_long
def test_nobody_is_refused_and_nothing_is_lost_while_old_and_new_code_work_on_one_database():
    try:
        old = before_the_last_migration()
    except NoHistoryError as error:
        pytest.skip(str(error))
    done = rehearse(old, place())

    assert done.migrations != []
    assert done.ledger.refused == []
    assert set(done.ledger.answers) == {200}
    # Each acknowledged label is there once, as it was sent, and no other one.
    assert sorted(done.stored) == sorted(done.ledger.acknowledged)
    assert len({(one.member, one.issue) for one in done.stored}) == len(done.stored)
    # Both versions served, and all people worked.
    assert min(done.connections.values()) > 100
    assert len({one.member for one in done.stored}) == PEOPLE
