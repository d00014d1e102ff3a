"""Names that labels wait for: shown where they may be read, put to the vote in the labels' words, answered."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.queries.proposed_categories import missing_categories, proposing
from reports.queries.dry_run import dry_run
from studies.models import Role
from taxonomy.actions import cast, publish
from taxonomy.models import Motion, Proposal
from taxonomy.queries.codebooks import answered, codebook
from taxonomy.queries.drafts import drafted
from taxonomy.queries.taxonomies import published_version
from tests import factories
from tests.worlds.pages import client as signed_in
from tests.worlds.pages import cost
from tests.worlds.planned import text_of
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4, members=2)]


def get(member, route, /, *args, **query):
    return signed_in(member).get(reverse(route, args=args), query)


def post(member, route, /, *args, **fields):
    return signed_in(member).post(reverse(route, args=args), fields)


def misses(world, round_, number, member, name="Deadlock", why="", nearest="C.9") -> None:
    world.submit(
        round_,
        world.issues[number - 1],
        member,
        nearest,
        proposed_name=name,
        proposed_reason=why or f"{member.pseudonym} says {number}",
    )


def complete(world, round_, number, name="Deadlock") -> None:
    for member in world.members:
        misses(world, round_, number, member, name)


def names(world, reader=None) -> list[tuple]:
    taxonomy = world.version.taxonomy
    return [(one.name, one.labels, one.on) for one in missing_categories(taxonomy, reader or world.lead)]


def page(world, member):
    return text_of(get(member, "proposals", world.version.taxonomy_id))


def form(world, member, **query):
    return get(member, "put_to_vote", world.version.taxonomy_id, **query)


def put(world, member, **fields) -> Motion:
    until = timezone.localtime(timezone.now() + timedelta(days=3)).strftime("%Y-%m-%dT%H:%M")
    given = {"kind": "add", "parent": "", "name": "Stuck", "reasons": "Said so.", "deadline": until} | fields
    answer = post(member, "new_proposal", world.version.taxonomy_id, **given)
    assert answer.status_code == 302, text_of(answer)
    return Motion.objects.latest("pk")


def test_only_what_is_complete_is_named_and_the_rest_changes_nothing(world) -> None:
    round_ = world.round()
    before = page(world, world.lead)
    misses(world, round_, 1, world.members[0], "canary")
    assert names(world) == []
    assert page(world, world.lead) == before

    misses(world, round_, 1, world.members[1], "CANARY", why="None is of it")
    assert names(world) == [("canary", 2, 1)]
    for reader in (world.lead, world.members[0], factories.make_member(world.study, Role.VIEWER)):
        assert "R1 R1 says 1 R2 None is of it On 1 issue" in page(world, reader)


def test_what_is_withheld_from_the_reader_is_not_there(world) -> None:
    complete(world, world.round(), 1)
    world.waits_for(world.members[1], world.issues[0])
    assert names(world, world.members[1]) == []
    assert names(world, world.members[0]) == [("Deadlock", 2, 1)]
    assert form(world, world.members[1], name="Deadlock").status_code == 404


def test_a_form_begins_with_the_words_of_the_labels(world) -> None:
    round_ = world.round()
    complete(world, round_, 1)
    complete(world, round_, 2, "deadlock")
    found = proposing(world.version.taxonomy, world.members[0], name="DEADLOCK")
    above = world.category("C")
    assert (found.name, found.waits, found.parent, found.left_out) == (
        "DEADLOCK",
        "DEADLOCK",
        str(above.key),
        0,
    )
    assert found.reasons.splitlines() == ["R1: R1 says 1", "R2: R2 says 1", "R1: R1 says 2", "R2: R2 says 2"]
    assert found.examples.splitlines() == [world.issues[0].url, world.issues[1].url]
    shown = form(world, world.members[0], name="Deadlock").content.decode()
    assert "R2: R2 says 2" in shown
    assert f'value="{above.key}"\n' in shown or f'value="{above.key}"' in shown


def test_nothing_is_quoted_of_an_issue_that_somebody_has_yet_to_label(world) -> None:
    """Everybody reads a proposal, also who labels the issue in another round."""
    round_ = world.round()
    complete(world, round_, 1)
    complete(world, round_, 2)
    world.waits_for(world.members[1], world.issues[0])
    found = proposing(world.version.taxonomy, world.lead, name="Deadlock")
    assert found.reasons.splitlines() == ["R1: R1 says 2", "R2: R2 says 2"]
    assert found.examples == world.issues[1].url
    assert found.left_out == 2
    of_issue = proposing(world.version.taxonomy, world.lead, round_=round_, issue_id=world.issues[0].pk)
    assert (of_issue.name, of_issue.reasons, of_issue.examples) == ("Deadlock", "", "")


def test_who_has_yet_to_label_an_issue_reads_of_it_only_the_name_that_somebody_put_to_the_vote(world) -> None:
    round_ = world.round()
    complete(world, round_, 1, "canary")
    waiting, taxonomy = world.members[1], world.version.taxonomy
    assert "All members will read the name." not in text_of(form(world, world.lead, name="canary"))
    world.waits_for(waiting, world.issues[0])
    urls = [reverse("proposals", args=[taxonomy.pk]), reverse("api_proposals", args=[taxonomy.pk])]

    # No name comes from the issue by itself, and who still has to label the issue is offered none.
    assert all("canary" not in signed_in(waiting).get(url).text for url in urls)
    assert form(world, waiting, name="canary").status_code == 404
    asked = form(world, world.lead, name="canary")
    assert "because a member still has to label their issues. All members will read the name." in text_of(
        asked
    )

    # A person sends it: then it is the name of a category, and says neither on which issue nor by whom.
    found = proposing(taxonomy, world.lead, name="canary")
    put(world, world.lead, name=found.name, waits=found.waits, reasons="Missing.", examples=found.examples)
    for url in urls:
        told = signed_in(waiting).get(url).text
        assert "New type: canary" in told
        assert "says 1" not in told
        assert world.issues[0].url not in told


def test_an_issue_gives_the_name_that_most_of_its_labels_miss(world) -> None:
    round_ = world.round()
    complete(world, round_, 1, "Deadlock")
    misses(world, round_, 2, world.members[0], "Heat")
    world.submit(round_, world.issues[1], world.members[1], "C.1")
    shown = form(world, world.lead, round=round_.pk, issue=world.issues[1].pk).content.decode()
    assert re.search(r'name="waits"\s+value="Heat"', shown)
    assert "R1: R1 says 2" in shown
    assert "R1 says 1" not in shown
    misses(world, round_, 4, world.members[0], "Heat")
    misses(world, round_, 4, world.members[1], "Smoke")
    both = form(world, world.lead, round=round_.pk, issue=world.issues[3].pk).content.decode()
    assert "R1: R1 says 4\nR2: “Smoke”, R2 says 4" in both
    unanimous = form(world, world.lead, round=round_.pk, issue=world.issues[2].pk)
    assert unanimous.status_code == 404
    other = small_world(members=1)
    assert form(world, world.lead, round=other.round().pk, issue=world.issues[1].pk).status_code == 404
    assert form(world, world.lead, round="x", issue="1").status_code == 404


def test_a_vote_from_the_labels_answers_them_also_those_that_nobody_sees(world) -> None:
    round_ = world.round()
    complete(world, round_, 1)
    misses(world, round_, 2, world.members[0], "Deadlock")
    hidden = Proposal.objects.get(proposed_by=world.members[1])
    motion = put(world, world.members[0], waits="deadlock")
    assert set(motion.proposals.values_list("pk", flat=True)) == set(
        Proposal.objects.values_list("pk", flat=True)
    )
    assert "put to the vote" in page(world, world.lead)
    drafted_now = drafted(world.version.taxonomy)
    for member in (world.lead, *world.members):
        assert dry_run(drafted_now, world.lead).answered == 0
        cast(motion=motion, member=member, choice="for")
        drafted_now = drafted(world.version.taxonomy)
    assert dry_run(drafted_now, world.lead).answered == 2
    assert "2 open labels come again with their missing category chosen" in text_of(
        get(world.lead, "draft_dry_run", world.version.taxonomy_id)
    )
    version = publish(taxonomy=world.version.taxonomy, by=None)
    assert codebook(version).by_id[answered(version)[hidden.pk]].name == "Stuck"
    assert names(world) == []  # their authors look at them again


def test_a_lead_answers_a_name_and_takes_it_back(world) -> None:
    round_ = world.round()
    complete(world, round_, 1)
    misses(world, round_, 2, world.members[0], "unseen")
    taxonomy = world.version.taxonomy_id

    def say(member, name, code):
        return post(member, "answer_name", taxonomy, name=name, category=code).status_code

    assert say(world.members[0], "Deadlock", "C.9") == 403
    assert say(world.lead, "unseen", "C.9") == 404
    assert say(world.lead, "never said", "C.9") == 404
    assert say(world.lead, "Deadlock", "Z.1") == 404
    assert say(world.lead, "deadlock", "C.9") == 302
    assert set(answered(published_version(world.version.taxonomy)).values()) == {world.category("C.9").pk}
    assert names(world) == []  # their authors look at them again


def test_what_nobody_is_asked_about_again_can_be_taken_back(world) -> None:
    """A closed round keeps its labels."""
    round_ = world.round()
    complete(world, round_, 1)
    close_round(round_=round_, by=world.lead)

    def say(code):
        fields = {"name": "Deadlock", "category": code}
        return post(world.lead, "answer_name", world.version.taxonomy_id, **fields).status_code

    assert say("C.9") == 302
    assert "category C.9" in page(world, world.members[0])
    assert say("") == 302
    assert answered(published_version(world.version.taxonomy)) == {}


def test_links_lead_there_from_a_disagreement_and_from_ones_own_label(world) -> None:
    round_ = world.round()
    misses(world, round_, 1, world.members[0])
    world.submit(round_, world.issues[0], world.members[1], "C.1")
    link = f"{reverse('put_to_vote', args=[world.version.taxonomy_id])}?round={round_.pk}&amp;issue={world.issues[0].pk}"
    panel = get(world.members[1], "disagreements", round_.pk, issue=world.issues[0].pk).content.decode()
    assert link in panel
    viewer = factories.make_member(world.study, Role.VIEWER)
    assert link not in get(viewer, "disagreements", round_.pk, issue=world.issues[0].pk).content.decode()
    close_round(round_=round_, by=world.lead)
    own = get(world.members[0], "label", round_.pk, issue=world.issues[0].pk).content.decode()
    assert link in own


@pytest.mark.parametrize("how_many", [1, 3])
def test_a_fixed_number_of_queries(world, how_many) -> None:
    round_ = world.round()
    for number in range(1, how_many + 1):
        complete(world, round_, number, f"Name {number}")
    taxonomy = world.version.taxonomy
    assert len(missing_categories(taxonomy, world.lead)) == how_many
    assert cost(lambda: missing_categories(taxonomy, world.lead)) == 7
    assert cost(lambda: proposing(taxonomy, world.lead, name="Name 1")) == 9


def test_names_are_read_and_answered_over_rest(world) -> None:
    round_ = world.round()
    complete(world, round_, 1)
    misses(world, round_, 2, world.members[0], "unseen")
    address = reverse("api_missing_names", args=[world.version.taxonomy_id])
    waiting = {
        "name": "Deadlock", "labels": 2, "issues": 1, "reasons": ["R1: R1 says 1", "R2: R2 says 1"],
        "nearest": "C.9", "proposal": None, "answer": None, "joined": [], "is_voted_for": False,
    }  # fmt: skip

    def say(member, name, code):
        given = {"name": name, "category": code}
        return signed_in(member).post(address, given, content_type="application/json")

    assert signed_in(world.members[1]).get(address).json() == [waiting]
    assert say(world.members[0], "Deadlock", "C.9").status_code == 403
    assert say(world.lead, "unseen", "C.9").status_code == 404
    assert say(world.lead, "Deadlock", "Z.1").status_code == 404
    assert say(world.lead, "Deadlock", "").status_code == 400

    close_round(round_=round_, by=world.lead)  # nobody is asked again, so the name stays
    answered_by = say(world.lead, "deadlock", "C.9").json()
    assert [(one["name"], one["answer"]) for one in answered_by] == [("Deadlock", "C.9"), ("unseen", None)][
        ::-1
    ]
    assert {one["answer"] for one in say(world.lead, "deadlock", None).json()} == {None}


def test_a_lead_joins_two_names_that_mean_the_same_and_separates_them_again(world) -> None:
    round_ = world.round()
    misses(world, round_, 1, world.members[0], "Deadlock")
    misses(world, round_, 1, world.members[1], "Standstill")
    misses(world, round_, 2, world.members[0], "standstill")
    misses(world, round_, 2, world.members[1], "Heat")
    misses(world, round_, 3, world.members[0], "unseen")
    taxonomy = world.version.taxonomy_id

    def join(member, name, into):
        return post(member, "join_name", taxonomy, name=name, into=into).status_code

    assert join(world.members[0], "Standstill", "Deadlock") == 403
    for name, into in (("unseen", "Heat"), ("Heat", "unseen"), ("Heat", "never said")):
        assert join(world.lead, name, into) == 404
    assert join(world.lead, "Heat", "Heat") == 409
    assert names(world) == [("Standstill", 2, 2), ("Deadlock", 1, 1), ("Heat", 1, 1)]
    assert join(world.lead, "Standstill", "Deadlock") == 302
    assert names(world) == [("Deadlock", 3, 2), ("Heat", 1, 1)]
    shown = page(world, world.lead)
    assert shown.count("Joined with this name:") == 1  # however often and however it was spelt
    assert "Joined with this name: “Standstill” Separate names" in shown
    assert "R1 R1 says 1 R2 R2 says 1 R1 R1 says 2 On 2 issues" in shown
    assert "Separate names" not in page(world, world.members[0])
    assert "Joined two proposed names" in text_of(get(world.lead, "audit", world.study.slug))
    # A link from before, or from a note of a meeting, leads to the vote on the name that it counts as.
    start = proposing(world.version.taxonomy, world.lead, name="standstill")
    assert (start.name, start.waits) == ("Deadlock", "Deadlock")
    # Whoever proposes the name later goes along; so does the vote.
    misses(world, round_, 4, world.members[1], "STANDSTILL")
    misses(world, round_, 4, world.members[0], "Heat")
    assert names(world) == [("Deadlock", 4, 3), ("Heat", 2, 2)]
    assert "R2: R2 says 4" in proposing(world.version.taxonomy, world.lead, name="Deadlock").reasons
    assert join(world.lead, "Standstill", "") == 302
    assert names(world) == [("Standstill", 3, 3), ("Heat", 2, 2), ("Deadlock", 1, 1)]
    assert "Separated two joined names" in text_of(get(world.lead, "audit", world.study.slug))
    assert join(world.lead, "Standstill", "") == 409
    assert Proposal.objects.exclude(joined_as="").count() == 0


def test_a_joined_name_is_spelt_as_revealed_labels_spell_it(world) -> None:
    round_ = world.round()
    misses(world, round_, 3, world.members[1], "DEAD LOCK")  # nobody else sees it yet
    misses(world, round_, 1, world.members[0], "Dead lock")
    misses(world, round_, 1, world.members[1], "Standstill")
    join = post(world.lead, "join_name", world.version.taxonomy_id, name="standstill", into="dead  LOCK")
    assert join.status_code == 302
    assert names(world) == [("Dead lock", 2, 1)]
    assert set(Proposal.objects.values_list("name", "joined_as")) == {
        ("DEAD LOCK", ""), ("Dead lock", ""), ("Standstill", "Dead lock"),
    }  # fmt: skip
    told = text_of(get(world.lead, "audit", world.study.slug))
    assert "Joined two proposed names" in told
    assert "Standstill" not in told


def test_a_name_that_is_withheld_is_not_shown_by_a_name_that_was_joined_with_it(world) -> None:
    round_ = world.round()
    for one in world.members:
        misses(world, round_, 1, one, "canary")
        misses(world, round_, 2, one, "Standstill")
        misses(world, round_, 3, one, "Heat")
    taxonomy = world.version.taxonomy
    assert post(world.lead, "join_name", taxonomy.pk, name="Standstill", into="canary").status_code == 302
    other = factories.make_member(world.study, Role.LEAD)
    world.waits_for(other, world.issues[0])

    assert names(world) == [("canary", 4, 2), ("Heat", 2, 1)]
    assert names(world, other) == [("Heat", 2, 1), ("Standstill", 2, 1)]
    asked = (
        ("proposals", taxonomy.pk), ("audit", world.study.slug), ("api_missing_names", taxonomy.pk),
        ("pilot", round_.pk), ("study", world.study.slug),
    )  # fmt: skip
    for route, of in asked:
        assert b"canary" not in get(other, route, of).content, route
    start = proposing(taxonomy, other, name="Standstill")
    assert (start.name, start.waits) == ("Standstill", "Standstill")

    # What this lead does with the name holds for the name that it counts as.
    assert post(other, "join_name", taxonomy.pk, name="Heat", into="Standstill").status_code == 302
    assert names(world) == [("canary", 6, 3)]
    assert names(world, other) == [("Standstill", 4, 2)]
    assert post(other, "answer_name", taxonomy.pk, name="Standstill", category="C.9").status_code == 302
    assert set(Proposal.objects.values_list("answered_by", flat=True)) == {world.category("C.9").pk}


def test_a_joined_name_shares_the_vote_and_its_category(world) -> None:
    round_ = world.round()
    misses(world, round_, 1, world.members[0], "Deadlock")
    misses(world, round_, 1, world.members[1], "Standstill")
    taxonomy = world.version.taxonomy_id
    motion = put(world, world.members[0], waits="deadlock")
    assert post(world.lead, "join_name", taxonomy, name="Deadlock", into="Standstill").status_code == 409
    assert post(world.lead, "join_name", taxonomy, name="Standstill", into="Deadlock").status_code == 302
    assert motion.proposals.count() == 2
    assert post(world.lead, "join_name", taxonomy, name="Standstill").status_code == 409, "it is voted on"
    for member in (world.lead, *world.members):
        cast(motion=motion, member=member, choice="for")
    version = publish(taxonomy=world.version.taxonomy, by=None)
    assert {codebook(version).by_id[one].name for one in answered(version).values()} == {"Stuck"}
    assert len(answered(version)) == 2
    assert names(world) == []  # both authors look at their labels again


def test_a_name_that_is_joined_with_an_answered_one_gets_its_category(world) -> None:
    round_ = world.round()
    misses(world, round_, 1, world.members[0], "Deadlock")
    misses(world, round_, 1, world.members[1], "Standstill")
    close_round(round_=round_, by=world.lead)
    taxonomy = world.version.taxonomy_id
    post(world.lead, "answer_name", taxonomy, name="Deadlock", category="C.9")
    assert post(world.lead, "join_name", taxonomy, name="Standstill", into="Deadlock").status_code == 302
    assert set(answered(published_version(world.version.taxonomy)).values()) == {world.category("C.9").pk}
    assert len(answered(published_version(world.version.taxonomy))) == 2


def test_names_are_joined_over_rest(world) -> None:
    round_ = world.round()
    misses(world, round_, 1, world.members[0], "Deadlock")
    misses(world, round_, 1, world.members[1], "Standstill")
    misses(world, round_, 2, world.members[0], "unseen")
    address = reverse("api_missing_names", args=[world.version.taxonomy_id])

    def say(member, **given):
        return signed_in(member).post(address, given, content_type="application/json")

    assert say(world.members[0], name="Standstill", into="Deadlock").status_code == 403
    assert say(world.lead, name="Standstill", into="unseen").status_code == 404
    assert say(world.lead, name="Standstill").status_code == 400
    assert say(world.lead, name="Standstill", into="Deadlock", category="C.9").status_code == 400
    [one] = say(world.lead, name="standstill", into="Deadlock").json()
    assert (one["name"], one["joined"], one["labels"]) == ("Deadlock", ["Standstill"], 2)
    assert [one["joined"] for one in say(world.lead, name="Standstill", into=None).json()] == [[], []]
    again = say(world.lead, name="Standstill", into=None)
    assert (again.status_code, again.json()["code"]) == (409, "NotJoined")
