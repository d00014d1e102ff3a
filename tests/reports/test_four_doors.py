"""The page, the command, REST and the script of the package say the same numbers, to the last digit."""

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from replication.package import write_package
from reports.agreement_report import GROUPINGS, LEVELS, PAGE_BY
from reports.sections.registry import TABLES
from rounds.queries.blindness import Reader
from studies.models import Role
from tests.factories import make_member
from tests.kept import kept
from tests.long import only_long
from tests.worlds.pages import client
from tests.worlds.recomputed import summary
from tests.worlds.uneven import uneven_twice

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

ESTIMATE = ("value", "se", "low", "high", "reason")
BY = [*GROUPINGS, "type,repository"]
TEXTS = {
    "split", "code", "category", "month", "volunteer", "first", "second", "label", "decision", "type",
    "repository", "round", "name",
}  # fmt: skip


@kept
def round_():
    return uneven_twice()


@pytest.fixture
def reader(round_):
    return client(make_member(round_.study, Role.LEAD, pseudonym="Lead"))


def by_rest(reader, round_, level, by=BY):
    query = "&".join([f"level={level}", *(f"by={names}" for names in by)])
    return reader.get(f"/api/v1/rounds/{round_.pk}/agreement/?{query}").json()


def by_command(round_, level, **options):
    out = io.StringIO()
    call_command("agreement", study=round_.study.slug, level=level, stdout=out, **options)
    return out.getvalue()


def by_page(reader, round_, level, table):
    """The rows of a table as the page hands it out; each cell is a number, a text, or None."""
    address = reverse("agreement", args=[round_.pk])
    text = reader.get(f"{address}?level={level}&format=csv&table={table}").content.decode()
    return [
        {name: _cell(name, cell) for name, cell in row.items()} for row in csv.DictReader(io.StringIO(text))
    ]


def _cell(name, text):
    if not text:
        return None
    if name in TEXTS:
        return text.removeprefix("'")
    try:
        return float(text)
    except ValueError:
        return text


def group_of(answer, **key):
    return next(one for one in answer["groups"] if one["group"] == key)


@pytest.mark.parametrize("level", LEVELS)
def test_command_and_rest_say_the_same_for_every_grouping(round_, reader, level):
    answer = by_rest(reader, round_, level)
    printed = json.loads(by_command(round_, level, by=BY))

    assert answer.pop("as_of")
    assert printed.pop("as_of")
    assert answer == printed
    assert {tuple(group["group"]) for group in answer["groups"]} >= {
        (), ("type",), ("repository",), ("month",),
    }  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
def test_the_tables_of_the_page_say_what_rest_says(round_, reader, level):
    answer = by_rest(reader, round_, level)
    whole = group_of(answer)

    def table(name):
        return by_page(reader, round_, level, name)

    assert table("coefficients") == [
        {"coefficient": name, **_cells(whole["coefficients"][name])}
        for name in _ordered(whole["coefficients"])
    ]
    for row in table("report"):
        key = _key(row["group"])
        group = group_of(answer, **key)
        assert (row["issues"], row["labels"]) == (group["issues"], group["labels"])
        assert row["raters"] == group["raters"]
        assert {name: row[name] for name in ESTIMATE} == _cells(group["coefficients"][row["coefficient"]])
    for name, column in (("types", "type"), ("repositories", "repository"), ("months", "month")):
        rows = table(name)
        if name == "types" and (beside := answer["groups_and_whole"]):
            alone = rows.pop()
            assert (alone["type"], alone["fleiss_kappa"]) == ("types alone", beside["types_alone"])
            assert beside["whole"] == whole["coefficients"]["fleiss_kappa"]["value"]
            assert {one["group"]["type"]: one["fleiss_kappa"] for one in beside["types"]} == {
                row["type"]: row["fleiss_kappa"] for row in rows[:-1] if row["fleiss_kappa"] is not None
            }
        assert len(rows) == 1 + sum(set(group["group"]) == {column} for group in answer["groups"])
        for row in rows:
            group = whole if row[column] == "all" else group_of(answer, **{column: row[column]})
            found = group["coefficients"]
            assert row == {
                column: row[column],
                "issues": group["issues"],
                "labels": group["labels"],
                "percent_agreement": found["percent_agreement"]["value"],
                "fleiss_kappa": found["fleiss_kappa"]["value"],
                **{key: _cells(found["fleiss_kappa"])[key] for key in ESTIMATE[1:]},
                "gwet_ac1": found["gwet_ac1"]["value"],
            }
    assert _without(table("categories"), "name") == [_cells(one) for one in whole["categories"]]
    assert table("pairs") == answer["pairs"]
    assert table("confusion") == answer["confusion"]
    assert table("against-decision") == answer["against_decision"]
    assert _without(table("distribution"), "name") == answer["distribution"]
    assert table("over-time-test") == [answer["over_time"]["change"]]
    months = {month["month"]: month for month in answer["over_time"]["months"]}
    for row in table("over-time"):
        month = months[row["month"]]
        found = month["categories"][row["code"]]
        decided = sum(one["decided"] for one in month["categories"].values())
        assert (row["labels"], row["decided"]) == (found["labels"], found["decided"])
        assert row["share"] == (found["labels"] / month["labels"] if month["labels"] else None)
        assert row["decided_share"] == (found["decided"] / decided if decided else None)
    for row, line in zip(table("issues"), answer["issues"], strict=True):
        assert row == {
            **{key: line[key] for key in ("repository", "issues", "undecided", "false_positives")},
            **{f"year_{year}": number for year, number in line["years"].items()},
            **{f"type_{code}": number for code, number in line["types"].items()},
        }
    for row in table("rounds"):
        group = group_of(answer, round=row["round"])
        kappa = group["coefficients"]["fleiss_kappa"]
        assert (row["issues"], row["labels"], row["withheld"]) == (
            group["issues"], group["labels"], group["withheld"],
        )  # fmt: skip
        assert {key: row[key] for key in ESTIMATE[1:]} == {key: _cells(kappa)[key] for key in ESTIMATE[1:]}
        assert row["fleiss_kappa"] == kappa["value"]
    assert table("splits") == [
        one | {"split": ":".join(map(str, one.pop("sizes")))} for one in answer["splits"]
    ]
    assert [(row["reason"], row["count"]) for row in table("left-out")] == list(whole["left_out"].items())
    for row, one in zip(table("volunteers"), answer["volunteers"], strict=True):
        assert row["volunteer"] == one["volunteer"]
        assert (row["agreement"], row["low"], row["high"]) == tuple(
            one["agreement"][key] for key in ("value", "low", "high")
        )
        assert (row["mean_kappa"], row["kappa_without"], row["effect"], row["alone"]) == (
            one["mean_kappa"]["value"], one["without"]["value"], one["effect"], one["alone"],
        )  # fmt: skip
        assert (row["decision_agreement"], row["decision_kappa"]) == (
            one["decision"]["percent_agreement"], one["decision"]["cohen_kappa"],
        )  # fmt: skip
    for row, one in zip(table("differences"), answer["differences"], strict=True):
        assert row == {
            "difference" if key == "value" else "p_adjusted" if key == "adjusted" else key: value
            for key, value in (one | {"reason": one["reason"] or one["doubt"]}).items()
            if key != "doubt"
        }
    twice = answer["intra_rater"]
    for row, one in zip(table("intra-rater"), [*twice["volunteers"], twice["pooled"]], strict=True):
        share, kappa = one["percent_agreement"], one["cohen_kappa"]
        assert (row["issues"], row["percent_agreement"], row["low"], row["high"]) == (
            one["issues"], share["value"], share["low"], share["high"],
        )  # fmt: skip
        assert (row["cohen_kappa"], row["kappa_low"], row["kappa_high"], row["reason"]) == (
            kappa["value"], kappa["low"], kappa["high"], kappa["reason"] or kappa["doubt"],
        )  # fmt: skip


