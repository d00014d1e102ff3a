"""The three intervals of a report: over issues, repositories, volunteers; and whether anything was sampled."""

import csv
import io

import pytest

from agreement import FROM_COUNTS, Reason
from ingest.models import Repository
from reports.agreement_report import PAGE_BY, agreement_report
from reports.formats.json_report import report_as_dict
from reports.formats.table_files import table_as_csv, table_as_latex
from reports.pictures.catalogue import picture
from reports.queries.intervals import intervals
from reports.queries.population import is_everything
from reports.sections.registry import TABLES
from reports.sentences.intervals import (
    everything_is_labelled,
    narrower_repositories,
    unequal_repositories,
    what_the_interval_assumes,
)
from reports.sentences.types import why_types_differ
from rounds.models import Round
from taxonomy.models import Level
from tests.worlds.pages import label_all
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db

ROWS = (
    "C.1 C.1 C.1",
    "C.1 C.2 C.1",
    "A.1 A.1 A.1",
    "C.2 A.1 C.1",
    "B.1 B.1 C.1",
    "A.1 A.1 C.1",
    "C.1 C.1 A.1",
)


def labelled(times=1, **kinds):
    """Seven issues of three repositories, or several times as many: three, two and two."""
    world = small_world(issues=7 * times, members=3)
    round_ = world.round(**kinds)
    for number, issues in enumerate((world.issues[3 * times : 5 * times], world.issues[5 * times :]), 1):
        other = Repository.objects.create(
            study=world.study, host="github.com", path=f"owner/other-{number}", folder=f"other-{number}"
        )
        for issue in issues:
            issue.repository = other
            issue.save()
    label_all(world, round_, *ROWS * times)
    return world, round_


def test_a_report_has_three_intervals_whatever_it_is_grouped_by():
    _world, round_ = labelled()
    report = agreement_report(round_)
    found = intervals(report)
    assert {sampled: one.units for sampled, one in found.items()} == {
        "issues": 7, "repositories": 3, "volunteers": 3,
    }  # fmt: skip
    assert found["repositories"].effective == pytest.approx(49 / 17)
    kappas = [one.coefficients["fleiss_kappa"] for one in found.values()]
    assert len({one.value for one in kappas}) == 1
    assert len({one.se for one in kappas}) == 3

    part = report_as_dict(report)["intervals"]
    assert part == report_as_dict(agreement_report(round_, by=PAGE_BY))["intervals"]
    assert part["population"] == "all issues labelled"
    assert part["sampled"]["volunteers"]["coefficients"]["fleiss_kappa"]["se"] == kappas[2].se
    rows = TABLES["intervals"](report).rows
    assert [row[:3] for row in rows[5:7]] == [
        ("repositories", 3, "percent_agreement"), ("repositories", 3, "fleiss_kappa"),
    ]  # fmt: skip
    assert len(rows) == 3 * len(FROM_COUNTS)


def test_the_paragraph_names_what_each_interval_assumes():
    _world, round_ = labelled(times=2)
    report = agreement_report(round_)
    said = what_the_interval_assumes(report)
    assert said.startswith(
        "This interval treats issues as independent draws, with volunteers and repositories fixed."
    )
    assert "With the 3 repositories as a sample, the 95 % CI is [" in said
    assert "With the 3 volunteers as a sample, the 95 % CI is [" in said
    assert said.endswith("the interval over issues describes the labelling process, not a sampling error.")
    assert unequal_repositories(intervals(report)["repositories"]) == (
        "The 3 repositories have unequal sizes, and count as 2.9 of equal size."
    )


def test_volunteers_of_different_issues_are_no_sample():
    world = small_world(issues=3, members=3)
    round_ = world.k_of_n(2)
    label_all(world, round_, "C.1 C.1", "C.1 C.2", "A.1 A.1")
    kappa = intervals(agreement_report(round_))["volunteers"].coefficients["fleiss_kappa"]
    assert kappa.value is not None
    assert (kappa.low, kappa.reason) == (None, Reason.SLOTS)


@pytest.mark.parametrize(
    ("selection", "whole"),
    [
        ({}, True),
        ({"source": "all"}, True),
        ({"source": "filter:3"}, True),
        ({"source": "sample:3"}, False),
        ({"source": "all", "chosen_by_hand": 4}, False),
        ({"source": "round:999999"}, False),
    ],
)
def test_a_sample_is_not_everything(selection, whole):
    _world, round_ = labelled(selection=selection)
    assert bool(is_everything(agreement_report(round_))) is whole


def test_a_round_of_the_issues_of_a_sampled_round_is_not_everything():
    world, round_ = labelled(selection={"source": "sample:3"})
    later = world.round(selection={"source": f"round:{round_.pk}"}, name="Later")
    label_all(world, later, *ROWS)
    assert not is_everything(agreement_report(later))
    Round.objects.filter(pk=round_.pk).update(selection={"source": "all"})
    assert is_everything(agreement_report(later))


