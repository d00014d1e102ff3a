"""The export page: what it promises is what the package holds, and each download is audited."""

import hashlib
import io
import json
import re
from zipfile import ZipFile

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from replication.package import write_package
from replication.queries.exports import contents
from reports.exports import labels_csv
from rounds.models import Round
from studies.models import Event, Role
from tests import factories
from tests.kept import kept
from tests.long import only_long
from tests.worlds.packages import package_for
from tests.worlds.pages import client, label_all, queries_of, text_of
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.PACKAGES_DIR = tmp_path


@kept
def world() -> World:
    made = small_world(issues=3, members=2)
    other = factories.make_repository(made.study, "quill/lattice")
    made.issues.append(factories.make_issue(other, "9", year=2024))
    return made


@kept
def labelled(world) -> Round:
    """Two complete issues of the first repository, one of them decided, one issue of the second; one half done."""
    round_ = world.round(name="Main round")
    label_all(world, round_, "C.1 C.1", "C.1 C.2", "A.1 -", "B.1 B.1")
    return round_


def page(member, study, query=""):
    return client(member).get(f"{reverse('export', args=[study.slug])}?{query}")


def fetch(member, study, **form):
    return client(member).post(reverse("download_export", args=[study.slug]), form)


def body(response) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


def downloads(study) -> list[dict]:
    return [
        event.detail for event in Event.objects.filter(study=study, verb="exports.downloaded").order_by("pk")
    ]


# --- what the page promises


def test_the_page_lists_what_the_package_holds(world, labelled, tmp_path):
    write_package(labelled, tmp_path / "package.zip")
    with ZipFile(tmp_path / "package.zip") as archive:
        held = set(archive.namelist())
        rows = {
            name: len(archive.read(name).splitlines()) - (not name.endswith(".txt"))
            for name in held
            if (name.endswith(".csv") or "/" in name)
            and not name.startswith(("probable", "checklist", "method"))
        }

    response = page(world.lead, world.study)

    listed = re.findall(
        r'<th scope="row">\s*<code>([^<]*)</code>\s*</th>\s*<td class="n">([\d,]*)</td>',
        response.content.decode(),
    )
    assert {name: int(count.replace(",", "")) for name, count in listed if count} == rows
    # This round has nothing of the kind that the page says is there where there is any.
    there_if_any = {
        "labels_second_look.csv",
        "votes.csv",
        "minutes/…",
        "weights/…",
        "guidelines/…",
        "labels_of_models.csv",
        "ballots.csv",
        "false_positives.csv",
        "rounds/…",
        "not_counted/…",
        "findings/…",
        "interviews/coder_agreement.csv",
        "interviews/rankings.csv",
        "interviews/ranking_answers.csv",
        "proposals.json",
        "keywords.csv",
        "harvests/…",
        "samples/…",
        "comments.csv",
    }
    assert {name for name, _count in listed} - there_if_any == held
    # Only where models of erring raters find anything.
    probable = {name for name in held if name.startswith("probable")}
    assert len(probable) == 2
    assert f"at least {len(held - probable)} files" in text_of(response)


def test_a_round_without_complete_issues_promises_no_probable_categories(world, labelled):
    assert all(one.if_any for one in page(world.lead, world.study).context["files"] if "probable" in one.name)


def test_the_lines_for_programs_make_the_package_too(world, labelled):
    said = text_of(page(world.lead, world.study))
    address = f"http://testserver/api/v1/rounds/{labelled.pk}/packages/"
    assert f'-X POST "{address}"' in said
    assert f"{address}$JOB/content/" in said


def test_checks_say_what_the_reader_will_miss(world, labelled):
    said = text_of(page(world.lead, world.study))

    assert "warning 1 of 4 issues is not revealed yet. The package leaves this issue out. Show round" in said
    assert "fine Every revealed issue has all of its labels." in said
    assert "warning 1 revealed issue has no decision. Its Final_Label is empty. Show disagreements" in said
    assert "warning The round is open, so a later package may have more labels." in said


def test_checks_say_how_many_labels_have_no_category(world, labelled):
    said = text_of(page(world.lead, world.study))
    assert "has no category" not in said
    assert "have no category" not in said

    world.submit(labelled, world.issues[2], world.members[1], "?Docs")
    said = text_of(page(world.lead, world.study))
    assert "fine Every revealed issue has all of its labels." in said
    assert "warning 1 label has no category: its author proposed a name, or its category ended." in said
    again = world.round(name="Again", members=world.members[:1])
    world.submit(again, world.issues[0], world.members[0], "?Docs")
    world.submit(again, world.issues[1], world.members[0], "?Docs")
    said = text_of(page(world.lead, world.study, f"round={again.pk}"))
    assert "warning 2 labels have no category: their authors proposed names" in said


