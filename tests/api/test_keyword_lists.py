"""Keyword lists over REST: what the pages show."""

import pytest

from ingest import actions
from ingest.keywords import Term
from tests.api.conftest import client_of
from tests.factories import make_issue, make_list, make_member, make_repository, make_study

pytestmark = pytest.mark.django_db


def test_lists_versions_and_terms_with_their_counts(study, lead, django_assert_max_num_queries):
    repository = make_repository(study, "o/engine")
    make_issue(repository, "1", title="llama", body="A token")
    make_issue(repository, "2", title="nothing", body="/opt/llama/x")
    version = make_list(
        study, Term("llama", "model"), "token", name="Engine", repositories=("o/engine",), search=True
    )
    retired = make_list(study, "gpt", name="A retired one").keyword_list
    actions.retire_keyword_list(keyword_list=retired, by=None)
    make_issue(repository, "3", title="llama")
    address = f"/api/v1/studies/{study.slug}/keyword-lists/"
    client = client_of(lead)

    with django_assert_max_num_queries(8):
        first, second = client.get(address).json()
    assert first == {
        "id": version.keyword_list_id, "name": "Engine", "retired_at": None, "version": 1,
        "searched": 2, "unsearched": 1, "found": 1, "masked": 1,
    }  # fmt: skip
    assert (second["name"], second["retired_at"] is None) == ("A retired one", False)
    place = f"{address}{version.keyword_list_id}/"
    assert client.get(place).json() == first

    (row,) = client.get(f"{place}versions/").json()
    assert {name: row[name] for name in ("number", "note", "repositories", "terms")} == {
        "number": 1, "note": "", "repositories": ["github.com/o/engine"], "terms": 2,
    }  # fmt: skip
    one = client.get(f"{place}versions/1/").json()
    assert (one["switches"]["joins"], one["searched"], one["found"]) == (True, 2, 1)
    assert one["terms"][0] == {
        "position": 1, "term": "llama", "kind": "model", "is_case_sensitive": False, "issues": 1, "hits": 1,
        "title": 1, "prose": 0, "code": 0, "masked_only": 1, "alone": 0,
    }  # fmt: skip
    assert [term["term"] for term in one["terms"]] == ["llama", "token"]
    assert client.get(f"{place}versions/2/").status_code == 404


def test_lists_of_other_studies_are_not_there(study, lead):
    other = make_list(make_study(), "llama").keyword_list
    client = client_of(lead)
    assert client.get(f"/api/v1/studies/{study.slug}/keyword-lists/{other.pk}/").status_code == 404
    assert client.get(f"/api/v1/studies/{other.study.slug}/keyword-lists/").status_code == 404
    assert client.get(f"/api/v1/studies/{study.slug}/keyword-lists/").json() == []
    model = make_member(study, "model")
    assert client_of(model).get(f"/api/v1/studies/{study.slug}/keyword-lists/").status_code == 403
