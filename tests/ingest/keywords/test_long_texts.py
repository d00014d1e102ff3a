"""Real issues, and texts made to stall: what is found in them, in time that grows with their length only."""

import time

import pytest

from ingest.keywords import Matcher, Switches, Term, read_list, template_headings
from tests.ingest.keywords.real import issues, published
from tests.long import sampled

TERMS = [
    Term("llama", "model"), Term("t5", "model"), Term("yi", "model"), Term("few shot"), Term("token*"),
    Term("a b c"), Term("bf16"), Term("OPT", is_case_sensitive=True), Term("-x*"), Term("模型"),
]  # fmt: skip
SIZE = sampled(1_000_000, 160_000)
SHORT = SIZE // 20

ENDLESS = {
    "a name": "llama", "words": "llama ", "versions": "llama-1-1", "one number": "1", "parts": "t5/", "list": "t5,",
    "files": "t5/a.py,", "hexadecimal": "bf16-", "ticks": "`yi ", "a tick a line": "`yi\n", "fences": "~~~ yi\n",
    "comments": "<!-- yi ", "tags": "<code> yi ", "quotes": ">" * 500 + " yi\n", "items": "- " * 500 + "yi\n",
    "names": "@yi", "schemes": "yi://yi", "links": "](yi", "domains": "yi.com/", "points": "a.", "drives": "C:\\yi",
    "extensions": "a.a:", "beginnings": "token", "marks": "\u0327\u0301", "accents": "e\u0301 yi ", "ligatures": "ﬁ yi ",
    "ellipses": "… yi", "syllables": "\u1100\u1161\u11a8", "Chinese": "模型", "NUL": "\0yi", "ANSI": "\x1b[31myi\x1b[0m",
    "CRLF": "yi\r\n", "progress": "yi\r", "tables": "|yi|\n|-|\n", "headings": "# yi\n", "indented": "    yi\n",
    "base64": "aB3/yi+", "blanks": "   \n", "attributes": '="yi"', "nested": "- 1. > yi\n",
}  # fmt: skip


def seconds(act) -> float:
    """Of this process: other tests may run beside this one."""
    began = time.process_time()
    act()
    return time.process_time() - began


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENDLESS)
def test_twenty_times_the_text_takes_about_twenty_times_as_long(kind):
    """What stalls takes four hundred times as long."""
    matcher = Matcher(TERMS, Switches(plurals=True))
    piece = ENDLESS[kind]
    text = piece * (SIZE // len(piece))
    matcher.search("", text[:SHORT])
    short = seconds(lambda: matcher.search("", text[:SHORT], headings={"yi"}))
    assert seconds(lambda: matcher.search("", text, headings={"yi"})) < 80 * max(short, 0.005)


@pytest.mark.slow
def test_endless_items_and_blank_lines():
    body = "- " * 100_000 + "yi" + "\n" * 100_000 + "yi"
    assert seconds(lambda: Matcher(TERMS).search("", body)) < 3
    assert seconds(lambda: template_headings([body] * 2)) < 3


def test_real_issues_with_the_published_lists_take_little_more_than_the_automaton():
    """A tenth of the promise, because machines differ; `make bench` holds us to 20 MB/s."""
    matcher = Matcher([term for one in read_list(published()).lists for term in one.terms])
    size = sum(len(f"{title}{body}".encode()) for title, body in issues())
    took = min(seconds(lambda: [matcher.search(*one) for one in issues()]) for _ in range(2))
    assert size / took > 2_000_000


def test_what_real_issues_hold():
    """The finds of a whole run, so that a change of any rule is seen."""
    matcher = Matcher([Term("llama", "model"), Term("vllm"), Term("mistral", "model"), Term("fp16")])
    headings = template_headings(body for _title, body in issues())
    counts = {term.text: [0, 0, 0, 0] for term in matcher.terms}
    path_only = matched = 0
    for title, body in issues():
        found = matcher.search(title, body, headings=headings)
        matched += any(hits.counted for hits in found.values())
        path_only += bool(found) and not any(hits.counted for hits in found.values())
        for index, hits in found.items():
            for place, number in enumerate((hits.title, hits.prose, hits.code, hits.masked)):
                counts[matcher.terms[index].text][place] += number
    assert (matched, path_only) == (62, 4)
    assert counts == {
        "llama": [4, 17, 139, 6], "vllm": [0, 40, 21, 23], "mistral": [1, 6, 4, 1], "fp16": [0, 0, 4, 0],
    }  # fmt: skip
