"""A file of any size is read in the same small memory; a hostile one ends in time."""

import json
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from ingest.readers import Draft, Refusal, UnreadableFile, open_reader

MEGABYTES = 40
# A head of 4 MB, its text, and what is sniffed of it; then a record and a piece at a time.
BOUND = 32 * 1024**2
BODY = "The training stops with an error. " * 150


def lines(shape: str) -> Iterator[str]:
    for number in range(1, 10**9):
        url = f"https://github.com/o/r/issues/{number}"
        if shape == "csv":
            yield f'{url},Title {number},"{BODY}\n""again"""\n'
        elif shape == "urls":
            yield f"{url}\n"
        else:
            record = json.dumps({"html_url": url, "number": number, "title": "T", "body": BODY, "user": None})
            yield {"jsonl": f"{record}\n", "array": f"{'[' if number == 1 else ','}{record}"}[shape]


def make(path: Path, shape: str) -> int:
    """Write a file of MEGABYTES; how many issues it holds."""
    size = count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        if shape == "csv":
            file.write("url,title,body\n")
        for line in lines(shape):
            size += file.write(line)
            count += 1
            if size > MEGABYTES * 1024**2 / (20 if shape == "urls" else 1):
                break
        file.write("]" if shape == "array" else "")
    return count


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["csv", "jsonl", "array", "urls"])
def test_memory_does_not_grow_with_the_file(tmp_path, shape):
    path = tmp_path / f"issues.{shape}"
    count = make(path, shape)

    drafts = 0
    tracemalloc.start()
    try:
        with path.open("rb") as stream:
            for found in open_reader(stream, path.name):
                drafts += isinstance(found, Draft)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert drafts == count
    assert peak < BOUND


HOSTILE = {
    "one endless line": ("", "x" * 1024**2, 40),
    "a quotation that never ends": (
        'url,title\nhttps://github.com/o/r/issues/1,"',
        f"{'x' * 63}\n" * 2**14,
        40,
    ),
    "a string that never ends": ('[{"url": "', "x" * 1024**2, 40),
    "brackets": ('{"url": ', "[" * 1024**2, 40),
    "an object that never ends": ('{"url": "https://github.com/o/r/issues/1"', ', "a": 1' * 10**5, 40),
    "an object of white space": ('{"url": ', " " * 1024**2, 40),
    "a header that never ends": ("", "url," * 2**18, 40),
    "white space": ("", " \n" * 2**19, 40),
    "a header of many columns": ("url" + "".join(f",{i}" for i in range(10000)), "\n", 1),
    "brackets around nothing": ("url\n" + "(" * 10**6, ")" * 10**6, 1),
    "a key twice among many": ("{" + ",".join(f'"{i}":1' for i in range(300000)), ',"299999":1}', 1),
    "almost too deep": ('[{"url": "x", "a": ' + "[" * 950, "1" + "]" * 950 + "}]", 1),
    "quotation marks": ("url,title\n", '"' * 1024**2, 40),
    "scalars before a list": ("", '{"a": 1, "b": [' * 10**5, 10),
    "one wrong byte after another": ("url\n" + "汉字" * 10, "\ufffd" * 2**19, 20),
}


def refusals(stream: BinaryIO) -> Iterator[Refusal]:
    try:
        yield from (found for found in open_reader(stream) if isinstance(found, Refusal))
    except UnreadableFile as unreadable:
        yield unreadable.refusal


@pytest.mark.slow
@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_file_is_refused_in_time_and_in_the_same_memory(tmp_path, case):
    start, piece, times = HOSTILE[case]
    path = tmp_path / "issues"
    with path.open("wb") as file:
        file.write(start.encode())
        for _ in range(times):
            file.write(piece.encode().replace("\ufffd".encode(), b"\xff\xfe"))

    began = time.perf_counter()
    with path.open("rb") as stream:
        found = list(refusals(stream))
    seconds = time.perf_counter() - began
    tracemalloc.start()
    try:
        with path.open("rb") as stream:
            again = list(refusals(stream))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert found
    assert again == found
    assert len(found) < 1000
    # The one record that is held may be of many small values, which take more room than their text.
    assert peak < 4 * BOUND
    assert seconds < 10
