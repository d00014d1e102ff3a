"""So many at once on a host: real threads, and a process that dies."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import pytest

from core.places import place

HOLD = """
import fcntl, sys, time
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    return tmp_path


def test_of_six_threads_two_are_inside_and_all_get_their_turn():
    inside, most, lock = 0, 0, Lock()

    def work() -> bool:
        nonlocal inside, most
        with place("work", of=2, wait=20) as is_free:
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.1)
            with lock:
                inside -= 1
            return is_free

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(lambda _number: work(), range(6))) == [True] * 6
    assert most == 2


def test_who_waits_in_vain_is_told_and_names_are_apart():
    with place("work", of=2, wait=0) as first, place("work", of=2, wait=0) as second:
        begun = time.monotonic()
        with place("work", of=2, wait=0.2) as third:
            assert (first, second, third) == (True, True, False)
            assert 0.2 <= time.monotonic() - begun < 2
        with place("rest", of=1, wait=0) as other:
            assert other
    with place("work", of=1, wait=0) as again:
        assert again


def test_a_place_falls_free_after_an_error():
    with pytest.raises(ValueError, match="broken"), place("work", of=1, wait=0):
        raise ValueError("broken")
    with place("work", of=1, wait=0) as again:
        assert again


def test_a_process_that_dies_leaves_its_place(folder):
    with place("work", of=1, wait=0):
        pass
    command = [sys.executable, "-c", HOLD, str(folder / "places" / "work-1")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        with place("work", of=1, wait=0.1) as is_free:
            assert not is_free
        process.kill()
        process.wait()
    with place("work", of=1, wait=2) as is_free:
        assert is_free
