"""The room of a meeting as each of its people finds it, and what is done there."""

import re
from functools import partial
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from consensus.actions.meetings import plan_meeting, turn_to
from consensus.actions.presence import SEEN_EVERY
from consensus.actions.votes import close_vote
from consensus.models import (
    AgendaItem,
    Ballot,
    Comment,
    Decision,
    FollowUp,
    Meeting,
    Mention,
    Participant,
    Vote,
)
from core import clock
from rounds.models import Round
from studies.models import Membership, Role
from taxonomy.models import Proposal
from tests import factories
from tests.kept import kept
from tests.long import only_long
from tests.worlds.meeting import MeetingWorld, meeting_world, stay, there
from tests.worlds.pages import client, text_of

pytestmark = pytest.mark.django_db

JSON = {"Accept": "application/json"}
whole = partial(text_of, begin="<body", end="")
"""The text of the room, which is more than its <main>."""
PASSING = re.compile(
    r'(?:csrfmiddlewaretoken|form_key)\\?" value=\\?"[^"]*|X-CSRFToken": "[^"]*|<time.*?</time>', re.DOTALL
)


@kept
def world() -> MeetingWorld:
    return meeting_world(4)


@kept
def turned(world) -> MeetingWorld:
    world.plan()
    world.arrive()
    turn_to(meeting=world.meeting, item=world.items[0], by=world.lead)
    return world


@pytest.fixture
def open_one(world, turned) -> MeetingWorld:
    """An open meeting in which everybody is there, at its first issue."""
    assert world is turned
    return stay(world)


def get(member: Membership, meeting: Meeting, query: str = ""):
    return client(member).get(reverse("meeting", args=[meeting.pk]) + query)


def post(member: Membership, name: str, *args: int, json: bool = False, query: str = "", **form):
    form = {"form_key": str(uuid4())} | form
    return client(member).post(reverse(name, args=args) + query, form, headers=JSON if json else None)


def here(
    member: Membership, meeting: Meeting, revision: int = -1, have: tuple[str, ...] = (), query: str = ""
):
    return post(member, "here", meeting.pk, json=True, query=query, revision=revision, have=have)


def on(world: MeetingWorld, place: int = 0) -> tuple[int, int]:
    return world.meeting.pk, world.items[place].pk


def hashes(body: str) -> tuple[str, ...]:
    """What the page says that it has."""
    found = re.findall(r'id="(\w+)"[^>]*?data-hash="(\w+)"', body)
    return tuple(f"{name}:{mark}" for name, mark in found)


def steady(response) -> str:
    return PASSING.sub("", response.content.decode())


# --- who may see it


def test_who_only_reads_is_offered_no_form(open_one):
    viewer = factories.make_member(open_one.study, Role.VIEWER, pseudonym="V1")
    assert "Send" not in text_of(get(viewer, open_one.meeting))


def test_another_meetings_item_is_not_here(world, open_one):
    first = world.items[0]
    other = world.plan(on_agenda=0)
    assert post(world.lead, "open_vote", other.pk, first.pk).status_code == 404


# --- the page


def test_a_member_follows_and_sees_labels_in_the_order_of_columns(world, open_one):
    page = get(world.members[4], world.meeting)
    body, text = page.content.decode(), text_of(page)
    assert page.status_code == 200
    assert "Following Lead" in body
    assert "Quorum met: 8 of 8" in body
    assert "7 labels 4 × C.9 3 × C.1 differ in theme" in text
    assert re.search(
        r"R1 C\.\d (differs from most labels )?slot 1 on .* R5 you C\.\d (differs from most labels )?slot 5 on",
        text,
    )
    assert 'name="item"' not in body
    assert len(re.findall("<h1", body)) == 1
    assert 'C.9</span><span class="code' not in body
    assert "0 of 4 decided" in re.sub(r"<[^>]*>", "", body)


def test_the_chair_turns_opens_and_is_told_who_follows(world, open_one):
    body = get(world.lead, world.meeting).content.decode()
    assert "You chair. 7 screens follow yours." in body
    assert f'action="{reverse("turn", args=[world.meeting.pk])}"' in body
    assert "Open vote" in body
    assert post(world.lead, "turn", world.meeting.pk, item=world.items[1].pk).status_code == 302
    assert world.fresh().item == world.items[1]
    assert post(world.lead, "turn", world.meeting.pk, item="x").status_code == 422


