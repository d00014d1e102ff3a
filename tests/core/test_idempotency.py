from uuid import uuid4

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.transaction import TransactionManagementError
from django.test import RequestFactory

from core.idempotency import first_time
from core.models import HandledForm
from tests.factories import make_user
from tests.races import at_once

pytestmark = pytest.mark.django_db


def posted(user, **form):
    request = RequestFactory().post("/", form)
    request.user = user
    return request


def test_first_time_is_once():
    request = posted(make_user(), form_key=str(uuid4()))
    assert [first_time(request) for _ in range(3)] == [True, False, False]
    assert HandledForm.objects.count() == 1


def test_first_time_for_each_form():
    user = make_user()
    assert [first_time(posted(user, form_key=str(uuid4()))) for _ in range(3)] == [True] * 3


def test_first_time_again_after_the_handling_failed():
    request = posted(make_user(), form_key=str(uuid4()))

    @transaction.atomic
    def fail():
        first_time(request)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert HandledForm.objects.count() == 0
    assert first_time(request) is True


@pytest.mark.parametrize("form", [{}, {"form_key": ""}, {"form_key": "no uuid"}])
def test_first_time_without_a_key_or_an_account(form):
    for request in (posted(make_user(), **form), posted(AnonymousUser(), form_key=str(uuid4()))):
        assert [first_time(request) for _ in range(2)] == [True, True]
    assert HandledForm.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_first_time_outside_a_transaction_is_an_error():
    with pytest.raises(TransactionManagementError):
        first_time(posted(make_user(), form_key=str(uuid4())))


@pytest.mark.django_db(transaction=True)
def test_first_time_of_two_at_a_time():
    request = posted(make_user(), form_key=str(uuid4()))

    def handle():
        with transaction.atomic():
            return first_time(request)

    assert sorted(at_once(handle, handle, handle)) == [False, False, True]
