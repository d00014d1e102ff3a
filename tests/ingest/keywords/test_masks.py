"""Where a hit does not count, and the places beside it where it does."""

import pytest

from ingest.keywords import MASKS, Hits, Matcher, Switches, Term, template_headings

LLAMA = Matcher([Term("llama", "model")])


def in_prose(text: str, *, mask: str = "") -> str:
    """'counted' or 'masked', if the text has one kind of hits of the term; without the mask, all count."""
    if mask:
        others = Switches(masks=tuple(one for one in MASKS if one != mask))
        open_ = Matcher(LLAMA.terms, others).search("", text)[0]
        assert open_.masked == 0, "another mask covers it, too"
    hits = LLAMA.search("", text)[0]
    assert bool(hits.prose) != bool(hits.masked)
    return "masked" if hits.masked else "counted"


@pytest.mark.parametrize(
    "text",
    [
        "https://x.org/llama", "see http://llama.ai/x?y=llama#llama.", "<https://x.org/a/llama>", "www.llama.com",
        "[docs](https://x.org/llama)", "![shot](https://x.org/llama-2)", "[here](llama)", '<img src="llama">',
        "<a href='llama'>x</a>", "git clone git@x.org:me/llama-2", "huggingface.co/meta-llama/Llama-2-7b",
        "见https://x.org/llama。", "见https://x.org/llama的问题", "https://x.org/文档/llama", "见x.org/llama的", "(https://x.org/llama)", "ssh://x.org:22/llama", "mailto:llama", "HTTPS://X.ORG/LLAMA",
    ],
)  # fmt: skip
def test_addresses_do_not_count(text):
    assert in_prose(text, mask="urls") == "masked"


@pytest.mark.parametrize(
    "text",
    [
        "[llama](https://x.org/a)", "https://x.org/a llama", "(https://x.org/a)llama", "见https://x.org/a。使用llama",
        "https://x.org/a（llama）", "见https://x.org/a的llama问题", "https://x.org/文档里llama", "llama见x.org/a", "<a href='x'>llama</a>", '<a href="x">llama</a>', "llama: see x", "torch.io llama",
    ],
)  # fmt: skip
def test_words_beside_an_address_count(text):
    assert in_prose(text) == "counted"


@pytest.mark.parametrize(
    "text",
    [
        "@llama", "cc @llama, @yi", "(@llama-fan)", "@meta/llama", "llama@x.org", "Me <a.llama@mail.x.org>",
        "由@llama反馈", "@llama反馈说", "由llama@x.org反馈", "Co-authored-by: llama", "Signed-off-by: A Llama", "> Author: llama", "* **Reporter**: llama",
    ],
)  # fmt: skip
def test_user_names_do_not_count(text):
    assert in_prose(text, mask="user_names") == "masked"


@pytest.mark.parametrize(
    "text",
    [
        "@ llama",
        "@llama.compile",
        "@llama(x)",
        "a @x llama",
        "by: llama",
        "authors llama",
        "@mei请看llama模型",
        "mei@x.org说llama不行",
    ],
)
def test_what_is_no_user_name_counts(text):
    assert in_prose(text) == "counted"


@pytest.mark.parametrize(
    "text",
    [
        "/home/x/llama/y", "/home/llama", "~/llama", "../llama", "./llama", r"C:\Users\llama", "c:/llama/x",
        "site-packages/llama/x", "lib/python3/site-packages/llama", "a/llama/c.py", "llama/model.py:23",
        "a/llama.py", "见a/llama.py的", "/模型/llama", "--model=/home/x/llama", "请看/home/x/llama", r"\\share\x\llama", "$HOME/llama",
        r"a\llama\b.py", "host:/mnt/llama", "src/llama", "%USER%\\llama", '"/home/x/llama"', "a/b/llama.cpp",
    ],
)  # fmt: skip
def test_paths_do_not_count(text):
    assert in_prose(text, mask="paths") == "masked"


@pytest.mark.parametrize(
    "text",
    [
        "meta-llama/Llama-2-7b",
        "GPT/llama",
        "llama/GPT/T5",
        "modeling_llama.py",
        "/llama",
        "llama / gpt",
        "llama/",
        "n/a,llama",
        "训练/推理/llama",
        "在/home/x/models/下运行llama",
        "见a/b.py的llama",
    ],
)
def test_words_with_slashes_that_are_no_paths_count(text):
    assert in_prose(text) == "counted"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at fee1234abc", Hits(masked=1)),
        ("commit feeabcdef0123456789abcdef0123456789abcde", Hits(masked=1)),
        ("提交fee1234abc修复", Hits(masked=1)),
        ("id fee12345-bf16-4f89-a1b2-0123456789ab", Hits(masked=1)),
        ("fee123", Hits(prose=1)),  # shorter than a hash
        ("feeding", Hits(prose=1)),
        ("feedbac", Hits(prose=1)),  # without a digit it is a word
    ],
)
def test_hashes(text, expected):
    matcher = Matcher([Term("fee*")])
    assert matcher.search("", text) == {0: expected}
    counted = Hits(prose=1)
    assert Matcher([Term("fee*")], Switches(masks=())).search("", text) == {0: counted}


