import threading

import pytest
from django.db import connection, transaction

from consensus.models import Decision
from consensus.queries.disagreement_filters import Narrowing
from consensus.queries.disagreements import disagreements
from ingest.models import ImportRow, Issue, Repository, SourceEntry
from replication.actions.published import import_study
from replication.errors import PseudonymTaken, PublishedStudyDiffers, PublishedStudyRefused
from replication.package import write_package
from rounds.models import Assignment, Label, Round, RoundIssue
from studies.models import Event, Membership, Study
from taxonomy.errors import TaxonomyRefused
from tests import factories
from tests.long import only_long
from tests.worlds.published_folders import ENGINE, TAXONOMY, write_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path):
    return write_study(tmp_path / "labels")


def stored() -> dict[str, list]:
    """Everything that an import stores, without the ids and times that differ from run to run."""
    codes = "category__states__code"
    return {
        "repositories": list(Repository.objects.order_by("pk").values_list("host", "path", "folder")),
        "issues": list(Issue.objects.order_by("pk").values_list("number", "url", "year")),
        "lists": list(
            SourceEntry.objects.order_by("source", "position").values_list("source__name", "position", "url")
        ),
        "in the round": [
            (row.position, row.issue.number, row.completed_at is not None)
            for row in RoundIssue.objects.select_related("issue").order_by("position")
        ],
        "slots": [
            (slot.issue.number, slot.slot, slot.volunteer.pseudonym, slot.submitted_at is not None)
            for slot in Assignment.objects.select_related("issue", "volunteer").order_by("pk")
        ],
        "labels": list(
            Label.objects.order_by("pk").values_list("issue__number", "volunteer__pseudonym", codes)
        ),
        "decisions": list(Decision.objects.order_by("pk").values_list("issue__number", codes, "method")),
        "members": list(Membership.objects.order_by("pk").values_list("pseudonym", "role", "user__email")),
    }


def test_import_study_stores_everything_the_files_say(folder):
    done = import_study(folder=folder, slug="engines", name="Engines")

    assert stored() == {
        "repositories": [("github.com", "ember/engine", "engine"), ("gitee.com", "quill/Lattice", "lattice")],
        "issues": [
            ("12", "https://github.com/ember/engine/issues/12", None),
            ("7", "https://github.com/ember/engine/issues/7", None),
            ("9", "https://github.com/ember/engine/issues/9", 2023),
            ("3", "https://github.com/ember/engine/issues/3", 2023),
            ("I6UHT3", "https://gitee.com/quill/Lattice/issues/I6UHT3", 2025),
        ],
        "lists": [
            ("engine_2023.txt", 1, "https://github.com/ember/engine/issues/9"),
            ("engine_2023.txt", 2, "https://github.com/ember/engine/issues/3"),
            ("engine_2023.txt", 3, "https://github.com/ember/engine/issues/9"),
            ("lattice_2025.txt", 1, "https://gitee.com/quill/Lattice/issues/I6UHT3"),
        ],
        "in the round": [(1, "12", True), (2, "7", True), (3, "9", False), (4, "3", True), (5, "I6UHT3", True)],
        "slots": [
            (number, slot, f"R{slot}", (number, slot) != ("9", 2))
            for number in ("12", "7", "9", "3", "I6UHT3")
            for slot in (1, 2, 3)
        ],
        "labels": [
            ("12", "R1", "C.1"), ("12", "R2", "C.1"), ("12", "R3", "C.1"),
            ("7", "R1", "C.1"), ("7", "R2", "C.2"), ("7", "R3", "C.1"),
            ("9", "R1", "A.1"), ("9", "R3", "C.2"),
            ("3", "R1", "C.2"), ("3", "R2", "C.2"), ("3", "R3", "C.2"),
            ("I6UHT3", "R1", "A.1"), ("I6UHT3", "R2", "A.1"), ("I6UHT3", "R3", "A.1"),
        ],
        "decisions": [
            ("12", "C.1", "unanimous"), ("7", "C.1", "imported"), ("3", "C.1", "imported"),
            ("I6UHT3", "A.1", "unanimous"),
        ],
        "members": [("R1", "volunteer", None), ("R2", "volunteer", None), ("R3", "volunteer", None)],
    }  # fmt: skip
    assert done.counts == {
        "volunteers": 3, "repositories": 2, "issues": 5, "lists": 3, "list entries": 4,
        "issues in the round": 5, "assignments": 15, "labels": 14, "decisions": 4,
    }  # fmt: skip
    assert done.skipped == [".DS_Store: a hidden file"]
    round_ = Round.objects.get()
    assert (round_.name, round_.depth, round_.labels_per_issue) == ("Main round", 2, 3)
    assert round_.closed_at is not None
    assert Study.objects.get().name == "Engines"


