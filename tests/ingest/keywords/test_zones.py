"""Code and comments of a body, against the CommonMark parser that renders it and on cases of our own."""

import random
import re
from collections import Counter
from itertools import pairwise

import pytest
from markdown_it import MarkdownIt

from ingest.keywords.markdown.blocks import Blocks
from ingest.keywords.markdown.zones import Layout, parts
from tests.ingest.keywords.real import bodies
from tests.long import sampled

WORD = re.compile(r"[^\W_]+")


def shown(body: str) -> tuple[list[str], list[str]]:
    """The texts that are code, and those that are comments."""
    found = parts(body)
    assert found == sorted(found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    return tuple(
        [body[one.start : one.end] for one in found if one.kind == kind] for kind in ("code", "comment")
    )


def words_of(found, body) -> tuple[Counter[str], Counter[str]]:
    words = {"code": Counter(), "comment": Counter()}
    for part in found:
        words[part.kind].update(WORD.findall(body[part.start : part.end]))
    return words["code"], words["comment"]


def by_the_parser(body: str) -> tuple[Counter[str], Counter[str]]:
    """The words in code and in comments; HTML is text for our pages, but its comments are known by HTML only."""
    parser = MarkdownIt("commonmark", {"html": "<!--" in body, "maxNesting": 1000})
    code, comments = Counter(), Counter()
    tokens = parser.enable(["table", "strikethrough"]).parse(body)
    while tokens:
        token = tokens.pop()
        tokens += token.children or []
        if token.type in {"fence", "code_block", "code_inline"}:
            code.update(WORD.findall(f"{token.content} {token.info}"))
        elif token.type in {"html_block", "html_inline"} and token.content.lstrip().startswith("<!--"):
            comments.update(WORD.findall(token.content.partition("-->")[0]))
    return code, comments


@pytest.mark.parametrize(
    ("body", "code", "comments"),
    [
        ("", [], []),
        ("plain\n\nplain", [], []),
        ("a `b` c ``d ` e`` f", ["`b`", "``d ` e``"], []),
        ("a `b\nc` d", ["`b\nc`"], []),
        ("a `b\n\nc` d", [], []),
        ("a \\`b` c` d", ["` c`"], []),
        ("```py\nx\n```\ny", ["```py\nx\n```"], []),
        ("```\r\nx\r\n```\r\ny `z`\r\n", ["```\r\nx\r\n```", "`z`"], []),
        ("~~~\n```\n~~~\ny", ["~~~\n```\n~~~"], []),
        ("````\n```\n````\ny", ["````\n```\n````"], []),
        ("```\nx\n``` y\nz", ["```\nx\n``` y\nz"], []),
        ("``` a ``` b", ["``` a ```"], []),
        ("text\n```\nx", ["```\nx"], []),
        ("- a\n  ```\n  x\n  ```\n- y", ["```\n  x\n  ```"], []),
        ("1. a\n\n   ```\n   x\n\ny", ["```\n   x\n"], []),
        ("> ```\n> x\ny", ["```\n> x"], []),
        ("10) > ```\n\n    text", ["```"], []),
        ("10) \n    > \n\n    text", [], []),
        (">> `\n    ```text", [], []),
        (">\n    > x", ["> x"], []),
        ("a\n\n    x\n\n    y\nz", ["x\n\n    y"], []),
        ("a\n    no code", [], []),
        ("- a\n\n    no code\n\n      x", ["x"], []),
        ("# h\n    x\ny", ["x"], []),
        ("\tx\ny", ["x"], []),
        ("|a|b|\n|-|-|\n|`x|y`|\n|`z`|c|", ["`z`"], []),
        ("a <!-- x --> b <!-- y\nz --> c", [], ["<!-- x -->", "<!-- y\nz -->"]),
        ("<!--\n\n```\nx\n```\n-->\ny", [], ["<!--\n\n```\nx\n```\n-->"]),
        ("<!-- x", [], ["<!-- x"]),
        ("a <!-- x", [], []),
        ("`<!--` a `-->`", ["`<!--`", "`-->`"], []),
        ("<details>\n```\nx\n```\n</details>", ["```\nx\n```"], []),
        ("<pre>\nx\n\ny</pre> z", ["<pre>\nx\n\ny</pre>"], []),
        ("a <code>x</code> b <code>y", ["<code>x</code>"], []),
        ("```\nx\r```\ry", ["```\nx\r```"], []),
        ("```\nx\0\x1b[1m\n```", ["```\nx\0\x1b[1m\n```"], []),
    ],
)
def test_what_is_code_and_what_is_a_comment(body, code, comments):
    assert shown(body) == (code, comments)
    assert Blocks(body).parts == parts(body)


def test_a_place_is_in_a_part_up_to_its_end():
    layout = Layout("a `b` c")
    assert [layout.part(place) is not None for place in range(7)] == [
        False,
        False,
        True,
        True,
        True,
        False,
        False,
    ]


def test_real_bodies_as_the_parser_reads_them():
    for body in bodies():
        expected = by_the_parser(body)
        assert words_of(parts(body), body) == expected
        assert words_of(Blocks(body).parts, body) == expected


FAR_IN = re.compile(r"\n {4,}[>#`~*+=\d-]")
PIECES = [
    "w",
    "w",
    "w",
    "`",
    "``",
    "```",
    "~~~",
    " ",
    "  ",
    "    ",
    "\n",
    "\n",
    "\n\n",
    ">",
    "> ",
    "- ",
    "* ",
    "1. ",
]
PIECES += ["2. ", "# ", "---", "===", "\\", "\r\n", "10) ", "+"]


@pytest.mark.parametrize("seed", range(4))
def test_made_bodies_as_the_parser_reads_them(seed):
    """Without tabs, tables and comments, and without block marks four columns in, which the parser reads by rules
    of its own behind a quote or in a list; the specification's reading is among the cases above.
    """
    chance = random.Random(seed)
    for _ in range(sampled(20_000, 500)):
        pieces = [chance.choice(PIECES) for _ in range(chance.randint(1, 25))]
        body = "".join(f"w{place}" if piece == "w" else piece for place, piece in enumerate(pieces))
        if not FAR_IN.search(body):
            assert words_of(parts(body), body) == by_the_parser(body), body


MORE = [*PIECES, "\t", "|", "| ", "|--|--|\n", "<!--", "-->", "<pre>", "</pre>", "<code>", "</code>", "     "]


@pytest.mark.parametrize("seed", range(2))
def test_the_short_way_finds_what_the_long_way_finds(seed):
    chance = random.Random(seed)
    for _ in range(sampled(50_000, 3000)):
        body = "".join(chance.choice(MORE) for _ in range(chance.randint(1, 25)))
        assert words_of(parts(body), body) == words_of(Blocks(body).parts, body), body


@pytest.mark.parametrize("seed", range(2))
def test_what_comes_later_changes_nothing_before(seed):
    """Read up to a place only, each word has the zone that it has in the whole body, and so have those behind it."""
    chance = random.Random(seed)
    pieces = [*MORE, "w", "w", "w", "\n\n", "\n \n", "\r\n\r\n"]
    for _ in range(sampled(50_000, 2000)):
        body = "".join(chance.choice(pieces) for _ in range(chance.randint(3, 40)))
        place = chance.randint(1, len(body))
        first, whole = Layout(body), Layout(body)
        first.read_to(place)
        for at in (at for at in range(len(body)) if body[at] == "w"):
            found, expected = first.part(at), whole.part(at)
            assert (found and found[::2]) == (expected and expected[::2]), body
