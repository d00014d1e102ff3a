"""Keywords that select: the list of issues, saved filters, samples and rounds, by list, term, zone and number."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.actions.rounds import create_round, open_round
from annotate.actions.samples import draw_sample
from annotate.errors import SampleRefused
from annotate.queries.planning import issues_from, source_named
from annotate.queries.samples import check, drawn_issues, frame_of
from ingest import actions
from ingest.actions.keyword_lists import ListContent
from ingest.keywords import Term
from ingest.models import Issue
from ingest.queries.filters import IssueFilter
from ingest.queries.issues import filter_issues
from ingest.queries.keywords import KeywordsAsked, term_finds
from rounds.errors import RoundRefused
from rounds.models import RoundIssue
from tests.factories import make_issue, make_list, make_member, make_repository, make_study, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def texts(study, repository):
    """Two lists: `Models` for o/engine, and `Everywhere` for all; issue 6 is of another repository."""
    for number, (title, body) in enumerate(
        [
            ("llama stalls", "A llama.\n\n```\nllama = 1\n```"),
            ("Out of memory", "llama and token"),
            ("A path", "/opt/llama/x"),
            ("Token", ""),
            ("Nothing", ""),
        ],
        start=1,
    ):
        make_issue(repository, str(number), title=title, body=body)
    make_issue(make_repository(study, "o/other"), "6", title="llama", body="/opt/token/x")
    make_issue(repository, "7", text=False)
    models = make_list(study, Term("llama", "model"), name="Models", repositories=("o/engine",))
    everywhere = make_list(study, "token", "stall*", name="Everywhere", search=True)
    return {"models": models.keyword_list_id, "everywhere": everywhere.keyword_list_id}


def numbers(study, **asked) -> str:
    found = filter_issues(study, IssueFilter(keywords=KeywordsAsked(**asked)))
    return "".join(sorted(found.values_list("number", flat=True)))


@pytest.mark.parametrize(
    ("lists", "asked", "expected"),
    [
        ("", {"found": "any"}, "124"),
        ("models", {}, "12"),
        ("everywhere", {}, "124"),
        ("everywhere", {"keyword": "TOKEN"}, "24"),
        ("models", {"keyword": "token"}, ""),
        ("", {"keyword": "token"}, "24"),
        ("", {"keyword": "nothing of the lists"}, ""),
        ("models", {"zone": "title"}, "1"),
        ("models", {"zone": "prose"}, "12"),
        ("", {"zone": "code"}, "1"),
        ("models", {"hits": 1}, "12"),
        ("models", {"hits": 2}, "1"),
        ("models", {"hits": 3}, "1"),
        ("models", {"hits": 4}, ""),
        ("", {"hits": 4}, "1"),
        ("models", {"zone": "prose", "hits": 2}, ""),
        ("", {"found": "masked"}, "36"),
        ("models", {"found": "masked"}, "3"),
        ("everywhere", {"found": "masked"}, "6"),
        ("", {"found": "none"}, "5"),
        ("models", {"found": "none"}, "45"),
        ("everywhere", {"found": "none"}, "35"),
        ("", {"keyword": "stall*", "found": "none"}, "23456"),
    ],
)
@pytest.mark.slow(cases=10)
def test_issues_are_narrowed(study, texts, lists, asked, expected):
    assert numbers(study, keyword_list=texts.get(lists), **asked) == expected


def test_what_waits_for_its_search_is_not_without_terms(study, texts, repository):
    make_issue(repository, "8", title="token")
    assert numbers(study, found="none") == "5"
    actions.find_keywords(study_id=study.pk)
    assert (numbers(study, found="none"), numbers(study, found="any")) == ("5", "1248")


def test_a_retired_list_finds_only_where_it_is_named(study, texts):
    retired = study.keyword_lists.get(pk=texts["models"])
    actions.retire_keyword_list(keyword_list=retired, by=None)
    assert numbers(study, found="any") == "124"
    assert (numbers(study, keyword="llama"), numbers(study, keyword_list=texts["models"])) == ("", "12")


def test_a_list_of_another_study_finds_nothing(study, texts):
    other = make_repository(make_study())
    make_issue(other, "9", title="llama")
    assert numbers(other.study, keyword_list=texts["models"]) == ""
    assert numbers(other.study, found="none") == ""


def test_an_issue_says_by_what_it_was_found(study, texts):
    issue = Issue.objects.get(number="1")
    assert [
        (one.keyword_list.name, [(f.term.text, f.title, f.prose, f.code, f.masked) for f in one.finds])
        for one in term_finds(issue)
    ] == [("Everywhere", [("stall*", 1, 0, 0, 0)]), ("Models", [("llama", 1, 1, 1, 0)])]
    assert term_finds(Issue.objects.get(number="7")) == []


def text_of(response) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", response.text).split())


class TestPages:
    def test_the_list_says_how_many_of_how_many(self, signed_in, study, texts, repository):
        address = reverse("issues", args=[study.slug])
        page = signed_in.get(address, {"list": texts["models"], "zone": "prose", "repository": repository.pk})
        text = text_of(page)
        assert "2 of 7 issues, newest import first" in text
        assert "Keywords Models · Text" in text
        assert f'<input type="hidden" name="repository" value="{repository.pk}">' in page.text
        assert "not searched" not in text
        make_issue(repository, "8", title="token")
        text = text_of(signed_in.get(address, {"found": "none"}))
        assert "1 issue is not searched for these keywords yet" in text
        assert "Keywords without any term" in text

    def test_an_issue_shows_lists_terms_and_zones(self, signed_in, study, texts):
        page = text_of(signed_in.get(Issue.objects.get(number="1").get_absolute_url()))
        assert "Found by keyword lists Everywhere stall* title 1 Models llama title 1 text 1 code 1" in page

    def test_ask_the_same_number_of_queries(self, signed_in, study, texts):
        counts = []
        for _ in range(2):
            for address in (
                reverse("issues", args=[study.slug]) + "?keyword=llama",
                Issue.objects.get(number="1").get_absolute_url(),
            ):
                signed_in.get(address)
                with CaptureQueriesContext(connection) as asked:
                    signed_in.get(address)
                counts.append(len(asked))
            make_list(study, "llama", "memory", search=True)
            make_list(study, "llama", search=True)
        assert counts[:2] == counts[2:]


def test_from_a_saved_filter_to_a_sample_and_a_round(study, texts, repository):
    """What keywords select is what is drawn and labelled, and a later version of the list changes neither."""
    lead, volunteer = make_member(study, "lead"), make_member(study)
    narrowed = IssueFilter(keywords=KeywordsAsked(keyword_list=texts["models"]))
    saved = actions.save_filter(study=study, name="Models", query=narrowed.query, by=lead.user)
    assert saved.query == {"list": str(texts["models"])}
    source = source_named(study, f"filter:{saved.pk}")

    sample = draw_sample(
        study=study, by=lead, name="Pilot", frame=frame_of(study, source), own={repository.pk: 2}, seed=1
    )
    assert sorted(one.issue.number for one in drawn_issues(sample)) == ["1", "2"]
    assert check(sample).is_same

    round_ = open_round(
        round_=create_round(
            study=study,
            by=lead,
            name="Main",
            version=make_version(study),
            depth=2,
            issues=issues_from(study, source.value),
            members=[volunteer],
            selection={"source": source.value},
        ),
        by=lead,
    )

    def labelled() -> list[str]:
        return sorted(RoundIssue.objects.filter(round=round_).values_list("issue__number", flat=True))

    assert labelled() == ["1", "2"]

    actions.store_keyword_list(
        keyword_list=study.keyword_lists.get(pk=texts["models"]),
        content=ListContent([Term("token")], ("o/engine",)),
        made_from=1,
        by=None,
    )
    actions.find_keywords(study_id=study.pk)
    assert sorted(issues_from(study, source.value).values_list("number", flat=True)) == ["2", "4"]
    assert labelled() == ["1", "2"]
    again = check(sample)
    assert (again.is_same, again.differing) == (False, 1)


def test_found_issues_lead_to_a_screening_and_a_sample(client, signed_in, study, texts):
    """One click from the list and from its found issues; the filter is saved once."""
    make_version(study)
    use = reverse("use_found_issues", args=[study.slug])
    found = {"list": str(texts["models"])}
    for address in (
        reverse("keyword_list", args=[study.slug, texts["models"]]),
        reverse("issues", args=[study.slug]) + f"?list={texts['models']}",
    ):
        page = signed_in.get(address).text
        assert f'action="{use}"' in page
        assert f'<input type="hidden" name="list" value="{texts["models"]}">' in page
    planned = signed_in.post(use, found | {"to": "screening"})
    saved = study.saved_filters.get()
    assert (saved.name, saved.query) == ("Models", found)
    assert planned["Location"].endswith(f"/rounds/new/?kind=screening&source=filter%3A{saved.pk}")
    assert f'<option value="filter:{saved.pk}" selected>' in signed_in.get(planned["Location"]).text
    drawn = signed_in.post(use, found | {"to": "sample"})
    assert drawn["Location"].endswith(f"/samples/new/?source=filter%3A{saved.pk}")
    assert f'<option value="filter:{saved.pk}" selected>' in signed_in.get(drawn["Location"]).text
    signed_in.post(use, found | {"q": "models", "to": "sample"})
    signed_in.post(use, found | {"zone": "prose", "to": "sample"})
    for words in ("memory  leak", "x" * 114 + " leak"):
        for asked in ({"to": "screening"}, {"zone": "prose", "to": "sample"}):
            assert signed_in.post(use, {"q": words} | asked).status_code == 302
    names = [
        "Models", "Models 2", "Models · models", "memory leak", "memory leak 2", "x" * 114, "x" * 114 + " 2"
    ]  # fmt: skip
    assert sorted(study.saved_filters.values_list("name", flat=True)) == names
    client.force_login(make_member(study).user)
    assert f'action="{use}"' not in client.get(reverse("issues", args=[study.slug]), found).text


def test_a_filter_that_is_still_being_searched_is_not_drawn_from(study, texts, repository):
    lead, volunteer = make_member(study, "lead"), make_member(study)
    narrowed = IssueFilter(keywords=KeywordsAsked(keyword="llama"))
    saved = actions.save_filter(study=study, name="Llama", query=narrowed.query, by=lead.user)
    source = source_named(study, f"filter:{saved.pk}")
    plan = {
        "study": study, "by": lead, "name": "Main", "version": make_version(study), "depth": 2,
        "members": [volunteer], "selection": {"source": source.value},
    }  # fmt: skip
    make_issue(repository, "8", title="llama")
    told = "The keyword search for this filter still has 1 issue to do"
    with pytest.raises(SampleRefused, match=told):
        draw_sample(study=study, by=lead, name="Pilot", frame=frame_of(study, source), seed=1)
    with pytest.raises(RoundRefused, match=told):
        create_round(issues=issues_from(study, source.value), **plan)
    actions.find_keywords(study_id=study.pk)
    made = create_round(issues=issues_from(study, source.value), **plan)
    assert made.round_issues.count() == 3
