"""What people read is collected as gettext collects it, and each rule of words refuses what it should, and no more."""

import pytest

from scripts import check_words
from scripts.check_words import (
    Rules,
    Said,
    bare_marks,
    findings,
    read_rules,
    said_in_code,
    said_in_template,
    sentences,
)

RULES = Rules(
    avoid={"anew": "“again”", "we|our": "“you”"},
    glossary={"projects?": "“study”"},
    verbs=["Open", "Show"],
    other_buttons={"More": "unfolds"},
    exceptions={"GitHub projects?": "its own name"},
)
TWENTY_FIVE = "Word " * 24 + "word."


def faults(text: str, role: str = "") -> list[str]:
    return list(RULES.faults(Said(1, text, role)))


# --- What is collected


def test_said_in_code():
    source = """
from django.utils.translation import gettext as _, gettext_lazy, ngettext, pgettext as _p
A = _("one" " and more") + str(_(variable))
B = ngettext("%(n)s issue", "%(n)s issues", n)
C = _p("verb", "Label"), other("not me"), "nor me"
D = Field(help_text=gettext_lazy("A hint."), label=gettext_lazy("A label"))
E = Empty(action=_("Open it"))
"""
    found = sorted((text.line, text.text, text.role) for text in said_in_code(source))
    assert found == [
        (3, "one and more", ""),
        (4, "%(n)s issue", ""),
        (4, "%(n)s issues", ""),
        (5, "Label", ""),
        (6, "A hint.", "hint"),
        (6, "A label", ""),
        (7, "Open it", "button"),
    ]


def test_texts_of_templates():
    source = """{% load i18n %}{# {% translate "no" %} #}{% comment %}{% translate "nor" %}{% endcomment %}
<p class="hint">{% translate "A hint." %}</p><p>{% translate 'Text' context "x" %}</p>
{% blocktranslate count n=n|count %}{{ n }} <b>issue</b>{% plural %}{{ n }} issues{% endblocktranslate %}
<button class="btn{% if x %} primary{% endif %}" title="{% translate "Why" %}">{% icon "x" %}<span>{% translate "Open" %}</span></button>
<button aria-label="{% translate 'Close' %}"><img src="a"><span class="sr">{% translate "Read out" %}</span></button>
<a href="{% url 'a' %}">{% translate "Link" %}</a><a class="btn small" href="/">{% translate "Go" %}</a>
<input type="submit" value="{% translate 'Send' %}"><input value="{% translate 'Typed' %}">
{% include "a.html" with text=_("Nothing yet.") action=_('Make one') %}{% translate "As" as submit %}
<button role="tab">{% translate "Tab" %}</button>
{% blocktranslate trimmed %}
  Two
  lines
{% endblocktranslate %}"""
    found = [(text.line, text.text, text.role) for text in said_in_template(source)]
    assert found == [
        (2, "A hint.", "hint"),
        (2, "Text", ""),
        (3, "%(n)s <b>issue</b>", ""),
        (3, "%(n)s issues", ""),
        (4, "Why", ""),
        (4, "Open", "button"),
        (5, "Close", "button"),
        (5, "Read out", ""),
        (6, "Link", ""),
        (6, "Go", "button"),
        (7, "Send", "button"),
        (7, "Typed", ""),
        (8, "Nothing yet.", ""),
        (8, "Make one", "button"),
        (8, "As", "button"),
        (9, "Tab", ""),
        (10, "Two lines", ""),
    ]


# --- Sentences


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("One. Two? “Three.” Four", ["One.", "Two?", "“Three.”", "Four"]),
        ("At 2.5 % of C.3.ii, e.g. Monday, see No. 5.", ["At 2.5 % of C.3.ii, eg Monday, see No 5."]),
        ("Type `git log --oneline. A` now", ["Type X now"]),
        ("<b>%(n)s issues</b> of {name} &amp; others.", ["X issues of X & others."]),
        ("%(n)s left. %(more)s wait.", ["X left.", "X wait."]),
        ("Ends: a, b; c", ["Ends: a, b; c"]),
        ("First\n\nSecond\n* third", ["First", "Second", "third"]),
    ],
)
def test_sentences(text, said):
    assert sentences(text) == said


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (TWENTY_FIVE, []),
        (f"{TWENTY_FIVE} {TWENTY_FIVE}", []),
        (f"One {TWENTY_FIVE}", ["26 words in a sentence, at most 25"]),
        (TWENTY_FIVE.replace(" ", " – ", 1), []),
        (TWENTY_FIVE.replace("Word", "%(of two)s", 1), []),
    ],
)
def test_long_sentences(text, found):
    assert faults(text) == found


@pytest.mark.parametrize(
    ("text", "role", "found"),
    [
        ("One. Two.", "hint", []),
        ("One. Two. Three.", "hint", ["3 sentences in a hint, at most 2"]),
        ("One. Two. Three.", "", []),
    ],
)
def test_long_hints(text, role, found):
    assert faults(text, role) == found


