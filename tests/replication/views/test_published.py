"""Pages of published labels that are uploaded: who may, what they show, what they refuse."""

import csv
import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils.html import strip_tags

from core import jobs
from ingest.models import Import, Issue
from replication.actions import uploads
from rounds.models import Round
from tests import factories
from tests.ingest.readers.test_packed import zipped
from tests.worlds.pages import client, queries_of
from tests.worlds.published_folders import ENGINE, write_study
from tests.worlds.published_uploads import bring_in, check, files_of, receive, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kept")]


@pytest.fixture
def lead():
    return factories.make_member(factories.make_study(slug="engines"), "lead", pseudonym="R1")


@pytest.fixture
def reader(lead):
    return client(lead)


@pytest.fixture
def files(tmp_path) -> dict[str, bytes]:
    return files_of(write_study(tmp_path / "labels"))


def new(study) -> str:
    return reverse("new_published_import", args=[study.slug])


def page_of(run, name="published_import") -> str:
    return reverse(name, args=[run.study.slug, run.pk])


def text(response) -> str:
    return " ".join(strip_tags(response.text).split())


class TestUpload:
    def test_others_may_not(self, lead) -> None:
        volunteer = factories.make_member(lead.study, "volunteer", pseudonym="R2")
        stranger = factories.make_member(factories.make_study(), "owner")
        for method in ("get", "post"):
            assert getattr(client(volunteer), method)(new(lead.study)).status_code == 403
            assert getattr(client(stranger), method)(new(lead.study)).status_code == 404

    def test_the_page_says_which_files_are_read(self, lead, reader) -> None:
        response = reader.get(new(lead.study))

        assert "Issue_URL, Label1, …, LabelN, Final_Label" in text(response)
        assert 'enctype="multipart/form-data"' in response.text
        assert response.text.count('type="file"') == 2
        assert "webkitdirectory" in response.text

    def test_it_is_reached_from_the_overview_of_an_empty_study_and_from_imports(self, lead, reader) -> None:
        for name in ("study", "imports", "new_import"):
            assert f'href="{new(lead.study)}"' in reader.get(reverse(name, args=[lead.study.slug])).text

    def test_files_with_their_paths_are_checked(self, lead, reader, files) -> None:
        response = reader.post(
            new(lead.study),
            {
                "uploads": [
                    SimpleUploadedFile(name.rpartition("/")[2], data) for name, data in files.items()
                ],
                "paths": json.dumps([f"labels/{name}" for name in files]),
                "left": json.dumps(["labels/README.md"]),
            },
        )

        run = Import.objects.get()
        assert (response["Location"], run.name, run.created_by) == (page_of(run), "labels", lead.user)
        assert (run.mapping["left"], run.job.kind) == (["labels/README.md"], uploads.CHECK)
        assert not Issue.objects.exists()
        work(run)
        assert run.mapping["preview"]["skipped"] == ["labels/README.md: not part of the published layout"]
        assert run.mapping["preview"]["rows"] == 9

    def test_a_folder_whose_browser_sends_names_alone_is_the_same(self, lead, reader, files) -> None:
        folder = [SimpleUploadedFile(name.rpartition("/")[2], data) for name, data in files.items()]
        reader.post(
            new(lead.study), {"folder": [*folder, SimpleUploadedFile("x.md", b"x")], "paths": "no JSON"}
        )

        run = Import.objects.get()
        work(run)
        assert run.mapping["preview"]["rows"] == 9
        assert run.mapping["preview"]["skipped"] == ["x.md: not part of the published layout"]

    def test_a_zip_archive_is_the_same(self, lead, reader, files) -> None:
        reader.post(new(lead.study), {"uploads": SimpleUploadedFile("all.zip", zipped(files))})

        run = Import.objects.get()
        work(run)
        assert (run.name, run.mapping["preview"]["rows"]) == ("all.zip", 9)

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ([], "Choose files, a folder or a ZIP archive."),
            (
                [("a.md", b"x")],
                "None of these files can hold published labels. Choose .csv, .txt or .zip files.",
            ),
            (
                [("a.csv", b"x"), ("a.csv", b"y")],
                "Two files have the name a.csv. Choose one of them, or a ZIP archive of the folder.",
            ),
            ([("a.csv", b"x" * 101)], "This upload is larger than 100\xa0bytes"),
        ],
    )
    def test_what_cannot_be_taken_is_refused(self, lead, reader, settings, given, said, kept) -> None:
        settings.UPLOAD_MAX_BYTES = 100
        response = reader.post(
            new(lead.study), {"uploads": [SimpleUploadedFile(name, data) for name, data in given]}
        )

        assert response.status_code == 422
        assert said in response.text
        assert "Nothing was stored." in response.text
        assert (Import.objects.count(), kept.exists()) == (0, False)

    def test_a_double_click_stores_once(self, lead, reader) -> None:
        key = "6f6b3a1e-5a8e-4f0f-9f43-0a6a6d8c9a12"
        for _ in range(2):
            file = SimpleUploadedFile("a.csv", b"x")
            response = reader.post(new(lead.study), {"uploads": file, "form_key": key})

        assert Import.objects.count() == 1
        assert response["Location"] == reverse("imports", args=[lead.study.slug])


