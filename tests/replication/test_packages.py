"""Packages as jobs: made once for all who may see the same, kept for a day, and removed with what is in them."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from datetime import date, timedelta
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.conf import settings
from django.urls import reverse

from annotate.actions.rounds import close_round
from core import clock, jobs
from core.models import Job
from core.tasks import sweep_files
from interviews.actions.consents import publish_consent_text, record_consent, withdraw_consent
from interviews.actions.erasing import erase_participant
from replication.actions import packages
from replication.actions.packages import ask_for_package, remove_packages, sweep_packages
from replication.errors import PackageGone, PackageHeldBack
from replication.package import write_package
from replication.queries.packages import KEPT, finished_package, located
from rounds.models import Round, Seal
from rounds.queries.blindness import Reader
from studies.actions import change_role, end_membership, erase_person
from studies.models import Event, Role, Study
from tests import factories
from tests.api.conftest import client_of
from tests.kept import kept
from tests.races import at_once
from tests.worlds.apart import environment
from tests.worlds.packages import asked_package, package_for
from tests.worlds.pages import client, label_all, text_of
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.PACKAGES_DIR = tmp_path / "packages"


def make_labelled() -> tuple[World, Round]:
    world = small_world(issues=3, members=2)
    round_ = world.round(name="Main round")
    label_all(world, round_, "C.1 C.1", "C.1 C.2", "A.1 B.1")
    return world, round_


@kept
def labelled() -> tuple[World, Round]:
    return make_labelled()


@pytest.fixture
def world(labelled) -> World:
    return labelled[0]


@pytest.fixture
def round_(labelled) -> Round:
    return labelled[1]


def made(round_, member, **asked) -> Job:
    job = ask_for_package(round_=round_, by=member, **asked)
    jobs.run(job.pk)
    job.refresh_from_db()
    return job


def files() -> list[Path]:
    """Every file that there is of packages now."""
    return [path for path in settings.PACKAGES_DIR.rglob("*") if path.is_file()]


# --- asking, following, downloading


def test_a_lead_asks_follows_and_downloads(world, round_, tmp_path):
    reader = client(world.lead)
    job = asked_package(reader, round_)
    page = reverse("package", args=[round_.pk, job.pk])

    waiting = text_of(reader.get(page))
    assert "queued" in waiting
    assert "You can leave this page." in waiting
    assert "Cancel" in waiting
    early = reader.post(reverse("send_package", args=[round_.pk, job.pk]))
    assert early.status_code == 410
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.total) == ("done", 15, 15)
    done = text_of(reader.get(page))
    assert "done" in done
    assert "Download package" in done
    assert "kept until" in done

    sent = reader.post(reverse("send_package", args=[round_.pk, job.pk]))

    write_package(round_, tmp_path / "own.zip", reader=Reader(world.lead))
    assert sent.getvalue() == (tmp_path / "own.zip").read_bytes()
    assert sent["Content-Disposition"] == f'attachment; filename="{world.study.slug}-main-round.zip"'
    assert (sent["Content-Type"], sent["Cache-Control"]) == ("application/zip", "no-store")
    [event] = Event.objects.filter(study=world.study, verb="exports.downloaded")
    assert event.detail["manifest_sha256"] == job.result["manifest"]
    shown = text_of(reader.get(f"{reverse('export', args=[world.study.slug])}?round={round_.pk}"))
    assert "Packages on the server kept for one day" in shown


def test_progress_names_the_file_and_never_passes_its_end(world, round_, monkeypatch):
    told = []
    job = ask_for_package(round_=round_, by=world.lead)
    packages.make_package(job=job, round_=round_, by=world.lead, report=lambda *given: told.append(given))
    rows = [(done, total) for done, total, _name in told[1:]]
    assert {total for _done, total in rows} == {15}
    assert [done for done, _total in rows] == sorted(done for done, _total in rows)
    assert rows[-1][0] == 15
    assert {"labels_long.csv", "agreement.json", "manifest.json"} <= {name for _done, _total, name in told}


def test_a_cancelled_job_leaves_nothing(world, round_):
    job = ask_for_package(round_=round_, by=world.lead)

    def cancelled(*_given):
        raise jobs.Cancelled

    with pytest.raises(jobs.Cancelled):
        packages.make_package(job=job, round_=round_, by=world.lead, report=cancelled)
    assert files() == []
    answer = client(world.lead).post(reverse("cancel_job", args=[job.pk]))
    assert answer.status_code == 302
    job.refresh_from_db()
    assert job.state == "cancelled"
    page = text_of(client(world.lead).get(reverse("package", args=[round_.pk, job.pk])))
    assert "Make package again" in page


# --- one job for all who may see the same


def test_leads_who_may_see_the_same_get_one_job_and_the_same_bytes(world, round_):
    owner = factories.make_member(world.study, Role.OWNER)
    job = ask_for_package(round_=round_, by=world.lead)
    assert ask_for_package(round_=round_, by=owner) == job
    assert ask_for_package(round_=round_, by=owner, without_coached=True) != job
    jobs.run(job.pk)
    job.refresh_from_db()
    again = made(round_, owner)
    assert again != job
    assert located(again).read_bytes() == located(job).read_bytes()
    assert finished_package(job, round_, owner) == located(job)
    page = client(owner).get(reverse("package", args=[round_.pk, job.pk]))
    assert "Download package" in text_of(page)


def test_another_state_is_another_job(world, round_):
    job = ask_for_package(round_=round_, by=world.lead)
    world.settle(round_, world.issues[1], "C.2")
    assert ask_for_package(round_=round_, by=world.lead) != job


def test_a_cancelled_or_removed_job_is_given_to_nobody(world, round_):
    job = ask_for_package(round_=round_, by=world.lead)
    jobs.cancel(job)
    second = ask_for_package(round_=round_, by=world.lead)
    assert second != job
    remove_packages(world.study.pk)
    assert ask_for_package(round_=round_, by=world.lead) not in {job, second}


def test_who_asked_first_and_cancels_ends_nothing_for_the_others(world, round_):
    owner = factories.make_member(world.study, Role.OWNER)
    job = ask_for_package(round_=round_, by=world.lead)
    assert ask_for_package(round_=round_, by=owner) == job
    page = reverse("package", args=[round_.pk, job.pk])
    assert "cancel" not in client(owner).get(page).content.decode()

    client(world.lead).post(reverse("cancel_job", args=[job.pk]))

    job.refresh_from_db()
    assert (job.state, job.cancel_requested_at, job.created_by) == (Job.State.QUEUED, None, owner.user)
    assert reverse("cancel_job", args=[job.pk]) in client(owner).get(page).content.decode()
    jobs.run(job.pk)
    job.refresh_from_db()
    assert finished_package(job, round_, owner) == located(job)


def test_the_last_who_cancels_ends_the_job(world, round_):
    owner = factories.make_member(world.study, Role.OWNER)
    job = ask_for_package(round_=round_, by=world.lead)
    for member in (owner, owner):  # asking twice is waiting once
        ask_for_package(round_=round_, by=member)

    for member in (world.lead, owner):
        assert client(member).post(reverse("cancel_job", args=[job.pk])).status_code == 302

    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED


@pytest.mark.parametrize("goes", ["leaves", "is no lead any more"])
def test_who_asked_first_and_goes_ends_nothing_for_the_others(world, round_, goes):
    owner = factories.make_member(world.study, Role.OWNER)
    job = ask_for_package(round_=round_, by=world.lead)
    ask_for_package(round_=round_, by=owner)

    if goes == "leaves":
        end_membership(member=world.lead, by=owner.user)
    else:
        change_role(member=world.lead, role=Role.VIEWER, by=owner.user)
    jobs.run(job.pk)

    job.refresh_from_db()
    assert (job.state, job.error) == (Job.State.DONE, "")
    assert finished_package(job, round_, owner) == located(job)


def test_two_who_ask_and_cancel_at_once_leave_no_job_that_nobody_waits_for(world, round_):
    owner = factories.make_member(world.study, Role.OWNER)
    job = ask_for_package(round_=round_, by=world.lead)
    jobs.cancel(job, world.lead.user)

    assert ask_for_package(round_=round_, by=owner) != job
    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED


def test_who_may_see_less_gets_a_job_of_their_own(world, round_):
    other = factories.make_member(world.study, Role.LEAD)
    world.waits_for(other, world.issues[0])
    job, own = ask_for_package(round_=round_, by=world.lead), ask_for_package(round_=round_, by=other)
    assert own != job
    for one in (job, own):
        jobs.run(one.pk)
        one.refresh_from_db()
    with pytest.raises(PackageHeldBack):
        finished_package(job, round_, other)
    with ZipFile(finished_package(own, round_, other)) as archive:
        assert json.loads(archive.read("manifest.json"))["withheld_issues"] == 1
    # The lead may read all of it, and has more in their own.
    assert finished_package(own, round_, world.lead).is_file()


def test_volunteers_follow_their_own_packages_only(world, round_):
    first, second = world.members
    job = made(round_, first)
    assert finished_package(job, round_, first).is_file()
    for stranger in (second, world.lead):
        for name, method in (("package", "get"), ("send_package", "post")):
            answer = getattr(client(stranger), method)(reverse(name, args=[round_.pk, job.pk]))
            assert answer.status_code == 404
    shared = made(round_, world.lead)
    assert client(first).get(reverse("package", args=[round_.pk, shared.pk])).status_code == 404


def test_what_is_hidden_since_holds_the_package_back(world, round_):
    job = made(round_, world.lead)
    world.waits_for(world.lead, world.issues[0])
    answer = client_of(world.lead).get(reverse("api_package_content", args=[round_.pk, job.pk]))
    assert (answer.status_code, answer.json()["code"]) == (409, "PackageHeldBack")
    found = client_of(world.lead).get(reverse("api_package", args=[round_.pk, job.pk])).json()
    assert (found["state"], found["as_of"], found["manifest_sha256"]) == ("done", None, "")


def test_a_lead_who_became_a_volunteer_reads_no_package_of_leads(world, round_):
    owner = factories.make_member(world.study, Role.OWNER)
    job = made(round_, world.lead)
    change_role(member=world.lead, role=Role.VOLUNTEER, by=owner.user)
    world.lead.refresh_from_db()
    with pytest.raises(PackageHeldBack):
        finished_package(job, round_, world.lead)


@pytest.mark.django_db(transaction=True)
def test_two_leads_who_ask_at_the_same_moment_get_one_job():
    world, round_ = make_labelled()
    owner = factories.make_member(world.study, Role.OWNER)
    found = at_once(
        lambda: ask_for_package(round_=round_, by=world.lead),
        lambda: ask_for_package(round_=round_, by=owner),
    )
    assert found[0] == found[1]
    assert Job.objects.count() == 1


# --- kept for a day


def test_a_package_is_kept_for_a_day_and_then_swept(world, round_):
    job = made(round_, world.lead)
    path = located(job)
    with clock.at(job.finished_at + KEPT - timedelta(minutes=1)):
        sweep_files()
        assert finished_package(job, round_, world.lead) == path
    with clock.at(job.finished_at + KEPT + timedelta(minutes=1)):
        with pytest.raises(PackageGone):
            finished_package(job, round_, world.lead)
        sweep_files()
    assert not path.exists()


def test_files_of_no_job_are_swept(world, round_, tmp_path):
    job = made(round_, world.lead)
    (tmp_path / "packages" / f"{job.pk + 1}.zip").touch()
    (tmp_path / "packages" / "other.zip").touch()
    gone = sweep_packages()
    assert {path.name for path in gone} == {f"{job.pk + 1}.zip", "other.zip"}
    assert files() == [located(job)]


# --- removed with what is in it


@pytest.mark.django_db(transaction=True)
def test_an_erased_person_takes_the_packages_of_their_studies_along():
    (world, round_), (other, elsewhere) = make_labelled(), make_labelled()
    job, kept_job = made(round_, world.lead), made(elsewhere, other.lead)

    erase_person(user=world.members[0].user)

    assert files() == [located(kept_job)]
    job.refresh_from_db()
    with pytest.raises(PackageGone):
        finished_package(job, round_, world.lead)
    page = text_of(client(world.lead).get(reverse("package", args=[round_.pk, job.pk])))
    assert "This package is no longer on the server." in page
    assert finished_package(kept_job, elsewhere, other.lead).is_file()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("removal", ["erasure", "withdrawal"])
def test_a_removed_text_takes_the_packages_along(removal):
    world, round_ = make_labelled()
    participant = factories.make_participant(world.study, world.lead)
    text = publish_consent_text(study=world.study, text="You may stop.", by=world.lead)
    given = {"text": text, "given_on": date(2025, 5, 1), "permits": ["quote", "archive"]}
    consent = record_consent(participant=participant, by=world.lead, **given)
    made(round_, world.lead)
    if removal == "erasure":
        erase_participant(participant=participant, by=world.lead)
    else:
        withdraw_consent(consent=consent, withdrawn_on=consent.given_on, by=world.lead)
    assert files() == []


def test_a_package_of_a_deleted_study_is_swept(world, round_, monkeypatch):
    job = made(round_, world.lead)
    Job.objects.filter(pk=job.pk).update(arguments=job.arguments | {"study": 0})
    assert Study.objects.filter(pk=0).count() == 0
    sweep_files()
    assert files() == []


def test_what_is_removed_while_a_package_is_made_is_not_kept(world, round_):
    job = ask_for_package(round_=round_, by=world.lead)
    asked = []

    def removed(*_given):
        if not asked:
            remove_packages(world.study.pk)
        asked.append(1)

    with pytest.raises(PackageGone):
        packages.make_package(job=job, round_=round_, by=world.lead, report=removed)
    assert files() == []


# --- killed


MAKES = """
import sys, time
import django
django.setup()
from replication import package
from core import jobs
real = package.into_zip
def slow(archive, moment, name, chunks):
    real(archive, moment, name, chunks)
    if name == "labels_long.csv":
        print(archive.filename, flush=True)
        time.sleep(60)
