"""The one renderer: what people wrote stays readable, and nothing of it acts."""

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.markdown import gist, render
from tests.core.inert import LINK, Seen, assert_inert, text_of


def test_ordinary_markdown_is_rendered():
    assert render("Some **bold**, *slanted*, ~~struck~~ and `code`\nnext line") == (
        '<p dir="auto">Some <strong>bold</strong>, <em>slanted</em>, <s>struck</s> and '
        "<code>code</code><br>\n"
        "next line</p>\n"
    )


def test_the_highest_heading_is_an_h3_and_the_steps_between_headings_stay():
    assert Seen(render("# a\n## b\n###### c")).tags == ["h3", "h4", "h6"]
    assert Seen(render("## a\n#### b")).tags == ["h3", "h5"]


def test_a_table_scrolls_in_its_own_box_and_aligns_by_class():
    assert render("|a|b|c|\n|--|-:|:-:|\n|1|2|3|") == (
        '<div class="tablewrap"><table>\n<thead>\n<tr>\n<th dir="auto">a</th>\n'
        '<th dir="auto" class="ar">b</th>\n'
        '<th dir="auto" class="ac">c</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td dir="auto">1</td>\n'
        '<td dir="auto" class="ar">2</td>\n<td dir="auto" class="ac">3</td>\n</tr>\n</tbody>\n'
        "</table></div>\n"
    )


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        "<SCRIPT SRC=https://evil.example/x.js></SCRIPT>",
        '<img src=x onerror="alert(1)">',
        '<svg onload="alert(1)"><a xlink:href="javascript:alert(1)">x</a></svg>',
        "<math><mtext></math><style>*{color:red}</style>",
        '<form action="https://evil.example"><input name="password"></form>',
        '<iframe src="https://evil.example"></iframe>',
        "<style>body{display:none}</style>",
        '<p style="position:fixed" onclick="alert(1)">hi</p>',
        '<a href="javascript:alert(1)">x</a>',
        '<div hx-get="/studies/" hx-trigger="load">x</div>',
        "text <!-- a comment --> text",
        "<summary>log</summary></details>",
        '<base href="https://evil.example/">',
        '<meta http-equiv="refresh" content="0">',
        "<module> and a < b and List<String> and Map<String, List<Integer>>",
        "std::vector<int> x; if (a<b && c>d) {}",
        "<br><hr/><b>bold</b>",
        "<![CDATA[x]]>",
        "<?php echo 1 ?>",
        "<!DOCTYPE html>",
        "</div></div></body>",
    ],
)
def test_html_is_shown_as_the_text_that_it_is(source):
    html = render(source)
    assert_inert(html)
    assert text_of(source) == source
    assert "<script" not in html.lower()


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "javascript&colon;alert(1)",
        "&#106;avascript:alert(1)",
        "java&#10;script:alert(1)",
        "\x01javascript:alert(1)",
        "vbscript:msgbox(1)",
        "data:text/html,<script>alert(1)</script>",
        "data:image/svg+xml;base64,PHN2Zz4=",
        "file:///etc/passwd",
        "blob:null/0a1b",
        "//evil.example/x",
        "/accounts/logout/",
        "#main",
        "ftp://evil.example/x",
        "ｊａｖａｓｃｒｉｐｔ:alert(1)",
        "javascript\u200b:alert(1)",
        "https:javascript:alert(1)",
        "http:",
    ],
)
@pytest.mark.parametrize(
    "form", ["[words]({})", "[words](<{}>)", "![words]({})", "[words][1]\n\n[1]: {}", "<{}>"]
)
def test_only_web_and_mail_addresses_become_links(form, address):
    html = render(form.format(address))
    assert_inert(html)
    assert "a" not in Seen(html).tags
    assert "alert(1)" in html or "alert" not in address
    assert "words" in html or form == "<{}>"


@pytest.mark.parametrize("source", ["[words]()", "![picture]()"])
def test_a_link_that_leads_nowhere_is_shown_as_it_was_written(source):
    assert render(source) == f'<p dir="auto">{source}</p>\n'


def test_links_open_elsewhere_and_carry_nothing_along():
    assert render("[x](https://example.org/?a=1&b=2 'T')") == (
        f'<p dir="auto"><a title="T" href="https://example.org/?a=1&amp;b=2" {LINK}>x</a></p>\n'
    )
    assert (
        render("<me@example.org>")
        == f'<p dir="auto"><a href="mailto:me@example.org" {LINK}>me@example.org</a></p>\n'
    )


def test_an_image_is_a_labelled_link_and_nothing_is_fetched():
    assert render("![a plot](https://img.example.org/p.png)") == (
        f'<p dir="auto"><a class="pic" href="https://img.example.org/p.png" {LINK}>image: a plot</a></p>\n'
    )
    assert render("![](https://img.example.org/p.png)") == (
        f'<p dir="auto"><a class="pic" href="https://img.example.org/p.png" {LINK}>image</a></p>\n'
    )


