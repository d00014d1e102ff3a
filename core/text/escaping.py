"""Texts from outside as Markdown and LaTeX: in one line, with nothing in them that means something there."""

import re

# What could begin or end anything in Markdown, in GitHub's flavour too, where a bare address is a link.
_MEANING = re.compile(r"[\\`*_\[\]<>#|~&$]|(?<=www)\.|:(?=//)")
_AT_THE_START = re.compile(r"^(\s*)([-+=]|\d+(?=[.)]))")
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]"
)

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_",
    "%": r"\%", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    # After \\ a bracket would be read as its argument.
    "[": "{[}", "]": "{]}",
}  # fmt: skip


def markdown(text: str) -> str:
    """A text from outside on one line, with nothing in it that Markdown would read as its own."""
    line = " ".join(_UNSEEN.sub("", text).split())
    return _AT_THE_START.sub(
        r"\1\\\2" if not line[:1].isdigit() else r"\1\2\\", _MEANING.sub(r"\\\g<0>", line)
    )


def latex(text: str) -> str:
    """Text as LaTeX sets it, in one line. A star that begins it is no part of the \\\\ before it.

    A negative number is set as mathematics: not every font has a minus sign.
    """
    if re.fullmatch(r"−[\d.]+", text):
        return f"$-{text[1:]}$"
    line = " ".join(_UNSEEN.sub("", text).split())
    # Two hyphens would become a dash, as in the name of an option.
    text = re.sub("-(?=-)", "-{}", "".join(_LATEX.get(char, char) for char in line))
    return "{*}" + text[1:] if text.startswith("*") else text
