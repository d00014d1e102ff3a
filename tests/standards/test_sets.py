"""Sets of items as files: that of Crosscheck, those of a folder, and what is refused."""

import pytest
from django.utils import translation

from standards.checks import CHECKS
from standards.sets import HERE, SetRefusedError, read_standard, standards
from standards.sets.system_checks import unreadable_sets

OWN = """
key = "ours"
name = "What our group asks"
version = "1"
source = "Our handbook"
[[sections]]
name = "Data"
[[sections.items]]
number = "1"
kind = "E"
text = "The raters are named by pseudonyms."
check = "de_identified"
[[sections.items]]
number = "2"
kind = "D"
text = "Somebody outside of the group read the guideline."
question = "Who?"
"""


def test_the_set_of_crosscheck_has_57_items_each_with_a_check():
    found = read_standard((HERE / "reviewers.toml").read_bytes(), CHECKS)
    assert len(found.items) == 57
    assert {one.check for one in found.items} == set(CHECKS)
    assert [one.number for one in found.items if not one.text.zh] == []


def test_items_are_read_in_both_languages():
    found = read_standard((HERE / "reviewers.toml").read_bytes(), CHECKS)
    item = found.item("I13")
    with translation.override("zh-hans"):
        assert str(item.text) == "每个对象由三名以上标注者标注。"
    with translation.override("en"):
        assert str(item.text) == "More than three raters rated each object."


def test_a_group_adds_its_own_set_in_a_folder(settings, tmp_path):
    settings.STANDARDS_FOLDER = str(tmp_path)
    (tmp_path / "ours.toml").write_text(OWN)
    assert list(standards(CHECKS)) == ["reviewers", "ours"]
    assert [one.number for one in standards(CHECKS)["ours"].items] == ["1", "2"]
    assert unreadable_sets() == []


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('kind = "E"', 'kind = "Q"', "kind is one of"),
        ('check = "de_identified"', 'check = "__import__"', "there is no check"),
        ('number = "2"', 'number = "1"', "twice: 1"),
        ('number = "2"', 'number = "../2"', "number"),
        ('key = "ours"', 'key = "files"', "key"),
        ('version = "1"', "version = 1", "version"),
        ('name = "Data"', "", "name"),
        ("[[sections]]", "[[parts]]", "sections"),
        ('key = "ours"', "key =", "no TOML"),
    ],
)
def test_a_faulty_file_is_left_out_and_named(settings, tmp_path, old, new, why):
    settings.STANDARDS_FOLDER = str(tmp_path)
    (tmp_path / "ours.toml").write_text(OWN.replace(old, new, 1))
    assert list(standards(CHECKS)) == ["reviewers"]
    [warning] = unreadable_sets()
    assert "ours.toml is left out" in warning.msg
    assert why in warning.msg


def test_a_file_that_is_too_large_is_refused():
    with pytest.raises(SetRefusedError, match="larger than"):
        read_standard(b"#" * 200_001, CHECKS)


def test_a_second_file_with_a_known_key_changes_nothing(settings, tmp_path):
    settings.STANDARDS_FOLDER = str(tmp_path)
    (tmp_path / "ours.toml").write_text(OWN.replace('key = "ours"', 'key = "reviewers"'))
    assert len(standards(CHECKS)["reviewers"].items) == 57
    assert [one.id for one in unreadable_sets()] == ["standards.W002"]
