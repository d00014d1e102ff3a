"""Lists of terms: both forms, what is refused, what is doubted, and back to text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.keywords import ListProblem, ListWarning, NamedList, Term, read_list, write_list
from tests.ingest.keywords.real import published


def doubts(text: str, *causes: str) -> list[tuple]:
    """Line, words and cause of the warnings, of these causes if any is named."""
    found = [(one.line, *one.words, one.cause) for one in read_list(text).warnings]
    return [one for one in found if not causes or one[-1] in causes]


class TestLines:
    def test_one_term_a_line(self):
        read = read_list(
            "\ufeff  Large  language\tmodel \r\n\r\n# from the paper\nqwen*\r模型库\n=MoEs\nC++ 2017\nde\u0301ja"
        )
        words = ("Large language model", "qwen*", "模型库", "MoEs", "C++ 2017", "déja")
        terms = tuple(Term(word, is_case_sensitive=word == "MoEs") for word in words)
        assert read.lists == (NamedList("", terms, (1, 4, 5, 6, 7, 8)),)
        assert (read.problems, read.warnings) == ((), ())

    def test_sections_say_the_kind(self):
        read = read_list(
            "plain\n# models\nllama\n# a comment\nqwen\n#Modules:\ntorch.compile\n# words\nword\n#tagged"
        )
        kinds = {term.text: term.kind for term in read.lists[0].terms}
        assert kinds == {
            "plain": "word", "llama": "model", "qwen": "model", "torch.compile": "module", "word": "word",
            "#tagged": "word",
        }  # fmt: skip

    def test_characters_that_nobody_sees_are_dropped(self):
        read = read_list("lla\u200bma\0\n\x1b[1m\u00adqwen")
        assert [term.text for term in read.lists[0].terms] == ["llama", "[1mqwen"]

    def test_an_empty_text_is_an_empty_list(self):
        assert read_list("\n # \n").lists == (NamedList("", ()),)

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("x" * 101, ListProblem(1, "x" * 100, "long")),
            ("ok\na*b", ListProblem(2, "a*b", "star")),
            ("a**", ListProblem(1, "a**", "star")),
            ("*", ListProblem(1, "*", "empty")),
            ("fine\n\n--", ListProblem(3, "--", "empty")),
            ("=", ListProblem(1, "", "empty")),
            ("\n".join(f"term{n}" for n in range(501)), ListProblem(0, "501", "many")),
        ],
    )
    def test_what_is_refused(self, text, problem):
        assert read_list(text).problems == (problem,)

    def test_what_is_just_taken(self):
        assert read_list("x" * 99 + "*").problems == ()
        assert read_list("\n".join(f"term{n}" for n in range(500))).problems == ()
        assert read_list("\n".join(["term"] * 501)).problems == ()

    def test_only_so_many_problems_are_told(self):
        assert len(read_list("*\n" * 1000).problems) == 100


class TestPythonLike:
    def test_several_lists(self):
        read = read_list("""one = [
            'a b', "it's", # models
            'llama', "q\\"x\\u4e2d\\n\\x41", r'c\\d',
        ]
        two=["x y z"]
        three = (
          '''triple''',
        )
        """)
        assert read.lists == (
            NamedList(
                "one",
                (
                    Term("a b"),
                    Term("it's"),
                    Term("llama", "model"),
                    Term('q"x中 A', "model"),
                    Term("c\\d", "model"),
                ),
                (2, 2, 3, 3, 3),
            ),
            NamedList("two", (Term("x y z"),), (5,)),
            NamedList("three", (Term("triple"),), (7,)),
        )
        assert read.problems == ()

    @pytest.mark.parametrize(
        ("text", "problems"),
        [
            ("a = ['x1', 2]", [ListProblem(1, "2", "not_text")]),
            ("a = ['x1', f(1)]", [ListProblem(1, "f", "not_text"), ListProblem(1, "(", "not_text"), ListProblem(1, "1", "not_text"), ListProblem(1, "]", "unexpected")]),
            ("a = [\n'x1,\n'y1']", [ListProblem(2, "'x1,", "unfinished")]),
            ("a = [\n'x1'", [ListProblem(1, "", "unfinished")]),
            ("a = ['x1']\nb = 'y1'", [ListProblem(2, "'y1'", "unexpected")]),
            ("import os\na = ['x1']", []),
            ("a = ['x1']\nos.system('rm')", [ListProblem(2, ".system", "unexpected")]),
            ("a = ['# models', 'b*c']", [ListProblem(1, "# models", "unexpected", "a"), ListProblem(1, "b*c", "star", "a")]),
        ],
    )  # fmt: skip
    def test_what_cannot_be_read_has_its_line(self, text, problems):
        found = list(read_list(text).problems)
        assert found[: len(problems)] == problems
        assert bool(found) == bool(problems)

    def test_nothing_is_executed(self, tmp_path):
        target = tmp_path / "made"
        read_list(f"a = [open({str(target)!r}, 'w'), __import__('os').mkdir({str(target)!r})]")
        assert not target.exists()

    def test_a_missing_comma_joins_two_terms_as_in_python(self):
        read = read_list("a = ['text generation'\n 'llama', 'other']")
        assert [term.text for term in read.lists[0].terms] == ["text generationllama", "other"]
        assert read.warnings == (
            ListWarning(1, ("text generationllama", "text generation", "llama"), "missing_comma", "a"),
        )


class TestDoubts:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("llama\nqwen\nllama", [(3, "llama", "duplicate")]),
            ("LLaMA\nllama", [(2, "llama", "LLaMA", "case_pair")]),
            ("=LLaMA\n=llama", []),
            ("=LLaMA\nllama", [(2, "llama", "LLaMA", "case_pair")]),
            ("fine tuning\nfine-tuning", [(2, "fine-tuning", "fine tuning", "same")]),
            ("llama\nllama index\nollama", [(2, "llama index", "llama", "inside")]),
            ("token*\ntokenizer", [(2, "tokenizer", "token*", "inside")]),
            ("# models\nllama\nllama2", [(3, "llama2", "llama", "inside")]),
            ("llama\nllama2", []),
            ("=LLaMA\nllama index", []),
            ("=LLaMA\n=LLaMA index", [(2, "LLaMA index", "LLaMA", "inside")]),
            ("gpt\nbert", [(1, "gpt", "short")]),
            ("模型\n型", [(1, "模型", "型", "inside"), (2, "型", "short")]),
            ("fp*\nfp16", [(1, "fp*", "short"), (2, "fp16", "fp*", "inside")]),
            ("llama, qwen", [(1, "llama, qwen", "llama", "qwen", "missing_comma")]),
            ("text generationglm", [(1, "text generationglm", "text generation", "glm", "missing_comma")]),
            ("llama\nmistral\nllamamistral", [(3, "llamamistral", "llama", "mistral", "missing_comma")]),
            ("deepspeed\nmodel shardingdeepspeed", [(2, "model shardingdeepspeed", "model sharding", "deepspeed", "missing_comma")]),
        ],
    )  # fmt: skip
    def test_has_its_line_and_words(self, text, expected):
        assert doubts(text) == expected

    @pytest.mark.parametrize(
        "text",
        [
            "ChatGPT\nfast chatgpt",
            "chatglm\nKerasNLP\nQLoRA",
            "lora\nbatch qlora",
            "transformer\ntransformers",
            "vector",
        ],
    )
    def test_what_looks_right_is_not_taken_for_two_terms(self, text):
        assert doubts(text, "missing_comma") == []


class TestPublished:
    """The issue and the paper speak of 72, 84 and 74 keywords: those are the distinct ones of PyTorch, MindSpore
    and TensorFlow."""

    def test_three_lists_load_with_their_lines(self):
        read = read_list(published())
        assert [(one.name, len(one.terms)) for one in read.lists] == [
            ("tensorflow_keywords", 74), ("mindspore_keywords", 84), ("pytorch_keywords", 72),
        ]  # fmt: skip
        assert read.problems == ()
        assert len({term.text for one in read.lists for term in one.terms}) == 149
        assert [(one.lines[0], one.lines[-1]) for one in read.lists] == [(2, 13), (18, 29), (35, 43)]

    def test_its_mistakes_are_seen(self):
        warnings = read_list(published()).warnings
        commas = [(one.list_name, one.line, one.words) for one in warnings if one.cause == "missing_comma"]
        words = ("text generationglm", "text generation", "glm")
        assert commas == [
            ("tensorflow_keywords", 3, words), ("mindspore_keywords", 19, words), ("pytorch_keywords", 36, words),
        ]  # fmt: skip
        counts = {
            cause: sum(one.cause == cause for one in warnings) for cause in ("duplicate", "case_pair", "same")
        }
        assert counts == {"duplicate": 15, "case_pair": 8, "same": 0}

    def test_its_lists_are_written_as_text_and_read_again(self):
        for one in read_list(published()).lists:
            assert read_list(write_list(one.terms)).lists[0].terms == one.terms


words = st.text(alphabet="abAB1模é-_.* #=[']", min_size=1, max_size=8)


@given(st.lists(st.tuples(words, st.sampled_from(["", "# models", "# modules", "# words"]))))
def test_what_is_read_is_written_and_read_again(lines):
    """Any text: the terms that it gives are the terms that their text gives, by kind."""
    read = read_list("\n".join(f"{section}\n{word}" for word, section in lines))
    for one in read.lists:
        again = read_list(write_list(one.terms))
        kinds = [
            [term for term in some if term.kind == kind]
            for some in (one.terms, again.lists[0].terms)
            for kind in ("word", "model", "module")
        ]
        assert kinds[:3] == kinds[3:]
        assert again.problems == ()


@given(st.text(alphabet="ab'\"\\[](),=#\nrx 1{*", max_size=60))
def test_any_file_is_read(text):
    read_list(text)
    read_list(f"a = ['{text}")
