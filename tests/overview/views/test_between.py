"""What waits between the stages of a study: nobody reads that nothing waits while something does."""

from dataclasses import replace
from itertools import count

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.models import Repeat
from consensus.actions.follow_ups import follow_up
from ingest.models import Issue
from rounds.allocation import volunteer_seed
from rounds.drift import comes_again
from rounds.models import Round
from studies.models import Membership, Role
from taxonomy.actions import cast
from taxonomy.tree.drafts import RETIRE
from tests.annotate.actions.test_version_upgrade import change, publication
from tests.factories import propose
from tests.worlds.meeting import meeting_world
from tests.worlds.pages import client, label_all, queries_of, text_of
from tests.worlds.trained import another_lead, label_as, training
from tests.worlds.world import World, small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4, members=3)]


def seen(member, name: str = "home", *args) -> str:
    return text_of(client(member).get(reverse(name, args=args)))


def second_look(world: World, number: int = 1) -> Round:
    """A round whose second look is open."""
    round_ = world.round(name=f"Main {number}")
    for member, code in zip(world.members, ("C.9", "C.2", "C.9"), strict=False):
        world.submit(round_, world.issues[0], member, code)
    return round_


def test_an_open_second_look_waits_for_leads_and_shows_on_its_round(world):
    round_ = second_look(world)
    assert "open second look" not in seen(world.lead)
    change(world, RETIRE, "C.9")
    publication(world)
    for page in (seen(world.lead), seen(world.lead, "study", world.study.slug)):
        assert "Main 1 1 open second look" in page
    look = Round.objects.get(of=round_)
    page = client(world.lead).get(reverse("round", args=[round_.pk]))
    assert "A second look is open: labels whose category changed" in text_of(page)
    assert f'href="{look.get_absolute_url()}"' in page.content.decode()
    assert "open second look" not in seen(world.members[1])


def test_who_did_not_pass_is_told_why_and_who_can_help_and_the_training_lets_in(world):
    first = world.members[0]
    trained = training(world, "C.1", "C.1", members=world.members[:2])
    label_as(world, trained, first, "C.1", "C.2")
    label_as(world, trained, world.members[1], "C.1", "C.1")
    close_round(round_=trained, by=world.lead)
    assert "1 volunteer did not pass" in seen(world.lead)
    main = world.round(name="Main round", training=trained, members=world.members[:2])
    told = seen(first)
    assert f"Main round 1 right label of 2 in {trained.name}; you need 2" in told
    assert f"You cannot label here yet. To be let in, ask a lead: {world.lead.known_as}." in told
    assert "you need" not in seen(world.members[1]) + seen(world.lead)
    Membership.objects.filter(pk=first.pk).update(role=Role.VIEWER)
    assert "ask a lead" not in seen(first), "a viewer labels nothing, and sees no names"
    Membership.objects.filter(pk=first.pk).update(role=Role.VOLUNTEER)
    assert "1 volunteer did not pass the training" in seen(world.lead)
    page = client(world.lead).get(reverse("round", args=[trained.pk]))
    assert text_of(page).count("Let in to Main round") == 1
    client(world.lead).post(reverse("admit", args=[main.pk, first.pk]), {"reason": "They talked about it."})
    assert "you need" not in seen(first)
    assert "Let in to Main round" not in seen(world.lead, "round", trained.pk)


def test_a_round_with_all_its_labels_waits_for_its_close(world):
    said = "Pilot 4 issues have all their labels All labels of Pilot are in. Close round Pilot"
    pilot = world.round(name="Pilot", kind="pilot", reveal="round_closed")
    label_all(world, pilot, *["C.1 C.2 C.1"] * 3, "C.1 C.1 -")
    assert "have all their labels" not in seen(world.lead)
    world.submit(pilot, world.issues[3], world.members[2], "C.2")
    for page in (seen(world.lead), seen(world.lead, "study", world.study.slug)):
        assert said in page
        assert "Nothing waits for you" not in page
    assert "Close round Pilot" in seen(world.lead, "rounds", world.study.slug)
    assert "Close round Pilot" not in seen(world.members[0], "rounds", world.study.slug)
    assert "have all their labels" not in seen(world.members[0])
    close_round(round_=pilot, by=world.lead)
    assert "have all their labels" not in seen(world.lead)


