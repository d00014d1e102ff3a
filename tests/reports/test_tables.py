"""Tables as files, and what a report says in words."""

import csv
import html
import io
import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from agreement import intra_rater
from agreement import report as agreement_of
from annotate.actions.volunteers import raise_labels_per_issue
from reports.agreement_report import agreement_report
from reports.formats.tables import Table, as_csv, as_markdown, number
from reports.sections.registry import TABLES
from reports.sentences.agreement import (
    categories_at,
    compared,
    is_paradox,
    undecided,
    what_is_missing,
)
from reports.sentences.numbers import p_value, probability, undefined
from reports.sentences.paragraph import how_to_report
from reports.sentences.weighted import with_partial_credit
from rounds.models import Round
from taxonomy.models import Level
from tests.worlds.labels import from_rows
from tests.worlds.pages import label_all
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=5, members=3)]

TABLE = Table(("name", "value", "why"), (("=1+1|_a", 0.12345678, None), ("50 % & ~\\", None, "none\nat all")))


def test_a_table_formats_its_own_numbers():
    table = Table(("value", "p"), ((0.12345, 1e-9),))
    assert as_markdown(table, [number, probability]).splitlines()[-1] == "| 0.123 | \\< 0.001 |"


@pytest.mark.parametrize(
    ("p", "cell", "said"),
    [
        (0.0, "< 0.001", "p < 0.001"),
        (0.0009999, "< 0.001", "p < 0.001"),
        (0.001, "0.001", "p = 0.001"),
        (0.0481, "0.048", "p = 0.048"),
        (1.0, "1.000", "p = 1.000"),
    ],
)
def test_a_p_value_has_one_form(p, cell, said):
    assert (probability(p), p_value(p)) == (cell, said)


def test_csv_is_at_full_precision_and_inert():
    assert as_csv(TABLE) == 'name,value,why\n\'=1+1|_a,0.12345678,\n50 % & ~\\,,"none\nat all"\n'


def test_markdown_is_rounded_and_keeps_its_columns():
    assert as_markdown(TABLE).splitlines()[:3] == [
        "| name | value | why |",
        "|---|---|---|",
        r"| =1+1\|\_a | 0.123 |  |",
    ]
    evil = Table(("name",), (("<script>alert(1)</script>\n| `a` *b* [c](d) \\",),))
    assert as_markdown(evil).splitlines()[2:] == [
        r"| \<script>alert(1)\</script> \| \`a\` \*b\* \[c](d) \\ |"
    ]


@pytest.mark.parametrize(
    "name", ["__init__", "_x_", "a_b_", "~~x~~", "&amp;", "*b*", "`c`", "<b>d</b>", "[e](f)", "a|b", "g\\"]
)
def test_markdown_shows_every_name_as_it_is(name):
    made = (
        MarkdownIt("commonmark")
        .enable(["table", "strikethrough"])
        .render(as_markdown(Table((name,), ((name,),))))
    )

    assert re.findall(r"<t[hd]>(.*?)</t[hd]>", made) == [html.escape(name)] * 2


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.7864988, "0.786"), (-0.0001, "0.000"), (-0.0171, "−0.017"), (1.0, "1.000"), (None, "")],
)
def test_numbers_have_three_digits_and_no_sign_on_nothing(value, text):
    assert number(value) == text


@pytest.fixture
def report(world):
    """Four complete issues of three volunteers, one with one label; two decided by themselves."""
    round_ = world.round(name="Main round")
    label_all(world, round_, "C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 A.1 A.1", "C.2 A.1 C.1", "C.9")
    return agreement_report(round_, by=[["type"], ["repository"]])


def test_tables_say_what_was_labelled(report):
    """What they say of coefficients, groups, categories and volunteers is compared in test_four_doors."""
    read = {name: list(csv.DictReader(io.StringIO(as_csv(make(report))))) for name, make in TABLES.items()}

    assert [(row["type"], row["issues"]) for row in read["types"]] == [("A", "1"), ("C", "1"), ("all", "4")]
    assert read["types"][0]["fleiss_kappa"] == ""
    assert read["types"][0]["reason"] == "only one issue has two labels or more"
    assert [(row["first"], row["second"], row["issues"]) for row in read["pairs"]] == [
        ("R1", "R2", "4"), ("R1", "R3", "4"), ("R2", "R3", "4"),
    ]  # fmt: skip
    assert [(row["first"], row["second"], row["issues"]) for row in read["confusion"]] == [
        ("C.1", "C.2", "2"), ("A.1", "C.1", "1"), ("A.1", "C.2", "1"),
    ]  # fmt: skip
    assert {row["month"] for row in read["months"]} == {"all"}
    assert read["left-out"] == [
        {"reason": "incomplete_issues", "count": "1"}, {"reason": "labels_of_incomplete_issues", "count": "1"},
    ]  # fmt: skip