def test_looking_at_another_issue_says_so(world, open_one):
    page = get(world.members[0], world.meeting, f"?item={world.items[1].pk}")
    assert "You are reading another issue" in text_of(page)
    assert f"Title of {world.issues[1].number}" in text_of(page)
    assert "Return to meeting" in text_of(page)
    assert get(world.members[0], world.meeting, "?item=x").status_code == 404


def test_names_where_the_meeting_shows_them(world):
    world.plan(shows_names=True)
    world.arrive()
    turn_to(meeting=world.meeting, item=world.items[0], by=world.lead)
    name = world.members[1].user.name
    assert re.search(
        rf"{name} C\.\d (differs from most labels )?slot 2 on", text_of(get(world.members[0], world.meeting))
    )


def test_a_planned_meeting_says_when_and_who_opens_it(world):
    world.plan(opened=False)
    text = text_of(get(world.members[0], world.meeting))
    assert "This meeting is not open yet. When Lead opens the meeting" in text
    assert "Open meeting" not in text
    assert "Open meeting" in text_of(get(world.lead, world.meeting))
    opens = f'action="{reverse("open_meeting", args=[world.meeting.pk])}"'
    for member, has in ((world.lead, True), (world.members[0], False)):
        listed = client(member).get(reverse("meetings", args=[world.round_.pk])).text
        assert (opens in listed) is has
    assert here(world.members[0], world.meeting).status_code == 200
    answer = post(world.members[0], "here", world.meeting.pk, json=True, planned=1)
    assert answer.status_code == 204
    assert post(world.lead, "open_meeting", world.meeting.pk).status_code == 302
    answer = post(world.members[0], "here", world.meeting.pk, json=True, planned=1)
    assert answer.json() == {"reload": True}


def test_an_empty_agenda_says_what_to_do(world):
    meeting = plan_meeting(round_=world.round_, by=world.lead, name="Empty", chair=world.lead, quorum=4)
    post(world.lead, "open_meeting", meeting.pk)
    body = get(world.lead, meeting).content.decode()
    assert "Choose issues in the list of disagreements." in body
    assert "A lead puts issues on the agenda." in get(world.members[0], meeting).content.decode()


def test_a_closed_meeting_is_read_only_and_ends_the_asking(world, open_one):
    world.vote(world.items[0], *["C.9"] * 7)
    close_vote(vote=Vote.objects.get(), by=world.lead)
    world.decide(world.items[0], "C.9", "unanimity")
    assert post(world.lead, "close_meeting", world.meeting.pk).status_code == 302
    page = get(world.lead, world.meeting, f"?item={world.items[0].pk}")
    body = page.content.decode()
    assert "data-over" in body
    assert 'id="decide"' not in body
    assert 'id="vote"' not in body
    assert "C.9" in text_of(page)
    assert reverse("minutes", args=[world.meeting.pk]) in body
    assert post(world.lead, "park", *on(world, 1)).status_code == 409


# --- here


def test_here_says_nothing_while_nothing_changes(world, open_one):
    body = get(world.members[0], world.meeting).content.decode()
    revision = re.search(r'data-revision="(\d+)"', body)[1]
    assert here(world.members[0], world.meeting, revision).status_code == 204
    # Every few seconds the sign of life is stored; the answer stays as short.
    with clock.at(clock.now() + SEEN_EVERY):
        assert here(world.members[0], world.meeting, revision).status_code == 204
    # An old revision, but every section is there already: none comes.
    answer = here(world.members[0], world.meeting, 0, hashes(body))
    assert answer.status_code == 200
    assert answer.json()["parts"] == {}
    assert answer.json()["item"] == str(world.items[0].pk)


def test_here_brings_the_sections_that_changed(world, open_one):
    body = get(world.members[0], world.meeting).content.decode()
    revision = re.search(r'data-revision="(\d+)"', body)[1]
    post(world.lead, "open_vote", *on(world))
    answer = here(world.members[0], world.meeting, revision, hashes(body)).json()
    assert set(answer["parts"]) == {"ballot"}
    assert "0 of 8" in answer["parts"]["ballot"]
    body = get(world.members[0], world.meeting).content.decode()
    post(world.lead, "turn", world.meeting.pk, item=world.items[1].pk)
    answer = here(world.members[0], world.meeting, revision, hashes(body)).json()
    assert set(answer["parts"]) == {"agenda", "issue", "labels", "thread", "ballot", "decision"}
    assert answer["title"].startswith(str(world.issues[1]))


