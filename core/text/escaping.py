"""Texts from outside as one line of Markdown or LaTeX, without characters that have a meaning there."""

import re

# Characters with a meaning in Markdown, also in GitHub's flavour, where a bare address is a link.
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
    # What fonts have in mathematics only.
    "κ": r"$\kappa$", "α": r"$\alpha$", "χ": r"$\chi$", "Σ": r"$\Sigma$", "π": r"$\pi$", "²": r"$^2$",
    "±": r"$\pm$", "−": "$-$", "×": r"$\times$", "≤": r"$\leq$", "≥": r"$\geq$", "→": r"$\rightarrow$",
    "∅": r"$\emptyset$", "√": r"$\surd$",
}  # fmt: skip
_PLAIN = re.compile(
    "[\x20-\x7e\xa0-\xff\\s‘’“”–—…•€" + "".join(letter for letter in _LATEX if letter > "~") + "]*"
)


def markdown(text: str) -> str:
    """A text from outside as one line, with everything escaped that Markdown would interpret."""
    line = " ".join(_UNSEEN.sub("", text).split())
    return _AT_THE_START.sub(
        r"\1\\\2" if not line[:1].isdigit() else r"\1\2\\", _MEANING.sub(r"\\\g<0>", line)
    )


def latex(text: str) -> str:
    r"""Text as one line of LaTeX. A star at its start is protected from a preceding `\\`. A negative number
    is set as mathematics, because not every font has a minus sign.
    """
    if re.fullmatch(r"−[\d.,]+", text):
        return f"$-{text[1:].replace(',', '{,}')}$"
    line = " ".join(_UNSEEN.sub("", text).split())
    # Two hyphens would become a dash, as in the name of an option.
    text = re.sub("-(?=-)", "-{}", "".join(_LATEX.get(char, char) for char in line))
    return "{*}" + text[1:] if text.startswith("*") else text


def is_plain_latex(text: str) -> bool:
    """Can every LaTeX set this text once it is escaped? Other letters need XeLaTeX or LuaLaTeX."""
    return _PLAIN.fullmatch(_UNSEEN.sub("", text)) is not None
