"""Published labels come in by the browser: a folder that is dropped, a ZIP archive, files without a script; and the
whole published study, which goes out again as it came.
"""

import filecmp
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core import jobs
from ingest.models import Import, ImportRow, Issue
from replication.package import write_package
from rounds.models import Label, Round
from tests import factories
from tests.e2e.axe import violations
from tests.ingest.readers.test_packed import zipped
from tests.long import only_long
from tests.worlds.published_folders import ENGINE, write_study
from tests.worlds.published_uploads import files_of, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_bell(monkeypatch) -> None:
    """Jobs wait until a test runs them."""
    monkeypatch.setattr(jobs, "ring", lambda job_id: None)


@pytest.fixture
def lead():
    return factories.make_member(factories.make_study(slug="engines"), "lead", pseudonym="R1")


@pytest.fixture
def folder(tmp_path) -> Path:
    write_study(tmp_path / "labels")
    (tmp_path / "labels" / "README.md").write_text("no labels")
    return tmp_path / "labels"


def drop(page: Page, *paths: Path) -> None:
    """Drop files and folders of this machine onto the page, as a person does with the mouse."""
    box = page.locator(".drop").bounding_box()
    assert box
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + 20}
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, **at, "data": data})


def check_files(page: Page) -> Import:
    """Upload the chosen files, and check them."""
    page.get_by_role("button", name="Check files").click()
    page.wait_for_url("**/imports/published/*/")
    run = Import.objects.order_by("pk").last()
    assert run
    assert work(run).state == "done"
    return run


@only_long
def test_a_dropped_folder_goes_from_an_empty_study_to_the_agreement_page(open_page, lead, folder):
    page = open_page(lead.user, "/studies/engines/")
    page.get_by_role("link", name="Import published labels").click()
    drop(page, folder)
    expect(page.locator(".chosen b")).to_contain_text("Files to upload: 6")
    expect(page.locator(".chosen")).to_contain_text(
        "Not uploaded, because of the file type: 1 (labels/README.md)"
    )
    assert violations(page) == []
    page.get_by_role("button", name="Check files").click()
    page.wait_for_url("**/imports/published/*/")
    expect(page.locator("#job")).to_contain_text("Checking the files")
    assert violations(page) == []
    run = Import.objects.get()
    work(run)
    # The page looks by itself.
    expect(page.get_by_role("heading", name="What will be imported")).to_be_visible()
    expect(page.locator("main")).to_contain_text("engine/engine_2024.txt")
    expect(page.locator("main")).to_contain_text("labels/README.md: not part of the published layout")
    assert violations(page) == []
    page.get_by_role("button", name="Import labels").click()
    expect(page.locator("#job")).to_contain_text("Importing labels")
    work(run)
    page.get_by_role("link", name="Open agreement report").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Agreement")
    assert page.url.endswith(f"/rounds/{Round.objects.get().pk}/agreement/")
    assert Label.objects.count() == 14


@only_long
def test_a_zip_archive_and_the_same_again_as_a_chosen_folder(open_page, lead, folder, tmp_path):
    archive = tmp_path / "labels.zip"
    archive.write_bytes(zipped({f"labels/{name}": data for name, data in files_of(folder).items()}))
    page = open_page(lead.user, "/studies/engines/imports/published/", phone=True)
    drop(page, archive)
    expect(page.locator(".chosen")).to_contain_text("labels.zip")
    check_files(page)
    page.get_by_role("button", name="Import labels").click()
    page.wait_for_url("**/imports/published/*/")
    work(Import.objects.get())
    page.goto("/studies/engines/imports/published/")
    page.locator("input[webkitdirectory]").set_input_files(folder)
    expect(page.locator(".chosen b")).to_contain_text("Files to upload: 6")
    page.get_by_role("button", name="Remove all files").click()
    expect(page.locator(".chosen")).to_be_empty()
    page.locator("input[webkitdirectory]").set_input_files(folder)
    check_files(page)
    expect(page.locator("main")).to_contain_text("Importing the files again changes nothing.")
    expect(page.get_by_role("button", name="Import labels")).to_have_count(0)
    assert violations(page) == []
    assert Label.objects.count() == 14


