"""What every session of the database begins with."""

import pytest
from django.db import connection


@pytest.mark.django_db
def test_a_session_says_that_no_trigger_is_passed_over():
    """A trigger that finds nothing said catches an error, which costs more the more a transaction has done."""
    session = connection.copy()
    try:
        with session.cursor() as cursor:
            cursor.execute("SELECT current_setting('pgtrigger.ignore')")
            assert cursor.fetchone() == ("{}",)
    finally:
        session.close()
