"""The command that loads issues: shows first, asks or is told not to, says what came of it."""

import io
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command

from core.models import Job
from ingest.models import Import, Issue
from studies.models import Membership, Study
from tests.factories import make_study, make_user
from tests.ingest.files import jsonl, record, urls

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("import_issues", *map(str, arguments), stdout=out)
    return out.getvalue()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "issues.jsonl"
    path.write_bytes(jsonl(record(1), record(2)) + b'{"html_url": "nonsense"}\n')
    return path


def test_shows_and_loads_and_reports(file) -> None:
    study = make_study(slug="llm")

    said = run(file, "--study", "llm", "--yes")

    assert "issues.jsonl: JSON, UTF-8" in said
    assert "user.login" in said
    assert "2 new issues, 0 known, 2 with text" in " ".join(said.split())
    assert "refused, line 3: " in said
    assert "3 rows read, 2 new issues, 0 already in the study" in said
    assert Issue.objects.filter(repository__study=study).count() == 2
    assert Import.objects.get().job.state == "done"


def test_the_same_file_again_changes_nothing(file) -> None:
    make_study(slug="llm")
    run(file, "--study", "llm", "--yes")

    said = run(file, "--study", "llm", "--yes")

    assert "imported before" in said
    assert Import.objects.count() == 1
    assert Issue.objects.count() == 2


def test_nobody_to_ask(file, monkeypatch) -> None:
    make_study(slug="llm")
    monkeypatch.setattr("sys.stdin", io.StringIO())

    with pytest.raises(CommandError, match="--yes"):
        run(file, "--study", "llm")
    assert not Import.objects.exists()


@pytest.mark.parametrize(("answer", "issues"), [("y\n", 2), ("n\n", 0), ("\n", 0)])
def test_asks_first(file, monkeypatch, answer, issues) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    make_study(slug="llm")
    monkeypatch.setattr("sys.stdin", Terminal(answer))

    run(file, "--study", "llm")

    assert Issue.objects.count() == issues
    assert Import.objects.count() == (1 if issues else 0)


def test_ends_with_1_and_every_line_when_nothing_was_taken(tmp_path) -> None:
    make_study(slug="llm")
    path = tmp_path / "list.csv"
    path.write_text("url\n" + "".join(f"nonsense-{number}\n" for number in range(30)))
    out = io.StringIO()

    with pytest.raises(SystemExit) as ended:
        call_command("import_issues", str(path), "--study", "llm", "--yes", stdout=out)

    assert ended.value.code == 1
    assert [
        line.partition(":")[0] for line in out.getvalue().splitlines() if line.startswith("refused, ")
    ] == [f"refused, line {number}" for number in range(2, 32)]


def test_refuses_a_file_in_its_words_and_stores_nothing(tmp_path) -> None:
    make_study(slug="llm")
    path = tmp_path / "page.csv"
    path.write_text("<!doctype html><p>Sign in")

    with pytest.raises(CommandError, match=r"page\.csv: This is an HTML page"):
        run(path, "--study", "llm", "--yes")
    with pytest.raises(CommandError, match="No such file"):
        run(tmp_path / "missing.csv", "--study", "llm", "--yes")
    assert not Import.objects.exists()


def test_names_the_studies_there_are(file) -> None:
    make_study(slug="llm")

    with pytest.raises(CommandError, match=r"There is no study 'lmm' \(there are: llm\)"):
        run(file, "--study", "lmm", "--yes")


@pytest.mark.parametrize("slug", ["new", "x" * 71, "Open LLM"])
def test_makes_no_study_under_another_slug_than_was_asked_for(tmp_path, slug) -> None:
    make_user(email="ann@example.org")
    path = tmp_path / "list.txt"
    path.write_bytes(urls(1))

    with pytest.raises(CommandError, match="is no slug"):
        run(path, "--study", slug, "--yes", "--owner", "ann@example.org")

    assert not Study.objects.exists()


def test_makes_a_study_for_its_owner(tmp_path) -> None:
    person = make_user(email="ann@example.org")
    path = tmp_path / "list.txt"
    path.write_bytes(urls(1))

    run(path, "--study", "new-study", "--yes", "--owner", "ann@example.org")

    study = Study.objects.get(slug="new-study")
    assert Membership.objects.get(study=study).role == "owner"
    assert Import.objects.get().created_by == person
    with pytest.raises(CommandError, match="No account"):
        run(path, "--study", "x", "--yes", "--owner", "nobody@example.org")
    with pytest.raises(CommandError, match="no slug"):
        run(path, "--study", "Not A Slug", "--yes", "--owner", "ann@example.org")


def test_an_interrupted_import_is_cancelled_and_keeps_what_it_stored(file, monkeypatch) -> None:
    from ingest.actions import loading

    make_study(slug="llm")
    monkeypatch.setattr(loading, "CHUNK", 1)
    stored = loading._store

    def interrupted(run, chunk, fields, seen, done):
        if done == 2:
            raise KeyboardInterrupt
        return stored(run, chunk, fields, seen, done)

    monkeypatch.setattr(loading, "_store", interrupted)

    with pytest.raises(CommandError, match="What was stored stays"):
        run(file, "--study", "llm", "--yes")

    assert Job.objects.get().state == "cancelled"
    assert Issue.objects.count() == 1


CSV = "nr,what,when\n7,Loss is NaN,2024-05-31 17:30\n8,Crash,2024-05-31 18:30\n"
TOLD = ("--field", "number=nr", "--field", "title=what", "--field", "created_at=when")


def test_columns_are_chosen_as_on_the_page(tmp_path) -> None:
    make_study(slug="llm")
    (tmp_path / "frame.csv").write_text(CSV)

    run(
        tmp_path / "frame.csv", "--study", "llm", "--yes", *TOLD,
        "--base", "github.com/team/tool", "--zone", "Asia/Shanghai",
    )  # fmt: skip

    found = Issue.objects.select_related("current").order_by("pk")
    assert [(one.url, one.current.title) for one in found] == [
        ("https://github.com/team/tool/issues/7", "Loss is NaN"),
        ("https://github.com/team/tool/issues/8", "Crash"),
    ]
    assert found[0].current.opened_at == datetime(2024, 5, 31, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (("--field", "colour=what"), "no field colour"),
        (("--field", "title=nothing"), "nothing is not one of the available choices"),
        ((*TOLD, "--base", "no repository"), "This is neither a repository nor a host: no repository"),
        ((*TOLD, "--base", "github.com/team/tool", "--zone", "Mars/Base"), "Mars/Base is not one of"),
    ],
)
def test_columns_that_are_none_store_nothing(tmp_path, told, why) -> None:
    make_study(slug="llm")
    (tmp_path / "frame.csv").write_text(CSV)

    with pytest.raises(CommandError, match=why):
        run(tmp_path / "frame.csv", "--study", "llm", "--yes", *told)

    assert not Import.objects.exists()


def test_only_one_repository_is_taken(tmp_path) -> None:
    make_study(slug="llm")
    lines = "https://github.com/team/tool/issues/1\nhttps://github.com/team/other/issues/2\n"
    (tmp_path / "urls.txt").write_text(lines)

    run(tmp_path / "urls.txt", "--study", "llm", "--yes", "--only", "team/other")

    assert [one.url for one in Issue.objects.all()] == ["https://github.com/team/other/issues/2"]
