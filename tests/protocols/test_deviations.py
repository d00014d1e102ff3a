"""Each kind of deviation: made to happen, and not."""

import pytest

from annotate.actions.rounds import close_round
from annotate.actions.samples import draw_sample
from annotate.actions.volunteers import remove_volunteer
from annotate.queries.samples import SampleFrame
from findings.actions.evidence import attach_number
from findings.actions.findings import add_finding, freeze_finding
from ingest.models import Issue
from protocols.deviations import KINDS
from protocols.queries.deviations import deviations_of
from protocols.queries.prefill import named
from rounds.models import Round
from taxonomy.models import Level, Version
from tests import factories
from tests.kept import kept
from tests.protocols.plans import found, frozen
from tests.worlds.pages import cost, label_all
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db
EQUAL = ("A.1 A.1 A.1", "B.1 B.1 B.1", "C.1 C.1 C.1", "A.1 A.1 A.1")
APART = ("A.1 B.1 C.1", "B.1 C.1 A.1", "C.1 A.1 B.1", "A.1 B.1 A.1")


@kept
def world() -> World:
    return small_world(issues=4, members=3)


def moment(at) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def test_without_a_frozen_protocol_there_is_nothing_to_compare(world):
    world.round()
    assert deviations_of(world.lead, world.study) == []


def test_a_study_that_goes_as_planned_has_none(world):
    frozen(
        world, raters=3, per_issue=3, size=4, order="shuffled", reveal="issue_complete", rule="unanimous",
        level="theme", coefficient="fleiss_kappa", threshold=0.6, main_rounds=1, pilots=0, coached="left out",
        taxonomy=named(world.version),
    )  # fmt: skip
    round_ = world.round()
    label_all(world, round_, *EQUAL)
    close_round(round_=round_, by=world.lead)
    assert found(world) == []


def test_an_empty_field_is_compared_with_nothing(world):
    frozen(world)
    round_ = world.round()
    label_all(world, round_, *APART)
    close_round(round_=round_, by=world.lead)
    assert found(world) == []


def test_fewer_volunteers_than_planned(world):
    frozen(world, raters=3)
    round_ = world.round()
    assert found(world) == []
    remove_volunteer(round_=round_, member=world.members[2], by=world.lead)
    assert found(world) == [("raters", "3", "2 (1 left the round)")]


def test_another_number_of_labels_per_issue(world):
    frozen(world, per_issue=2, raters=3)
    world.k_of_n(2)
    assert found(world) == []
    world.round(name="Crossed")
    assert found(world) == [("per_issue", "2", "3")]


def test_another_version_of_the_taxonomy(world):
    other = factories.make_version(world.study)
    frozen(world, taxonomy=named(world.version))
    world.round()
    assert found(world) == []
    world.round(name="Other", version=other)
    assert found(world) == [("taxonomy", named(world.version), named(other))]


def test_another_decision_rule_or_majority(world):
    frozen(world, rule="majority", majority=2)
    world.round(name="As planned", rule=Round.Rule.MAJORITY, majority=2)
    assert found(world) == []
    world.round(name="Three", rule=Round.Rule.MAJORITY, majority=3)
    world.round(name="Meeting", rule=Round.Rule.MEETING)
    planned = "a majority of the labels (at least 2)"
    assert found(world) == [
        ("rule", planned, "a majority of the labels (at least 3)"),
        ("rule", planned, "a meeting settles what is not unanimous"),
    ]


def test_another_number_of_issues(world):
    frozen(world, size=4)
    world.round()
    assert found(world) == []
    world.round(name="Small", issues=Issue.objects.filter(pk=world.issues[0].pk))
    assert found(world) == [("size", "4", "1")]


def test_another_seed_or_no_sample(world):
    frozen(world, seed=5)
    for seed in (5, 6):
        drawn = draw_sample(
            study=world.study, by=world.lead, name=f"Seed {seed}", frame=SampleFrame(), seed=seed
        )
        world.round(name=f"Round {seed}", selection={"source": f"sample:{drawn.pk}"})
    world.round(name="All")
    assert found(world) == [
        ("seed", "5", "6"),
        ("seed", "5", "the issues of the round are no sample"),
    ]