def test_an_image_inside_a_link_shows_both_addresses():
    assert render("[![badge](https://img.example.org/b.svg)](https://ci.example.org)") == (
        f'<p dir="auto"><a href="https://ci.example.org" {LINK}>'
        "image: badge (https://img.example.org/b.svg)</a></p>\n"
    )


@pytest.mark.parametrize(
    ("source", "addresses"),
    [
        ("see https://a.example/b_c_d.", ["https://a.example/b_c_d"]),
        ("(https://a.example/x)", ["https://a.example/x"]),
        ("https://a.example/w_(x) and https://b.example", ["https://a.example/w_(x)", "https://b.example"]),
        ("参见https://a.example/x。", ["https://a.example/x"]),
        ("`https://a.example` xhttps:// https://", []),
        ("[https://a.example/x](https://b.example)", ["https://b.example"]),
    ],
)
def test_bare_web_addresses_become_links(source, addresses):
    assert [value for _, name, value in Seen(render(source)).attributes if name == "href"] == addresses


def test_the_definition_of_a_link_works_and_is_shown():
    html = render("[a]: https://a.example 'hidden words'\n\n[text][a]")
    assert html == (
        '<p class="refdef" dir="auto">[a]: https://a.example \'hidden words\'</p>\n'
        f'<p dir="auto"><a title="hidden words" href="https://a.example" {LINK}>text</a></p>\n'
    )


def test_a_definition_that_is_used_as_a_comment_is_shown():
    assert text_of("[//]: # (This is hidden on the forge)") == "[//]: # (This is hidden on the forge)"


def test_code_is_highlighted_by_its_language():
    assert render("```python\nreturn 1\n```") == (
        '<div class="codeblock"><span class="lang">python</span><pre tabindex="0" dir="ltr">'
        '<span class="k">return</span> <span class="mi">1</span>\n</pre></div>\n'
    )


@pytest.mark.parametrize("info", ["nonesuch", "<script>", 'x" onclick="alert(1)', "python-nope {.line}", ""])
def test_code_of_another_language_is_plain(info):
    html = render(f"```{info}\na < b\n```")
    assert_inert(html)
    assert 'dir="ltr">a &lt; b\n</pre>' in html
    assert text_of(f"```{info}\na < b\n```") == f"{info}a < b"


def test_code_beyond_the_allowance_is_plain():
    short, long = "x = 1\n" * 20, "y = 1\n" * 4000
    html = render(f"```python\n{long}```\n\n```python\n{short}```")
    assert 'class="mi"' in html
    assert '<span class="n">y</span>' not in html
    assert '<span class="n">x</span>' in html


@pytest.mark.parametrize(("lines", "folded"), [(25, False), (26, True)])
def test_long_code_is_folded(lines, folded):
    html = render("```\n" + "".join(f"line {n}\n" for n in range(lines)) + "```")
    assert ("<details" in html) is folded
    assert f"line {lines - 1}" in html


def test_a_folded_stack_trace_says_its_error_and_its_length():
    trace = ["Traceback (most recent call last):"] + [f'  File "a.py", line {n}, in f' for n in range(40)]
    html = render("```\n" + "\n".join([*trace, "torch.OutOfMemoryError: CUDA out of memory"]) + "\n```")
    assert html.startswith(
        '<details class="fold"><summary><span class="medium">Stack trace</span>'
        '<span class="lines">42 lines</span>'
        '<code class="gist">torch.OutOfMemoryError: CUDA out of memory</code></summary>'
    )


def test_folded_code_says_its_language_and_its_first_words():
    html = render("```text\n----\nfirst words\n" + "x\n" * 30 + "```")
    assert html.startswith(
        '<details class="fold"><summary><span class="medium">text</span><span class="lines">32 lines</span>'
        '<code class="gist">first words</code></summary>'
    )


def test_line_ends_control_characters_and_escapes_are_seen():
    assert render("a\r\nb\rc") == '<p dir="auto">a<br>\nb<br>\nc</p>\n'
    assert text_of("nul \x00, colour \x1b[31mred\x1b[0m, bell \x07, del \x7f") == (
        "nul \ufffd, colour ␛[31mred␛[0m, bell ␇, del ␡"
    )
    assert text_of("lone \ud800 surrogate") == "lone ? surrogate"


def test_every_block_finds_its_own_direction():
    html = render("مرحبا\n\n- 内存不足\n\n> نص\n\n# עברית\n\n```\ncode\n```")
    assert re.findall(r'<(pre|p|li|blockquote|h3)\b[^>]* dir="(\w+)"', html) == [
        ("p", "auto"),
        ("li", "auto"),
        ("blockquote", "auto"),
        ("p", "auto"),
        ("h3", "auto"),
        ("pre", "ltr"),
    ]
    assert "内存不足" in html


@pytest.mark.parametrize(
    "source",
    [
        ">" * 10_000 + " deep",
        "- " * 10_000 + "deep",
        "".join("  " * n + "- deep\n" for n in range(300)),
        "[" * 50_000 + "deep",
        "![" * 20_000 + "deep",
        "[a][" * 10_000 + "deep",
    ],
    ids=["quotes", "lists", "indented lists", "brackets", "images", "references"],
)
def test_what_nests_too_deep_is_shown_as_it_stands(source):
    began = time.perf_counter()
    html = render(source)
    assert time.perf_counter() - began < 2
    assert_inert(html)
    assert Seen(html).text.split() == source.split()


