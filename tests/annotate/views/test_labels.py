"""The labelling page: who may see it, what it stores, and what it says when it does not."""

import gzip
import re
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.staticfiles import finders
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.actions.rounds import close_round
from annotate.models import Draft, Skip
from annotate.queries.turns import current_turn
from ingest.models import Snapshot
from rounds.models import Assignment, Label, Round
from taxonomy.actions import create_taxonomy
from taxonomy.models import Level
from taxonomy.presets import load_preset
from tests import factories
from tests.worlds.pages import client as _client
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=1)]

FRAGMENT = {"HX-Request": "true", "HX-Target": "issue"}
JSON = {"Accept": "application/json"}


def _shown(response) -> int:
    """The issue that the form of a page or fragment is about."""
    return int(re.search(r'name="issue" value="(\d+)"', response.content.decode()).group(1))


def _text(response) -> str:
    """What was answered, with every run of white space as one blank."""
    return " ".join(response.content.decode().split())


def _form(world, round_, member, code="C.2", **fields) -> dict:
    """What the page's form posts for the member's current turn."""
    turn = current_turn(round_, member)
    form = {
        "issue": turn.issue.pk,
        "member": member.pk,
        "version": round_.version_id,
        "snapshot": turn.seen_snapshot,
        "revision": turn.seen_revision,
        "form_key": str(uuid4()),
        "summary": "a short summary",
    }
    return form | ({"category": world.category(code).pk} if code else {}) | fields


def _post(member, name, round_, form, **headers):
    return _client(member).post(reverse(name, args=[round_.pk]), form, headers=headers)


PAGES = ["label", "own_labels"]


def test_a_member_who_does_not_label_in_the_round_is_told_so(world):
    response = _client(world.lead).get(reverse("label", args=[world.round().pk]))
    assert response.status_code == 403
    assert "not a volunteer of this round" in _text(response)


def test_the_page_shows_the_current_issue_and_the_draft_of_it(world):
    round_, member = world.round(), world.members[0]
    snapshot = factories.make_issue(
        world.repository,
        title="It <b>crashes</b>",
        body="Run **this** <script>alert(1)</script>",
        author="ann",
        author_association="NONE",
        state="closed",
        state_reason="not_planned",
        labels=["bug", "p<1>"],
        comments=[
            {"author": "max", "association": "MEMBER", "at": "2024-05-02T09:59:00Z", "body": "Fixed in 2"},
            {"author": "ann", "association": "NONE", "at": "2024-05-09T10:00:00Z", "body": "Thanks"},
        ],
        opened_at="2024-05-01T10:00:00Z",
    ).current
    world.issues[0].current = Snapshot.objects.get(pk=snapshot.pk)
    world.issues[0].save()
    world.draft(round_, world.issues[0], member, "C.3", 'so "far"')
    response = _client(member).get(reverse("label", args=[round_.pk]))
    page = _text(response)
    for part in [
        '<h1 dir="auto">It &lt;b&gt;crashes&lt;/b&gt;</h1>',
        "<strong>this</strong> &lt;script&gt;alert(1)&lt;/script&gt;",
        "Closed as not planned",
        "p&lt;1&gt;",
        '<details class="fold maint">',
        "same day",
        "8 days later",
        f'value="{world.category("C.3").pk}" checked',
        'value="so &quot;far&quot;"',
        'name="revision" value="1"',
        "Submit C.3",
    ]:
        assert part in page
    assert page.count("checked") == 1
    assert "<script>" not in page


@pytest.mark.world(issues=0)
def test_an_issue_without_text_says_so_and_links_to_its_forge(world):
    bare = factories.make_issue(world.repository, "7", text=False, is_pull_request=True, year=2024)
    page = _text(_client(world.members[0]).get(reverse("label", args=[world.round().pk])))
    assert "The text of this issue is not here yet." in page
    assert page.count(f'href="{bare.url}" target="_blank" rel="noopener noreferrer"') == 2
    assert "Pull request" in page
    assert "Copy of" not in page


def test_categories_too_broad_for_the_round_are_shown_and_cannot_be_chosen(world):
    page = _text(
        _client(world.members[0]).get(reverse("label", args=[world.round(depth=Level.SUB_THEME).pk]))
    )
    can = {
        code
        for code in factories.taxonomy.CODES
        if f'name="category" value="{world.category(code).pk}"' in page
    }
    assert can == {"A.1.i", "A.1.ii", "A.2", "B.1", "B.2", "C.1.i", "C.2", "C.3", "C.9", "C.10"}
    assert all(f'id="c{world.category(code).pk}"' in page for code in factories.taxonomy.CODES)


