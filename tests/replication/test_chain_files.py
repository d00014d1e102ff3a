"""The chain in a package: its script verifies it in an empty folder, and names what was changed."""

import csv
import json
import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.db import transaction

from annotate.actions.rounds import close_round
from replication.package import write_package
from rounds.actions.seals import seal_for_package, seal_round
from rounds.queries.blindness import Reader
from rounds.queries.seals import head_of
from tests.worlds.recomputed import forge_hashes, run
from tests.worlds.world import small_world

pytestmark = pytest.mark.slow


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def store(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(scope="module")
def written(django_db_setup, django_db_blocker, tmp_path_factory) -> tuple[Path, str]:
    """The package of a closed round, written once, and the head of its chain; its rows are taken back."""
    folder = tmp_path_factory.mktemp("written")
    with django_db_blocker.unblock(), transaction.atomic():
        world = small_world(issues=3, members=3)
        round_ = world.round()
        world.submit(round_, world.issues[0], world.members[0], "A.1", summary='"Ünïcode"\n\\ and a\ttab')
        seal_round(round_=round_)
        world.change(round_, world.issues[0], world.members[0], "A.2", summary="=2+2")
        for issue in world.issues:
            for member in world.members[issue == world.issues[0] :]:
                world.submit(round_, issue, member, "A.1")
        world.settle(round_, world.issues[0], "A.1")
        write_package(round_, folder / "open", reader=Reader(None))
        close_round(round_=round_, by=world.lead)
        round_.refresh_from_db()
        seal_for_package(round_)
        write_package(round_, folder / "closed", reader=Reader(world.lead))
        head = head_of(round_).digest
        transaction.set_rollback(True)
    return folder, head


@pytest.fixture
def package(written, tmp_path) -> Path:
    return shutil.copytree(written[0] / "closed", tmp_path / "package")


def test_the_script_verifies_the_chain_and_prints_its_head(written, package):
    said = run(package)
    assert said.returncode == 0, said.stdout
    assert f"Head of the chain of seals: {written[1]}\n" in said.stdout
    assert json.loads((package / "manifest.json").read_text())["chain_head"] == written[1]
    events = read(package / "chain_events.csv")
    assert sorted({event["Kind"] for event in events}) == [
        "change", "closing", "decision", "label", "opening", "reveal",
    ]  # fmt: skip
    # What a label was before its volunteer changed it is in no package.
    assert [event["Kind"] for event in events if not event["Content"]] == ["label", "change"]
    assert "Ünïcode" not in (package / "chain_events.csv").read_text()


def test_a_round_that_is_open_hands_out_no_chain(written):
    assert not list((written[0] / "open").glob("chain*.csv"))


def _label(folder: Path) -> None:
    rows = read(folder / "labels_long.csv")
    rows[3]["Label"] = "B.1"
    store(folder / "labels_long.csv", rows)


def _summary(folder: Path) -> None:
    rows = read(folder / "labels_long.csv")
    rows[3]["Summary"] = "other"
    store(folder / "labels_long.csv", rows)


def _moment(folder: Path) -> None:
    rows = read(folder / "labels_long.csv")
    rows[3]["Submitted_at"] = (
        datetime.fromisoformat(rows[3]["Submitted_at"]) - timedelta(hours=1)
    ).isoformat()
    store(folder / "labels_long.csv", rows)


def _deleted(folder: Path) -> None:
    rows = read(folder / "labels_long.csv")
    del rows[3]
    store(folder / "labels_long.csv", rows)


def _added(folder: Path) -> None:
    rows = read(folder / "labels_long.csv")
    rows.append(rows[3] | {"Volunteer": "R9"})
    store(folder / "labels_long.csv", rows)


def _decision(folder: Path) -> None:
    rows = read(folder / "decisions.csv")
    rows[0]["Rationale"] = "other"
    store(folder / "decisions.csv", rows)


def _content(folder: Path) -> None:
    rows = read(folder / "chain_events.csv")
    row = next(row for row in rows if row["Kind"] == "reveal")
    row["Content"] = row["Content"].replace("T", "T", 1).replace('"position": ', '"position": 1', 1)
    store(folder / "chain_events.csv", rows)


def _event(folder: Path) -> None:
    rows = read(folder / "chain_events.csv")
    store(folder / "chain_events.csv", rows[:-1])


def _seal(folder: Path) -> None:
    rows = read(folder / "chain.csv")
    rows[0]["Sealed_at"] = (datetime.fromisoformat(rows[0]["Sealed_at"]) - timedelta(hours=1)).isoformat()
    store(folder / "chain.csv", rows)


def _tail(folder: Path) -> None:
    for name in ("chain.csv", "chain_events.csv"):
        store(folder / name, [row for row in read(folder / name) if row["Seal"] == "1"])


@pytest.mark.slow(cases=11)
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_label, "labels_long.csv: row 5: Label is not as it was sealed"),
        (_summary, "labels_long.csv: row 5: Summary is not as it was sealed"),
        (_moment, "labels_long.csv: row 5: Submitted_at is not as it was sealed"),
        (_deleted, "was sealed and is missing"),
        (_added, "was never sealed"),
        (_decision, "decisions.csv: row 2: Rationale is not as it was sealed"),
        (_content, "has another content than was sealed"),
        (_event, "or its events were changed"),
        (_seal, "seal 1 or its events were changed"),
        (_tail, "chain_head is"),
    ],
)
def test_what_was_changed_is_named_although_the_hashes_were_forged(package, change, told):
    change(package)
    forge_hashes(package)
    said = run(package)
    assert (said.returncode, told in said.stdout) == (1, True), said.stdout
