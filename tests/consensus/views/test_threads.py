"""The thread of an issue: who sends a comment, what comes back, with JavaScript and without."""

from uuid import uuid4

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from consensus.actions.threads import say
from consensus.models import Comment, Mention
from studies.models import Role
from tests import factories
from tests.kept import kept
from tests.worlds.pages import client, label_all

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=2, members=3)]

FRAGMENT = {"HX-Request": "true", "HX-Target": "thread"}


@kept
def round_(world):
    round_ = world.round()
    label_all(world, round_, "C.2 C.2 C.3")
    return round_


def _post(member, round_, issue, name="comment_on_issue", *, query="", headers=None, **form):
    return client(member).post(reverse(name, args=[round_.pk, issue.pk]) + query, form, headers=headers or {})


def test_a_comment_without_javascript_leads_back_to_the_issue(world, round_):
    response = _post(
        world.members[0], round_, world.issues[0], query="?pair=C.2+C.3&issue=1", text="No.", category="C.3"
    )
    page = reverse("disagreements", args=[round_.pk])
    assert response.status_code == 302
    assert response["Location"] == f"{page}?pair=C.2+C.3&issue={world.issues[0].pk}#thread"
    assert Comment.objects.get().category == world.category("C.3")


def test_a_comment_by_htmx_answers_with_the_thread(world, round_):
    say(round_=round_, issue=world.issues[0], author=world.members[1], text="First")
    response = _post(world.members[0], round_, world.issues[0], headers=FRAGMENT, text="<b>No</b> & @R2")
    body = response.content.decode()
    assert (response.status_code, "<html" in body, "2 comments" in body) == (200, False, True)
    assert '&lt;b&gt;No&lt;/b&gt; &amp; <b class="call">@R2</b></p>' in body
    assert {"HX-Request", "HX-Target"} <= {name.strip() for name in response["Vary"].split(",")}


def test_a_double_click_says_it_once(world, round_):
    key = str(uuid4())
    for _ in range(2):
        answer = _post(world.members[0], round_, world.issues[0], headers=FRAGMENT, text="No.", form_key=key)
        assert (answer.status_code, answer.content.decode().count('class="words"')) == (200, 1)
    assert Comment.objects.count() == 1


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"text": ""}, "Write the comment first."),
        (
            {"text": "typed " + "x" * 2000},
            "The comment is longer than 2,000 characters. Shorten the comment.",
        ),
        ({"text": "typed", "category": "Z.9"}, "The taxonomy of this round has no category with this code."),
    ],
)
def test_what_is_refused_stays_in_the_form(world, round_, form, said):
    response = _post(world.members[0], round_, world.issues[0], headers=FRAGMENT, **form)
    body = response.content.decode()
    assert (response.status_code, said in body, f">{form['text']}</textarea>" in body) == (422, True, True)

    page = _post(world.members[0], round_, world.issues[0], **form)
    assert (page.status_code, form["text"] in page.content.decode()) == (409, True)
    assert not Comment.objects.exists()


@pytest.mark.parametrize("name", ["comment_on_issue", "see_mentions"])
def test_only_what_differs_and_is_not_withheld_has_a_thread(world, round_, name):
    world.waits_for(world.members[2], world.issues[0])
    first, _second, third = world.members
    answers = [
        _post(member, round_, issue, name, text="No.").status_code
        for member, issue in ((first, world.issues[0]), (third, world.issues[0]), (first, world.issues[1]))
    ]
    assert answers == [302, 404, 404]


def test_new_mentions_are_marked_until_the_thread_was_shown(world, round_):
    say(round_=round_, issue=world.issues[0], author=world.members[1], text="@R1: look")
    shown = _post(world.members[0], round_, world.issues[0], headers=FRAGMENT, text="I see.")
    assert (
        "mentions you" in shown.content.decode(),
        'hx-trigger="load, submit"' in shown.content.decode(),
    ) == (
        True,
        True,
    )
    assert Mention.objects.get().seen_at is None

    seen = _post(world.members[0], round_, world.issues[0], "see_mentions", headers={"HX-Request": "true"})
    assert (seen.status_code, seen.content) == (200, b"")
    assert Mention.objects.get().seen_at is not None
    after = _post(world.members[0], round_, world.issues[0], headers=FRAGMENT, text="Yes.")
    assert "mentions you" not in after.content.decode()


def _rest(member, round_, issue, **said):
    api = APIClient()
    api.force_authenticate(member.user)
    address = reverse("api_comments", args=[round_.pk, issue.pk])
    return api.post(address, said, format="json") if said else api.get(address)


def test_a_thread_is_read_and_added_to_over_rest(world, round_):
    issue, (first, second, _third) = world.issues[0], world.members
    say(round_=round_, issue=issue, author=second, text="First", category=world.category("C.3"))

    made = _rest(first, round_, issue, text="No. @R2", category="C.2")

    assert made.status_code == 201
    assert [{**row, "id": 0, "said_at": ""} for row in _rest(second, round_, issue).json()] == [
        {"id": 0, "author": second.pseudonym, "text": "First", "category": "C.3", "said_at": ""},
        {"id": 0, "author": first.pseudonym, "text": "No. @R2", "category": "C.2", "said_at": ""},
    ]
    assert _rest(second, round_, issue).json()[1] == made.json()
    assert Mention.objects.get().member == second


def test_over_rest_a_thread_is_for_who_may_read_it(world, round_):
    issue, held = world.issues[0], world.members[0]
    viewer = factories.make_member(world.study, Role.VIEWER)
    say(round_=round_, issue=issue, author=world.members[1], text="First")
    factories.make_round(world.version, [issue], [held], name="Once more")

    assert [_rest(member, round_, issue).status_code for member in (viewer, held)] == [200, 404]
    assert [_rest(member, round_, issue, text="No.").status_code for member in (viewer, held)] == [403, 404]
    assert _rest(viewer, round_, world.issues[1]).status_code == 404
    assert Comment.objects.count() == 1


@pytest.mark.parametrize(
    "said", [{"text": " "}, {"text": "x" * 2001}, {"category": "C.2"}, {"text": "No.", "category": "Z.9"}]
)
def test_what_is_refused_over_rest_says_the_field(world, round_, said):
    answer = _rest(world.members[0], round_, world.issues[0], **said)
    assert answer.status_code == 400
    assert list(answer.json()) == ["category" if "Z.9" in said.values() else "text"]