class TestPage:
    def test_others_may_not(self, lead, files) -> None:
        run = check(lead, files)
        volunteer = factories.make_member(lead.study, "volunteer", pseudonym="R2")
        stranger = factories.make_member(factories.make_study(), "owner")
        for name in ("published_import", "check", "confirm", "discard"):
            address = page_of(run, name if "_" in name else f"{name}_published_import")
            method = "get" if name == "published_import" else "post"
            assert getattr(client(volunteer), method)(address).status_code == 403
            assert getattr(client(stranger), method)(address).status_code == 404
            elsewhere = address.replace("engines", stranger.study.slug)
            assert getattr(client(stranger), method)(elsewhere).status_code == 404
        assert Import.objects.get().job_id == run.job_id

    def test_while_the_check_runs_the_page_shows_its_progress(self, lead, reader, files) -> None:
        run = receive(lead, files)

        page = reader.get(page_of(run))
        fragment = reader.get(page_of(run), headers={"HX-Request": "true", "HX-Target": "job"})

        assert "Checking the files" in page.text
        assert "Cancel this job? Nothing is stored, and your files are kept." in page.text
        assert "confirm" not in page.text.split("<main")[1].split("</main")[0].replace("data-confirm", "")
        assert fragment.text.strip().startswith('<section class="job"')
        assert "HX-Refresh" not in fragment.headers
        work(run)
        fragment = reader.get(page_of(run), headers={"HX-Request": "true", "HX-Target": "job"})
        assert fragment["HX-Refresh"] == "true"

    def test_the_preview_says_what_will_be_imported(self, lead, reader, files) -> None:
        said = text(reader.get(page_of(check(lead, files))))

        for words in (
            "repositories 2 issues 5 new issues 5 known already 0 issues with labels 5 people 3 labels 14 decisions 4",
            "a new one from taxonomy.csv (2 types, 3 themes, 1 sub-themes)",
            "Labels will be compared at this level: theme.",
            "1 list is empty and is taken as empty: engine/engine_2024.txt",
            "R1 5 labels R2 4 labels R3 5 labels",
            f"{lead.known_as} gets the pseudonym R4, because the published labels keep their numbers.",
            "engine/engine_2023.txt list of 2023 3",
            "Crosscheck did not see how these labels were made.",
            "Import labels",
        ):
            assert words in said

    def test_refused_lines_are_shown_and_downloaded(self, lead, reader, files) -> None:
        run = check(
            lead, files | {"engine/engine.csv": ENGINE.replace("issues/7,C.1", "issues/7,X.1").encode()}
        )

        said = text(reader.get(page_of(run)))
        lines = b"".join(reader.get(page_of(run, "import_rows") + "?outcome=refused")).decode()

        assert "1 line is refused, so nothing can be imported." in said
        assert "engine/engine.csv 3 The taxonomy has no category X.1." in said
        assert "Import labels" not in said
        assert [row[:5] for row in csv.reader(io.StringIO(lines.removeprefix("\ufeff")))] == [
            ["outcome", "file", "line", "cause", "message"],
            ["refused", "engine/engine.csv", "3", "unknown_codes", "The taxonomy has no category X.1."],
        ]
        assert reader.post(page_of(run, "confirm_published_import")).status_code == 409

    def test_a_failed_check_says_why(self, lead, reader) -> None:
        run = receive(lead, {"notes.txt": b"x"})
        work(run)

        said = text(reader.get(page_of(run)))

        assert "notes.txt: the folder holds no" in said
        assert "These files have no preview, and nothing was stored." in said
        assert "Check files again" in said

    def test_confirming_leads_over_the_progress_to_the_report_and_the_round(
        self, lead, reader, files
    ) -> None:
        run = check(lead, files)

        proposed = reader.get(page_of(run), headers={"Accept-Language": "zh-hans"}).text
        assert 'name="round_name" value="正式轮次"' in proposed
        assert proposed.count('id="confirm"') == 1  # the dialog of every page
        names = {"round_name": "第一轮", "taxonomy_name": "挑战"}
        response = reader.post(page_of(run, "confirm_published_import"), names)
        assert response["Location"] == page_of(run)
        assert "Importing labels" in reader.get(page_of(run)).text
        work(run)

        fragment = reader.get(page_of(run), headers={"HX-Request": "true", "HX-Target": "job"})
        assert fragment["HX-Redirect"] == run.get_absolute_url()
        again = reader.post(page_of(run, "confirm_published_import"), names)
        assert (again.status_code, "This import has stored rows" in again.text) == (409, True)
        page = reader.get(page_of(run), follow=True)
        round_ = Round.objects.get()
        assert (round_.name, round_.version.taxonomy.name) == ("第一轮", "挑战")
        for name in ("round", "agreement", "disagreements"):
            assert f'href="{reverse(name, args=[round_.pk])}"' in page.text
        assert "engine/engine_2024.txt list of 2024 empty list 0" in text(page)
        assert "labels 14" in text(page)
        assert "independent" not in text(page).replace("cannot tell if people labelled independently", "")

    def test_the_same_again_says_so(self, lead, reader, files) -> None:
        first = check(lead, files)
        bring_in(first)
        run = check(lead, files)

        page = reader.get(page_of(run))

        assert "Importing the files again changes nothing." in text(page)
        assert f'href="{first.get_absolute_url()}"' in page.text
        assert page_of(run, "confirm_published_import") not in page.text
        assert reader.post(page_of(run, "confirm_published_import")).status_code == 409
        assert "published labels already" in text(reader.get(new(lead.study)))

    def test_a_study_with_a_main_round_of_its_own_is_told(self, lead, reader, files) -> None:
        run = check(lead, files)
        version = factories.make_version(lead.study, ["A", "A.1"])
        Round.objects.create(
            study=lead.study, name="Main round", version=version, depth=2, labels_per_issue=1, seed=1
        )

        said = text(reader.get(page_of(run)))

        assert "This study has a main round or labels of its own already." in said
        assert "Import labels" not in said

    def test_a_cancelled_import_says_that_nothing_was_stored_and_keeps_the_names(
        self, lead, reader, files
    ) -> None:
        run = check(lead, files)
        reader.post(
            page_of(run, "confirm_published_import"), {"round_name": "第一轮", "taxonomy_name": "挑战"}
        )
        run.refresh_from_db()
        jobs.cancel(run.job)

        page = reader.get(page_of(run))

        assert "The import was cancelled and nothing was stored." in text(page)
        assert "Import labels" in text(page)
        assert 'name="round_name" value="第一轮"' in page.text
        assert 'name="taxonomy_name" value="挑战"' in page.text

    def test_an_emptied_name_is_the_proposed_one_in_the_reader_s_language(self, lead, reader, files) -> None:
        run = check(lead, files)
        reader.post(
            page_of(run, "confirm_published_import"),
            {"round_name": " ", "taxonomy_name": ""},
            headers={"Accept-Language": "zh-hans"},
        )

        run.refresh_from_db()
        assert run.mapping["names"] == {"round": "正式轮次", "taxonomy": "难点"}

    def test_a_name_that_a_round_has_is_refused_beside_the_field(self, lead, reader, files) -> None:
        run = check(lead, files)
        version = factories.make_version(lead.study, ["A", "A.1"])
        fields = {"study": lead.study, "version": version, "depth": 2, "labels_per_issue": 1, "seed": 1}
        Round.objects.create(name="Pilot", **fields)
        confirm, names = page_of(run, "confirm_published_import"), {"round_name": "Pilot"}

        response = reader.post(confirm, names)

        assert response.status_code == 422
        assert "The study already has a round with this name. Choose another name." in text(response)
        Round.objects.create(name="Main round", **fields)
        refused = reader.post(confirm, names)
        assert (refused.status_code, "The study has a main round with other labels." in refused.text) == (
            409, True,
        )  # fmt: skip

    def test_discarding_leads_back_to_the_imports(self, lead, reader, files) -> None:
        run = check(lead, files)

        response = reader.post(page_of(run, "discard_published_import"), follow=True)

        assert "was discarded. Nothing was stored." in text(response)
        assert not Import.objects.exists()

    def test_the_list_and_the_plain_page_of_imports_lead_here(self, lead, reader, files) -> None:
        run = check(lead, files)

        assert (
            "check the file, then import or discard it"
            in reader.get(reverse("imports", args=["engines"])).text
        )
        assert reader.get(run.get_absolute_url())["Location"] == page_of(run)
        assert reader.post(reverse("confirm_import", args=["engines", run.pk])).status_code == 409
        assert reader.post(reverse("discard_import", args=["engines", run.pk])).status_code == 409

    @pytest.mark.parametrize("lines", [1, 3])
    def test_takes_a_fixed_number_of_queries(self, lead, reader, files, lines) -> None:
        engine = ENGINE + "https://github.com/ember/engine/issues/12,C.1,C.1,C.1,C.1\n" * lines
        run = check(lead, files | {"engine/engine.csv": engine.encode()})

        # Session, user, study, membership, import, its rows by outcome, refused and repeated rows, imports with labels,
        # people by pseudonym, whether they label, main round, the tabs' round.
        assert queries_of(reader, page_of(run)) == 13