def test_being_here_is_said_by_posting_only(world):
    world.plan()
    get(world.members[0], world.meeting)
    assert there(world.meeting) == set()
    assert post(world.members[0], "here", world.meeting.pk).status_code == 302
    assert there(world.meeting) == {"R1"}
    assert post(world.members[0], "away", world.meeting.pk).status_code == 204
    assert there(world.meeting) == set()
    viewer = factories.make_member(world.study, Role.VIEWER, pseudonym="V1")
    assert here(viewer, world.meeting).status_code == 200
    assert not Participant.objects.filter(member=viewer).exists()


# --- votes


def test_a_vote_is_hidden_until_all_have_voted(world, open_one):
    post(world.lead, "open_vote", *on(world))
    answer = post(
        world.members[0], "cast_ballot", *on(world), json=True, category=world.category("C.9").pk, number=1
    )
    assert answer.status_code == 200
    assert "Your vote is in" in answer.json()["parts"]["ballot"]
    assert post(world.members[1], "cast_ballot", *on(world), category="abstain", number=1).status_code == 302
    other = {"category": "other", "other": world.category("B.1").pk}
    assert post(world.members[2], "cast_ballot", *on(world), **other).status_code == 302
    codes = [
        ballot.category and ballot.category.states.get().code for ballot in Ballot.objects.order_by("pk")
    ]
    assert codes == ["C.9", None, "B.1"]
    page = get(world.lead, world.meeting).content.decode()
    assert "<b>3 of 8</b> have voted" in page
    assert "changed to" not in page
    vote = Vote.objects.get()
    answer = post(world.lead, "close_vote", *on(world), json=True, vote=vote.pk).json()
    ballot = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer["parts"]["ballot"]))
    assert "1 × C.9, 1 × B.1, 1 abstained, 3 of 8 voted" in ballot
    assert "R3 changed to B.1" in ballot


def test_a_screening_takes_no_ballot_that_no_category_fits(world, open_one):
    """Its page does not offer this ballot: the form is forged."""
    post(world.lead, "open_vote", *on(world))
    screens = Round.objects.filter(pk=world.round_.pk)
    screens.update(kind=Round.Kind.SCREENING, excludes=world.category("C"))
    page = post(world.members[0], "cast_ballot", *on(world), category="none", number=1)
    assert page.status_code == 409
    assert "A screening does not ask if a category is missing." in whole(page)
    assert Ballot.objects.count() == 0
    assert post(world.members[0], "cast_ballot", *on(world), category="abstain", number=1).status_code == 302
    with pytest.raises(IntegrityError, match="a screening does not ask"), transaction.atomic():
        Ballot.objects.update(none_fits=True)
    screens.update(kind=Round.Kind.MAIN, excludes=None)
    assert post(world.members[0], "cast_ballot", *on(world), category="none", number=1).status_code == 302
    assert Ballot.objects.get().none_fits


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({}, "Choose a category, or abstain."),
        ({"category": "other"}, "Choose the other category."),
        ({"category": "77777777"}, "Choose a category."),
        ({"category": "x"}, "Choose a category."),
        ({"category": "other", "other": "C"}, "Choose a category."),
    ],
)
@pytest.mark.slow(cases=2)
def test_no_vote_for_nothing(world, open_one, form, said):
    post(world.lead, "open_vote", *on(world))
    form = {name: world.category(value).pk if value == "C" else value for name, value in form.items()}
    page = post(world.members[0], "cast_ballot", *on(world), **form)
    assert page.status_code == 422
    assert said in page.content.decode()
    answer = post(world.members[0], "cast_ballot", *on(world), json=True, **form)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]
    assert not Ballot.objects.exists()


