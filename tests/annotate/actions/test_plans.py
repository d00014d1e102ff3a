"""What a plan refuses, at which field and in which words; and both sides of each rule."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.actions.plans import Plan, refusals
from ingest.models import Issue
from rounds.errors import RoundRefused
from rounds.models import Round, RoundVolunteer
from studies.models import Role, Study
from taxonomy.models import Level
from tests import factories
from tests.worlds.world import World, small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=6, members=3)]

TOO_SMALL = "With these quotas, some issues do not get all of their labels."
NO_QUOTA = "Everyone labels everything in this round, so nobody can have a quota."
RELEVANCE = ["R", "F", "F.1", "F.2"]


def said(world: World, **fields) -> list[tuple[str, str]]:
    """Each field that a plan refuses, with its words; create_round refuses the first of them."""
    plan = {
        "name": "Round",
        "version": world.version,
        "depth": Level.TYPE,
        "issues": Issue.objects.filter(repository__study=world.study),
        "members": world.members,
    } | fields
    found = [(refusal.field, str(refusal.message)) for refusal in refusals(Plan(study=world.study, **plan))]
    before = Round.objects.count()
    if found:
        with pytest.raises(RoundRefused) as first:
            world.round(opened=False, **plan)
        assert (first.value.field, str(first.value.message)) == found[0]
        assert Round.objects.count() == before
    else:
        world.round(opened=False, **plan)
        assert Round.objects.count() == before + 1
    return found


def fields_of(world: World, **fields) -> list[str]:
    """The fields alone."""
    return [field for field, _words in said(world, **fields)]


def test_everything_that_is_wrong_is_said_at_once(world):
    yesterday = timezone.now() - timedelta(days=1)
    assert fields_of(
        world, name="", depth=9, issues=Issue.objects.none(), members=world.members[:1], labels_per_issue=2,
        allocation="k_of_n", lease_minutes=0, rule="majority", majority=5, deadline=yesterday, pass_mark=80,
        drift_percent=51,
    ) == [
        "name", "depth", "issues", "labels_per_issue", "lease_minutes", "majority", "deadline", "pass_mark",
        "drift_percent",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("k", "majority", "words"),
    [
        (3, 2, None),
        (3, 3, None),
        (3, 1, "Of 3 labels, a majority is more than half: 2 to 3."),
        (3, 4, "Of 3 labels, a majority is more than half: 2 to 3."),
        (3, None, "Enter how many equal labels decide an issue: 2 to 3."),
        (2, 1, "Of 2 labels, a majority is more than half: 2 to 2."),
        (2, 2, None),
    ],
)
def test_a_majority_is_more_than_half_and_not_more_than_all(world, k, majority, words):
    found = said(world, allocation="k_of_n", labels_per_issue=k, rule="majority", majority=majority)
    assert found == ([("majority", words)] if words else [])


def test_a_number_of_equal_labels_goes_with_a_majority_only(world):
    words = "The number of equal labels is only for the majority rule. Choose the majority rule, or remove the number."
    assert said(world, majority=2) == [("majority", words)]
    assert said(world, rule="meeting") == []


@pytest.mark.parametrize(
    ("quota", "words"),
    [
        (4, None),
        (3, f"{TOO_SMALL} Give each volunteer a quota of 4 or more."),
        (0, "A quota is one label or more. Leave the field empty for no quota."),
        (2**31, "A quota is one label or more. Leave the field empty for no quota."),
    ],
)
def test_quotas_fill_the_round(world, quota, words):
    found = said(world, allocation="k_of_n", labels_per_issue=2, quota=quota)
    assert found == ([("quota", words)] if words else [])


def test_a_quota_of_each_volunteer_is_stored(world):
    first, second, third = world.members
    made = world.round(
        opened=False, allocation="k_of_n", labels_per_issue=2, quota={first.pk: 2, second.pk: 5}
    )
    stored = RoundVolunteer.objects.filter(round=made).order_by("column").values_list("member", "quota")
    assert list(stored) == [(first.pk, 2), (second.pk, 5), (third.pk, None)]
    # Nobody labels an issue twice: the one without a quota gives six labels at most, the others six more.
    [(field, words)] = said(world, allocation="k_of_n", labels_per_issue=2, quota={first.pk: 2, second.pk: 3})
    assert (field, "a quota of 3 or more" in words) == ("quota", True)


def test_nobody_has_a_quota_where_everyone_labels_everything(world):
    assert said(world, quota=6) == [
        ("quota", f"{NO_QUOTA} Remove the quota, or choose “k volunteers per issue”.")
    ]


def test_a_screening_excludes_a_type_of_its_version(world):
    relevance = factories.make_version(world.study, RELEVANCE)
    one_type = factories.make_version(world.study, ["F", "F.1"])
    screening = {"kind": "screening", "version": relevance}
    false, reason = factories.category(relevance, "F"), factories.category(relevance, "F.1")
    assert said(world, **screening, excludes=false) == []
    assert said(world, **screening, name="2") == [
        ("excludes", "Choose the type that excludes an issue from the study: one of R, F.")
    ]
    not_a_type = f"The excluded category is not a type of {relevance}. Choose one of R, F."
    assert said(world, **screening, name="2", excludes=reason) == [("excludes", not_a_type)]
    elsewhere = factories.category(world.version, "A")
    assert said(world, **screening, name="2", excludes=elsewhere) == [("excludes", not_a_type)]
    of_one = {"version": one_type, "excludes": factories.category(one_type, "F")}
    assert fields_of(world, kind="screening", name="2", **of_one) == ["version"]
    assert said(world, version=relevance, name="2", excludes=false) == [
        ("excludes", "Only a screening excludes issues. Plan a screening, or remove the excluded type.")
    ]


@pytest.mark.parametrize(("mark", "refused"), [(1, False), (100, False), (0, True), (101, True)])
def test_a_pass_mark_is_a_percentage(world, mark, refused):
    found = said(world, kind="training", pass_mark=mark)
    assert found == ([("pass_mark", "The pass mark is a percentage: 1 to 100.")] if refused else [])


def test_everyone_can_finish_a_training(world):
    training = {"kind": "training", "name": "Training"}
    assert fields_of(world, **training, allocation="k_of_n", labels_per_issue=2) == ["allocation"]
    assert fields_of(world, **training, reveal="issue_complete") == ["reveal"]
    assert said(world, **training) == said(world, kind="training", reveal="round_closed") == []
    assert said(world, name="Pilot", kind="pilot", allocation="k_of_n", labels_per_issue=2) == []
    reveal = dict(Round.objects.values_list("name", "reveal"))
    assert reveal == {"Training": "round_closed", "Round": "round_closed", "Pilot": "issue_complete"}


def test_only_a_training_has_a_pass_mark(world):
    words = "Only a training has a pass mark. Plan a training, or remove the pass mark."
    assert said(world, pass_mark=80) == [("pass_mark", words)]
    assert said(world, kind="training") == []


def test_the_training_to_be_passed_is_a_training_of_this_study(world):
    training = world.round(opened=False, name="First training", kind="training", pass_mark=80)
    assert said(world, training=training) == []
    assert said(world, kind="training", name="Second training", training=training) == []
    main = Round.objects.get(name="Round")
    assert said(world, name="Next", training=main) == [
        ("training", "Round is not a training. Choose a training, or no training.")
    ]
    other = small_world(issues=1)
    elsewhere = other.round(opened=False, kind="training")
    assert said(world, name="Next", training=elsewhere) == [
        ("training", "This training belongs to another study. Choose a training of this study.")
    ]


@pytest.mark.parametrize(
    ("kind", "percent", "hours", "field"),
    [
        ("main", 50, 1, None),
        ("pilot", 1, 24, None),
        ("main", 51, 24, "drift_percent"),
        ("main", -1, 24, "drift_percent"),
        ("main", 10, 0, "drift_hours"),
        ("main", 10, 8761, "drift_hours"),
        ("main", 0, 0, None),
        ("training", 10, 24, "drift_percent"),
        ("screening", 10, 24, "drift_percent"),
        ("training", 0, 24, None),
    ],
)
def test_a_drift_check_repeats_a_part_of_pilot_and_main_rounds(world, kind, percent, hours, field):
    screening = {"excludes": world.category("C")} if kind == "screening" else {}
    found = fields_of(world, kind=kind, drift_percent=percent, drift_hours=hours, **screening)
    assert found == ([field] if field else [])


def test_a_deadline_lies_ahead(world):
    now = timezone.now()
    assert said(world, deadline=now - timedelta(seconds=1)) == [
        ("deadline", "This deadline is in the past. Choose a later day.")
    ]
    assert said(world, deadline=now + timedelta(hours=1)) == []


def test_only_what_can_be_labelled_is_planned(world):
    other, flat = small_world(), factories.make_version(world.study, ["A", "B"])
    for refused, field in (
        ({"name": "x" * 121}, "name"),
        ({"version": factories.make_version(world.study, published=False)}, "version"),
        ({"version": factories.make_version(world.study, [])}, "version"),
        ({"version": other.version}, "version"),
        ({"depth": 4}, "depth"),
        ({"issues": Issue.objects.all()}, "issues"),
        ({"lease_minutes": 0}, "lease_minutes"),
        ({"members": []}, "members"),
        ({"allocation": "k_of_n", "labels_per_issue": 4}, "labels_per_issue"),
        ({"allocation": "k_of_n", "labels_per_issue": 0}, "labels_per_issue"),
        ({"allocation": "k_of_n"}, "labels_per_issue"),
        ({"allocation": "crossed", "labels_per_issue": 2}, "labels_per_issue"),
    ):
        assert fields_of(world, **refused) == [field], refused
    too_deep = "This taxonomy does not have this level. Its deepest level is the type."
    assert said(world, version=flat, depth=Level.THEME) == [("depth", too_deep)]
    assert said(world, version=flat, depth=Level.TYPE) == []
    assert said(world, name="As deep", depth=Level.SUB_THEME) == []
    assert said(world, name="All three", allocation="k_of_n", labels_per_issue=3) == []


def test_only_who_labels_in_the_study_is_planned_with(world):
    unfit = [
        factories.make_member(world.study, Role.MODEL),
        factories.make_member(world.study, Role.VIEWER),
        factories.make_member(world.study, left_at="2025-01-01T00:00Z"),
        small_world().members[0],
        world.members[0],  # twice
    ]
    for member in unfit:
        assert fields_of(world, members=[*world.members, member]) == ["members"]
    owner = factories.make_member(world.study, Role.OWNER, pseudonym="Owner")
    assert said(world, members=[owner, world.lead, *world.members]) == []


def test_a_name_is_used_once_in_a_study_and_stored_without_stray_spaces(world):
    assert world.round(opened=False, name="  Main \n one ").name == "Main one"
    assert fields_of(world, name="Main one") == ["name"]
    assert small_world(issues=1).round(opened=False, name="Main one").name == "Main one"


def test_a_round_keeps_all_of_its_plan(world):
    soon = timezone.now() + timedelta(days=3)
    training = world.round(opened=False, kind="training", pass_mark=70)
    made = world.round(
        opened=False, order="by_repository", rule="majority", majority=2, deadline=soon, training=training,
        drift_percent=10, drift_hours=48, selection={"source": "issues"},
    )  # fmt: skip
    assert Round.objects.values_list(
        "order", "rule", "majority", "deadline", "training", "drift_percent", "drift_hours", "selection",
        "pass_mark", "excludes",
    ).get(pk=made.pk) == (
        "by_repository", "majority", 2, soon, training.pk, 10, 48, {"source": "issues"}, None, None,
    )  # fmt: skip
    assert Round.objects.get(pk=training.pk).pass_mark == 70
    assert Study.objects.get().rounds.count() == 2
