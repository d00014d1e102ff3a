"""Proposals as pages: put to the vote, voted on with what others say hidden, withdrawn, shown beside the draft."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from studies.models import Role
from taxonomy.actions import cast
from taxonomy.models import Ballot, Motion
from taxonomy.queries.drafts import drafted
from tests.factories import make_member, propose

pytestmark = pytest.mark.django_db


def put(taxonomy, by, code="C.1") -> Motion:
    return propose(taxonomy, by, code=code, examples="https://github.com/o/r/issues/7\n<b>none</b>")


def text_of(response) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.text))


def as_(client, member):
    client.force_login(member.user)
    return client


def page(taxonomy) -> str:
    return reverse("proposals", args=[taxonomy.pk])


def vote(client, motion, **fields):
    return client.post(reverse("vote_on_proposal", args=[motion.taxonomy_id, motion.number]), fields)


def test_a_volunteer_puts_a_change_to_the_vote(client, taxonomy, people, keys) -> None:
    change = {
        "kind": "add",
        "parent": keys["C"],
        "name": "Docs",
        "text-definition": "Texts.",
        "key": keys["A"],
    }
    fields = change | {"reasons": "Twelve issues.", "deadline": until()}

    answer = as_(client, people[1]).post(reverse("new_proposal", args=[taxonomy.pk]), fields)

    assert (answer.status_code, answer.url) == (302, page(taxonomy))
    motion = Motion.objects.get()
    assert (motion.kind, motion.opened_by, motion.electorate, motion.quorum) == ("add", people[1], 3, 3)
    assert motion.values == {"parent": keys["C"], "name": "Docs", "definition": "Texts."}
    assert motion.deadline > timezone.now() + timedelta(days=2)


def test_what_is_refused_keeps_what_was_typed(client, taxonomy, people, keys) -> None:
    change = {"kind": "merge", "key": keys["C.1"], "into": keys["C.1"]}
    fields = change | {"reasons": "My words.", "deadline": until()}

    answer = as_(client, people[1]).post(reverse("new_proposal", args=[taxonomy.pk]), fields)

    assert answer.status_code == 422
    assert "C.1 cannot be merged into itself" in text_of(answer)
    assert "My words." in text_of(answer)
    assert not Motion.objects.exists()


def test_how_others_vote_is_hidden_until_it_is_over(client, taxonomy, people) -> None:
    motion = put(taxonomy, people[0])
    cast(motion=motion, member=people[0], choice="against", argument="Not at all.")
    as_(client, people[1])
    shown = []
    for choice in ("against", "for"):
        Ballot.objects.filter(motion=motion, member=people[0]).update(choice=choice)
        shown.append(re.sub(r'value="[^"]{20,}"|\w{64}', "", client.get(page(taxonomy)).text))

    assert shown[0] == shown[1]
    assert "Not at all." not in shown[0]
    assert "1 of 3 voted" in shown[0]

    cast(motion=motion, member=people[1], choice="for")
    cast(motion=motion, member=people[2], choice="against", argument="Nor I.")
    said = text_of(client.get(page(taxonomy)))
    assert "declined , 2 of 3 voted for, 1 against" in said
    assert "Not at all." in said
    assert "Nor I." in said


def test_a_vote_with_an_argument(client, taxonomy, people) -> None:
    motion = put(taxonomy, people[0])

    answer = vote(as_(client, people[1]), motion, choice="against", argument="No.")

    assert answer.status_code == 302
    said = text_of(client.get(page(taxonomy)))
    assert "Your vote on proposal 1 is stored." in said
    assert "Your current vote: against" in said
    ballot = Ballot.objects.get(motion=motion, member=people[1])
    assert (ballot.choice, ballot.argument) == ("against", "No.")


def test_who_came_later_is_told_so_and_sees_no_form(client, taxonomy, people) -> None:
    motion = put(taxonomy, people[0])
    late = make_member(taxonomy.study)

    answer = vote(as_(client, late), motion, choice="for", argument="My words.")

    assert answer.status_code == 409
    assert "You cannot vote: you became a member after this vote started." in text_of(answer)
    assert "vote_on" not in client.get(page(taxonomy)).text
    assert 'name="choice"' not in client.get(page(taxonomy)).text


def test_a_viewer_reads_and_does_not_vote(client, taxonomy, people) -> None:
    motion = put(taxonomy, people[0])
    as_(client, make_member(taxonomy.study, Role.VIEWER))

    assert "1 Retire C.1 Name of C.1" in text_of(client.get(page(taxonomy)))
    assert vote(client, motion, choice="for").status_code == 403


def test_the_last_who_is_waited_for_is_named_and_said_to_have_left(client, taxonomy, people) -> None:
    motion = put(taxonomy, people[0])
    for member in people[:2]:
        cast(motion=motion, member=member, choice=Ballot.Choice.FOR)
    assert f"2 of 3 voted, {people[2].pseudonym} still to vote" in text_of(
        as_(client, people[0]).get(page(taxonomy))
    )
    people[2].left_at = timezone.now()
    people[2].save()
    assert f"2 of 3 voted, {people[2].pseudonym} has left the study" in text_of(client.get(page(taxonomy)))


def test_it_is_withdrawn_by_who_made_it(client, taxonomy, people) -> None:
    motion = put(taxonomy, people[1])
    door = reverse("withdraw_proposal", args=[taxonomy.pk, motion.number])

    assert as_(client, people[0]).post(door).status_code == 403
    assert as_(client, people[1]).post(door).status_code == 302
    motion.refresh_from_db()
    assert motion.outcome == "withdrawn"


def test_reading_closes_nothing_and_the_next_act_does(client, taxonomy, people, monkeypatch) -> None:
    motion = put(taxonomy, people[0])
    later = timezone.now() + timedelta(days=8)
    monkeypatch.setattr("core.clock.now", lambda: later)
    as_(client, people[1])

    assert "the votes are being counted" in text_of(client.get(page(taxonomy)))
    motion.refresh_from_db()
    assert motion.is_open
    assert vote(client, motion, choice="for").status_code == 409
    motion.refresh_from_db()
    assert (motion.outcome, motion.in_favour) == ("no quorum", 0)


def test_the_editor_shows_what_is_voted_on_and_waits_for_it(client, taxonomy, people) -> None:
    motion = put(taxonomy, people[0])
    as_(client, people[0])

    said = text_of(client.get(reverse("draft", args=[taxonomy.pk])))
    assert "You can publish v2 when these proposals are decided: 1." in said
    for member in people:
        cast(motion=motion, member=member, choice="for")

    said = text_of(client.get(reverse("draft", args=[taxonomy.pk])))
    assert "accepted , 3 of 3 voted for" in said
    assert "can be published when" not in said
    assert "retired proposal 1" in said


def test_the_rule_is_set_by_leads(client, taxonomy, people) -> None:
    door = reverse("proposal_rule", args=[taxonomy.pk])

    assert as_(client, people[1]).post(door, {"by_majority": "on"}).status_code == 403
    assert as_(client, people[0]).post(door, {"by_majority": "on"}).status_code == 302
    taxonomy.refresh_from_db()
    assert taxonomy.by_majority


def test_home_counts_what_waits_for_my_vote(client, taxonomy, people) -> None:
    put(taxonomy, people[0])
    second = put(taxonomy, people[0], "C.2")
    as_(client, people[1])

    assert "2 proposals to vote on" in text_of(client.get("/"))
    cast(motion=second, member=people[1], choice="for")
    assert "1 proposal to vote on" in text_of(client.get("/"))


def test_texts_of_others_are_text(client, taxonomy, people) -> None:
    put(taxonomy, people[0])

    shown = as_(client, people[1]).get(page(taxonomy)).text

    assert "<b>none</b>" not in shown
    assert 'href="https://github.com/o/r/issues/7"' in shown


@pytest.mark.parametrize("motions", [1, 3])
def test_a_fixed_number_of_queries(client, taxonomy, people, motions, django_assert_num_queries) -> None:
    for code in ("C.1", "C.2", "C.3")[:motions]:
        cast(motion=put(taxonomy, people[0], code), member=people[0], choice="for")
    as_(client, people[1]).get(page(taxonomy))

    # One of them is of a room above: the open codes of interviews that were proposed.
    with django_assert_num_queries(11):
        client.get(page(taxonomy))


def test_the_form_begins_with_what_the_address_says(client, taxonomy, people) -> None:
    door = reverse("new_proposal", args=[taxonomy.pk])

    shown = as_(client, people[1]).get(f"{door}?kind=add&name=%3Cb%3EDocs").text

    assert 'value="&lt;b&gt;Docs"' in shown
    assert re.search(r'value="add"[^>]* checked', shown)
    assert client.get(f"{door}?kind=nothing").status_code == 200


def until() -> str:
    return timezone.localtime(timezone.now() + timedelta(days=3)).strftime("%Y-%m-%dT%H:%M")


def test_the_editor_hands_over_what_was_typed(client, taxonomy, people, keys) -> None:
    """Its button sends its own form: nothing is changed in the draft, and nothing is put to the vote yet."""
    typed = {
        "prefill": "1",
        "kind": "describe",
        "key": keys["C.1"],
        "name": "Typed",
        "definition": "Another one.",
        "examples": "An example of it.",
        "seen-examples": "",
    }

    shown = as_(client, people[0]).post(reverse("new_proposal", args=[taxonomy.pk]), typed)

    page = shown.text
    assert shown.status_code == 200
    assert re.search(r'value="describe"[^>]* checked', page)
    assert 'value="Typed"' in page
    assert re.search(r'name="text-definition"[^>]*>Another one.<', page)
    assert re.search(r'name="text-examples"[^>]*>An example of it.<', page)
    assert re.search(r'name="examples"[^>]*>\s*<', page)
    assert not Motion.objects.exists()
    assert not drafted(taxonomy).changes

    moved = {"prefill": "1", "kind": "move", "key": keys["C.1"], "parent": "type"}
    page = client.post(reverse("new_proposal", args=[taxonomy.pk]), moved).text
    assert re.search(r'value="move"[^>]* checked', page)


def test_other_texts_are_put_to_the_vote_and_only_those(client, taxonomy, people, keys) -> None:
    fields = {
        "kind": "describe",
        "key": keys["C.1"],
        "name": "Name of C.1",
        "seen-name": "Name of C.1",
        "text-definition": "Another one.",
        "seen-definition": "",
        "text-includes": "as it was",
        "seen-includes": "as it was",
        "reasons": "Clearer.",
        "examples": "https://github.com/o/r/issues/7",
        "deadline": until(),
    }
    door = reverse("new_proposal", args=[taxonomy.pk])

    assert as_(client, people[0]).post(door, fields).status_code == 302

    motion = Motion.objects.get()
    assert motion.values == {"definition": "Another one."}
    assert motion.examples == "https://github.com/o/r/issues/7"
    assert motion.title == "Change texts of C.1 Name of C.1"
    refused = client.post(door, fields | {"text-definition": ""})
    assert (refused.status_code, Motion.objects.count()) == (422, 1)
    assert "Your proposal changes nothing" in text_of(refused)
