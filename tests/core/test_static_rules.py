"""Each rule of HTML, SQL and scope refuses what it should, and lets its safe twin through (scripts/static_rules.py)."""

import tomllib

import pytest

from scripts.static_rules import (
    LET_THROUGH,
    RENDERER,
    Fault,
    complaints,
    faults_of_code,
    faults_of_template,
    findings,
)

VIEW = "rounds/views/rounds.py"


@pytest.mark.parametrize(
    ("rule", "unsafe", "safe"),
    [
        ("html", "mark_safe(text)", "mark_safe('<br>')"),
        ("html", "SafeString(text)", "SafeString()"),
        ("html", "safestring.mark_safe(f'<b>{name}</b>')", "format_html('<b>{}</b>', name)"),
        ("sql", "cursor.execute(f'SELECT {name}')", "cursor.execute('SELECT %s', [name])"),
        ("sql", "cursor.execute('SELECT ' + f'{name}')", "cursor.execute('SELECT ' + _PARTS)"),
        ("sql", "cursor.execute('SELECT {}'.format(name))", "cursor.execute(_TOLD.format(_COLUMNS))"),
        ("sql", "cursor.execute('SELECT %s' % f'{name}')", "cursor.execute(_STATEMENT, {'name': name})"),
        ("sql", "cursor.execute(', '.join(names))", "cursor.execute(f'DROP TABLE {quote_ident(name, cursor)}')"),
        ("sql", "found.raw(f'SELECT {name}')", "RawSQL('SELECT %s', [name])"),
        ("scope", "Round.objects.get(pk=round_id)", "rounds_for(user).get(pk=round_id)"),
        ("scope", "Round.objects.all()", "study.rounds.all()"),
        ("scope", "get_object_or_404(Round.objects, pk=round_id)", "get_object_or_404(Round.objects, pk=round_id, study=study)"),
        ("scope", "Issue.objects.filter(pk__in=asked)", "Issue.objects.filter(pk__in=asked, in_rounds__round=round_)"),
        ("scope", "Issue.objects.order_by('pk')[:5]", "Issue.objects.select_related('current').filter(Q(round=round_))"),
    ],
)  # fmt: skip
def test_code(rule, unsafe, safe):
    assert [fault.rule for fault in faults_of_code(unsafe, VIEW)] == [rule]
    assert list(faults_of_code(safe, VIEW)) == []


def test_the_renderer_makes_html_and_actions_lock_by_number():
    assert list(faults_of_code("mark_safe(text)", RENDERER)) == []
    get = "Round.objects.select_for_update().get(pk=round_.pk)"
    assert list(faults_of_code(get, "rounds/actions/rounds.py")) == []
    for path in ("rounds/api/rounds.py", "core/views.py", "studies/api.py"):
        assert [fault.rule for fault in faults_of_code(get, path)] == ["scope"]


@pytest.mark.parametrize(
    ("unsafe", "safe"),
    [
        ("{{ text|safe }}", "{{ text }}"),
        ("<b>{{ field.help_text | safe }}</b>", "<p>safe|sound</p>"),
        ("{{ names|safeseq|join:', ' }}", "{{ names|join:', ' }}"),
        ("{% autoescape off %}{{ text }}", "{% autoescape on %}{{ text }}"),
    ],
)
def test_templates(unsafe, safe):
    assert [(fault.rule, fault.line) for fault in faults_of_template(f"\n{unsafe}\n")] == [("html", 2)]
    assert list(faults_of_template(safe)) == []


def test_what_is_let_through_is_counted():
    found = {("html", "a.py"): [Fault("html", 3, "said"), Fault("html", 9, "said")]}
    assert list(complaints(found, {"html": {"a.py": "2: a template drew it"}})) == []
    assert list(complaints(found, {"html": {"a.py": "1: a template drew it"}})) == [
        "a.py:3: html: said",
        "a.py:9: html: said",
    ]
    assert list(complaints({}, {"html": {"a.py": "1: a template drew it"}})) == [
        "a.py: html: static_rules.toml has 1 places, and there are 0"
    ]


def test_the_project_keeps_the_rules_but_for_places_with_a_reason():
    let_through = tomllib.loads(LET_THROUGH.read_text(encoding="utf-8"))
    assert list(complaints(findings(), let_through)) == []
    assert all(said.partition(": ")[2] for files in let_through.values() for said in files.values())