def test_a_late_ballot_is_told_so(world, open_one):
    post(world.lead, "open_vote", *on(world))
    vote = Vote.objects.get()
    close_vote(vote=vote, by=world.lead)
    form = {"category": world.category("C.9").pk, "number": 1}
    assert post(world.members[0], "cast_ballot", *on(world), **form).status_code == 409
    answer = post(world.members[0], "cast_ballot", *on(world), json=True, **form)
    assert (answer.status_code, answer.json()["code"]) == (409, "VoteClosed")


# --- decisions


def decision(world: MeetingWorld, code: str = "C.9", **form):
    return {
        "category": world.category(code).pk,
        "how": "chair",
        "rationale": "It is what broke.",
        "seen_number": 0,
    } | form


def test_the_chair_decides_and_notes_what_follows(world, open_one):
    form = decision(world, cause="slip", example="1", guideline="Look at what broke.", proposal="Launching")
    assert post(world.lead, "decide_item", *on(world), **form).status_code == 302
    made = Decision.objects.get(superseded_at=None, item=world.items[0])
    assert (made.how, made.cause, made.rationale) == ("chair", "slip", "It is what broke.")
    assert list(FollowUp.objects.order_by("pk").values_list("kind", "text")) == [
        ("example", "It is what broke."),
        ("guideline", "Look at what broke."),
        ("proposal", ""),
    ]
    assert Proposal.objects.get().name == "Launching"
    text = whole(get(world.members[0], world.meeting))
    assert "C.9 Name of C.9 by the chair slip recorded by Lead," in text
    assert "guideline line: Look at what broke." in text
    assert "1 of 4 decided" in text


def test_a_form_sent_twice_decides_once(world, open_one):
    form = decision(world, guideline="Once.") | {"form_key": str(uuid4())}
    for _click in range(2):
        assert post(world.lead, "decide_item", *on(world), **form).status_code == 302
    assert (Decision.objects.filter(item=world.items[0]).count(), FollowUp.objects.count()) == (1, 1)


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"rationale": " "}, "Give the reason for this decision in one sentence."),
        ({"how": ""}, "Choose how the meeting decides."),
        ({"category": ""}, "Choose the category of this issue."),
        ({"seen_number": ""}, "This field is required."),
    ],
)
@pytest.mark.slow(cases=2)
def test_an_invalid_decision_keeps_what_was_typed(world, open_one, form, said):
    page = post(world.lead, "decide_item", *on(world), **decision(world, guideline="Keep me.") | form)
    body = page.content.decode()
    assert page.status_code == 422
    assert said in body
    assert 'value="Keep me."' in body
    if form.get("rationale") != " ":
        assert "It is what broke.</textarea>" in body
    assert not Decision.objects.filter(item=world.items[0]).exists()


def test_of_two_chairs_one_wins_and_the_other_is_told(world, open_one):
    world.decide(world.items[0], "C.1")
    page = post(world.lead, "decide_item", *on(world), **decision(world, rationale="Mine."))
    assert page.status_code == 409
    assert "Lead just decided this issue: C.1." in page.content.decode()
    assert "Mine.</textarea>" in page.content.decode()
    answer = post(world.lead, "decide_item", *on(world), json=True, **decision(world, rationale="Mine."))
    assert (answer.status_code, answer.json()["code"]) == (409, "StaleDecision")
    assert "Lead just decided this issue: C.1." in answer.json()["detail"]
    assert Decision.objects.filter(item=world.items[0]).count() == 1


def test_reopening_shows_the_chain(world, open_one):
    world.decide(world.items[0], "C.1")
    assert post(world.lead, "reopen_item", *on(world), why=" ", seen_number=1).status_code == 422
    assert post(world.lead, "reopen_item", *on(world), why="New logs.", seen_number=1).status_code == 302
    page = whole(get(world.members[0], world.meeting))
    assert "1 earlier decision C.1 by the chair, Lead," in page
    assert "Reopened by Lead: New logs." in page
    assert post(world.lead, "decide_item", *on(world), **decision(world)).status_code == 302


