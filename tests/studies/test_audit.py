import ast
from pathlib import Path

import pytest

from studies import actions, audit, queries
from studies.models import Event
from tests.factories import make_study, make_user

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
    calls = [
        node
        for path in root.glob("*/actions/*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "record"
    ]
    verbs = {
        call.args[1].value for call in calls if len(call.args) > 1 and isinstance(call.args[1], ast.Constant)
    }
    assert len(verbs) > 20
    assert {verb for verb in verbs if verb not in audit._sentences} == set()


def test_say_teaches_a_verb(monkeypatch):
    monkeypatch.setattr(audit, "_sentences", dict(audit._sentences))
    audit.say("rounds.opened", "Opened %(name)s")
    assert line("rounds.opened", name="Main", issues=3) == ("Opened Main", [("issues", "3")])


def test_event_pages_walk_the_audit_both_ways(django_assert_num_queries):
    study, by = make_study(), make_user()
    made = [actions.record(study, "rounds.opened", by, number=number) for number in range(7)]
    actions.record(make_study(), "rounds.opened", by, number=99)

    def page(**keys):
        with django_assert_num_queries(1):
            found = queries.event_page(study, size=3, **keys)
        return [event.detail["number"] for event in found.events], found.older, found.newer

    ids = [event.pk for event in made]
    assert page() == ([6, 5, 4], ids[4], None)
    assert page(before=ids[4]) == ([3, 2, 1], ids[1], ids[3])
    assert page(before=ids[1]) == ([0], None, ids[0])
    assert page(after=ids[0]) == ([3, 2, 1], ids[1], ids[3])
    assert page(after=ids[3]) == ([6, 5, 4], ids[4], None)
    assert page(before=ids[0]) == ([], None, None)
    assert queries.event_page(make_study()).events == []
