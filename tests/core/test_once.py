"""A question that a page asks again is answered from memory; a form's never is."""

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from core.once import AskOnce, once_a_page

asked: list[tuple[int, str]] = []


@once_a_page
def question(number: int, *, word: str = "") -> list[int]:
    asked.append((number, word))
    return [number]


@pytest.fixture(autouse=True)
def nothing_asked() -> None:
    asked.clear()


def answered(method: str) -> list[bool]:
    """Whether a second answer is the very same object, for the same and for another argument."""
    same: list[bool] = []

    def view(_request) -> HttpResponse:
        same.append(question(1, word="a") is question(1, word="a"))
        same.append(question(1, word="a") is question(2, word="a"))
        return HttpResponse()

    AskOnce(view)(RequestFactory().generic(method, "/"))
    return same


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_page_asks_each_question_once(method):
    assert answered(method) == [True, False]
    assert asked == [(1, "a"), (2, "a")]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_what_may_change_something_asks_anew(method):
    assert answered(method) == [False, False]
    assert asked == [(1, "a"), (1, "a"), (1, "a"), (2, "a")]


def test_nothing_is_remembered_from_one_page_to_the_next():
    answered("GET")
    answered("GET")
    assert asked == [(1, "a"), (2, "a")] * 2


def test_nothing_is_remembered_after_a_page_that_failed():
    def view(_request) -> HttpResponse:
        question(1)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        AskOnce(view)(RequestFactory().get("/"))
    question(1)
    assert asked == [(1, ""), (1, "")]


def test_outside_of_pages_each_call_asks():
    question(1)
    question(1)
    assert asked == [(1, ""), (1, "")]
