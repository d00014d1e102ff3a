"""Home and the overview of a study: what waits, how far everybody is, and no label before its reveal."""

import re
from dataclasses import replace
from datetime import timedelta
from itertools import count

import pgtrigger
import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.actions.model_labels import ModelRow, label_as_model
from annotate.actions.rounds import close_round
from annotate.actions.samples import draw_sample
from annotate.actions.volunteers import add_volunteer, raise_labels_per_issue, remove_volunteer
from annotate.models import Repeat
from annotate.queries.labels import progress
from annotate.queries.model_labels import models_of
from annotate.queries.planning import issues_from
from annotate.queries.samples import SampleFrame
from core.models import Job
from ingest.models import Import
from overview.queries.overview import own_rounds
from rounds.drift import comes_again
from rounds.models import Label, Round, RoundVolunteer
from studies.models import Membership, Role
from taxonomy.actions.drafts import act
from tests import factories
from tests.kept import kept
from tests.worlds.pages import client, label_all, queries_of, rows_read, text_of
from tests.worlds.screened import screening, screening_world
from tests.worlds.trained import label_as, take_out, training
from tests.worlds.world import World, small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4, members=3)]


@kept
def labelled(world: World) -> Round:
    """One unanimous issue, one disagreement, one with two of three labels, one untouched."""
    round_ = world.round(name="Main round")
    label_all(world, round_, "C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 A.1 -")
    return round_


def home(member):
    return client(member).get(reverse("home"))


def overview(member, study, **headers):
    return client(member).get(reverse("study", args=[study.slug]), headers=headers)


# --- home


def test_home_asks_a_visitor_to_sign_in_and_on_a_new_server_to_make_the_first_account():
    assert Client().get("/")["Location"] == reverse("welcome")
    factories.make_user()
    assert Client().get("/")["Location"].partition("?")[0] == reverse("account_login")


def test_home_without_a_study_says_what_to_do():
    may, may_not = Client(), Client()
    may.force_login(factories.make_user(may_create_studies=True))
    may_not.force_login(factories.make_user())

    assert reverse("new_study") in may.get("/").content.decode()
    body = may_not.get("/").content.decode()
    assert reverse("new_study") not in body
    assert "Ask the owner of a study for an invitation" in body


def test_home_shows_what_is_to_label_and_the_way_there(world, labelled):
    response = home(world.members[2])

    said = text_of(response)
    assert "Main round 2 issues to label" in said
    assert "50 % of 4" in said
    assert f'href="{reverse("label", args=[labelled.pk])}"' in response.content.decode()
    assert "disagreement" not in said


def test_home_counts_an_equal_share_where_some_label_each_issue(world):
    world.k_of_n(2, name="Pilot")

    # 4 issues of 2 labels for 3 people: 3 each, rounded up.
    assert "Pilot 3 issues to label for an equal share" in text_of(home(world.members[0]))


def test_home_counts_the_slots_of_who_came_while_the_round_was_open(world, labelled):
    late = factories.make_member(world.study, pseudonym="Late")
    add_volunteer(round_=labelled, member=late, by=world.lead)

    # Two of the four issues are revealed, and stay as they are.
    assert "Main round 2 issues to label" in text_of(home(late))
    assert progress(labelled, late).total == 2


def test_a_share_is_one_of_the_slots_that_there_are(world):
    round_ = world.k_of_n(2, name="Pilot")
    for member in world.members[:2]:
        for issue in world.issues[:3]:
            world.submit(round_, issue, member, "C.1")
    raise_labels_per_issue(round_=round_, to=3, by=world.lead)
    round_.refresh_from_db()

    # 3 issues with 2 labels and one with 3, for 3 people: 3 each.
    assert "Pilot 3 issues to label for an equal share" in text_of(home(world.members[2]))
    assert progress(round_, world.members[2]).total == 3
    planned = world.k_of_n(2, opened=False)
    assert progress(planned, world.members[2]).total == 3


def totals(round_, member):
    """Done, total and whether it is a share: on Home, and on the labelling page."""
    (own,) = [one for one in own_rounds([member]) if one.round == round_]
    mine = progress(round_, member)
    return (own.done, own.total, own.is_share), (mine.done, mine.total, mine.is_share)


