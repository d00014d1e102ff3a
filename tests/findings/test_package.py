"""Findings in a replication package: as the person who makes the package may see them."""

import csv
import hashlib
import json

import pytest
from django.urls import reverse

from core.fetch.sealing import Purpose, seal_text
from findings.actions.findings import add_finding, freeze_finding
from findings.errors import FindingRefused
from findings.queries.archiving import QuotesLeftOut, quotes_left_out
from interviews.actions.identities import name_participant
from interviews.models import Coding, Consent, Identity, Place
from replication.package import write_package
from rounds.queries.blindness import Reader, withheld_issues
from tests.factories.interviews import make_participant, make_session
from tests.findings.world import FindingWorld, finding_world, rank
from tests.kept import kept
from tests.long import only_long
from tests.worlds.pages import client
from tests.worlds.recomputed import run, wrong_paths

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@kept
def world() -> FindingWorld:
    return finding_world()


def written(world, folder, member=None, **asked) -> dict[str, str]:
    reader = Reader(member) if member else None
    blind = {"blind": withheld_issues(world.round, member)} if member else {}
    files = write_package(world.round, folder, reader=reader, **blind, **asked)
    return {name: (folder / name).read_text() for name in files if name.startswith("findings/")}


@only_long
def test_findings_are_in_the_package_with_their_hashes_and_the_script_still_agrees(world, tmp_path):
    assert written(world, tmp_path / "none") == {}
    world.finding()
    files = written(world, tmp_path / "all", world.lead)
    assert list(files) == ["findings/findings.csv", "findings/findings.md"]
    assert "Kappa is 0.438; developers say “models”." in files["findings/findings.md"]
    reference = [row["Reference"] for row in csv.DictReader(files["findings/findings.csv"].splitlines())]
    assert reference == ["", "U1.1.2.9-15", "", ""]
    assert "Quotes that are left out" not in (tmp_path / "all/README.md").read_text()
    manifest = json.loads((tmp_path / "all/manifest.json").read_text())
    for name, text in files.items():
        assert manifest["sha256"][name] == hashlib.sha256(text.encode()).hexdigest()
    assert run(tmp_path / "all").returncode == 0
    assert written(world, tmp_path / "coached", world.lead, without_coached=True) == {}


def test_the_package_has_what_its_maker_may_see_and_what_may_be_quoted(world, tmp_path):
    finding = world.finding("Kappa is {1}, the issue {3}.")
    add_finding(study=world.study, text="draft", by=world.lead)
    freeze_finding(finding=finding, by=world.lead)
    assert "draft" not in "".join(written(world, tmp_path / "viewer", world.viewer).values())
    world.base.waits_for(world.lead, world.base.issues[2])
    files = "".join(written(world, tmp_path / "lead", world.lead).values())
    assert "Kappa is [hidden from you], the issue [hidden from you]." in files
    assert "0.438" not in files
    assert "draft" in files
    Consent.objects.update(permits=["quote"])
    files = "".join(written(world, tmp_path / "unarchived", world.lead).values())
    assert ("models" in files, "not to be archived" in files) == (False, True)
    readme = (tmp_path / "unarchived/README.md").read_text()
    assert "permits quoting: 0. With a consent to quote and none to archive: 1." in readme
    assert quotes_left_out(world.study, world.viewer) == QuotesLeftOut(archiving=1)
    page = client(world.lead).get(reverse("export", args=[world.study.slug])).text
    assert "1 quote of the findings is left out" in page
    assert "models" in client(world.lead).get(finding.get_absolute_url()).text  # pages of the study keep it
    Consent.objects.update(withdrawn_on="2025-07-01")
    assert quotes_left_out(world.study, None) == QuotesLeftOut(quoting=1)
    assert "models" not in "".join(written(world, tmp_path / "shell").values())
    add_finding(study=world.study, text="Ann Canaryova", by=world.lead)
    name_participant(participant=world.participant, name="Ann Canaryova", contact="", by=world.lead)
    with pytest.raises(FindingRefused):
        written(world, tmp_path / "named")


def test_rankings_are_in_the_package_as_far_as_their_reader_may_read_the_interviews(
    world, tmp_path, settings
):
    def ranked(folder, member=None, **asked):
        reader = Reader(member) if member else None
        hashes = write_package(world.round, tmp_path / folder, reader=reader, **asked)
        name = "interviews/rankings.csv"
        if name not in hashes:
            return None
        stored = (tmp_path / folder / name).read_bytes()
        assert hashes[name] == hashlib.sha256(stored).hexdigest()
        return {row["code"]: row for row in csv.DictReader(stored.decode().splitlines())}

    Coding.objects.update(settled_at=None, settled_by=None)
    assert ranked("viewer", world.viewer) is None  # reads an interview once its coding is settled
    rows = ranked("lead", world.lead, without_coached=True)
    assert [(code, rows[code]["participants"], rows[code]["mean_rank"]) for code in "AB"] == [
        ("A", "1", "1.0"),
        ("B", "1", "2.0"),
    ]
    assert "U1" not in (tmp_path / "lead/interviews/rankings.csv").read_text()
    named = world.question.text.split()[0]
    name_participant(participant=world.participant, name=named, contact="", by=world.lead)
    assert rows["A"]["text"] == world.question.text
    shell = ranked("shell")
    assert (shell["A"]["question"], shell["A"]["text"], shell["A"]["mean_rank"]) == ("1.1.1", "", "1.0")
    Identity.objects.update(name=seal_text("Nobody", Purpose.PEOPLE))
    assert ranked("told")["A"]["text"] == world.question.text
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another-key-of-this-server" * 3, []
    unreadable = ranked("lost")
    assert (unreadable["A"]["text"], unreadable["A"]["mean_rank"]) == ("", "1.0")


