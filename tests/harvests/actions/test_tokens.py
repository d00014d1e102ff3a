"""Tokens: kept encrypted, bound to their host, never shown."""

import pytest
from django.core.exceptions import PermissionDenied

from core.fetch.answers import Secret
from core.fetch.sealing import Unreadable, seal, unseal
from harvests import actions
from harvests.errors import TokenRefusedHere, TokenUnreadable
from harvests.models import ForgeToken
from harvests.queries.forge_clients import host_of, tokens_of
from studies.models import Event

pytestmark = pytest.mark.django_db
TEXT = "ghp_0123456789abcdefXYZ"


def _add(study, by=None, host="github.com", text=TEXT, name="of the lead"):
    return actions.add_token(study=study, host=host, text=text, name=name, by=by)


class TestKeeping:
    def test_is_encrypted_and_comes_back(self, study, lead):
        token = _add(study, lead.user)
        row = ForgeToken.objects.get()
        assert TEXT.encode() not in bytes(row.sealed)
        assert unseal(row.sealed) == Secret(TEXT)
        found = tokens_of(study.pk, "github.com")
        assert [(pk, one.secret) for pk, one in found.values()] == [(token.pk, Secret(TEXT))]
        event = Event.objects.get()
        assert (event.verb, event.detail) == ("tokens.added", {"host": "github.com", "name": "of the lead"})

    def test_is_removed(self, study, lead):
        actions.remove_token(token=_add(study), by=lead.user)
        assert not ForgeToken.objects.exists()
        assert Event.objects.latest("pk").verb == "tokens.removed"

    @pytest.mark.parametrize("text", ["", "short", "two words of it", "päss-word-of-mine", "x" * 501])
    def test_what_is_no_token(self, study, text):
        with pytest.raises(TokenRefusedHere) as refused:
            _add(study, text=text)
        assert refused.value.field == "text"
        assert not text or text not in str(refused.value)
        assert not ForgeToken.objects.exists()

    def test_its_name_is_not_the_token(self, study):
        with pytest.raises(TokenRefusedHere) as refused:
            _add(study, name=f"mine {TEXT}")
        assert refused.value.field == "name"
        assert TEXT not in str(refused.value)

    def test_only_leads(self, study, volunteer):
        with pytest.raises(PermissionDenied):
            _add(study, volunteer.user)
        token = _add(study)
        with pytest.raises(PermissionDenied):
            actions.remove_token(token=token, by=volunteer.user)
        assert ForgeToken.objects.count() == 1


class TestHosts:
    def test_a_token_is_for_where_it_is_sent(self):
        assert host_of("https://api.github.com") == "github.com"
        assert host_of("https://gitee.com/api/v5") == "gitee.com"
        assert host_of("https://Git.Corp:8443/api/v3") == "git.corp:8443"

    def test_others_do_not_get_it(self, study):
        _add(study, host="github.com")
        for host in ("gitee.com", "evil.example.org", "github.com:8443", "api.github.com.evil.example.org"):
            assert tokens_of(study.pk, host) == {}

    def test_other_studies_do_not_use_it(self, study):
        _add(study)
        assert tokens_of(study.pk + 1, "github.com") == {}

    def test_spellings_of_a_host(self, study):
        assert [_add(study, host=host).host for host in ("GitHub.com ", "api.github.com")] == [
            "github.com"
        ] * 2

    def test_a_refused_one_comes_last(self, study, server):
        first, second = _add(study), _add(study, name="second")
        ForgeToken.objects.filter(pk=first.pk).update(refused_at=server.clock.now())
        assert [pk for pk, _token in tokens_of(study.pk, "github.com").values()] == [second.pk, first.pk]


class TestKeys:
    def test_a_former_key_still_reads(self, study, settings):
        _add(study)
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key", [settings.SECRET_KEY]
        assert len(tokens_of(study.pk, "github.com")) == 1

    def test_another_key_does_not(self, study, settings):
        _add(study)
        settings.SECRET_KEY = "another key"
        with pytest.raises(TokenUnreadable, match="of the lead"):
            tokens_of(study.pk, "github.com")

    def test_changed_bytes_are_not_read(self):
        sealed = bytearray(seal(Secret(TEXT)))
        sealed[20] ^= 1
        with pytest.raises(Unreadable):
            unseal(bytes(sealed))

    def test_the_same_token_is_never_sealed_alike(self):
        assert seal(Secret(TEXT)) != seal(Secret(TEXT))
