"""Pages of a second look: who labels in it learns from none of them what the others had chosen."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotate.actions.rounds import close_round
from annotate.queries.second_looks import to_choose_again
from consensus.actions.meetings import close_meeting
from rounds.models import Round
from studies.models import Role
from taxonomy.actions import answer
from taxonomy.queries.drafts import drafted
from taxonomy.tree.drafts import ADD, DESCRIBE, RETIRE
from tests import factories
from tests.annotate.actions.test_version_upgrade import change, publication
from tests.long import only_long
from tests.worlds.meeting import meeting_world
from tests.worlds.planned import text_of
from tests.worlds.world import World, small_world, undone

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=2, members=3)]


def look_of(code: str) -> tuple[World, Round]:
    """Never revealed before: R2 chose C.9, R3 this; C.9 is retired; R1 gives the last label of both issues, and
    R3 has the second one in the look whatever they chose in the first.
    """
    world = small_world(issues=2, members=3)
    round_ = world.round()
    for issue, codes in zip(world.issues, (("C.9", code), ("C.2", "C.9")), strict=True):
        for member, one in zip(world.members[1:], codes, strict=True):
            world.submit(round_, issue, member, one)
    change(world, RETIRE, "C.9")
    world.version = publication(world)
    for issue in world.issues:
        world.submit(round_, issue, world.members[0], "C.2")
    return world, Round.objects.get(of=round_)


def address(name: str, world: World, look: Round) -> str:
    return reverse(name, args=[world.study.slug] if name in {"rounds", "study"} else [look.pk])


def words(answer) -> str:
    """What somebody reads, without what differs between two studies by their ids."""
    text = answer.content.decode()
    if answer["Content-Type"].startswith("application/json"):
        text = re.sub(r'"\w+_at": ?"[^"]*"|"(?:id|taxonomy)": ?\d+', "", text)
    text = re.sub(r"(?s)<(script|head).*?</\1>", "", text)
    text = re.sub(r"<[^>]+>", " ", text)
    return " ".join(re.sub(r"\d{2,}|(?i:study[- ]?\d+)|user\d+", "#", text).split())


PAGES = ("round", "close_round", "api:round", "rounds", "study", "api:rounds")


# Those of the study say of the first round how many issues are complete: that is for all to see.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "labelled_in_it"), [(name, False) for name in PAGES] + [(name, True) for name in PAGES[:3]]
)
@pytest.mark.parametrize("role", [Role.VOLUNTEER, Role.LEAD])
@pytest.mark.slow(cases=6)
def test_a_second_look_does_not_say_what_others_chose(client, name, role, labelled_in_it):
    def page(code: str) -> tuple[int, str]:
        with undone():
            world, look = look_of(code)
            member = world.members[1]
            member.role = role
            member.save()
            if labelled_in_it:
                world.submit(look, world.issues[0], member, "C.1")
            client.force_login(member.user)
            if name.startswith("api:"):
                rest = f"studies/{world.study.slug}/rounds" if name == "api:rounds" else f"rounds/{look.pk}"
                answer = client.get(f"/api/v1/{rest}/")
            else:
                answer = client.get(address(name, world, look))
            return answer.status_code, words(answer)

    one, two = page("C.9"), page("C.3")
    assert one == two
    assert one[0] == (403 if (name, role) == ("close_round", Role.VOLUNTEER) else 200)


def test_who_labels_in_it_sees_their_own_part(client):
    world, look = look_of("C.9")
    world.submit(look, world.issues[0], world.members[2], "C.1")
    client.force_login(world.members[2].user)
    answer = client.get(address("round", world, look))
    assert [(seat.volunteer.member, each) for seat, each in answer.context["lines"]] == [
        (world.members[2], 2)
    ]
    assert (answer.context["slots"], answer.context["labels"]) == (2, 1)
    assert answer.context["progress"].complete is None
    assert "only you until" in text_of(answer)
    [line] = [one for one in client.get(address("rounds", world, look)).context["lines"] if one.round == look]
    assert (line.issues, line.volunteers, line.complete, line.own) == (2, None, None, 1)


@pytest.mark.parametrize("role", [Role.OWNER, Role.LEAD, Role.VOLUNTEER, Role.VIEWER])
@pytest.mark.slow(cases=2)
def test_who_does_not_label_in_it_sees_how_far_it_is(client, role):
    world, look = look_of("C.9")
    client.force_login(factories.make_member(world.study, role, pseudonym="Else").user)
    answer = client.get(address("round", world, look))
    assert [seat.volunteer.member for seat, _each in answer.context["lines"]] == world.members[1:]
    assert (answer.context["slots"], answer.context["progress"].complete) == (3, 0)
    [line] = [one for one in client.get(address("rounds", world, look)).context["lines"] if one.round == look]
    assert (line.issues, line.volunteers, line.complete, line.own) == (2, 2, 0, None)


def test_a_lead_who_labels_in_it_changes_and_closes_it_blind(client):
    world, look = look_of("C.9")
    lead = world.members[1]
    lead.role = Role.LEAD
    lead.save()
    client.force_login(lead.user)
    assert address("round_volunteers", world, look) not in links(client, address("round", world, look))
    for name in ("round_volunteers", "incomplete_issues"):
        assert client.get(address(name, world, look)).status_code == 403
    assert client.post(address("close_round", world, look)).status_code == 302
    look.refresh_from_db()
    assert look.closed_at is not None
    answer = client.get(address("round", world, look))  # closed, it shows everything
    assert (len(answer.context["lines"]), answer.context["slots"]) == (2, 3)
    assert client.get(address("incomplete_issues", world, look)).status_code == 200


def test_the_stage_of_consensus_is_not_that_of_the_second_look(client):
    world, look = look_of("C.9")
    for issue, member in ((0, 1), (0, 2), (1, 2)):
        world.submit(look, world.issues[issue], world.members[member], "B.1")
    client.force_login(world.lead.user)
    body = client.get(address("study", world, look)).content.decode()
    assert reverse("disagreements", args=[look.pk]) not in body


def test_a_round_with_an_open_second_look_says_that_labels_are_still_to_come(client):
    world, look = look_of("C.9")
    client.force_login(world.lead.user)
    said = text_of(client.get(reverse("round", args=[look.of_id])))
    assert "Closing ends the round without the missing labels" in said
    assert "All labels are in" not in said
    closing = text_of(client.get(reverse("close_round", args=[look.of_id])))
    assert "No label is missing." not in closing
    assert "Keep round open" in closing
    rows = text_of(client.get(reverse("rounds", args=[world.study.slug])))
    assert re.search(r"second look, Taxonomy \d+ v\d+ open 2 (\d|–) – ", rows), rows


def test_who_is_done_with_a_round_is_led_to_its_second_look():
    world, look = look_of("C.9")
    pages = [page_of(member, reverse("label", args=[look.of_id])) for member in world.members]
    assert ["A second look of this round waits for you." in page for page in pages] == [False, True, True]


def test_publishing_offers_to_ask_again_for_labels_beside_a_new_category():
    world = small_world(issues=2, members=3)
    round_ = world.round()
    for issue, codes in zip(world.issues, ("C.9 C.9 C.2", "C.9 C.2 B.1"), strict=True):
        for member, code in zip(world.members, codes.split(), strict=True):
            world.submit(round_, issue, member, code)
    taxonomy = world.version.taxonomy
    lead = Client()
    lead.force_login(world.lead.user)
    draft = reverse("draft", args=[taxonomy.pk])
    assert "Ask again for labels" not in text_of(lead.get(draft))
    change(world, ADD, "", parent="C", name="Docs")
    offered = lead.get(draft)
    assert "C.9 Name of C.9 3 revealed labels, new beside it: C.11 Docs" in text_of(offered)
    assert "C.2 Name of C.2 2 revealed labels, new beside it: C.11 Docs" in text_of(offered)
    for unlike in ("C.3 Name of C.3 0 revealed", "B.1 Name of B.1 1 revealed", "C.11 Docs 0 revealed"):
        assert unlike not in text_of(offered)
    boxes = re.findall(r'<input type="checkbox"[^>]*name="again"[^>]*>', offered.content.decode())
    assert (len(boxes), any("checked" in box for box in boxes)) == (2, False)
    # What the reader has yet to label elsewhere is not counted.
    reader = world.members[0]
    reader.role = Role.LEAD
    reader.save()
    elsewhere = world.waits_for(reader, world.issues[1])
    assert "C.9 Name of C.9 2 revealed labels, new beside it" in page_of(reader, draft)
    close_round(round_=elsewhere, by=world.lead)
    keys = {entry.code: entry.key for entry in drafted(taxonomy).draft}
    form = {"edition": drafted(taxonomy).edition, "note": "As the issues say.", "again": [keys["C.9"]]}
    answer = lead.post(reverse("publish_draft", args=[taxonomy.pk]), form, follow=True)
    assert "A second look begins for 3 labels of 2 people." in text_of(answer)
    look = Round.objects.get(of=round_)
    assert "In version 1 you chose C.9 Name of C.9. New categories came beside this category." in page_of(
        world.members[1], reverse("label", args=[look.pk])
    )
    audit = text_of(lead.get(reverse("audit", args=[world.study.slug])))
    assert f"Asked again for labels of C.9 with version 2 of the taxonomy {taxonomy.name}" in audit


def links(client: Client, url: str) -> str:
    return " ".join(re.findall(r'href="([^"]+)"', client.get(url).content.decode()))


def page_of(member, address: str) -> str:
    client = Client()
    client.force_login(member.user)
    return text_of(client.get(address))


@only_long
@pytest.mark.world(issues=3, members=3)
@pytest.mark.parametrize("address", ["/", "study"])
@pytest.mark.slow
def test_labels_that_nobody_else_sees_wait_for_their_author_on_home(world, address) -> None:
    round_ = world.round(name="Main")
    one, two, three = world.issues
    world.submit(round_, one, world.members[1], "C.9")
    world.submit(round_, two, world.members[1], "C.9")
    world.submit(round_, two, world.members[0], "C.2")
    world.submit(round_, three, world.members[2], "?Docs")
    for member in world.members:
        assert "choose again" not in page_of(member, "/")
    change(world, RETIRE, "C.9")
    world.version = publication(world)
    answer(taxonomy=world.version.taxonomy, name="Docs", category=world.category("C.2"), by=world.lead)
    address = reverse("study", args=[world.study.slug]) if address == "study" else address
    pages = [page_of(member, address) for member in world.members]

    assert ["to choose again" in page for page in pages] == [False, True, True]
    assert "2 labels to choose again" in pages[1]
    assert to_choose_again([(round_, world.members[1])]) == [(round_, 2, one.pk)]

    world.change(round_, one, world.members[1], "C.2")
    world.submit(round_, two, world.members[2], "C.2")  # complete: a second look asks for it

    assert "to choose again" not in page_of(world.members[1], address)


def test_an_answer_by_hand_is_said_where_its_author_labels(world) -> None:
    """Also in the first version of a taxonomy, in which no category is gone."""
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "?Docs")
    answer(taxonomy=world.version.taxonomy, name="Docs", category=world.category("C.2"), by=world.lead)
    address = reverse("label", args=[round_.pk])
    assert "1 of your labels needs a new category" in page_of(world.members[0], address)
    assert "needs a category" not in page_of(world.members[1], address)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("who", "told"),
    [
        ("lead", "is published. A second look begins for 2 labels of 2 people."),
        ("R2", "is published. A second look begins for 1 label of yours."),
        ("held", "is published."),  # nothing is said of what they have yet to label elsewhere
    ],
)
def test_who_publishes_is_told_how_many_labels_are_asked_for_again(world, who, told) -> None:
    round_ = world.round()
    for member, code in zip(world.members, ("C.2", "C.9", "C.9"), strict=True):
        world.submit(round_, world.issues[0], member, code)
    world.submit(round_, world.issues[1], world.members[0], "C.9")  # seen by nobody, and in no number
    change(world, RETIRE, "C.9")
    member = {"lead": world.lead, "R2": world.members[1], "held": world.members[0]}[who]
    member.role = Role.LEAD
    member.save()
    if who == "held":
        world.waits_for(member, world.issues[0])
    client, taxonomy = Client(), world.version.taxonomy
    client.force_login(member.user)
    given = {"edition": drafted(taxonomy).edition}
    page = client.post(reverse("publish_draft", args=[taxonomy.pk]), given, follow=True)

    assert told in text_of(page)
    assert ("A second look begins" in text_of(page)) == (who != "held")
    change(world, DESCRIBE, "C.3", name="Other")
    given = {"edition": drafted(taxonomy).edition}
    page = client.post(reverse("publish_draft", args=[taxonomy.pk]), given, follow=True)
    assert "is published." in text_of(page)
    assert "A second look begins" not in text_of(page)


def test_an_open_meeting_says_how_many_of_its_issues_are_looked_at_again() -> None:
    world = meeting_world(4, members=3)  # of the first three, two were C.9 for somebody
    world.plan()
    address = reverse("meeting", args=[world.meeting.pk])
    assert "labelled again for a new taxonomy version" not in page_of(world.lead, address)
    change(world, RETIRE, "C.9")
    world.version = publication(world)
    look = Round.objects.get(of=world.round_)
    gone = look.round_issues.count()
    assert gone > 1
    assert f"{gone} issues are labelled again for a new taxonomy version" in page_of(world.lead, address)

    issue = look.round_issues.earliest("position").issue
    for slot in look.assignments.filter(issue=issue):
        world.submit(look, issue, slot.volunteer, "C.2")
    said = page_of(world.lead, address)
    left = f"{gone - 1} issues are" if gone > 2 else "1 issue is"
    assert f"{left} labelled again for a new taxonomy version" in said
    held = world.waits_for(world.lead, *(place.issue for place in look.round_issues.all()))
    assert "labelled again for a new taxonomy version" not in page_of(world.lead, address)
    close_round(round_=held, by=world.lead)
    close_meeting(meeting=world.meeting, by=world.lead)
    assert "labelled again for a new taxonomy version" not in page_of(world.lead, address)