def test_rankings_are_computed_again_from_answers_without_names(world, tmp_path):
    """Three rank all types, one of them with a tie and one for the second time: ranks 1 2 3, 1.5 1.5 3 and 2 1 3. Sums
    4.5 4.5 9, S = 13.5, W = 12 * 13.5 / (9 * 24 - 3 * 6) = 9/11.
    """
    guide = world.session.guide
    for codes, who in (
        ("ABC", world.participant),
        ("ABC", make_participant(world.study, world.lead, "U")),
        ("BAC", make_participant(world.study, world.lead, "U")),
    ):
        rank(world.base, make_session(who, world.lead, guide=guide), world.question, *codes)
    Place.objects.filter(ranking__session__participant__number=2, place=2).update(place=1)
    hashes = write_package(world.round, tmp_path, reader=Reader(world.lead))
    path = tmp_path / "interviews/ranking_answers.csv"
    answers = [tuple(row.values()) for row in csv.DictReader(path.read_text().splitlines())]
    [group] = {row[2] for row in answers}
    assert sorted(answers) == [
        ("1.1.1", "1", group, "A", "1"), ("1.1.1", "1", group, "B", "1"), ("1.1.1", "1", group, "C", "3"),
        ("1.1.1", "2", group, "A", "1"), ("1.1.1", "2", group, "B", "2"), ("1.1.1", "2", group, "C", "3"),
        ("1.1.1", "3", group, "A", "2"), ("1.1.1", "3", group, "B", "1"), ("1.1.1", "3", group, "C", "3"),
    ]  # fmt: skip
    assert hashes["interviews/ranking_answers.csv"] == hashlib.sha256(path.read_bytes()).hexdigest()
    done = run(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    [line] = [one for one in done.stdout.splitlines() if one.startswith("rankings 1.1.1 W w ")]
    assert line.split()[-3:] == [repr(9 / 11), repr(9 / 11), "0"]
    path.write_text(path.read_text().replace(f"1,{group},B,1", f"1,{group},B,2"))
    assert "rankings 1.1.1 B mean_rank" in wrong_paths(tmp_path)


def test_an_interval_stands_only_where_the_rankings_vary(world, tmp_path):
    """Five rank alike, then a sixth otherwise: the file and the script agree both times."""

    def package(name: str) -> tuple[str, str]:
        write_package(world.round, tmp_path / name, reader=Reader(world.lead))
        assert run(tmp_path / name).returncode == 0
        with (tmp_path / name / "interviews/rankings.csv").open() as stream:
            first = next(csv.DictReader(stream))
        return first["w_low"], first["mean_rank_low"]

    everybody = [world.participant, *(make_participant(world.study, world.lead, "U") for _other in range(4))]
    for who in everybody:
        rank(world.base, make_session(who, world.lead, guide=world.session.guide), world.question, *"ABC")
    assert package("alike") == ("", "")
    path = tmp_path / "alike/interviews/rankings.csv"
    columns, *rows = csv.reader(path.read_text().splitlines())
    for row in rows:
        row[columns.index("w_low")] = row[columns.index("w_high")] = "1.0"
    path.write_text("".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in (columns, *rows)))
    assert "rankings 1.1.1 W w_has_interval" in wrong_paths(tmp_path / "alike")
    other = make_participant(world.study, world.lead, "U")
    rank(world.base, make_session(other, world.lead, guide=world.session.guide), world.question, *"BAC")
    assert all(package("varied"))


def test_an_answer_that_is_alone_in_a_group_or_in_neither_leaves_without_groups(world, tmp_path):
    """Audiences of 2 and 1, of 2, 2 and 1, and of 2, 2 and 2."""

    def package(name: str, *answers: tuple[str, str]):
        for prefix, codes in answers:
            who = make_participant(world.study, world.lead, prefix)
            session = make_session(who, world.lead, guide=world.session.guide)
            rank(world.base, session, world.question, *codes)
        write_package(world.round, tmp_path / name, reader=Reader(world.lead))
        with (tmp_path / name / "interviews/ranking_answers.csv").open() as stream:
            given = list(csv.DictReader(stream))
        with (tmp_path / name / "interviews/rankings.csv").open() as stream:
            first = next(csv.DictReader(stream))
        done = run(tmp_path / name)
        assert (done.returncode, done.stderr) == (0, "")
        lines = [one for one in done.stdout.splitlines() if one.startswith("rankings 1.1.1 A ")]
        not_here = {one.split()[3] for one in lines if one.endswith("not in this package")}
        sizes = first["first_participants"], first["second_participants"]
        means = first["first_mean_rank"], first["second_mean_rank"], first["difference"]
        answers_in_file = [(row["group"], row["place"]) for row in given if row["code"] == "A"]
        return answers_in_file, sizes, means, not_here

    of_groups = {
        "first_participants", "second_participants", "first_mean_rank", "second_mean_rank", "difference",
        "difference_has_interval",
    }  # fmt: skip
    nothing = ("", "", "")
    three = [("", "1"), ("", "1"), ("", "2")]
    assert package("three", ("U", "AB"), ("D", "BA")) == (three, ("2", "1"), nothing, of_groups)
    # 1 is in neither group: the numbers of all, less those of the groups, would be theirs.
    five = [*three, ("", "2"), ("", "2")]
    assert package("five", ("D", "BA"), ("T", "BA")) == (five, ("2", "2"), nothing, of_groups)
    six = [("", "1"), ("", "2"), *[("Audience D", "2")] * 2, *[("Audience U", "1")] * 2]
    assert package("six", ("T", "AB")) == (six, ("2", "2"), ("1.0", "2.0", "-1.0"), set())
