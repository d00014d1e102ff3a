"""HTML that forges' texts are full of: it is shown as a forge shows it, and everything else stays text."""

import re
import time
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.markdown import gist, render
from tests.core.inert import LINK, Seen, assert_inert, text_of

PICTURE = "https://img.example.org/p.png"


class TestPictures:
    @pytest.mark.parametrize(
        ("source", "label"),
        [
            (f'<img width="1127" alt="a plot" src="{PICTURE}">', "image: a plot"),
            (f"<IMG SRC='{PICTURE}' ALT='a &lt;b&gt; \"c\"' />", 'image: a <b> "c"'),
            (f"<img src={PICTURE} alt=plot>", "image: plot"),
            (f'<img width="1127" alt="Image" src="{PICTURE}">', "image"),
            (f'<img\n  src="{PICTURE}"\n  alt=""\n/>', "image"),
            (f"![image]({PICTURE})", "image"),
        ],
    )
    def test_are_labelled_links_and_nothing_is_fetched(self, source, label):
        html = render(source)
        assert_inert(html)
        assert html.startswith(f'<p dir="auto"><a class="pic" href="{PICTURE}" {LINK}>')
        assert text_of(source) == label

    def test_in_a_link_show_both_addresses(self):
        source = f'<a href="https://ci.example.org"><img src="{PICTURE}" alt="badge"></a>'
        assert render(source) == (
            f'<p dir="auto"><a href="https://ci.example.org" {LINK}>image: badge ({PICTURE})</a></p>\n'
        )

    @pytest.mark.parametrize(
        "source",
        [
            "<img>",
            "<img alt=x>",
            "<img src=x onerror=alert(1)>",
            '<img src="javascript:alert(1)">',
            '<img src="&#106;avascript:alert(1)">',
            '<img src="java&#10;script:alert(1)">',
            '<img src="data:image/svg+xml;base64,PHN2Zz4=">',
            '<img src="//evil.example/x">',
            '<img src="/accounts/logout/">',
            '<img src="https:javascript:alert(1)">',
            '<img srcset="https://evil.example/x 2x">',
            '<imgx src="https://evil.example/x">',
            f'<img src="{PICTURE}',
            f'<img src="{PICTURE}"<b>',
            f'<img/src="{PICTURE}">',
            f'\\<img src="{PICTURE}">',
        ],
    )
    def test_without_a_web_address_are_text(self, source):
        html = render(source)
        assert_inert(html)
        assert "pic" not in html
        assert text_of(source) == " ".join(unescape(source.removeprefix("\\")).split())

    def test_carry_no_attribute_along(self):
        html = render(
            f'<img src="{PICTURE}" alt="x" onerror="alert(1)" style="a:b" class="btn" id="main" srcset="/y 2x">'
        )
        assert html == f'<p dir="auto"><a class="pic" href="{PICTURE}" {LINK}>image: x</a></p>\n'

    def test_of_two_addresses_the_first_counts_as_in_a_browser(self):
        assert 'href="https://a.example"' in render("<img src=https://a.example src=https://b.example>")

    def test_in_code_are_code(self):
        source = f'`<img src="{PICTURE}">`\n\n```\n<img src="{PICTURE}">\n```'
        assert "a" not in Seen(render(source)).tags


class TestLinks:
    def test_are_links(self):
        source = 'Over <a href="https://a.example/?a=1&amp;b=2" title="T" class="btn">**here**</a>.'
        assert render(source) == (
            '<p dir="auto">Over <a title="T" href="https://a.example/?a=1&amp;b=2" '
            f"{LINK}><strong>here</strong></a>.</p>\n"
        )

    def test_that_only_name_a_place_show_nothing_as_on_their_forge(self):
        assert render('<a name="x"></a>one <a id="main">two</a>') == '<p dir="auto">one two</p>\n'

    @pytest.mark.parametrize(
        "source",
        [
            "<a>x</a>",
            '<a href="javascript:alert(1)">x</a>',
            '<a href="java&Tab;script:alert(1)">x</a>',
            '<a href="#main">x</a>',
            '<a href="/accounts/logout/">x</a>',
            '<a href="https://a.example">never closed',
            "closed only</a>",
            "<a id=x>never closed",
            '<a name="x" onclick="alert(1)">x</a>',
        ],
    )
    def test_without_a_good_address_or_an_end_are_text(self, source):
        html = render(source)
        assert_inert(html)
        links = {value for _, name, value in Seen(html).attributes if name == "href"}
        assert links <= {"https://a.example"}  # a bare address, as anywhere
        assert text_of(source) == " ".join(unescape(source).split())

    @pytest.mark.parametrize(
        "source",
        [
            '[<a href="https://b.example">x</a>](https://a.example)',
            '<a href="https://b.example">[x](https://a.example)</a>',
            '<a href="https://b.example"><a href="https://a.example">x</a></a>',
        ],
    )
    def test_never_hold_another_link(self, source):
        html = render(source)
        assert_inert(html)
        assert 'href="https://a.example"' in html
        assert not re.search(r"<a (?:(?!</a>).)*<a ", html)

    def test_end_with_the_emphasis_that_they_begin_in(self):
        html = render("**<a id=x>y** z</a>")
        assert html == '<p dir="auto"><strong>&lt;a id=x&gt;y</strong> z&lt;/a&gt;</p>\n'


