"""Lists of meetings, planning them, their minutes as pages, and what follows from them."""

import re
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from consensus.actions.agendas import put_on_agenda, take_off_agenda
from consensus.actions.decisions import reopen
from consensus.actions.follow_ups import follow_up, set_done
from consensus.actions.meetings import close_meeting, park, plan_meeting
from consensus.actions.votes import close_vote
from consensus.errors import FollowUpIncomplete, OffTheAgenda
from consensus.models import Decision, FollowUp, Meeting
from consensus.queries.follow_ups import waiting_for
from consensus.queries.meeting_items import waiting_votes
from consensus.queries.meeting_room import room
from consensus.queries.meetings import meeting_lines, own_meetings
from overview.queries.digests import news_for
from rounds.errors import NotAllowed
from taxonomy.models import Proposal
from tests import factories
from tests.kept import kept
from tests.long import only_long
from tests.worlds.meeting import meeting_world
from tests.worlds.pages import client, queries_of, text_of
from tests.worlds.scripted import scripted_meeting, stopped_clock
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db


@kept
def world():
    return meeting_world(4, members=3)


@pytest.fixture
def clock(monkeypatch):
    return stopped_clock(monkeypatch)


def get(member, name, *args, query=""):
    return client(member).get(reverse(name, args=args) + query)


def plan(world, member=None, query="", **fields):
    form = {
        "form_key": str(uuid4()),
        "name": "Meeting of 14 November",
        "kind": "together",
        "starts_at": "2026-11-19T14:00",
        "chair": world.lead.pk,
        "quorum": 2,
        "participants": [one.pk for one in world.members],
    } | fields
    return client(member or world.lead).post(reverse("new_meeting", args=[world.round_.pk]) + query, form)


def of_issue(world, place):
    return next(item for item in world.items if item.issue_id == world.issues[place].pk)


def test_a_lead_picks_people_by_pseudonym_and_name(world):
    """R4 alone says nothing to a lead who looks for Mei Lin: chair, invited people and pairs show both."""
    for number, member in enumerate(world.members):
        member.user.name = f"Mei Lin {number}"
        member.user.save()
    meeting = world.plan(opened=False)
    pages = [
        get(world.lead, "new_meeting", world.round_.pk),
        get(world.lead, "change_meeting", meeting.pk),
        get(world.lead, "assign_pair", world.round_.pk, query="?all=1"),
    ]
    for page in pages:
        text = text_of(page)
        for member in world.members:
            # Both times: of two fields, a person is picked in each.
            assert text.count(member.known_as) == 2


# --- the list


def test_without_meetings_the_list_says_what_to_do(world):
    lead, volunteer = (
        text_of(get(who, "meetings", world.round_.pk)) for who in (world.lead, world.members[0])
    )

    assert "No meetings yet. Plan a meeting at a fixed time, or over several days" in lead
    assert "No meetings yet. A lead plans the first meeting." in volunteer


def test_the_list_tells_state_agenda_and_decisions(clock):
    world = scripted_meeting(clock)
    world.plan(name="Over days", kind="apart", opened=True, on_agenda=0)
    world.plan(name="Planned", opened=False, on_agenda=0)
    put_on_agenda(meeting=world.meeting, by=world.lead, issues=[issue.pk for issue in world.issues])

    lines = [
        (line.meeting.name, line.state, line.decided, line.items, line.came, line.asked, line.to_vote)
        for line in meeting_lines(world.round_, world.members[0])
    ]

    assert lines == [
        ("Over days", "open", 0, 0, 0, 4, 0),
        ("Planned", "planned", 0, 4, 0, 4, 0),
        ("Meeting of 14 November", "closed", 2, 5, 3, 4, 0),
    ]
    said = text_of(get(world.lead, "meetings", world.round_.pk))
    assert (
        "Meeting of 14 November live, at a fixed time closed 14 Nov 2026, 14:00 Lead 3 3 of 4 2 of 5 5 min"
        in said
    )


