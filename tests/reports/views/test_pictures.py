"""Pictures of the agreement page as files: who gets them, which there are, and what the page says of them."""

import json

import pytest
from django.urls import reverse

from core.places import place
from drawing import vega
from reports.agreement_report import PAGE_BY as BY
from reports.agreement_report import agreement_report
from reports.formats.tables import number
from reports.pictures.catalogue import pictures, specification
from rounds.models import Round
from tests.kept import kept
from tests.long import only_long
from tests.worlds.pages import client, label_all, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=7)]

ROWS = ("C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 A.1 A.1", "C.2 A.1 C.1", "B.1 B.1 C.1", "C.2 C.2 C.2")


@kept
def labelled(world):
    """Six complete issues; the seventh has two of three labels."""
    round_ = world.round(name="Main round")
    label_all(world, round_, *ROWS, "C.9 C.9 -")
    return round_


def address(round_, name="coefficients", form="json", query=""):
    return f"{reverse('agreement_picture', args=[round_.pk, name, form])}?{query}"


# --- which there are


@only_long
def test_all_at_once_are_what_each_is_alone(world, labelled):
    reader = client(world.lead)
    together = reader.get(address(labelled, "all", query="width=screen")).json()
    assert list(together) == [one.name for one in pictures(agreement_report(labelled, by=BY))]
    for name, spec in together.items():
        assert spec == reader.get(address(labelled, name, query="width=screen")).json()
    Round.objects.filter(pk=labelled.pk).update(name="Renamed")
    again = reader.get(address(labelled, "all", query="width=screen")).json()
    assert "Renamed" in again["coefficients"]["description"]
    world.submit(labelled, world.issues[6], world.members[2], "C.1")
    later = reader.get(address(labelled, "all", query="width=screen")).json()
    assert later["coefficients"]["datasets"] != again["coefficients"]["datasets"]
    assert reader.get(address(labelled, "all", "svg")).status_code == 404
    assert reader.get(address(labelled, "all", query="width=poster")).status_code == 404


def test_the_json_is_the_specification_of_the_report(world, labelled):
    answer = client(world.lead).get(address(labelled, "categories", query="level=type&width=page"))

    report = agreement_report(labelled, level=1)
    assert json.loads(answer.content) == json.loads(json.dumps(specification(report, "categories", "page")))
    assert answer["Content-Type"] == "application/json"
    assert answer["Content-Disposition"] == (
        f'attachment; filename="{world.study.slug}-main-round-type-categories-page.json"'
    )
    assert answer["Crosscheck-Withheld"] == "0"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "kind", "begins"),
    [
        ("svg", "image/svg+xml", b"<svg "),
        ("pdf", "application/pdf", b"%PDF-"),
        ("png", "image/png", b"\x89PNG"),
    ],
)
def test_a_file_is_of_its_kind_and_for_a_column(world, labelled, form, kind, begins):
    answer = client(world.lead).get(address(labelled, "pairs", form))
    assert (answer.status_code, answer["Content-Type"]) == (200, kind)
    assert answer.content.startswith(begins)
    assert answer["Content-Disposition"].endswith(f'-main-round-theme-pairs-column.{form}"')


@pytest.mark.parametrize(
    ("name", "form", "query"),
    [
        ("left-out", "json", ""),
        ("coefficients", "html", ""),
        ("coefficients", "json", "width=poster"),
        ("coefficients", "json", "level=atom"),
    ],
)
def test_what_there_is_not_is_not_found(world, labelled, name, form, query):
    assert client(world.lead).get(address(labelled, name, form, query)).status_code == 404


def test_without_a_value_there_is_nothing_to_draw(world):
    round_ = world.round()
    answer = client(world.lead).get(address(round_))
    assert (answer.status_code, "This picture has no values yet" in text_of(answer)) == (409, True)
    page = client(world.lead).get(reverse("agreement", args=[round_.pk]))
    assert 'id="pictures"' not in page.content.decode()


def test_an_issue_withheld_is_in_no_picture(world, labelled):
    member = world.members[0]
    before = client(member).get(address(labelled, "confusion"))
    world.waits_for(member, world.issues[1])

    answer = client(member).get(address(labelled, "confusion"))
    assert (before["Crosscheck-Withheld"], answer["Crosscheck-Withheld"]) == ("0", "1")
    said = [f"C.1 and C.2: together on {issues}" for issues in ('2 issues"', '1 issue"')]
    assert [one in before.content.decode() for one in said] == [True, False]
    assert [one in answer.content.decode() for one in said] == [False, True]


# --- the page


def test_the_page_links_every_picture_in_both_widths_with_its_table(world, labelled):
    answer = client(world.lead).get(f"{reverse('agreement', args=[labelled.pk])}?level=theme")
    body = answer.content.decode().replace("&amp;", "&")

    names = [one.name for one in pictures(agreement_report(labelled, by=BY))]
    assert names == "coefficients types repositories pairs categories confusion distribution".split()
    for name in names:
        for form in ("svg", "pdf", "png"):
            for width in ("column", "page"):
                assert f'href="{address(labelled, name, form, f"level=theme&width={width}")}"' in body
    assert body.count("<figure ") == len(names)
    kappa = agreement_report(labelled).overall.coefficients["fleiss_kappa"]
    assert f"Fleiss’ kappa {kappa.value:.3f} {kappa.se:.3f} {number(kappa.low)}" in text_of(answer)


@only_long
def test_who_comes_while_others_are_drawn_waits_and_is_then_told_when_to_come_again(
    world, labelled, settings, tmp_path, monkeypatch
):
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(vega, "WAIT", 0.1)
    signed_in = client(world.lead)
    with place("drawing", of=2, wait=0), place("drawing", of=2, wait=0):
        refused = signed_in.get(address(labelled, form="svg"))
        # A specification is not drawn.
        assert signed_in.get(address(labelled)).status_code == 200
    assert (refused.status_code, refused["Retry-After"]) == (503, "5")
    assert "Try again in a moment" in text_of(refused)
    with place("drawing", of=2, wait=0):
        drawn = signed_in.get(address(labelled, form="svg"))
    assert (drawn.status_code, drawn["Content-Type"]) == (200, "image/svg+xml")
