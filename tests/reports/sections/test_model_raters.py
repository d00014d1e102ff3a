"""Models beside the volunteers of a report, and that they are in nothing else."""

import csv
import io
import json

import pytest
from django.urls import reverse

from agreement import Coefficient, Difference, Reason
from annotate.actions.model_labels import label_as_model
from replication.package import write_package
from reports.agreement_report import agreement_report
from reports.exports import labels_csv
from reports.formats.json_report import report_as_dict
from reports.formats.tables import as_csv
from reports.frozen.document import inputs_hash
from reports.sections.columns import reasons_cell
from reports.sections.model_raters import model_comparisons
from reports.sections.registry import TABLES
from rounds.queries.blindness import Reader, withheld_issues
from studies.models import Role
from taxonomy.models import Level
from tests import factories
from tests.annotate.actions.test_model_labels import rows
from tests.kept import kept
from tests.worlds.pages import client, label_all, text_of
from tests.worlds.recomputed import summary

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4)]

FEW_DIFFER = "fewer than 20 issues have different labels, too few for this interval"
LABELS = ("C.1 C.1 C.1", "C.1 C.2 C.2", "C.2 C.2 A.1", "C.1 C.1 -")
BY = [["type"], ["repository"], ["month"]]


@kept
def model(world):
    return factories.make_member(world.study, Role.MODEL, pseudonym="M1")


@kept
def round_(world):
    """A unanimous issue, two disagreements, and an incomplete issue."""
    made = world.round()
    label_all(world, made, *LABELS)
    return made


def test_values_by_hand(world, round_, model):
    label_as_model(round_=round_, member=model, rows=rows(world, "C.1", "C.2", "A.1", "C.1"))

    [found] = report_as_dict(agreement_report(round_))["models"]

    # The example of tests/agreement/test_models, with C.1, C.2, A.1 for A, B, C; only the first is decided. The
    # page has all of its numbers, below.
    assert (found["model"], found["labels"], found["compared"]) == ("M1", 3, 3)
    reason = "all their labels and all decisions are the same category"
    assert found["decision"] == {"issues": 1, "percent_agreement": 1.0, "cohen_kappa": None, "reason": reason}
    # By type: C C C, C C C, C C A, and the model says C, C, A.
    [(_name, found)] = model_comparisons(agreement_report(round_, level=Level.TYPE))
    assert found.agreement.value == pytest.approx((1 + 1 + 1 / 3) / 3)


def test_each_model_stands_in_a_line_of_its_own(world, round_, model):
    second = factories.make_member(world.study, Role.MODEL, pseudonym="M2")
    third = factories.make_member(world.study, Role.MODEL, pseudonym="M3")
    label_as_model(round_=round_, member=second, rows=rows(world, "C.1"))
    label_as_model(round_=round_, member=model, rows=rows(world, "-", "C.1", "A.1"))
    label_as_model(round_=round_, member=third, rows=rows(world, "-", "-", "-", "C.1"))
    # The third has labelled the incomplete issue alone: nobody learns of that.
    found = [
        (name, one.labels, one.agreement.value) for name, one in model_comparisons(agreement_report(round_))
    ]
    assert found == [("M1", 2, pytest.approx(1 / 3)), ("M2", 1, 1.0)]
    # The second has a value of one issue, and so no interval.
    reasons = [row[-1] for row in TABLES["models"](agreement_report(round_)).rows]
    assert ["only one issue has two labels" in reason for reason in reasons] == [False, True]


def test_the_numbers_of_people_are_equal_to_the_byte_with_models_and_without(world, round_, model, tmp_path):
    def everything():
        reports = [agreement_report(round_, level=level, by=BY) for level in Level]
        dicts = [report_as_dict(report) for report in reports]
        for found in dicts:
            del found["models"], found["as_of"]
        tables = [
            as_csv(make(report)) for report in reports for name, make in TABLES.items() if name != "models"
        ]
        files = [b"".join(labels_csv(round_, layout=layout)) for layout in ("wide", "long")]
        return json.dumps(dicts), tables, files, inputs_hash(round_)

    before = everything()
    assert model_comparisons(agreement_report(round_)) == ()
    label_as_model(round_=round_, member=model, rows=rows(world, "C.2", "A.1", "C.1", "A.1"))
    assert len(model_comparisons(agreement_report(round_))) == 1
    assert everything() == before

    write_package(round_, tmp_path)
    assert json.loads((tmp_path / "agreement.json").read_text())["models"][0]["labels"] == 3
    _numbers, wrong, _skipped = summary(tmp_path)
    assert wrong == 0