@pytest.mark.parametrize(
    ("quotas", "asked"),
    [
        ((None, None, None), [(3, True), (3, True), (3, True)]),
        ((4, 4, 4), [(3, True), (3, True), (3, True)]),
        ((4, 2, 2), [(4, False), (2, False), (2, False)]),
        ((1, None, None), [(1, False), (4, True), (4, True)]),
    ],
)
def test_home_and_the_labelling_page_ask_for_as_many_labels(world, quotas, asked):
    round_ = world.k_of_n(2)
    for member, quota in zip(world.members, quotas, strict=True):
        RoundVolunteer.objects.filter(round=round_, member=member).update(quota=quota)
    for member, (total, is_share) in zip(world.members, asked, strict=True):
        assert totals(round_, member) == ((0, total, is_share), (0, total, is_share))


@pytest.mark.world(issues=12, members=2)
@pytest.mark.parametrize("allocation", [Round.Allocation.CROSSED, Round.Allocation.K_OF_N])
def test_home_counts_issues_that_come_again_as_the_labelling_page_does(world, allocation):
    round_ = world.round(allocation=allocation, labels_per_issue=2, drift_percent=50, drift_hours=24)
    first, second = world.members
    # Chance picks by id and seed: a seed under which the first two come again, whatever ids this run has.
    seed = next(n for n in count() if all(comes_again(one.pk, n, 50) for one in world.issues[:2]))
    RoundVolunteer.objects.filter(round=round_, member=first).update(seed=seed)
    for issue in world.issues[:6]:
        world.submit(round_, issue, first, "C.2")
    repeats = list(Repeat.objects.filter(volunteer=first).order_by("pk"))
    lost, again = repeats[0].issue, repeats[1].issue
    world.submit(round_, lost, second, "C.2")  # revealed: it comes to nobody again
    Label.objects.filter(round=round_, issue=again).update(submitted_at=timezone.now() - timedelta(days=2))
    world.submit(round_, again, first, "C.3")
    for member, done in ((first, 7), (second, 1)):
        home_says, page_says = totals(round_, member)
        assert home_says == page_says
        assert home_says[0] == done
        assert home_says[1] > 12


@pytest.mark.parametrize("quota", [None, 2])
def test_home_says_when_issues_come_again_to_who_labelled_their_share(world, quota):
    round_ = world.round(
        allocation="k_of_n", labels_per_issue=1, drift_percent=50, drift_hours=24, reveal="round_closed"
    )
    member = world.members[0]
    first, second = (issue.pk for issue in world.issues[:2])
    seed = next(n for n in count() if comes_again(first, n, 50) and not comes_again(second, n, 50))
    RoundVolunteer.objects.filter(round=round_, member=member).update(seed=seed, quota=quota)
    world.submit(round_, world.issues[0], member, "C.2")
    assert "1 more issue comes" not in text_of(home(member))
    world.submit(round_, world.issues[1], member, "C.2")
    said = text_of(home(member))
    assert "1 more issue comes tomorrow" in said
    assert "issue to label" not in said
    Repeat.objects.update(due_at=timezone.now() - timedelta(minutes=1))
    assert "1 issue to label" in text_of(home(member))


def test_home_shows_disagreements_to_who_may_settle_them(world, labelled):
    said = text_of(home(world.lead))

    assert "Main round 1 disagreement to decide" in said
    assert "issues to label" not in said


def test_home_leaves_out_rounds_that_are_closed_planned_or_of_others(world, labelled):
    Round.objects.filter(pk=labelled.pk).update(closed_at=timezone.now())
    world.round(name="Planned", opened=False)
    other = small_world()
    other.round(name="Of others")

    said = text_of(home(world.members[2]))

    assert "Nothing waits for you now." in said
    assert "Of others" not in said
    assert other.study.name not in said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"left_at": timezone.now()}, "You are in no study yet"),
        ({"role": Role.VIEWER}, "Nothing waits for you now."),
    ],
)
def test_home_has_nothing_to_label_for_who_left_or_became_a_viewer(world, labelled, change, said):
    Membership.objects.filter(pk=world.members[2].pk).update(**change)
    assert said in text_of(home(world.members[2]))


def test_home_needs_as_many_queries_for_three_studies_as_for_one(world, labelled):
    user = world.lead.user
    factories.make_round(world.version, world.issues, [world.lead])
    one = queries_of(client(world.lead), "/")
    for number in (1, 2):
        other = small_world()
        lead = factories.make_member(other.study, Role.LEAD, user=user, pseudonym=f"Also {number}")
        factories.make_round(other.version, other.issues, [lead])
        label_all(other, other.round(), "C.1 C.2 C.1")

    assert Membership.objects.filter(user=user).count() == 3
    assert queries_of(client(world.lead), "/") == one <= 28


