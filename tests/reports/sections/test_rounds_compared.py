"""The rounds of a study side by side: each as its own report says, blind for who still has to label."""

import json
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotate.actions.rounds import close_round
from replication.package import write_package
from reports.actions.weights import set_weights
from reports.agreement_report import agreement_report
from reports.formats.json_report import report_as_dict
from reports.queries.weighted import weighted_report, weighted_rounds
from reports.sections.registry import TABLES
from rounds.models import Round
from rounds.queries.blindness import Reader, withheld_issues
from taxonomy.models import CategoryState, Level, Version
from tests import factories
from tests.kept import kept
from tests.worlds.pages import client, label_all, text_of
from tests.worlds.recomputed import summary
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4)]

SHELL = Reader(None)


@kept
def pilot(world) -> Round:
    """Two issues: all agree, and two of three."""
    round_ = world.round(name="Pilot", kind=Round.Kind.PILOT)
    label_all(world, round_, "C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 - -")
    return round_


@kept
def main(world, pilot) -> Round:
    round_ = world.round(name="Main round")
    label_all(world, round_, "A.1 A.1 A.1", "C.1 C.1 C.2", "C.2 C.2 C.2")
    return round_


def by_round(round_, reader=SHELL, **fields):
    if "blind" not in fields:
        fields["blind"] = withheld_issues(round_, reader.member if reader else None)
    return agreement_report(round_, by=[["round"]], reader=reader, **fields)


def test_each_round_says_what_its_own_report_says(pilot, main):
    found = by_round(main)

    assert [one.round.name for one in found.rounds] == ["Pilot", "Main round"]
    own = agreement_report(pilot).overall
    assert found.rounds[0].agreement.coefficients == own.coefficients
    assert found.rounds[0].agreement.pairs == own.pairs
    assert found.rounds[1].agreement == found.overall
    # Of the pilot: pairs 3/3 and 1/3; shares 5/6 and 1/6.
    observed, expected = (1 + 1 / 3) / 2, (5 / 6) ** 2 + (1 / 6) ** 2
    kappa = found.rounds[0].agreement.coefficients["fleiss_kappa"]
    assert kappa.value == pytest.approx((observed - expected) / (1 - expected))
    assert [(group.key, group.agreement.issues) for group in found.by("round")] == [
        ({"round": "Pilot"}, 2), ({"round": "Main round"}, 3),
    ]  # fmt: skip
    table = TABLES["rounds"](found)
    assert table.columns[:6] == ("round", "kind", "taxonomy_version", "issues", "labels", "percent_agreement")
    assert table.rows[0][:7] == ("Pilot", "pilot", 1, 2, 6, pytest.approx(observed), kappa.value)


def test_k_of_n_rounds_compare_no_pairs_and_count_who_labelled(world, main):
    round_ = world.k_of_n(2, name="Two each")
    label_all(world, round_, "C.1 C.1", "C.1 C.2")
    found = by_round(main).rounds[-1].agreement
    own = agreement_report(round_).overall
    assert (found.coefficients, found.raters, found.pairs) == (own.coefficients, 2, own.pairs)


def test_other_taxonomies_other_studies_trainings_and_planned_rounds_are_not_compared(world, pilot, main):
    world.round(name="Planned", opened=False)
    label_all(other := small_world(issues=1), other.round(), "C.1 C.1 C.1")
    answers = factories.make_round(world.version, world.issues[:1], world.members, name="T", kind="training")
    world.version = factories.make_version(world.study)
    label_all(world, world.round(name="Other words"), "C.1 C.1 C.1")
    assert answers.opened_at
    assert [one.round.pk for one in by_round(main).rounds] == [pilot.pk, main.pk]


def test_another_version_is_read_with_its_own_tree(world, main):
    """In version 2 the category C.2 is A.3: the same label counts for type A there."""
    old = world.version
    version = factories.make_version(
        world.study, ["A", "A.1", "C", "C.1"], taxonomy=old.taxonomy, published=False
    )
    CategoryState.objects.create(
        version=version,
        category=factories.category(old, "C.2"),
        parent=factories.category(version, "A"),
        level=Level.THEME,
        code="A.3",
        position=9,
    )
    Version.objects.filter(pk=version.pk).update(published_at=timezone.now())
    version.refresh_from_db()
    world.version = version
    round_ = world.round(name="Second version")
    label_all(world, round_, "A.3 A.1 A.3", "C.1 C.1 C.1")

    found = by_round(main, level=Level.TYPE)

    assert [(one.round.name, one.round.version.number) for one in found.rounds][-1] == ("Second version", 2)
    assert found.rounds[-1].agreement.coefficients["percent_agreement"].value == 1.0
    assert [one.code for one in found.rounds[-1].agreement.categories] == ["A", "C"]
    themes = by_round(main).rounds[-1].agreement
    assert themes.coefficients["percent_agreement"].value == pytest.approx((1 / 3 + 1) / 2)


