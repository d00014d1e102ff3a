"""Two packages of the same state are the same bytes: at another time, by another process, in another order."""

import sys
from datetime import UTC, datetime, timedelta
from subprocess import run
from zipfile import ZipFile

import pytest
from django.conf import settings

from core import clock
from replication.package import write_package
from rounds.queries.blindness import Reader
from tests.kept import kept
from tests.worlds.apart import environment
from tests.worlds.meeting import MeetingWorld
from tests.worlds.packaged import packaged_world

pytestmark = pytest.mark.slow


@kept
def world() -> MeetingWorld:
    return packaged_world()


def different(one, other) -> list[str]:
    """The names of the files that two packages do not both have, or have with another time or content."""

    def files(path):
        with ZipFile(path) as archive:
            return {entry.filename: (entry.date_time, archive.read(entry)) for entry in archive.infolist()}

    first, second = files(one), files(other)
    return [name for name in {**first, **second} if first.get(name) != second.get(name)]


@pytest.mark.django_db
def test_a_later_package_is_the_same_until_something_changes(world, tmp_path):
    now = clock.now()
    for name, moment in (("one.zip", now), ("other.zip", now + timedelta(days=400))):
        with clock.at(moment):
            write_package(world.round_, tmp_path / name, reader=Reader(world.lead))
    assert different(tmp_path / "one.zip", tmp_path / "other.zip") == []
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "other.zip").read_bytes()

    last = world.round_.frozen_reports.get().frozen_at.astimezone(UTC)
    with ZipFile(tmp_path / "one.zip") as archive:
        times = {datetime(*entry.date_time, tzinfo=UTC) for entry in archive.infolist()}
        report = archive.read("agreement.json").decode()
    assert [abs(time - last) < timedelta(seconds=3) for time in times] == [True]
    assert f'"as_of": "{last.isoformat()}"' in report

    world.settle(world.round_, world.issues[2], "B.1")
    write_package(world.round_, tmp_path / "later.zip", reader=Reader(world.lead))
    names = different(tmp_path / "one.zip", tmp_path / "later.zip")
    assert {"issues.csv", "labels_long.csv", "manifest.json"} <= set(names)


@pytest.mark.django_db(transaction=True)
def test_other_processes_write_the_same_package(tmp_path):
    world = packaged_world()
    written = []
    for seed in ("1", "2"):
        to = tmp_path / f"{seed}.zip"
        command = [
            "manage.py", "export_study", "--study", world.study.slug, "--round", world.round_.name, "--to", str(to)
        ]  # fmt: skip
        done = run(
            [sys.executable, *command], cwd=settings.BASE_DIR, check=False, capture_output=True, text=True,
            env=environment(tmp_path) | {"PYTHONHASHSEED": seed},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        written.append(to)
    assert different(*written) == []
    assert written[0].read_bytes() == written[1].read_bytes()
