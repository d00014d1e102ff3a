# ruff: noqa: ARG002 - the rules of a renderer share one signature
"""The only renderer of text from outside: Markdown to a small, inert subset of HTML.

Of HTML only pictures, links, `<details>` and comments are read (`tags`, `details`). Forbidden parts (all
other HTML, relative links, `javascript:` addresses) are shown as text, because volunteers judge them. The
output never makes a browser send a request: images become links. A template shows it inside
`<div class="prose" hx-disable>`.
"""

import re
from collections.abc import MutableMapping, Sequence
from html import escape
from importlib import import_module
from typing import Any

import nh3
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.reference import reference
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from pygments.token import STANDARD_TYPES

from core.text.code import HIGHLIGHTED, code_block
from core.text.details import BREAKS_INTO, pair_details, read_comment, read_details
from core.text.folding import FOLDED_COMMENT, fold_long
from core.text.limits import DEEPEST, TooMuchError
from core.text.marking import Marker, shown
from core.text.tags import pair_tags, read_tag
from core.text.tasks import read_tasks
from core.text.templates import TemplateLine, fold_templates
from core.text.visible import pictured, visible

Env = MutableMapping[str, Any]

LONGEST = 400_000  # characters rendered as markdown; a longer text is shown unformatted
HIGHEST_HEADING = 3  # below the page's h1 and its sections
STEPS_PER_CHARACTER = 40  # inline steps; only an attacker's text needs more

REL = "noopener noreferrer nofollow ugc"
_CLASSES: dict[str, set[str]] = {
    "a": {"pic"},
    "p": {"refdef"},
    "div": {"codeblock", "tablewrap", "in"},
    "details": {"fold", "rest", "told"},
    "mark": {"kw"},
    "code": {"gist"},
    "li": {"task"},
    "span": {"lang", "medium", "lines", "clip", "gist", "box", "on", *filter(None, STANDARD_TYPES.values())},
    "th": {"ar", "ac"},
    "td": {"ar", "ac"},
}
_ATTRIBUTES: dict[str, set[str]] = {
    "a": {"href", "title", "rel", "target"},
    "pre": {"tabindex", "dir"},
    "span": {"role", "aria-label", "dir"},
    "details": {"open"},
    "ol": {"start", "dir"},
    **{tag: {"dir"} for tag in ("p", "ul", "li", "blockquote", "h3", "h4", "h5", "h6", "th", "td", "table")},
}
_BLOCKS = {"paragraph_open", "heading_open", "blockquote_open", "list_item_open", "th_open", "td_open"}
_TAGS = {
    "p", "br", "hr", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong",
    "s", "a", "div", "span", "details", "summary", "table", "thead", "tbody", "tr", "th", "td",
    "mark",
}  # fmt: skip