def test_how_to_report_names_every_number(report):
    found = report.overall.coefficients
    kappa = found["fleiss_kappa"]

    assert how_to_report(report) == (
        f"3 volunteers labelled 4 issue reports with one of {len(report.overall.categories)} themes (12 labels),"
        " without seeing each other’s labels. The platform enforced this: it hid the labels of an issue from all"
        " members until the issue had all of its labels. Volunteers could read the labels of such issues while"
        " they labelled others. A search for signs that labels, or decisions, do not look independent found nothing."
        " The volunteers could see the labels that the issue reports have on their forge."
        " The variable is nominal, in a tree: its categories have 3 levels and no order."
        f" Agreement before consensus was Fleiss’ κ = {kappa.value:.3f} (percent agreement"
        f" {found['percent_agreement'].value:.3f}; Krippendorff’s α = {found['krippendorff_alpha'].value:.3f},"
        f" Gwet’s AC1 = {found['gwet_ac1'].value:.3f})."
        f" {with_partial_credit(report)} By type of the decision: Name of A (n = 1)"
        " κ undefined, percent agreement 1.000; Name of C (n = 1) κ undefined, percent agreement 1.000. 2 of 4 complete issues have no decision yet and count in no type."
        " Agreement within types therefore looks higher than it is. 2 disagreements are not settled yet."
        " Left out: 1 issue that lacks labels and 1 label of such an issue."
    )


@pytest.mark.world(issues=13)
def test_each_type_has_its_interval_agreement_and_ac1(world):
    round_ = world.round()
    of_c = ("C.1 C.1 C.1", "C.1 C.1 C.2", "C.2 C.2 C.2", "C.1 C.1 C.1")
    label_all(world, round_, *of_c * 3, "A.1 A.1 A.1")
    for place in (1, 5, 9):
        world.settle(round_, world.issues[place], "C.1")
    said = how_to_report(agreement_report(round_, by=[["type"]]))

    # Of C, three times: 12 labels, 8 of C.1 and 4 of C.2, so p_a = (1 + 1/3 + 1 + 1) / 4 = 0.833 and p_e = 5/9.
    interval = re.search(r"Name of C \(n = 12\) κ = 0\.625 \[(−?\d\.\d{3}), (\d\.\d{3})\]\*, ", said)
    assert interval is not None, said
    assert ", percent agreement 0.833, AC1 = " in said[interval.end() - 2 :]
    assert said.endswith(
        " An asterisk marks an uncertain interval: it rests on few issues, or on many with one label."
    )
    # Agreement of types within one type says nothing.
    of_types = how_to_report(agreement_report(round_, level=Level.TYPE, by=[["type"]]))
    assert "By type" not in of_types
    assert "Agreement before consensus" in of_types


def test_volunteers_against_themselves_have_the_interval_of_the_page(report):
    again = intra_rater({"R1": [(0, 0, 2), (1, 1, 2), (0, 1, 1)]}, 2)

    said = how_to_report(replace(report, intra=again))

    # Wilson's interval of 4 of 5: (0.8 + 0.3842 ± 0.5204) / 1.7683. κ = (0.8 − 0.48) / (1 − 0.48).
    assert (
        "5 issue reports came to their volunteers a second time, unmarked. Intra-rater agreement was 0.800"
        " (95 % CI [0.376, 0.964], Wilson; Cohen’s κ = 0.615)."
    ) in said


def test_one_volunteer_has_no_agreement_to_report():
    world = small_world(issues=2, members=1)
    round_ = world.round()
    label_all(world, round_, "C.1", "A.1")

    said = how_to_report(agreement_report(round_, by=[["type"]]))

    assert said.endswith(
        "Only one volunteer labelled, so there is no agreement between volunteers to report."
    )
    assert "undefined" not in said


