"""The pages of agreement and coverage: who sees what, at what cost, and the curve as a file."""

import csv

import pytest
from django.urls import reverse

from interviews.actions.codings import open_coding
from interviews.queries.agreement_rows import HEADER, study_rows
from interviews.views.saturation_figure import curve
from tests.factories.interviews import make_participant, make_session, make_transcript
from tests.interviews.coding import quote, reveal
from tests.interviews.test_api import get as api_get
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.long import only_long
from tests.worlds.pages import client, queries_of, text_of

pytestmark = pytest.mark.django_db


@kept
def world() -> InterviewWorld:
    return interview_world()


def coded(world, *, revealed=True):
    session = make_session(make_participant(world.study, world.lead), world.lead)
    make_transcript(session, world.lead)
    both = [world.coder, world.other]
    coding = open_coding(session=session, version=world.version, coders=both, by=world.lead)
    quote(coding, world.coder, "train models", "A.1", "C.9")
    quote(coding, world.other, "models", "A.1")
    return reveal(coding) if revealed else coding


def page(world, member, name, query=""):
    return client(member).get(reverse(name, args=[world.study.slug]) + query)


def test_only_revealed_interviews_count(world):
    coded(world, revealed=False)
    for name in ("codings_agreement", "coverage"):
        assert "No coding is revealed yet" in text_of(page(world, world.lead, name))
    first = coded(world)
    found = page(world, world.lead, "codings_agreement").context["found"]
    assert (found.interviews, found.answers) == ((str(first.session),), 2)
    assert [(row.state.code, row.any_coder, row.all_coders) for row in found.categories] == [
        ("A.1", 1, 1),
        ("C.9", 1, 0),
    ]
    assert "No coding is revealed yet" in text_of(page(world, world.viewer, "codings_agreement"))
    own = client(world.coder).get(reverse("coding_agreement", args=[first.pk]))
    assert own.context["found"].categories[0].all_coders == 1
    assert client(world.viewer).get(reverse("coding_agreement", args=[first.pk])).status_code == 403
    assert page(world, world.lead, "coverage", "?level=nothing").status_code == 404
    assert page(world, world.lead, "coverage", "?taxonomy=999").status_code == 404


def test_coverage_lists_what_is_never_said(world):
    coded(world)
    shown = page(world, world.lead, "coverage")
    rows = {row.state.code: (row.counts, labels) for row, labels in shown.context["rows"]}
    assert (rows["A.1"], rows["C.9"], rows["B.1"]) == (((1,), 0), ((1,), 0), ((0,), 0))
    assert "said, in no issue" in text_of(shown)
    assert "<svg" not in text_of(shown)
    assert page(world, world.lead, "coverage", "?level=type").context["rows"][0][0].counts == (1,)


def test_pages_cost_the_same_for_one_and_for_three(world):
    coded(world)
    addresses = [reverse(name, args=[world.study.slug]) for name in ("codings_agreement", "coverage")]
    one = [queries_of(client(world.lead), address) for address in addresses]
    coded(world)
    coded(world)
    assert [queries_of(client(world.lead), address) for address in addresses] == one


@only_long
def test_the_curve_is_drawn_and_can_be_downloaded(world):
    assert curve([3]) is None
    drawn = curve([2, 4])
    assert (drawn.points, [number for _x, _y, number in drawn.dots]) == ("44.0,90.0 552.0,12.0", [2, 4])
    coded(world)
    coded(world)
    assert '<polyline points="44.0,' in page(world, world.lead, "coverage").text
    file = client(world.lead).get(reverse("saturation_file", args=[world.study.slug, "svg"]))
    assert (file.status_code, file["Content-Type"]) == (200, "image/svg+xml")
    assert b"<svg" in file.content
    assert (
        client(world.lead).get(reverse("saturation_file", args=[world.study.slug, "exe"])).status_code == 404
    )


def test_the_same_over_rest(world):
    path = f"studies/{world.study.slug}/codings"
    assert api_get(world.lead, f"{path}/agreement/").json() == {
        "interviews": [], "answers": 0, "categories": [], "by_interview": False, "pooled": None, "pairs": [],
        "is_narrow": False, "outside": 0, "left_behind": 0, "unfinished": [],
    }  # fmt: skip
    first = coded(world)
    found = api_get(world.lead, f"{path}/agreement/").json()
    assert found == api_get(world.coder, f"codings/{first.pk}/agreement/").json()
    [one, other] = found["categories"]
    few = "fewer than ten answers have this code, too few for an interval"
    assert (one["code"], one["coefficients"]["fleiss_kappa"]["value"]) == ("A.1", 1)
    assert one["coefficients"]["percent_agreement"] == {"value": 1, "low": None, "high": None, "reason": few}
    assert (other["code"], other["all_coders"]) == ("C.9", 0)
    assert (found["by_interview"], found["pooled"]["fleiss_kappa"]["reason"]) == (False, few)
    assert found["pairs"] == [
        {"first": "R3", "second": "R4", "quotes": 2, "met": 2, "equal": 2, "characters": 0.5}
    ]
    cover = api_get(world.lead, f"{path}/coverage/?level=type").json()
    assert (cover["interviews"], cover["new_codes"][0]["so_far"]) == ([str(first.session)], 2)
    assert cover["rows"][0] == {"code": "A", "counts": [1], "interviews": 1, "labels": 0}
    assert api_get(world.lead, f"{path}/coverage/?level=x").status_code == 400
    assert api_get(world.lead, f"{path}/coverage/?taxonomy=999").status_code == 404


def test_the_numbers_come_as_csv_each_with_its_unit_on_pages_and_over_rest(world):
    coding = coded(world)
    coded(world, revealed=False)
    of_one = client(world.lead).get(reverse("coding_agreement_csv", args=[coding.pk])).getvalue()
    rows = list(csv.DictReader(of_one.decode().splitlines()))
    said = {(row["Unit"], row["Coders"], row["Code"], row["Measure"]): row["Value"] for row in rows}
    assert {row["Interviews"] for row in rows} == {str(coding.session)}
    assert {row["Level"] for row in rows} == {"theme"}
    assert said["answer and category", "", "C.9", "answers_any_coder"] == "1"
    assert said["answer and category", "", "C.9", "answers_all_coders"] == "0"
    assert said["answer and category", "", "A.1", "fleiss_kappa"] == "1.0"
    assert said["answer and category", "", "", "answers"] == "2"
    pair = ("quote", "R3 R4", "")
    assert [said[*pair, name] for name in ("quotes", "overlap_the_other", "with_an_equal_code")] == [
        "2",
        "2",
        "2",
    ]
    assert said["character in a quote", "R3 R4", "", "shared_characters"] == "0.5"
    undefined = [row["Reason"] for row in rows if row["Value"] == "" and row["Unit"] != "does not count"]
    assert all(undefined)
    of_all = client(world.lead).get(reverse("codings_agreement_csv", args=[world.study.slug])).getvalue()
    assert of_all == of_one
    rest = [f"codings/{coding.pk}/agreement.csv", f"studies/{world.study.slug}/codings/agreement.csv"]
    assert [api_get(world.lead, path).getvalue() for path in rest] == [of_all, of_all]
    assert api_get(world.lead, f"{rest[0]}?level=x").status_code == 400
    hidden = api_get(world.viewer, rest[1]).getvalue().decode()
    assert hidden.splitlines() == [",".join(HEADER)]  # nothing is settled: viewers read none
    assert {row[2] for row in study_rows(world.study, None)} == {"type", "theme", "sub-theme"}
    assert list(study_rows(world.study, world.viewer)) == []
