import pytest
from django.utils import translation

from core.text.sorting import by_name

NAMES = ["张伟", "beta", "李娜", "Alpha", "王芳", "赵强", "阿明"]


@pytest.mark.parametrize(
    ("language", "order"),
    [
        ("zh-hans", ["阿明", "Alpha", "beta", "李娜", "王芳", "张伟", "赵强"]),
        ("en", ["Alpha", "beta", "张伟", "李娜", "王芳", "赵强", "阿明"]),
    ],
)
def test_names_stand_in_the_order_of_the_language(language, order):
    with translation.override(language):
        assert by_name(NAMES, str) == order


def test_equal_names_keep_their_order():
    rows = [("b", 1), ("B", 2), ("a", 3)]

    assert by_name(rows, lambda row: row[0]) == [("a", 3), ("b", 1), ("B", 2)]
