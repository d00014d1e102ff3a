"""The full-text search: the words of a text, what a search finds, in which order, and its pages."""

import re

import pytest
from django.db import connection
from django.urls import reverse

from ingest import actions, searching
from ingest.models import Issue, SearchedText, Snapshot
from ingest.queries.filters import IssueFilter
from ingest.queries.issues import filter_issues, issue_page
from tests.factories import make_issue, make_repository, make_study
from tests.ingest.files import jsonl, load, record

pytestmark = pytest.mark.django_db


def test_names_of_code_are_found_from_each_of_their_parts_on() -> None:
    assert searching.words_of("torch.cuda.OutOfMemoryError: max_num_seqs, GPT2Model") == {
        "torch", "cuda", "outofmemoryerror", "ofmemoryerror", "memoryerror", "error",
        "max_num_seqs", "num_seqs", "seqs", "gpt2model", "model",
    }  # fmt: skip


def test_chinese_is_cut_into_pairs_and_width_does_not_count() -> None:
    assert searching.words_of("GPU内存泄漏，ＯＯＭ") == {"gpu", "内存", "存泄", "泄漏", "漏", "oom"}


def test_a_word_is_kept_once_with_its_first_place() -> None:
    kept = searching.lexemes("A crash", "a crash of memory", ["memory", "thanks"])
    assert kept == ["ta", "tcrash", "bmemory", "bof", "cthanks"]


def test_words_of_an_enormous_text_fit_and_the_title_comes_first() -> None:
    body = " ".join(f"{nth:040x}" for nth in range(60_000))
    kept = searching.lexemes("Crash", body, ["late"])
    assert kept[0] == "tcrash"
    assert sum(map(len, kept)) <= searching.MOST_BYTES
    with connection.cursor() as cursor:
        cursor.execute("SELECT length(array_to_tsvector(%s::text[]))", [kept])
        assert cursor.fetchone() == (len(kept),)


@pytest.mark.parametrize(
    ("search", "places", "query"),
    [
        ("Mem", "t", "('tmem':*)"),
        ("of Mem", "tb", "('tof' | 'bof') & ('tmem':* | 'bmem':*)"),
        ("内存泄", "c", "('c内存') & ('c存泄')"),
        ("内", "c", "('c内':*)"),
        ("it's & ('x' | !y):*", "t", "('tit') & ('ts') & ('tx') & ('ty')"),
        ("?? !!", "t", ""),
    ],
)
def test_a_search_as_a_query(search, places, query) -> None:
    assert searching.query(search, places) == query


@pytest.fixture
def texts(study, repository):
    """Issues by number, in the order in which they came in."""
    other = make_issue(make_repository(make_study()), "90", title="memory leak of another study")
    return [
        make_issue(repository, "1", title="Memory leak", body="It grows."),
        make_issue(repository, "2", title="Slow", body="A leak of the MemoryPool: OutOfMemoryError"),
        make_issue(
            repository, "3", title="Crash", body="Trace", comments=[{"body": "a memory leak, I think"}]
        ),
        make_issue(repository, "4", title="Leaking memory again", body="see 3"),
        make_issue(repository, "5", title="显存不足", body="训练时内存泄漏"),
        make_issue(repository, "6", text=False),
        other,
    ]


def found(study, words: str) -> str:
    page = issue_page(study, IssueFilter(words=words), {}, texts_first=False)
    assert len(page.rows) == filter_issues(study, IssueFilter(words=words)).count()
    return " ".join(f"{issue.number}:{issue.tier}" for issue in page.rows)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("memory leak", "4:2 1:2 2:1 3:0"),
        ("LEAK", "4:2 1:2 2:1 3:0"),
        ("leaking", "4:2"),
        ("leak memorypool", "2:1"),
        ("memoryerror", "2:1"),
        ("me", ""),
        ("内存", "5:1"),
        ("存不", "5:2"),
        ("不", "5:2"),
        ("漏", "5:1"),
        ("内泄", ""),
        ("显存 泄漏", "5:1"),
        ("3", "3:3 4:1"),
        ("#3", "3:3"),
        ("#6", "6:3"),
        ("https://github.com/O/Engine/issues/6", "6:3"),
        ("https://github.com/other/engine/issues/6", ""),
        ("leak nowhere", ""),
        ('"memory leak"', "1:2 3:0"),
        ('"a memory  LEAK,"', "3:0"),
        ('"leak of the" "memorypool: out"', "2:1"),
        ('leak "I think"', "3:0"),
        ("“内存泄漏”", "5:1"),
        ('"leak (memory)"', ""),
        ('"leak memory"', ""),
        ('"', ""),
        ("???", ""),
    ],
)
@pytest.mark.slow(cases=10)
def test_titles_come_before_texts_and_texts_before_comments(study, texts, words, expected) -> None:
    assert found(study, words) == expected


