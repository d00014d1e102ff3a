import pytest

from scripts.texts import Text, of_python, of_template, texts
from scripts.translations import tight


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('gettext("Open round")', [("Open round", "", "")]),
        ('_("Open " "round")', [("Open round", "", "")]),
        ('pgettext("verb", "Label")', [("Label", "", "verb")]),
        ('ngettext("%(n)d issue", "%(n)d issues", n)', [("%(n)d issue", "%(n)d issues", "")]),
        ('gettext_noop("no labels")', [("no labels", "", "")]),
        ("gettext(name)", []),
        ('strip("Open round")', []),
    ],
)
def test_calls_of_python_are_found_by_any_name(source, found):
    module = f"from django.utils.translation import gettext as _\n{source}\n"

    said = [(one.singular, one.plural, one.context) for one in of_python(module, "rounds/words.py")]

    assert said == found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('{% translate "50 % of it" %}', ("50 %% of it", "", "")),
        ('{% translate "Label" context "verb" %}', ("Label", "", "verb")),
        ('{% include "a.html" with title=_("Open round") %}', ("Open round", "", "")),
        ("{% blocktranslate %}{{ n }} of 5 %{% endblocktranslate %}", ("%(n)s of 5 %%", "", "")),
        (
            "{% blocktranslate trimmed count n=n %}\n {{ n }} issue\n {% plural %}\n {{ n }} issues\n{% endblocktranslate %}",
            ("%(n)s issue", "%(n)s issues", ""),
        ),
        ('{% blocktranslate context "verb" %}Label{% endblocktranslate %}', ("Label", "", "verb")),
    ],
)
def test_tags_of_templates_are_found_as_gettext_gets_them(source, found):
    (text,) = of_template(source, "templates/rounds/a.html")

    assert (text.singular, text.plural, text.context) == found


def test_a_text_has_its_line():
    source = "<p>\n{% blocktranslate %}Hello{% endblocktranslate %}"

    assert list(of_template(source, "templates/a.html")) == [Text("templates/a.html", 2, "Hello")]


def test_texts_of_a_room_are_those_of_its_code_and_its_templates():
    rooms = {one.file.split("/")[0] for one in texts(["boards"])}

    assert rooms == {"boards", "templates"}
    assert {one.file.split("/")[1] for one in texts(["boards"]) if one.file.startswith("templates")} == {
        "boards"
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("超过 99 小时", ""),
        ("超过99小时", "过9"),
        ("每个issue", "个i"),
        ("issue列表", "e列"),
        ("占 50 %%的", "%的"),
        ("共%(n)s条", ""),
        ("写`issue`，见“使用llama模型”和[同事1]", ""),
        ('<b>issue</b>，见<a href="x">文档</a>', ""),
    ],
)
def test_a_blank_stands_between_chinese_and_latin_or_numbers(text, found):
    assert tight(text) == found