@pytest.mark.world(issues=2)
def test_a_label_is_stored_and_the_next_issue_is_in_the_answer(world):
    round_, member = world.round(), world.members[0]
    first, second = world.issues if _shown_first(round_, member) == world.issues[0].pk else world.issues[::-1]
    form = _form(world, round_, member, "C.9", unsure="on")
    response = _post(member, "submit_label", round_, form, **JSON)
    label = Label.objects.get()
    assert (label.issue, label.category, label.snapshot) == (first, world.category("C.9"), first.current)
    assert (label.summary, label.unsure, str(label.form_key)) == ("a short summary", True, form["form_key"])
    answer = response.json()
    assert response.status_code == 200
    assert set(answer) == {"said", "saved", "pace", "recent", "back", "next", "go"}
    saved = {"issue": first.pk, "category": world.category("C.9").pk, "code": "C.9"}
    assert (answer["said"], answer["saved"], answer["go"]) == ("Saved C.9.", saved, None)
    assert 'max="2" value="1"' in " ".join(answer["pace"].split())
    assert f'data-pick="{world.category("C.9").pk}"' in answer["recent"]
    assert f"?issue={first.pk}" in answer["back"]
    turn = answer["next"]
    assert set(turn) == {"issue", "version", "title", "html", "turn", "skip_turn"}
    assert (turn["issue"], turn["title"]) == (second.pk, f"{second} · {round_.name} · Crosscheck")
    assert turn["html"].startswith('<div id="issue">')
    assert second.current.title in turn["html"]
    assert f'name="issue" value="{second.pk}"' in turn["turn"]
    assert 'name="form_key" value="' in turn["turn"]
    assert turn["skip_turn"].startswith('<span id="skip-turn">')
    assert 'id="tree"' not in response.content.decode()


def _shown_first(round_, member) -> int:
    return current_turn(round_, member).issue.pk


@pytest.mark.world(issues=2)
def test_without_script_the_answer_to_a_label_is_the_next_page(world):
    round_, member = world.round(), world.members[0]
    client = _client(member)
    first = _shown_first(round_, member)
    response = client.post(
        reverse("submit_label", args=[round_.pk]), _form(world, round_, member), follow=True
    )
    assert response.redirect_chain == [(reverse("label", args=[round_.pk]), 302)]
    assert _shown(response) != first
    assert "Saved C.2." in _text(response)


def test_the_last_label_leads_to_the_end_page(world):
    round_, member = world.round(), world.members[0]
    answer = _post(member, "submit_label", round_, _form(world, round_, member), **JSON).json()
    assert (answer["next"], answer["go"]) == (None, reverse("label", args=[round_.pk]))
    page = _text(_client(member).get(reverse("label", args=[round_.pk])))
    assert "All done" in page
    assert "of 1 labelled by you" in page


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"category": "abc"}, "This category is not in the taxonomy of this round."),
        ({"category": "9" * 5000}, "This category is not in the taxonomy of this round."),
        ({"summary": "x" * 501}, "The summary is longer than 500 characters."),
    ],
)
def test_what_cannot_be_a_label_is_said_beside_the_form(world, change, says):
    round_, member = world.round(), world.members[0]
    form = _form(world, round_, member) | change
    answer = _post(member, "submit_label", round_, form, **JSON)
    assert (answer.status_code, answer.json()["kept"]) == (422, False)
    assert says in answer.json()["detail"]
    page = _post(member, "submit_label", round_, form)
    assert page.status_code == 422
    assert says in _text(page)
    assert f'value="{form["summary"]}"' in _text(page)
    assert Label.objects.count() == 0


def test_a_category_of_another_study_is_refused():
    world, elsewhere = small_world(issues=1), small_world(issues=1)
    round_, member = world.round(), world.members[0]
    form = _form(world, round_, member, category=elsewhere.category("C.2").pk)
    response = _post(member, "submit_label", round_, form, **JSON)
    assert (response.status_code, Label.objects.count()) == (422, 0)


def test_a_category_too_broad_is_refused_with_the_text_kept(world):
    round_, member = world.round(), world.members[0]
    page = _post(member, "submit_label", round_, _form(world, round_, member, "C"))
    assert page.status_code == 409
    assert "Choose a category below it." in _text(page)
    assert 'value="a short summary"' in _text(page)


