"""The replication package is enough to compute every number of its report again, and its script says so."""

import csv
import json
from importlib.metadata import PackageNotFoundError, version

import pytest
from django.utils import timezone

from annotate.actions.model_labels import ModelRow, label_as_model
from annotate.actions.volunteers import remove_volunteer
from annotate.models import Repeat
from consensus.actions.meetings import close_meeting
from consensus.actions.votes import cast_ballot, close_vote
from consensus.models import Decision
from consensus.queries.threads import called
from replication import package
from replication.actions.published import import_study
from replication.package import write_package
from reports.actions.frozen import freeze_report
from reports.agreement_report import BY, LEVELS, agreement_report
from reports.formats.json_report import report_as_dict
from rounds.models import Assignment, Round
from rounds.queries.blindness import Reader
from studies.models import Role
from taxonomy.tree.drafts import ADD, RETIRE
from tests import factories
from tests.annotate.actions.test_version_upgrade import change, labelled_world, publication
from tests.long import only_long
from tests.worlds.looks import split_and_look_again
from tests.worlds.meeting import meeting_world
from tests.worlds.published_folders import write_study
from tests.worlds.recomputed import changed_files, run, summary, wrong_paths
from tests.worlds.uneven import CODES, again, uneven, uneven_twice
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def change_one(path, **changed):
    """Rewrite the first row of a CSV file; each value is by the name of its column."""
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    rows[0] |= changed
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def rows_of(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def close(round_):
    Round.objects.filter(pk=round_.pk).update(closed_at=timezone.now())
    round_.refresh_from_db()


def test_every_number_of_a_published_study_is_recomputed(tmp_path):
    import_study(folder=write_study(tmp_path / "in"), slug="engines")
    write_package(Round.objects.get(), tmp_path / "out")

    stored = json.loads((tmp_path / "out/agreement.json").read_text())
    numbers, wrong, skipped = summary(tmp_path / "out")

    assert [group["group"] for group in stored["groups"]][:3] == [{}, {"type": "A"}, {"type": "C"}]
    assert (wrong, skipped) == (0, 0)
    assert numbers > 6 * 5 * len(stored["groups"])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("is_closed", [False, True])
@pytest.mark.slow
def test_unequal_missing_open_and_undefined_numbers_are_recomputed_at_every_level(
    tmp_path, tmp_path_factory, level, is_closed
):
    round_ = uneven_twice()
    if is_closed:
        close(round_)
    write_package(round_, tmp_path)
    report = agreement_report(round_, level=LEVELS[level], by=[*BY, ("category",), ("type", "repository")])
    other = tmp_path_factory.mktemp("other") / "other.json"
    other.write_text(json.dumps(report_as_dict(report)))

    numbers, wrong, skipped = summary(tmp_path, str(other))

    assert (wrong, run(tmp_path).returncode) == (0, 0), run(tmp_path, str(other)).stdout
    # While it is open, what is not complete is not in the package: how much that is cannot be counted from it.
    assert skipped == (0 if is_closed else 3)
    assert numbers > 200
    unsaid = [group for group in report.groups if group.key == {"type": "B"}]
    assert unsaid[0].agreement.coefficients["fleiss_kappa"].value is None


@only_long
def test_rounds_without_pairs_and_rounds_without_labels_are_recomputed(tmp_path):
    study = factories.make_study()
    members = [factories.make_member(study) for _ in range(3)]
    issues = [factories.make_issue(factories.make_repository(study)) for _ in range(3)]
    made = factories.make_round(
        factories.make_version(study, CODES),
        issues,
        members,
        allocation=Round.Allocation.K_OF_N,
        labels_per_issue=2,
    )
    write_package(made, tmp_path / "nothing")
    for issue, one, other in ((0, 0, 1), (1, 1, 2), (2, 2, 0)):
        factories.add_label(made, issues[issue], members[one], "C.1")
        factories.add_label(made, issues[issue], members[other], ("C.1", "C.2", "A.1")[issue])
    write_package(made, tmp_path / "slots")

    stored = json.loads((tmp_path / "slots/agreement.json").read_text())
    assert stored["groups"][0]["raters"] == 3
    assert stored["groups"][0]["coefficients"]["light_kappa"]["value"] is None
    assert summary(tmp_path / "slots")[1] == 0
    assert json.loads((tmp_path / "nothing/agreement.json").read_text())["groups"][0]["issues"] == 0
    assert summary(tmp_path / "nothing")[1] == 0


@only_long
def test_who_left_in_mid_round_keeps_their_place_among_the_pairs(tmp_path):
    """R1 labels the last two of four issues alone: by the files, R2 comes first."""
    world = small_world(issues=4)
    round_ = world.round()
    first, *others = world.members
    order = [one.issue for one in round_.round_issues.select_related("issue").order_by("position")]
    for issue, code in zip(order[2:], ("C.1", "C.2"), strict=True):
        world.submit(round_, issue, first, code)
    remove_volunteer(round_=round_, member=first, by=world.lead)
    for member, codes in zip(others, ("C.1 C.2 C.1 C.1", "C.1 C.1 C.1 C.2"), strict=True):
        for issue, code in zip(order, codes.split(), strict=True):
            world.submit(round_, issue, member, code)
    write_package(Round.objects.get(), tmp_path)

    stored = json.loads((tmp_path / "agreement.json").read_text())
    pairs = [(pair["first"], pair["second"], pair["issues"]) for pair in stored["pairs"]]
    assert pairs == [("R1", "R2", 2), ("R1", "R3", 2), ("R2", "R3", 4)]
    assert summary(tmp_path)[1] == 0, run(tmp_path).stdout


@only_long
def test_the_drift_check_of_thirty_issues_is_recomputed_with_its_intervals(tmp_path):
    study = factories.make_study()
    members = [factories.make_member(study) for _ in range(2)]
    repository = factories.make_repository(study)
    issues = [factories.make_issue(repository) for _ in range(32)]
    made = factories.make_round(factories.make_version(study, CODES), issues, members)
    for place, issue in enumerate(issues):
        for member in members:
            factories.add_label(made, issue, member, ("C.1", "C.2", "A.1")[place % 3])
        again(made, place, 0, ("C.1", "C.2", "A.1")[place % 3 if place % 5 else 0])
        again(made, place, 1, ("C.1", "C.2", "A.1")[place % 3])
    write_package(made, tmp_path)

    stored = json.loads((tmp_path / "agreement.json").read_text())["intra_rater"]
    assert stored["pooled"]["cohen_kappa"]["se"] > 0
    assert stored["volunteers"][1]["cohen_kappa"]["value"] == 1
    assert summary(tmp_path)[1] == 0


@pytest.mark.parametrize(
    ("file", "changed", "differing"),
    [
        ("labels_long.csv", {"Label": "A.2"}, "[all] coefficients fleiss_kappa value"),
        ("labels_long.csv", {"Volunteer": "R9"}, "groups [all] raters"),
        ("issues.csv", {"Final_Label": "A.1"}, "volunteers [R1] decision percent_agreement"),
        ("labels_twice.csv", {"Second_Label": "C.1"}, "intra_rater pooled percent_agreement value"),
    ],
)
def test_one_changed_cell_is_seen(tmp_path, file, changed, differing):
    round_ = uneven()
    again(round_, 0, 0, "C.2")
    write_package(round_, tmp_path)

    change_one(tmp_path / file, **changed)

    assert any(path.endswith(differing) for path in wrong_paths(tmp_path))


@only_long
def test_a_file_that_is_not_that_of_the_manifest_is_named(tmp_path):
    """Also where no number is made of it: the labels that people reuse are in a column per volunteer."""
    import_study(folder=write_study(tmp_path / "in"), slug="engines")
    package = tmp_path / "out"
    hashes = write_package(Round.objects.get(), package)
    number = len(hashes) - 1
    said = f"{number} files: {number} as manifest.json names them, 0 changed, missing or added."
    assert said in run(package).stdout.splitlines()

    wide = (package / "engine/engine.csv").read_text()
    first = "issues/12,C.1,C.1,C.1,C.1\n"
    assert first in wide
    tampered = {
        "engine/engine.csv": [
            wide.replace(first, "issues/12,C.2,C.1,C.1,C.1\n"),
            wide.replace(first, "issues/12,C.1,C.1,C.1,C.2\n"),
            "".join(line for line in wide.splitlines(keepends=True) if not line.endswith(first)),
        ],
        "engine/engine_2023.txt": [""],
        "taxonomy.csv": [(package / "taxonomy.csv").read_text().replace("Memory", "Speed")],
        "report.py": [(package / "report.py").read_text() + "\n"],
    }
    for name, texts in tampered.items():
        right = (package / name).read_text()
        for text in texts:
            (package / name).write_text(text)
            done = run(package)
            assert (done.returncode, changed_files(done.stdout)) == (1, [f"{name} CHANGED"])
        (package / name).write_text(right)
    assert summary(package)[1] == 0

    (package / "engine/engine_2024.txt").unlink()
    (package / "issues.csv").unlink()
    done = run(package)
    assert changed_files(done.stdout) == ["engine/engine_2024.txt MISSING", "issues.csv MISSING"]
    assert (done.returncode, done.stderr) == (1, "")
    assert "agreement.json: cannot be computed: issues.csv is missing\n" in done.stdout


@only_long
def test_a_number_too_many_is_seen_and_so_is_a_reason_that_is_missing(tmp_path):
    write_package(uneven(), tmp_path)
    path = tmp_path / "agreement.json"
    stored = json.loads(path.read_text())
    path.write_text(json.dumps(stored | {"new": {"number": 1.5}}))
    assert wrong_paths(tmp_path) == {"new number"}

    place, group = next(
        (place, one) for place, one in enumerate(stored["groups"]) if one["group"] == {"type": "B"}
    )
    kappa = group["coefficients"]["fleiss_kappa"]
    assert (kappa["value"], kappa["reason"]) == (None, "all labels are the same category")

    kappa["value"] = 0.0
    path.write_text(json.dumps(stored))
    assert wrong_paths(tmp_path) == {"groups [type B] coefficients fleiss_kappa value"}

    stored["groups"][place]["coefficients"]["fleiss_kappa"] |= {"value": None, "reason": None}
    path.write_text(json.dumps(stored))
    assert wrong_paths(tmp_path) == {"groups [type B] coefficients fleiss_kappa has a reason"}


@only_long
def test_a_frozen_report_is_recomputed_at_all_levels_while_its_labels_and_decisions_stand(tmp_path):
    round_ = uneven()
    write_package(round_, tmp_path / "alone")
    alone, _wrong, _skipped = summary(tmp_path / "alone")
    freeze_report(round_=round_, by=None, name="Submitted")
    write_package(round_, tmp_path / "with")

    numbers, wrong, _skipped = summary(tmp_path / "with")
    assert (wrong, numbers > 3 * alone) == (0, True)
    assert summary(tmp_path / "with", "reports/submitted.json")[0] == numbers - alone

    path = tmp_path / "with/reports/submitted.json"
    frozen = json.loads(path.read_text())
    frozen["levels"]["type"]["groups"][0]["coefficients"]["fleiss_kappa"]["value"] += 1e-9
    path.write_text(json.dumps(frozen))
    assert wrong_paths(tmp_path / "with") == {
        "reports/submitted type groups [all] coefficients fleiss_kappa value"
    }


@only_long
def test_a_frozen_report_of_other_decisions_is_not_recomputed_and_that_is_said(tmp_path):
    round_ = uneven()
    freeze_report(round_=round_, by=None, name="Submitted")
    first = Decision.objects.filter(round=round_).earliest("pk")
    Decision.objects.filter(pk=first.pk).update(superseded_at=timezone.now())
    write_package(round_, tmp_path)

    said = "reports/submitted: made of other labels or decisions than those that are here.\n"
    assert summary(tmp_path)[1] == 0
    assert said in run(tmp_path).stdout
    done = run(tmp_path, "reports/submitted.json")
    assert (done.returncode, done.stdout.endswith(said.removeprefix("reports/"))) == (2, True)


@only_long
def test_what_is_no_report_is_refused_with_a_word(tmp_path):
    write_package(uneven(), tmp_path)
    done = run(tmp_path, "manifest.json")
    assert (done.returncode, "numbers" in done.stdout) == (2, False)
    assert done.stderr == "manifest.json is no agreement report.\n"


@only_long
def test_the_libraries_are_those_that_are_installed(tmp_path):
    write_package(uneven(), tmp_path)

    assert (tmp_path / "requirements.txt").read_text().splitlines() == [
        f"{name}=={version(name)}" for name in ("numpy", "pandas", "scipy", "statsmodels")
    ]


def test_libraries_that_a_server_lacks_come_in_the_versions_of_the_tests(monkeypatch):
    here = package.requirements()

    def without_pandas(name):
        if name in {"pandas", "statsmodels"}:
            raise PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(package, "version", without_pandas)
    assert package.requirements() == here
    assert here.splitlines()[1] == f"pandas=={version('pandas')}"


@only_long
@pytest.mark.parametrize("level", LEVELS)
def test_numbers_before_meetings_are_recomputed_after_second_looks(tmp_path, tmp_path_factory, level):
    """The first labels stay in the package, with their own times, beside the labels of the second look."""
    world = meeting_world(
        issues=4, members=3, rows=("C.9 C.9 C.1", "C.1 C.9 C.2", "B.1 B.1 A.1", "C.9 C.9 C.9")
    )
    world.plan(quorum=2, shows_names=True)
    world.arrive()
    vote = world.vote(world.items[0], "C.9", "C.9", "C.9")
    world.ballot(world.items[0], world.lead, "C.1")
    close_vote(vote=vote, by=world.lead)
    vote = world.vote(world.items[1], "C.2")
    cast_ballot(item=world.items[1], member=world.members[1], category=None, none_fits=True)
    close_vote(vote=vote, by=world.lead)
    close_meeting(meeting=world.fresh(), by=world.lead)
    model = factories.make_member(world.study, Role.MODEL, pseudonym="M1")
    said = zip(world.issues, ("C.9", "C.9", "B.2", "C.9"), strict=True)
    rows = [ModelRow(issue.pk, code) for issue, code in said]
    label_as_model(round_=world.round_, member=model, rows=rows)
    for issue, code in zip(world.issues, ("C.9", "C.1", "B.2", "C.9"), strict=True):
        Repeat.objects.create(
            round=world.round_, issue=issue, volunteer=world.members[0], due_at=timezone.now(),
            submitted_at=timezone.now(), category=world.category(code), version=world.version,
        )  # fmt: skip
    before = agreement_report(world.round_)
    freeze_report(round_=world.round_, by=None, name="Before")
    if level == "type":  # votes, and no second look yet
        none = tmp_path_factory.mktemp("none")
        write_package(world.round_, none, reader=Reader(world.lead))
        voted = json.loads((none / "agreement.json").read_text())["consensus"]
        assert (voted["replaced_labels"], voted["changed_labels"]) == (4, 2)
        assert not (none / "labels_second_look.csv").exists()
        assert summary(none)[1] == 0, run(none).stdout
    change(world, RETIRE, "B.2")  # no volunteer chose this category
    split_and_look_again(world, "C.9", "C.3")
    round_ = Round.objects.select_related("version__taxonomy", "study").get(pk=world.round_.pk)
    world.plan(quorum=2)
    world.arrive()
    close_vote(vote=world.vote(world.items[0], "C.3", "C.3", "C.3"), by=world.lead)
    freeze_report(round_=round_, by=None, name="After")
    write_package(round_, tmp_path, reader=Reader(world.lead))

    stored = json.loads((tmp_path / "agreement.json").read_text())
    kappa = stored["groups"][0]["coefficients"]["fleiss_kappa"]
    assert kappa == before.overall.coefficients["fleiss_kappa"].as_dict()
    assert (stored["second_look"]["labels"], stored["consensus"]["changed_labels"]) == (6, 2)
    votes = [(row["Volunteer"], row["Ballot"], row["Present"]) for row in rows_of(tmp_path / "votes.csv")]
    assert sorted(votes[:4]) == [("Lead", "C.1", "4"), *((f"R{n}", "C.9@v1", "4") for n in (1, 2, 3))]
    assert votes[4:6] == [("R1", "C.2", "4"), ("R2", "∅", "4")]
    [file] = (tmp_path / "minutes").iterdir()  # the second meeting is still open
    minutes = file.read_text()
    assert (file.name, minutes.count("## C.1 Name of C.1 or C.9 Name of C.9")) == ("meeting-1.md", 1)
    assert "- **Labels:** R1 C.9, R2 C.9, R3 C.1\n" in minutes
    names = [called(one, by_name=True) for one in (world.lead, *world.members)]
    assert not [name for name in names if name in minutes]
    models = [row["Label"] for row in rows_of(tmp_path / "labels_of_models.csv")]
    assert models == ["C.9@v1", "C.9@v1", "B.2@v1", "C.9@v1"]
    twice = [(row["First_Label"], row["Second_Label"]) for row in rows_of(tmp_path / "labels_twice.csv")]
    assert twice == [("C.9@v1", "C.9@v1"), ("C.1", "C.1"), ("B.1", "B.2@v1"), ("C.9@v1", "C.9@v1")]
    assert stored["intra_rater"]["pooled"] == before.intra.as_dict()["pooled"]
    long = rows_of(tmp_path / "labels_long.csv")
    again = rows_of(tmp_path / "labels_second_look.csv")
    assert [row["Label"] for row in long[:6]] == ["C.9@v1", "C.9@v1", "C.1", "C.1", "C.9@v1", "C.2"]
    assert [(row["First_Label"], row["Label"], row["Version"], row["Summary"]) for row in again] == [
        ("C.9@v1", "C.3", "2", "C.3 again")
    ] * 6
    assert max(row["Submitted_at"] for row in long) < min(row["Submitted_at"] for row in again)
    assert [row["code"] for row in rows_of(tmp_path / "former_categories.csv")] == [
        "B.2@v1",
        "C.9@v1",
    ]
    labels = {
        (row["Volunteer"], row["Closed_at"] > again[0]["Submitted_at"])
        for row in rows_of(tmp_path / "ballots.csv")
        if row["Issue_URL"] == world.issues[0].url
    }
    assert labels == {("R1", True), ("R2", True), ("R3", True)}

    report = agreement_report(round_, level=LEVELS[level], by=[*BY, ("category",)], reader=Reader(world.lead))
    other = tmp_path_factory.mktemp("other") / "other.json"
    other.write_text(json.dumps(report_as_dict(report)))
    assert summary(tmp_path, str(other))[1] == 0, run(tmp_path, str(other)).stdout
    if level == "theme":
        numbers, wrong, _skipped = summary(tmp_path)
        assert (wrong, numbers > 200) == (0, True), run(tmp_path).stdout
        assert "reports/before: made of other labels" in run(tmp_path).stdout
        assert "reports/after: made of other labels" not in run(tmp_path).stdout


@pytest.mark.world(issues=5, members=3)
def test_labels_asked_for_again_beside_a_new_category_are_recomputed(world, tmp_path):
    world, round_ = labelled_world(world)
    change(world, ADD, "", parent="C", name="Docs")
    world.version = publication(world, "C.2", "C.3")
    look = Round.objects.get(of=round_)
    for place, slot in enumerate(Assignment.objects.filter(round=look).order_by("pk")):
        world.submit(look, slot.issue, slot.volunteer, "C.11" if place % 2 else "C.2")
    round_.refresh_from_db()
    write_package(round_, tmp_path)

    assert [row["code"] for row in rows_of(tmp_path / "former_categories.csv")] == ["C.2@v1", "C.3@v1"]
    assert summary(tmp_path)[1] == 0