# --- its way


def stages(response) -> list[tuple[str, str, str, str]]:
    """Name, state, figure and text of each stage."""
    body = response.content.decode()
    rail = body[body.index('<ol class="rail"') :]
    rail = rail[: rail.index("</ol>")]
    found = []
    for state, inside in re.findall(r'<li class="(\w*)">(.*?)</li>', rail, re.DOTALL):
        name, _said, figure, text = re.findall(
            r"<b>(.*?)</b>|<span class=\"(?:sr|figure ?\w*|xs)\">(.*?)</span>", inside, re.DOTALL
        )
        found.append((name[0], state, figure[1].strip(), text[1].strip()))
    return found


def test_an_empty_study_begins_with_its_issues():
    study = factories.make_study()
    owner = factories.make_member(study, Role.OWNER)

    response = overview(owner, study)

    assert stages(response) == [
        ("Harvest", "now", "0", "issues so far"),
        ("Screening", "", "none", "needs the issues of Harvest"),
        ("Pilot", "", "none", "needs the issues of Harvest"),
        ("Taxonomy", "", "none", "no taxonomy yet"),
        ("Training", "", "none", "needs the issues of Harvest"),
        ("Labelling", "", "later", "needs the issues of Harvest"),
        ("Consensus", "", "later", "when issues are complete"),
        ("Report", "", "later", "when issues are complete"),
    ]
    assert "First step 0 issues in this study" in text_of(response)
    assert reverse("harvests", args=[study.slug]) in response.content.decode()


def test_the_next_step_is_a_taxonomy_then_a_round_then_its_opening():
    study = factories.make_study()
    owner = factories.make_member(study, Role.OWNER)
    issues = factories.make_issues(factories.make_repository(study), 2)
    assert "Second step 0 taxonomies to label with" in text_of(overview(owner, study))

    version = factories.make_version(study)
    assert "Third step 0 rounds" in text_of(overview(owner, study))

    planned = factories.make_round(version, issues, [owner], opened=False, name="Pilot one", kind="pilot")
    response = overview(owner, study)
    assert "Pilot one 2 issues planned, not open yet" in text_of(response)
    assert reverse("round", args=[planned.pk]) in response.content.decode()
    viewer = factories.make_member(study, Role.VIEWER)
    assert "not open yet" not in text_of(overview(viewer, study))


def test_after_each_closed_round_a_lead_is_told_to_plan_the_next(world):
    screening = factories.make_round(world.version, world.issues, world.members, kind="screening")
    assert "Next step" not in text_of(overview(world.lead, world.study))
    Round.objects.filter(pk=screening.pk).update(closed_at=timezone.now())
    assert "Next step 0 main rounds or another pilot" in text_of(overview(world.lead, world.study))
    assert "Next step" not in text_of(overview(world.members[0], world.study))

    pilot = factories.make_round(
        world.version, world.issues[:2], [world.lead], kind="pilot", name="First try"
    )
    Round.objects.filter(pk=pilot.pk).update(closed_at=timezone.now())
    response = overview(world.lead, world.study)
    assert "First try 2 issues of the closed pilot" in text_of(response)
    assert reverse("pilot", args=[pilot.pk]) in response.content.decode()

    factories.make_round(world.version, world.issues, world.members, name="Main")
    assert "Next step" not in text_of(overview(world.lead, world.study))


def test_a_screening_neither_names_the_taxonomy_nor_makes_a_report(world):
    relevance = factories.make_version(world.study, ["R", "F"])
    screening = factories.make_round(relevance, world.issues, world.members, kind="screening")
    label_all(replace(world, version=relevance), screening, *["R R R"] * 4)
    found = stages(overview(world.lead, world.study))
    assert found[3] == ("Taxonomy", "done", "v1", "3 types, 9 themes")
    assert found[7] == ("Report", "", "later", "when the kept issues are labelled")


def test_labels_of_a_pilot_are_neither_consensus_nor_report_of_the_study(world):
    pilot = world.round(kind="pilot", name="Pilot")
    label_all(world, pilot, *["C.1 C.2 C.1"] * 4)
    close_round(round_=pilot, by=world.lead)
    text = "when issues of the main round are complete"
    found = stages(overview(world.lead, world.study))
    assert found[6:] == [("Consensus", "", "later", text), ("Report", "", "later", text)]
    assert "Pilot 4 disagreements to decide" in text_of(overview(world.lead, world.study))


