"""Two reports of one round beside each other: every number that differs, and no other."""

import copy
import json

import pytest

from annotate.actions.model_labels import label_as_model
from ingest.models import Issue
from reports.actions.frozen import freeze_report
from reports.agreement_report import agreement_report
from reports.formats.json_report import report_as_dict
from reports.frozen.document import changes, difference, figures
from reports.models import FrozenReport
from studies.models import Role
from tests import factories
from tests.annotate.actions.test_model_labels import rows
from tests.kept import kept
from tests.worlds.pages import client, text_of
from tests.worlds.parted import give_labels
from tests.worlds.uneven import uneven_twice

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4)]


@kept
def round_(world):
    """Two unanimous issues, C.1 and C.2, and a disagreement; one lacks a label."""
    made = world.round()
    give_labels(world, made, "C.1 C.1 C.1", "C.2 C.2 C.2", "C.1 C.1 C.2", "C.1 C.1 -")
    return made


@pytest.fixture
def frozen(world, round_) -> FrozenReport:
    return freeze_report(round_=round_, by=world.lead, name="Then")


def found(frozen, level="theme"):
    return {(one.part, one.of, one.name): (one.then, one.now) for one in difference(frozen).levels[level]}


def test_every_number_of_the_json_is_looked_at():
    """What is left out because the round goes on is not, nor is what says of what a number is."""
    made = uneven_twice()
    report = json.loads(
        json.dumps(report_as_dict(agreement_report(made, by=[["type"], ["repository"], ["month"]])))
    )
    for group in report["groups"][1:]:
        # The categories of groups are in the JSON alone.
        group["categories"] = []
    for name in ("incomplete_issues", "labels_of_incomplete_issues", "surplus_labels"):
        report["groups"][0]["left_out"].pop(name, None)
    # Said of other parts too: how many issues labelled twice were left out, and the false positives.
    report["intra_rater"].pop("left_out")
    report.pop("drift_check")
    # Said of groups, too.
    report.pop("groups_and_whole")
    unseen = {
        "withheld",
        "coached",
        "coached_left_out",
        "se",
        "sizes",
        "base",
        "compared",
        "false_positives",
        "df",
        # Of a difference: its p before the correction, and the issues of the groups.
        "p",
        "first_issues",
        "second_issues",
    }

    def leaves(part, key=""):
        if isinstance(part, dict):
            for name, value in part.items():
                yield from leaves(value, name)
        elif isinstance(part, list):
            for value in part:
                yield from leaves(value, key)
        elif isinstance(part, int | float) and key not in unseen:
            yield part

    seen = dict(figures(report, set(report)))
    values = [figure.value for key, figure in seen.items() if key.name not in unseen]
    bounds = [bound for figure in seen.values() for bound in figure.interval or ()]
    expected = sorted(leaves(report))
    assert sorted([one for one in values if one is not None] + bounds) == expected
    assert len(expected) > 280


def test_a_year_that_was_read_later_is_a_difference(world, round_, frozen):
    assert found(frozen) == {}
    Issue.objects.filter(pk=world.issues[0].pk).update(year=1999)
    path = world.repository.path
    changed = {key: value for key, value in found(frozen).items() if key[0] == "years"}
    before = Issue.objects.get(pk=world.issues[1].pk).year or "unknown"
    assert changed == {
        ("years", f"{path}, {before}", "issues"): (3, 2),
        ("years", f"{path}, 1999", "issues"): (None, 1),
        ("years", f"all, {before}", "issues"): (3, 2),
        ("years", "all, 1999", "issues"): (None, 1),
    }
    assert f"By year: {path}, 1999" in page(world, round_, frozen)
    # The list says so too.
    assert "changed since" in text_of(client(world.lead).get(f"/rounds/{round_.pk}/agreement/frozen/"))


def test_labels_over_time_pairs_and_repositories_are_shown_where_an_issue_came(world, round_, frozen):
    world.submit(round_, world.issues[3], world.members[2], "C.9")
    changed = found(frozen)
    [month] = json.loads(frozen.document)["levels"]["theme"]["over_time"]["months"]
    assert changed["over-time", month["month"], "issues"] == (3, 4)
    assert changed["over-time", f"{month['month']}, C.1", "labels"] == (5, 7)
    assert changed["over-time", f"{month['month']}, C.9", "labels"] == (None, 1)
    # Nobody decided C.9: nothing then, and nothing now.
    assert ("over-time", f"{month['month']}, C.9", "decided") not in changed
    assert changed["issues", world.repository.path, "issues"] == (3, 4)
    assert changed["pairs", "R1, R3", "issues"] == (3, 4)
    assert changed["confusion", "C.1, C.9", "issues"] == (None, 1)
    assert ("pairs", "R1, R2", "percent_agreement") not in changed
    text = page(world, round_, frozen)
    for said in ("Over time:", "Pair R1, R3", "Both chosen: C.1, C.9", "Repository"):
        assert said in text


def test_a_model_that_labelled_since_is_a_difference(world, round_, frozen):
    model = factories.make_member(world.study, Role.MODEL, pseudonym="M1")
    label_as_model(round_=round_, member=model, rows=rows(world, "C.1", "C.2", "C.2"))
    changed = found(frozen)
    assert {key[:2] for key in changed} == {("models", "M1")}
    assert changed["models", "M1", "labels"] == (None, 3)
    assert changed["models", "M1", "agreement"] == pytest.approx((None, (1 + 1 + 1 / 3) / 3))
    assert "Model M1" in page(world, round_, frozen)


def test_an_interval_alone_is_a_difference_and_one_that_was_not_computed_is_none(world, round_, frozen):
    now = report_as_dict(agreement_report(round_, by=[["type"], ["repository"], ["month"]]))
    then = copy.deepcopy(json.loads(frozen.document)["levels"]["theme"])
    assert changes(then, now) == ()

    kappa = then["groups"][0]["coefficients"]["fleiss_kappa"]
    today = now["groups"][0]["coefficients"]["fleiss_kappa"]
    for bounds in (kappa, today):
        bounds |= {"low": 0.25, "high": 0.75}
    assert changes(then, now) == ()
    kappa["low"] -= 0.001
    [one] = changes(then, now)
    assert (one.part, one.of, one.name, one.change) == ("groups", "all", "fleiss_kappa", 0)
    assert one.then_interval == (kappa["low"], kappa["high"])
    assert one.now_interval[0] == pytest.approx(kappa["low"] + 0.001)

    # An earlier Crosscheck gave neither an interval nor pairs.
    kappa["low"] = kappa["high"] = None
    del then["pairs"], then["models"]
    assert changes(then, now) == ()


def page(world, round_, frozen):
    return text_of(client(world.lead).get(frozen.get_absolute_url()))
