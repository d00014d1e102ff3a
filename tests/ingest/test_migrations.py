"""The keywords that a study had before there were lists become a list that finds the same."""

from importlib import import_module

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from ingest import actions
from ingest.models import KeywordList, KeywordListVersion, TermFind
from ingest.queries.keywords import keywords_of
from tests.factories import make_issue, make_list, make_repository, make_study

pytestmark = pytest.mark.django_db
make_lists = import_module("ingest.migrations.0006_keywords_become_lists").make_lists


def test_keywords_become_a_list_in_each_study_that_had_some():
    apps = MigrationLoader(connection).project_state([("ingest", "0005_headings_of_templates")]).apps
    keyword = apps.get_model("ingest", "Keyword")
    first, second, empty = make_study(), make_study(), make_study()
    make_list(second, "there", name="keywords")
    make_issue(
        make_repository(first), "1", title="tokenizer", body="see https://x.org/LLaMA, tensor-parallel"
    )
    with connection.schema_editor() as editor:
        editor.create_model(keyword)
        for study, word in (
            (first, "token*"),
            (first, "llama"),
            (second, "Sharding"),
            (first, "tensor parallel"),
        ):
            keyword.objects.create(study_id=study.pk, word=word)
        make_lists(apps, editor)
        editor.delete_model(keyword)

    assert set(KeywordList.objects.values_list("study", "name")) == {
        (first.pk, "Keywords"), (second.pk, "keywords"), (second.pk, "Keywords 2"),
    }  # fmt: skip
    assert [term.text for said in keywords_of(first.pk) for term in said.terms] == [
        "llama", "tensor parallel", "token*",
    ]  # fmt: skip
    version = KeywordListVersion.objects.get(keyword_list__study=first)
    assert (version.number, version.repositories, version.searched_to) == (1, [], 0)
    assert keywords_of(empty.pk) == ()
    # Addresses count, and a hyphen is no space, as it was.
    actions.find_keywords(study_id=first.pk)
    assert set(TermFind.objects.values_list("term__text", "title", "prose", "masked")) == {
        ("llama", 0, 1, 0), ("token*", 1, 0, 0),
    }  # fmt: skip
    assert actions.search_what_was_missed() == 0