def test_an_issue_labelled_in_another_window_shows_both_sides(world):
    round_, member = world.round(), world.members[0]
    stale = _form(world, round_, member, "C.9", summary="second thoughts")
    world.submit(round_, world.issues[0], member, "C.2", summary="first thoughts")
    answer = _post(member, "submit_label", round_, stale, **JSON)
    assert answer.status_code == 409
    said = answer.json()
    parts = {name: said.pop(name) for name in ("pace", "recent", "back")}
    assert ">1</b>" in parts["pace"]
    assert "C.2" in parts["recent"]
    assert f"?issue={world.issues[0].pk}" in parts["back"]
    assert said == {
        "detail": "You have already labelled this issue. To choose another category, change your label.",
        "code": "AlreadyLabelled",
        "kept": False,
        "issue": world.issues[0].pk,
        "stored": {
            "category": world.category("C.2").pk,
            "summary": "first thoughts",
            "unsure": False,
            "proposed_name": "",
            "proposed_reason": "",
            "revision": 0,
        },
    }
    page = _post(member, "submit_label", round_, stale)
    text = _text(page)
    assert page.status_code == 409
    assert 'value="second thoughts"' in text
    assert f'value="{world.category("C.9").pk}" checked' in text
    assert f'action="{reverse("change_label", args=[round_.pk])}"' in text
    assert list(Label.objects.values_list("summary", flat=True)) == ["first thoughts"]


def test_a_closed_round_keeps_the_text_as_a_draft_and_says_so(world):
    round_, member = world.round(), world.members[0]
    form = _form(
        world, round_, member, "C.3", summary="too late", proposed_name="Heat", proposed_reason="It burns."
    )
    close_round(round_=round_, by=world.lead)
    response = _post(member, "submit_label", round_, form, **JSON)
    answer = response.json()
    assert (response.status_code, answer["code"], answer["kept"]) == (409, "RoundClosed", True)
    assert list(Draft.objects.values_list("summary", "category", "proposed_name", "proposed_reason")) == [
        ("too late", world.category("C.3").pk, "Heat", "It burns.")
    ]
    page = _text(_client(member).get(reverse("label", args=[round_.pk])))
    assert "This round is closed" in page
    own = _text(_client(member).get(reverse("label", args=[round_.pk]), {"issue": world.issues[0].pk}))
    assert "too late" in own
    assert "<form id=" not in own


def test_a_page_that_another_member_opened_stores_nothing(world):
    round_, (first, second, _third) = world.round(), world.members
    form = _form(world, round_, first)
    for name in ("submit_label", "save_draft", "skip_issue"):
        response = _post(second, name, round_, form | {"reason": "because"}, **JSON)
        assert response.status_code == 409
        assert "Another member opened this page" in _text(response)
    assert (Label.objects.count(), Draft.objects.count(), Skip.objects.count()) == (0, 0, 0)


@pytest.mark.parametrize("issue", ["", "x", "0", "9" * 30, "-1", "٣"])
def test_an_issue_that_is_none_is_not_found(world, issue):
    round_, member = world.round(), world.members[0]
    form = _form(world, round_, member) | {"issue": issue}
    assert _post(member, "submit_label", round_, form).status_code == 404
    assert _client(member).get(reverse("label", args=[round_.pk]), {"issue": issue}).status_code == 404


def test_in_a_round_of_some_only_issues_of_mine_are_found(world):
    round_ = world.k_of_n(1)
    first, second, _third = world.members
    assert _post(first, "next_issue", round_, {}).status_code == 302
    form = _form(world, round_, first)
    response = _post(second, "submit_label", round_, form | {"member": second.pk})
    assert response.status_code == 409
    assert "not assigned to you" in _text(response)
    assert (Label.objects.count(), Draft.objects.count()) == (0, 0)
    issue = {"issue": world.issues[0].pk}
    assert _client(second).get(reverse("label", args=[round_.pk]), issue).status_code == 404
    assert _client(first).get(reverse("label", args=[round_.pk]), issue).status_code == 200