class TestTasks:
    def test_have_boxes_that_nobody_can_tick(self):
        box = '<span class="box" role="img" aria-label="not ticked"></span>'
        ticked = '<span class="box on" role="img" aria-label="ticked"></span>'
        html = render("- [ ] one\n- [x] **two**\n- [X] three\n  - [ ] in it\n- [ ]none\n- `[ ]` none")
        assert html == (
            f'<ul>\n<li class="task" dir="auto">{box} one</li>\n'
            f'<li class="task" dir="auto">{ticked} <strong>two</strong></li>\n'
            f'<li class="task" dir="auto">{ticked} three\n'
            f'<ul>\n<li class="task" dir="auto">{box} in it</li>\n</ul>\n</li>\n'
            '<li dir="auto">[ ]none</li>\n<li dir="auto"><code>[ ]</code> none</li>\n</ul>\n'
        )

    def test_are_items_of_lists_only(self):
        assert render("1. [x] one").count("box on") == 1
        assert [text_of(source) for source in ("[x] a", "> [ ] a", "- a\n\n  [x] b")] == [
            "[x] a",
            "[ ] a",
            "a [x] b",
        ]


class TestDetails:
    OPEN = '<details class="fold told"><summary><span class="medium" dir="auto">'

    def test_open_and_close_and_their_content_is_rendered(self):
        source = (
            "before\n<details><summary><h3>Full <b>trace</b> of <code>a_*b*_c</code></h3></summary>\n<p>\n\n"
            "```\ncode\n```\n\n- one\n\n</p>\n</details>\nafter"
        )
        assert render(source) == (
            '<p dir="auto">before</p>\n'
            f'{self.OPEN}Full trace of <code>a_*b*_c</code></span></summary><div class="in">\n'
            '<div class="codeblock"><pre tabindex="0" dir="ltr">code\n</pre></div>\n'
            '<ul>\n<li dir="auto">one</li>\n</ul>\n</div></details>\n'
            '<p dir="auto">after</p>\n'
        )

    def test_may_be_open_and_have_no_other_attribute(self):
        html = render('<details open onclick="alert(1)" class="rest">\n<summary>s</summary>\nx\n</details>')
        assert_inert(html)
        assert html.startswith('<details class="fold told" open=""><summary>')
        assert "alert" not in html

    @pytest.mark.parametrize(
        "source",
        [
            "<details><summary>s</summary>x</details>",
            "<DETAILS>\n<SUMMARY>\ns\n</SUMMARY>\nx\n</DETAILS>",
            "<details>\n\n<summary>s</summary>\n\nx</details>",
            "<details><summary>s</summary>\nx",
        ],
    )
    def test_are_written_in_many_ways(self, source):
        assert render(source) == (
            f'{self.OPEN}s</span></summary><div class="in">\n<p dir="auto">x</p>\n</div></details>\n'
        )

    def test_a_summary_shows_all_other_tags(self):
        source = "<details><summary><script>x</script> List<T> <code>`</code></summary>\ny\n</details>"
        assert_inert(render(source))
        assert text_of(source) == "<script>x</script> List<T> <code>`</code> y"

    def test_without_a_summary_have_the_word_of_browsers(self):
        assert text_of("<details>\nx\n</details>") == "Details x"
        assert text_of("<details><summary></summary>\nx\n</details>") == "Details x"

    def test_nest_in_each_other_in_lists_and_in_quotes(self):
        html = render(
            "<details><summary>a</summary>\n\n> <details><summary>b</summary>\n> c\n\nd\n</details>\n\n"
            "- e\n\n  <details><summary>f</summary>g</details>\n\n  h"
        )
        assert Seen(html).tags == (
            "details summary span div blockquote details summary span div p p "
            "ul li p details summary span div p p".split()
        )

    def test_what_follows_the_end_on_its_line_is_outside(self):
        assert render("<details>a</details> b").endswith('</div></details>\n<p dir="auto">b</p>\n')

    @pytest.mark.parametrize(
        "source",
        [
            "</details>",
            "<summary>s</summary>",
            "<p>",
            "a <details> b",
            "<detailsx>",
            "`<details>`",
            "\\<details>",
        ],
    )
    def test_that_do_not_begin_are_text(self, source):
        assert "details" not in Seen(render(source)).tags
        assert text_of(source) == source.strip("`\\")

    def test_in_code_are_code(self):
        html = render("```\n<details>\n</details>\n```\n\n    <details>\n")
        assert Seen(html).tags == ["div", "pre", "div", "pre"]

    def test_a_text_behind_them_is_folded_as_any_long_text(self):
        line = "rank 3: the worker failed with code 1 at 0x7f and went away. " * 5
        long = "\n\n".join([line] * 60)
        closed = render(f"<details><summary>log</summary>\n\n{long}\n\n</details>\n\nafter")
        assert "fold rest" not in closed
        html = render(f"<details open><summary>log</summary>\n\n{long}\n\n</details>\n\n{long}")
        assert html.count("fold rest") == 1

    def test_beyond_the_limit_are_shown_as_they_stand(self):
        source = "<details>\n" * 50 + "deep"
        assert Seen(render(source)).tags == ["div", "pre"]
        assert Seen(render(source)).text == source


