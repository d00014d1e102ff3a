"""gzip and ZIP of any file, unpacked while they are read; what is cut, damaged or a bomb ends with a word."""

import gzip
import io
import json
import random
import tracemalloc
import zipfile

import pytest

from ingest.readers import Limits, Look, Refusal, UnreadableFile, open_reader, sniff_file
from ingest.readers.packed import Meter, parts
from tests.ingest.readers.reading import drafts, identities, messages, read
from tests.long import only_long

URLS = "".join(f"https://github.com/o/r/issues/{number}\n" for number in range(1, 4)).encode()
CSV = b"url,title\nhttps://github.com/o/r/issues/4,T\n"
LINES = b'{"url": "https://github.com/o/r/issues/5", "title": "U"}\n'


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def long_list(count: int = 40_000) -> bytes:
    """Addresses that do not compress well."""
    chance = random.Random(1)
    return "".join(
        f"https://github.com/o/{chance.randbytes(8).hex()}/issues/{n + 1}\n" for n in range(count)
    ).encode()


@pytest.mark.parametrize("data", [URLS, CSV, LINES, b"[" + LINES.strip() + b"]"])
def test_gzip_of_any_file_is_that_file(data):
    assert drafts(gzip.compress(data), "x.gz") == drafts(data)
    assert drafts(gzip.compress(data) + gzip.compress(b"") + bytes(20)) == drafts(data)


def test_gzip_files_one_after_another_are_one_file():
    assert identities(read(gzip.compress(URLS) + gzip.compress(URLS))) == ["o/r#1", "o/r#2", "o/r#3"] * 2


def test_the_preview_knows_what_is_inside():
    packed = sniff_file(io.BytesIO(gzip.compress(CSV)), "issues.csv.gz")
    several = sniff_file(
        io.BytesIO(zipped({"b/x.csv": CSV, "a.txt": URLS, "notes.pdf": b"%PDF-1.4"})), "x.zip"
    )

    assert (packed.packing, packed.format, packed.mapping) == (
        "gzip",
        "csv",
        {"url": "url", "title": "title"},
    )
    assert (several.packing, several.format) == ("zip", "zip")
    assert [(part.name, part.format) for part in several.parts] == [("b/x.csv", "csv"), ("a.txt", "urls")]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_the_files_of_a_zip_are_read_in_order_and_named(method):
    data = zipped(
        {"b/x.csv": CSV, "__MACOSX/._x": b"?", "notes.pdf": b"%PDF-1.4", "a.txt": URLS + b"?\n"}, method
    )

    found = read(data)

    assert identities(found) == ["o/r#4", "binary", "o/r#1", "o/r#2", "o/r#3", "address_scheme"]
    assert [one.file for one in found] == ["b/x.csv", "notes.pdf", *["a.txt"] * 4]
    assert found[1].message.startswith("notes.pdf: this is a PDF document")
    assert found[-1].message.startswith("a.txt, line 4: ")


def test_an_unreadable_file_in_a_zip_harms_no_other():
    data = zipped({"a.txt": URLS, "b.csv": b"x", "c.zip": zipped({"d.txt": URLS}), "e.json": LINES})

    assert identities(read(data)) == ["o/r#1", "o/r#2", "o/r#3", "no_url_column", "nested", "o/r#5"]


def test_an_empty_list_in_a_zip_is_taken_as_empty():
    packed = zipped({"a_2023.txt": b"", "a_2024.txt": URLS, "b_2024.txt": b"\n \r\n"})

    assert [part.name for part in sniff_file(io.BytesIO(packed)).parts] == [
        "a_2023.txt",
        "a_2024.txt",
        "b_2024.txt",
    ]
    assert identities(read(packed)) == ["o/r#1", "o/r#2", "o/r#3"]


@pytest.mark.parametrize("files", [{"a.csv": b""}, {"a.txt": b""}, {"a.txt": b"", "b.txt": b"\n"}])
def test_a_zip_of_nothing_but_empty_files_is_refused(files):
    with pytest.raises(UnreadableFile) as refused:
        sniff_file(io.BytesIO(zipped(files)))

    assert (refused.value.refusal.code, refused.value.refusal.file) == ("empty", next(iter(files)))


def test_an_empty_table_in_a_zip_is_refused_beside_the_others():
    found = read(zipped({"a.txt": URLS, "b.csv": b""}))

    assert identities(found[:3]) == ["o/r#1", "o/r#2", "o/r#3"]
    assert [(refusal.code, refusal.file) for refusal in found[3:]] == [("empty", "b.csv")]