@only_long
def test_files_come_in_without_a_script_and_a_wrong_line_is_named(open_page, lead, folder, tmp_path):
    (folder / "engine" / "engine.csv").write_text(ENGINE.replace("issues/7,C.1", "issues/7,X.1"))
    page = open_page(lead.user, "/studies/engines/imports/published/", script=False)
    names = ["engine/engine.csv", "engine/engine_2024.txt", "lattice/lattice.csv", "taxonomy.csv"]
    page.locator("input[name=uploads]").set_input_files([folder / name for name in names])
    check_files(page)
    page.reload()
    expect(page.locator("main")).to_contain_text("1 line is refused, so nothing can be imported.")
    expect(
        page.get_by_role("row", name="engine/engine.csv 3 The taxonomy has no category X.1.")
    ).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download CSV").click()
    assert "engine/engine.csv,3,unknown_codes" in Path(download.value.path()).read_text(encoding="utf-8-sig")
    assert not Issue.objects.exists()


def test_a_dropped_folder_of_issue_lists_is_imported_together(open_page, lead, tmp_path):
    lists = tmp_path / "lists"
    lists.mkdir()
    (lists / "a_2023.txt").write_text("")
    (lists / "a_2024.txt").write_text("https://github.com/o/a/issues/1\nhttps://github.com/o/a/issues/2\n")
    (lists / "b.csv").write_text("url,title\nhttps://github.com/o/b/issues/1,T\n")
    (lists / "notes.md").write_text("x")
    packed = tmp_path / "c.zip"
    packed.write_bytes(zipped({"c_2023.txt": b"", "c_2024.txt": b"https://github.com/o/c/issues/5\n"}))
    page = open_page(lead.user, "/studies/engines/imports/new/")
    drop(page, lists, packed)
    expect(page.locator(".chosen b")).to_contain_text("Files to upload: 4")
    page.get_by_role("button", name="Preview files").click()
    page.wait_for_url("**/imports/waiting/")
    expect(page.locator("#toasts")).to_contain_text("a_2023.txt is empty. No issues were added.")
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(3)
    assert violations(page) == []
    page.get_by_role("button", name="Import chosen files").click()
    page.wait_for_url("**/imports/")
    for run in Import.objects.order_by("pk"):
        work(run)
    assert sorted(Issue.objects.values_list("repository__path", "number")) == [
        ("o/a", "1"), ("o/a", "2"), ("o/b", "1"), ("o/c", "5"),
    ]  # fmt: skip


@only_long
def test_the_whole_published_study_comes_in_and_goes_out_as_it_came(open_page, lead, published, tmp_path):
    page = open_page(lead.user, "/studies/engines/")
    page.get_by_role("link", name="Import published labels").click()
    drop(page, published)
    expect(page.locator(".chosen")).to_contain_text("Files to upload: 28")
    run = check_files(page)
    page.goto(page.url)
    for words in ("25,784", "180,488", "25 files are read", "4 files are not read"):
        expect(page.locator("main")).to_contain_text(words)
    page.get_by_role("button", name="Import labels").click()
    page.wait_for_url("**/imports/published/*/")
    assert work(run).state == "done"

    write_package(Round.objects.get(), tmp_path / "out")

    repeated: dict[str, set[int]] = {}
    for file, line in ImportRow.objects.values_list("file", "line"):
        repeated.setdefault(file, set()).add(line)
    assert sum(map(len, repeated.values())) == 6
    files = [path.relative_to(published).as_posix() for path in published.glob("*/*.*")] + ["taxonomy.csv"]
    same, differ, missing = filecmp.cmpfiles(published, tmp_path / "out", files, shallow=False)
    assert (sorted(differ), missing, len(same)) == (sorted(repeated), [], len(files) - len(repeated))
    for name, lines in repeated.items():
        given = (published / name).read_bytes().splitlines(keepends=True)
        kept = [text for number, text in enumerate(given, start=1) if number not in lines]
        assert (tmp_path / "out" / name).read_bytes() == b"".join(kept)