package.into_zip = slow
jobs.run(int(sys.argv[1]))
"""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_killed_job_leaves_nothing_after_the_next_sweep_and_runs_again(tmp_path, settings):
    world, round_ = make_labelled()
    job = ask_for_package(round_=round_, by=world.lead)
    settings.PACKAGES_DIR = tmp_path / "var" / "packages"
    root = Path(__file__).resolve().parents[2]
    maker = subprocess.Popen(
        [sys.executable, "-c", MAKES, str(job.pk)],
        cwd=root,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        half = Path(maker.stdout.readline().strip())
        assert half.stat().st_size > 0
        sweep_files()
        assert half.is_file(), "it is being written"
        os.kill(maker.pid, signal.SIGKILL)
        maker.wait()
        assert files() == [half]
    finally:
        maker.kill()
        maker.communicate()

    sweep_files()

    assert files() == []
    deadline = time.monotonic() + 30
    while jobs.run(job.pk) is None and time.monotonic() < deadline:
        time.sleep(0.1)  # until the database noticed that the other is gone
    job.refresh_from_db()
    assert (job.state, job.attempt) == ("done", 2)
    assert files() == [located(job)]


# --- over REST


def test_over_rest(world, round_):
    reader = client_of(world.lead)
    address = f"/api/v1/rounds/{round_.pk}/packages/"

    asked = reader.post(address, {"without_coached": True}, format="json")

    job = asked.json()["id"]
    own = f"http://testserver{address}{job}/"
    assert (asked.status_code, asked["Location"]) == (202, own)
    assert asked.json() == {
        "id": job, "url": own, "without_coached": True, "state": "queued", "done": 0, "total": None, "step": "",
        "error": "", "as_of": None, "manifest_sha256": "", "content": None, "kept_until": None,
    }  # fmt: skip
    early = reader.get(f"{own}content/")
    assert (early.status_code, early.json()["code"]) == (410, "PackageGone")
    jobs.run(job)
    found = reader.get(own).json()
    assert (found["state"], found["content"]) == ("done", f"{own}content/")
    assert found["as_of"] < found["kept_until"]
    assert found["manifest_sha256"] == Job.objects.get(pk=job).result["manifest"]
    sent = reader.get(found["content"])
    assert sent["Content-Disposition"].endswith('-without-coached.zip"')
    with ZipFile(io.BytesIO(sent.getvalue())) as archive:
        assert json.loads(archive.read("manifest.json"))["coached_left_out"] is True
    assert Event.objects.filter(verb="exports.downloaded").count() == 0
    assert client_of(world.members[0]).get(own).status_code == 404


def test_a_package_whose_file_is_gone_has_no_address_over_rest(world, round_):
    job = made(round_, world.lead)
    reader, address = client_of(world.lead), reverse("api_package", args=[round_.pk, job.pk])
    assert reader.get(address).json()["content"]

    located(job).unlink()

    told = reader.get(address).json()
    assert told["state"] == "done"
    assert [told[name] for name in ("content", "kept_until", "as_of", "manifest_sha256")] == [
        None,
        None,
        None,
        "",
    ]
    assert reader.get(reverse("api_package_content", args=[round_.pk, job.pk])).status_code == 410


def test_the_command_and_the_job_make_the_same_file(world, round_, tmp_path):
    from django.core.management import call_command

    call_command("export_study", study=world.study.slug, to=tmp_path / "own.zip", verbosity=0)
    answer = package_for(client(world.lead), round_)
    assert answer.getvalue() == (tmp_path / "own.zip").read_bytes()


# --- what is in it


def test_decisions_come_with_their_reasons_also_superseded_ones(world, round_):
    issue, other = world.issues[1], world.issues[2]
    world.settle(round_, issue, "C.1", rationale="The trace says so.", cause="slip")
    world.settle(round_, issue, "C.2", rationale="=The trace was another's.", seen=1)
    world.waits_for(world.members[0], other)
    world.settle(round_, other, "A.1")

    def rows(member):
        with ZipFile(finished_package(made(round_, member), round_, member)) as archive:
            text = archive.read("decisions.csv").decode()
        return list(csv.DictReader(io.StringIO(text)))

    found = [row for row in rows(world.lead) if row["Issue_URL"] == issue.url]

    assert [
        (
            row["Number"],
            row["Label"],
            row["Version"],
            row["Method"],
            row["Cause"],
            row["Rationale"],
            row["By"],
        )
        for row in found
    ] == [
        ("1", "C.1", "1", "lead", "slip", "The trace says so.", "Lead"),
        ("2", "C.2", "1", "lead", "", "'=The trace was another's.", "Lead"),
    ]
    assert found[0]["Superseded_at"] == found[1]["Decided_at"]
    assert found[1]["Superseded_at"] == ""
    assert other.url in {row["Issue_URL"] for row in rows(world.lead)}
    assert other.url not in {row["Issue_URL"] for row in rows(world.members[0])}


def test_a_study_that_is_archived_or_about_to_be_deleted_can_be_packed(labelled):
    world, round_ = labelled
    reader = client(world.lead)
    for state in (
        {"archived_at": clock.now()},
        {"archived_at": None, "delete_at": clock.now() + timedelta(days=30)},
    ):
        Study.objects.filter(pk=world.study.pk).update(**state)
        with ZipFile(io.BytesIO(b"".join(package_for(reader, round_)))) as package:
            assert "labels_long.csv" in package.namelist()
        asked = client_of(world.lead).post(f"/api/v1/rounds/{round_.pk}/packages/", {}, format="json")
        assert asked.status_code == 202, asked.content


@pytest.mark.django_db(transaction=True)
def test_a_job_packs_a_closed_round_with_its_chain():
    """It writes the last seal before the transaction that only reads; a test in one transaction hides that."""
    world, round_ = make_labelled()
    close_round(round_=round_, by=world.lead)
    round_.refresh_from_db()
    job = made(round_, world.lead)
    assert job.state == Job.State.DONE, job.error
    with ZipFile(located(job)) as archive:
        head = json.loads(archive.read("manifest.json"))["chain_head"]
    assert head == Seal.objects.filter(round=round_).latest("number").digest
