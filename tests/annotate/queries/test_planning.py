"""The sources of a round's issues, what a screening left, and the pace of a team."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.models import Sample, SampleIssue
from annotate.queries.planning import (
    EVERY_ISSUE,
    IssueSource,
    ScreeningCounts,
    defaults,
    issues_from,
    screened,
    sources,
    team_pace,
)
from ingest.models import SavedFilter
from rounds.models import Label, Round
from studies.models import Role
from taxonomy.models import Level
from tests import factories
from tests.worlds.pages import client, text_of
from tests.worlds.world import World, small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4)]


def screening(world: World, *rows: str, close: bool = True, members: int = 2) -> Round:
    """A screening whose issues got these labels: "FF" excluded by both, "RF" undecided; "" without labels."""
    relevance = factories.make_version(world.study, ["R", "F", "F.1"])
    made = world.round(
        name="Screening", kind="screening", version=relevance, depth=Level.TYPE,
        excludes=factories.category(relevance, "F"), members=world.members[:members],
    )  # fmt: skip
    for issue, row in zip(world.issues, rows, strict=False):
        for member, code in zip(world.members, row, strict=False):
            replace(world, version=relevance).submit(made, issue, member, code)
    return close_round(round_=made, by=world.lead) if close else made


def test_a_study_begins_with_all_of_its_issues(world):
    assert sources(world.study) == [IssueSource("issues", "All issues of the study")]
    assert list(issues_from(world.study, "issues")) == world.issues


def test_filters_samples_rounds_and_closed_screenings_are_sources(world):
    saved = SavedFilter.objects.create(study=world.study, name="Of 2024", query={"year": "2024"})
    sample = Sample.objects.create(study=world.study, name="Draw", seed=1, plan={}, created_by=world.lead)
    open_ = screening(world, close=False)
    assert [source.value for source in sources(world.study)] == [
        "issues", f"filter:{saved.pk}", f"sample:{sample.pk}", f"round:{open_.pk}",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="kept"):
        issues_from(world.study, f"kept:{open_.pk}")
    close_round(round_=open_, by=world.lead)
    assert [(source.value, source.name, source.group) for source in sources(world.study)][3:] == [
        (f"kept:{open_.pk}", "Screening", "Issues that a screening kept"),
        (f"round:{open_.pk}", "Screening", "Issues of another round"),
    ]
    assert [source.choice for source in sources(world.study)] == [
        "All issues of the study", "Saved filter “Of 2024”", "Sample “Draw”", "Kept by “Screening”",
        "Issues of “Screening”",
    ]  # fmt: skip


def test_the_issues_of_each_source(world):
    factories.make_issue(world.repository, year=2024)
    old, drawn = factories.make_issue(world.repository, year=2019), world.issues[2]
    saved = SavedFilter.objects.create(study=world.study, name="Old", query={"year": "2019"})
    sample = Sample.objects.create(study=world.study, name="Draw", seed=1, plan={}, created_by=world.lead)
    SampleIssue.objects.create(sample=sample, issue=drawn, position=1)
    round_ = world.round(issues=issues_from(world.study, f"sample:{sample.pk}"))
    assert list(issues_from(world.study, f"filter:{saved.pk}")) == [old]
    assert list(issues_from(world.study, f"sample:{sample.pk}")) == [drawn]
    assert list(issues_from(world.study, f"round:{round_.pk}")) == [drawn]


@pytest.mark.parametrize("value", ["", "all", "issues:1", "sample:9", "filter:x", "round:", f"kept:{10**30}"])
def test_what_is_no_source_is_refused(world, value):
    with pytest.raises(ValueError, match=f"^{re.escape(value)}$"):
        issues_from(world.study, value)


def test_sources_of_other_studies_are_none(world):
    other = small_world(issues=1)
    theirs = other.round()
    sample = Sample.objects.create(study=other.study, name="Draw", seed=1, plan={}, created_by=other.lead)
    saved = SavedFilter.objects.create(study=other.study, name="Theirs")
    for value in (f"round:{theirs.pk}", f"sample:{sample.pk}", f"filter:{saved.pk}"):
        with pytest.raises(ValueError, match=value):
            issues_from(world.study, value)
    assert len(sources(world.study)) == 1


def test_what_a_screening_kept_is_all_but_the_excluded(world):
    made = screening(world, "FF", "RF", "RR", "F")
    _excluded, split, kept, incomplete = world.issues
    assert list(issues_from(world.study, f"kept:{made.pk}")) == [split, kept, incomplete]
    assert screened(made) == ScreeningCounts(kept=3, excluded=1, undecided=2)


# --- pace


def give(world: World, round_: Round, member, seconds: list[float]) -> None:
    """Labels of one volunteer, so many seconds apart."""
    at = timezone.now() - timedelta(days=1)
    for issue, gap in zip(world.issues, [0, *seconds], strict=False):
        at += timedelta(seconds=gap)
        label = world.submit(round_, issue, member, "C.2").label
        Label.objects.filter(pk=label.pk).update(submitted_at=at)


def test_the_pace_is_the_median_gap_without_pauses():
    world = small_world(issues=25, members=2)
    round_ = world.round(reveal="round_closed")
    assert team_pace(world.study, "main") is None
    give(world, round_, world.members[0], [30] * 11 + [3600] + [50] * 12)
    assert team_pace(world.study, "main") == 50.0
    assert team_pace(world.study, "screening") == 50.0
    give(world, round_, world.members[1], [40] * 24)
    assert team_pace(world.study, "main") == 40.0
    assert team_pace(small_world(issues=1).study, "main") is None


def test_the_hours_of_a_plan_follow_from_the_seconds_that_it_names():
    world = small_world(issues=25, members=1)
    give(world, world.round(reveal="round_closed"), world.members[0], [1.4] * 24)
    page = text_of(client(world.lead).get(reverse("new_round", args=[world.study.slug]), {"kind": "pilot"}))
    assert "25 s of labelling in total, 25 s for each volunteer. This assumes 1 s a label" in page


def test_a_kind_with_labels_of_its_own_has_a_pace_of_its_own():
    world = small_world(issues=25, members=1)
    for kind, seconds in (("main", 60), ("pilot", 20)):
        give(world, world.round(kind=kind, reveal="round_closed"), world.members[0], [seconds] * 24)
    assert [team_pace(world.study, kind) for kind in ("main", "pilot", "training")] == [60.0, 20.0, 40.0]


@pytest.mark.parametrize(("gaps", "pace"), [(19, None), (24, 30.0)])
def test_too_few_gaps_and_imported_labels_have_no_pace(gaps, pace):
    world = small_world(issues=25, members=1)
    give(world, world.round(reveal="round_closed"), world.members[0], [30] * gaps)
    assert team_pace(world.study, "main") == pace
    type(world.members[0]).objects.filter(pk=world.members[0].pk).update(user=None)
    assert team_pace(world.study, "main") is None


# --- what the form starts with


def test_the_defaults_of_each_kind(world):
    relevance = factories.make_version(world.study, ["R", "F", "F.1"])
    world.round(opened=False, name="Pilot")
    found = {kind: defaults(world.study, Round.Kind(kind), world.lead) for kind in Round.PLANNED}
    volunteers = [member.pk for member in world.members]
    assert {kind: (d["name"], d["version"], d["depth"], d["members"]) for kind, d in found.items()} == {
        "screening": ("Screening", relevance.pk, Level.TYPE, volunteers),
        "pilot": ("Pilot 2", world.version.pk, Level.THEME, [world.lead.pk]),
        "training": ("Training", world.version.pk, Level.THEME, volunteers),
        "main": ("Main round", world.version.pk, Level.THEME, volunteers),
    }
    assert found["screening"]["excludes"] == factories.category(relevance, "F").pk
    assert found["training"]["pass_mark"] == 80


def test_what_a_closed_screening_kept_and_the_newest_training_come_first(world):
    excludes = factories.category(world.version, "C")
    screening = world.round(kind="screening", name="Screening", depth=Level.TYPE, excludes=excludes)
    training = world.round(kind="training", opened=False, name="Training")
    Round.objects.filter(pk=training.pk).update(opened_at=timezone.now())
    planned = world.round(kind="training", opened=False, name="Second training")
    before = defaults(world.study, Round.Kind.MAIN, world.lead)
    assert (before["source"], before["training"]) == (EVERY_ISSUE, training.pk)
    Round.objects.filter(pk=screening.pk).update(closed_at=timezone.now())
    Round.objects.filter(pk=planned.pk).update(opened_at=timezone.now())
    started = {kind: defaults(world.study, Round.Kind(kind), world.lead) for kind in Round.PLANNED}
    assert {kind: (d["source"], d["training"]) for kind, d in started.items()} == {
        "screening": (EVERY_ISSUE, None),
        "pilot": (f"kept:{screening.pk}", None),
        "training": (f"kept:{screening.pk}", None),
        "main": (f"kept:{screening.pk}", planned.pk),
    }


def test_the_newest_version_of_the_taxonomy_used_last_comes_first(world):
    factories.make_version(world.study, ["A", "B"])
    later = factories.make_version(world.study, taxonomy=world.version.taxonomy)
    world.round(opened=False)
    assert defaults(world.study, Round.Kind.MAIN, world.lead)["version"] == later.pk
    asked = defaults(world.study, Round.Kind.MAIN, world.lead, str(world.version.pk))
    assert asked["version"] == world.version.pk


def test_a_flat_taxonomy_is_compared_by_type():
    world = small_world(issues=1)
    flat = factories.make_version(world.study, ["A", "B"])
    started = defaults(world.study, Round.Kind.MAIN, world.lead, str(flat.pk))
    assert (started["version"], started["depth"]) == (flat.pk, Level.TYPE)
    factories.make_member(world.study, Role.VIEWER, pseudonym="V1")
    assert started["members"] == [member.pk for member in world.members]
