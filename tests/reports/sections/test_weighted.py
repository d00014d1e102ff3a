"""Agreement with partial credit: which categories count, where labels stop, and what a reader is told."""

import csv
import io
from fractions import Fraction

import pytest
from django.urls import reverse

from reports.agreement_report import BY, agreement_report
from reports.formats.json_report import report_as_dict
from reports.queries.weighted import weighted_report, weighted_resampled
from reports.sections.registry import TABLES
from reports.sentences.paragraph import how_to_report
from reports.sentences.weighted import labels_above
from taxonomy.models import Level
from tests.worlds.pages import client, label_all, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4, members=3)]

THEMES = ["A.1", "A.2", "B.1", "B.2", "C.1", "C.2", "C.3", "C.9", "C.10"]
STOPS_ABOVE = (
    "7 labels on 3 issues stop above this level. These labels count here with partial credit; the other numbers"
    " leave them out."
)


@pytest.fixture
def labelled(world):
    """A.2, C.2 and C.9 have nothing below them: seven labels stop above the sub-themes."""
    round_ = world.round(depth=Level.SUB_THEME)
    rows = "A.1.i A.1.ii A.1.i", "A.2 A.1.i A.2", "C.2 C.2 C.1.i", "C.9 C.9 C.9"
    label_all(world, round_, *rows)
    return round_


def test_labels_count_at_the_level_or_where_they_stop_above_it(labelled):
    found = weighted_report(agreement_report(labelled))

    assert found.counted.codes == "A.1.i A.1.ii A.2 B.1 B.2 C.1.i C.2 C.3 C.9 C.10".split()
    assert (found.weights.q, found.weights.longest) == (10, 6)
    whole = found.overall
    assert (whole.issues, whole.labels, whole.above, whole.issues_above) == (4, 12, 7, 3)
    # Two steps from A.1.i to A.1.ii, three from A.2 to A.1.i and from C.2 to C.1.i, of six.
    of_issues = (2 * Fraction(2, 3) + 1) / 3, Fraction(2, 3), Fraction(2, 3), 1
    assert whole.coefficients["percent_agreement"].value == float(sum(of_issues) / 4)
    assert labels_above(whole) == STOPS_ABOVE


def test_a_round_of_themes_counts_every_theme_and_no_type(world):
    round_ = world.round(depth=Level.THEME)
    label_all(world, round_, "A.1 A.1 A.1.i", "A.1 C.1 C.1")

    found = weighted_report(agreement_report(round_, level=Level.SUB_THEME))

    assert sorted(found.counted.codes) == sorted(["A.1.i", "A.1.ii", "C.1.i", *THEMES])
    assert found.overall.above == 5
    at_themes = weighted_report(agreement_report(round_))
    assert (at_themes.counted.codes, at_themes.overall.above) == (THEMES, 0)
    assert labels_above(at_themes.overall) == ""


def test_types_are_not_near_each_other_so_that_their_numbers_stay_the_same(labelled):
    report = agreement_report(labelled, level=Level.TYPE)
    found = weighted_report(report)

    assert found.is_plain
    for name in ("percent_agreement", "fleiss_kappa", "krippendorff_alpha"):
        assert found.overall.coefficients[name] == report.overall.coefficients[name]
    assert found.overall.coefficients["gwet_ac2"] == report.overall.coefficients["gwet_ac1"]
    assert "partial credit" not in how_to_report(report)


def test_groups_have_their_own_issues_and_the_same_weights(labelled):
    report = agreement_report(labelled, by=BY)
    found = weighted_report(report)

    assert [group.key for group in found.groups] == [group.key for group in report.groups]
    [one] = found.by("type")
    # Only the last issue is unanimous, and so decided.
    assert (one.key, one.issues, one.above) == ({"type": "C"}, 1, 3)
    assert one.coefficients["percent_agreement"].value == 1.0
    assert found.by("month")[0].coefficients == found.overall.coefficients


def test_json_table_and_paragraph_have_the_numbers(labelled):
    report = agreement_report(labelled, by=[["type"]])
    whole = weighted_report(report).overall
    part = report_as_dict(report)["weighted"]

    assert (part["weights"], part["longest_path"], part["choosable"]) == ("tree", 6, 10)
    assert [group["group"] for group in part["groups"]] == [{}, {"type": "C"}]
    assert part["groups"][0]["coefficients"]["gwet_ac2"] == whole.coefficients["gwet_ac2"].as_dict()
    assert (
        part["groups"][1]["coefficients"]["fleiss_kappa"]["reason"] == "only one issue has two labels or more"
    )
    rows = list(TABLES["weighted"](report).rows)
    kappa = whole.coefficients["fleiss_kappa"]
    assert list(rows[1]) == [
        "all",
        4,
        12,
        7,
        "fleiss_kappa",
        kappa.value,
        kappa.se,
        kappa.low,
        kappa.high,
        "fewer than 10 issues have two labels or more, too few for an interval",
    ]
    assert (
        "These weighted numbers are of 4 issues, with 7 labels that stop above this level."
    ) in how_to_report(report)
    assert (
        f"(weight 1 − path length / 6 in the taxonomy), weighted Fleiss’ κ = {kappa.value:.3f}"
    ) in how_to_report(report)


def test_the_page_says_which_question_and_which_weights(world, labelled):
    page = client(world.lead).get(reverse("agreement", args=[labelled.pk]))

    said = text_of(page, 'class="card whole weighted"', "")
    assert "how near are the labels, instead of: are they the same" in said
    assert "1 − path length / longest path in the taxonomy (6 steps)" in said
    assert STOPS_ABOVE in said


def test_groups_are_on_the_page_on_request(world, labelled):
    reader, address = client(world.lead), reverse("agreement", args=[labelled.pk])
    assert "Show types, repositories, months and rounds" in text_of(reader.get(address))

    page = text_of(reader.get(address, {"weighted": "groups"}), 'class="card whole weighted"', "")

    kappa = weighted_report(agreement_report(labelled)).overall.coefficients["fleiss_kappa"]
    assert "Weighted Fleiss’ kappa: Type" in page
    assert "Weighted Fleiss’ kappa: Month" not in page
    assert f"owner/repository-1 4 {kappa.value:.3f}" in page
    assert "Show types, repositories, months and rounds" not in page


@pytest.mark.world(issues=12)
def test_the_bootstrap_on_request_is_that_of_the_seed(world):
    labelled = world.round(depth=Level.SUB_THEME)
    rows = "A.1.i A.1.ii A.1.i", "A.2 A.1.i A.2", "C.2 C.2 C.1.i", "C.9 C.9 C.9"
    label_all(world, labelled, *rows * 3)
    again = weighted_resampled(agreement_report(labelled)).intervals["fleiss_kappa"]

    page = client(world.lead).get(reverse("agreement", args=[labelled.pk]), {"bootstrap": "yes"})

    said = text_of(page, 'class="card whole weighted"', "")
    assert f"bootstrap {again.low:.3f} to {again.high:.3f}".replace("-", "−") in said


def test_the_file_has_a_row_for_each_group_and_coefficient(world, labelled):
    sent = client(world.lead).get(
        reverse("agreement", args=[labelled.pk]), {"format": "csv", "table": "weighted"}
    )

    rows = list(csv.DictReader(io.StringIO(sent.content.decode())))
    assert [row["group"].split()[0] for row in rows[::4]] == ["all", "type", "repository", "month", "round"]
    assert [row["coefficient"] for row in rows[:4]] == [
        "percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac2",
    ]  # fmt: skip
