"""A project and its mirror on another forge: two repositories of one path are two in whatever is counted."""

import csv
import json

import pytest

from ingest.models import Issue
from ingest.queries.issues import repository_names
from replication.package import write_package
from reports.actions.frozen import freeze_report
from reports.agreement_report import agreement_report
from reports.formats.json_report import report_as_dict
from reports.frozen.document import difference
from reports.queries.label_tuples import labels_in_order
from rounds.models import Round, RoundIssue
from studies.models import Role
from tests import factories
from tests.kept import kept
from tests.long import only_long
from tests.worlds.recomputed import run, summary

pytestmark = pytest.mark.django_db
PROJECT, MIRROR = "github.com/quill/lattice", "gitee.com/quill/lattice"


@kept
def round_() -> Round:
    """Two issues of the project, one of its mirror, one of another repository; two volunteers."""
    study = factories.make_study()
    members = [factories.make_member(study) for _ in range(2)]
    project = factories.make_repository(study, "quill/lattice")
    mirror = factories.make_repository(
        study, "quill/lattice", forge="gitee", host="gitee.com", folder="mirror"
    )
    other = factories.make_repository(study, "ember/engine")
    issues = [factories.make_issue(one, year=None) for one in (project, project, mirror, other)]
    made = factories.make_round(
        factories.make_version(study, ["A", "A.1", "C", "C.1", "C.2"]), issues, members
    )
    for issue, codes in zip(issues, ("C.1 C.1", "C.2 C.2", "C.1 C.2", "A.1 A.1"), strict=True):
        for member, code in zip(members, codes.split(), strict=True):
            factories.add_label(made, issue, member, code)
    return made


def test_names_are_paths_with_their_hosts_where_two_have_one(round_):
    factories.make_repository(factories.make_study(slug="elsewhere"), "ember/engine", host="gitee.com")
    assert list(repository_names(round_.study_id).values()) == ["ember/engine", PROJECT, MIRROR]


def test_each_is_a_group_and_a_line_of_its_own(round_):
    report = agreement_report(round_, by=[("repository",)])

    groups = {group.key["repository"]: group.agreement.issues for group in report.by("repository")}
    assert groups == {"ember/engine": 1, PROJECT: 2, MIRROR: 1}
    lines = {line["repository"]: line["issues"] for line in report_as_dict(report)["issues"]}
    assert lines == {"ember/engine": 1, PROJECT: 2, MIRROR: 1, "all": 4}

    first, second, mirrored, other = RoundIssue.objects.filter(round=round_).order_by("position")
    parts = {
        name: part.issues for name, part in labels_in_order(round_, report.codebook, had_looks=False).items()
    }
    both = [first.issue_id, second.issue_id]
    assert parts == {"ember/engine": [other.issue_id], MIRROR: [mirrored.issue_id], PROJECT: both}
    RoundIssue.objects.filter(pk=mirrored.pk).update(completed_at=None)
    left = labels_in_order(round_, report.codebook, had_looks=False)
    assert list(left) == ["ember/engine", PROJECT], "the names are those of the study"


@only_long
@pytest.mark.slow
def test_the_script_of_a_package_tells_them_apart(round_, tmp_path):
    write_package(round_, tmp_path)

    with (tmp_path / "issues.csv").open(newline="") as stream:
        assert [row["Repository"] for row in csv.DictReader(stream)] == [
            PROJECT, PROJECT, MIRROR, "ember/engine",
        ]  # fmt: skip
    stored = json.loads((tmp_path / "agreement.json").read_text())["groups"]
    assert {"repository": MIRROR} in [group["group"] for group in stored]
    assert summary(tmp_path)[1] == 0, run(tmp_path).stdout


def test_a_change_of_either_is_a_difference_from_a_frozen_report(round_):
    lead = factories.make_member(round_.study, Role.LEAD)
    frozen = freeze_report(round_=round_, by=lead, name="Then")
    of_project = Issue.objects.filter(repository__host="github.com", repository__path="quill/lattice")
    Issue.objects.filter(pk=of_project.order_by("pk")[0].pk).update(year=2021)

    changes = difference(frozen).levels["theme"]

    assert {(one.of, one.then, one.now) for one in changes if one.part == "years"} == {
        (f"{PROJECT}, unknown", 2, 1),
        (f"{PROJECT}, 2021", None, 1),
        ("all, unknown", 4, 3),
        ("all, 2021", None, 1),
    }
    assert not [one for one in changes if MIRROR in one.of]