def test_another_order_and_reveal(world):
    frozen(world, order="shuffled", reveal="round_closed")
    world.round(name="As planned", reveal=Round.Reveal.ROUND_CLOSED)
    assert found(world) == []
    world.round(name="Other", order=Round.Order.BY_REPOSITORY)
    assert found(world) == [
        ("order", "shuffled", "by repository"),
        ("reveal", "when the round closes", "when the issue is complete"),
    ]


def test_issues_of_a_pilot_in_a_main_round(world):
    frozen(world, coached="left out")
    world.round(name="Pilot", kind=Round.Kind.PILOT, issues=Issue.objects.filter(pk=world.issues[0].pk))
    rest = Issue.objects.filter(pk__in=[one.pk for one in world.issues[1:]]).order_by("pk")
    world.round(name="Apart", issues=rest)
    assert found(world) == []
    world.round(name="Both")
    assert found(world) == [("coached", "left out of main rounds", "1 issue kept")]


def test_issues_of_a_pilot_that_the_plan_keeps(world):
    frozen(world, coached="kept")
    world.round(name="Pilot", kind=Round.Kind.PILOT)
    world.round(name="Both")
    assert found(world) == []


def test_more_rounds_than_planned(world):
    frozen(world, main_rounds=1, pilots=0)
    world.round(name="One")
    world.round(name="A plan", opened=False)
    assert found(world) == []
    world.round(name="Two")
    world.round(name="Pilot", kind=Round.Kind.PILOT)
    assert found(world) == [("unplanned", "0", "1 (Pilot)"), ("unplanned", "1", "2 (One, Two)")]


def test_another_level(world):
    frozen(world, level="theme")
    world.round(depth=Level.THEME)
    assert found(world) == []
    world.round(depth=Level.TYPE)
    assert found(world) == [("level", "theme", "type")]


def test_a_finding_that_rests_on_another_number(world):
    frozen(world, level="theme", coefficient="fleiss_kappa")
    round_ = world.round()
    label_all(world, round_, *APART)
    drafted = {}
    for level, name in (("theme", "fleiss_kappa"), ("type", "gwet_ac1")):
        drafted[level] = add_finding(study=world.study, text="It is {1}.", by=world.lead)
        attach_number(
            finding=drafted[level], round_=round_, level=level, figure=["groups", "all", name], by=world.lead
        )
    # A finding that is a draft is read by leads alone.
    assert found(world) == []
    freeze_finding(finding=drafted["theme"], by=world.lead)
    assert found(world) == []
    freeze_finding(finding=drafted["type"], by=world.lead)
    [one] = deviations_of(world.members[0], world.study)
    assert (one.kind, one.planned, one.happened) == (
        "reported", "theme, Fleiss’ kappa", "type, Gwet’s AC1",
    )  # fmt: skip
    assert one.url == drafted["type"].get_absolute_url()


def test_a_round_opened_and_labelled_before_the_protocol(world):
    round_ = world.round()
    label_all(world, round_, *EQUAL)
    made = frozen(world)
    first = round_.labels.order_by("submitted_at")[0].submitted_at
    assert found(world) == [
        (
            "opened",
            "protocol frozen before the round opens",
            f"opened {moment(round_.opened_at)}, frozen {moment(made.frozen_at)}",
        ),
        (
            "late",
            "protocol frozen before the first label",
            f"first label {moment(first)}, frozen {moment(made.frozen_at)}",
        ),
    ]


def test_a_round_opened_before_the_protocol_and_labelled_after(world):
    round_ = world.round()
    frozen(world)
    label_all(world, round_, *EQUAL)
    close_round(round_=round_, by=world.lead)
    assert [one[0] for one in found(world)] == ["opened"]


