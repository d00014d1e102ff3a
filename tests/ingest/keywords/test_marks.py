"""Keywords: what is found where, in any script, in time that grows with the text only."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import markdown
from ingest.keywords import KeywordMatch, Marks, Matcher, Switches, Term, matches

PLAIN = Switches(joins=False, version_tails=False)
"""As a study's keywords matched before there were lists."""


def matcher_of(words: tuple[str, ...]) -> Matcher:
    return Matcher([Term(word) for word in words], PLAIN)


def found(text: str, *words: str) -> list[str]:
    return [text[start:end] for start, end, _index in matcher_of(words).finds(text)]


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("Llama and LLAMA", "llama", ["Llama", "LLAMA"]),
        ("llamas, ollama", "llama", []),
        ("llama_index, llama-2, llama2", "llama", ["llama", "llama"]),
        ("Tokenizer untokenized token", "token*", ["Tokenizer", "token"]),
        ("tensor parallel, tensor parallelism", "tensor parallel", ["tensor parallel"]),
        ("写C++17和c++", "c++", ["C++", "c++"]),
        ("使用llama模型", "llama", ["llama"]),
        ("大语言模型很大", "语言模型", ["语言模型"]),
        ("トークン化する", "トークン", ["トークン"]),
        ("Ёлка ёлки", "ёлка", ["Ёлка"]),
        ("élan naïve", "lan", []),
        ("İstanbul llama", "llama", ["llama"]),
        ("", "llama", []),
    ],
)
def test_what_is_found(text, word, expected):
    assert found(text, word) == expected


def test_every_keyword_is_counted_and_overlaps_are_one_mark():
    matchers = [matcher_of(("language model", "model", "model*", "other"))]
    marks = Marks(matchers)
    assert marks.spans("A language model. Models", in_code=False) == [(2, 16), (18, 24)]
    assert marks.spans("model", in_code=True) == [(0, 5)]
    assert matches(matchers, marks.counts) == [
        KeywordMatch("language model", ("prose",), 1),
        KeywordMatch("model", ("prose", "code"), 2),
        KeywordMatch("model*", ("prose", "code"), 3),
    ]


def test_a_term_of_several_lists_is_one_with_the_most_that_any_of_them_found():
    matchers = [
        Matcher([Term("LLM", is_case_sensitive=True), Term("llm"), Term("gpt", "model")]),
        Matcher([Term("gpt", "model"), Term("stall")], PLAIN),
    ]
    marks = Marks(matchers, "title")
    assert marks.spans("An LLM, an llm: gpt-4 stalls", in_code=False) == [(3, 6), (11, 14), (16, 21)]
    assert matches(matchers, marks.counts) == [
        KeywordMatch("gpt", ("title",), 1),
        KeywordMatch("LLM", ("title",), 2),
    ]


@given(st.text(alphabet="aAbİß中 _*"), st.lists(st.text(alphabet="ab中", min_size=1, max_size=3), max_size=4))
def test_as_a_plain_search_finds_it(text, words):
    plain = set()
    low = (
        text.lower()
        if len(text.lower()) == len(text)
        else "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)
    )
    for word in set(words):
        for start in range(len(low)):
            end = start + len(word)
            left, right = low[max(0, start - 1) : start], low[end : end + 1]
            inside = [re.fullmatch(r"[^\W_中]{2}", pair) for pair in (left + word[0], word[-1] + right)]
            if low.startswith(word, start) and not any(inside):
                plain.add((start, end, word))
    listed = tuple(sorted(set(words)))
    assert {(start, end, listed[index]) for start, end, index in matcher_of(listed).finds(text)} == plain


def render(text: str, *words: str) -> str:
    return markdown.render(text, marker=Marks([matcher_of(words)]))


class TestMarks:
    def test_in_running_text_links_and_code(self):
        html = render("A **llama** at `x = llama`, https://llama.example/", "llama")
        assert html == (
            '<p dir="auto">A <strong><mark class="kw">llama</mark></strong> at <code>x = '
            '<mark class="kw">llama</mark></code>, <a href="https://llama.example/" '
            'rel="noopener noreferrer nofollow ugc" target="_blank">https://'
            '<mark class="kw">llama</mark>.example/</a></p>\n'
        )

    def test_in_highlighted_code(self):
        html = render("```python\nimport llama  # a & llama\n```", "import llama", "llama")
        assert html.count('<mark class="kw">') == 4
        assert re.sub(r"</?mark[^>]*>", "", html) == markdown.render(
            "```python\nimport llama  # a & llama\n```"
        )

    def test_what_is_not_allowed_is_still_shown(self):
        text = '<mark class="kw">llama</mark> <script>llama</script> a < b & c'
        html = render(text, "llama", "script", "b", "mark*")
        assert "<script" not in html
        assert re.sub(r'<mark class="kw">|</mark>', "", html) == markdown.render(text)

    @given(st.text(alphabet="ab <>&`*_[]()#|-\n\"'中", max_size=60))
    def test_marks_change_nothing_else(self, text):
        html = render(text, "a", "b*", "中")
        assert re.sub(r'<mark class="kw">|</mark>', "", html) == markdown.render(text)


class TestLongBodies:
    LINE = "rank 3: the llama worker failed with *** code_1 at 0x7f and went away"

    def test_a_long_body_is_folded_once_behind_its_first_part(self):
        text = "\n\n".join([self.LINE * 5] * 80)
        html = markdown.render(text)
        assert html.count('<details class="fold rest">') == 1
        head, _summary, rest = re.split(r'<details class="fold rest">|</summary>', html)
        assert 6_000 < len(head) < 12_000
        assert len(head) + len(rest) > len(text)

    def test_one_long_paragraph_is_parted_at_a_line(self):
        html = markdown.render("\n".join([self.LINE] * 400))
        head, rest = html.split('<details class="fold rest">')
        assert head.endswith("went away</p>\n")
        assert html.count("went away") == 400
        assert rest.endswith("</div></details>\n")

    def test_one_endless_line_is_parted_at_a_word(self):
        html = markdown.render("word " * 6000)
        assert html.split('<details class="fold rest">')[0].endswith("word </p>\n")
        assert html.count("word") == 6000

    @pytest.mark.parametrize("text", ["short", "x " * 5_900, "```\n" + "log\n" * 9000 + "```"])
    def test_what_is_short_or_folded_by_itself_is_not(self, text):
        assert "fold rest" not in markdown.render(text)

    def test_a_guideline_is_shown_whole(self):
        assert "fold rest" not in markdown.render("\n\n".join([self.LINE] * 800), whole=True)

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", ["log", "table", "paragraph"])
    def test_118_kb_with_100_keywords_take_the_time_of_their_length(self, kind):
        """Twice as long takes about twice as long; what stalls takes four times as long, or a hundred times."""
        words = ("llama", "worker", "token*", *(f"word{n}" for n in range(97)))
        row = "| worker | 0.5 | `llama` | **failed again** |\n"

        def body(size: int) -> str:
            if kind == "log":
                return (("```\n" + f"{self.LINE}\n" * 200 + "```\n\n") * 9)[:size]
            if kind == "table":
                return "| a | b | c | d |\n|---|--:|---|---|\n" + row * (size // len(row))
            return f"{self.LINE}\n" * (size // len(self.LINE))

        render("warm", *words)
        took = []
        for size in (59_000, 118_000):
            times = []
            for _ in range(2):
                # Of this process alone: other tests may run beside this one.
                began = time.process_time()
                assert "<mark" in render(body(size), *words)
                times.append(time.process_time() - began)
            took.append(min(times))
        assert took[1] < 3 * took[0]