def test_import_study_again_changes_nothing(folder):
    import_study(folder=folder, slug="engines")
    before = stored()

    again = import_study(folder=folder, slug="engines")

    assert again.unchanged
    assert stored() == before
    assert Event.objects.filter(verb="studies.imported").count() == 1


def test_import_study_keeps_the_first_row_of_a_repeated_issue_and_reports_the_others(tmp_path):
    spelled = "http://www.github.com/Ember/engine/issues/12/?x=1"
    engine = ENGINE + f"{spelled},C.2,C.2,C.2,C.2\nhttps://github.com/ember/engine/issues/7,C.1,C.2,C.1,C.1\n"
    done = import_study(folder=write_study(tmp_path, engine=engine), slug="engines")

    assert done.counts["issues"] == 5
    columns = ("outcome", "file", "line", "code", "message", "raw")
    assert list(ImportRow.objects.order_by("pk").values_list(*columns)) == [
        (
            "repeated", "engine/engine.csv", 6, "repeated_with_other_labels",
            "The issue of line 2 again, with other labels. The labels of line 2 were kept.",
            f"{spelled},C.2,C.2,C.2,C.2",
        ),
        (
            "repeated", "engine/engine.csv", 7, "repeated",
            "The same row as line 3. Line 3 was kept.",
            "https://github.com/ember/engine/issues/7,C.1,C.2,C.1,C.1",
        ),
    ]  # fmt: skip


def test_a_strict_import_study_refuses_rows_that_label_an_issue_otherwise_and_stores_nothing(tmp_path):
    twins = "http://www.github.com/Ember/engine/issues/12/?x=1,C.2,C.2,C.2,C.2\n"
    same = "https://github.com/ember/engine/issues/7,C.1,C.2,C.1,C.1\n"
    with pytest.raises(PublishedStudyRefused) as refused:
        import_study(
            folder=write_study(tmp_path / "twins", engine=ENGINE + twins + same), slug="engines", strict=True
        )

    assert refused.value.problems == (
        (
            "engine/engine.csv, line 6: this is the issue of engine/engine.csv, line 2, again, with other labels."
            " Correct one of the rows, or import without --strict."
        ),
    )
    assert not Study.objects.exists()
    assert not Issue.objects.exists()
    import_study(folder=write_study(tmp_path / "same", engine=ENGINE + same), slug="engines", strict=True)
    assert list(ImportRow.objects.values_list("line", "code")) == [(6, "repeated")]


def test_import_study_refuses_more_votes_than_volunteers_by_line(tmp_path):
    more = ENGINE.replace("issues/7,C.1,C.2,C.1,C.1", "issues/7,C.1,C.2,C.1,C.1,C.1")
    with pytest.raises(PublishedStudyRefused) as of_a_row:
        import_study(folder=write_study(tmp_path / "row", engine=more), slug="engines")
    head, *rows = ENGINE.splitlines()
    wide = "\n".join([head.replace("Final_Label", "Label4,Final_Label"), *(f"{row},C.1" for row in rows)])
    with pytest.raises(PublishedStudyRefused) as of_a_table:
        import_study(folder=write_study(tmp_path / "table", engine=wide + "\n"), slug="engines")

    assert of_a_row.value.problems == (
        (
            "engine/engine.csv, line 3: the row has 6 cells, the header has 5. Quote the cells that hold a"
            " delimiter, or add what is missing."
        ),
    )
    assert [problem.split(". ")[0] for problem in of_a_table.value.problems] == [
        "lattice/lattice.csv, line 1: the file has 3 columns of labels, engine/engine.csv has 4"
    ]
    assert not Study.objects.exists()