def test_before_reveal_nobody_learns_whether_labels_came_first(world):
    empty, labelled = world.round(name="Empty"), world.round(name="Labelled")
    label_all(world, labelled, "A.1 B.1 -")
    frozen(world)
    for member in (world.lead, world.members[0], None):
        told = {one.about: one for one in deviations_of(member, world.study) if one.kind == "late"}
        assert set(told) == {"Empty", "Labelled"}
        assert {(one.happened, one.is_hidden) for one in told.values()} == {("shown after reveal", True)}
    close_round(round_=labelled, by=world.lead)
    close_round(round_=empty, by=world.lead)
    assert [one.about for one in deviations_of(None, world.study) if one.kind == "late"] == ["Labelled"]


def test_who_still_labels_an_issue_elsewhere_is_told_later(world):
    round_ = world.round()
    label_all(world, round_, *APART)
    frozen(world, threshold=0.6, coefficient="fleiss_kappa", level="theme")
    close_round(round_=round_, by=world.lead)
    world.waits_for(world.members[0], *world.issues)
    other, blind = (
        {one.kind: one for one in deviations_of(member, world.study) if one.about == round_.name}
        for member in (world.members[1], world.members[0])
    )
    assert (other["threshold"].is_hidden, other["late"].is_hidden) == (False, False)
    assert (blind["threshold"].happened, blind["late"].happened) == ("shown after reveal",) * 2


def test_a_protocol_that_changed_while_a_round_was_open(world):
    frozen(world, raters=3)
    frozen(world, raters=3, level="theme", reason="Before the round.")
    assert found(world) == []
    world.round()
    frozen(world, raters=2, level="theme", reason="One left.")
    [one] = deviations_of(world.lead, world.study)
    assert (one.kind, one.happened) == ("changed", "version 3 changed: Volunteers per main round")
    assert (one.reason.text, one.reason.by) == ("One left.", "Lead")


def test_a_round_is_compared_with_the_version_that_was_in_force(world):
    frozen(world, raters=3)
    world.round(name="First")
    frozen(world, raters=2)
    world.round(name="Second", members=world.members[:2])
    assert [one for one in found(world) if one[0] == "raters"] == []


@pytest.mark.parametrize(("rows", "expected"), [(EQUAL, []), (APART, ["threshold"])])
def test_a_threshold_that_was_reached_or_not(world, rows, expected):
    frozen(world, threshold=0.6, coefficient="fleiss_kappa", level="theme")
    round_ = world.round()
    label_all(world, round_, *rows)
    # While the round is open the value is not final.
    assert found(world) == []
    close_round(round_=round_, by=world.lead)
    got = found(world)
    assert [one[0] for one in got] == expected
    if expected:
        # Of 12 labels 5 are A.1, 4 B.1 and 3 C.1: (1/12 − 50/144) / (1 − 50/144).
        assert got[0][1:] == ("Fleiss’ kappa at least 0.600", "−0.404")


def test_a_coefficient_that_is_undefined_has_not_reached_its_threshold(world):
    frozen(world, threshold=0.6, coefficient="fleiss_kappa", level="theme")
    close_round(round_=world.round(), by=world.lead)
    assert found(world) == [("threshold", "Fleiss’ kappa at least 0.600", "undefined")]


def test_an_imported_round_is_not_compared(world):
    frozen(world, raters=7)
    round_ = world.round()
    Round.objects.filter(pk=round_.pk).update(closed_at=round_.opened_at)
    assert found(world) == []


def test_every_kind_has_its_name():
    assert len(set(map(str, KINDS.values()))) == len(KINDS)


def test_queries_do_not_grow_with_rounds(world):
    frozen(world, raters=7, threshold=0.9, coefficient="fleiss_kappa", seed=1)
    for name in ("One", "Two"):
        round_ = world.round(name=name)
        label_all(world, round_, *APART)
        close_round(round_=round_, by=world.lead)
    deviations_of(world.lead, world.study)
    before = cost(lambda: deviations_of(world.lead, world.study))
    for name in ("Three", "Four"):
        round_ = world.round(name=name)
        label_all(world, round_, *APART)
        close_round(round_=round_, by=world.lead)
    deviations_of(world.lead, world.study)
    assert cost(lambda: deviations_of(world.lead, world.study)) == before
    assert Version.objects.filter(taxonomy__study=world.study).count() == 1