@pytest.mark.parametrize(
    ("role", "offered"),
    [(Role.OWNER, True), (Role.LEAD, True), (Role.VOLUNTEER, False), (Role.VIEWER, False)],
)
def test_only_who_may_settle_is_sent_to_settle(world, labelled, role, offered):
    response = page(factories.make_member(world.study, role), world.study)
    link = f'href="{reverse("disagreements", args=[labelled.pk])}">Show disagreements</a>'

    assert "1 revealed issue has no decision" in text_of(response)
    assert (link in response.content.decode()) is offered


def test_checks_of_a_round_closed_early(world, labelled):
    Round.objects.filter(pk=labelled.pk).update(closed_at=timezone.now())

    said = text_of(page(world.lead, world.study))

    assert "fine All 4 issues are revealed." in said
    assert "warning 1 revealed issue lacks labels. The cells of missing labels are empty." in said
    assert "warning 2 revealed issues have no decision. Their Final_Label is empty." in said
    assert "fine The round is closed, so a later package has the same labels." in said


def test_rest_lines_name_repository_layout_and_round(world, labelled):
    said = text_of(page(world.lead, world.study))

    address = f"http://testserver/api/v1/studies/{world.study.slug}/exports/labels.csv?round=Main+round"
    assert f"'{address}&repository=quill/lattice&layout=wide'" in said
    assert f"-o labels_long.csv '{address}&layout=long'" in said
    for line in re.findall(r"'(http://testserver[^']*)'", said):
        assert client(world.lead).get(line, headers={"accept": "text/csv"}).status_code == 200


def test_a_study_without_an_open_round_has_nothing_to_export(world):
    world.round(opened=False)

    response = page(world.lead, world.study)

    assert "Labels to export will be here once a round of this study is open." in text_of(response)
    assert fetch(world.lead, world.study, file="long").status_code == 404


def test_another_round_is_chosen_by_its_address(world, labelled):
    pilot = world.round(name="Pilot", kind="pilot")

    assert "Checks Main round" in text_of(page(world.lead, world.study))
    assert "Checks Pilot" in text_of(page(world.lead, world.study, f"round={pilot.pk}"))
    foreign = small_world().round()
    assert page(world.lead, world.study, f"round={foreign.pk}").status_code == 404
    assert fetch(world.lead, world.study, file="long", round=foreign.pk).status_code == 404


@only_long
def test_lists_that_came_are_counted_as_they_came(published_round):
    found = contents(published_round)

    assert [(folder.name, folder.rows, folder.lists) for folder in found.folders] == [
        ("engine", 2, [("engine_2023.txt", 1), ("engine_2024.txt", 2)])
    ]


@pytest.fixture
def published_round(tmp_path):
    from replication.actions.published import import_study

    folder = tmp_path / "published" / "engine"
    folder.mkdir(parents=True)
    one, two = (f"https://github.com/ember/engine/issues/{number}" for number in (1, 2))
    (folder / "engine.csv").write_text(
        f"Issue_URL,Label1,Label2,Final_Label\n{one},C.1,C.1,C.1\n{two},C.1,C.2,C.2\n"
    )
    (folder / "engine_2023.txt").write_text(f"{one}\n")
    (folder / "engine_2024.txt").write_text(f"{two}\n{two}\n")
    import_study(folder=tmp_path / "published", slug="engines", owner=factories.make_user())
    return Round.objects.get(study__slug="engines")


# --- downloads


def test_a_repositorys_labels_come_as_a_file(world, labelled):
    response = fetch(world.lead, world.study, round=labelled.pk, file="wide", folder="lattice")

    (other,) = world.study.repositories.filter(path="quill/lattice")
    assert response.streaming
    assert body(response) == b"".join(labels_csv(labelled, repositories=[other]))
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert (
        response["Content-Disposition"] == f'attachment; filename="{world.study.slug}-main-round-lattice.csv"'
    )
    assert (response["Cache-Control"], response["X-Content-Type-Options"]) == ("no-store", "nosniff")
    assert downloads(world.study) == [
        {"round": "Main round", "file": f"{world.study.slug}-main-round-lattice.csv"}
    ]


def test_all_labels_come_in_the_long_layout(world, labelled):
    response = fetch(world.members[0], world.study, file="long")

    assert body(response) == b"".join(labels_csv(labelled, layout="long"))
    (event,) = Event.objects.filter(study=world.study, verb="exports.downloaded")
    assert event.by == world.members[0].user


def test_the_package_comes_as_a_zip(world, labelled):
    response = package_for(client(world.lead), labelled)

    assert response["Content-Type"] == "application/zip"
    assert response["Content-Disposition"] == f'attachment; filename="{world.study.slug}-main-round.zip"'
    with ZipFile(io.BytesIO(body(response))) as archive:
        assert archive.testzip() is None
        assert archive.read("lattice/lattice.csv") == (
            b"Issue_URL,Label1,Label2,Final_Label\nhttps://github.com/quill/lattice/issues/9,B.1,B.1,B.1\n"
        )
        assert json.loads(archive.read("manifest.json"))["round"] == "Main round"
        manifest = hashlib.sha256(archive.read("manifest.json")).hexdigest()
    file = f"{world.study.slug}-main-round.zip"
    assert downloads(world.study) == [{"round": "Main round", "file": file, "manifest_sha256": manifest}]
    assert f"{file} {manifest}" in text_of(page(world.lead, world.study))