class TestComments:
    def test_are_shown_because_the_forge_hides_them(self):
        assert render("<!-- one\ntwo `x` --> after") == (
            '<p class="refdef" dir="auto">&lt;!-- one\ntwo `x` --&gt;</p>\n<p dir="auto">after</p>\n'
        )

    def test_of_three_lines_are_folded(self):
        html = render("a\n<!--\n<script>\n-->\nb")
        assert_inert(html)
        assert html == (
            '<p dir="auto">a</p>\n<details class="fold"><summary><span class="medium">'
            'Comment, hidden on the forge</span><span class="lines">3 lines</span></summary><div class="in">\n'
            '<p class="refdef" dir="auto">&lt;!--\n&lt;script&gt;\n--&gt;</p>\n</div></details>\n'
            '<p dir="auto">b</p>\n'
        )

    @pytest.mark.parametrize("source", ["<!-- never closed", "text <!-- in a line --> text", "<!- no ->"])
    def test_without_an_end_or_in_a_line_are_text(self, source):
        assert render(source) == f'<p dir="auto">{source.replace("<", "&lt;").replace(">", "&gt;")}</p>\n'

    def test_end_with_their_item(self):
        html = render("- <!-- open\n- <!-- closed -->\n\n-->")
        assert text_of("- <!-- open\n- <!-- closed -->\n\n-->") == "<!-- open <!-- closed --> -->"
        assert html.count("refdef") == 1