def test_labelling_waits_for_a_training_that_its_round_asks_for(world):
    trained = training(world, "C.1", members=world.members)
    assert stages(overview(world.lead, world.study))[5][3] == "no main round"
    world.round(name="Main", opened=False, training=trained)
    assert stages(overview(world.lead, world.study))[5][3] == "needs volunteers who passed Training"


def test_the_way_names_the_newest_taxonomy_until_a_round_labels_with_one():
    study = factories.make_study()
    owner = factories.make_member(study, Role.OWNER)
    factories.make_version(study)
    factories.make_version(study, ["X", "X.1"])
    assert stages(overview(owner, study))[3] == ("Taxonomy", "done", "v1", "1 type, 1 theme")


def test_the_way_of_a_study_under_way(world, labelled):
    pilot = factories.make_round(world.version, world.issues[:2], world.members, kind="pilot", name="Pilot")
    Round.objects.filter(pk=pilot.pk).update(closed_at=timezone.now())

    assert stages(overview(world.lead, world.study)) == [
        ("Harvest", "done", "4", "issues, 1 repository"),
        ("Screening", "", "none", "no screening round"),
        ("Pilot", "done", "2", "issues, closed"),
        ("Taxonomy", "done", "v1", "3 types, 9 themes"),
        ("Training", "", "none", "no training round"),
        ("Labelling", "now", "66.7\N{NO-BREAK SPACE}%", "8 of 12 labels"),
        ("Consensus", "now", "1", "of 1 disagreement to decide"),
        ("Report", "now", "ready", "agreement of 2 issues"),
    ]


def test_the_way_ends_when_all_is_labelled_and_settled(world):
    round_ = world.round()
    label_all(world, round_, *["C.1 C.1 C.1"] * 4)

    assert [stage[:3] for stage in stages(overview(world.members[0], world.study))[3:]] == [
        ("Taxonomy", "done", "v1"),
        ("Training", "", "none"),
        ("Labelling", "done", "100\N{NO-BREAK SPACE}%"),
        ("Consensus", "done", "0"),
        ("Report", "done", "ready"),
    ]


def test_a_stage_that_waits_leads_to_the_one_before(world):
    pilot = world.round(name="Pilot", kind="pilot")
    world.round(name="Main", opened=False)
    response = overview(world.lead, world.study)
    assert stages(response)[2:6] == [
        ("Pilot", "now", "4", "issues, open"),
        ("Taxonomy", "done", "v1", "3 types, 9 themes"),
        ("Training", "", "none", "needs the results of Pilot"),
        ("Labelling", "", "later", "needs the results of Pilot"),
    ]
    rail = response.content.decode().partition('<ol class="rail"')[2].partition("</ol>")[0]
    assert rail.count(f'href="{reverse("round", args=[pilot.pk])}"') == 3


def test_several_planned_rounds_have_not_begun_and_hold_nothing_up(world):
    for name in ("First", "Second"):
        world.round(name=name, kind="pilot", opened=False)
    found = stages(overview(world.lead, world.study))
    assert found[2] == ("Pilot", "", "2 rounds", "0 closed")
    assert found[4] == ("Training", "", "none", "no training round")


def test_a_draft_of_the_taxonomy_shows_and_holds_nothing_up(world):
    act(taxonomy=world.version.taxonomy, kind="add", key=None, values={"name": "New"}, by=world.lead.user)
    found = stages(overview(world.lead, world.study))
    assert found[3] == ("Taxonomy", "now", "v1", "draft of v2")
    assert found[5] == ("Labelling", "", "later", "no main round")


def test_the_way_says_how_much_a_screening_kept():
    world = screening_world()
    round_ = screening(world)
    assert stages(overview(world.lead, world.study))[1] == ("Screening", "now", "7", "issues, open")
    close_round(round_=round_, by=world.lead)
    kept_ = ("Screening", "done", "4", "kept, 57.1\N{NO-BREAK SPACE}% of 7")
    assert stages(overview(world.lead, world.study))[1] == kept_


