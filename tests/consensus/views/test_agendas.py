"""Issues put on an agenda, left to a pair or opened again, from the dashboard."""

from functools import partial
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from consensus.models import AgendaItem, Decision, Meeting
from rounds.models import Round
from tests.factories import make_meeting
from tests.worlds.pages import client as signed_in
from tests.worlds.pages import label_all, text_of
from tests.worlds.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4)]


def _round(world: World) -> Round:
    round_ = world.round()
    label_all(world, round_, "C.2 C.2 C.3", "C.2 C.2 C.9", "C.2 C.2 C.2", "C.9 C.9 C.3")
    return round_


def _post(member, name, round_, *more, query="", headers=None, **form):
    address = reverse(name, args=[round_.pk, *more]) + (f"?{query}" if query else "")
    return signed_in(member).post(address, {"form_key": str(uuid4())} | form, headers=headers)


_text = partial(text_of, end="")
"""With the messages, which stand behind it."""


def _said(client_response, member) -> str:
    """The page behind a redirect, as its reader sees it, messages included."""
    client = signed_in(member)
    client.cookies.update(client_response.client.cookies)
    return _text(client.get(client_response["Location"]))


# --- agendas


def test_chosen_issues_go_on_an_agenda_and_the_dashboard_comes_back(world):
    round_ = _round(world)
    meeting = make_meeting(round_, world.lead)
    chosen = [world.issues[place].pk for place in (0, 1, 2)]
    done = _post(
        world.lead, "put_on_agenda", round_, query="pair=C.2+C.3", meeting=meeting.pk, issues=chosen
    )  # fmt: skip
    assert done["Location"] == f"{reverse('disagreements', args=[round_.pk])}?pair=C.2+C.3"
    assert set(AgendaItem.objects.values_list("issue", flat=True)) == set(chosen[:2])
    said = _said(done, world.lead)
    assert "2 issues are now on the agenda of Monday." in said
    assert "1 issue was left out" in said
    fragment = _post(
        world.lead, "put_on_agenda", round_, headers={"HX-Request": "true"}, meeting=meeting.pk, issues=chosen
    )  # fmt: skip
    assert fragment["HX-Redirect"] == reverse("disagreements", args=[round_.pk])


@pytest.mark.parametrize("name", ["put_on_agenda", "assign_pair"])
def test_all_that_the_filters_find_go_on_an_agenda_or_to_a_pair(world, name):
    round_ = _round(world)
    form = {"meeting": make_meeting(round_, world.lead).pk}
    if name == "assign_pair":
        form = {"first": world.members[0].pk, "second": world.members[1].pk}
    _post(world.lead, name, round_, query="type=C&pair=C.9+C.3", all=1, **form)
    assert [item.issue for item in AgendaItem.objects.all()] == [world.issues[3]]


def test_without_a_meeting_the_page_asks_which(world):
    round_ = _round(world)
    make_meeting(round_, world.lead)
    make_meeting(round_, world.lead, name="Over", opened_at=timezone.now(), closed_at=timezone.now())
    page = _post(world.lead, "put_on_agenda", round_, issues=[world.issues[0].pk])
    assert page.status_code == 200
    text = _text(page)
    assert "1 issue is chosen" in text
    assert "Monday" in text
    assert "Over" not in text.split()
    assert f'name="issues" value="{world.issues[0].pk}"' in " ".join(page.content.decode().split())
    assert "1 open issue matches these filters." in _text(
        _post(world.lead, "put_on_agenda", round_, query="pair=C.2+C.3", all=1)
    )


def test_a_new_meeting_is_planned_with_what_is_chosen(world):
    round_ = _round(world)
    planned = reverse("new_meeting", args=[round_.pk])
    ids = [issue.pk for issue in world.issues[:2]]
    by_hand = _post(world.lead, "put_on_agenda", round_, meeting="new", issues=ids)
    assert by_hand["Location"] == f"{planned}?issues={ids[0]}%2C{ids[1]}"
    found = _post(world.lead, "put_on_agenda", round_, query="pair=C.2+C.3", meeting="new", all=1)
    assert found["Location"] == f"{planned}?pair=C.2+C.3&all=1"


def test_nothing_chosen_is_said(world):
    round_ = _round(world)
    for name in ("put_on_agenda", "assign_pair"):
        response = _post(world.lead, name, round_)
        assert response.status_code == 422
        assert "No issue is chosen." in _text(response)