def test_nobody_else_reads_the_hash_of_a_package(world, labelled):
    """With all but one label in hand, it would tell this label."""
    fetch(world.lead, world.study, file="long")
    body(package_for(client(world.lead), labelled))
    other = factories.make_member(world.study, Role.OWNER)
    [manifest] = [one["manifest_sha256"] for one in downloads(world.study) if "manifest_sha256" in one]
    assert manifest in text_of(page(world.lead, world.study))
    audit = client(other).get(reverse("audit", args=[world.study.slug]))
    assert "main-round.zip" in text_of(audit)
    for response in (page(other, world.study), page(world.members[0], world.study), audit):
        assert manifest not in response.content.decode()


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"file": "/etc/passwd"},
        {"file": "wide"},
        {"file": "wide", "folder": "../.."},
        {"file": "wide", "folder": "lattice\0"},
    ],
)
def test_files_that_do_not_exist_are_not_found(world, labelled, form):
    assert fetch(world.lead, world.study, **form).status_code == 404
    assert downloads(world.study) == []


def test_a_download_is_a_post(world, labelled):
    address = reverse("download_export", args=[world.study.slug])
    assert client(world.lead).get(address, {"file": "long"}).status_code == 405
    assert Client(enforce_csrf_checks=True).post(address, {"file": "long"}).status_code in {401, 403}


# --- cost


def test_queries_do_not_grow():
    counts = []
    for size in (1, 3):
        world = small_world(issues=size, members=2)
        for number in range(size):
            repository = factories.make_repository(world.study, f"more/number-{number}")
            world.issues.append(factories.make_issue(repository, year=2024))
        round_ = world.round()
        label_all(world, round_, *["C.1 C.2"] * (2 * size))
        counts.append(queries_of(client(world.lead), reverse("export", args=[world.study.slug])))
    assert counts[0] == counts[1] <= 26


# --- what the reader still has to label elsewhere


def test_files_leave_out_what_is_withheld_and_say_how_much(world, labelled):
    first, second = world.members[:2]
    world.waits_for(first, world.issues[1], world.issues[3])
    study, chosen = world.study, {"round": labelled.pk}

    held, whole = (text_of(page(member, study, f"round={labelled.pk}")) for member in (first, second))
    warning = "2 issues are hidden until you label them in another round. No file has these issues."
    assert (warning in held, "held back" in whole) == (True, False)
    assert "1 of 2 issues is not revealed yet" in held
    assert "1 of 4 issues is not revealed yet" in whole

    long = {member: fetch(member, study, file="long", **chosen) for member in (first, second)}
    assert [long[member]["Crosscheck-Withheld"] for member in (first, second)] == ["2", "0"]
    rows = {member: body(long[member]).decode().splitlines()[1:] for member in (first, second)}
    assert len(rows[second]) == 6
    assert rows[first] == [row for row in rows[second] if row.startswith(world.issues[0].url + ",")]
    wide = fetch(first, study, file="wide", folder=world.repository.folder, **chosen)
    assert body(wide).decode().splitlines()[1:] == [f"{world.issues[0].url},C.1,C.1,C.1"]

    packages = {}
    for member in (first, second):
        with ZipFile(io.BytesIO(body(package_for(client(member), labelled)))) as package:
            packages[member] = {name: package.read(name).decode() for name in package.namelist()}
    manifests = [json.loads(packages[member]["manifest.json"]) for member in (first, second)]
    assert [one["withheld_issues"] for one in manifests] == [2, 0]
    assert [one.get("why_withheld") for one in manifests] == [
        "who made this package still has to label them in another round",
        None,
    ]
    reports = [json.loads(packages[member]["agreement.json"]) for member in (first, second)]
    assert [(one["withheld"], one["groups"][0]["issues"]) for one in reports] == [(2, 1), (0, 3)]
    for issue in (world.issues[1], world.issues[3]):
        assert not [
            name
            for name, text in packages[first].items()
            if f"{issue.url}\n" in text or f"{issue.url}," in text
        ]
        assert [name for name, text in packages[second].items() if f"{issue.url}," in text]


def test_holding_back_costs_the_same_at_one_issue_and_at_three(world, labelled):
    counts = []
    for member, issues in zip(world.members, (1, 3), strict=True):
        world.waits_for(member, *world.issues[:issues])
        counts.append(
            queries_of(client(member), f"{reverse('export', args=[world.study.slug])}?round={labelled.pk}")
        )
    assert counts[0] == counts[1] <= 26