def test_a_version_without_the_level_says_so(world, main):
    version = factories.make_version(world.study, ["A", "B"], taxonomy=world.version.taxonomy)
    world.version = version
    label_all(world, world.round(name="Types alone", depth=1), "A A A")
    found = by_round(main)
    assert (found.rounds[-1].round.name, found.rounds[-1].agreement) == ("Types alone", None)
    assert len(found.by("round")) == 2
    assert TABLES["rounds"](found).rows[-1][3:] == (
        None, None, None, None, None, None, None, None, "the taxonomy version has no categories at this level", 0,
    )  # fmt: skip
    page = text_of(client(world.lead).get(reverse("agreement", args=[main.pk])))
    assert "Types alone Main v2 The taxonomy has no categories at this level." in page


# --- with partial credit


def test_each_round_has_partial_credit_as_in_its_own_report(world, pilot, main, tmp_path):
    version = factories.make_version(
        world.study, ["A", "A.1", "C", "C.1", "C.2"], taxonomy=world.version.taxonomy
    )
    first, world.version = world.version, version
    later = world.round(name="Second version")
    label_all(world, later, "A.1 A.1 C.1", "C.1 C.2 C.1", "C.2 C.2 C.2")
    own = ",A.1,C.1,C.2\nA.1,1,0,0\nC.1,0,1,0.75\nC.2,0,0.75,1\n"
    set_weights(version=version, by=world.lead, text=own)

    report = by_round(main)
    found = weighted_rounds(report)

    assert [(one.group.key["round"], one.matrix, one.longest) for one in found] == [
        ("Pilot", None, 4), ("Main round", None, 4), ("Second version", 1, None),
    ]  # fmt: skip
    for one, round_ in zip(found, (pilot, main, later), strict=True):
        alone = weighted_report(agreement_report(round_)).overall
        assert one.group == replace(alone, key={"round": round_.name})
        assert alone.coefficients["fleiss_kappa"].value is not None
    part = report_as_dict(report)["weighted"]["groups"][1:]
    assert part == [one.as_dict() for one in found]
    assert (part[2]["matrix"], part[2]["longest_path"]) == (1, None)
    assert [row[0] for row in TABLES["weighted"](report).rows][4::4] == [
        "round Pilot", "round Main round", "round Second version",
    ]  # fmt: skip
    assert weighted_rounds(agreement_report(main)) == ()
    with CaptureQueriesContext(connection) as queries:
        weighted_rounds(by_round(main))
    assert sum("reports_weightmatrix" in one["sql"] for one in queries.captured_queries) == 1
    page = client(world.lead).get(reverse("agreement", args=[main.pk]), {"weighted": "groups"})
    said = text_of(page, 'class="card whole weighted"', "")
    assert f"Second version 3 {found[2].group.coefficients['fleiss_kappa'].value:.3f}" in said

    world.version = first
    write_package(main, tmp_path, reader=SHELL)
    assert (tmp_path / "rounds/second-version/weights/weights-1.csv").read_text() == own
    assert summary(tmp_path)[1] == 0


# --- blindness


def test_a_round_that_reveals_when_it_closes_is_not_there_before(world, main):
    blind = world.round(name="Blind", reveal=Round.Reveal.ROUND_CLOSED)
    label_all(world, blind, "C.1 C.2 C.1")
    assert "Blind" not in [one.round.name for one in by_round(main).rounds]
    close_round(round_=blind, by=world.lead)
    assert by_round(main).rounds[-1].agreement.issues == 1


def test_what_a_reader_has_yet_to_label_is_in_no_round(world, pilot, main):
    first, second = world.members[:2]
    waiting = world.waits_for(first, world.issues[1])

    partial, whole = by_round(main, Reader(first)), by_round(main, Reader(second))

    assert [(one.agreement.issues, one.withheld) for one in partial.rounds] == [(1, 1), (2, 1), (0, 0)]
    # R2 has yet to label the third issue in the pilot.
    assert [(one.agreement.issues, one.withheld) for one in whole.rounds] == [(2, 0), (2, 1), (0, 0)]
    page = text_of(client(first).get(reverse("agreement", args=[main.pk])))
    assert "1 issue of another round is hidden until you label it." in page
    assert "of another round is held back" not in text_of(
        client(second).get(reverse("agreement", args=[main.pk]))
    )
    world.submit(waiting, world.issues[1], first, "C.2")
    assert [one.agreement.issues for one in by_round(main, Reader(first)).rounds] == [2, 3, 1]