class TestTemplates:
    KNOWN = frozenset({"# Describe the bug", "# Checklist", "- [x] Searched", "- [ ] Searched", "**Owner**"})

    def render(self, source, known=KNOWN):
        return render(source, template=known.__contains__)

    def folds(self, source):
        """The lines of each fold and what is said of its boxes; and the words that stand outside."""
        html = self.render(source)
        assert_inert(html)
        found = r'<span class="medium">Template text</span><span class="lines">(\d+) lines?</span>'
        folds = re.findall(found + r'(?:<span class="gist">(.*?)</span>)?', html)
        outside = Seen(re.sub(r'<details class="fold">.*?</details>', "", html, flags=re.DOTALL)).text.split()
        return [(int(lines), gist) for lines, gist in folds], outside

    @pytest.mark.parametrize(
        "heading", ["### Checklist", "Checklist\n---------", "Checklist\n===", "# Checklist #"]
    )
    def test_their_lists_of_boxes_are_folded_with_their_heading(self, heading):
        lines = 2 + heading.count("\n") + 1
        source = f"a\n\n{heading}\n\n- [x] Searched\n- [ ] Searched\n\nb"
        # A text below the heading's list is below the heading too: only the list is folded.
        assert self.folds(source) == ([(2, "1 of 2 boxes ticked")], ["a", "Checklist", "b"])
        source = f"a\n\n{heading}\n\n- [x] Searched\n- [ ] Searched\n\n# b"
        assert self.folds(source) == ([(lines, "1 of 2 boxes ticked")], ["a", "b"])

    def test_their_empty_headings_are_folded(self):
        source = "# Describe the bug\n\n# Other\n\nx\n\nChecklist\n---\n\n**Owner**\n\n<!-- say it -->"
        assert self.folds(source) == ([(1, ""), (4, "")], ["Other", "x"])

    def test_a_heading_is_empty_when_all_below_it_is(self):
        assert self.folds("# Describe the bug\n\n## Checklist\n\n- [x] Searched") == (
            [(3, "1 of 1 box ticked")],
            [],
        )
        assert self.folds("# Describe the bug\n\n## Checklist\n\n- [x] Searched\n\n## Other") == (
            [(2, "1 of 1 box ticked")],
            "Describe the bug Other".split(),
        )

    def test_a_heading_that_the_forge_says_was_not_answered_is_folded(self):
        assert self.folds("### Who can help?\n\n_No response_\n\n### Other\n\nNo response") == (
            [(2, "")],
            "Other No response".split(),
        )

    def test_what_the_author_wrote_stays_open(self):
        for source in (
            "# Checklist\n\n- [x] Searched\n- [x] My own",
            "# Checklist\n\n- [x] Searched\n  and more",
            "# Checklist\n\n- Searched",
            "# Describe the bug\n\nIt fails",
            "# Mine",
            "**Mine**",
            "> # Checklist",
            "<!-- a comment alone -->",
        ):
            assert self.render(source) == render(source)

    def test_nothing_is_folded_where_no_template_is_known(self):
        source = "# Checklist\n\n- [x] Searched"
        assert self.render(source, frozenset()) == render(source)

    def test_a_long_text_behind_the_fold_counts_little(self):
        boxes = "- [x] Searched\n" * 1500
        assert "fold rest" not in self.render(f"# Checklist\n\n{boxes}")


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (f'<img width="9" src="{PICTURE}">\nSame here', "Same here"),
        ("<details><summary>Log</summary>\n\nwords\n</details>", "Log words"),
        ("<!-- hidden -->\nwords", "words"),
        ('see <a href="https://a.example">this</a>', "see this"),
        (f'<img src="{PICTURE}">', "image"),
        (f"![]({PICTURE})", "image"),
        ("List<String> x", "List<String x"),
    ],
)
def test_the_first_words_of_a_comment_are_no_tags(source, line):
    assert gist(source) == line


@pytest.mark.parametrize(
    "piece",
    [
        "<details>",
        "<details>\n",
        "</details>\n",
        "<details></details>",
        "<details>\n<summary>\n",
        "<details><summary>x</summary></details>\n",
        "<summary>",
        "<!--\n",
        "<!--",
        "> <!--\n",
        "- <!--\n",
        "<img src='",
        "<img a='\" b=\"'",
        "<img " + "a " * 50,
        "<a href=https://a.b>",
        "<a href=https://a.b>x</a>",
        "</a>",
        "**<a href=https://a.b>",
        "- [x] ",
        "- [x] a\n",
        "# a\n",
        "## a\n# a\n",
    ],
)
@pytest.mark.slow(cases=2)
def test_many_of_them_take_the_time_of_their_length(piece):
    """Twice as long takes about twice as long; what stalls takes four times as long."""
    known = {"# a", "- [x] a"}.__contains__
    took = []
    for size in (20_000, 40_000):
        source = piece * (size // len(piece))
        times = []
        for _ in range(2):
            began = time.process_time()
            html = render(source, template=known)
            times.append(time.process_time() - began)
        assert_inert(html)
        took.append(min(times))
    assert took[1] < 3.5 * max(took[0], 0.05)


HTML = st.sampled_from(
    [
        "<details>", "</details>", "<details open onclick=x>", "<summary>", "</summary>", "<p>", "</p>", "<!--", "-->",
        f"<img src={PICTURE}>", "<img src='javascript:x'>", "<a href='https://a.b'>", "<a id=x>", "</a>", "**", "[", "](https://c.d)",
        "\n", "\n", "\n\n", "- ", "- [x] ", "> ", "  ", "# T", "T\n---\n", "_No response_", "```\n", "`", "words", "<b>", "&lt;script&gt;",
    ]
)  # fmt: skip


@given(st.lists(HTML, max_size=30).map("".join))
def test_any_mixture_is_inert_well_nested_and_loses_no_word(source):
    html = render(source, template=lambda line: "T" in line)
    assert_inert(html)
    opened = []
    for end, tag in re.findall(r"<(/?)(\w+)", html):
        if end:
            assert opened.pop() == tag
        elif tag not in {"br", "hr"}:
            opened.append(tag)
    assert opened == []
    assert Seen(html).text.count("words") == source.count("words")