@pytest.mark.parametrize("closed", [False, True])
def test_the_list_counts_as_the_room_does(world, closed):
    world.plan()
    world.arrive()
    first, second, third, _fourth = world.items
    decided = world.decide(first, "C.9")
    reopened = world.decide(second, "C.9")
    reopen(round_=world.round_, issue=second.issue, by=world.lead, why="No.", seen_number=reopened.number)
    take_off_agenda(item=second, by=world.lead)
    # Decided without this meeting, as older rows were.
    said = {"method": "lead", "category": world.category("B.1"), "version": world.version}
    when = {"number": 1, "rationale": "So.", "decided_by": world.lead, "decided_at": timezone.now()}
    Decision.objects.create(round=world.round_, issue=third.issue, **said, **when)
    if closed:
        close_meeting(meeting=world.meeting, by=world.lead)
        reopen(round_=world.round_, issue=first.issue, by=world.lead, why="No.", seen_number=decided.number)

    [line] = meeting_lines(world.round_, world.lead)
    found = room(world.fresh(), world.lead)

    assert (line.decided, line.items, line.left) == (found.decided, found.total, found.left) == (2, 3, 1)


def test_the_list_counts_nothing_that_is_withheld(world):
    world.plan()
    factories.make_round(world.version, world.issues[:3], [world.members[0]], name="Other")

    def items(member):
        return [line.items for line in meeting_lines(world.round_, member)]

    assert (items(world.members[0]), items(world.members[1])) == ([1], [4])


def test_the_list_needs_as_many_queries_for_three_meetings_as_for_one(world):
    lead, address = client(world.lead), reverse("meetings", args=[world.round_.pk])
    world.plan(on_agenda=1)
    one = queries_of(lead, address)
    world.plan(opened=False, on_agenda=0)
    world.plan(kind="apart", on_agenda=0)
    put_on_agenda(meeting=world.meeting, by=world.lead, issues=[issue.pk for issue in world.issues])
    assert queries_of(lead, address) == one <= 18


# --- planning


def test_a_meeting_is_planned_with_what_the_dashboard_carries(world):
    chosen = [world.issues[0].pk, world.issues[2].pk]

    response = plan(world, query=f"?issues={chosen[0]},{chosen[1]}", with_agenda="1", by_majority="on")

    meeting = Meeting.objects.get()
    assert (response.status_code, response["Location"]) == (302, reverse("meetings", args=[world.round_.pk]))
    assert sorted(meeting.items.values_list("issue", flat=True)) == chosen
    assert (meeting.kind, meeting.quorum, meeting.by_majority, meeting.opened_at) == (
        "together",
        2,
        True,
        None,
    )
    assert timezone.localtime(meeting.starts_at).strftime("%Y-%m-%d %H:%M") == "2026-11-19 14:00"
    assert meeting.participants.count() == 4


@pytest.mark.parametrize(
    ("query", "places"),
    [("?all=1", [0, 1, 2, 3]), ("?pair=C.1 C.9", [0, 1]), ("?pair=C.9 C.1&all=1", [0, 1])],
)
def test_filters_carry_what_they_find_but_for_what_is_left_out(world, query, places):
    out = world.issues[places[-1]]
    shown = get(world.lead, "new_meeting", world.round_.pk, query=query)
    assert text_of(shown).count("leave out") == len(places)

    plan(world, query=query, with_agenda="1", leave_out=[out.pk])

    issues = Meeting.objects.get().items.values_list("issue", flat=True)
    assert sorted(issues) == [world.issues[place].pk for place in places[:-1]]