def test_a_phrase_goes_over_the_ends_of_lines(study, repository) -> None:
    make_issue(repository, "1", title="Crash", body="an illegal\r\n\tmemory access")
    make_issue(repository, "2", title="Crash", comments=[{"body": 'say "illegal\nmemory" access'}])
    make_issue(repository, "3", title="Crash", body="memory: illegal access")
    assert found(study, "illegal memory") == "3:1 1:1 2:0"
    assert found(study, '"illegal memory"') == "1:1 2:0"
    assert found(study, '"illegal memory access"') == "1:1"


def test_the_current_text_is_searched(study) -> None:
    load(study, jsonl(record(1, title="Crash", body="old words")))
    assert found(study, "old") == "1:1"
    load(study, jsonl(record(1, title="Crash", body="new words")))
    assert (found(study, "old"), found(study, "new words")) == ("", "1:1")


def test_texts_without_words_are_searched_later(study, texts, monkeypatch) -> None:
    monkeypatch.setattr("ingest.actions.searching.TEXTS_A_STEP", 2)
    stored = sorted(Snapshot.objects.values_list("pk", flat=True))
    SearchedText.objects.all().delete()
    assert found(study, "leak") == ""
    assert (actions.keep_missing_words(), actions.keep_missing_words()) == (len(stored), 0)
    assert sorted(SearchedText.objects.values_list("pk", flat=True)) == stored
    assert found(study, "leak") == "4:2 1:2 2:1 3:0"
    SearchedText.objects.filter(pk__in=stored[1:4]).delete()
    assert (actions.keep_missing_words(), actions.keep_missing_words()) == (3, 0)
    assert found(study, "leak") == "4:2 1:2 2:1 3:0"


def text_of(response) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", response.text).split())


class TestPages:
    def test_the_page_says_how_many_and_where(self, signed_in, study, texts) -> None:
        page = text_of(signed_in.get(reverse("issues", args=[study.slug]), {"q": "memory leak"}))
        assert "4 of 6 issues found" in page
        assert "4 of 6 issues, best match first" in page
        assert re.search(
            r"Leaking memory again o/engine .* Memory leak o/engine .* Slow found in the text", page
        )
        assert "Crash found in the comments" in page

    def test_the_fragment_brings_list_headline_and_filters(self, signed_in, study, texts) -> None:
        address = reverse("issues", args=[study.slug])
        headers = {"HX-Request": "true", "HX-Target": "found"}
        fragment = signed_in.get(address, {"q": "内存", "text": "with"}, headers=headers).text
        assert re.findall(r'id="(headline|chips|found)"[^>]*?(hx-swap-oob="true")?\s*>', fragment) == [
            ("headline", 'hx-swap-oob="true"'), ("chips", 'hx-swap-oob="true"'), ("found", ""),
        ]  # fmt: skip
        assert '<input class="input"\n                 type="search"' not in fragment
        assert 'href="?q=%E5%86%85%E5%AD%98"' in fragment

    def test_nothing_found(self, signed_in, study, texts) -> None:
        page = text_of(signed_in.get(reverse("issues", args=[study.slug]), {"q": "nowhere"}))
        assert "0 of 6 issues found" in page
        assert "No issue has all of these words. Try fewer letters or fewer filters." in page

    def test_pages_follow_the_order(self, signed_in, study, repository) -> None:
        issues = [
            make_issue(repository, title="leak" if nth % 2 else "Slow", body="a leak") for nth in range(103)
        ]
        expected = [one.pk for one in reversed(issues) if one.current.title == "leak"]
        expected += [one.pk for one in reversed(issues) if one.current.title != "leak"]
        shown, query = [], "?q=leak"
        while query:
            page = signed_in.get(reverse("issues", args=[study.slug]) + query).context["page"]
            shown += [one.pk for one in page.rows]
            back, query = page.links()["before_url"], page.links()["after_url"]
            query = f"{query}&q=leak" if query else ""
        assert shown == expected
        former = signed_in.get(reverse("issues", args=[study.slug]) + f"{back}&q=leak").context["page"]
        assert [one.pk for one in former.rows] == expected[50:100]

    def test_asks_a_fixed_number_of_queries(self, signed_in, study, django_assert_num_queries) -> None:
        address = reverse("issues", args=[study.slug]) + "?q=leak"
        for how_many in (1, 3):
            for _ in range(how_many):
                make_issue(make_repository(study), title="leak")
            signed_in.get(address)
            # As without words, and one that counts, two for the other tiers, one for the fields of a page.
            with django_assert_num_queries(15):
                signed_in.get(address)


def test_words_go_with_their_text(study, texts) -> None:
    Issue.objects.filter(pk=texts[0].pk).update(current=None)
    Snapshot.objects.filter(issue=texts[0]).delete()
    assert found(study, "memory leak") == "4:2 2:1 3:0"
    assert SearchedText.objects.count() == Snapshot.objects.count()
