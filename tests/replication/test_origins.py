"""The files of a package on where its issues come from, what was said about them, and how to read it."""

import csv
import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from annotate.actions.samples import draw_sample
from annotate.queries.samples import SampleFrame
from consensus.models import Comment
from harvests.models import Harvest, HarvestedRepository, HarvestPage
from ingest.keywords import Term
from ingest.models import Import
from replication.croissant import croissant
from replication.package import write_package
from rounds.queries.blindness import Reader, withheld_issues
from standards.models import Citation
from tests.factories import make_list

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.world(issues=4, members=2)]


def rows_of(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def labelled(world):
    round_ = world.round(name="Main")
    for issue, codes in zip(world.issues, [("C.2", "C.2"), ("C.2", "C.9")], strict=False):
        for member, code in zip(world.members, codes, strict=True):
            world.submit(round_, issue, member, code, summary="=1+1, hangs", unsure=True)
    world.settle(round_, world.issues[1], "C.9")
    return round_


def test_lists_comments_and_the_codebook(world, labelled, tmp_path):
    make_list(world.study, Term("llama", is_case_sensitive=True), Term("token"), name="Models")
    for issue in world.issues[:2]:
        Comment.objects.create(
            round=labelled, issue=issue, author=world.members[0], text="-farm", category=world.category("C.9")
        )
    world.waits_for(world.lead, world.issues[0])
    blind = withheld_issues(labelled, world.lead)
    hashes = write_package(labelled, tmp_path, blind=blind, reader=Reader(world.lead))
    assert [(row["List"], row["Term"], row["Case_sensitive"]) for row in rows_of(tmp_path / "keywords.csv")] == [
        ("Models", "llama", "yes"), ("Models", "token", ""),
    ]  # fmt: skip
    # The comment on the issue that the lead still has to label is not in their package.
    [comment] = rows_of(tmp_path / "comments.csv")
    assert (comment["Issue_URL"], comment["Argues_for"]) == (world.issues[1].url, "C.9")
    assert comment["Text"] == "'-farm"
    assert "Name of C.9" in (tmp_path / "codebook.md").read_text()
    assert {"harvests/harvests.csv", "samples/01-pilot.csv"}.isdisjoint(hashes)


def test_what_was_asked_of_which_forge(world, labelled, tmp_path):
    asked = Harvest.objects.create(
        run=Import.objects.create(study=world.study, name="Both forges", kind="harvest"),
        opened_from=datetime(2024, 1, 1, tzinfo=UTC), with_comments=True,
    )  # fmt: skip
    walked = HarvestedRepository.objects.create(
        harvest=asked, position=1, forge="github", host="github.com", path="o/engine", expected={"issues": 12},
    )  # fmt: skip
    HarvestPage.objects.create(
        repository=walked, position=1, phase="listing", url="https://api.github.com/repos/o/engine/issues",
        status=200, sha256="a" * 64, records=12,
    )  # fmt: skip
    write_package(labelled, tmp_path)
    [harvest] = rows_of(tmp_path / "harvests/harvests.csv")
    assert (harvest["Repository"], harvest["Opened_from"], harvest["Comments"], harvest["Expected"]) == (
        "o/engine", "2024-01-01T00:00:00+00:00", "yes", "12",
    )  # fmt: skip
    [fetched] = rows_of(tmp_path / "harvests/pages.csv")
    assert (fetched["Address"], fetched["Status"], fetched["Records"], fetched["SHA256"]) == (
        "https://api.github.com/repos/o/engine/issues", "200", "12", "a" * 64,
    )  # fmt: skip


def test_a_sample_with_its_plan_its_seed_and_its_frame(world, labelled, tmp_path):
    draw_sample(
        study=world.study, by=world.lead, name="Pilot", seed=7,
        frame=SampleFrame(),
    )  # fmt: skip
    write_package(labelled, tmp_path)
    plan = json.loads((tmp_path / "samples/01-pilot.json").read_text())
    frame = rows_of(tmp_path / "samples/01-pilot.csv")
    assert (plan["name"], plan["seed"]) == ("Pilot", 7)
    assert {row["Issue_URL"] for row in frame} == {issue.url for issue in world.issues}
    assert sum(row["Drawn"] == "yes" for row in frame) == plan["plan"]["strata"][0]["drawn"]


def test_every_file_is_described_with_its_hash(world, labelled, tmp_path):
    Citation.objects.create(
        study=world.study, title="Faults of farms", licence="CC-BY-4.0", doi="10.5281/zenodo.1",
        authors=[{"family": "Lovelace", "given": "Ada", "orcid": "0000-0002-1825-0097"}], changed_by=world.lead,
    )  # fmt: skip
    hashes = write_package(labelled, tmp_path)
    described = json.loads((tmp_path / "croissant.json").read_text())
    files = {one["@id"]: one["sha256"] for one in described["distribution"]}
    assert files == {
        name: digest for name, digest in hashes.items() if name not in {"croissant.json", "manifest.json"}
    }
    assert (described["license"], described["url"]) == ("CC-BY-4.0", "https://doi.org/10.5281/zenodo.1")
    assert described["creator"][0]["name"] == "Ada Lovelace"
    assert described["rai:annotationsPerItem"] == "2"
    assert "only when all of its labels were submitted" in described["rai:dataAnnotationPlatform"]
    for table in described["recordSet"]:
        heads = (tmp_path / f"{table['@id']}.csv").read_text().splitlines()[0].split(",")
        assert [one["source"]["extract"]["column"] for one in table["field"]] == heads


def test_of_imported_labels_it_says_what_was_not_observed(world, labelled):
    labelled.closed_at = labelled.opened_at
    described = croissant(labelled, labelled.opened_at, {})
    assert "not observed" in described["rai:dataAnnotationPlatform"]
    assert {"license", "creator"}.isdisjoint(described)


def test_pandas_reads_it_as_the_readme_says(world, labelled, tmp_path):
    write_package(labelled, tmp_path)
    readme = (tmp_path / "README.md").read_text()
    said = readme.split("## In pandas\n\n")[1].split("\n\n##")[0]
    lines = [line.removeprefix("    ") for line in said.splitlines()]
    assert len(lines) == 5
    lines += [
        "import json, sys",
        "types = {name: str(labels[name].dtype) for name in ('Label', 'Unsure', 'Submitted_at', 'Guideline')}",
        "told = [types, labels['Summary'].tolist(), by_volunteer.values.tolist(), final.dropna().tolist()]",
        "json.dump(told, sys.stdout)",
    ]
    made = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    types, summaries, labels, final = json.loads(made.stdout)
    assert types == {
        "Label": "string", "Unsure": "boolean", "Submitted_at": "datetime64[us, UTC]", "Guideline": "Int64",
    }  # fmt: skip
    assert summaries == ["=1+1, hangs"] * 4
    assert (labels, final) == ([["C.2", "C.2"], ["C.2", "C.9"]], ["C.2", "C.9"])