def test_issues_without_a_decision_are_said_until_there_is_none(world, report):
    assert report.undecided("type") == 2
    assert report.undecided("repository") == 0
    decided = world.round()
    label_all(world, decided, "C.1 C.1 C.1", "A.1 A.1 A.1")

    assert undecided(agreement_report(decided, by=[["type"]])) == ""
    assert "no decision yet" not in how_to_report(agreement_report(decided, by=[["type"]]))


def test_how_many_issues_are_compared_is_said_where_some_are_not():
    def said(*rows):
        return compared(agreement_of(from_rows(rows, 2), "AB"))

    only = (
        "Only 2 of the 3 issues have two labels or more at this level. Agreement is measured on these"
        " issues only."
    )
    assert said([0, 0], [0, 1], [1, -1]) == only
    assert said([0, 0], [1, -1]).startswith("Only 1 of the 2 issues has two labels or more")
    assert said([0, 0], [0, 1]) == ""
    assert said([0, -1], [1, -1]) == ""


def test_how_to_report_a_round_of_k_of_n(world):
    round_ = world.k_of_n(2)
    label_all(world, round_, "C.1 C.1", "C.1 C.2")
    for member in world.members[1:]:
        world.submit(round_, world.issues[2], member, "A.1")

    said = how_to_report(agreement_report(round_))

    assert said.startswith("2 of 3 volunteers labelled each of 3 issue reports with one of ")


def test_agreement_that_chance_explains_is_a_paradox(world):
    frequent = world.round()
    label_all(world, frequent, "C.1 C.1 C.1", "C.1 C.1 C.1", "C.1 C.1 C.1", "C.1 C.1 C.1", "C.1 C.1 C.2")
    spread = world.round()
    label_all(world, spread, "C.1 C.1 C.1", "A.1 A.1 A.1", "C.9 C.9 C.9", "C.2 C.2 C.2", "A.1 A.1 C.1")
    same = world.round()
    label_all(world, same, "C.1 C.1 C.1", "C.1 C.1 C.1")
    split = world.round()
    label_all(world, split, "C.1 C.2 C.9", "A.1 C.1 C.2", "C.9 C.9 C.1", "C.2 C.1 C.1", "C.1 A.1 C.2")

    found = [is_paradox(agreement_report(round_).overall) for round_ in (frequent, spread, same, split)]

    assert found == [True, False, True, False]


@pytest.mark.parametrize(
    ("level", "count", "text"),
    [(Level.TYPE, 1, "1 type"), (Level.THEME, 18, "18 themes"), (3, 1169, "1,169 sub-themes")],
)
def test_categories_are_counted_in_words(level, count, text):
    assert categories_at(Level(level), count) == text


def test_what_is_missing_says_what_it_takes(world):
    planned = world.round(opened=False)
    blind = world.round(reveal="round_closed")
    label_all(world, blind, "C.1 C.1 C.1")
    begun = world.round()
    label_all(world, begun, "C.1 C.1", "C.2")
    shallow = world.round()
    label_all(world, shallow, "C.1 C.1 C.1")

    def said(round_, level=None):
        return what_is_missing(round_, agreement_report(round_, level=level))

    assert said(planned) == "This round is not open yet, so there are no labels."
    assert said(blind) == (
        "The labels of this round are hidden until the round is closed. Then this page shows the agreement."
    )
    assert said(begun) == "None of the 5 issues has all of its 3 labels yet. There are 3 labels so far."
    alone = small_world(issues=2, members=1)
    assert said(alone.round()) == "None of the 2 issues has its label yet."
    assert said(shallow, Level.SUB_THEME) == "No label of this round has a category at this level."


def test_undefined_reads_on_after_the_word():
    assert undefined(None) == "undefined: there are no labels"


def test_the_paragraph_says_no_number_of_labels_that_is_not_true_of_each_issue():
    world = small_world(issues=2, members=3)
    round_ = world.k_of_n(2)
    for member in world.members[:2]:
        world.submit(round_, world.issues[0], member, "C.1")
    raise_labels_per_issue(round_=round_, to=3, by=world.lead)
    for member in world.members:
        world.submit(round_, world.issues[1], member, "C.1")
    said = how_to_report(agreement_report(Round.objects.get(pk=round_.pk)))
    assert said.startswith("3 volunteers labelled 2 issue reports with one of ")
    assert "(5 labels)" in said