_LINK = re.compile(r"(?:https?://[^/?#\s]|mailto:[^\s])", re.IGNORECASE)
_BARE_URL = re.compile(r"https?://[^\s<>\"“”‘’「」（），。、；：]+", re.IGNORECASE)
_GIST_NOISE = re.compile(
    r"```.*?(?:```|\Z)|<!--.*?(?:-->|\Z)|</?(?:img|a|details|summary|p)(?:\s[^<>]*)?/?>"
    r"|!\[[^\]]*\]\([^)]*\)|^[ \t]*>[^\n]*$|[#*_`>|~]+",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_GIST_PICTURE = re.compile(r"\s*(?:<img\s|!\[)", re.IGNORECASE)
_GIST_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def render(
    text: str,
    *,
    marker: Marker | None = None,
    template: TemplateLine | None = None,
    whole: bool = False,
) -> SafeString:
    """Markdown from outside as safe HTML, for any string, in time bounded by its length.

    The marker's finds are put into `<mark class="kw">`, in running text and in code. A long text is folded
    after its first part, unless `whole`. What `template` knows, and nobody filled in, is folded. The highest
    heading becomes an h3, below the headings of a page. Control characters are shown as their pictures. Text
    that is too deep, too costly or too long is shown unformatted.
    """
    clean = pictured(text.replace("\r\n", "\n").replace("\r", "\n"))
    clean = clean.encode("utf-8", "replace").decode()
    if len(clean) > LONGEST:
        return _plain(clean, marker)
    env: Env = {
        "marker": marker,
        "template": template,
        "folds": not whole,
        "highlight_left": HIGHLIGHTED,
        "steps_left": 1000 + STEPS_PER_CHARACTER * len(clean),
    }
    try:
        html = _markdown.render(clean, env)
    except (TooMuchError, RecursionError):
        return _plain(clean, marker)
    return _sanitize(html)


def line(text: str, marker: Marker | None = None) -> SafeString:
    """One line of plain text, such as a title, as safe HTML with its marks; see `visible`."""
    return mark_safe(shown(visible(text), marker))  # noqa: S308 - escaped there


def gist(text: str, length: int = 120) -> str:
    """The first words of a text as one plain line, to judge a folded comment by; "" for an empty text."""
    start = visible(text[:4000].replace("\r\n", "\n"))
    line = " ".join(_GIST_LINK.sub(r"\1", _GIST_NOISE.sub(" ", start)).split())
    line = line or (_("image") if _GIST_PICTURE.match(start) else " ".join(start.split()))
    return line if len(line) <= length else line[:length].rsplit(" ", 1)[0] + " …"


def _plain(text: str, marker: Marker | None) -> SafeString:
    inner = shown(text, marker)
    return _sanitize(f'<div class="codeblock"><pre tabindex="0" dir="auto">{inner}</pre></div>')


def _sanitize(html: str) -> SafeString:
    """The second lock: whatever the renderer lets through, only these tags and attributes remain."""
    return mark_safe(_CLEANER.clean(html))  # noqa: S308 - this is where it becomes safe


_CLEANER = nh3.Cleaner(
    tags=_TAGS,
    attributes=_ATTRIBUTES,
    allowed_classes=_CLASSES,
    url_schemes={"http", "https", "mailto"},
    link_rel=None,
    set_tag_attribute_values={"a": {"rel": REL, "target": "_blank"}},
)


class _Renderer(RendererHTML):
    """Writes the tokens as this project's HTML; markdown-it writes the tokens that have no rule here."""

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        return shown(tokens[idx].content, env["marker"])

    def code_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        return f"<code>{shown(tokens[idx].content, env['marker'], in_code=True)}</code>"

    def rest_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        n = tokens[idx].meta["characters"]
        more = ngettext("%(n)s character more", "%(n)s characters more", n) % {"n": f"{n:,}"}
        return (
            f'<details class="fold rest"><summary>{escape(_("Show all"))}'
            f'<span class="lines">{escape(more)}</span></summary><div class="in">\n'
        )

    def rest_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        return "</div></details>\n"

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        token = tokens[idx]
        words = self.renderInlineAsText(token.children, options, env) if token.children else ""
        if not token.attrs["src"]:
            return escape(f"![{words}]()")
        # Forges write "image" or "Image" for a picture that nobody described.
        is_described = words.strip().lower() not in {"", "image"}
        said = shown(words, env["marker"])
        label = escape(_("image: %(words)s")) % {"words": said} if is_described else escape(_("image"))
        if env.get("link_ends"):
            # A link cannot contain another one: both addresses stay readable.
            return f"{label} ({escape(str(token.attrs['src']))})"
        anchor = _anchor(str(token.attrs["src"]), str(token.attrs.get("title", "")), "pic")
        return f"{anchor}{label}</a>"

    def task(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        is_ticked = tokens[idx].meta["ticked"]
        label = escape(_("ticked") if is_ticked else _("not ticked"))
        css = "box on" if is_ticked else "box"
        return f'<span class="{css}" role="img" aria-label="{label}"></span> '

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        href, title = str(tokens[idx].attrs["href"]), str(tokens[idx].attrs.get("title", ""))
        # A link without an address is shown as it was written.
        end = "</a>" if href else escape(f']( "{title}")' if title else "]()")
        env.setdefault("link_ends", []).append(end)
        return _anchor(href, title) if href else "["

    def link_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        return str(env["link_ends"].pop())

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        return code_block(tokens[idx].content, tokens[idx].info.strip(), env)

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        return code_block(tokens[idx].content, "", env)

    # For ten thousand cells and rows markdown-it's general writer takes longer than its parser.
    def td_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        css = tokens[idx].attrs.get("class")
        return f'<td dir="auto" class="{css}">' if css else '<td dir="auto">'

    def td_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        return "</td>\n"

    def tr_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        return "<tr>\n"

    def tr_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        return "</tr>\n"

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        return '<div class="tablewrap"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        return "</table></div>\n"

    def details_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        state = " open" if tokens[idx].meta["open"] else ""
        return f'<details class="fold told"{state}><summary><span class="medium" dir="auto">'

    def summary_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        return '</span></summary><div class="in">\n'

    def details_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        return "</div></details>\n"

    def comment(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        content = tokens[idx].content
        written = f'<p class="refdef" dir="auto">{shown(content, env["marker"])}</p>\n'
        lines = content.count("\n") + 1
        if lines < FOLDED_COMMENT:
            return written
        return f"{_fold_open(_('Comment, hidden on the forge'), lines)}{written}</div></details>\n"

    def template_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        boxes, ticked = tokens[idx].meta["boxes"], tokens[idx].meta["ticked"]
        said = ngettext("%(ticked)s of %(n)s box ticked", "%(ticked)s of %(n)s boxes ticked", boxes)
        gist = said % {"ticked": ticked, "n": boxes} if boxes else ""
        return _fold_open(_("Template text"), tokens[idx].meta["lines"], gist)

    def template_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        return "</div></details>\n"

    def definition(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        return f'<p class="refdef" dir="auto">{shown(tokens[idx].content, env["marker"])}</p>\n'


def _fold_open(name: str, lines: int, gist: str = "") -> str:
    size = ngettext("%(n)s line", "%(n)s lines", lines) % {"n": lines}
    told = f'<span class="gist">{escape(gist)}</span>' if gist else ""
    return (
        f'<details class="fold"><summary><span class="medium">{escape(name)}</span>'
        f'<span class="lines">{escape(size)}</span>{told}</summary><div class="in">\n'
    )


def _anchor(href: str, title: str, css: str = "") -> str:
    attributes = f' class="{css}"' if css else ""
    attributes += f' title="{escape(title)}"' if title else ""
    return f'<a{attributes} href="{escape(href)}" rel="{REL}" target="_blank">'


def _guard_depth(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:  # noqa: ARG001, FBT001
    """Raise before markdown-it would silently drop text that nests deeper than its own limit."""
    if state.level > DEEPEST:
        raise TooMuchError
    return False


def _guard_cost(state: StateInline, silent: bool) -> bool:  # noqa: ARG001, FBT001
    """Count steps: a few kinds of text cost at least the square of their length."""
    state.env["steps_left"] -= 1
    if state.env["steps_left"] < 0:
        raise TooMuchError
    return False


def _shown_reference(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:  # noqa: FBT001 - as markdown-it calls it
    """Apply a link's definition, and show it as well, so that no text can hide in it."""
    if not reference(state, start_line, end_line, silent):
        return False
    if not silent:
        token = state.push("definition", "", 0)
        token.content = state.getLines(start_line, state.line, state.blkIndent, False).strip()
    return True


def _link_bare_urls(state: StateCore) -> None:
    """Turn the http(s) addresses in running text into links."""
    for block in state.tokens:
        if block.type != "inline" or not block.children or "://" not in block.content:
            continue
        children: list[Token] = []
        inside = 0
        for token in block.children:
            inside += token.nesting if token.type in {"link_open", "link_close"} else 0
            if token.type == "text" and not inside and "://" in token.content:
                children += _split_urls(state.md, token)
            else:
                children.append(token)
        block.children = children


def _split_urls(md: MarkdownIt, token: Token) -> list[Token]:
    pieces: list[Token] = []
    end = 0
    for match in _BARE_URL.finditer(token.content):
        url = _without_tail(match.group())
        href = md.normalizeLink(url)
        if not md.validateLink(href):
            continue
        pieces.append(_text(token.content[end : match.start()], token.level))
        pieces.append(Token("link_open", "a", 1, attrs={"href": href}, level=token.level))
        pieces.append(_text(url, token.level + 1))
        pieces.append(Token("link_close", "a", -1, level=token.level))
        end = match.start() + len(url)
    pieces.append(_text(token.content[end:], token.level))
    return pieces


def _without_tail(url: str) -> str:
    """The address without the sentence's punctuation; a closing bracket stays if the address opens it."""
    surplus = {")": url.count(")") - url.count("("), "]": url.count("]") - url.count("[")}
    end = len(url)
    while end and (url[end - 1] in ".,;:!?'*_~" or surplus.get(url[end - 1], 0) > 0):
        if url[end - 1] in surplus:
            surplus[url[end - 1]] -= 1
        end -= 1
    return url[:end]


def _text(content: str, level: int) -> Token:
    return Token("text", "", 0, content=content, level=level)


def _fit_into_page(state: StateCore) -> None:
    """Put headings below the page's, let each block find its own direction, align cells by class."""
    headings = [token for token in state.tokens if token.type in {"heading_open", "heading_close"}]
    highest = min((int(token.tag[1]) for token in headings), default=1)
    for token in headings:
        token.tag = f"h{min(6, int(token.tag[1]) - highest + HIGHEST_HEADING)}"
    for token in state.tokens:
        if token.nesting != 1:
            continue
        if token.type in _BLOCKS:
            token.attrs["dir"] = "auto"
        style = str(token.attrs.pop("style", ""))
        if style in {"text-align:right", "text-align:center"}:
            token.attrs["class"] = "ar" if style.endswith("right") else "ac"


def _build() -> MarkdownIt:
    # Rows are padded to the width of their table's head: with markdown-it's limit 14 kB make a megabyte.
    import_module("markdown_it.rules_block.table").MAX_AUTOCOMPLETED_CELLS = 4096  # type: ignore[attr-defined]
    # linkify needs another package; maxNesting is above DEEPEST, so that our guard raises first.
    md = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": 1000}, renderer_cls=_Renderer)
    md.enable(["table", "strikethrough"])
    md.validateLink = lambda url: bool(_LINK.match(url.strip()))  # type: ignore[method-assign]
    md.block.ruler.before("table", "guard_depth", _guard_depth)
    md.block.ruler.at("reference", _shown_reference)
    md.block.ruler.before("html_block", "comment", read_comment, {"alt": BREAKS_INTO})
    md.block.ruler.before("html_block", "details", read_details, {"alt": BREAKS_INTO})
    md.core.ruler.after("block", "pair_details", pair_details)
    md.inline.ruler.before("text", "guard_cost", _guard_cost)
    md.inline.ruler.before("autolink", "tag", read_tag)
    md.core.ruler.push("pair_tags", pair_tags)
    md.core.ruler.push("tasks", read_tasks)
    md.core.ruler.push("link_bare_urls", _link_bare_urls)
    md.core.ruler.push("fit_into_page", _fit_into_page)
    md.core.ruler.push("fold_templates", fold_templates)
    md.core.ruler.push("fold_long", fold_long)
    return md


_markdown = _build()
