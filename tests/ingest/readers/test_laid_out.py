"""Published studies as browsers send them, laid out as a folder; what cannot be one is refused with a word."""

import io
from pathlib import Path

import pytest

from ingest.readers import Limits, UnreadableFile
from ingest.readers.laid_out import lay_out
from tests.ingest.readers.test_packed import zipped

TABLE = b"Issue_URL,Label1,Final_Label\nhttps://github.com/o/vllm/issues/1,C.1,C.1\n"
LIST = b"https://github.com/o/vllm/issues/1\n"
STUDY = {
    "vllm/vllm.csv": TABLE,
    "vllm/vllm_2023.txt": b"",
    "vllm/vllm_2024.txt": LIST,
    "taxonomy.csv": b"code\n",
}


def laid(tmp_path: Path, files: dict[str, bytes], **limits: int) -> tuple[dict[str, bytes], list[str]]:
    """The files of the layout with their contents, and what was skipped, in words."""
    base = tmp_path / "base"
    base.mkdir()
    folder, skipped = lay_out(io.BytesIO(zipped(files)), base, limits=Limits(**limits))
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return found, [f"{item.name}: {item.reason}" for item in skipped]


def refusal(tmp_path: Path, files: dict[str, bytes], **limits: int) -> str:
    with pytest.raises(UnreadableFile) as refused:
        laid(tmp_path, files, **limits)
    return refused.value.refusal.text(str)


@pytest.mark.parametrize("above", ["", "labels/", "a/b c/"])
def test_folders_around_the_layout_are_left_away(tmp_path, above):
    files = {f"{above}{name}": data for name, data in STUDY.items()}
    assert laid(tmp_path, files) == (STUDY, [])


@pytest.mark.parametrize("above", ["", "labels/"])
def test_files_without_their_folders_are_sorted_by_their_names(tmp_path, above):
    files = {f"{above}{name.rpartition('/')[2]}": data for name, data in STUDY.items()}
    assert laid(tmp_path, files) == (STUDY, [])


def test_a_taxonomy_chosen_beside_a_folder_belongs_to_it(tmp_path):
    files = {f"labels/{name}": data for name, data in STUDY.items() if "/" in name}
    assert laid(tmp_path, files | {"taxonomy.csv": b"code\n"}) == (STUDY, [])


def test_a_table_is_known_by_its_head_or_by_the_lists_beside_it(tmp_path):
    files = {"a.csv": TABLE, "b.csv": b"wrong,head\n", "b_2024.txt": LIST, "c.csv": b"x,y\n"}
    found, skipped = laid(tmp_path, files)
    assert list(found) == ["a/a.csv", "b/b.csv", "b/b_2024.txt"]
    assert skipped == ["c.csv: not part of the published layout"]


def test_what_is_no_part_is_named_with_its_reason(tmp_path):
    others = {
        "notes.txt": b"x", "README.md": b"x", "vllm/vllm_24.txt": b"x", "vllm/other.csv": TABLE, "other.csv": TABLE,
        "bug_symptoms.csv": b"rootcause,subcategory,symptoms\r\n",
    }  # fmt: skip
    found, skipped = laid(tmp_path, STUDY | others)
    assert found == STUDY
    assert sorted(skipped) == [
        "README.md: not part of the published layout",
        "bug_symptoms.csv: summaries of sub-themes: open a board to import this file",
        "notes.txt: not part of the published layout",
        "other.csv: not part of the published layout",
        "vllm/other.csv: not part of the published layout",
        "vllm/vllm_24.txt: not part of the published layout",
    ]


def test_archives_among_the_files_are_unpacked_once(tmp_path):
    inner = zipped({name: data for name, data in STUDY.items() if "/" in name} | {"deep.zip": zipped(STUDY)})
    flat = zipped({"torch.csv": TABLE})
    found, skipped = laid(tmp_path, {"vllm.zip": inner, "taxonomy.csv": b"code\n"})
    assert (found, skipped) == (STUDY, ["deep.zip: an archive inside an archive"])
    (tmp_path / "flat").mkdir()
    assert laid(tmp_path / "flat", {"labels.ZIP": flat}) == ({"torch/torch.csv": TABLE}, [])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../vllm/vllm.csv", 1),
        ("/../vllm/vllm.csv", 1),
        ("..\\vllm\\vllm.csv", 0),  # a hidden file, by its first character
        (".git/vllm/vllm.csv", 1),
        (f"{'x' * 201}/{'x' * 201}.csv", 1),
    ],
)
def test_no_name_leads_elsewhere(tmp_path, name, said):
    found, skipped = laid(tmp_path, STUDY | {name: TABLE})
    assert (found, len(skipped)) == (STUDY, said)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["base"]


def test_two_folders_of_the_layout_are_refused(tmp_path):
    files = {f"{above}/{name}": data for above in ("old", "new") for name, data in STUDY.items()}
    assert refusal(tmp_path, files) == (
        'The folders "new" and "old" both contain repositories. Choose only one of them.'
    )


def test_one_file_twice_is_refused(tmp_path):
    files = {"a.zip": zipped(STUDY), "b.zip": zipped(STUDY)}
    assert refusal(tmp_path, files) == (
        'Two files have the name "vllm/vllm.csv". Leave out one of them and try again.'
    )


def test_a_bomb_ends_at_the_limits(tmp_path):
    bomb = zipped({"vllm/vllm.csv": bytes(8 << 20)})
    assert "more than 200 times as large as packed" in refusal(tmp_path, {"a.zip": bomb})
    (tmp_path / "x").mkdir()
    assert "more than 1000 bytes when it is unpacked" in refusal(
        tmp_path / "x", {"a.csv": bytes(1001)}, max_bytes=1000
    )
    (tmp_path / "y").mkdir()
    many = zipped({f"{number}.csv": b"" for number in range(1001)})
    assert "a.zip: the ZIP archive has more than 1000 files" in refusal(tmp_path / "y", {"a.zip": many})


def test_a_damaged_archive_is_named(tmp_path):
    cut = zipped(STUDY)[:-30]
    assert refusal(tmp_path, {"a.zip": cut}) == (
        "a.zip: the ZIP archive is cut or damaged. Fetch it or pack it again."
    )
