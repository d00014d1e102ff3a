"""The study's own weights: who sets them, what is refused, and which reports use them."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import InternalError, connection, transaction
from django.urls import reverse

from replication.package import write_package
from reports.agreement_report import agreement_report
from reports.formats.json_report import report_as_dict
from reports.models import WeightMatrix
from reports.queries.weighted import weighted_report
from reports.sentences.paragraph import how_to_report
from reports.sentences.weighted import lacking
from studies.models import Event
from taxonomy.models import Level
from tests.kept import kept
from tests.worlds.pages import client, label_all, text_of
from tests.worlds.recomputed import run, summary

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4, members=3)]

THEMES = ["A.1", "A.2", "B.1", "B.2", "C.1", "C.2", "C.3", "C.9", "C.10"]


def matrix(*near, codes=THEMES):
    """All themes, with the weight 0.5 for C.1 and C.2 and for these pairs."""
    pairs = {frozenset(pair) for pair in (("C.1", "C.2"), *near)}
    rows = [",".join(["", *codes])]
    for one in codes:
        weights = ["1" if one == other else "0.5" if {one, other} in pairs else "0" for other in codes]
        rows.append(",".join([one, *weights]))
    return "\n".join(rows) + "\n"


@kept
def labelled(world):
    round_ = world.round(depth=Level.THEME)
    label_all(world, round_, "C.1 C.1 C.2", "C.1 C.1 C.1", "A.1 A.1 A.1", "B.1 B.1 C.9")
    return round_


def address(world, name="taxonomy_weights"):
    return reverse(name, args=[world.version.taxonomy_id])


def rest(world):
    return reverse("api_taxonomy_weights", args=[world.version.taxonomy_id, 1])


def put(member, world, text):
    return client(member).put(rest(world), {"csv": text}, content_type="application/json")


def test_a_matrix_of_the_study_takes_the_place_of_the_tree(world, labelled):
    before = weighted_report(agreement_report(labelled))

    answer = client(world.lead).post(address(world), {"text": matrix()})

    assert answer.status_code == 302
    report = agreement_report(labelled)
    found = weighted_report(report)
    assert (before.matrix, found.matrix, found.weights.longest) == (None, 1, None)
    # Of three pairs two are half the same: 2/3. Then 1, 1 and 1/3.
    assert found.overall.coefficients["percent_agreement"].value == (2 / 3 + 2 + 1 / 3) / 4
    assert report_as_dict(report)["weighted"]["weights"] == "matrix"
    assert "(weights of the study’s own matrix 1), weighted Fleiss’ κ = " in how_to_report(report)
    page = text_of(client(world.lead).get(reverse("agreement", args=[labelled.pk])))
    assert "partly the same, by the study’s own matrix 1." in page
    event = Event.objects.get(verb="reports.weights_set")
    assert (event.by, event.detail) == (
        world.lead.user, {"number": 1, "version": 1, "taxonomy": world.version.taxonomy.name},
    )  # fmt: skip


def test_a_level_whose_categories_the_matrix_lacks_keeps_the_tree_and_says_so(world, labelled):
    put(world.lead, world, matrix())

    found = weighted_report(agreement_report(labelled, level=Level.SUB_THEME))

    assert (found.matrix, found.lacking) == (None, ("A.1.i", "A.1.ii", "C.1.i"))
    assert lacking(found) == (
        "The study’s own matrix has no weights for 3 categories of this level, so the weights are those of the"
        " tree: A.1.i, A.1.ii and C.1.i."
    )


def test_the_tree_comes_back_and_every_matrix_stays(world, labelled):
    put(world.lead, world, matrix())
    put(world.lead, world, matrix())
    put(world.lead, world, matrix(("A.1", "A.2")))

    client(world.lead).post(address(world), {"tree": "yes"})

    assert [(one.number, bool(one.text)) for one in WeightMatrix.objects.order_by("number")] == [
        (1, True), (2, True), (3, False),
    ]  # fmt: skip
    assert weighted_report(agreement_report(labelled)).matrix is None
    sent = client(world.lead).get(address(world, "taxonomy_weights_csv"), {"number": 1})
    assert sent.content.decode() == matrix()
    assert client(world.lead).get(address(world, "taxonomy_weights_csv"), {"number": 3}).status_code == 404
    with pytest.raises(InternalError, match="update"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE reports_weightmatrix SET text = ''")


def test_the_tree_can_be_downloaded_and_set_as_a_file(world):
    sent = client(world.lead).get(address(world, "taxonomy_weights_csv"))

    answer = client(world.lead).post(
        address(world), {"file": SimpleUploadedFile("w.csv", b"\xef\xbb\xbf" + sent.content)}
    )

    assert answer.status_code == 302
    assert WeightMatrix.objects.get().text == sent.content.decode()
    assert sent.content.decode().splitlines()[1].startswith("A,1,0.833333,0.666667,0.666667,")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "Choose a CSV file, or enter the matrix as text."),
        ({"file": SimpleUploadedFile("w.csv", b"\xff\xfe")}, "The file is not UTF-8 text."),
        ({"text": ",A.1,X\nA.1,1,0\n"}, "Line 1: this version has no category X."),
        ({"text": ",A.1,A.2\nA.1,1,0.5\nA.2,0.4,1\n"}, "is 0.4 here and 0.5 in line 2."),
    ],
)
def test_what_is_no_matrix_is_refused_with_line_and_cause_and_changes_nothing(world, given, said):
    answer = client(world.lead).post(address(world), given)

    assert answer.status_code == 422
    assert said in text_of(answer)
    assert not WeightMatrix.objects.exists()


def test_volunteers_read_the_weights_and_cannot_set_them(world):
    first = world.members[0]
    assert "Set own weights" not in text_of(client(first).get(address(world)))
    assert client(first).post(address(world), {"text": matrix()}).status_code == 403
    assert put(first, world, matrix()).status_code == 403
    assert not WeightMatrix.objects.exists()


def test_rest_reads_sets_and_takes_back(world):
    reader = client(world.lead)
    assert reader.get(rest(world)).json()["weights"] == "tree"

    assert put(world.lead, world, matrix()).json() == {"weights": "matrix", "number": 1, "csv": matrix()}
    refused = put(world.lead, world, ",A.1\nA.1,2\n")
    assert refused.status_code == 422
    assert "Line 2" in json.dumps(refused.json())
    assert reader.delete(rest(world)).status_code == 204
    assert (reader.get(rest(world)).json()["number"], WeightMatrix.objects.count()) == (None, 2)


def test_the_package_recomputes_with_the_matrix_that_the_report_names(world, labelled, tmp_path):
    put(world.lead, world, matrix())
    put(world.lead, world, matrix(("B.1", "C.9")))

    write_package(labelled, tmp_path)

    assert (tmp_path / "weights/weights-1.csv").read_text() == matrix()
    assert json.loads((tmp_path / "agreement.json").read_text())["weighted"]["matrix"] == 2
    assert summary(tmp_path)[1] == 0, run(tmp_path).stdout
    (tmp_path / "weights/weights-2.csv").write_text(matrix())
    assert "weighted groups [all] coefficients fleiss_kappa value" in "\n".join(
        line for line in run(tmp_path).stdout.splitlines() if line.endswith("DIFFERS")
    )
