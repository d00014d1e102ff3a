"""Whoever changes one thing in a package is found: the script names the file, and goes on to the end."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from replication.package import write_package
from rounds.queries.blindness import Reader
from tests.worlds.packaged import packaged_world
from tests.worlds.recomputed import forge_hashes, run, summary, wrong_files, wrong_paths

pytestmark = pytest.mark.slow

Change = Callable[[Path], object]


@pytest.fixture(scope="module")
def written(django_db_setup, django_db_blocker, tmp_path_factory) -> Path:
    """The package, written once; its rows are taken back."""
    folder = tmp_path_factory.mktemp("written")
    with django_db_blocker.unblock(), transaction.atomic():
        world = packaged_world()
        write_package(world.round_, folder, reader=Reader(world.lead))
        transaction.set_rollback(True)
    return folder


@pytest.fixture
def package(written, tmp_path) -> Path:
    return shutil.copytree(written, tmp_path / "package")


# --- single changes


def rows(change: Callable[[list[dict[str, str]]], object]) -> Change:
    """Change the rows of a table."""

    def apply(path: Path) -> None:
        with path.open(newline="") as stream:
            found = list(csv.DictReader(stream))
        heads = list(found[0])
        change(found)
        with path.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, heads, lineterminator="\n")
            writer.writeheader()
            writer.writerows(found)

    return apply


def cell(name: str, value: str, row: int = 0) -> Change:
    def apply(found: list[dict[str, str]]) -> None:
        assert found[row][name] != value
        found[row][name] = value

    return rows(apply)


def standing(name: str, value: str) -> Change:
    """Change a cell of the first decision that no later one superseded."""

    def apply(found: list[dict[str, str]]) -> None:
        one = next(one for one in found if not one["Superseded_at"])
        assert one[name] != value
        one[name] = value

    return rows(apply)


def swap(name: str) -> Change:
    """Give the cell of the second row to the third, and that of the third to the second."""

    def apply(found: list[dict[str, str]]) -> None:
        assert found[1][name] != found[2][name]
        found[1][name], found[2][name] = found[2][name], found[1][name]

    return rows(apply)


def text(old: str, new: str) -> Change:
    def apply(path: Path) -> None:
        content = path.read_text()
        assert old in content, content
        path.write_text(content.replace(old, new, 1))

    return apply


def inside(*path: str | int, by: float = 0.001) -> Change:
    """Change a number of a JSON."""

    def apply(file: Path) -> None:
        whole = json.loads(file.read_text())
        part = whole
        for key in path[:-1]:
            part = part[key]
        assert isinstance(part[path[-1]], float)
        part[path[-1]] -= by
        file.write_text(json.dumps(whole, indent=2) + "\n")

    return apply


def without_entry(name: str) -> Change:
    def apply(file: Path) -> None:
        whole = json.loads(file.read_text())
        del whole["sha256"][name]
        file.write_text(json.dumps(whole, indent=2) + "\n")

    return apply


def bytes_of(change: Callable[[bytes], bytes]) -> Change:
    return lambda path: path.write_bytes(change(path.read_bytes()))


KAPPA = ("groups", 0, "coefficients", "fleiss_kappa")
FOLDER = "REPOSITORY"
"""Stands for the folder of the repository in the names of files below."""
BY_HASH_ALONE = [
    ("label-summary", "labels_long.csv", cell("Summary", "The network is slow.")),
    ("guideline", "guidelines/guideline-1.md", text("cause", "symptom")),
    ("codebook-title", "taxonomy.csv", cell("name", "Another name", 3)),
    ("codebook-definition", "taxonomy.csv", cell("definition", "Something else.", 3)),
    ("minutes", "minutes/meeting-1.md", text("C.9", "C.8")),
    ("list-of-issues", f"{FOLDER}/{FOLDER}_2024.txt", bytes_of(lambda found: found.partition(b"\n")[2])),
    ("what-was-enforced", "agreement.json", text('"labels": "blind"', '"labels": "imported"')),
    ("script", "coefficients.py", text("definitions", "definition")),
]
"""Only the hash finds these: no other file says the same."""
ALSO_FORGED = [
    ("wide-label", f"{FOLDER}/{FOLDER}.csv", cell("Label2", "B.2")),
    ("wide-labels-of-two", f"{FOLDER}/{FOLDER}.csv", rows(lambda found: found[0].update(Label2=found[0]["Label3"], Label3=found[0]["Label2"]))),
    ("wide-decision", f"{FOLDER}/{FOLDER}.csv", cell("Final_Label", "B.2")),
    ("wide-deleted-row", f"{FOLDER}/{FOLDER}.csv", rows(lambda found: found.pop(2))),
    ("wide-added-row", f"{FOLDER}/{FOLDER}.csv", rows(lambda found: found.append({**found[2], "Issue_URL": "https://github.com/x/y/issues/1"}))),
    ("wide-doubled-row", f"{FOLDER}/{FOLDER}.csv", rows(lambda found: found.append(found[2]))),
    ("long-label", "labels_long.csv", cell("Label", "B.2")),
    ("long-decision", "labels_long.csv", cell("Final_Label", "B.2")),
    ("long-deleted-row", "labels_long.csv", rows(lambda found: found.pop(4))),
    ("long-doubled-row", "labels_long.csv", rows(lambda found: found.insert(4, found[4]))),
    ("long-added-row", "labels_long.csv", rows(lambda found: found.append({**found[-1], "Volunteer": "R9"}))),
    ("long-labels-of-two", "labels_long.csv", swap("Label")),
    ("long-rows-of-two", "labels_long.csv", rows(lambda found: found.insert(1, found.pop(2)))),
    ("issues-decision", "issues.csv", cell("Final_Label", "B.2")),
    ("issues-deleted-row", "issues.csv", rows(lambda found: found.pop(0))),
    ("codebook-deleted-row", "taxonomy.csv", rows(lambda found: found.remove(next(one for one in found if one["code"] == "C.9")))),
    ("standing-decision-label", "decisions.csv", standing("Label", "B.2")),
    ("standing-decision-method", "decisions.csv", standing("Method", "vote")),
    ("standing-decision-superseded", "decisions.csv", standing("Superseded_at", "2026-01-01T00:00:00Z")),
    ("standing-decision-deleted", "decisions.csv", rows(lambda found: found.remove(next(one for one in found if not one["Superseded_at"])))),
    ("standing-decision-doubled", "decisions.csv", rows(lambda found: found.append({**found[-1], "Number": "9", "Superseded_at": ""}))),
    ("standing-decision-elsewhere", "decisions.csv", rows(lambda found: found.append({**found[-1], "Issue_URL": "https://github.com/x/y/issues/1"}))),
    ("drift-first-label", "labels_twice.csv", cell("First_Label", "B.2")),
    ("drift-second-label", "labels_twice.csv", cell("Second_Label", "A.1")),
    ("last-ballot", "ballots.csv", cell("Ballot", "B.2")),
    ("guideline-removed", "guidelines/guideline-1.md", Path.unlink),
    ("decision-of-the-pilot", "rounds/pilot/issues.csv", cell("Final_Label", "B.2")),
    ("ranking", "interviews/rankings.csv", cell("mean_rank", "1.5")),
    ("ranking-answer", "interviews/ranking_answers.csv", rows(lambda found: found[0].update(place="9"))),
    ("number", "agreement.json", inside(*KAPPA, "value")),
    ("interval", "agreement.json", inside(*KAPPA, "se")),
    ("name-in-the-report", "agreement.json", text('"round": "', '"round": "Another ')),
    ("frozen-number", "reports/submitted.json", inside("levels", "theme", *KAPPA, "value")),
    ("line-endings", "labels_long.csv", bytes_of(lambda found: found.replace(b"\n", b"\r\n"))),
    ("encoding", "issues.csv", bytes_of(lambda found: found.decode().encode("utf-8-sig"))),
    ("latin-1", "labels_long.csv", bytes_of(lambda found: found.replace(b"stale", "périmé".encode("latin-1"), 1))),
]  # fmt: skip
"""Another file, or the recomputed number, finds these also where the manifest has the new hash."""
OF_THE_PILOT = ("label-of-the-pilot", "rounds/pilot/labels_long.csv", cell("Label", "B.2"))
"""Its numbers in the report differ then."""
CHANGES = {name: (file, change) for name, file, change in [*BY_HASH_ALONE, *ALSO_FORGED, OF_THE_PILOT]}


def located(package: Path, file: str) -> Path:
    if FOLDER not in file:
        return package / file
    [wide] = [path for path in package.glob("*/*.csv") if path.stem == path.parent.name]
    return package / file.replace(FOLDER, wide.stem)


def changed(package: Path, name: str) -> str:
    """Make the change, and return the name of the file."""
    file, change = CHANGES[name]
    path = located(package, file)
    before = path.read_bytes()
    change(path)
    assert not path.is_file() or path.read_bytes() != before
    return path.relative_to(package).as_posix()


def test_nothing_is_found_where_nothing_was_changed(package):
    numbers, wrong, skipped = summary(package)
    assert (wrong, skipped > 0, numbers > 500) == (0, True, True)
    assert wrong_files(run(package).stdout) == set()


@pytest.mark.slow(cases=2)
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_named_by_the_hash_of_its_file(package, name):
    file = changed(package, name)

    done = run(package)

    assert (done.returncode, done.stderr) == (1, "")
    assert file in wrong_files(done.stdout), done.stdout
    became = "CHANGED" if (package / file).exists() else "MISSING"
    assert [line.split() for line in done.stdout.splitlines() if line.endswith(became)] == [[file, became]]
    # It went on: all other files and numbers were compared too.
    assert " numbers: " in done.stdout
    assert "SHA-256 of manifest.json: " in done.stdout


@pytest.mark.slow(cases=3)
@pytest.mark.parametrize("name", [name for name, _file, _change in ALSO_FORGED])
def test_a_change_whose_hash_was_forged_is_named_by_another_file(package, name):
    file = changed(package, name)
    forge_hashes(package)

    done = run(package)

    assert (done.returncode, done.stderr) == (1, "")
    assert not [line for line in done.stdout.splitlines() if line.endswith(("CHANGED", "MISSING", "ADDED"))]
    assert file in wrong_files(done.stdout), done.stdout


@pytest.mark.slow(cases=1)
@pytest.mark.parametrize("name", [name for name, _file, _change in BY_HASH_ALONE])
def test_what_only_the_hash_of_the_manifest_finds(package, name):
    """README.md says so: a reader compares this hash with the one that Crosscheck shows."""
    before = run(package).stdout.rpartition("SHA-256 of manifest.json: ")[2]
    changed(package, name)
    forge_hashes(package)

    done = run(package)

    assert (done.returncode, wrong_files(done.stdout)) == (0, set())
    assert done.stdout.rpartition("SHA-256 of manifest.json: ")[2] != before


@pytest.mark.slow(cases=2)
@pytest.mark.parametrize(
    ("change", "named", "said"),
    [
        (lambda package: without_entry("issues.csv")(package / "manifest.json"), {"issues.csv", "manifest.json"}, "ADDED"),
        (lambda package: text('"version": 1', '"version": 2')(package / "manifest.json"), {"manifest.json"}, "has another hash than manifest.sha256 names"),
        (lambda package: (package / "manifest.json").write_text("{"), None, "manifest.json: cannot be read: JSONDecodeError"),
        (lambda package: (package / "manifest.json").unlink(), None, "manifest.json: cannot be read: manifest.json is missing"),
        (lambda package: (package / "manifest.sha256").unlink(), {"manifest.json"}, "manifest.sha256 is missing"),
        (lambda package: (package / "numbers.csv").write_text("a,b\n"), {"numbers.csv"}, "ADDED"),
        (lambda package: (package / "rounds/other").mkdir() or shutil.copy(package / "rounds/pilot/manifest.json", package / "rounds/other"), {"rounds/other/manifest.json"}, "ADDED"),
        (lambda package: shutil.rmtree(package / "rounds"), {"rounds/pilot/labels_long.csv"}, "MISSING"),
        (lambda package: (package / "labels_long.csv").unlink(), {"labels_long.csv", "agreement.json", "reports/submitted.json"}, "agreement.json: cannot be computed: labels_long.csv is missing"),
        (lambda package: (package / "labels_long.csv").write_text(""), {"labels_long.csv", "agreement.json"}, "agreement.json: cannot be computed: EmptyDataError"),
        (lambda package: (package / "issues.csv").write_text("Issue_URL\na,b,c\n"), {"issues.csv", "agreement.json"}, "is no table"),
        (lambda package: (package / "ballots.csv").unlink(), {"ballots.csv", "agreement.json"}, "MISSING"),
        (lambda package: (package / "agreement.json").write_text("[]"), {"agreement.json"}, "agreement.json: cannot be computed"),
        (lambda package: (package / "taxonomy.csv").write_text("name\nx\n"), {"taxonomy.csv", "agreement.json"}, "taxonomy.csv: cannot be compared with other files: 'code' is missing"),
    ],
)  # fmt: skip
def test_nothing_that_is_missing_or_broken_ends_the_script(package, change, named, said):
    change(package)

    done = run(package)

    assert (done.returncode, done.stderr) == (1, "")
    found = wrong_files(done.stdout)
    assert found >= (named or {"manifest.json", "agreement.json"}), done.stdout
    assert said in done.stdout
    assert " numbers: " in done.stdout


def test_a_label_of_another_round_makes_other_numbers(package):
    changed(package, OF_THE_PILOT[0])
    forge_hashes(package)
    paths = wrong_paths(package)
    assert "groups [round Pilot] coefficients fleiss_kappa value" in paths
    assert not [path for path in paths if "Pilot]" not in path]


UNCOMPARED = {"independence", "population"}
"""Parts of agreement.json that the script does not compute."""
NAMES = {"sizes"}
"""Numbers that name what another number is of."""


def moved(part: Any) -> tuple[Any, int]:
    """The JSON with every number moved that the script compares, and how many there are."""
    if isinstance(part, dict):
        kept = {key: (value, 0) if key in UNCOMPARED | NAMES else moved(value) for key, value in part.items()}
        return {key: value for key, (value, _n) in kept.items()}, sum(n for _value, n in kept.values())
    if isinstance(part, list):
        found = [moved(value) for value in part]
        return [value for value, _n in found], sum(n for _value, n in found)
    is_number = isinstance(part, int | float) and not isinstance(part, bool)
    return (part + 1, 1) if is_number else (part, 0)


def test_every_number_of_the_report_is_compared(package):
    """Whoever adds a number to the report adds it to the script, or to README.md as one that is not compared."""
    path = package / "agreement.json"
    stored, numbers = moved(json.loads(path.read_text()))
    path.write_text(json.dumps(stored, indent=2) + "\n")

    said = run(package).stdout

    of_report = [line for line in said.splitlines() if not line.startswith(("reports/", "rankings "))]
    differing = sum(line.endswith("DIFFERS") for line in of_report)
    not_here = sum(line.endswith("not in this package") for line in of_report)
    assert numbers > 500
    assert differing + not_here == numbers, said
    assert not_here < 10


def test_two_changes_are_both_named_with_their_rows(package):
    first, second = changed(package, "wide-decision"), changed(package, "long-label")
    forge_hashes(package)

    said = run(package).stdout

    assert f"{first}: row 2: Final_Label is B.2, where issues.csv has C.9" in said
    assert f"{first}: row 2: Label1 is C.9, where labels_long.csv has B.2 of R1" in said
    assert {first, second, "issues.csv", "agreement.json"} <= wrong_files(said)