def test_open_labels_are_part_of_the_split():
    world = small_world(issues=1)
    round_ = world.round(reveal="issue_complete")
    for member, code in zip(world.members, ("A.1", "C.2", "?Farm"), strict=True):
        world.submit(round_, world.issues[0], member, code)
    planned = get(world.lead, "new_meeting", round_.pk, query="?all=1")
    assert "1 × A.1 1 × C.2 1 proposed name leave out" in text_of(planned)

    meeting = plan_meeting(
        round_=round_, by=world.lead, name="Friday", kind="together", chair=world.lead, quorum=2
    )
    put_on_agenda(meeting=meeting, by=world.lead, issues=[world.issues[0].pk])
    assert "1 × A.1 1 × C.2 1 proposed name" in text_of(get(world.lead, "change_meeting", meeting.pk))


def test_an_agenda_can_be_empty(world):
    assert "Add all 4 open issues" in text_of(get(world.lead, "new_meeting", world.round_.pk))
    plan(world, query="?all=1")
    assert Meeting.objects.get().items.count() == 0


def test_what_was_typed_stays_when_all_open_ones_are_taken(world):
    typed = {"name": "Friday", "kind": "apart", "quorum": "", "participants": [world.members[1].pk]}
    shown = client(world.lead).post(
        reverse("new_meeting", args=[world.round_.pk]) + "?all=1", typed | {"all": "1"}
    )
    body = shown.content.decode()
    assert (shown.status_code, Meeting.objects.count()) == (200, 0)
    assert text_of(shown).count("leave out") == 4
    assert 'name="name" value="Friday"' in body
    assert re.findall(r'name="kind" value="(\w+)"[^>]*checked', body) == ["apart"]
    assert re.findall(r'name="participants" value="(\d+)"[^>]*checked', body) == [str(world.members[1].pk)]
    assert re.search(r'id="with_agenda"[^>]*checked', body)


def test_an_address_that_no_page_gives_is_not_found(world):
    for query in ("?pair=C.1", "?issues=x", "?split=a"):
        assert get(world.lead, "new_meeting", world.round_.pk, query=query).status_code == 404


def test_the_form_starts_with_what_is_usual(world):
    world.round_.rule, world.round_.majority = "majority", 3
    world.round_.save()
    form = get(world.lead, "new_meeting", world.round_.pk).context["form"]

    name = form.initial["name"]
    assert name.startswith("Meeting of ")
    world.plan(name=name)
    second = get(world.lead, "new_meeting", world.round_.pk).context["form"].initial["name"]
    assert second == name.replace("Meeting of", "Meeting 2 of")
    assert {
        name: form.initial[name] for name in ("kind", "chair", "quorum", "by_majority", "participants")
    } == {
        "kind": "together",
        "chair": world.lead.pk,
        "quorum": 2,
        "by_majority": True,
        "participants": [one.pk for one in world.members],
    }


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": " "}, "Give the meeting a name."),
        ({"quorum": 40}, "Choose a quorum from 1 to 4"),
        ({"kind": "pair"}, "Choose exactly two people for a pair."),
        ({"ends_at": "2026-11-18T14:00"}, "The meeting would end before it begins."),
        ({"participants": []}, "Choose the people to invite."),
    ],
)
def test_what_cannot_be_planned_comes_back_with_its_reason(world, fields, said):
    response = plan(world, **fields)

    assert response.status_code == 422
    assert said in text_of(response)
    assert not Meeting.objects.exists()


def test_a_pair_needs_no_quorum_to_be_said(world):
    plan(world, kind="pair", quorum="", participants=[one.pk for one in world.members[:2]])
    meeting = Meeting.objects.get()
    assert (meeting.quorum, meeting.by_majority, meeting.participants.count()) == (2, False, 2)


# --- changing


def change(world, **fields):
    form = {
        "form_key": str(uuid4()),
        "name": "Renamed",
        "kind": "together",
        "chair": world.members[0].pk,
        "quorum": 3,
        "participants": [one.pk for one in world.members],
    } | fields
    return client(world.lead).post(reverse("change_meeting", args=[world.meeting.pk]), form)