def test_in_a_round_of_some_the_page_claims_nothing_until_asked(world):
    round_, member = world.k_of_n(2), world.members[0]
    page = _text(_client(member).get(reverse("label", args=[round_.pk])))
    assert "Take next issue" in page
    assert 'hx-trigger="load, submit"' in page
    assert Assignment.objects.filter(volunteer=member).count() == 0
    response = _client(member).post(reverse("next_issue", args=[round_.pk]), headers=FRAGMENT)
    assert response["HX-Redirect"] == reverse("label", args=[round_.pk])
    assert Assignment.objects.filter(volunteer=member).count() == 1
    assert _shown(_client(member).get(reverse("label", args=[round_.pk]))) == world.issues[0].pk


def test_in_a_round_of_some_nothing_left_is_an_end_page(world):
    round_ = world.k_of_n(1)
    first, second, _third = world.members
    _post(first, "next_issue", round_, {})
    page = _post(second, "next_issue", round_, {})
    assert page.status_code == 200
    assert "No issue of this round waits for you now." in _text(page)
    assert "Take next issue" not in _text(page)


@pytest.mark.parametrize(("code", "summary"), [("B.2", "half a tho"), (None, "só ")])
def test_a_draft_is_saved_with_or_without_a_category_and_answers_with_its_revision(world, code, summary):
    round_, member = world.round(), world.members[0]
    response = _post(
        member, "save_draft", round_, _form(world, round_, member, code, summary=summary), **JSON
    )
    assert (response.status_code, response.json()) == (200, {"revision": 1})
    draft = Draft.objects.get()
    assert (draft.category, draft.summary, draft.unsure) == (code and world.category(code), summary, False)


def test_without_script_a_draft_is_saved_by_a_button(world):
    round_, member = world.round(), world.members[0]
    response = _client(member).post(
        reverse("save_draft", args=[round_.pk]), _form(world, round_, member), follow=True
    )
    assert "Your draft is saved." in _text(response)
    assert 'value="a short summary"' in _text(response)


@pytest.mark.world(issues=2)
def test_an_earlier_label_can_be_changed_until_it_is_revealed(world):
    round_, member = world.round(), world.members[0]
    issue = world.issues[0]
    label = world.submit(round_, issue, member, "C.2", summary="one").label
    page = _text(_client(member).get(reverse("label", args=[round_.pk]), {"issue": issue.pk}))
    assert f'action="{reverse("change_label", args=[round_.pk])}"' in page
    assert f'name="seen" value="{label.submitted_at.isoformat()}"' in page
    assert "Change to C.2" in page
    form = {
        "issue": issue.pk,
        "category": world.category("C.9").pk,
        "summary": "two",
        "seen": label.submitted_at.isoformat(),
    }
    response = _client(member).post(reverse("change_label", args=[round_.pk]), form, follow=True)
    assert "now has your label C.9" in _text(response)
    label.refresh_from_db()
    assert (label.category, label.summary) == (world.category("C.9"), "two")
    assert label.changed_at is not None


def test_a_label_changed_elsewhere_is_not_overwritten_unseen(world):
    round_, member, issue = world.round(), world.members[0], world.issues[0]
    label = world.submit(round_, issue, member, "C.2", summary="stored").label
    form = {
        "issue": issue.pk,
        "category": world.category("C.9").pk,
        "summary": "mine",
        "seen": (label.submitted_at - timedelta(minutes=1)).isoformat(),
    }
    page = _post(member, "change_label", round_, form)
    text = _text(page)
    assert page.status_code == 409
    assert "stored" in text
    assert 'value="mine"' in text
    assert f'name="seen" value="{label.submitted_at.isoformat()}"' in text
    label.refresh_from_db()
    assert label.summary == "stored"


@pytest.mark.world(issues=1, members=2)
def test_a_revealed_label_is_shown_and_cannot_be_changed(world):
    round_, issue = world.round(), world.issues[0]
    first, second = world.members
    world.submit(round_, issue, first, "C.2", summary="mine for good")
    world.submit(round_, issue, second, "C.9", summary="somebody else's")
    page = _text(_client(first).get(reverse("label", args=[round_.pk]), {"issue": issue.pk}))
    assert "Others can see this label now" in page
    assert "mine for good" in page
    assert "somebody else" not in page
    assert '<form id="label-form"' not in page
    form = {"issue": issue.pk, "category": world.category("C.9").pk, "summary": "no, this"}
    response = _post(first, "change_label", round_, form, **JSON)
    assert (response.status_code, response.json()["code"]) == (409, "LabelRevealed")
    assert Label.objects.get(volunteer=first).summary == "mine for good"