def test_import_study_with_unknown_codes_lists_all_lines_and_stores_nothing(tmp_path):
    engine = ENGINE.replace("issues/12,C.1,C.1", "issues/12,C.1,X.9").replace(
        "issues/3,C.2,C.2,C.2,C.1", "issues/3,C.2,C.2,c.1,Z"
    )
    with pytest.raises(PublishedStudyRefused) as refused:
        import_study(folder=write_study(tmp_path, engine=engine), slug="engines")

    assert refused.value.problems == (
        "engine/engine.csv, line 2: the taxonomy has no category X.9.",
        "engine/engine.csv, line 5: the taxonomy has no category Z, c.1.",
    )
    assert not Study.objects.exists()
    assert not Issue.objects.exists()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("issues/7,C.1,C.2,C.1,C.1", "issues/7,C.1,C.2,C.1"), "line 3"),
        (("https://github.com/ember/engine/issues/7", "not an address"), "line 3"),
        (("Label2", "Label9"), "line 1"),
    ],
)
def test_import_study_refuses_broken_rows_by_line_and_stores_nothing(tmp_path, change, problem):
    with pytest.raises(PublishedStudyRefused) as refused:
        import_study(folder=write_study(tmp_path, engine=ENGINE.replace(*change)), slug="engines")

    assert len(refused.value.problems) == 1
    assert "engine/engine.csv" in refused.value.problems[0]
    assert problem in refused.value.problems[0]
    assert not Study.objects.exists()


@pytest.mark.parametrize("slug", ["open llm", "a/b", "研究", "", "new", "x" * 81])
def test_import_study_refuses_a_slug_that_no_address_can_hold(folder, slug):
    with pytest.raises(PublishedStudyRefused) as refused:
        import_study(folder=folder, slug=slug)

    assert len(refused.value.problems) == 1
    assert not Study.objects.exists()


def test_import_study_refuses_a_broken_taxonomy_and_stores_nothing(tmp_path):
    with pytest.raises(TaxonomyRefused) as refused:
        import_study(folder=write_study(tmp_path, taxonomy=TAXONOMY + "C.1,theme,Again\n"), slug="engines")

    assert [problem.line for problem in refused.value.problems] == [8]
    assert not Study.objects.exists()


def test_import_study_without_a_taxonomy_takes_that_of_the_study(tmp_path):
    study = factories.make_study(slug="engines")
    version = factories.make_version(study, ["A", "A.1", "C", "C.1", "C.2"])
    import_study(folder=write_study(tmp_path, taxonomy=None), slug="engines")

    assert Round.objects.get().version == version


def test_import_study_of_other_labels_into_the_same_study_is_refused(folder, tmp_path):
    import_study(folder=folder, slug="engines")
    before = stored()

    with pytest.raises(PublishedStudyDiffers):
        import_study(
            folder=write_study(tmp_path / "x", engine=ENGINE.replace("C.2,C.1,", "C.1,C.1,")), slug="engines"
        )

    assert stored() == before


def test_import_study_into_a_study_that_has_the_issues_is_exported_as_it_came(folder, tmp_path):
    study = factories.make_study(slug="engines")
    harvested = factories.make_repository(study, "Ember/engine", folder="ember-engine")
    known = factories.make_issue(harvested, "7", url="http://www.github.com/Ember/engine/issues/7")
    listed = factories.make_issue(harvested, "3", url="https://github.com/Ember/engine/pull/3")
    import_study(folder=folder, slug="engines")

    write_package(Round.objects.get(), tmp_path / "out")

    assert set(RoundIssue.objects.values_list("issue", flat=True)) >= {known.pk, listed.pk}
    for name in (
        "engine/engine.csv",
        "engine/engine_2023.txt",
        "engine/engine_2024.txt",
        "lattice/lattice.csv",
    ):
        assert (tmp_path / "out" / name).read_bytes() == (folder / name).read_bytes()