def test_a_meeting_is_changed_also_while_it_is_open_but_for_its_kind(world):
    world.plan()
    assert change(world).status_code == 302
    meeting = Meeting.objects.get()
    assert (meeting.name, meeting.chair, meeting.quorum) == ("Renamed", world.members[0], 3)
    change(world, kind="apart")
    assert Meeting.objects.get().kind == "together"
    assert "You cannot change the kind, because the meeting was opened." in text_of(
        get(world.lead, "change_meeting", world.meeting.pk)
    )


def test_issues_are_taken_off_the_agenda(world):
    world.plan(opened=False)
    items = [str(item.pk) for item in world.items[:2]]
    address = reverse("change_meeting", args=[world.meeting.pk])

    response = client(world.lead).post(address, {"off": "1", "items": [*items, "x"]}, follow=True)

    assert "2 issues" in text_of(response)
    assert world.meeting.items.filter(released_at=None).count() == 2


def test_what_is_decided_cannot_be_chosen_to_be_taken_off(world):
    world.plan()
    world.arrive()
    world.decide(world.items[0], "C.9")
    body = get(world.lead, "change_meeting", world.meeting.pk).content.decode()
    boxes = re.findall(r'name="items"\s+value="(\d+)"\s*(disabled)?', body)
    assert {int(pk): bool(off) for pk, off in boxes} == {
        item.pk: item == world.items[0] for item in world.items
    }


def test_a_closed_meeting_has_minutes_instead_of_a_plan(world):
    world.plan()
    close_meeting(meeting=world.meeting, by=world.lead)
    response = get(world.lead, "change_meeting", world.meeting.pk)
    assert (response.status_code, response["Location"]) == (302, reverse("minutes", args=[world.meeting.pk]))
    assert change(world).status_code == 409


# --- minutes


def test_minutes_are_a_page_and_two_files(clock):
    world = scripted_meeting(clock)
    pk = world.meeting.pk

    page, md, pdf = (get(world.members[0], name, pk) for name in ("minutes", "minutes_md", "minutes_pdf"))

    said = text_of(page)
    assert "C.1 Name of C.1 by the chair, recorded by Lead at 14:03 Read the fix." in said
    assert "reopened by Lead, 14 November 2026, 14:03 UTC: The fix says otherwise." in said
    assert "parked: Nobody knows the driver." in said
    assert (md["Content-Type"], pdf["Content-Type"]) == ("text/markdown; charset=utf-8", "application/pdf")
    slug = world.study.slug
    assert md["Content-Disposition"] == f'attachment; filename="{slug}-meeting-of-14-november.md"'
    assert pdf["Content-Disposition"] == f'attachment; filename="{slug}-meeting-of-14-november.pdf"'
    assert md.content.decode().startswith("# Meeting of 14 November\n")
    assert pdf.content.startswith(b"%PDF-")


# --- what follows


def test_what_follows_is_noted_once_by_the_chair(world):
    world.plan()
    item, category = world.items[0], world.category("C.9")

    made = [
        follow_up(item=item, by=world.lead, kind="example", category=category),
        follow_up(item=item, by=world.lead, kind="guideline", text=" Look at the fix. "),
        follow_up(item=item, by=world.lead, kind="proposal", name=" Drivers ", text="None fits."),
        follow_up(item=item, by=world.lead, kind="proposal", name="Drivers", text="None fits."),
    ]

    assert made[3] == made[2]
    assert FollowUp.objects.count() == 3
    assert (made[1].text, made[2].proposal.name, Proposal.objects.count()) == (
        "Look at the fix.",
        "Drivers",
        1,
    )
    with pytest.raises(NotAllowed):
        follow_up(item=item, by=world.members[0], kind="guideline", text="No.")


@pytest.mark.parametrize(
    "said",
    [
        {"kind": "example"},
        {"kind": "guideline", "text": " "},
        {"kind": "proposal", "text": "x"},
        {"kind": "x"},
    ],
)
def test_what_follows_says_what_to_do(world, said):
    world.plan()
    with pytest.raises(FollowUpIncomplete):
        follow_up(item=world.items[0], by=world.lead, **said)


