"""A paragraph for a paper as LaTeX and as Markdown."""

from core.text.escaping import latex, markdown

_GREEK = {"κ": r"$\kappa$", "α": r"$\alpha$", "±": r"$\pm$", "−": "$-$"}
"""Letters and signs that fonts of LaTeX lack outside of mathematics."""


def markdown_paragraph(text: str) -> str:
    """The text as a paragraph of Markdown."""
    return f"{markdown(text)}\n"


def latex_paragraph(text: str) -> str:
    """The text as a paragraph of LaTeX, which every engine can set."""
    return "".join(_GREEK.get(letter, letter) for letter in latex(text)) + "\n"
