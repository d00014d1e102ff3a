"""The search of many keys at once, against Python's own."""

import random

import pytest

from ingest.keywords.automaton import Automaton


def plainly(keys, text):
    found = []
    for place, key in enumerate(keys):
        start = text.find(key)
        while start >= 0:
            found.append((place, start, start + len(key)))
            start = text.find(key, start + 1)
    return sorted(found)


@pytest.mark.parametrize("letters", ["ab ", "aé模 🙂"])
@pytest.mark.parametrize("length", [40, 140_000])
def test_every_occurrence_is_found_also_in_pieces_of_a_long_text(letters, length):
    chance = random.Random(length)
    keys = list({"".join(chance.choices(letters, k=chance.randint(1, 9))) for _ in range(30)})
    text = "".join(chance.choices(letters, k=length))
    found = list(Automaton(keys).finds(text))
    assert sorted(found) == plainly(keys, text)
    assert [end for _key, _start, end in found] == sorted(end for _key, _start, end in found)


def test_a_list_of_many_keys():
    keys = [f"name {number}" for number in range(3000)]
    assert list(Automaton(keys).finds("é name 2999")) == [
        (2, 2, 8), (29, 2, 9), (299, 2, 10), (2999, 2, 11)
    ]  # fmt: skip


def test_half_of_a_pair_is_no_letter_of_a_key():
    assert list(Automaton(["b", "\ud800c"]).finds("a\ud800b")) == [(0, 2, 3)]


def test_no_keys():
    assert list(Automaton([]).finds("text")) == []