def test_a_draft_of_a_change_is_shown_in_place_of_the_label(world):
    round_, member, issue = world.round(), world.members[0], world.issues[0]
    world.submit(round_, issue, member, "C.2", summary="stored")
    world.draft(round_, issue, member, "C.9", "thinking again")
    page = _text(_client(member).get(reverse("label", args=[round_.pk]), {"issue": issue.pk}))
    assert 'value="thinking again"' in page
    assert "The form has a change that you have not submitted." in page


@pytest.mark.world(issues=2)
def test_an_issue_is_put_off_with_a_reason_and_taken_up_again(world):
    round_, member = world.round(), world.members[0]
    first = _shown_first(round_, member)
    form = {"issue": first, "member": member.pk, "reason": "hard to say"}
    answer = _post(member, "skip_issue", round_, form, **JSON).json()
    assert (answer["saved"], answer["next"]["issue"] != first) == (None, True)
    assert list(Skip.objects.values_list("issue", "reason")) == [(first, "hard to say")]
    own = _text(_client(member).get(reverse("own_labels", args=[round_.pk])))
    assert "“hard to say”" in own
    back = _client(member).post(reverse("take_back_skip", args=[round_.pk]), {"issue": first}, follow=True)
    assert _shown(back) == first
    assert Skip.objects.count() == 0


def test_a_skip_without_a_reason_is_refused_in_its_dialog(world):
    round_, member = world.round(), world.members[0]
    form = {"issue": _shown_first(round_, member), "reason": " "}
    response = _post(member, "skip_issue", round_, form, **JSON)
    assert response.status_code == 422
    assert response.json()["detail"] == "Give a short reason why you skip this issue."
    page = _post(member, "skip_issue", round_, form)
    assert '<dialog class="slim" id="skip" aria-labelledby="skip-h" open>' in _text(page)
    assert Skip.objects.count() == 0


def test_a_round_that_is_not_open_says_so(world):
    page = _client(world.members[0]).get(reverse("label", args=[world.round(opened=False).pk]))
    assert page.status_code == 200
    assert "This round is not open yet" in _text(page)


@pytest.mark.world(issues=52, members=2)
def test_own_labels_are_mine_alone_newest_first_in_pages(world):
    round_ = world.round()
    member, other = world.members
    for number, issue in enumerate(world.issues):
        world.submit(round_, issue, member, "C.2", summary=f"summary {number}.")
    world.submit(round_, world.issues[3], other, "C.9", summary="of somebody else")
    client = _client(member)
    first = _text(client.get(reverse("own_labels", args=[round_.pk])))
    found = re.findall(r"summary (\d+)\.", first)
    assert [int(number) for number in found] == list(range(51, 1, -1))
    older = re.search(r'rel="next" href="([^"]+)"', first).group(1)
    second = _text(client.get(reverse("own_labels", args=[round_.pk]) + older.replace("&amp;", "&")))
    assert re.findall(r"summary (\d+)\.", second) == ["1", "0"]
    assert "of somebody else" not in first + second
    assert "Continue labelling" not in first  # all 52 are labelled
    assert "Continue labelling" in _text(_client(other).get(reverse("own_labels", args=[round_.pk])))
    # The issue that both have labelled is revealed; all others can be changed.
    assert (first.count("Change<span"), first.count("revealed</span>")) == (49, 1)


@pytest.mark.world(issues=3, members=2)
def test_own_labels_show_what_was_decided_and_narrow_by_it(world):
    round_, member = world.round(), world.members[0]
    address, client = reverse("own_labels", args=[round_.pk]), _client(member)
    world.submit(round_, world.issues[0], member, "C.2")
    unrevealed = _text(client.get(address))
    assert "Decided otherwise" not in unrevealed
    assert "Decision</th>" not in unrevealed
    for issue, mine, other in zip(world.issues[1:], ["C.2", "C.10"], ["C.9", "C.10"], strict=True):
        world.submit(round_, issue, member, mine)
        world.submit(round_, issue, world.members[1], other)
    world.settle(round_, world.issues[1], "C.9", rationale="It is about the <farm>.")
    page = _text(client.get(address))
    assert [page.count(f">{words}</span>") for words in ("decided otherwise", "as you labelled")] == [1, 1]
    assert "It is about the &lt;farm&gt;." in page
    assert f'{reverse("disagreements", args=[round_.pk])}?issue={world.issues[1].pk}"' in page
    otherwise = _text(client.get(address, {"outcome": "otherwise"}))
    assert (_rows(otherwise), _rows(page)) == ([world.issues[1].pk], [one.pk for one in world.issues[::-1]])
    by_category = client.get(address, {"category": world.category("C.10").pk})
    assert _rows(_text(by_category)) == [world.issues[2].pk]
    assert "None of your labels matches this filter." in _text(client.get(address, {"outcome": "waits"}))
    assert _rows(_text(client.get(address, {"outcome": "?", "category": "x"}))) == _rows(page)


