"""The page of tokens: what it lists, and that no answer holds the text of one."""

import pytest
from django.urls import reverse

from harvests import actions
from harvests.models import ForgeToken
from tests.factories import make_study
from tests.worlds.pages import text_of

pytestmark = pytest.mark.django_db

TEXT = "ghp_0123456789abcdefXYZ"


def address(study, name: str = "forge_tokens", *args) -> str:
    return reverse(name, args=[study.slug, *args])


def stored(study, name="of Mei", host="github.com") -> ForgeToken:
    return actions.add_token(study=study, host=host, text=TEXT, name=name, by=None)


def test_empty_says_what_to_do(signed_in, study):
    assert "No tokens yet. Add the first token in the form." in text_of(signed_in.get(address(study)))


def test_a_token_is_stored_and_never_shown(signed_in, study, lead):
    given = {"host": "https://api.github.com/", "name": "of Mei", "token": TEXT}
    response = signed_in.post(address(study, "add_token"), given, follow=True)

    page = text_of(response, "<body", "</body>")
    assert "The token of Mei for github.com is added. The token is not shown again." in page
    assert f"of Mei github.com · {lead.user} · just now" in page
    assert TEXT not in response.text
    assert ForgeToken.objects.get().host == "github.com"


def test_a_double_click_stores_once(signed_in, study):
    given = {"host": "gitee.com", "name": "of Mei", "token": TEXT}
    for _ in range(2):
        signed_in.post(
            address(study, "add_token"), given | {"form_key": "7b0b3d2e-5d9e-4f55-8c0b-1b1f6d0c8f11"}
        )
    assert ForgeToken.objects.count() == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"host": "", "token": TEXT}, "Paste the token again: the form does not keep tokens."),
        ({"name": f"mine {TEXT}", "token": TEXT}, "The name contains the token"),
        ({"token": f"{TEXT} {TEXT}"}, "This is not a token"),
        ({"token": "x" * 501}, "Paste the token again: the form does not keep tokens."),
    ],
)
def test_a_refusal_repeats_no_token(signed_in, study, given, words):
    response = signed_in.post(
        address(study, "add_token"), {"host": "github.com", "name": "of Mei", "token": TEXT} | given
    )

    assert response.status_code == 422
    assert words in text_of(response)
    if "name" not in given:
        assert TEXT not in response.text
    assert given.get("token", TEXT) not in response.text.replace(given.get("name", ""), "")
    assert not ForgeToken.objects.exists()


@pytest.mark.usefixtures("lead")
def test_an_ended_session_repeats_no_token(client, study):
    response = client.post(address(study, "add_token"), {"host": "h.example", "name": "kept", "token": TEXT})

    assert response.status_code == 401
    assert "kept" in response.text
    assert TEXT not in response.text


def test_a_refused_one_says_since_when_and_what_to_do(signed_in, study, lead):
    token = stored(study)
    ForgeToken.objects.filter(pk=token.pk).update(refused_at=token.given_at)

    page = text_of(signed_in.get(address(study)))

    assert "github.com refused this token just now . Create a new token there, add the new token here" in page


def test_is_removed(signed_in, study):
    token = stored(study)

    response = signed_in.post(address(study, "remove_token", token.pk), follow=True)

    assert "The token of Mei for github.com is removed from this study." in text_of(
        response, "<body", "</body>"
    )
    assert not ForgeToken.objects.exists()


def test_another_studys_token_is_not_here(signed_in, study):
    token = stored(make_study(), name="of others")

    assert "of others" not in text_of(signed_in.get(address(study)))
    assert signed_in.post(address(study, "remove_token", token.pk)).status_code == 404
    assert ForgeToken.objects.exists()


@pytest.mark.parametrize("how_many", [1, 3])
def test_takes_a_fixed_number_of_queries(signed_in, study, django_assert_num_queries, how_many):
    for nth in range(how_many):
        stored(study, f"number {nth}")
    signed_in.get(address(study))
    # Session, user, study, membership, tokens, hosts, the tabs' round.
    with django_assert_num_queries(7):
        signed_in.get(address(study))
