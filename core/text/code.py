"""Blocks of code as HTML: highlighted by reviewed lexers, and folded behind their gist if long."""

import re
from collections.abc import MutableMapping
from functools import lru_cache
from html import escape
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name

from core.text.folding import FOLDED_FROM
from core.text.marking import Marker, marked, shown

HIGHLIGHTED = 12_000  # characters of code highlighted in one text

# Reviewed lexers; code of any other language is shown plain.
LEXERS = {
    alias: name
    for name, aliases in {
        "python": "python py python3 py3", "pycon": "pycon", "pytb": "pytb", "bash": "bash sh shell zsh",
        "console": "console shell-session", "c": "c", "cpp": "cpp c++ cc cxx hpp", "cuda": "cuda cu",
        "java": "java", "kotlin": "kotlin kt", "javascript": "javascript js", "typescript": "typescript ts",
        "go": "go golang", "rust": "rust rs", "json": "json", "yaml": "yaml yml", "toml": "toml",
        "ini": "ini cfg", "diff": "diff patch", "sql": "sql",
        "xml": "xml", "html": "html", "css": "css", "cmake": "cmake", "make": "make makefile",
        "docker": "docker dockerfile", "powershell": "powershell ps1", "ruby": "ruby rb", "lua": "lua",
    }.items()
    for alias in aliases.split()
}  # fmt: skip

_TRACE = re.compile(
    r"Traceback \(most recent call last\)|^[ \t]+at \S+.*[(:]|^[ \t]*File \".+\", line \d+"
    r"|panicked at|^#\d+ +0x",
    re.MULTILINE,
)
_ERROR_LINE = re.compile(r"^[\w.:]{0,100}(?:Error|Exception|Interrupt|Exit|panicked|FATAL)\b.*", re.MULTILINE)


def code_block(content: str, info: str, env: MutableMapping[str, Any]) -> str:
    """A block of code: highlighted while the text's allowance lasts, and folded behind its gist if long."""
    inner = _highlighted(content, info.split(maxsplit=1)[0].lower() if info else "", env)
    lines = content.count("\n") + (not content.endswith("\n"))
    if lines < FOLDED_FROM:
        label = f'<span class="lang">{escape(info)}</span>' if info else ""
        return f'<div class="codeblock">{label}<pre tabindex="0" dir="ltr">{inner}</pre></div>\n'
    trace = bool(_TRACE.search(content))
    name = _("Stack trace") if trace else info or pgettext("text of a program", "Code")
    size = ngettext("%(n)s line", "%(n)s lines", lines) % {"n": lines}
    return (
        f'<details class="fold"><summary><span class="medium">{escape(name)}</span>'
        f'<span class="lines">{size}</span>'
        f'<code class="gist">{escape(_code_gist(content, trace=trace))}</code></summary>'
        f'<pre tabindex="0" dir="ltr">{inner}</pre></details>\n'
    )


def _code_gist(content: str, *, trace: bool) -> str:
    """The most telling line: the last error of a stack trace, else the first line with words."""
    errors = _ERROR_LINE.findall(content) if trace else []
    if errors:
        return str(errors[-1])[:200]
    return next((line.strip()[:200] for line in content.splitlines() if any(map(str.isalnum, line))), "")


def _highlighted(content: str, language: str, env: MutableMapping[str, Any]) -> str:
    marker: Marker | None = env["marker"]
    if language not in LEXERS or len(content) > env["highlight_left"]:
        return shown(content, marker, in_code=True)
    env["highlight_left"] -= len(content)
    html = str(highlight(content, _lexer(LEXERS[language]), _FORMATTER))
    spans = marker.spans(content, in_code=True) if marker else ()
    return (marked(html, content, spans) or html) if spans else html


@lru_cache
def _lexer(name: str) -> Lexer:
    return get_lexer_by_name(name, stripnl=False, ensurenl=False)


_FORMATTER: "HtmlFormatter[str]" = HtmlFormatter(nowrap=True)
