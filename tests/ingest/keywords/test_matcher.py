"""What a term matches, on both sides of each switch."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.keywords import MASKS, ZONES, Hits, Matcher, Switches, Term
from ingest.keywords.folding import fold

DEFAULTS = Switches()


def found(text: str, term: Term | str, switches: Switches = DEFAULTS) -> list[str]:
    matcher = Matcher([term if isinstance(term, Term) else Term(term)], switches)
    return [text[start:end] for start, end, _index in matcher.finds(text)]


def model(text: str, name: str, switches: Switches = DEFAULTS) -> list[str]:
    return found(text, Term(name, "model"), switches)


def test_hits_are_counted_by_zone_and_term():
    matcher = Matcher([Term("llama", "model"), Term("few shot"), Term("absent")])
    body = "Few-shot llama-3.1-8b, https://x.org/llama\n\n```\nllama2 = 1\n```\n<!-- llama -->"
    assert matcher.search("LLaMA hangs", body) == {
        0: Hits(title=1, prose=1, code=1, masked=2),
        1: Hits(prose=1),
    }
    assert Hits(title=1, prose=2, code=4, masked=8).counted == 7


class TestFolding:
    @pytest.mark.parametrize(
        ("text", "term", "folded", "plain"),
        [
            ("Llama llama", "llama", ["Llama", "llama"], ["llama"]),
            ("ＬＬＭ and 𝐋𝐋𝐌", "llm", ["ＬＬＭ", "𝐋𝐋𝐌"], []),
            ("ﬁnetuning ﬂash", "finetuning", ["ﬁnetuning"], []),
            ("STRASSE straße", "Straße", ["STRASSE", "straße"], []),
            ("cafe\u0301", "café", ["cafe\u0301"], []),
            # Turkish: the dotless i is a letter of its own, and so is the capital with a dot.
            ("mıstral MİSTRAL MISTRAL", "mistral", ["MISTRAL"], []),
            ("İstanbul llama", "llama", ["llama"], ["llama"]),
            # Symbols stay symbols: they are no part of the word before them.
            ("Llama™ (llama®)", "llama", ["Llama", "llama"], ["llama"]),
            ("GPT² gpt", "gpt", ["gpt"], ["gpt"]),
            ("ΣΊΣΥΦΟΣ", "σίσυφος", ["ΣΊΣΥΦΟΣ"], []),
        ],
    )
    def test_in_any_case_and_width(self, text, term, folded, plain):
        assert found(text, term) == folded
        assert found(text, term, Switches(folds=False)) == plain

    @pytest.mark.parametrize(
        ("text", "expected"),
        [("OPT opt Opt", ["OPT"]), ("ＯＰＴ", ["ＯＰＴ"]), ("OPT-1.3b", ["OPT-1.3b"]), ("opt-1.3b", [])],
    )
    def test_a_case_sensitive_term_is_compared_after_nfkc_only(self, text, expected):
        assert found(text, Term("OPT", "model", is_case_sensitive=True)) == expected

    def test_a_case_sensitive_term_of_several_parts(self):
        exact = Term("Graph Mode", is_case_sensitive=True)
        assert found("Graph-Mode graph mode Graph Mode", exact) == ["Graph-Mode", "Graph Mode"]

    def test_equal_terms_of_other_case_are_counted_each(self):
        matcher = Matcher([Term("LLM"), Term("llm"), Term("LLM", is_case_sensitive=True)])
        assert matcher.search("llm LLM", "") == {0: Hits(title=2), 1: Hits(title=2), 2: Hits(title=1)}


class TestBorders:
    @pytest.mark.parametrize(
        ("text", "term", "expected"),
        [
            ("llamas ollama llama_index llama2", "llama", ["llama"]),
            ("使用llama模型", "llama", ["llama"]),
            ("大语言模型很大", "语言模型", ["语言模型"]),
            ("トークン化する", "トークン", ["トークン"]),
            ("한국어llama모델", "llama", ["llama"]),
            ("élan naïve", "lan", []),
            ("x\u0308llm llm\u0308 llm", "llm", ["llm"]),
            ("llm\ufe0f ⚠️llm", "llm", ["llm", "llm"]),
            ("写C++17和c++", "c++", ["C++", "c++"]),
            ("a\0llm\x1b[31mllm", "llm", ["llm"]),
            ("torch.compile, torchXcompile", "torch.compile", ["torch.compile"]),
            ("Tokenizer untokenized token", "token*", ["Tokenizer", "token"]),
            ("few shots few-shot", "few sho*", ["few shots", "few-shot"]),
        ],
    )
    def test_words_are_separated_by_all_but_letters_and_digits(self, text, term, expected):
        assert found(text, term) == expected

    def test_switched_off_letters_of_all_scripts_make_words(self):
        off = Switches(unspaced=False)
        assert found("使用llama模型，llama。(llama)", "llama", off) == ["llama", "llama"]
        assert found("大语言模型很大，语言模型", "语言模型", off) == ["语言模型"]
        assert found("token模型", "token*", off) == ["token模型"]
        assert model("llama2模型 llama2，", "llama", off) == ["llama2"]


class TestJoins:
    TEXT = (
        "fine tuning fine-tuning fine_tuning finetuning fine  tuning fine\ntuning fine\r\ntuning fine‑tuning"
    )

    def test_exactly_one_joiner_of_any_kind(self):
        expected = [
            "fine tuning",
            "fine-tuning",
            "fine_tuning",
            "fine\ntuning",
            "fine\r\ntuning",
            "fine‑tuning",
        ]
        for term in ("fine tuning", "fine-tuning", "fine_tuning"):
            assert found(self.TEXT, term) == expected
        assert found(self.TEXT, "finetuning") == ["finetuning"]

    def test_switched_off_a_term_is_found_as_it_is_written(self):
        assert found(self.TEXT, "fine-tuning", Switches(joins=False)) == ["fine-tuning"]

    def test_of_several_parts(self):
        text = "load_in_4bit load-in 4bit load.in_4bit load_in_4bits loading_in_4bit"
        assert found(text, "load_in_4bit") == ["load_in_4bit", "load-in 4bit"]

    def test_joiners_at_the_edge_belong_to_the_term(self):
        assert found("--flag -flag --the-flag --the_flag", "--the flag") == ["--the-flag", "--the_flag"]


class TestPlurals:
    @pytest.mark.parametrize(
        ("text", "term", "off", "on"),
        [
            ("LLM LLMs LLMes LLMsx", "llm", ["LLM"], ["LLM", "LLMs", "LLMes"]),
            ("language models, languages model", "language model", [], ["language models"]),
            ("4bits", "4bit", [], ["4bits"]),
            ("fp16s", "fp16", [], []),
            ("tokens tokenss", "token*", ["tokens", "tokenss"], ["tokens", "tokenss"]),
        ],
    )
    def test_the_last_part_may_end_in_s_or_es(self, text, term, off, on):
        assert found(text, term) == off
        assert found(text, term, Switches(plurals=True)) == on


class TestVersions:
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("llama2", "llama"), ("llama-3.1-8b", "llama"), ("Llama_v2", "llama"), ("LLaMA-2-7b-chat-hf", "llama"),
            ("qwen2.5-vl-7b", "qwen"), ("Qwen2VL", "qwen"), ("Qwen3-30B-A3B", "qwen"), ("gpt-4o-mini", "gpt"),
            ("gpt4turbo", "gpt"), ("GPT-3.5-Turbo", "gpt"), ("gpt-neox-20b", "gpt"), ("mixtral-8x7B-v0.1", "mixtral"),
            ("t5-11b", "t5"), ("T5-v1.1-XXL", "t5"), ("t5xxl", "t5"), ("deepseek-r1", "deepseek"),
            ("DeepSeekV3", "deepseek"), ("yi-34b-chat-4bit", "yi"), ("llama 3 8B", "llama"), ("opt-125m", "opt"),
        ],
    )  # fmt: skip
    def test_a_model_has_its_version_behind_it(self, text, name):
        assert model(f"({text})", name) == [text]
        assert model(text, name, Switches(version_tails=False)) != [text]

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("使用llama2模型", "llama2"), ("llama-3.1-8b报错", "llama-3.1-8b"), ("llama2-7b-chat的", "llama2-7b-chat"),
            ("llama 3 8B显存", "llama 3 8B"), ("用llama-r1推理", "llama-r1"),
        ],
    )  # fmt: skip
    def test_a_neighbour_of_a_script_without_spaces_ends_a_version(self, text, expected):
        assert model(text, "llama") == [expected]

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("gpt4all", "gpt"), ("t5x", "t5"), ("gptq", "gpt"), ("llamachat", "llama"), ("llamaindex", "llama"),
            ("t511", "t5"), ("llama3d", "llama"), ("yiha", "yi"), ("bert4rec", "bert"), ("llama2c", "llama"),
        ],
    )  # fmt: skip
    def test_other_names_are_other_names(self, text, name):
        assert model(text, name) == []

    def test_a_tail_reaches_as_far_as_it_is_a_version(self):
        assert model("llama-3x llama-index llama2.c llama-2-foo", "llama") == [
            "llama",
            "llama",
            "llama2",
            "llama-2",
        ]
        assert model("llama chat", "llama") == ["llama"]
        assert model("llama 2", "llama", Switches(joins=False)) == ["llama"]

    def test_only_models_have_versions(self):
        assert found("llama2 llama-2", "llama") == ["llama"]
        assert found("llama2 llama-2", Term("llama", "module")) == ["llama"]

    def test_with_plural_and_case(self):
        on = Switches(plurals=True)
        assert model("llamas llama2 llama2s", "llama", on) == ["llamas", "llama2"]
        exact = Term("LLaMA", "model", is_case_sensitive=True)
        assert found("LLaMA-2-Instruct llama-2", exact) == ["LLaMA-2-Instruct"]


class TestZones:
    BODY = "llama `llama`\n\n    llama\n"

    def test_only_zones_that_are_searched_have_hits(self):
        for zones, expected in (
            (("title", "prose", "code"), {0: Hits(1, 1, 2)}),
            (("title", "prose"), {0: Hits(1, 1, 0)}),
            (("code",), {0: Hits(0, 0, 2)}),
            ((), {}),
        ):
            matcher = Matcher([Term("llama")], Switches(zones=zones))
            assert matcher.search("llama", self.BODY) == expected

    def test_nothing_is_code_in_a_title(self):
        assert Matcher([Term("llama")]).search("`llama`", "") == {0: Hits(title=1)}


class TestSwitches:
    def test_are_stored_and_read_back(self):
        switches = Switches(folds=False, plurals=True, zones=("title", "code"), masks=())
        assert switches.as_json() == {
            "folds": False, "joins": True, "plurals": True, "version_tails": True, "unspaced": True,
            "zones": ["title", "code"], "masks": [],
        }  # fmt: skip
        assert Switches.from_json(switches.as_json()) == switches
        assert Switches.from_json({}) == Switches()
        assert Switches.from_json({"zones": ["code", "title"]}).zones == ("title", "code")

    @pytest.mark.parametrize(
        "stored", [{"fold": True}, {"folds": "no"}, {"zones": ["text"]}, {"masks": ["urls", "all"]}]
    )
    def test_others_are_refused(self, stored):
        with pytest.raises(ValueError):
            Switches.from_json(stored)


def test_no_terms_find_nothing():
    for terms in ([], [Term("*")], [Term("")]):
        assert Matcher(terms).search("a *", "b") == {}


LETTERS = "abLİßﬁſ2é\u0301模-_ \n*@/.`™"
terms = st.lists(
    st.builds(
        Term,
        st.text(alphabet="abl2ﬁß模- ", min_size=1, max_size=4).filter(
            lambda text: any(map(str.isalnum, text))
        ),
        st.sampled_from(["word", "model", "module"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=4,
)
switches = st.builds(Switches, *[st.booleans()] * 5)


@given(st.text(alphabet=LETTERS, max_size=30), terms, switches)
def test_a_find_is_a_form_of_its_term(text, terms, switches):
    """In places of the original: folded alike, the text of a find begins with the term up to its joiners."""
    for start, end, index in Matcher(terms, switches).finds(text):
        stem = terms[index].text.strip()
        slice_ = text[start:end]
        if switches.folds:
            slice_, stem = fold(slice_).text, fold(stem).text
        if switches.joins:
            slice_, stem = (_joined(one) for one in (slice_, stem))
        assert slice_.startswith(stem)
        rest = slice_[len(stem) :]
        assert not rest or switches.plurals or (switches.version_tails and terms[index].kind == "model")
        assert 0 <= start < end <= len(text)


def _joined(text: str) -> str:
    return text.replace("_", "-").replace(" ", "-").replace("\n", "-")


@given(
    st.text(alphabet="yi@/.:h `<!->\n#ab1", max_size=60),
    st.sets(st.sampled_from(MASKS)),
    st.sampled_from(MASKS),
)
def test_a_further_mask_never_raises_counted_hits(text, masks, further):
    fewer, more = (
        Matcher([Term("yi"), Term("ab1*")], Switches(masks=tuple(sorted(some)))).search(
            text, text, headings={"yi"}
        )
        for some in (masks, masks | {further})
    )
    assert fewer.keys() == more.keys()
    for index, hits in more.items():
        assert all(getattr(hits, zone) <= getattr(fewer[index], zone) for zone in ZONES)
        assert hits.counted + hits.masked == fewer[index].counted + fewer[index].masked


@given(st.text(alphabet=LETTERS, max_size=30), terms)
def test_a_switch_only_adds_hits(text, terms):
    """Without masks, joins, plurals and versions only widen what a term matches."""
    least = Switches(joins=False, version_tails=False, unspaced=False, masks=())
    plain = {(start, index) for start, _end, index in Matcher(terms, least).finds(text)}
    others = (
        Switches(version_tails=False, unspaced=False),
        Switches(joins=False, unspaced=False),
        Switches(joins=False, version_tails=False),
        Switches(joins=False, plurals=True, unspaced=False),
    )
    for wider in others:
        assert plain <= {(start, index) for start, _end, index in Matcher(terms, wider).finds(text)}