@only_long
def test_parking_and_coming_back(world, open_one):
    assert post(world.lead, "park", *on(world), why="Ask the author.").status_code == 302
    assert "Parked: Ask the author." in get(world.members[0], world.meeting).content.decode()
    shown = get(world.lead, world.meeting).content.decode()
    assert "This issue is parked. To vote, return the issue to the agenda." in shown
    assert "Open the vote when" not in shown
    assert post(world.lead, "come_back", *on(world)).status_code == 302
    assert "Parked:" not in get(world.members[0], world.meeting).content.decode()
    assert "Open the vote when" in get(world.lead, world.meeting).content.decode()
    assert post(world.lead, "take_off_agenda", *on(world, 1)).status_code == 302
    assert AgendaItem.objects.get(pk=world.items[1].pk).released_at is not None
    through = "Each issue of the agenda is decided or parked."
    assert through not in get(world.lead, world.meeting).content.decode()
    for place in (0, 2, 3):
        post(world.lead, "park", *on(world, place))
    assert through in get(world.lead, world.meeting).content.decode()
    assert through not in get(world.members[0], world.meeting).content.decode()


@only_long
def test_what_is_alike_is_decided_at_once(world, open_one):
    form = {
        "issues": [world.issues[1].pk, world.issues[2].pk],
        "category": world.category("C.9").pk,
        "rationale": "The same.",
    }
    assert post(world.lead, "decide_alike_here", world.meeting.pk, **form | {"issues": []}).status_code == 422
    assert post(world.members[0], "decide_alike_here", world.meeting.pk, **form).status_code == 403
    answer = post(world.lead, "decide_alike_here", world.meeting.pk, json=True, **form)
    assert answer.status_code == 200
    assert answer.json()["said"] == "2 issues are decided."
    assert Decision.objects.filter(bulk__isnull=False).count() == 2


# --- discussion


@only_long
def test_an_argument_reaches_the_thread_and_who_it_names(world, open_one):
    form = {"text": "Look at the log, @R2.", "category": "C.9"}
    answer = post(world.members[0], "comment_on_item", *on(world), json=True, **form)
    assert answer.status_code == 200
    assert '<b class="mention">@R2</b>' in answer.json()["parts"]["thread"]
    assert Comment.objects.get().text == "Look at the log, @R2."
    assert Mention.objects.get().seen_at is None
    here(world.members[1], world.meeting)
    assert Mention.objects.get().seen_at is not None
    empty = post(world.members[0], "comment_on_item", *on(world), json=True, text=" ")
    assert (empty.status_code, list(empty.json()["errors"])) == (422, ["text"])
    assert post(world.members[0], "comment_on_item", *on(world), text=" ").status_code == 422


# --- leading


def test_a_lead_takes_the_chair(world, open_one):
    other = factories.make_member(world.study, Role.OWNER, pseudonym="Owner")
    assert "Take over as chair" in get(other, world.meeting).content.decode()
    assert "Take over as chair" not in get(world.members[0], world.meeting).content.decode()
    assert post(world.members[0], "take_chair", world.meeting.pk).status_code == 403
    assert post(other, "take_chair", world.meeting.pk).status_code == 302
    assert world.fresh().chair == other
    assert post(world.lead, "turn", world.meeting.pk, item=world.items[1].pk).status_code == 403


def test_closing_waits_for_an_open_vote(world, open_one):
    post(world.lead, "open_vote", *on(world))
    answer = post(world.lead, "close_meeting", world.meeting.pk, json=True)
    assert (answer.status_code, answer.json()["code"]) == (409, "VoteStillOpen")
    assert post(world.lead, "close_meeting", world.meeting.pk).status_code == 409


# --- over days, and in a pair


def test_over_days_each_goes_through_at_their_own_pace(world):
    world.plan(kind="apart", quorum=2)
    me, other = world.members[:2]
    page = get(me, world.meeting).content.decode()
    assert "to vote" in page
    assert f"Title of {world.issues[0].number}" in text_of(get(me, world.meeting))
    vote = {"category": world.category("C.9").pk, "number": 1}
    answer = post(me, "cast_ballot", *on(world), query=f"?item={world.items[0].pk}", **vote)
    assert answer["Location"].endswith(f"?item={world.items[0].pk}")
    assert f"Title of {world.issues[1].number}" in text_of(get(me, world.meeting))
    assert "with quorum" not in get(world.lead, world.meeting).content.decode()
    post(other, "cast_ballot", *on(world), **vote)
    assert "Close 1 vote with quorum" in get(world.lead, world.meeting).content.decode()
    assert post(me, "close_votes", world.meeting.pk).status_code == 403
    answer = post(world.lead, "close_votes", world.meeting.pk, json=True)
    assert answer.json()["said"] == "1 vote is closed, 1 issue is decided."


