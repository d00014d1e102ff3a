"""Keyword lists: made, stored in versions that stay, renamed, retired; and what is refused."""

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.db.utils import DatabaseError

from core.models import Job
from ingest import actions
from ingest.actions.keyword_lists import ListContent
from ingest.errors import ListNameTaken, ListRefused, NothingChanged, StaleList
from ingest.keywords import Switches, Term
from ingest.models import KeywordList, KeywordListVersion, KeywordTerm
from ingest.queries.keyword_lists import difference, terms_of
from ingest.queries.keywords import keywords_in, keywords_of
from studies.models import Event
from tests.factories import make_list, make_study
from tests.races import at_once

pytestmark = pytest.mark.django_db
TERMS = (Term("tensor parallel"), Term("GPT", "model", is_case_sensitive=True), Term("torch.nn", "module"))


def make(study, by, name="PyTorch", content=None):
    return actions.make_keyword_list(
        study=study, name=name, content=content or ListContent(TERMS), by=by and by.user
    )


def store(version, content, *, made_from=0, by=None):
    return actions.store_keyword_list(
        keyword_list=version.keyword_list, content=content, made_from=made_from, by=by and by.user
    )


def test_a_list_begins_with_its_first_version(study, lead):
    switches = Switches(plurals=True, zones=("title", "code"), masks=("urls",))
    repositories = ("https://github.com/PyTorch/pytorch.git", "gitee.com/mindspore/mindspore", "o/engine")
    version = make(study, lead, " Py  Torch ", ListContent(TERMS, repositories, switches))
    assert (version.number, version.keyword_list.name, version.stored_by) == (1, "Py Torch", lead.user)
    assert version.repositories == [
        "gitee.com/mindspore/mindspore", "github.com/o/engine", "github.com/pytorch/pytorch",
    ]  # fmt: skip
    assert Switches.from_json(version.switches) == switches
    assert terms_of(version) == TERMS
    assert Job.objects.filter(kind="ingest.find_keywords").count() == 1
    event = Event.objects.get(verb="keyword_lists.made")
    assert (event.by, event.detail) == (lead.user, {"name": "Py Torch", "terms": 3})


def test_the_next_version_leaves_the_former_as_it_was(study, lead):
    first = make(study, lead)
    later = ListContent((*TERMS[1:], Term("llama")), ("o/engine",), Switches(joins=False), " Fewer \0words ")
    second = store(first, later, made_from=1, by=lead)
    assert (second.number, second.note, terms_of(first)) == (2, "Fewer words", TERMS)
    found = difference(*keywords_in([first.pk, second.pk]))
    assert (found.added, found.removed) == ((Term("llama"),), (TERMS[0],))
    assert (found.switches, found.repositories) == ({"joins": False}, (("github.com/o/engine",), ()))
    assert [terms.version for terms in keywords_of(study.pk)] == [second.pk]
    event = Event.objects.get(verb="keyword_lists.stored")
    assert event.detail == {"name": "PyTorch", "version": 2, "added": 1, "removed": 1}


def test_a_version_stays_as_stored(study, lead):
    version = make(study, lead)
    term = KeywordTerm.objects.get(version=version, position=1)
    for change in (
        lambda: KeywordListVersion.objects.filter(pk=version.pk).update(switches={}),
        lambda: KeywordTerm.objects.filter(pk=term.pk).update(text="other"),
    ):
        with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
            change()
    KeywordListVersion.objects.filter(pk=version.pk).update(searched_to=7)


def test_a_stale_version_is_refused(study, lead):
    first = make(study, lead)
    store(first, ListContent([Term("llama")]), made_from=1, by=lead)
    with pytest.raises(StaleList):
        store(first, ListContent([Term("other")]), made_from=1, by=lead)
    assert KeywordListVersion.objects.count() == 2


