"""The order of names in lists, by the reader's language."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from django.utils.translation import get_language

Row = TypeVar("Row")


def by_name(rows: Iterable[Row], name: Callable[[Row], str]) -> list[Row]:
    """The rows in the order of their names; Chinese ones by their pronunciation for readers of Chinese.

    Rows with the same name keep their order.
    """
    if (get_language() or "").startswith("zh"):
        from pypinyin import Style, lazy_pinyin  # noqa: PLC0415 - its dictionary takes 20 MB, for Chinese only

        return sorted(rows, key=lambda row: lazy_pinyin(name(row).casefold(), style=Style.TONE3))
    return sorted(rows, key=lambda row: name(row).casefold())