def test_the_way_says_how_many_passed_a_training(world):
    made = training(world, "C.1", "C.1", members=world.members[:2])
    label_as(world, made, world.members[0], "C.1", "C.1")
    label_as(world, made, world.members[1], "C.2", "C.2")
    assert stages(overview(world.lead, world.study))[4] == ("Training", "now", "2", "1 of 2 passed")
    assert stages(overview(world.members[0], world.study))[4] == ("Training", "now", "2", "issues, open")
    close_round(round_=made, by=world.lead)
    passed = ("Training", "done", "2", "1 of 2 passed")
    assert stages(overview(world.members[0], world.study))[4] == passed
    take_out(made, world.members[1])
    assert stages(overview(world.members[0], world.study))[4][3] == "the 1 volunteer passed"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "issues, ± 5\N{NO-BREAK SPACE}% at 95\N{NO-BREAK SPACE}%"),
        ({"margin": 0.025, "confidence": 0.9}, "issues, ± 2.5\N{NO-BREAK SPACE}% at 90\N{NO-BREAK SPACE}%"),
        ({"own": 2}, "issues, open"),  # too few were drawn for the margin
    ],
)
def test_the_way_says_what_the_sample_of_a_pilot_promises(world, fields, said):
    if "own" in fields:
        fields = {"own": {world.repository.pk: fields["own"]}}
    sample = draw_sample(
        study=world.study, name="Sample", frame=SampleFrame(), by=world.lead, seed=1, **fields
    )
    drawn = issues_from(world.study, f"sample:{sample.pk}")
    chosen = {"selection": {"source": f"sample:{sample.pk}"}}
    world.round(kind="pilot", issues=drawn.order_by("pk"), **chosen)
    assert stages(overview(world.lead, world.study))[2][3] == said


def test_the_way_counts_the_slots_of_an_uneven_round(world, labelled):
    add_volunteer(round_=labelled, member=factories.make_member(world.study, pseudonym="Late"), by=world.lead)

    response = overview(world.lead, world.study)
    assert stages(response)[5] == ("Labelling", "now", "57.1\N{NO-BREAK SPACE}%", "8 of 14 labels")
    assert rows_of_people(response)[-1] == "All 8 57.1 % 8"

    remove_volunteer(round_=labelled, member=world.members[2], by=world.lead)
    assert stages(overview(world.lead, world.study))[5][3] == "8 of 12 labels"


# --- its people


def rows_of_people(response) -> list[str]:
    body = response.content.decode()
    table = body[body.index("<table") : body.index("</table>")]
    rows = re.findall(r"<tr.*?</tr>", table, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]*>", " ", row).split()) for row in rows]


def test_people_stand_in_the_order_of_joining_whatever_they_did(world, labelled):
    with pgtrigger.ignore("rounds.Label:revealed_labels_stay"):
        Label.objects.filter(round=labelled, volunteer=world.members[1]).update(
            submitted_at=timezone.now() - timedelta(days=30)
        )

    rows = rows_of_people(overview(world.members[2], world.study))

    assert rows == [
        "Member Role Labels Of 4 Last 7 days Day by day Seen",
        "Lea Lead lead – does not label in this round never",
        "R1 R1 volunteer 3 75.0 % 3 never",
        "R2 R2 volunteer 3 75.0 % 0 never",
        "R3 R3, you volunteer 2 50.0 % 2 never",
        "All 8 66.7 % 5",
    ]


def test_days_are_drawn_with_their_counts_in_words(world, labelled):
    body = overview(world.lead, world.study).content.decode()

    assert body.count('aria-label="Labels of the last seven days: 0, 0, 0, 0, 0, 0, 3"') == 2
    assert body.count('aria-label="Labels of the last seven days: 0, 0, 0, 0, 0, 0, 2"') == 1


def test_volunteers_who_left_keep_their_row_and_others_go(world, labelled):
    idle = factories.make_member(world.study, pseudonym="Idle")
    Membership.objects.filter(pk__in=[idle.pk, world.members[0].pk]).update(left_at=timezone.now())

    rows = rows_of_people(overview(world.lead, world.study))

    assert "R1 R1 volunteer, has left 3 75.0 % 3 never" in rows
    assert not any("Idle" in row for row in rows)


def test_surplus_labels_and_programs_are_not_counted(world, labelled):
    factories.make_member(world.study, Role.MODEL, pseudonym="M1")
    label = Label.objects.filter(round=labelled, issue=world.issues[2], volunteer=world.members[0])
    label.update(surplus=True, assignment=None)

    rows = rows_of_people(overview(world.lead, world.study))

    assert any(row.startswith("R1 R1 volunteer 2 50.0") for row in rows)
    assert not any("M1" in row for row in rows)


# --- what happened, and what runs


