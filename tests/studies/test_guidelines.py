"""The guideline: versions, who has read them, and its pages."""

import re
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.utils import DatabaseError
from django.urls import reverse

from studies import actions, queries
from studies.differences import Piece
from studies.errors import GuidelineTooLong, GuidelineUnchanged, StaleGuidelineText
from studies.models import Event, Guideline, GuidelineReading
from tests.factories import make_member, make_study
from tests.races import at_once

pytestmark = pytest.mark.django_db

FIRST, SECOND = "# Rules\n\nLabel the cause.", "# Rules\n\nLabel the root cause."


def publish(study, lead, text, note="", made_from=None):
    return actions.publish_guideline(study=study, text=text, note=note, made_from=made_from, by=lead.user)


class TestPublishing:
    def test_versions_count_up_and_stay(self, study, lead):
        publish(study, lead, FIRST)
        second = publish(study, lead, SECOND, "causes, not symptoms", made_from=1)
        assert queries.current_guideline(study) == second
        found = queries.guidelines(study).values_list("number", "text", "note", "published_by")
        assert list(found) == [(2, SECOND, "causes, not symptoms", lead.pk), (1, FIRST, "", lead.pk)]
        with pytest.raises(DatabaseError), transaction.atomic():
            Guideline.objects.filter(pk=second.pk).update(text="other")

    def test_audit_says_who_published_which(self, study, lead):
        publish(study, lead, FIRST, "first")
        event = Event.objects.get(verb="guideline.published")
        assert (event.by, event.detail) == (lead.user, {"version": 1, "note": "first"})

    def test_stale_text_is_refused_with_both_texts(self, study, lead):
        publish(study, lead, FIRST)
        second = publish(study, lead, SECOND, "x", made_from=1)
        with pytest.raises(StaleGuidelineText) as refused:
            publish(study, lead, "mine", "y", made_from=1)
        assert (refused.value.standing, refused.value.kept) == (second, {"text": "mine", "note": "y"})
        assert Guideline.objects.count() == 2

    @pytest.mark.parametrize(
        ("text", "error"),
        [
            (FIRST, GuidelineUnchanged),
            (FIRST.replace("\n", "\r\n"), GuidelineUnchanged),
            (" \n", GuidelineUnchanged),
            ("x" * 60_001, GuidelineTooLong),
            ("\n".join("x" * 3001), GuidelineTooLong),
        ],
    )
    def test_refused_texts(self, study, lead, text, error):
        publish(study, lead, FIRST)
        with pytest.raises(error):
            publish(study, lead, text, "note", made_from=1)
        assert Guideline.objects.count() == 1

    def test_only_leads_publish(self, study, volunteer):
        with pytest.raises(PermissionDenied):
            publish(study, volunteer, FIRST)

    @pytest.mark.django_db(transaction=True)
    def test_two_at_once_make_one_version_and_one_refusal(self, study, lead):
        def act(text):
            try:
                return publish(study, lead, text, "n", made_from=1).number
            except StaleGuidelineText:
                return "stale"

        publish(study, lead, FIRST)
        answers = at_once(lambda: act("one"), lambda: act("two"))
        assert sorted(map(str, answers)) == ["2", "stale"]


class TestNews:
    def test_nothing_without_a_guideline(self, volunteer):
        assert queries.guideline_news(volunteer) is None

    def test_first_time_all_is_new(self, study, lead, volunteer):
        first = publish(study, lead, FIRST)
        news = queries.guideline_news(volunteer)
        assert (news.guideline, news.since, news.changes) == (first, None, None)

    def test_then_what_changed_since_the_last_one_read_once(self, study, lead, volunteer):
        first = publish(study, lead, FIRST)
        actions.mark_guideline_read(member=volunteer, guideline=first)
        assert queries.guideline_news(volunteer) is None
        publish(study, lead, SECOND, "n")
        third = publish(study, lead, SECOND + "\n\nNo <b>.", "n")
        news = queries.guideline_news(volunteer)
        assert (news.guideline, news.since) == (third, first)
        assert news.changes[-1].pieces == (Piece("ins", "No <b>."),)
        actions.mark_guideline_read(member=volunteer, guideline=third)
        actions.mark_guideline_read(member=volunteer, guideline=third)
        assert queries.guideline_news(volunteer) is None
        assert GuidelineReading.objects.filter(member=volunteer).count() == 2

    def test_whoever_publishes_has_read_it(self, study, lead):
        publish(study, lead, FIRST)
        assert queries.guideline_news(lead) is None

    def test_costs_one_query_where_nothing_is_new(self, study, lead, volunteer, django_assert_num_queries):
        guideline = publish(study, lead, FIRST)
        with django_assert_num_queries(3):
            queries.guideline_news(volunteer)
        actions.mark_guideline_read(member=volunteer, guideline=guideline)
        with django_assert_num_queries(1):
            queries.guideline_news(volunteer)

    def test_another_study_is_not_read(self, study, lead):
        guideline = publish(study, lead, FIRST)
        with pytest.raises(PermissionDenied):
            actions.mark_guideline_read(member=make_member(make_study()), guideline=guideline)