def test_issues_without_labels_make_the_report_a_part():
    world = small_world(issues=3, members=3)
    round_ = world.round()
    label_all(world, round_, "C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 A.1 -")
    assert everything_is_labelled(agreement_report(round_)) == ""
    world.submit(round_, world.issues[2], world.members[2], "A.1")
    assert everything_is_labelled(agreement_report(round_)).startswith("All selected issues are labelled")


def test_why_kappas_of_types_differ_from_kappa_of_all():
    world = small_world(issues=8, members=3)
    round_ = world.round()
    rows = (
        "C.1 C.1 C.1",
        "C.1 C.2 C.1",
        "C.2 C.1 C.2",
        "C.2 C.2 C.2",
        "A.1 A.1 A.1",
        "A.1 A.2 A.1",
        "A.2 A.1 A.2",
    )
    label_all(world, round_, *rows)
    for number, code in ((1, "C.1"), (2, "C.2"), (5, "A.1"), (6, "A.2")):
        world.settle(round_, world.issues[number], code)
    report = agreement_report(round_, by=[["type"]])
    whole = report.overall.coefficients["fleiss_kappa"].value
    said = why_types_differ(report)
    assert f"All issues together give κ = {whole:.3f}. Distinguishing the types counts there too" in said
    assert said.endswith("κ of types alone is 1.000.")
    assert why_types_differ(agreement_report(round_, level=Level.TYPE, by=[["type"]])) == ""


def test_the_kappas_of_types_of_all_and_of_types_alone_are_in_every_file():
    world = small_world(issues=8, members=3)
    round_ = world.round()
    label_all(world, round_, "C.1 C.1 C.1", "C.1 C.2 C.1", "C.2 C.2 A.1", "A.1 A.1 A.1", "A.1 A.2 A.1")
    for number, code in ((1, "C.1"), (2, "C.2"), (4, "A.1")):
        world.settle(round_, world.issues[number], code)
    report = agreement_report(round_, by=[["type"]])
    alone = agreement_report(round_, level=Level.TYPE).overall.coefficients["fleiss_kappa"].value
    whole = report.overall.coefficients["fleiss_kappa"].value
    types = {
        group.key["type"]: group.agreement.coefficients["fleiss_kappa"].value for group in report.by("type")
    }
    said = why_types_differ(report)

    found = report_as_dict(report)["groups_and_whole"]

    assert said
    assert (found["sentence"], found["whole"], found["types_alone"]) == (said, whole, alone)
    assert {one["group"]["type"]: one["fleiss_kappa"] for one in found["types"]} == types
    rows = {row["type"]: row for row in csv.DictReader(io.StringIO(table_as_csv(report, "types")))}
    assert float(rows["types alone"]["fleiss_kappa"]) == alone
    assert rows["types alone"]["issues"] == "5"
    assert f"types alone give κ = {alone:.3f}" in said or f"types alone is {alone:.3f}" in said
    assert "counts only the issues decided as this type" in table_as_latex(report, "types")
    assert not [row for row in picture(report, "types", "page").rows if row["type"] == "types alone"]

    for other in (agreement_report(round_), agreement_report(round_, level=Level.TYPE, by=[["type"]])):
        assert report_as_dict(other)["groups_and_whole"] is None
        assert "types alone" not in table_as_csv(other, "types")


def test_an_interval_over_repositories_that_is_narrower_is_in_doubt_everywhere():
    """Three repositories with the same labels: the seven issues of `ROWS`, each twice in each of them."""
    world = small_world(issues=42, members=3)
    round_ = world.round()
    others = [
        Repository.objects.create(study=world.study, host="github.com", path=f"owner/{name}", folder=name)
        for name in ("second", "third")
    ]
    for number, issue in enumerate(world.issues):
        if number % 3:
            issue.repository = others[number % 3 - 1]
            issue.save()
    rows = [row for row in ROWS * 2 for _repository in range(3)]
    rows[0] = "C.1 C.1 C.2"
    label_all(world, round_, *rows)
    report = agreement_report(round_)
    found = intervals(report)["repositories"]
    why = "narrower than the interval over issues: the interval can be too narrow"
    assert found.coefficients["fleiss_kappa"].doubt is Reason.NARROWER
    assert narrower_repositories(found).startswith("The interval over repositories is narrower than")
    assert f"(jackknife; {why})." in what_the_interval_assumes(report)
    part = report_as_dict(report)["intervals"]
    assert part["sampled"]["repositories"]["coefficients"]["fleiss_kappa"]["doubt"] == why
    assert part["scale"] == "logit"
    of_kappa = ("repositories", 3, "fleiss_kappa")
    notes = [row[-1] for row in TABLES["intervals"](report).rows if tuple(row[:3]) == of_kappa]
    assert notes == [why]


def test_without_a_narrower_interval_nothing_is_said():
    _world, round_ = labelled(times=2)
    assert narrower_repositories(intervals(agreement_report(round_))["repositories"]) == ""
