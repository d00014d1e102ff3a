import ast
from pathlib import Path

import pytest

from studies import audit
from studies.models import Event

pytestmark = pytest.mark.django_db


def line(verb, **detail):
    found = audit.line(Event(verb=verb, detail=detail))
    return found.sentence, found.details


def test_line_says_a_known_verb():
    assert line("people.joined", member="R3", role="volunteer") == ("R3 joined as volunteer", [])


def test_line_lists_what_the_sentence_does_not_say():
    assert line("people.invited", role="lead", note="Hana", empty="") == (
        "Invited a new lead",
        [("note", "Hana")],
    )


def test_line_of_an_unknown_verb_reads_plainly():
    assert line("rounds.opened_early", name="Main", issues=41, kinds=["a", "b"], crossed=True) == (
        "Rounds: opened early",
        [("name", "Main"), ("issues", "41"), ("kinds", "a, b"), ("crossed", "yes")],
    )


def test_line_whose_values_are_missing_reads_plainly():
    assert line("people.joined", member="R3") == ("People: joined", [("member", "R3")])


def test_line_with_percent_signs_in_its_values():
    assert line("studies.created", name="100 % %(role)s") == ("Made the study 100 % %(role)s", [])


def test_line_never_says_which_issue():
    assert line("meetings.decided", meeting="Thursday", issue=4711, number=2) == (
        "Recorded a decision of the meeting Thursday",
        [("number", "2")],
    )


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