class TestPages:
    @pytest.fixture
    def url(self, study):
        return reverse("guideline", args=[study.slug])

    @pytest.fixture
    def edit(self, study):
        return reverse("edit_guideline", args=[study.slug])

    def test_empty_says_the_next_step_to_leads_only(self, client, lead, volunteer, url, edit):
        client.force_login(lead.user)
        assert edit in client.get(url).text
        client.force_login(volunteer.user)
        assert edit not in client.get(url).text

    def test_current_text_earlier_text_and_difference(self, client, study, lead, volunteer, url):
        publish(study, lead, FIRST)
        publish(study, lead, SECOND, "causes only")
        client.force_login(volunteer.user)
        assert "Label the root cause." in client.get(url).text
        assert "Label the cause." in client.get(url + "?version=1").text
        changed = client.get(url + "?since=1").text
        assert '<p dir="auto">Label the <ins>root </ins>cause.</p>' in changed
        assert "causes only" in changed
        assert changed.count("<h1") == 1

    @pytest.mark.parametrize("asked", ["version=9", "version=x", "since=0", "version=" + "9" * 30])
    def test_a_version_that_never_was_is_404(self, signed_in, study, lead, url, asked):
        publish(study, lead, FIRST)
        assert signed_in.get(f"{url}?{asked}").status_code == 404

    def test_fragment_for_a_dialog(self, signed_in, study, lead, url):
        publish(study, lead, FIRST)
        by_htmx = signed_in.get(url, headers={"HX-Request": "true", "HX-Target": "text"}).text
        by_part = signed_in.get(url + "?part=text").text
        assert by_part.strip() == by_htmx.strip()
        assert by_part.strip().startswith('<div id="text">')
        assert "<html" not in by_part
        assert "Label the cause." in by_part

    @pytest.mark.parametrize("versions", [1, 3])
    def test_a_fixed_number_of_queries(
        self, client, study, lead, volunteer, url, versions, django_assert_num_queries
    ):
        for number in range(versions):
            publish(study, lead, f"text {number}", "n")
        client.force_login(volunteer.user)
        client.get(url)
        with django_assert_num_queries(10):
            client.get(url)

    def test_publishing_by_the_form(self, signed_in, study, url, edit):
        form = {"text": FIRST, "note": "", "made_from": "0", "form_key": str(uuid4())}
        assert signed_in.post(edit, form).headers["Location"] == url
        assert signed_in.post(edit, form).headers["Location"] == url
        assert list(Guideline.objects.values_list("number", "text")) == [(1, FIRST)]

    def test_a_later_version_needs_a_note(self, signed_in, study, lead, edit):
        publish(study, lead, FIRST)
        answer = signed_in.post(edit, {"text": SECOND, "note": "", "made_from": "1"})
        assert answer.status_code == 422
        assert "Label the root cause." in answer.text

    def test_stale_form_shows_both_texts_and_can_be_sent_again(self, signed_in, study, lead, url, edit):
        publish(study, lead, FIRST)
        publish(study, lead, SECOND, "theirs")
        form = {"text": "my text", "note": "my note", "made_from": "1"}
        answer = signed_in.post(edit, form)
        assert answer.status_code == 409
        assert ["my text" in answer.text, "my note" in answer.text, SECOND in answer.text] == [True] * 3
        assert re.search(r'name="made_from"\s+value="2"', answer.text)
        assert signed_in.post(edit, form | {"made_from": "2"}).headers["Location"] == url
        assert queries.current_guideline(study).text == "my text"

    def test_preview_publishes_nothing(self, signed_in, edit):
        form = {"text": "**bold** <script>", "note": "", "made_from": "0", "preview": "1"}
        for headers in ({}, {"HX-Request": "true", "HX-Target": "preview"}):
            answer = signed_in.post(edit, form, headers=headers)
            assert answer.status_code == 200
            assert "<strong>bold</strong> &lt;script&gt;" in answer.text
        assert Guideline.objects.count() == 0

    def test_reading_by_json_and_by_form(self, client, study, lead, volunteer):
        guideline = publish(study, lead, FIRST)
        client.force_login(volunteer.user)
        read = reverse("read_guideline", args=[study.slug])
        assert client.post(read, {"guideline": "0"}).status_code == 404
        answer = client.post(read, {"guideline": str(guideline.pk)}, headers={"Accept": "application/json"})
        assert answer.json() == {"read": 1}
        assert queries.guideline_news(volunteer) is None
        back = client.post(read, headers={"Referer": "http://testserver/rounds/1/label/"})
        assert back.headers["Location"] == "http://testserver/rounds/1/label/"
        away = client.post(read, headers={"Referer": "http://elsewhere.example/"})
        assert away.headers["Location"] == reverse("guideline", args=[study.slug])


def test_rest(client, study, lead, volunteer):
    client.force_login(volunteer.user)
    url = f"/api/v1/studies/{study.slug}/guideline/"
    assert client.get(url).status_code == 404
    assert client.get(url + "versions/").json() == []
    publish(study, lead, FIRST)
    second = publish(study, lead, SECOND, "note")
    current = client.get(url).json()
    found = (current["number"], current["text"], current["note"], current["published_by"])
    assert found == (2, SECOND, "note", lead.pseudonym)
    assert current["published_at"].startswith(f"{second.published_at:%Y-%m-%d}")
    assert client.get(url + "?version=1").json()["text"] == FIRST
    assert client.get(url + "?version=x").status_code == 404
    assert [row["number"] for row in client.get(url + "versions/").json()] == [2, 1]
