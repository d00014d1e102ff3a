"""Words of texts that are compared, without case and width."""

import re
import unicodedata

CJK = "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
"""Chinese, Japanese and Korean characters, as a part of a pattern's brackets: no spaces are between words."""

_ADDRESS = r"https?://[^\s<>()\[\]\"'`]+"
_WORD = re.compile(rf"{_ADDRESS}|[{CJK}]|(?:(?![{CJK}])\w)+")
_ASCII_WORD = re.compile(rf"{_ADDRESS}|\w+", re.ASCII)


def folded(text: str) -> str:
    """The text after NFKC and casefold."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def words(text: str) -> list[str]:
    """The words of a folded text; an address is one word, and so is each character of CJK."""
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)
