"""What volunteers were coached on: left out of rounds by default, with its number, or kept and said."""

import re

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotate.models import LeftOut, Sample, SampleIssue
from ingest.models import Issue
from rounds.errors import RoundRefused
from rounds.models import Round, RoundIssue
from tests import factories
from tests.api.conftest import client_of
from tests.long import only_long
from tests.worlds.pages import client as signed_in
from tests.worlds.planned import form_of, get, plan, post, text_of
from tests.worlds.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=8, members=3)]
PREVIEW = {"HX-Request": "true", "HX-Target": "preview"}


def among(world: World, *places: int):
    return Issue.objects.filter(pk__in=[world.issues[place].pk for place in places]).order_by("pk")


def coached_world(world: World) -> tuple[Round, Round]:
    """A pilot with three of the eight issues and a training with two, one of which both have."""
    pilot = world.round(kind="pilot", name="Pilot", issues=among(world, 0, 1, 2))
    training = world.round(opened=False, kind="training", name="Training", issues=among(world, 2, 3))
    return pilot, training


def preview(world: World, **changes) -> str:
    form = form_of(world, **changes) | {"preview": "1"}
    return text_of(post(world.lead, "new_round", world.study.slug, form=form, **PREVIEW))


def ticked(world: World, **query) -> list[str]:
    page = signed_in(world.lead).get(reverse("new_round", args=[world.study.slug]), query).content.decode()
    return re.findall(r'name="left_out" value="([^"]*)"[^>]*checked', page)


def numbers(round_: Round, world: World) -> list[int]:
    places = {issue.pk: place for place, issue in enumerate(world.issues)}
    return [places[one.issue_id] for one in round_.round_issues.order_by("position")]


@pytest.mark.parametrize("kind", ["pilot", "main"])
def test_pilots_and_trainings_of_the_taxonomy_are_left_out_by_default(world, kind):
    pilot, training = coached_world(world)
    relevance = factories.make_version(world.study, ["R", "F"])
    other = world.round(kind="pilot", name="Of relevance", version=relevance, depth=1, opened=False)
    world.round(name="First main", opened=False)
    main = [f"round:{Round.objects.get(name='First main').pk}"] if kind == "main" else []
    assert ticked(world, kind=kind) == [f"round:{pilot.pk}", f"round:{training.pk}", *main]
    assert ticked(world, kind=kind, version=relevance.pk) == [f"round:{other.pk}"]


def test_a_screening_and_a_training_take_every_issue_by_default(world):
    coached_world(world)
    factories.make_version(world.study, ["R", "F"])
    assert [ticked(world, kind=kind) for kind in ("screening", "training")] == [[], []]


def test_the_preview_is_exact_and_the_plan_keeps_to_it(world):
    pilot, training = coached_world(world)
    left_out = [f"round:{pilot.pk}", f"round:{training.pk}"]
    said = preview(world, left_out=left_out, allocation="k_of_n", labels_per_issue=2)
    assert "issues 4 labels per issue × 2 assignments = 8" in said
    assert "4 issues are left out: 3 of Pilot, 2 of Training. Some issues are in several of these." in said
    assert "stay in this round" not in said
    plan(world, left_out=left_out)
    made = Round.objects.get(name="Main round")
    assert numbers(made, world) == [4, 5, 6, 7]
    assert [(one.value, one.issues) for one in made.left_out.order_by("pk")] == [
        (left_out[0], 3), (left_out[1], 2),
    ]  # fmt: skip
    page = text_of(get(world.members[0], "round", made.pk))
    assert "Left out 3 issues of Pilot, 2 issues of Training" in page
    assert "Coached on" not in page


def test_issues_that_are_kept_are_counted_in_preview_and_on_the_page(world):
    pilot, training = coached_world(world)
    said = preview(world, left_out=[f"round:{training.pk}"])
    assert "issues 6" in said
    assert "2 issues are left out: 2 of Training." in said
    assert "in several of these" not in said
    assert "2 issues of a pilot or training stay in this round. The report shows this" in said
    plan(world, left_out=[f"round:{training.pk}"])
    made = Round.objects.get(name="Main round")
    assert numbers(made, world) == [0, 1, 4, 5, 6, 7]
    page = get(world.lead, "round", made.pk)
    assert "Coached on 2 issues were also in Pilot, where volunteers discussed them" in text_of(page)
    assert f'href="{pilot.get_absolute_url()}"' in page.content.decode()


def test_samples_and_other_rounds_can_be_left_out(world):
    sample = Sample.objects.create(study=world.study, name="Draw", seed=1, plan={}, created_by=world.lead)
    SampleIssue.objects.create(sample=sample, issue=world.issues[5], position=1)
    first = world.round(name="First", issues=among(world, 0, 1))
    assert ticked(world) == [f"round:{first.pk}"]
    plan(world, left_out=[f"sample:{sample.pk}", f"round:{first.pk}"])
    made = Round.objects.get(name="Main round")
    assert numbers(made, world) == [2, 3, 4, 6, 7]
    assert [(one.name, one.issues) for one in made.left_out.order_by("pk")] == [("Draw", 1), ("First", 2)]