def test_a_truncated_gzip_tells_how_far_it_got_and_takes_no_half_line():
    data = long_list()
    whole = drafts(data)
    packed = gzip.compress(data)

    found = read(packed[: len(packed) // 2])

    *taken, last = found
    assert 10_000 < len(taken) < 30_000
    assert taken == whole[: len(taken)]
    assert (last.code, last.fatal, last.line) == ("packed_cut", True, len(taken) + 1)
    assert last.params["bytes"] < len(data)
    assert last.message.startswith(f"Line {len(taken) + 1}: the gzip file ends too early, after ")


@pytest.mark.parametrize("shape", ["array", "lines"])
def test_a_truncated_gzip_of_json_keeps_every_whole_record(shape):
    chance = random.Random(2)
    records = [
        json.dumps({"url": f"https://github.com/o/r/issues/{n}", "body": chance.randbytes(200).hex()})
        for n in range(1, 5000)
    ]
    text = "\n".join(records) if shape == "lines" else f"[{','.join(records)}]"
    packed = gzip.compress(text.encode())

    *taken, last = read(packed[: len(packed) // 2])

    assert [draft.address.number for draft in taken] == [str(n) for n in range(1, len(taken) + 1)]
    assert len(taken) > 2000
    assert last.code == "packed_cut"


@only_long
def test_a_damaged_file_ends_where_the_damage_is():
    packed = bytearray(gzip.compress(long_list()))
    packed[len(packed) // 2] ^= 0xFF
    zip_file = bytearray(zipped({"a.txt": long_list(), "b.txt": URLS}))
    zip_file[len(zip_file) // 2] ^= 0xFF

    assert read(bytes(packed))[-1].code == "packed_damaged"
    found = read(bytes(zip_file))
    damage = next(
        nth for nth, one in enumerate(found) if isinstance(one, Refusal) and one.code == "packed_damaged"
    )
    assert found[damage].file == "a.txt"
    assert identities(found[damage + 1 :]) == ["o/r#1", "o/r#2", "o/r#3"]


def test_a_wrong_check_sum_is_damage():
    packed = bytearray(gzip.compress(URLS))
    packed[-8] ^= 0xFF

    assert identities(read(bytes(packed)))[-1] == "packed_damaged"


def late_bomb(size: int = 400 * 1024**2) -> bytes:
    """An honest beginning of more than is sniffed, then a line without end."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb") as file:
        file.write("".join(f"https://github.com/o/r/issues/{n}\n" for n in range(1, 150_000)).encode())
        for _ in range(size // 1024**2):
            file.write(b"y" * 1024**2)
    return buffer.getvalue()


def test_a_bomb_is_refused_when_it_is_uploaded():
    data = zipped({"a.txt": URLS, "b.txt": b" " * 30_000_000})

    assert [message.partition(" which")[0] for message in messages(data)] == [
        "b.txt: unpacked, the file is more than 200 times as large as packed,"
    ]


@pytest.mark.slow
@only_long
def test_a_bomb_behind_an_honest_beginning_ends_early_and_in_little_memory():
    data = late_bomb()
    tracemalloc.start()
    try:
        found = open_reader(io.BytesIO(data), "x.gz")
        last = list(found)[-1]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert last.code in {"bomb", "unpacked_too_large"}
    assert found._meter.unpacked < 400 * 1024**2
    assert peak < 160 * 1024**2


def test_what_is_unpacked_has_a_limit_over_all_files():
    data = zipped({f"{nth}.txt": long_list(1000) for nth in range(5)})
    size = len(long_list(1000))

    found = read(data, limits=Limits(max_bytes=2 * size + 10))

    assert found[-1].code == "unpacked_too_large"
    assert sum(not isinstance(one, Refusal) for one in found) <= 2000
    assert len(drafts(data, limits=Limits(max_bytes=5 * size))) == 5000


def test_nothing_after_a_bomb_is_read():
    """A directory that names one file many times unpacks no more than the limit."""
    data = zipped({f"{nth}.txt": long_list(2000) for nth in range(20)})

    found = read(data, limits=Limits(max_bytes=100_000))

    assert [one.code for one in found if isinstance(one, Refusal)] == ["unpacked_too_large"]


def test_a_directory_that_states_too_much_is_not_read():
    data = bytearray(zipped({"a.txt": URLS}))
    at = data.rfind(b"PK\x05\x06")
    data[at + 12 : at + 16] = (2**31).to_bytes(4, "little")

    assert identities(read(bytes(data))) == ["many_files"]


def test_progress_counts_packed_bytes():
    data = gzip.compress(long_list())
    reader = open_reader(io.BytesIO(data), "x.gz")

    next(iter(reader))
    assert 0 < reader.bytes_read < len(data)
    list(reader)
    assert reader.bytes_read == len(data)


@pytest.mark.parametrize(("records", "is_cut"), [(2, True), (3, False), (4, False)])
def test_a_look_says_whether_the_file_goes_on(records, is_cut):
    reader = open_reader(io.BytesIO(URLS), "x.txt", look=Look(records, 10**6))

    assert len(list(reader)) == min(records, 3)
    assert reader.is_cut is is_cut


def test_parts_name_the_files():
    meter = Meter(io.BytesIO(zipped({"a/b.txt": URLS})), 10**6)

    assert [(part.name, part.read(10)) for part in parts(meter, "zip")] == [("a/b.txt", b"https://gi")]