def test_events_and_imports_are_for_who_may_read_them(world, labelled):
    Import.objects.create(study=world.study, kind="issues", name="list.csv", counts={"new": 7, "refused": 2})
    lead, volunteer = (text_of(overview(who, world.study)) for who in (world.lead, world.members[0]))

    assert "Opened the round Main round" in lead
    assert "list.csv issues, 7 new, 2 refused" in lead
    for word in ("Opened the round", "list.csv", "Recent"):
        assert word not in volunteer


def test_a_running_import_shows_its_progress_and_is_polled_alone(world):
    job = Job.objects.create(
        kind="ingest.import", state="running", done=50, total=200, started_at=timezone.now()
    )
    Import.objects.create(study=world.study, kind="issues", name="big.csv", job=job)
    page = overview(world.lead, world.study)
    fragment = overview(world.lead, world.study, HX_Request="true", HX_Target="running")

    assert "Running now" in text_of(page)
    assert 'hx-trigger="every 2s"' in page.content.decode()
    body = fragment.content.decode()
    assert body.lstrip().startswith("<div")
    assert "big.csv" in body
    assert "<h1>" not in body
    Job.objects.filter(pk=job.pk).update(state="done", finished_at=timezone.now())
    ended = overview(world.lead, world.study, HX_Request="true", HX_Target="running").content.decode()
    assert "hx-trigger" not in ended
    forged = overview(world.members[0], world.study, HX_Request="true", HX_Target="running").content.decode()
    assert "big.csv" not in forged


# --- blindness


def test_a_round_that_reveals_at_its_end_shows_no_disagreements_before(world):
    round_ = world.round(reveal="round_closed")
    label_all(world, round_, "C.1 C.2 C.1", "C.1 C.1 C.1")

    said = text_of(overview(world.lead, world.study))
    assert "to decide" not in said + text_of(home(world.lead))
    assert "hidden until it closes" in said
    assert stages(overview(world.lead, world.study))[-1][3] == "when the round closes"

    close_round(round_=round_, by=world.lead)
    assert "1 disagreement to decide" in text_of(home(world.lead))


# --- cost


@pytest.mark.world(issues=2, members=2)
def test_models_are_beside_the_people_and_never_among_them(world):
    owner = factories.make_member(world.study, Role.OWNER)
    empty = text_of(overview(owner, world.study))
    assert "Models compared, never counted No model labels in this study yet. Add model" in empty
    volunteer, study = world.members[0], world.study
    assert "compared, never counted" not in text_of(overview(volunteer, study))
    round_ = world.round()
    model = factories.make_member(study, Role.MODEL, pseudonym="M1")
    label_as_model(round_=round_, member=model, rows=[ModelRow(world.issues[0].pk, "C.1")])
    assert "Models compared, never counted M1 1 label in Round 1" in text_of(overview(volunteer, study))


@pytest.mark.world(issues=2, members=2)
def test_the_labels_of_models_in_other_rounds_are_not_read(world):
    model, other = (factories.make_member(world.study, Role.MODEL) for _ in range(2))
    rounds = [world.round(), world.round()]
    for round_, issues in zip(rounds, (world.issues, world.issues[:1]), strict=True):
        label_as_model(round_=round_, member=model, rows=[ModelRow(issue.pk, "C.1") for issue in issues])
    with connection.cursor() as cursor:
        # As in a large table, in which an index is faster.
        cursor.execute("SET LOCAL enable_seqscan = off")
    before = rows_read("annotate_modellabel")

    assert models_of(world.study, rounds[1]) == [(model, 1), (other, 0)]
    assert rows_read("annotate_modellabel") - before == 1
    assert models_of(world.study, None) == [(model, 0), (other, 0)]


def test_the_overview_needs_as_many_queries_for_three_as_for_one():
    counts = []
    for size in (1, 3):
        world = small_world(issues=size, members=size + 1)
        for number in range(size):
            round_ = world.round(name=f"Round {number}")
            label_all(world, round_, *["C.1 C.2 C.1 C.1"] * size)
            Import.objects.create(study=world.study, kind="issues", name="list.csv", counts={"new": 1})
        factories.make_round(world.version, world.issues, [world.lead])
        counts.append(queries_of(client(world.lead), reverse("study", args=[world.study.slug])))
    assert counts[0] == counts[1] <= 61  # 14 of them for the panel of what is not met


@pytest.mark.world(issues=3, members=1)
def test_the_stage_of_a_round_with_one_label_per_issue_counts_proposed_names(world):
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "C.2")
    world.submit(round_, world.issues[1], world.members[0], "?Flaky driver")
    found = stages(overview(world.lead, world.study))
    assert ("Consensus", "now", "1", "of 1 proposed name open") in found