@only_long
def test_a_pair_decides_by_agreeing(world):
    first, second, third = world.members[:3]
    world.plan(kind="pair", participants=[first, second])
    assert 'id="vote"' not in get(third, world.meeting).content.decode()
    for member in (first, second):
        here(member, world.meeting)
        answer = post(member, "cast_ballot", *on(world), category=world.category("C.1").pk, number=1)
        assert answer.status_code == 302
    assert Decision.objects.get(item=world.items[0]).how == "unanimity"
    assert 'id="decide"' not in get(first, world.meeting).content.decode()


# --- blindness


def test_an_issue_that_is_withheld_shows_nothing_but_that(world, open_one):
    me = world.members[3]
    factories.make_round(world.version, world.issues[:1], [me], name="Once more")
    for page in (get(me, world.meeting), get(me, world.meeting, f"?item={world.items[0].pk}")):
        text = re.sub(r"<[^>]*>", " ", page.content.decode())
        assert "hidden until you label it in" in text
        assert "Once more" in text
        assert f"Title of {world.issues[0].number}" not in text
        assert "slot 1 on" not in text
        assert "1 issue is hidden until you label it" in text
        assert "0 of 3 decided" in text
    parts = here(me, world.meeting).json()["parts"]
    assert f"Title of {world.issues[0].number}" not in "".join(parts.values())
    for name in ("cast_ballot", "comment_on_item"):
        assert post(me, name, *on(world), category="abstain", text="x").status_code == 404


@pytest.mark.slow
@pytest.mark.parametrize("who", [0, 7])
def test_what_another_votes_is_in_no_byte_before_the_ballot_closes(world, open_one, who):
    reader = [*world.members, world.lead][who]
    post(world.lead, "open_vote", *on(world))
    received = []
    for code in ("A.1", "C.9"):
        post(world.members[1], "cast_ballot", *on(world), category=world.category(code).pk, number=1)
        received.append(
            [
                steady(get(reader, world.meeting)),
                steady(here(reader, world.meeting)),
                steady(get(reader, world.meeting, f"?item={world.items[1].pk}")),
            ]
        )
    assert Ballot.objects.get().category == world.category("C.9")
    assert received[0] == received[1]


# --- cost


@pytest.mark.parametrize("issues", [1, 3])
def test_the_cost_of_the_room_does_not_grow_with_its_agenda(issues, django_assert_num_queries):
    world = meeting_world(issues)
    world.plan()
    world.arrive()
    turn_to(meeting=world.meeting, item=world.items[0], by=world.lead)
    browser = Client()
    browser.force_login(world.members[0].user)
    address = reverse("meeting", args=[world.meeting.pk])
    browser.get(address)
    with django_assert_num_queries(23):
        browser.get(address)
    revision = world.fresh().revision
    with django_assert_num_queries(3):
        assert browser.post(f"{address}here/", {"revision": revision}, headers=JSON).status_code == 204


# --- off the agenda


def test_an_issue_is_taken_off_the_agenda_in_the_room(world, open_one):
    address = reverse("take_off_agenda", args=on(world))
    assert address in get(world.lead, world.meeting).content.decode()

    response = post(world.lead, "take_off_agenda", *on(world))

    assert (response.status_code, response["Location"]) == (302, world.meeting.get_absolute_url())
    assert world.meeting.items.filter(released_at=None).count() == 3
    assert "0 of 3 decided" in get(world.lead, world.meeting).content.decode()


@only_long
def test_nothing_is_taken_off_that_is_voted_on_or_decided_or_by_who_plans_no_meetings(world, open_one):
    address = reverse("take_off_agenda", args=on(world))
    assert address not in get(world.members[0], world.meeting).content.decode()

    vote = world.vote(world.items[0], "C.9")
    assert address not in get(world.lead, world.meeting).content.decode()

    close_vote(vote=vote, by=world.lead)
    assert address in get(world.lead, world.meeting).content.decode()

    world.decide(world.items[0], "C.9")
    assert address not in get(world.lead, world.meeting).content.decode()
