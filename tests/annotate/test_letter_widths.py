"""Widths are those of the engine that draws."""

import json

import pytest

from annotate import letter_widths
from annotate.letter_widths import TABLE, ruler
from annotate.measuring import widths


@pytest.mark.slow
def test_the_table_says_what_the_engine_measures():
    table = [row for row in json.loads(TABLE.read_text()) if row[0] != " "]
    letters = "".join(letter for letter, _regular, _bold in table)

    assert [row[1] for row in table] == widths(letters, "normal")
    assert [row[2] for row in table] == widths(letters, "bold")
    assert len(set(letters)) == len(letters)


def test_a_width_is_the_sum_of_its_letters():
    # Helvetica's widths: A 667 and 722, space 278.
    measure = ruler(["A A", "\N{NO-BREAK SPACE}\u0301"])
    assert measure("A A", 10) == pytest.approx((667 + 277.8 + 667) / 100)
    assert measure("A A", 10, bold=True) == pytest.approx((722.2 + 277.8 + 722.2) / 100)
    assert measure("A\u0301\N{NO-BREAK SPACE}A", 10) == measure("A A", 10)
    assert measure.knows("A A")


def test_other_letters_are_asked_once_and_are_never_less_than_their_square(monkeypatch):
    asked = []
    ask = letter_widths.subprocess.run
    monkeypatch.setattr(
        letter_widths.subprocess,
        "run",
        lambda *args, **more: asked.append(more["input"]) or ask(*args, **more),
    )
    letter_widths._asked.cache_clear()

    first, second = ruler(["漢字 with क"]), ruler(["क字漢"])

    assert first("漢字", 10) == second("漢字", 10) >= 20
    assert 0 < first("क", 10) <= 15
    assert not first.knows("漢")
    assert [json.loads(one) for one in asked] == ["क字漢"]