def _rows(page: str) -> list[int]:
    """The issues of a list of own labels, in its order."""
    return [int(pk) for pk in re.findall(r'<th scope="row" class="ti">\s*<a href="[^"]*issue=(\d+)"', page)]


@pytest.mark.parametrize("cursor", ["x", "2024-01-01_1", "2024-01-01T00:00:00+00:00_x", "_", "3", "\x00"])
def test_a_cursor_that_is_none_is_not_found(world, cursor):
    address = reverse("own_labels", args=[world.round().pk])
    assert _client(world.members[0]).get(address, {"after": cursor}).status_code == 404


@pytest.mark.world(issues=3)
def test_back_leads_from_each_label_to_the_one_before(world):
    round_, member = world.round(), world.members[0]
    client = _client(member)
    address = reverse("label", args=[round_.pk])
    assert 'id="back" type="button" disabled' in _text(client.get(address))
    for issue in world.issues[:2]:
        world.submit(round_, issue, member, "C.2")
    assert f'id="back" href="{address}?issue={world.issues[1].pk}"' in _text(client.get(address))
    earlier = _text(client.get(address, {"issue": world.issues[1].pk}))
    assert f'id="back" href="{address}?issue={world.issues[0].pk}"' in earlier


@pytest.mark.world(issues=3, members=2)
def test_the_page_is_the_same_bytes_whatever_the_others_label(world):
    round_ = world.round(reveal=Round.Reveal.ROUND_CLOSED)
    member, other = world.members
    client = _client(member)

    def session() -> list[str]:
        pages = [_text(client.get(reverse(name, args=[round_.pk]))) for name in PAGES]
        return [
            re.sub(r'(form_key|csrfmiddlewaretoken)" value="[^"]*"|"X-CSRFToken": "[^"]*"', "", page)
            for page in pages
        ]

    world.submit(round_, world.issues[0], member, "C.2")
    before = session()
    for issue, code in zip(world.issues, ["C.9", "A.1", "B.2"], strict=True):
        world.submit(round_, issue, other, code, summary="canary")
    assert session() == before


@pytest.mark.parametrize("size", [1, 3, pytest.param(300, marks=pytest.mark.slow)])
def test_queries_do_not_grow_with_the_round(size):
    world = small_world(issues=size + 2)
    round_, member = world.round(), world.members[0]
    client = _client(member)
    for issue in world.issues[: 1 + size // 2]:
        world.submit(round_, issue, member, "C.2")
    client.get(reverse("label", args=[round_.pk]))  # the tree of a version is kept in memory
    with CaptureQueriesContext(connection) as page:
        client.get(reverse("label", args=[round_.pk]))
    form = _form(world, round_, member)
    with CaptureQueriesContext(connection) as submit:
        client.post(reverse("submit_label", args=[round_.pk]), form, headers=JSON)
    with CaptureQueriesContext(connection) as draft:
        client.post(reverse("save_draft", args=[round_.pk]), _form(world, round_, member), headers=JSON)
    with CaptureQueriesContext(connection) as own:
        client.get(reverse("own_labels", args=[round_.pk]))
    assert [len(page), len(submit), len(draft), len(own)] == [9, 11, 11, 18]


def test_the_page_weighs_at_most_80_kb_in_eight_requests(world):
    version = create_taxonomy(
        study=world.study, name="Root cause", tree=load_preset("llm-frameworks"), by=world.lead.user
    )
    page = _client(world.members[0]).get(reverse("label", args=[world.round(version=version).pk]))
    linked = re.findall(r'(?:src|href)="/static/([^"]+)"', page.content.decode())
    files = [Path(finders.find(name)).read_bytes() for name in linked]
    weights = {
        name: len(gzip.compress(content))
        for name, content in zip(["the page", *linked], [page.content, *files], strict=True)
    }
    assert len(weights) <= 8, weights
    assert sum(weights.values()) <= 80_000, weights
