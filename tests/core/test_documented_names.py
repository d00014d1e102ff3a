"""The Chinese documentation calls a button what the Chinese page calls it."""

import re
from collections import Counter
from pathlib import Path

import pytest

from scripts.translations import LOCALE, read

DOCS = Path(__file__).resolve().parents[2] / "docs"


def bold_names(path: Path) -> Counter[str]:
    """What a page sets in bold, each step of a way through the menus for itself."""
    bold = re.findall(r"(?<!\*)\*\*([^*\n]+)\*\*", path.read_text("utf-8"))
    return Counter(_plain(step) for text in bold for step in text.split("→"))


def _plain(name: str) -> str:
    return name.strip().rstrip(".。 …")


@pytest.mark.parametrize("page", sorted(path.name for path in (DOCS / "zh_Hans").glob("*.md")))
def test_names_of_buttons_are_those_of_the_pages(page):
    """Each bold name of the English page that is a text of the platform is bold in Chinese, as often, in the
    words of the catalogue.
    """
    said: dict[str, set[str]] = {}
    for message in read(LOCALE / "zh_Hans" / "LC_MESSAGES" / "django.po"):
        one = message.id if isinstance(message.id, str) else message.id[0]
        chinese = message.string if isinstance(message.string, str) else message.string[0]
        said.setdefault(_plain(one), set()).add(_plain(chinese))
    english, chinese = bold_names(DOCS / page), bold_names(DOCS / "zh_Hans" / page)
    names = {name: times for name, times in english.items() if name in said}

    assert len(names) > 20
    assert {
        name: said[name] for name, times in names.items() if sum(chinese[each] for each in said[name]) < times
    } == {}


def test_a_name_is_read_at_each_step_of_its_way(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("**Issues → Draw a sample** and **Delete round …**. *Not* ** this **\n**Issues**\n")

    assert bold_names(page) == {"Issues": 2, "Draw a sample": 1, "Delete round": 1, "this": 1}
