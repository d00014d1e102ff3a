"""Widths are those of the engine that draws."""

import json
from pathlib import Path

import pytest

from drawing import text_width
from drawing.text_width import TABLE, ruler
from drawing.text_width_worker import widths

FONTS = [Path(folder) for folder in ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts")]
"""Where the engine looks for fonts before it takes its own."""


@pytest.mark.slow
def test_the_table_says_what_the_engine_measures():
    table = [row for row in json.loads(TABLE.read_text()) if row[0] != " "]
    letters = "".join(letter for letter, _regular, _bold in table)

    assert len(set(letters)) == len(letters)
    found = [widths(letters, "normal"), widths(letters, "bold")]
    expected = [[row[1] for row in table], [row[2] for row in table]]
    own = next((file for folder in FONTS for file in folder.expanduser().rglob("LiberationSans-R*")), None)
    if found != expected and own:
        pytest.skip(f"{own}, of another version, takes the place of the engine's own font here")
    other = "".join(
        letter for letter, *both in zip(letters, *found, *expected, strict=True) if both[:2] != both[2:]
    )
    if other and len(other) < 20 and not any(letter.isascii() or letter.isalpha() for letter in other):
        pytest.skip(f"a font of this machine takes the place of the engine's own for the signs {other}")
    assert found == expected


def test_a_width_is_the_sum_of_its_letters():
    # Helvetica's widths: A 667 and 722, space 278.
    measure = ruler(["A A", "\N{NO-BREAK SPACE}\u0301"])
    assert measure("A A", 10) == pytest.approx((667 + 277.8 + 667) / 100)
    assert measure("A A", 10, bold=True) == pytest.approx((722.2 + 277.8 + 722.2) / 100)
    assert measure("A\u0301\N{NO-BREAK SPACE}A", 10) == measure("A A", 10)
    assert measure.knows("A A")


def test_other_letters_are_asked_once_and_are_never_less_than_their_square(monkeypatch):
    asked = []
    ask = text_width.subprocess.run
    monkeypatch.setattr(
        text_width.subprocess, "run", lambda *args, **more: asked.append(more["input"]) or ask(*args, **more)
    )
    text_width._asked.cache_clear()

    first, second = ruler(["漢字 with क"]), ruler(["क字漢"])

    assert first("漢字", 10) == second("漢字", 10) >= 20
    assert 0 < first("क", 10) <= 15
    assert not first.knows("漢")
    assert [json.loads(one) for one in asked] == ["क字漢"]
