"""A paragraph for a paper as LaTeX and as Markdown."""

from core.text.escaping import latex, markdown


def markdown_paragraph(text: str) -> str:
    """The text as a paragraph of Markdown."""
    return f"{markdown(text)}\n"


def latex_paragraph(text: str) -> str:
    """The text as a paragraph of LaTeX, which every engine can set."""
    return f"{latex(text)}\n"