def _cells(found):
    """As in tables, where the note is of a missing number or of a doubtful interval."""
    return {key: value for key, value in found.items() if key != "doubt"} | {
        "reason": found["reason"] or found["doubt"]
    }


def _without(rows, name):
    return [{key: value for key, value in row.items() if key != name} for row in rows]


def _key(text):
    """What `rows` writes of a group: "all", or "type C"."""
    return {} if text == "all" else dict(part.split(" ", 1) for part in text.split(", "))


def _ordered(found):
    names = ["percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "brennan_prediger"]
    assert {*names, "light_kappa", "conger_kappa"} == set(found)
    return [*names, "light_kappa", "conger_kappa"]


@pytest.mark.parametrize("level", LEVELS)
def test_every_table_of_the_page_is_that_of_the_command(round_, reader, level):
    by = [",".join(names) for names in PAGE_BY]
    address = reverse("agreement", args=[round_.pk])
    for name in TABLES:
        file = reader.get(f"{address}?level={level}&format=csv&table={name}").content.decode()
        assert file == by_command(round_, level, by=by, format="csv", table=name), name


@only_long
@pytest.mark.parametrize("level", LEVELS)
def test_the_script_of_the_package_recomputes_what_rest_says(round_, reader, level, tmp_path):
    write_package(round_, tmp_path)
    (tmp_path / "rest.json").write_text(json.dumps(by_rest(reader, round_, level)))

    # To the last digit: `summary` takes no less.
    numbers, wrong, _skipped = summary(tmp_path, "rest.json")

    assert wrong == 0
    assert numbers > 200


def test_the_package_says_what_rest_says_and_where_volunteers_stood_alone_what_the_page_says(
    round_, reader, tmp_path
):
    write_package(round_, tmp_path, reader=Reader(None))
    packed = json.loads((tmp_path / "agreement.json").read_text())
    dissents, consensus = packed.pop("dissents"), packed.pop("consensus")

    parts = ("dissents_trend", "pair_categories", "probable")
    on_request = {name: packed.pop(name) for name in parts}
    query = "&".join(["level=theme", *(f"with={name}" for name in parts)])
    asked = reader.get(f"/api/v1/rounds/{round_.pk}/agreement/?{query}").json()
    assert on_request == {name: asked[name] for name in parts}
    answer = by_rest(reader, round_, "theme", by=["type", "repository", "month", "round"])
    assert {**packed, "as_of": ""} == {**answer, "as_of": ""}
    assert consensus is None
    rows = by_page(reader, round_, "theme", "dissents")
    assert [(row["volunteer"], row["tenth"], row["issues"], row["alone"]) for row in rows] == [
        (way["volunteer"], tenth, one["issues"], one["alone"])
        for way in dissents
        for tenth, one in enumerate(way["tenths"], start=1)
    ]
