"""What is sealed for one purpose is read for that purpose only, under this or a former key."""

import pytest

from core.fetch.sealing import Purpose, Unreadable, seal_text, unseal_text


def test_a_name_comes_back_for_its_own_purpose_only():
    kept = seal_text("山田 花子 \u202eolleH", Purpose.PEOPLE)
    assert unseal_text(kept, Purpose.PEOPLE) == "山田 花子 \u202eolleH"
    assert unseal_text(memoryview(kept), Purpose.PEOPLE) == "山田 花子 \u202eolleH"
    with pytest.raises(Unreadable):
        unseal_text(kept, Purpose.SERVERS)
    with pytest.raises(Unreadable):
        unseal_text(kept[:-4] + b"AAAA", Purpose.PEOPLE)


def test_a_former_key_still_opens(settings):
    kept = seal_text("Mei", Purpose.PEOPLE)
    settings.SECRET_KEY, former = "another-key-of-this-server" * 3, settings.SECRET_KEY
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(Unreadable):
        unseal_text(kept, Purpose.PEOPLE)
    settings.SECRET_KEY_FALLBACKS = [former]
    assert unseal_text(kept, Purpose.PEOPLE) == "Mei"
