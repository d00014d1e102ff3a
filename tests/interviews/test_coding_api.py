"""Coding over REST: open, code, finish, settle; refused as on the pages."""

import pytest

from interviews.models import Coding
from tests.interviews.coding import quote, said
from tests.interviews.test_api import get, post, put
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.worlds.pages import cost

pytestmark = pytest.mark.django_db


@kept
def world() -> InterviewWorld:
    return interview_world()


def test_a_coding_goes_its_whole_way(world):
    new, body = (
        f"interviews/{world.session.pk}/coding/",
        {"taxonomy": world.version.taxonomy_id, "version": 1},
    )
    wrong = post(world.lead, new, body | {"coders": ["R3", "V1"]})
    assert (wrong.status_code, wrong.json()) == (400, {"coders": ["V1 cannot code in this study."]})
    wrong = post(world.lead, new, body | {"coders": ["R3", "R4"], "version": 2})
    assert list(wrong.json()) == ["version"]
    made = post(world.lead, new, body | {"coders": ["R3", "R4"]})
    assert made.status_code == 201
    path = f"codings/{made.json()['id']}/"
    assert made.json() == {
        "id": made.json()["id"], "interview": world.session.pk, "participant": "U1", "state": "open",
        "taxonomy": world.version.taxonomy_id, "version": 1, "transcript": 1,
        "coders": [
            {"who": "R3", "done": False, "released": False}, {"who": "R4", "done": False, "released": False},
        ],
        "quotes": [], "left_behind": [],
    }  # fmt: skip
    place = {"turn": 1, "start": 3, "end": 15, "transcript": 1}
    stored = put(
        world.coder, f"{path}quotes/", place | {"codes": ["C.9"], "open_codes": ["night"], "memo": "m"}
    )
    assert stored.json() == {
        "key": "R3.1.3.15", "by": "R3", "transcript": 1, "turn": 1, "start": 3, "end": 15, "text": "train models",
        "codes": ["C.9"], "open_codes": ["night"], "memo": "m", "strength": None, "dropped": False,
    }  # fmt: skip
    assert put(world.coder, f"{path}quotes/", place | {"codes": ["Z"]}).json()["field"] == "codes"
    put(world.coder, f"{path}quotes/", place | {"end": 11, "codes": ["A.1"]})
    assert post(world.coder, f"{path}quotes/", place | {"end": 11}).status_code == 204
    put(world.other, f"{path}quotes/", place | {"start": 9, "codes": ["A.1"]})
    assert [one["by"] for one in get(world.coder, path).json()["quotes"]] == ["R3"]
    assert get(world.lead, path).json()["quotes"] == []
    post(world.coder, f"{path}done/")
    assert post(world.coder, f"{path}done/", {"done": False}).json()["coders"][0]["done"] is False
    post(world.coder, f"{path}done/")
    revealed = post(world.other, f"{path}done/").json()
    assert (revealed["state"], [one["by"] for one in revealed["quotes"]]) == ("revealed", ["R3", "R4"])

    [item] = get(world.lead, f"{path}items/").json()
    keys = [one["key"] for one in item["quotes"]]
    assert (item["is_open"], keys, item["settled"]) == (True, ["R3.1.3.15", "R4.1.9.15"], [])
    assert post(world.lead, f"{path}settle/").json()["code"] == "QuotesOpen"
    body = {"keys": keys, "outcome": "merge", "codes": ["A.1", "C.9"], "rationale": "both"}
    [item] = post(world.other, f"{path}items/", body).json()
    [row] = item["settled"]
    assert (row["method"], row["by"], row["rationale"], row["quote"]["text"], row["quote"]["codes"]) == (
        "talk", "R4", "both", "train models", ["A.1", "C.9"],
    )  # fmt: skip
    assert post(world.other, f"{path}items/", body).json()["code"] == "SettledMeanwhile"
    [item] = post(world.other, f"{path}items/undo/", {"keys": keys}).json()
    assert item["is_open"]
    post(world.other, f"{path}items/", {"keys": keys, "outcome": "keep", "keep": keys[:1]})
    assert post(world.coder, f"{path}settle/").json()["state"] == "settled"
    assert post(world.coder, f"{path}reopen/").status_code == 403
    assert post(world.lead, f"{path}reopen/").json()["state"] == "revealed"
    assert ("", "train models", ("C.9", "night")) in said(Coding.objects.get())


def test_lists_cost_the_same_for_one_and_for_three(world):
    coding = world.open_coding()
    path = f"codings/{coding.pk}/"
    quote(coding, world.coder, "models", "A.1", "x")

    def costs() -> list[int]:
        paths = (path, f"studies/{world.study.slug}/codings/")
        return [cost(lambda path=path: get(world.coder, path)) for path in paths]

    costs()  # the first time asks for more
    one = costs()
    quote(coding, world.coder, "night", "A.1", "y")
    quote(coding, world.coder, "memory", "A.1", "C.9")
    assert costs() == one
