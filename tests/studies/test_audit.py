import ast
from pathlib import Path

import pytest
from django.utils import translation

from studies import audit
from studies.models import Event

pytestmark = pytest.mark.django_db


def line(verb, **detail):
    found = audit.line(Event(verb=verb, detail=detail))
    return found.sentence, found.details


@pytest.mark.parametrize(
    ("verb", "detail", "sentence", "details"),
    [
        ("people.joined", {"member": "R3", "role": "volunteer"}, "R3 joined as volunteer", []),
        (
            "people.invited",
            {"role": "lead", "note": "H", "empty": ""},
            "Invited a new member as lead",
            [("note", "H")],
        ),
        (
            "rounds.opened_early",
            {"name": "Main", "issues": 41, "kinds": ["a", "b"], "crossed": True},
            "Rounds: opened early",
            [("name", "Main"), ("issues", "41"), ("kinds", "a, b"), ("crossed", "yes")],
        ),
        ("people.joined", {"member": "R3"}, "People: joined", [("member", "R3")]),
        (
            "taxonomies.answered",
            {"name": "Docs", "category": "C.11"},
            "Chose the category C.11 for a proposed name",
            [],
        ),
        ("studies.created", {"name": "100 % %(role)s"}, "Created the study 100 % %(role)s", []),
        (
            "meetings.decided",
            {"meeting": "Thursday", "issue": 4711, "number": 2},
            "Recorded a decision of the meeting Thursday",
            [("number", "2")],
        ),
    ],
    ids=[
        "known",
        "more than it says",
        "unknown",
        "lacks values",
        "an answer",
        "percent signs",
        "never the issue",
    ],
)
def test_an_event_is_said(verb, detail, sentence, details):
    assert line(verb, **detail) == (sentence, details)


@pytest.mark.parametrize(
    ("verb", "detail", "value"),
    [
        ("taxonomies.decided", {"number": 3, "outcome": "no quorum"}, "投票人数不足"),
        ("similar.marked", {"kind": "distinct", "pairs": 2}, "不相似"),
    ],
)
def test_values_are_said_in_the_readers_language(verb, detail, value):
    with translation.override("zh-hans"):
        assert value in line(verb, **detail)[0]


def test_every_verb_that_is_recorded_is_said():
    root = Path(__file__).parents[2]
    place = {"record": 1, "record_in_round": 0, "record_in_meeting": 0}
    said = [
        node.args[place[node.func.id] :][:1]
        for path in root.glob("*/actions/*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in place
    ]
    verbs = {verb.value for given in said for verb in given if isinstance(verb, ast.Constant)}
    assert {"meetings.closed", "decisions.settled"} <= verbs
    assert len(verbs) > 20
    assert {verb for verb in verbs if verb not in audit._sentences} == set()


def test_say_teaches_a_verb(monkeypatch):
    monkeypatch.setattr(audit, "_sentences", dict(audit._sentences))
    audit.say("rounds.opened", "Opened %(name)s")
    assert line("rounds.opened", name="Main", issues=3) == ("Opened Main", [("issues", "3")])