def test_nothing_is_noted_on_an_issue_that_is_withheld(world):
    world.plan()
    item = world.items[0]
    factories.make_round(world.version, [item.issue], [world.lead], name="Other")
    with pytest.raises(OffTheAgenda):
        follow_up(item=item, by=world.lead, kind="guideline", text="x")


@kept
def followed(world):
    world.plan()
    item = world.items[0]
    follow_up(item=item, by=world.lead, kind="guideline", text="Look at what was repaired.")
    follow_up(item=item, by=world.lead, kind="example", category=world.category("C.9"))
    follow_up(item=item, by=world.lead, kind="proposal", name="Drivers", text="None fits.")
    return world


def test_what_follows_is_listed_by_kind_and_marked_as_done(followed):
    world, one = followed, FollowUp.objects.get(kind="guideline")
    said = text_of(get(world.lead, "follow_ups", world.study.slug))
    assert [said.index(word) for word in ("Drivers", "C.9", "Look at what")] == sorted(
        said.index(word) for word in ("Drivers", "C.9", "Look at what")
    )
    address = reverse("mark_follow_up", args=[world.study.slug, one.pk])

    assert client(world.lead).post(address).status_code == 302
    one.refresh_from_db()
    assert (one.done_by, waiting_for(world.study, world.lead)) == (world.lead, {"example": 1, "proposal": 1})
    assert "done by Lead" in text_of(get(world.lead, "follow_ups", world.study.slug))

    client(world.lead).post(address, {"undo": "1"})
    one.refresh_from_db()
    assert (one.done_at, one.done_by) == (None, None)


@pytest.mark.parametrize(("closed", "more"), [(False, 1), (True, 0)])
def test_screens_of_an_open_meeting_follow_what_is_marked_as_done(followed, closed, more):
    world, one = followed, FollowUp.objects.get(kind="guideline")
    if closed:
        close_meeting(meeting=world.meeting, by=world.lead)
    before = world.fresh().revision

    for _twice in range(2):
        set_done(follow_up=one, by=world.lead, done=True)

    assert world.fresh().revision == before + more


def test_only_owner_and_leads_mark_what_is_done(followed):
    world, one = followed, FollowUp.objects.first()
    address = reverse("mark_follow_up", args=[world.study.slug, one.pk])
    volunteer = world.members[0]
    assert client(volunteer).post(address).status_code == 403
    assert 'action="' + address not in get(volunteer, "follow_ups", world.study.slug).content.decode()
    with pytest.raises(NotAllowed):
        set_done(follow_up=one, by=volunteer, done=True)


def test_what_follows_from_a_withheld_issue_is_not_shown(world, followed):
    factories.make_round(world.version, [world.items[0].issue], [world.members[0], world.lead], name="Other")
    one = FollowUp.objects.first()

    for member in (world.members[0], world.lead):
        assert "Look at what" not in text_of(get(member, "follow_ups", world.study.slug))
    address = reverse("mark_follow_up", args=[world.study.slug, one.pk])
    assert client(world.lead).post(address).status_code == 404
    assert "from meetings" not in text_of(get(world.lead, "edit_guideline", world.study.slug))


def test_editors_say_what_meetings_noted(world, followed):
    guideline = text_of(get(world.lead, "edit_guideline", world.study.slug))
    taxonomy = text_of(get(world.lead, "taxonomy", world.version.taxonomy_id))

    assert "Show 1 guideline line from meetings Look at what was repaired." in guideline
    assert "Noted for the next version: Show 1 example, 1 proposal from meetings" in taxonomy
    assert "from meetings" not in text_of(get(world.members[0], "taxonomy", world.version.taxonomy_id))