def test_what_is_incomplete_hidden_or_withheld_is_in_no_comparison(world, round_, model):
    label_as_model(round_=round_, member=model, rows=rows(world, "C.1", "C.2", "A.1", "C.1"))
    first = world.members[0]
    world.waits_for(first, world.issues[1])
    blind = withheld_issues(round_, first)
    [(_name, found)] = model_comparisons(agreement_report(round_, blind=blind, reader=Reader(first)))
    assert (found.labels, found.agreement.value) == (2, pytest.approx((1 + 1 / 3) / 2))

    hidden = world.round(reveal="round_closed")
    label_all(world, hidden, *LABELS)
    label_as_model(round_=hidden, member=model, rows=rows(world, "C.1", "C.2"))
    assert model_comparisons(agreement_report(hidden)) == ()


def test_k_of_n_has_shares_and_no_kappas(world, model):
    round_ = world.k_of_n(2)
    for issue, members, codes in zip(
        world.issues, ((0, 1), (1, 2)), (("C.1", "C.1"), ("C.1", "C.2")), strict=False
    ):
        for member, code in zip(members, codes, strict=True):
            world.submit(round_, issue, world.members[member], code)
    label_as_model(round_=round_, member=model, rows=rows(world, "C.1", "C.2"))
    [(_name, found)] = model_comparisons(agreement_report(round_))
    assert (found.compared, found.agreement.value) == (2, 3 / 4)
    assert found.kappa.value is None
    slots = "different people labelled different issues, so no pairs are compared"
    assert (
        TABLES["models"](agreement_report(round_)).rows[0][-1]
        == f"fewer than 10 issues have two labels or more, too few for an interval; {FEW_DIFFER};"
        f" {slots}; all their labels and all decisions are the same category"
    )


@pytest.mark.parametrize("issues", [1, 3])
def test_three_queries_whatever_the_number_of_issues_and_one_without_models(
    issues, model, world, django_assert_num_queries
):
    round_ = world.round()
    label_all(world, round_, *["C.1 C.2 C.1"] * issues)
    report = agreement_report(round_)
    with django_assert_num_queries(1):
        assert model_comparisons(report) == ()
    label_as_model(round_=round_, member=model, rows=rows(world, *["C.1"] * issues))
    report = agreement_report(round_)
    with django_assert_num_queries(3):
        assert model_comparisons(report)[0][1].labels == issues


def test_the_page_says_it_only_where_there_are_models(world, round_, model):
    address = reverse("agreement", args=[round_.pk])
    signed_in = client(world.lead)
    without = text_of(signed_in.get(address))
    assert "Models compared with volunteers" not in without
    assert "0 labels of models (compared with volunteers, never counted)" in without

    label_as_model(round_=round_, member=model, rows=rows(world, "C.1", "C.2", "A.1"))
    said = text_of(signed_in.get(address))
    assert "3 labels of models (compared with volunteers, never counted)" in said

    assert "Models compared with volunteers" in said
    assert (
        "M1 3 0.667 no interval: fewer than 10 issues have two labels or more, too few for an interval 0.556"
        " +0.111 no interval: fewer than 20 issues have different labels,"
        " too few for this interval – 0.500 0.300 undefined: all their labels and all decisions are the"
        " same category 100.0 % of 1"
    ) in said
    found = signed_in.get(address, {"format": "csv", "table": "models"}).text
    [row] = csv.DictReader(io.StringIO(found))
    assert (row["model"], row["labels"], row["volunteers_kappa"]) == ("M1", "3", "0.3")
    assert row["reason"] == (
        f"fewer than 10 issues have two labels or more, too few for an interval; {FEW_DIFFER};"
        " all their labels and all decisions are the same category"
    )
    assert r"M1 & 3" in signed_in.get(address, {"format": "tex", "table": "models"}).text


def test_the_note_of_a_row_has_the_doubt_of_its_interval():
    doubtful = Coefficient(0.8, 0.05, 0.7, 0.9, doubt=Reason.FEW_COMPARED)
    known = Coefficient(0.8, 0.05, 0.7, 0.9)
    assert reasons_cell([doubtful, Difference(0.1, 0.05, 0.0, 0.2, 0.05)], []) == Reason.FEW_COMPARED.text
    assert reasons_cell([known], [known]) is None