def test_labels_that_agree_at_the_depth_of_the_round_are_unanimous(tmp_path):
    rows = ["C.1.i,C.1,C.1", "C.1.i,C.1.i,C.1.i", "C.1,C.2,C.1", "C.1.i,,C.1"]
    table = "Issue_URL,Label1,Label2,Label3,Final_Label\n" + "".join(
        f"https://github.com/ember/engine/issues/{number},{labels},C.1\n"
        for number, labels in enumerate(rows, 1)
    )
    lists = write_study(tmp_path, engine=table)
    (lists / "engine" / "engine_2023.txt").unlink()
    import_study(folder=lists, slug="engines")

    round_ = Round.objects.get()
    assert round_.depth == 2
    assert list(Decision.objects.order_by("issue__number").values_list("issue__number", "method")) == [
        ("1", "unanimous"), ("2", "unanimous"), ("3", "imported"), ("4", "imported"), ("I6UHT3", "unanimous"),
    ]  # fmt: skip
    assert [row.issue.number for row in disagreements(round_, Narrowing(), None).rows] == ["3"]


def test_import_study_gives_the_study_an_owner_who_is_none_of_the_volunteers(folder):
    owner = factories.make_user(email="owner@example.org")
    import_study(folder=folder, slug="engines", owner=owner)

    assert stored()["members"][-1] == ("R4", "owner", "owner@example.org")


def test_import_study_moves_a_member_who_never_labelled_out_of_the_volunteers_names(folder):
    study = factories.make_study(slug="engines")
    member = factories.make_member(study, "owner", pseudonym="R2")
    import_study(folder=folder, slug="engines", owner=member.user)

    member.refresh_from_db()
    assert member.pseudonym == "R4"
    assert Membership.objects.get(study=study, pseudonym="R2").user is None


def test_import_study_never_takes_the_name_of_a_member_whom_a_round_knows(folder):
    study = factories.make_study(slug="engines")
    member = factories.make_member(study, pseudonym="R2")
    factories.make_round(factories.make_version(study), [], [member], name="Pilot")

    with pytest.raises(PseudonymTaken):
        import_study(folder=folder, slug="engines")


@pytest.mark.django_db(transaction=True)
def test_two_imports_at_once_store_one_study(folder):
    outcomes = []

    def run():
        outcomes.append(import_study(folder=folder, slug="engines").unchanged)
        connection.close()

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == [False, True]
    assert Label.objects.count() == 14


def grow_without_rows(table: str) -> None:
    """Let what was rolled back take up hundreds of pages of a table of categories."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} (key, taxonomy_id, created_at) SELECT gen_random_uuid(), taxonomy_id, now()"
            f" FROM {table}, generate_series(1, 10000) LIMIT 40000"
        )
        transaction.set_rollback(True)


@only_long
@pytest.mark.django_db(transaction=True)
def test_an_import_into_a_session_that_knew_small_tables_does_not_read_them_again_and_again(tmp_path, folder):
    import_study(folder=folder, slug="small")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE taxonomy_category")  # autovacuum does this within minutes
    import_study(folder=folder, slug="small-again")
    rows = "".join(f"https://github.com/ember/large/issues/{n},C.1,C.1,C.2,C.1\n" for n in range(1, 1501))
    large = tmp_path / "large" / "large" / "large.csv"
    large.parent.mkdir(parents=True)
    large.write_text("Issue_URL,Label1,Label2,Label3,Final_Label\n" + rows)
    (tmp_path / "large" / "taxonomy.csv").write_text(TAXONOMY)

    grow_without_rows("taxonomy_category")
    with transaction.atomic(), connection.cursor() as cursor:
        import_study(folder=tmp_path / "large", slug="large")
        connection.check_constraints()
        cursor.execute("SELECT pg_stat_get_xact_blocks_fetched('taxonomy_category'::regclass)")
        assert cursor.fetchone()[0] < 100_000
        cursor.execute(
            "SELECT relname FROM pg_stat_xact_user_tables WHERE schemaname = 'public' AND seq_tup_read > 500000"
        )
        assert cursor.fetchall() == []
