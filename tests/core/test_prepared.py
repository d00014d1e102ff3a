import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from core.sql.prepared import Prepared
from tests.factories import make_user

pytestmark = pytest.mark.django_db

NAMES = Prepared(
    "names_of_some",
    "SELECT name FROM accounts_user WHERE id = ANY(%(ids)s::bigint[]) AND name <> %(but)s ORDER BY name",
)


def _names(**given):
    with connection.cursor() as cursor:
        NAMES.run(cursor, given)
        return [name for (name,) in cursor.fetchall()]


def test_a_prepared_statement_is_planned_once_and_counted_as_one_query():
    users = [make_user(name=name) for name in ("Ann", "Bo", "Cy")]
    ids = [user.pk for user in users]
    assert _names(ids=ids, but="Bo", more="is not asked for") == ["Ann", "Cy"]
    with CaptureQueriesContext(connection) as again:
        assert [_names(ids=ids[:2], but=""), _names(ids=[], but="")] == [["Ann", "Bo"], []]
    assert len(again) == 2
    User.objects.filter(pk=ids[0]).update(name="Di")
    assert _names(ids=ids, but="") == ["Bo", "Cy", "Di"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE name = 'names_of_some'")
        assert cursor.fetchone() == (1,)


@pytest.mark.django_db(transaction=True)
def test_a_new_connection_prepares_the_statement_again():
    user = make_user(name="Ann")
    assert _names(ids=[user.pk], but="") == ["Ann"]
    connection.close()
    assert _names(ids=[user.pk], but="") == ["Ann"]