def test_what_waits_in_one_round_is_withheld_in_the_others_alone(world, main):
    """R1 has labelled the first issue in the third round, and not yet in the second: the third is blind."""
    first = world.members[0]
    issues = type(world.issues[0]).objects.filter(pk=world.issues[0].pk)
    world.round(name="Second", members=[first], issues=issues)
    third = world.round(name="Third", members=[first], issues=issues)
    world.submit(third, world.issues[0], first, "C.1")
    found = {one.round.name: one for one in by_round(main, Reader(first)).rounds}
    assert (found["Third"].agreement.issues, found["Third"].withheld) == (0, 1)
    assert (found["Second"].agreement.issues, found["Second"].withheld) == (0, 0)


def test_a_report_that_knows_no_reader_shows_its_own_round_alone(pilot, main):
    assert [one.round.pk for one in by_round(main, None).rounds] == [main.pk]


# --- doors


def test_the_page_compares_where_there_is_another_round(world, pilot, main):
    said = text_of(client(world.lead).get(reverse("agreement", args=[main.pk])))
    assert "By round rounds of this study with the same taxonomy" in said
    assert "Pilot Pilot v1 2 6 0.667" in said
    assert "Main round this round Main v1 3 9 0.778" in said


def test_a_round_alone_is_compared_with_nothing(world, pilot):
    said = text_of(client(world.lead).get(reverse("agreement", args=[pilot.pk])))
    assert "By round" not in said


def test_command_and_rest_group_by_round(world, pilot, main):
    out = StringIO()
    call_command("agreement", study=world.study.slug, by=["round"], stdout=out)
    groups = json.loads(out.getvalue())["groups"]
    assert [(group["group"], group["issues"]) for group in groups] == [
        ({}, 3), ({"round": "Pilot"}, 2), ({"round": "Main round"}, 3),
    ]  # fmt: skip
    with pytest.raises(CommandError, match="rounds are crossed with no other grouping"):
        call_command("agreement", study=world.study.slug, by=["round,type"], stdout=out)
    address = f"/api/v1/rounds/{main.pk}/agreement/"
    signed_in = client(world.lead)
    assert signed_in.get(address, {"by": "round"}).json()["groups"][1:] == groups[1:]
    assert signed_in.get(address, {"by": "round,type"}).status_code == 400


@pytest.mark.parametrize("rounds", [1, 3])
def test_rounds_cost_the_same_at_one_and_at_three(world, main, rounds, django_assert_num_queries):
    for number in range(rounds):
        label_all(world, world.round(name=f"More {number}"), "C.1 C.1 C.1")
    reader = Reader(world.members[1])
    blind = withheld_issues(main, reader.member)
    with CaptureQueriesContext(connection) as alone:
        agreement_report(main, blind=blind, reader=reader)
    with django_assert_num_queries(len(alone) + 8):
        assert len(by_round(main, reader, blind=blind).rounds) == rounds + 2


def test_another_round_says_what_it_leaves_out_as_its_own_report_does(world, pilot, main):
    found = agreement_report(main, by=[["round"]], reader=SHELL)
    own = agreement_report(pilot).overall
    of_pilot = next(group for group in found.groups if group.key == {"round": "Pilot"})
    assert of_pilot.agreement.as_dict() == own.as_dict()
    assert own.left_out == {"incomplete_issues": 2, "labels_of_incomplete_issues": 1}
    groups = report_as_dict(found)["groups"]
    assert [one.get("withheld") for one in groups] == [None, 0, 0]


def test_other_rounds_are_grouped_once_while_their_labels_stay(world, pilot, main):
    agreement_report(main, by=[["round"]], reader=SHELL)
    with CaptureQueriesContext(connection) as again:
        before = agreement_report(main, by=[["round"]], reader=SHELL)
    assert not any("c.labels" in one["sql"] for one in again.captured_queries)
    for member, code in zip(world.members[1:], ("A.1", "C.2"), strict=True):
        world.submit(pilot, world.issues[2], member, code)
    after = agreement_report(main, by=[["round"]], reader=SHELL)
    issues = [
        next(one.agreement for one in found.rounds if one.round == pilot).issues for found in (before, after)
    ]
    assert issues == [2, 3]


def test_a_training_is_beside_no_other_round(world, main):
    training = world.round(name="Training", kind=Round.Kind.TRAINING, opened=False)
    assert agreement_report(training, by=[["round"]], reader=SHELL).rounds == ()
