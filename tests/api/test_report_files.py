"""The whole report as a file over REST."""

from core import jobs
from core.models import Job
from reports.formats import file_cache
from studies.actions import remove_copies
from tests.api.conftest import client_of, label_all
from tests.factories import make_round


def test_a_file_is_asked_for_followed_and_taken(world):
    label_all(world, ("C.1", "C.1"), ("C.1", "C.2"))
    reader = client_of(world.first)
    address = f"/api/v1/rounds/{world.round.pk}/agreement/files/"

    asked = reader.post(address, {"form": "html", "level": "type"}, format="json")

    job = asked.json()["id"]
    own = f"http://testserver{address}{job}/"
    row = {
        "id": job, "url": own, "form": "html", "level": "type", "state": "queued",
        "done": 0, "total": None, "step": "", "error": "", "content": None, "missing_letters": "",
    }  # fmt: skip
    assert (asked.status_code, asked["Location"], asked.json()) == (202, own, row)
    early = reader.get(f"{own}content/")
    assert (early.status_code, early.json()["code"]) == (410, "ReportFileGone")

    jobs.run(job)

    found = reader.get(own).json()
    assert (found["state"], found["done"] == found["total"] > 1) == ("done", True)
    assert found["content"] == f"{own}content/"
    file = reader.get(found["content"])
    assert b"Fleiss\xe2\x80\x99 kappa, type level" in file.content
    assert (file["Content-Type"], file["Crosscheck-Withheld"]) == ("text/html; charset=utf-8", "0")
    for stranger in (world.second, world.owner, world.viewer):
        assert client_of(stranger).get(own).status_code == 404
        assert client_of(stranger).get(found["content"]).status_code == 404

    make_round(world.version, world.issues[:1], [world.first], name="Again")
    refused = reader.get(found["content"])
    assert (refused.status_code, refused.json()["code"]) == (409, "ReportFileHeldBack")


def test_what_is_removed_from_a_study_leaves_its_report_files_too(world, django_capture_on_commit_callbacks):
    label_all(world, ("C.1", "C.1"), ("C.1", "C.2"))
    reader = client_of(world.first)
    address = f"/api/v1/rounds/{world.round.pk}/agreement/files/"
    asked = reader.post(address, {"form": "html"}, format="json").json()
    jobs.run(asked["id"])
    kept = file_cache.located(Job.objects.get(pk=asked["id"]).result["file"])
    assert kept.is_file()
    running = reader.post(address, {"form": "html", "level": "type"}, format="json").json()

    with django_capture_on_commit_callbacks(execute=True):
        remove_copies(world.study.pk)

    assert not kept.exists()
    gone = reader.get(f"{asked['url']}content/")
    assert (gone.status_code, gone.json()["code"]) == (410, "ReportFileGone")
    # One that began before the removal has counted what was removed.
    jobs.run(running["id"])
    found = reader.get(running["url"]).json()
    assert (found["state"], found["content"]) == ("failed", None)
    again = reader.post(address, {"form": "html"}, format="json").json()
    jobs.run(again["id"])
    assert reader.get(f"{again['url']}content/").status_code == 200


def test_what_cannot_be_made_is_refused_by_its_field(world):
    address = f"/api/v1/rounds/{world.round.pk}/agreement/files/"
    for given, field in (({}, "form"), ({"form": "exe"}, "form"), ({"form": "pdf", "level": "x"}, "level")):
        refused = client_of(world.first).post(address, given, format="json")
        assert (refused.status_code, list(refused.json())) == (400, [field])


def test_the_round_s_depth_is_the_level_that_nobody_says(world):
    address = f"/api/v1/rounds/{world.round.pk}/agreement/files/"
    asked = client_of(world.first).post(address, {"form": "pdf"}, format="json")
    assert (asked.status_code, asked.json()["level"]) == (202, "theme")
    jobs.run(asked.json()["id"])
    found = client_of(world.first).get(asked.json()["url"]).json()
    assert (found["state"], found["content"]) == ("failed", None)
    assert found["error"].startswith("There is nothing to report yet")