def test_follow_ups_need_as_many_queries_for_six_as_for_three(world, followed):
    lead, address = client(world.lead), reverse("follow_ups", args=[world.study.slug])
    three = queries_of(lead, address)
    for place in (1, 2, 3):
        follow_up(item=world.items[place], by=world.lead, kind="guideline", text=f"Line {place}")
    assert queries_of(lead, address) == three <= 15


# --- home


def test_home_tells_of_the_meeting_to_come_and_of_the_open_one(world):
    world.plan(name="Of Thursday", opened=False, starts_at=timezone.now() + timezone.timedelta(days=1))
    said = text_of(client(world.members[0]).get("/"))
    assert "Of Thursday 4 issues on the agenda Lead chairs tomorrow, " in said
    assert "Open meeting" in said

    Meeting.objects.update(opened_at=timezone.now())
    said = text_of(client(world.members[0]).get("/"))
    assert "Of Thursday 4 issues on the agenda Lead chairs open now Join meeting" in said


def test_home_counts_what_is_to_be_voted_on_over_days(world):
    world.plan(name="Over days", kind="apart")
    member = world.members[0]
    assert "Over days 4 issues to vote on" in text_of(client(member).get("/"))

    for item in world.items[:3]:
        world.ballot(item, member, "C.9")
    assert "Over days 1 issue to vote on" in text_of(client(member).get("/"))
    world.ballot(world.items[3], member, "-")
    assert "Over days" not in text_of(client(member).get("/"))
    # What another member still has to label elsewhere is in none of their counts.
    factories.make_round(world.version, world.issues[:3], [world.members[1]], name="Other")
    assert "Over days 1 issue to vote on" in text_of(client(world.members[1]).get("/"))


def test_a_pair_waits_for_its_two_alone(world):
    world.plan(name="R1 and R2", kind="pair", participants=world.members[:2])
    waits = [bool(own_meetings([member])) for member in (*world.members, world.lead)]
    assert waits == [True, True, False, False]
    assert [line.to_vote for line in meeting_lines(world.round_, world.lead)] == [0]


def test_a_pair_that_differs_has_a_vote_to_cast_again(world):
    world.plan(name="R1 and R2", kind="pair", participants=world.members[:2], on_agenda=1)
    first, second = world.members[:2]
    for member, code in ((first, "C.9"), (second, "C.1")):
        world.ballot(world.items[0], member, code)
    for member in (first, second):
        assert "R1 and R2 1 issue to vote on" in text_of(client(member).get("/"))
        assert waiting_votes(world.meeting, member) == 1
    world.ballot(world.items[0], first, "C.1")
    assert "R1 and R2" not in text_of(client(first).get("/"))
    assert [waiting_votes(world.meeting, member) for member in (first, second)] == [0, 1]


def test_over_days_nobody_has_to_vote_where_the_vote_is_closed_or_the_issue_put_off(world):
    world.plan(name="Over days", kind="apart", quorum=1)
    first, second, *_others = world.members
    vote = world.vote(world.items[0], "C.9", of=[first])
    close_vote(vote=vote, by=world.lead)
    park(item=world.items[1], by=world.lead)
    assert [line.to_vote for line in meeting_lines(world.round_, second)] == [2]
    assert waiting_votes(world.meeting, second) == 2
    assert news_for(second, timezone.now()).votes == 2


@only_long
def test_the_overview_shows_the_meetings_of_the_study(clock):
    world = scripted_meeting(clock)
    said = text_of(get(world.members[0], "study", world.study.slug))
    assert "Meeting of 14 November 2 of 5 decided closed" in said


def test_the_tab_counts_open_meetings(world):
    def tab():
        body = get(world.lead, "people", world.study.slug).content.decode().partition('class="tabs"')[2]
        return " ".join(
            body.partition(reverse("study_meetings", args=[world.study.slug]))[2].partition("</a>")[0].split()
        )

    assert "open" not in tab()
    world.plan()
    assert '<span class="count">1 open</span>' in tab()