def test_what_no_page_says_is_not_found(world):
    round_ = _round(world)
    other = make_meeting(world.round(), world.lead)
    chosen = [world.issues[0].pk]
    for fields in ({"meeting": other.pk}, {"meeting": "x"}, {"meeting": "9" * 30}):
        assert _post(world.lead, "put_on_agenda", round_, issues=chosen, **fields).status_code == 404
    assert _post(world.lead, "put_on_agenda", round_, meeting=1, issues=["x"]).status_code == 404
    assert _post(world.lead, "put_on_agenda", round_, query="pair=C", meeting=1, all=1).status_code == 404


def test_a_closed_meeting_takes_no_more(world):
    round_ = _round(world)
    meeting = make_meeting(round_, world.lead, opened_at=timezone.now(), closed_at=timezone.now())
    response = _post(world.lead, "put_on_agenda", round_, meeting=meeting.pk, issues=[world.issues[0].pk])
    assert response.status_code == 409
    assert "This meeting is closed" in _text(response)


# --- pairs


def test_what_is_chosen_is_left_to_a_pair(world):
    round_ = _round(world)
    chosen = f"{world.issues[0].pk},{world.issues[1].pk}"
    asks = _post(world.lead, "assign_pair", round_, issues=chosen)
    assert asks.status_code == 200
    assert "2 issues are chosen" in _text(asks)
    linked = signed_in(world.lead).get(reverse("assign_pair", args=[round_.pk]), {"issues": chosen})
    assert "2 issues are chosen" in _text(linked)
    first, second = (member.pk for member in world.members[:2])
    same = _post(world.lead, "assign_pair", round_, issues=chosen, first=first, second=first)
    assert same.status_code == 422
    assert "Choose two different people." in _text(same)

    key = str(uuid4())
    for click in range(2):
        done = _post(
            world.lead, "assign_pair", round_, issues=chosen, first=first, second=second, form_key=key
        )  # fmt: skip
        assert done["Location"] == reverse("disagreements", args=[round_.pk])
        assert ("2 issues are assigned to R1 & R2." in _said(done, world.lead)) is (click == 0)
    meeting = Meeting.objects.get()
    assert (meeting.name, meeting.items.count()) == ("R1 & R2", 2)
    late = _post(world.lead, "assign_pair", round_, issues=chosen, first=first, second=second)
    assert late.status_code == 409
    assert "All of these issues are decided or on the agenda of another meeting" in _text(late)


# --- opened again


def test_a_decided_issue_is_opened_again_with_the_reason(world):
    round_, issue = _round(world), world.issues[0]
    world.settle(round_, issue, "C.2")
    asks = signed_in(world.lead).get(reverse("reopen_issue", args=[round_.pk, issue.pk]))
    assert "Current decision" in _text(asks)
    assert "Said by the lead." in _text(asks)
    empty = _post(world.lead, "reopen_issue", round_, issue.pk, why=" ", seen_number=1)
    assert empty.status_code == 422
    assert "Say in a sentence why the issue is open again." in _text(empty)
    done = _post(world.lead, "reopen_issue", round_, issue.pk, why="The log was cut.", seen_number=1)
    assert done["Location"] == f"{reverse('disagreements', args=[round_.pk])}?issue={issue.pk}"
    assert Decision.objects.get(issue=issue).superseded_why == "The log was cut."
    again = signed_in(world.lead).get(reverse("reopen_issue", args=[round_.pk, issue.pk]))
    assert again["Location"] == done["Location"]


def test_a_stale_reopening_keeps_the_reason_and_shows_what_stands(world):
    round_, issue = _round(world), world.issues[0]
    world.settle(round_, issue, "C.2")
    world.settle(round_, issue, "C.3", seen=1)
    stale = _post(world.lead, "reopen_issue", round_, issue.pk, why="The log was cut.", seen_number=1)
    assert stale.status_code == 409
    assert "changed the decision while you typed" in _text(stale)
    assert "The log was cut." in _text(stale)
    assert 'name="seen_number" value="2"' in " ".join(stale.content.decode().split())
    _post(world.lead, "reopen_issue", round_, issue.pk, why="It was.", seen_number=2)
    late = _post(world.lead, "reopen_issue", round_, issue.pk, why="The log was cut.", seen_number=2)
    assert late.status_code == 409
    assert "already reopened this issue" in _text(late)


def test_what_is_none_or_withheld_is_not_found(world):
    round_ = _round(world)
    world.settle(round_, world.issues[0], "C.2")
    agreed = _post(world.lead, "reopen_issue", round_, world.issues[2].pk, why="x", seen_number=1)
    assert agreed.status_code == 404
    world.round(members=[world.lead, *world.members])
    held = _post(world.lead, "reopen_issue", round_, world.issues[0].pk, why="x", seen_number=1)
    assert held.status_code == 404