def test_a_source_that_is_left_out_whole_is_refused_with_that_reason(world):
    pilot, _training = coached_world(world)
    refused = plan(world, source=f"round:{pilot.pk}", left_out=[f"round:{pilot.pk}"])
    assert refused.status_code == 422
    assert "All issues of this source are left out." in text_of(refused)
    with pytest.raises(RoundRefused) as refusal:
        world.round(left_out=[f"round:{10**9}"])
    assert refusal.value.field == "left_out"
    assert Round.objects.count() == 2


def test_quotas_reckon_with_what_is_left(world):
    pilot, training = coached_world(world)
    left_out = [f"round:{pilot.pk}", f"round:{training.pk}"]
    shared = {"allocation": "k_of_n", "labels_per_issue": 1, "quota": 2}
    assert plan(world, **shared).status_code == 422
    assert plan(world, **shared, left_out=left_out).status_code == 302


@pytest.mark.parametrize("asked", [None, []])
def test_rest_leaves_out_by_default_and_keeps_when_asked(world, asked):
    pilot, training = coached_world(world)
    path = f"/api/v1/studies/{world.study.slug}/rounds/"
    body = {
        "name": "Main round", "taxonomy": world.version.taxonomy_id, "version": 1, "depth": 2,
        "members": [world.members[0].pk],
    }  # fmt: skip
    answer = client_of(world.lead).post(
        path, body if asked is None else body | {"left_out": asked}, format="json"
    )
    assert answer.status_code == 201, answer.json()
    made = Round.objects.get(name="Main round")
    assert answer.json()["left_out"] == (
        [] if asked == [] else [
            {"source": f"round:{pilot.pk}", "name": "Pilot", "issues": 3},
            {"source": f"round:{training.pk}", "name": "Training", "issues": 2},
        ]
    )  # fmt: skip
    assert made.round_issues.count() == (8 if asked == [] else 4)


def test_the_database_keeps_left_out_issues_out(world):
    pilot, _training = coached_world(world)
    made = world.round(opened=False, name="Main round", left_out=[f"round:{pilot.pk}"])
    place = {"round": made, "position": 99}
    with pytest.raises(IntegrityError, match="takes in no issue that it leaves out"), transaction.atomic():
        RoundIssue.objects.create(issue=world.issues[1], **place)
    RoundIssue.objects.filter(round=made, issue=world.issues[4]).delete()
    RoundIssue.objects.create(issue=world.issues[4], **place)
    whole = world.round(opened=False, name="Whole")
    with pytest.raises(IntegrityError, match="takes in no issue that it leaves out"), transaction.atomic():
        LeftOut.objects.create(round=whole, other=pilot, issues=3)
    sample = Sample.objects.create(study=world.study, name="Draw", seed=1, plan={}, created_by=world.lead)
    SampleIssue.objects.create(sample=sample, issue=world.issues[7], position=1)
    for row in ({"sample": sample}, {"other": whole}, {}, {"sample": sample, "other": pilot}):
        with pytest.raises(IntegrityError), transaction.atomic():
            LeftOut.objects.create(round=whole, issues=1, **row)


def test_an_issue_that_comes_into_a_pilot_later_stays_and_is_said(world):
    made = world.round(opened=False, name="Main round", issues=among(world, 0, 1))
    page = text_of(get(world.lead, "round", made.pk))
    assert "Coached on" not in page
    world.round(kind="pilot", name="Late pilot", issues=among(world, 1, 2), opened=False)
    assert "Coached on 1 issue was also in Late pilot" in text_of(get(world.lead, "round", made.pk))


def test_a_second_main_round_takes_only_what_came_since(world):
    first = world.round(name="Main round", issues=among(world, 0, 1, 2), selection={"source": "issues"})
    sample = Sample.objects.create(
        study=world.study, name="Again", seed=1, created_by=world.lead,
        plan={"filter": {"source": f"round:{first.pk}"}},
    )  # fmt: skip
    assert ticked(world) == [f"round:{first.pk}"]
    assert ticked(world, copy=first.pk) == [f"round:{first.pk}"]
    # Who asks for the issues of that round wants them labelled again; nor do other kinds leave them out.
    assert ticked(world, source=f"round:{first.pk}") == ticked(world, source=f"sample:{sample.pk}") == []
    assert ticked(world, kind="pilot") == []
    page = text_of(get(world.lead, "new_round", world.study.slug))
    assert "Volunteers know these issues from a main round. Keep them only to have them labelled" in page
    body = {
        "name": "Grown", "taxonomy": world.version.taxonomy_id, "version": 1, "depth": 2,
        "members": [world.members[0].pk],
    }  # fmt: skip
    path = f"/api/v1/studies/{world.study.slug}/rounds/"
    assert client_of(world.lead).post(path, body, format="json").status_code == 201
    assert numbers(Round.objects.get(name="Grown"), world) == [3, 4, 5, 6, 7]


@only_long
def test_a_plan_says_what_is_hidden_while_issues_are_labelled_again(world):
    world.round(name="First", issues=among(world, 0, 1))
    hidden = "Volunteers of this round see nothing of these issues in other rounds until they have labelled"
    assert hidden not in preview(world, left_out=[f"round:{Round.objects.get().pk}"])
    assert f"This round has issues of other rounds: 2 of First. {hidden}" in preview(world)
    second = world.round(name="Second", opened=False)
    page = get(world.lead, "round", second.pk)
    assert f"2 of First. {hidden}" in text_of(page)
    assert "Issues of other rounds are hidden there until" in page.content.decode()
    assert hidden not in text_of(get(world.members[0], "round", second.pk))