@pytest.mark.parametrize("start", ["It", "What", "Whatever", "Who", "Whoever", "Those"])
def test_a_sentence_has_a_subject(start):
    assert faults(f"Saved. {start} is kept.") == [
        f"a sentence about “{start}”, not about a thing or a person"
    ]
    assert faults(f"{start} is this?") == []
    assert faults(f"{start} is in a heading") == []
    assert faults(f"The text is kept, {start.lower()} is long.") == []


# --- Words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Begin anew", ["not “anew” but “again”"]),
        ("Anewed", []),
        ("`anew` is a command", []),
        ("Our issues", ["not “Our” but “you”"]),
        ("Your issues, an hour", []),
        ("A project", ["not “project” but “study”"]),
        ("A GitHub project", []),
        ("A GitHub project of a project", ["not “project” but “study”"]),
        ("Done!", ["an exclamation mark"]),
        ("Done: `!important`", []),
    ],
)
def test_words_to_avoid(text, found):
    assert faults(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Open round", []),
        ("Show %(n)s issues", []),
        ("Round", ["a button that does not begin with a verb (“Round”)"]),
        ("Opening", ["a button that does not begin with a verb (“Opening”)"]),
        ("Open it", ["a button that does not name its object"]),
        ("Show all", ["a button that does not name its object"]),
        ("More", []),
        ("(of %(n)s)", []),
        ("of all", []),
        ("%(name)s", []),
    ],
)
def test_buttons(text, found):
    assert faults(text, "button") == found
    assert faults(text) == []


# --- Files


WRONG = 'from django.utils.translation import gettext as _\nA = _("Begin  anew")\n'


@pytest.fixture
def house(tmp_path):
    """A house of the rooms `one` and `two`, with wrong words everywhere."""
    for folder in ("one", "two", "tests", "templates/one", "templates/shared", "one/migrations"):
        (tmp_path / folder).mkdir(parents=True)
        if not folder.startswith("templates"):
            (tmp_path / folder / "__init__.py").touch()
    for name in ("one/a.py", "two/b.py", "tests/c.py", "one/migrations/d.py"):
        (tmp_path / name).write_text(WRONG)
    (tmp_path / "templates/one/e.html").write_text('\n{% translate "Done!" %}')
    (tmp_path / "templates/shared/f.html").write_text('{% translate "Done!" %}')
    return tmp_path


def test_findings_name_file_line_and_text(house):
    assert list(findings(["one"], RULES, house)) == [
        "one/a.py:2: not “anew” but “again”: Begin anew",
        "templates/one/e.html:2: an exclamation mark: Done!",
    ]


def test_the_command_fails_where_there_is_something_to_change(house, capsys):
    assert check_words.main(["two"], house) == 1
    assert capsys.readouterr().out.startswith("two/b.py:2: not “anew”")
    (house / "two/b.py").write_text(WRONG.replace("anew", "again"))
    assert check_words.main(["two"], house) == 0
    assert capsys.readouterr().out == "All words are in order.\n"
    assert check_words.main(["kitchen"], house) == 2
    assert capsys.readouterr().out == "No such room: kitchen. The rooms are one, two.\n"


@pytest.mark.parametrize(
    ("template", "shown"),
    [
        ('{{ a }}, {% translate "b" %}', ["…, …"]),
        ("<b>{{ a }}</b>:\n", ["…:"]),
        ("{% blocktranslate %}a{% endblocktranslate %}.", ["…."]),
        ("{{ a }} ({{ b }})", ["… (…)"]),
        ("{{ a }}{% comma %}{{ b }}{% colon %}{{ c }}{% stop %}", []),
        ("{% blocktranslate %}{{ a }}, {{ b }}: {{ c }} ({{ d }}).{% endblocktranslate %}", []),
        ('<i title="{{ a }}, {{ b }}">{{ a }}&nbsp;{{ b }}</i>{# {{ a }}, #}', []),
    ],
)
def test_marks_between_texts_are_those_of_the_language(template, shown):
    assert [said for _line, said in bare_marks(template)] == shown


def test_all_files_of_the_project_can_be_read():
    """Every template belongs to a room, so none is left unread."""
    read = [path for room in check_words.rooms() for path in check_words.files_of(room)]
    templates = [path for path in (check_words.ROOT / "templates").rglob("*.*") if path.is_file()]
    assert set(templates) <= set(read)
    assert len(read) == len(set(read))


def test_the_tables_are_in_order():
    rules = read_rules()
    assert list(rules.verbs) == sorted(set(rules.verbs))
    # What the tables propose breaks no rule of theirs.
    assert [better for _, better in rules.patterns if not better.strip()] == []
    assert [reason for reason in (rules.exceptions | rules.other_buttons).values() if not reason] == []
