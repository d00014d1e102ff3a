"""Differences: a volunteer left out, repositories and rounds against each other, models beside volunteers."""

import csv
import io

import pytest
from django.urls import reverse

from agreement import Reason, between, left_out
from agreement.coefficients import coefficient
from agreement.tally import Tally
from replication.package import write_package
from reports.agreement_report import agreement_report
from reports.formats.json_report import report_as_dict
from reports.sections.differences import differences
from reports.sections.registry import TABLES
from rounds.models import Label
from rounds.queries.blindness import Reader
from studies.actions.guidelines import publish_guideline
from studies.models import Role
from tests.factories import make_member
from tests.kept import kept
from tests.worlds.labels import from_rows
from tests.worlds.pages import client, label_all, text_of
from tests.worlds.recomputed import summary
from tests.worlds.uneven import ROWS, uneven

pytestmark = [pytest.mark.django_db]


@kept
def round_():
    """The rows in turn are of two repositories."""
    return uneven(rows=[*ROWS, *[row for row in ROWS if "?" not in row[0]] * 4])


@pytest.fixture
def reader(round_):
    return client(make_member(round_.study, Role.LEAD, pseudonym="Lead"))


def by_kind(report, kind):
    return [one for one in differences(report) if one.kind == kind]


def test_each_volunteer_left_out_with_the_effect_of_their_card(round_):
    report = agreement_report(round_)
    found = by_kind(report, "volunteers")
    expected = left_out(report.numbers.patterns)

    assert [(one.first, one.second) for one in found] == [(name, "all") for name in report.columns]
    assert [one.found for one in found] == list(expected.values())
    assert {one.issues for one in found} == {(report.overall.issues,) * 2}
    whole = report.overall.coefficients["fleiss_kappa"].value
    answer = report_as_dict(report)["volunteers"]
    for one, line in zip(found, answer, strict=True):
        assert one.found.value == line["effect"] == line["without"]["value"] - whole
        assert one.found.reason is None
        assert one.found.low < one.found.value < one.found.high
        assert one.found.p <= one.found.adjusted


def test_repositories_two_by_two_only_where_they_are_grouped(round_):
    assert by_kind(agreement_report(round_), "repositories") == []
    report = agreement_report(round_, by=[["repository"], ["repository", "month"]])
    [one] = by_kind(report, "repositories")

    # The one with more issues comes first.
    first, second = sorted(report.by("repository"), key=lambda group: -group.agreement.issues)
    assert (one.first, one.second) == (first.key["repository"], second.key["repository"])
    kappas = [group.agreement.coefficients["fleiss_kappa"] for group in (first, second)]
    assert one.issues == (first.agreement.issues, second.agreement.issues)
    expected = between(*kappas, one.issues)
    assert one.found.low is not None
    assert (one.found.value, one.found.low, one.found.p) == (expected.value, expected.low, expected.p)
    assert one.found.adjusted == expected.p


@pytest.mark.world(issues=4)
def test_this_round_against_each_other_round_that_the_reader_sees(world):
    pilot = world.round(name="Pilot", kind="pilot")
    label_all(world, pilot, "C.1 C.1 C.1", "C.1 C.2 C.1")
    main = world.round(name="Main round")
    label_all(world, main, "A.1 A.1 A.1", "C.1 C.1 C.2", "C.2 C.2 C.2")
    report = agreement_report(main, by=[["round"]], reader=Reader(None))

    [one] = by_kind(report, "rounds")

    assert (one.first, one.second, one.issues) == ("Main round", "Pilot", (3, 2))
    kappas = [agreement_report(each).overall.coefficients["fleiss_kappa"].value for each in (main, pilot)]
    assert one.found.value == kappas[0] - kappas[1]
    assert one.found.reason is Reason.FEW_IN_GROUP
    assert by_kind(agreement_report(main, reader=Reader(None)), "rounds") == []


