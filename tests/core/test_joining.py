import pytest
from django.utils import translation

from core.text.joining import clauses, listed, named, remarks, stop


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ("C.1, C.9", "3 types, 18 themes", "a, b; c", "Cause: slip.")),
        ("zh-hans", ("C.1、C.9", "3 types，18 themes", "a, b；c", "Cause：slip。")),
    ],
)
def test_parts_are_put_together_as_the_language_does(language, said):
    with translation.override(language):
        found = (
            listed(["C.1", "C.9"]),
            clauses(["3 types", "18 themes"]),
            remarks(["a, b", "c"]),
            named("Cause", "slip") + stop(),
        )
    assert found == said


def test_one_part_or_none_has_no_mark_beside_it():
    assert (listed(n for n in [1]), clauses([]), remarks(["a"])) == ("1", "", "a")
