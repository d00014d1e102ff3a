"""What a killed process leaves on disk goes with the next sweep, and what is in use stays."""

import subprocess
import sys
from pathlib import Path

import pytest

from core.tasks import sweep_files
from core.upkeep.leftovers import WORK, sweep, work_folder
from core.uploads import Nameless

WORKS = """
import sys, time
from pathlib import Path
from django.conf import settings
settings.configure(DATA_DIR=Path(sys.argv[1]))
from core.upkeep.leftovers import work_folder
with work_folder("test") as folder:
    (folder / "file").write_text("half")
    print(folder, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def place(settings, tmp_path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


def test_a_folder_is_there_for_the_block(place):
    with work_folder("test") as folder:
        assert folder.parent == place
        assert folder.name.startswith(f"{WORK}test-")
        (folder / "file").touch()
        assert sweep() == []
        assert folder.is_dir()
    assert list(place.iterdir()) == []


def test_a_failed_block_leaves_nothing(place):
    with pytest.raises(FileNotFoundError), work_folder("test") as folder:
        (folder / "file").rename(folder / "gone" / "file")
    assert list(place.iterdir()) == []


def test_the_folder_of_a_killed_process_goes_and_that_of_a_living_one_stays(place):
    command = [sys.executable, "-c", WORKS, str(place)]
    root = Path(__file__).resolve().parents[2]
    workers = [subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        killed, living = (Path(worker.stdout.readline().strip()) for worker in workers)
        workers[0].kill()
        workers[0].wait()
        assert (killed / "file").read_text() == "half"

        sweep_files()

        assert (killed.exists(), (living / "file").read_text()) == (False, "half")
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()
    sweep_files()
    assert list(place.iterdir()) == []


def test_files_of_the_data_folder_are_no_leftovers(place):
    (place / "uploads").mkdir()
    (place / f"{WORK}notes-1").write_text("a file, no folder")
    assert sweep() == []
    assert {path.name for path in place.iterdir()} == {"uploads", f"{WORK}notes-1"}


def test_an_upload_has_no_name_on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    handler = Nameless()
    handler.new_file("file", "labels.csv", "text/csv", None)
    handler.receive_data_chunk(b"Issue_URL\n", 0)
    assert list(tmp_path.iterdir()) == []
    kept = handler.file_complete(10)
    assert (kept.name, kept.size, kept.read()) == ("labels.csv", 10, b"Issue_URL\n")
    handler.upload_interrupted()
    assert kept.closed