def test_a_version_that_changes_nothing_is_refused(study, lead):
    first = make(study, lead, content=ListContent(TERMS, ("O/Engine",)))
    with pytest.raises(NothingChanged):
        store(first, ListContent(TERMS, ("github.com/o/engine",), note="again"), made_from=1, by=lead)
    assert KeywordListVersion.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "content", "problems"),
    [
        ("", ListContent(TERMS), ["The list needs a name of at most 120 characters."]),
        ("x" * 121, ListContent(TERMS), ["The list needs a name of at most 120 characters."]),
        ("a", ListContent(()), ["Type at least one term."]),
        (
            "a",
            ListContent([Term("x" * 101), Term("*"), Term("ok")]),
            [f"A term is longer than 100 characters: {'x' * 100}", "A term has no letter and no digit: *"],
        ),
        (
            "a",
            ListContent([Term(f"w{n}") for n in range(501)]),
            ["A list has at most 500 terms; this one has 501."],
        ),
        (
            "a",
            ListContent(TERMS, ("o/engine", "no repository")),
            ["This is not a repository: no repository. Write github.com/owner/name."],
        ),
        (
            "a",
            ListContent(TERMS, note="x" * 2001),
            ["The note is longer than 2000 characters."],
        ),
    ],
)
def test_refused_lists_store_nothing(study, lead, name, content, problems):
    with pytest.raises(ListRefused) as refused:
        make(study, lead, name, content)
    assert refused.value.problems == problems
    assert (KeywordList.objects.count(), Job.objects.count(), Event.objects.count()) == (0, 0, 0)


def test_a_name_is_there_once(study, lead):
    first = make(study, lead, "PyTorch")
    make(make_study(), None, "PyTorch")
    with pytest.raises(ListNameTaken):
        make(study, lead, "pytorch")
    second = make(study, lead, "Other")
    with pytest.raises(ListNameTaken):
        actions.rename_keyword_list(keyword_list=second.keyword_list, name="PYTORCH", by=lead.user)
    actions.rename_keyword_list(keyword_list=first.keyword_list, name="pytorch", by=lead.user)
    assert set(KeywordList.objects.filter(study=study).values_list("name", flat=True)) == {"pytorch", "Other"}


def test_of_several_lists_one_that_is_refused_keeps_all_out(study, lead):
    lists = [("one", ListContent(TERMS)), ("two", ListContent(TERMS)), ("ONE", ListContent(TERMS))]
    with pytest.raises(ListNameTaken):
        actions.import_keyword_lists(study=study, lists=lists, by=lead.user)
    assert KeywordList.objects.count() == 0
    made = actions.import_keyword_lists(study=study, lists=lists[:2], by=lead.user)
    assert [version.keyword_list.name for version in made] == ["one", "two"]
    assert Job.objects.count() == 1


def test_a_retired_list_says_nothing_until_it_is_back(study, lead):
    version = make(study, lead)
    for _ in range(2):
        actions.retire_keyword_list(keyword_list=version.keyword_list, by=lead.user)
    assert keywords_of(study.pk) == ()
    for _ in range(2):
        actions.bring_back_keyword_list(keyword_list=version.keyword_list, by=lead.user)
    assert [terms.version for terms in keywords_of(study.pk)] == [version.pk]
    verbs = list(Event.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs == ["keyword_lists.made", "keyword_lists.retired", "keyword_lists.brought_back"]


def test_only_leads_change_lists(study, lead, volunteer):
    version = make(study, lead)
    for change in (
        lambda: make(study, volunteer, "other"),
        lambda: store(version, ListContent([Term("a1")]), by=volunteer),
        lambda: actions.rename_keyword_list(keyword_list=version.keyword_list, name="b", by=volunteer.user),
        lambda: actions.retire_keyword_list(keyword_list=version.keyword_list, by=volunteer.user),
        lambda: actions.bring_back_keyword_list(keyword_list=version.keyword_list, by=volunteer.user),
    ):
        with pytest.raises(PermissionDenied):
            change()
    assert list(Event.objects.values_list("verb", flat=True)) == ["keyword_lists.made"]


@pytest.mark.django_db(transaction=True)
def test_of_two_versions_from_the_same_form_one_is_stored(study):
    version = make_list(study, "llama")

    def storing(word: str):
        def act():
            try:
                return store(version, ListContent([Term(word)]), made_from=1)
            finally:
                connection.close()

        return act

    found = at_once(storing("one"), storing("two"))
    assert sorted(type(one).__name__ for one in found) == ["KeywordListVersion", "StaleList"]
    assert KeywordListVersion.objects.count() == 2