def test_a_part_of_an_identifier_is_a_hash():
    text = "bf16 id 3f2504e0-bf16-11d3-9a0c-0305e82c3301"
    assert Matcher([Term("bf16")]).search("", text) == {0: Hits(prose=1, masked=1)}


class TestInCode:
    @pytest.mark.parametrize(
        ("code", "expected"),
        [
            ("@llama", Hits(code=1)),  # a decorator
            ("x@llama", Hits(code=1)),
            ("(base) llama@host:~/x$ ls", Hits(masked=1)),  # a prompt
            ("Author: llama", Hits(code=1)),
            ('File "/usr/lib/llama/x.py", line 3', Hits(masked=1)),
            ('load("meta-llama/Llama-2-7b")', Hits(code=2)),
            ("curl https://x.org/llama", Hits(masked=1)),
            ("# Describe llama", Hits(code=1)),
            ("<!-- llama -->", Hits(code=1)),
        ],
    )
    def test_only_what_is_no_user_name_and_no_template(self, code, expected):
        headings = frozenset({"describe llama"})
        assert LLAMA.search("", f"```\n{code}\n```", headings=headings) == {0: expected}


def test_titles_have_masks_and_no_templates():
    assert LLAMA.search("@llama https://x/llama /a/llama/b llama <!-- llama -->", "") == {
        0: Hits(title=2, masked=3)
    }


def test_a_term_that_only_touches_a_mask_does_not_count():
    matcher = Matcher([Term("org llama"), Term("llama")])
    assert matcher.search("", "https://x.org llama") == {0: Hits(masked=1), 1: Hits(prose=1)}


class TestTemplates:
    BODY = (
        "### Llama version\nllama\n**Llama version?**\n- [x] I read llama docs\n\n```\n# Llama version\n```\n"
    )

    def test_headings_and_check_boxes_of_a_template_do_not_count(self):
        headings = frozenset({"llama version", "i read llama docs"})
        assert LLAMA.search("", self.BODY, headings=headings) == {0: Hits(prose=1, code=1, masked=3)}
        assert LLAMA.search("", self.BODY) == {0: Hits(prose=4, code=1)}
        off = Matcher(LLAMA.terms, Switches(masks=("urls",)))
        assert off.search("", self.BODY, headings=headings) == {0: Hits(prose=4, code=1)}

    @pytest.mark.parametrize("underline", ["---", "=", "  ==  \r"])
    def test_underlined_headings_of_a_template_do_not_count(self, underline):
        body = f"llama\n\nLlama version\n{underline}\nllama\n\nLlama version\nllama"
        assert LLAMA.search("", body, headings={"llama version"}) == {0: Hits(prose=4, masked=1)}
        assert LLAMA.search("", body) == {0: Hits(prose=5)}

    def test_code_in_a_heading_of_a_template_does_not_count(self):
        assert LLAMA.search("", "# Use `llama`\r\n", headings={"use llama"}) == {0: Hits(masked=1)}

    def test_comments_are_of_the_template(self):
        text = "a <!-- llama --> llama\n<!--\nllama\n\nllama `llama`\n--> x\nllama\n<!-- llama"
        assert LLAMA.search("", text) == {0: Hits(prose=2, masked=5)}
        assert Matcher(LLAMA.terms, Switches(masks=())).search("", text) == {0: Hits(prose=7)}

    def test_headings_that_many_issues_share(self):
        bodies = ["## Describe the BUG:\n"] * 5 + ["**Steps**\r\n"] * 4 + ["- [X] Read the docs!\n"] * 5
        assert template_headings(bodies) == {"describe the bug", "read the docs"}
        assert template_headings(reversed(bodies)) == {"describe the bug", "read the docs"}
        assert template_headings(["# A\n# A\n# a\n"]) == frozenset()

    @pytest.mark.parametrize(
        ("body", "expected"),
        [
            ("Steps\n---\nx", {"steps"}),
            ("x\n\nSteps:  \r\n===\r\n", {"steps"}),
            ("Steps\n---", {"steps"}),
            ("x\nSteps\n---", set()),
            ("Steps\n--- x", set()),
            ("Steps\n\n---", set()),
            ("- Steps\n---", set()),
            ("1. Steps\n---", set()),
            ("a | b\n---", {"a b"}),
            ("> Steps\n---", set()),
            ("```\n\nSteps\n---\n```", set()),
            ("    Steps\n---", set()),
        ],
    )
    def test_headings_may_be_underlined(self, body, expected):
        assert template_headings([body] * 5) == expected

    @pytest.mark.parametrize(
        ("times", "others", "expected"),
        [
            (4, 0, set()),
            (5, 0, {"a"}),
            (5, 495, {"a"}),
            (5, 496, set()),
            (99, 20_000, set()),
            (100, 20_000, {"a"}),
        ],
    )
    def test_the_threshold(self, times, others, expected):
        """Five issues and one in a hundred, or a hundred issues; empty bodies are no issues here."""
        assert template_headings(["# A"] * times + ["x"] * others + [" "] * 50) == expected

    def test_comments_of_code_are_no_headings(self):
        assert template_headings(["```\n# load the model\n```\n"] * 9 + ["    # x\n"] * 9) == frozenset()
        assert template_headings(["Bold **in** text\n#hash\n-[ ] x\n"] * 9) == frozenset()
