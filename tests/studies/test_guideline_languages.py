"""A guideline in two languages: one version, shown in the language of its reader."""

import pytest
from django.db import transaction
from django.db.utils import DatabaseError
from django.urls import reverse
from django.utils import translation

from studies import actions, queries
from studies.errors import GuidelineTooLong, GuidelineUnchanged, StaleGuidelineText
from studies.models import Guideline

pytestmark = pytest.mark.django_db

ENGLISH, CHINESE = "# Rules\n\nLabel the cause.", "# 规则\n\n标注原因。"


def publish(study, lead, text=ENGLISH, **fields):
    return actions.publish_guideline(study=study, text=text, by=lead.user, **fields)


def test_a_version_holds_both_texts_and_stays_as_published(study, lead):
    made = publish(study, lead, text_zh=CHINESE.replace("\n", "\r\n"))
    assert (made.text, made.text_zh) == (ENGLISH, CHINESE)
    assert [made.text_in(language) for language in ("en", "zh-hans", None)] == [ENGLISH, CHINESE, ENGLISH]
    with pytest.raises(DatabaseError), transaction.atomic():
        Guideline.objects.filter(pk=made.pk).update(text_zh="改")


def test_a_translation_alone_makes_a_version_and_stays_until_it_is_changed(study, lead):
    publish(study, lead)
    translated = publish(study, lead, text_zh=CHINESE, note="translated", made_from=1)
    assert (translated.number, translated.text_zh) == (2, CHINESE)
    with pytest.raises(GuidelineUnchanged):
        publish(study, lead, text_zh=CHINESE)
    later = publish(study, lead, "# Rules\n\nLabel the root cause.", note="root")
    assert later.text_zh == CHINESE
    assert publish(study, lead, later.text, text_zh="", note="English only").text_zh == ""


def test_a_translation_keeps_the_rules_of_texts(study, lead):
    with pytest.raises(GuidelineTooLong):
        publish(study, lead, text_zh="长" * 60_001)
    publish(study, lead)
    publish(study, lead, "other", note="x")
    with pytest.raises(StaleGuidelineText) as refused:
        publish(study, lead, text_zh=CHINESE, made_from=1)
    assert refused.value.kept == {"text": ENGLISH, "note": "", "text_zh": CHINESE}


def test_changes_are_those_of_the_readers_text(study, lead):
    old = publish(study, lead, text_zh=CHINESE)
    new = publish(
        study, lead, "# Rules\n\nLabel the root cause.", text_zh="# 规则\n\n标注根本原因。", note="x"
    )

    def added():
        changes = queries.guideline_changes(old, new)
        return "".join(piece.text for line in changes for piece in line.pieces or () if piece.kind == "ins")

    with translation.override("zh-hans"):
        assert added() == "根本"
    with translation.override("en"):
        assert added() == "root "


def test_the_page_switches_between_the_languages(client, study, lead, volunteer):
    publish(study, lead, text_zh=CHINESE)
    client.force_login(volunteer.user)
    page = reverse("guideline", args=[study.slug])
    here = client.get(page)
    assert "Label the cause." in here.text
    assert '<a class="sm" href="?language=zh-hans">中文</a>' in here.text
    there = client.get(f"{page}?language=zh-hans")
    assert ("标注原因。" in there.text, "Label the cause." in there.text) == (True, False)
    assert '<a class="sm" href="?language=en">English</a>' in there.text
    assert "Label the cause." in client.get(f"{page}?language=xx").text


def test_a_guideline_without_translation_has_no_switch(client, study, lead):
    publish(study, lead)
    client.force_login(lead.user)
    assert "language=" not in client.get(reverse("guideline", args=[study.slug])).text


def test_the_form_holds_both_texts(client, study, lead):
    client.force_login(lead.user)
    edit = reverse("edit_guideline", args=[study.slug])
    sent = {"text": ENGLISH, "text_zh": CHINESE, "note": "", "made_from": "0"}
    preview = client.post(edit, {**sent, "preview": "1"})
    assert ("Label the cause." in preview.text, "标注原因。" in preview.text) == (True, True)
    client.post(edit, sent)
    assert (queries.current_guideline(study).text_zh, Guideline.objects.count()) == (CHINESE, 1)
    assert CHINESE in client.get(edit).text
    client.post(edit, {"text": "other", "note": "x", "made_from": "1"})
    assert queries.current_guideline(study).text_zh == CHINESE


def test_a_first_text_can_start_from_an_outline(client, study, lead):
    client.force_login(lead.user)
    edit = reverse("edit_guideline", args=[study.slug])
    assert 'href="?outline=1"' in client.get(edit).text
    begun = client.get(edit, {"outline": "1"}).text
    assert "# How to label" in begun
    assert 'href="?outline=1"' not in begun
    assert "# 如何标注" in client.get(edit, {"outline": "1"}, headers={"Accept-Language": "zh-hans"}).text
    publish(study, lead)
    assert "How to label" not in client.get(edit, {"outline": "1"}).text


def test_rest_gives_the_translation(client, study, lead):
    publish(study, lead, text_zh=CHINESE)
    client.force_login(lead.user)
    answer = client.get(f"/api/v1/studies/{study.slug}/guideline/").json()
    assert (answer["text"], answer["translations"]) == (ENGLISH, {"zh-hans": CHINESE})
    publish(study, lead, text_zh="", note="x")
    assert client.get(f"/api/v1/studies/{study.slug}/guideline/").json()["translations"] == {}