@pytest.mark.parametrize("depth", [1, 10, 30])
def test_what_people_nest_is_rendered(depth):
    assert Seen(render("> " * depth + "x")).tags == ["blockquote"] * depth + ["p"]


def test_a_text_beyond_the_limit_is_shown_as_it_stands():
    html = render("# a **b**\n" * 50_000)
    assert Seen(html).tags == ["div", "pre"]
    assert Seen(html).text == "# a **b**\n" * 50_000


def test_a_wide_table_does_not_multiply():
    source = "|a" * 1000 + "|\n" + "|-" * 1000 + "|\n" + "|\n" * 5000
    assert len(render(source)) < 30 * len(source)


def test_a_long_issue_takes_the_time_of_its_length():
    """Twice as long takes about twice as long; what stalls takes four times as long, or a hundred times."""
    paragraph = "The scheduler keeps the `sequence` in its **queue** and keeps https://a.example/b_c. " * 4
    code = "```python\n" + "for block in blocks:  # free them\n    pool.free(block)\n" * 20 + "```\n"
    report = f"## Heading\n\n{paragraph}\n\n- one\n- two\n\n{code}\n" * 20
    log = "2024-06-11 14:02:11,123 INFO worker 3: step 4711 took 0.12 s, loss=2.31\n"
    whole = f"{report}\n```\n{log * 660}```\n\n{log * 560}"
    half = f"{report[: len(report) // 2]}\n```\n{log * 330}```\n\n{log * 280}"
    assert 110_000 < len(whole) < 125_000
    assert 0.48 < len(half) / len(whole) < 0.52
    render(whole)  # pygments loads a language once
    times = []
    for source in (half, whole):
        took = []
        for _ in range(3):
            # Of this process alone: other tests may run beside this one.
            began = time.process_time()
            render(source)
            took.append(time.process_time() - began)
        times.append(min(took))
    assert times[1] < 3 * times[0]


@pytest.mark.parametrize("attribute", ['id="main"', 'class="btn primary"', 'name="csrfmiddlewaretoken"'])
def test_nothing_outside_can_name_an_element(attribute):
    html = render(
        f"<div {attribute}>x</div>\n\n# {{#main}}\n\n```{attribute}\nx\n```\n\n"
        f"[x](https://a.example '{attribute}')"
    )
    assert_inert(html)
    assert not [name for _, name, _ in Seen(html).attributes if name in {"id", "name"}]


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("", ""),
        ("**I can** [reproduce](https://x.example) this", "I can reproduce this"),
        ("> quoted\n> again\n\nSame here", "Same here"),
        ("```\ncode\n```\nafter it", "after it"),
        ("```\nonly code\n```", "``` only code ```"),
        ("word " * 100, " ".join(["word"] * 24) + " …"),
    ],
)
def test_gist(source, line):
    assert gist(source) == line


PIECES = st.sampled_from(
    [
        "<script>", "</p>", "javascript:", "](", "![", "[", "]", ")", "(", "`", "```", "\n", "\n\n",
        "> ", "- ", "1. ",
        "|", "|-|", "&lt;", "&#106;", "<a href=", "onload=", '"', "'", "https://a.b", "data:", "*",
        "_", "~~", "# ",
        "\t", "    ", "[x]: ", "<!--", "-->", "<details>", "</details>", "<details open onclick=x>", "<summary>",
        "</summary>", "<p>", "<img src=https://a.b alt='", "'>", "<a href='https://a.b'>", "<a id=x>", "</a>",
        "- [x] ", "[ ] ", "# T", "_No response_", "\\", "\x00", "\u202e", "python", "<x@y.z>", "<svg>", "hx-get=",
    ]
)  # fmt: skip


@given(st.lists(PIECES | st.text(max_size=6), max_size=40).map("".join))
def test_any_text_comes_out_inert(source):
    assert_inert(render(source))


@given(st.lists(st.text(alphabet="abcxyz<>!/ =\"'", max_size=12), max_size=10).map("\n\n".join))
def test_no_word_of_a_text_is_lost(source):
    assert re.findall(r"\w+", Seen(render(source)).text) == re.findall(r"\w+", source)


@pytest.mark.slow
def test_real_issues_come_out_inert_and_fast(issue_samples: Path):
    bodies = [
        body
        for name in ("hf_datasets_api_sample.jsonl", "sglang_issues_sample.jsonl")
        for line in (issue_samples / name).read_text(encoding="utf-8").splitlines()
        if (body := json.loads(line).get("body"))
    ]
    assert len(bodies) > 600
    began = time.perf_counter()
    answers = [render(body) for body in bodies]
    assert time.perf_counter() - began < 0.02 * len(bodies)
    for html in answers:
        assert_inert(html)