@pytest.mark.world(issues=50)
def test_issues_labelled_by_a_guideline_against_those_of_the_version_before(world, tmp_path):
    publish_guideline(study=world.study, text="Read.", by=None)
    main = world.round(name="Main round")
    before = ["C.1 C.1 C.2", "C.1 C.1 C.1", "A.1 A.1 A.1", "A.1 C.1 C.2"] * 6
    label_all(world, main, *before)
    assert by_kind(agreement_report(main), "guidelines") == []
    publish_guideline(study=world.study, text="Read twice.", by=None)
    # The first of them has a label by each version: it is in neither group.
    world.submit(main, world.issues[24], world.members[0], "C.1")
    Label.objects.filter(issue=world.issues[24]).update(guideline=world.study.guidelines.get(number=1))
    after = ["C.1 C.1 C.1", "C.1 C.1 C.1", "A.1 A.1 A.1", "C.2 C.2 C.1"] * 6
    for place, row in enumerate(["- C.1 C.1", *after], start=24):
        for member, code in zip(world.members, row.split(), strict=True):
            if code != "-":
                world.submit(main, world.issues[place], member, code)

    [one] = by_kind(agreement_report(main), "guidelines")

    kappas = [
        coefficient("fleiss_kappa", Tally.of(from_rows(coded, 3)))
        for coded in (
            [["A.1 C.1 C.2".split().index(code) for code in row.split()] for row in rows]
            for rows in (after, before)
        )
    ]
    expected = between(*kappas, (24, 24))
    assert (one.first, one.second, one.issues) == ("v2", "v1", (24, 24))
    assert (one.found.value, one.found.low, one.found.p) == (expected.value, expected.low, expected.p)
    assert one.found.low is not None
    assert "v2 v1 +" in text_of(client(world.lead).get(reverse("agreement", args=[main.pk])))
    write_package(main, tmp_path)
    _numbers, wrong, _skipped = summary(tmp_path)
    assert wrong == 0


def test_page_table_and_json_say_the_same(round_, reader):
    address = reverse("agreement", args=[round_.pk])
    rest = reader.get(f"/api/v1/rounds/{round_.pk}/agreement/?by=repository").json()["differences"]
    rows = list(csv.DictReader(io.StringIO(reader.get(f"{address}?format=csv&table=differences").text)))

    assert len(rows) == len(rest) == 5
    for row, one in zip(rows, rest, strict=True):
        assert (row["comparison"], row["first"].removeprefix("'"), row["second"]) == (
            one["comparison"], one["first"], one["second"],
        )  # fmt: skip
        assert (float(row["difference"]), float(row["low"]), float(row["p_adjusted"])) == (
            one["value"], one["low"], one["adjusted"],
        )  # fmt: skip
    said = text_of(reader.get(address))
    assert "An effect is no ground for leaving anybody out." in said
    [pair] = [one for one in rest if one["comparison"] == "repositories"]
    assert f"{pair['first']} {pair['second']}" in said
    # Each has its star, with its reason, on the page and in the files.
    whys = {one["doubt"] for one in rest}
    assert None not in whys
    page = reader.get(address).text
    for row, one in zip(rows, rest, strict=True):
        assert row["reason"] == one["doubt"]
        assert f'title="{one["doubt"]}">*</abbr>' in page
    card = page[page.index('id="differences-h"') :]
    card = card[: card.index("</section>")]
    assert f'{pair["doubt"]}"' in card
    assert f"<b>*</b> {pair['doubt']}" in card, "also for those who cannot hover over the star"
    latex = reader.get(f"{address}?format=tex&table=differences").text
    assert [why for why in whys if why[:30] not in " ".join(latex.split())] == []
    volunteers = list(csv.DictReader(io.StringIO(reader.get(f"{address}?format=csv&table=volunteers").text)))
    assert [(float(row["effect_low"]), float(row["p_adjusted"])) for row in volunteers] == [
        (one["low"], one["adjusted"]) for one in rest if one["comparison"] == "volunteers"
    ]


@pytest.mark.slow
def test_the_script_of_the_package_recomputes_them_to_the_last_digit(round_, tmp_path):
    write_package(round_, tmp_path, reader=Reader(None))
    _numbers, wrong, _skipped = summary(tmp_path)
    assert wrong == 0


def test_k_of_n_leaves_nobody_out(world):
    round_ = world.k_of_n(2)
    for code, member in (("C.1", 0), ("C.2", 1)):
        world.submit(round_, world.issues[0], world.members[member], code)
    assert differences(agreement_report(round_)) == ()
    assert TABLES["volunteers"](agreement_report(round_)).rows == ()