@pytest.mark.parametrize(("reveal", "comes"), [("round_closed", True), ("issue_complete", False)])
def test_a_round_does_not_wait_for_its_close_while_issues_come_again(world, reveal, comes):
    first = world.issues[0].pk
    seed = next(n for n in count() if comes_again(first, volunteer_seed(n, 1), 50))
    round_ = world.round(drift_percent=50, reveal=reveal, seed=seed)
    label_all(world, round_, *["C.1 C.2 C.1"] * 4)
    again = Repeat.objects.filter(round=round_)
    assert again.filter(issue=first).exists()
    assert ("have all their labels" in seen(world.lead)) is not comes
    # What nobody is given again, because who got it can no longer label, does not hide the card.
    waits = again.values_list("volunteer", flat=True)
    gone = Membership.objects.filter(pk__in=list(waits))
    for state in ({"left_at": timezone.now()}, {"role": Role.VIEWER}):
        gone.update(**state)
        assert "have all their labels" in seen(world.lead)
        gone.update(left_at=None, role=Role.VOLUNTEER)
        assert ("have all their labels" in seen(world.lead)) is not comes
    again.delete()
    assert "have all their labels" in seen(world.lead)


def test_the_round_does_not_say_that_all_labels_are_in_while_issues_come_again(world):
    first = world.issues[0].pk
    seed = next(n for n in count() if comes_again(first, volunteer_seed(n, 1), 50))
    round_ = world.round(drift_percent=50, reveal="round_closed", seed=seed)
    label_all(world, round_, *["C.1 C.2 C.1"] * 4)
    n = Repeat.objects.filter(round=round_).count()
    waits = f"All issues have their labels. The drift check still waits for {n} label"
    pages = [seen(world.lead, name, round_.pk) for name in ("round", "close_round")]
    assert ["All labels are in" in page or "No label is missing" in page for page in pages] == [False, False]
    assert [waits in page for page in pages] == [True, True]
    # A lead who labels here is not told why more comes.
    world.members[0].role = Role.LEAD
    world.members[0].save()
    for name in ("round", "close_round"):
        page = seen(world.members[0], name, round_.pk)
        assert "More labels are still to come." in page
        assert "still waits for" not in page
    for page in (seen(world.members[1], "round", round_.pk), seen(world.members[1], "label", round_.pk)):
        assert not any(words in page for words in ("All labels are in", "to come", "still waits"))
    Repeat.objects.filter(round=round_).update(submitted_at=timezone.now(), category=world.category("C.1"))
    assert "All labels are in. Closing ends the round" in seen(world.lead, "round", round_.pk)
    assert "No label is missing." in seen(world.lead, "close_round", round_.pk)


def test_who_failed_a_running_training_waits_for_leads_who_may_watch_it(world):
    first, second = world.members[:2]
    trained = training(world, "C.1", "C.1", members=[first, second, world.lead], by=another_lead(world))
    label_as(world, trained, first, "C.1", "C.2")
    label_as(world, trained, second, "C.2")
    lead = trained.study.memberships.get(pseudonym="Lead 2")
    for page in (seen(lead), seen(lead, "study", world.study.slug)):
        assert f"{trained.name} 1 volunteer did not pass {first.known_as}" in page
    assert "did not pass" not in seen(world.lead), "it labels there itself, and has issues left"
    label_as(world, trained, world.lead, "C.1", "C.1")
    assert "1 volunteer did not pass" in seen(world.lead)


def test_an_accepted_proposal_and_follow_ups_wait_for_leads():
    held = meeting_world(4, members=3)
    lead, volunteer, study = held.lead, held.volunteers[0], held.study
    held.plan()
    assert "follow-up" not in seen(lead)
    follow_up(item=held.items[0], by=lead, kind="guideline", text="Look at the fix.")
    motion = propose(held.version.taxonomy, lead, code="C.9")
    assert "accepted proposal" not in seen(lead)
    for member in study.memberships.filter(user__isnull=False).exclude(role__in=("viewer", "model")):
        motion = cast(motion=motion, member=member, choice="for")
    assert motion.outcome == "accepted"
    for page in (seen(lead), seen(lead, "study", study.slug)):
        assert "1 accepted proposal in the draft" in page
        assert "1 follow-up to do" in page
    told = seen(volunteer)
    assert ("follow-up" in told, "accepted proposal" in told) == (False, False)


def test_home_and_overview_cost_the_same_for_one_and_three():
    counts = []
    for size in (1, 3):
        world = small_world(issues=4, members=3)
        for number in range(size):
            second_look(world, number)
        trained = training(world, "C.1", members=world.members)
        for member in world.members[:size]:
            label_as(world, trained, member, "C.2")
        close_round(round_=trained, by=world.lead)
        change(world, RETIRE, "C.9")
        publication(world)
        for _number in range(size):
            place = Issue.objects.filter(pk=world.issues[1].pk)
            fields = {"kind": "screening", "depth": 1, "excludes": world.category("A"), "issues": place}
            label_all(replace(world, issues=list(place)), world.round(**fields), "C.1 C.1 C.1")
        assert Round.objects.filter(of__study=world.study).count() == size
        pages = ("/", reverse("study", args=[world.study.slug]))
        counts.append([queries_of(client(world.lead), page) for page in pages])
    assert counts[0] == counts[1]
