"""Pages of issues and imports: who may, what they show, what they refuse."""

import csv
import gzip
import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils.html import strip_tags

from core import jobs
from core.models import Job
from ingest import actions
from ingest.models import Import, Issue, Snapshot
from tests.factories import make_issue, make_issues, make_member, make_repository, make_study, make_user
from tests.ingest.files import jsonl, load, receive, record, urls
from tests.ingest.readers.test_packed import zipped

pytestmark = pytest.mark.django_db


def part(client, path: str, name: str):
    """The fragment of a page as htmx asks for it."""
    return client.get(path, headers={"HX-Request": "true", "HX-Target": name})


def address(name: str, study, *args) -> str:
    return reverse(name, args=[study.slug, *args])


class TestDoors:
    def test_objects_of_another_study_are_not_there(self, signed_in, study) -> None:
        other = make_study()
        issue, run = make_issue(make_repository(other)), receive(other, urls(1), "list.txt")

        assert signed_in.get(address("issue", study, issue.pk)).status_code == 404
        assert signed_in.get(address("import", study, run.pk)).status_code == 404
        assert signed_in.get(address("import_rows", study, run.pk)).status_code == 404
        assert signed_in.post(address("confirm_import", study, run.pk)).status_code == 404
        assert signed_in.post(address("discard_import", study, run.pk)).status_code == 404


class TestIssues:
    def test_empty_says_what_to_do(self, signed_in, study) -> None:
        page = signed_in.get(address("issues", study)).text

        assert "No issues yet." in page
        assert f'href="{address("new_import", study)}"' in page

    def test_lists_what_the_query_string_asks_for(self, signed_in, study) -> None:
        repository = make_repository(study, "acme/engine")
        make_issue(repository, "1", year=2023, title="<b>Bold</b> title")
        make_issue(repository, "2", year=2024, text=False)

        page = signed_in.get(address("issues", study)).text
        narrowed = signed_in.get(address("issues", study) + "?year=2024&kind=nonsense&repository=x").text
        nothing = signed_in.get(address("issues", study) + "?q=nowhere").text

        assert "&lt;b&gt;Bold&lt;/b&gt; title" in page
        assert "2 issues, newest import first" in page
        assert "Bold" not in narrowed
        assert "acme/engine #2" in narrowed
        assert "No issue has all of these words." in nothing

    def test_shows_control_characters_of_a_title_and_what_turns_it_around_as_marks(
        self, signed_in, study
    ) -> None:
        issue = make_issue(make_repository(study), "1", title="Bell\x07 \u202egnp.exe")
        for name, *args in (("issues",), ("issue", issue.pk)):
            page = signed_in.get(address(name, study, *args)).text
            assert "Bell␇ [U+202E]gnp.exe" in page
            assert not {"\x07", "\u202e"} & set(page)
        issue.current.refresh_from_db()
        assert issue.current.title == "Bell\x07 \u202egnp.exe"

    @pytest.mark.parametrize(
        ("language", "state", "said"),
        [("en", "progressing", "In progress"), ("zh-hans", "closed", "已关闭"), ("en", "on HOLD", "On hold")],
    )
    def test_says_the_state_in_words(self, signed_in, study, language, state, said) -> None:
        issue = make_issue(make_repository(study), "1", state=state)
        for name, *args in (("issues",), ("issue", issue.pk)):
            page = signed_in.get(address(name, study, *args), headers={"Accept-Language": language}).text
            assert said in page
            assert f">{state}<" not in page

    def test_fragment(self, signed_in, study) -> None:
        make_issue(make_repository(study))

        fragment = part(signed_in, address("issues", study), "found").text

        assert fragment.strip().startswith('<p class="sm num"')
        assert '<div id="found">' in fragment

    def test_issues_without_text_come_last_on_every_page(self, signed_in, study, repository) -> None:
        issues = [make_issue(repository, text=bool(nth % 2)) for nth in range(103)]
        expected = [one.pk for one in reversed(issues) if one.current_id]
        expected += [one.pk for one in reversed(issues) if not one.current_id]
        found, query = [], ""
        for _ in range(3):
            page = signed_in.get(address("issues", study) + query).context["page"]
            found += [one.pk for one in page.rows]
            before, query = page.links()["before_url"], page.links()["after_url"]
        assert (found, query) == (expected, "")
        assert [one.pk for one in signed_in.get(address("issues", study) + before).context["page"].rows] == (
            expected[50:100]
        )

    def test_the_headline_says_how_many_were_found(self, signed_in, study, repository) -> None:
        for title in ("Loss is NaN", "Loss grows", "Crash"):
            make_issue(repository, title=title)
        said = " ".join(signed_in.get(address("issues", study)).text.split())
        assert '<p class="sm num" id="headline" role="status" > 3 issues · 1 repository </p>' in said
        said = " ".join(signed_in.get(address("issues", study) + "?q=loss").text.split())
        assert 'role="status" > <b>2 of 3 issues found</b> </p>' in said

    def test_pages_keep_the_filters(self, signed_in, study) -> None:
        make_issues(make_repository(study), 51, year=2024)

        page = signed_in.get(address("issues", study) + "?year=2024").text

        assert f'href="?year=2024&amp;before={Issue.objects.order_by("pk")[1].pk}"' in page

    @pytest.mark.parametrize("how_many", [1, 3])
    def test_takes_a_fixed_number_of_queries(
        self, signed_in, study, django_assert_num_queries, how_many
    ) -> None:
        for number in range(how_many):
            make_issue(make_repository(study), str(number), year=2020 + number)
        signed_in.get(address("issues", study))

        # Session, user, study, membership, page, repositories, groups, lists, current versions, saved filters, the tabs' round.
        with django_assert_num_queries(11):
            signed_in.get(address("issues", study))


class TestIssue:
    def test_shows_all_the_text_made_harmless(self, signed_in, study) -> None:
        issue = make_issue(
            make_repository(study, "acme/engine"),
            "7",
            title="A <script> & title",
            body="Body with **force** <script>alert(1)</script>",
            labels=["bug"],
            author="ann",
            comments=[{"author": "bo", "association": "MEMBER", "at": None, "body": "A _reply_"}],
            comment_count=3,
        )

        page = signed_in.get(address("issue", study, issue.pk)).text

        assert "A &lt;script&gt; &amp; title" in page
        assert "<strong>force</strong>" in page
        assert "<script>alert" not in page
        assert "<em>reply</em>" in page
        assert "on GitHub, 1 here" in page
        assert 'href="https://github.com/acme/engine/issues/7"' in page

    def test_an_address_without_text_says_so(self, signed_in, study) -> None:
        issue = make_issue(make_repository(study), text=False)

        page = signed_in.get(address("issue", study, issue.pk)).text

        assert "The text of this issue is not here yet." in page

    def test_lists_its_earlier_texts(self, signed_in, study) -> None:
        load(study, jsonl(record(1)))
        load(study, jsonl(record(1, title="Better", updated_at="2025-01-01T00:00:00Z")), "later.jsonl")

        page = signed_in.get(address("issue", study, Issue.objects.get().pk)).text

        assert page.count("earlier text") == 1
        assert page.count("current text") == 1
        assert "issues.jsonl" in page

    def test_volunteers_are_not_told_of_imports(self, client, study) -> None:
        load(study, jsonl(record(1)))
        client.force_login(make_member(study).user)

        assert "issues.jsonl" not in client.get(address("issue", study, Issue.objects.get().pk)).text
        assert "Import issues" not in client.get(address("issues", study)).text


class TestNewImport:
    def post(self, client, study, **fields):
        return client.post(address("new_import", study), fields)

    def test_a_file_leads_to_its_preview(self, signed_in, study, lead) -> None:
        file = SimpleUploadedFile("list.txt", urls(1, 2))

        response = self.post(signed_in, study, uploads=file)

        run = Import.objects.get()
        assert response["Location"] == address("import", study, run.pk)
        assert (run.name, run.created_by, run.study) == ("list.txt", lead.user, study)
        assert not Issue.objects.exists()

    def test_pasted_addresses_lead_to_their_preview(self, signed_in, study) -> None:
        self.post(signed_in, study, urls="https://github.com/a/b/issues/1\r\na/b#2\r\n")

        run = Import.objects.get()
        assert run.name == "Pasted addresses"
        assert run.size == len("https://github.com/a/b/issues/1\na/b#2\n")

    def test_the_preview_says_where_fields_are_read_from(self, signed_in, study) -> None:
        row = {"html_url": "https://github.com/a/b/issues/1", "number": 1, "title": "T"}
        files = [json.dumps([one]).encode() for one in (row, row | {"pull_request": None})]
        said = {}
        for name, fields in {
            "list": {"urls": "a/b#1"},
            "without": {"uploads": SimpleUploadedFile("a.json", files[0])},
            "with": {"uploads": SimpleUploadedFile("b.json", files[1])},
        }.items():
            page = signed_in.get(self.post(signed_in, study, **fields)["Location"])
            said[name] = " ".join(strip_tags(page.text).split())

        assert "Field Read from address each line" in said["list"]
        assert "pull request or issue pull_request, in rows with this key" in said["without"]
        assert "pull request or issue pull_request Choose columns" in said["with"]
        assert "Key of the file" in said["with"]

    def test_the_limit_is_said_without_a_needless_decimal(self, signed_in, study, settings) -> None:
        for size, words in (
            (512 * 2**20, "up to 512\xa0MB together"),
            (3 * 2**19, "up to 1.5\xa0MB together"),
        ):
            settings.UPLOAD_MAX_BYTES = size
            assert words in signed_in.get(address("new_import", study)).text

    def test_several_files_wait_together(self, signed_in, study) -> None:
        files = [SimpleUploadedFile(f"{n}.txt", urls(n)) for n in (1, 2)]

        response = self.post(signed_in, study, uploads=files, urls="a/b#3")

        assert response["Location"] == address("waiting_imports", study)
        names = Import.objects.order_by("pk").values_list("name", flat=True)
        assert list(names) == ["1.txt", "2.txt", "Pasted addresses"]

    @pytest.mark.parametrize(
        ("name", "data", "words"),
        [
            ("a.csv", b"<!doctype html><title>Sign in</title>", "a.csv: This is an HTML page"),
            ("a.csv", b"", "a.csv: The file is empty"),
            ("a.json", b"\x89PNG\r\n\x1a\n", "a.json: This is a PNG picture"),
            ("a.csv", "url,t\nhttps://github.com/a/b/issues/1,é\n".encode("latin-1"), "Line 2: byte 0xE9"),
            ("a.csv", b"url,URL\nx,y\n", "columns 1 and 2 are both named"),
            ("a.csv", b"title\nx\n", "no column holds the address"),
        ],
    )
    def test_a_file_that_cannot_be_read_is_refused(
        self, signed_in, study, uploads, name, data, words
    ) -> None:
        response = self.post(
            signed_in, study, uploads=SimpleUploadedFile(name, data), urls="a/b#1\nkept words"
        )

        page = response.text
        assert response.status_code == 422
        assert words in page
        assert "a/b#1\nkept words</textarea>" in page
        assert not Import.objects.exists()
        assert not uploads.exists()

    def test_one_bad_file_refuses_all(self, signed_in, study, uploads) -> None:
        files = [SimpleUploadedFile("good.txt", urls(1)), SimpleUploadedFile("bad.csv", b"<html>")]

        response = self.post(signed_in, study, uploads=files)

        assert response.status_code == 422
        assert "bad.csv: This is an HTML page" in response.text
        assert not Import.objects.exists()
        assert not uploads.exists()

    def test_an_empty_list_refuses_nothing_beside_it(self, signed_in, study) -> None:
        files = [SimpleUploadedFile("a_2023.txt", b""), SimpleUploadedFile("a_2024.txt", urls(1, 2))]

        response = self.post(signed_in, study, uploads=files)

        run = Import.objects.get()
        assert (run.name, response["Location"]) == ("a_2024.txt", run.get_absolute_url())
        assert "a_2023.txt is empty. No issues were added." in signed_in.get(response["Location"]).text

    def test_nothing_but_empty_lists_is_refused(self, signed_in, study, uploads) -> None:
        files = [SimpleUploadedFile(f"a_{year}.txt", b"\n") for year in (2023, 2024)]

        response = self.post(signed_in, study, uploads=files)

        assert response.status_code == 422
        for year in (2023, 2024):
            assert f"a_{year}.txt: The file holds no rows." in response.text
        assert not uploads.exists()

    def test_nothing_chosen_is_refused(self, signed_in, study) -> None:
        response = self.post(signed_in, study, urls="  \n")

        assert response.status_code == 422
        assert "Choose a file, or paste addresses." in response.text

    def test_a_file_past_the_limit_is_refused(self, signed_in, study, settings, uploads) -> None:
        settings.UPLOAD_MAX_BYTES = 50

        response = self.post(signed_in, study, uploads=SimpleUploadedFile("big.txt", urls(1, 2)))

        assert response.status_code == 422
        assert "big.txt is larger than 50" in response.text
        assert not uploads.exists()

    def test_files_past_the_limit_together_are_refused(self, signed_in, study, settings, uploads) -> None:
        settings.UPLOAD_MAX_BYTES = 100

        files = [SimpleUploadedFile(f"{n}.txt", urls(n, n + 1)) for n in (1, 3)]
        response = self.post(signed_in, study, uploads=files)

        assert response.status_code == 422
        assert "This upload is larger than 100" in response.text
        assert not uploads.exists()

    def test_a_double_click_stores_once(self, signed_in, study) -> None:
        key = "6f6b3a1e-5a8e-4f0f-9f43-0a6a6d8c9a11"

        for _ in range(2):
            response = self.post(signed_in, study, urls="a/b#1", form_key=key)

        assert Import.objects.count() == 1
        assert response["Location"] == address("imports", study)

    def test_an_encoding_can_be_chosen(self, signed_in, study) -> None:
        data = "url,title\nhttps://gitee.com/a/b/issues/I1ABC,内存\n".encode("gb18030")

        self.post(signed_in, study, uploads=SimpleUploadedFile("a.csv", data), encoding="gb18030")

        assert Import.objects.get().mapping["encoding"] == "gb18030"


class TestPreview:
    def test_shows_how_it_is_read_and_what_will_happen(self, signed_in, study) -> None:
        load(study, urls(1), "first.txt")
        run = receive(study, jsonl(record(1), record(2, title="<i>x</i>")) + b'{"html_url": "?"}\n')

        page = signed_in.get(run.get_absolute_url()).text

        assert "user.login" in page
        assert "&lt;i&gt;x&lt;/i&gt;" in page
        assert "Line 3, record 3: " in page
        assert f'action="{address("confirm_import", study, run.pk)}"' in page
        assert not Snapshot.objects.exists()

    def test_a_table_with_published_labels_says_where_these_go(self, signed_in, study) -> None:
        table = b"Issue_URL,Label1,Final_Label\nhttps://github.com/a/b/issues/1,C.1,C.1\n"
        pages = [
            signed_in.get(receive(study, data, "b.csv").get_absolute_url()).text
            for data in (table, b"url\na/b#1\n")
        ]

        note = "This file also contains published labels."
        assert [note in page for page in pages] == [True, False]
        assert f'href="{address("new_published_import", study)}"' in pages[0]

    def test_the_preview_says_what_becomes_of_characters_that_cannot_be_stored(
        self, signed_in, study
    ) -> None:
        files = jsonl(record(1, title="a\0b")), jsonl(record(1, title="a", state="op\0en")), jsonl(record(1))
        pages = [signed_in.get(receive(study, data, "a.jsonl").get_absolute_url()).text for data in files]

        note = "Characters in texts that cannot be stored (NUL, half a character) become U+FFFD"
        assert [note in page for page in pages] == [True, False, False]
        assert "holds NUL, half a character or another control character. Remove it." in pages[1]

    def test_a_file_taken_before_says_so(self, signed_in, study) -> None:
        first = load(study, urls(1), "first.txt")
        run = receive(study, urls(1), "again.txt")

        page = signed_in.get(run.get_absolute_url()).text

        assert "This file was imported before:" in page
        assert f'href="{first.get_absolute_url()}"' in page
        assert address("confirm_import", study, run.pk) not in page

    def test_a_file_without_a_good_line_cannot_be_confirmed(self, signed_in, study) -> None:
        run = receive(study, b"url\nnonsense\nmore\n", "a.csv")

        page = signed_in.get(run.get_absolute_url()).text

        assert "No line of this file can be imported." in page
        assert address("confirm_import", study, run.pk) not in page

    def test_confirming_starts_the_job(self, signed_in, study, lead) -> None:
        run = receive(study, urls(1), "list.txt")

        response = signed_in.post(address("confirm_import", study, run.pk))

        run.refresh_from_db()
        assert response["Location"] == run.get_absolute_url()
        assert (run.job.state, run.job.created_by) == ("queued", lead.user)


class TestImport:
    def test_a_running_one_is_polled_and_can_be_cancelled(self, signed_in, study, lead) -> None:
        run = receive(study, urls(1), "list.txt")
        job = actions.confirm_import(run=run, by=lead.user)

        page = signed_in.get(run.get_absolute_url()).text
        fragment = part(signed_in, run.get_absolute_url(), "job")

        assert f'hx-get="{run.get_absolute_url()}"' in page
        assert f'action="{reverse("cancel_job", args=[job.pk])}"' in page
        assert fragment.text.strip().startswith('<section class="job"')
        assert "HX-Refresh" not in fragment.headers

    def test_another_lead_sees_it_and_cannot_cancel_it(self, client, study, lead) -> None:
        run = receive(study, urls(1), "list.txt")
        job = actions.confirm_import(run=run, by=lead.user)
        client.force_login(make_member(study, "owner").user)

        page = client.get(run.get_absolute_url()).text

        assert "queued" in page
        assert reverse("cancel_job", args=[job.pk]) not in page

    def test_its_end_brings_the_report(self, signed_in, study, lead) -> None:
        run = receive(study, urls(1, "x"), "list.txt")
        jobs.run(actions.confirm_import(run=run, by=lead.user).pk)

        fragment = part(signed_in, run.get_absolute_url(), "job")
        page = signed_in.get(run.get_absolute_url()).text

        assert fragment["HX-Refresh"] == "true"
        assert "new issues" in page
        assert "is not the address of an issue" in page

    def test_a_cancelled_one_says_what_stays_and_goes_on(self, signed_in, study, lead) -> None:
        run = receive(study, urls(1), "list.txt")
        jobs.cancel(actions.confirm_import(run=run, by=lead.user))

        page = signed_in.get(run.get_absolute_url()).text
        signed_in.post(address("confirm_import", study, run.pk))

        assert "The rows stored before that are kept" in page
        run.refresh_from_db()
        assert run.job.state == "queued"

    def test_its_rows_by_outcome(self, signed_in, study) -> None:
        run = load(study, urls(1, 1, "x"), "list.txt")

        page = signed_in.get(run.get_absolute_url() + "?outcome=refused").text
        fragment = part(signed_in, run.get_absolute_url() + "?outcome=repeated", "rows").text

        assert "This line repeats the issue of line 1." not in page
        assert "its number cannot be read" in page
        assert "This line repeats the issue of line 1." in fragment
        assert fragment.strip().startswith("<section")

    @pytest.mark.parametrize("how_many", [1, 3])
    def test_the_list_takes_a_fixed_number_of_queries(
        self, signed_in, study, django_assert_num_queries, how_many
    ) -> None:
        for number in range(how_many):
            receive(study, urls(number + 1), "list.txt", by=make_user())
        signed_in.get(address("imports", study))

        # Session, user, study, membership, page, waiting files, the tabs' round.
        with django_assert_num_queries(7):
            signed_in.get(address("imports", study))


class TestRowsAsCsv:
    def test_is_inert_and_named_by_the_server(self, signed_in, study) -> None:
        data = b'=cmd()\n"quoted, with comma"\n@x\nhttps://github.com/a/b/issues/1\na/b#1\n'
        run = load(study, data, '=evil".txt')

        response = signed_in.get(address("import_rows", study, run.pk) + "?outcome=refused")

        body = b"".join(response.streaming_content).decode()
        rows = list(csv.DictReader(io.StringIO(body)))
        assert [row["raw"] for row in rows] == ["'=cmd()", '"quoted, with comma"', "'@x"]
        assert {row["file"] for row in rows} == {"'=evil\".txt"}
        assert [row["line"] for row in rows] == ["1", "2", "3"]
        assert response["Content-Disposition"] == f'attachment; filename="import-{run.pk}-refused.csv"'
        assert response["Content-Type"] == "text/csv; charset=utf-8"
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["Cache-Control"] == "no-store"

    def test_holds_every_outcome_unless_asked(self, signed_in, study) -> None:
        run = load(study, urls(1, 1, "x"), "list.txt")

        body = b"".join(signed_in.get(address("import_rows", study, run.pk)).streaming_content).decode()

        assert [row["outcome"] for row in csv.DictReader(io.StringIO(body))] == ["repeated", "refused"]


class TestReadAgain:
    FRAME = b"nr,headline,when\n7,<b>Loss</b>,2024-05-31 17:30:00\n8,Other,2024-06-01 00:00:00\n"
    CHOSEN = {"from_number": "nr", "from_title": "headline", "from_created_at": "when", "base": "https://github.com/o/r/", "zone": "Asia/Shanghai"}  # fmt: skip

    def test_a_frame_without_addresses_asks_for_its_columns(self, signed_in, study, lead) -> None:
        response = signed_in.post(
            address("new_import", study), {"uploads": SimpleUploadedFile("frame.csv", self.FRAME)}
        )
        run = Import.objects.get()

        page = signed_in.get(response["Location"]).text

        assert "The file does not say which issue each row is about." in page
        assert f'action="{address("read_import_again", study, run.pk)}"' in page
        assert '<option value="headline">headline</option>' in page
        assert address("confirm_import", study, run.pk) not in page
        assert signed_in.post(address("confirm_import", study, run.pk)).status_code == 409

    def test_the_chosen_columns_are_read_shown_and_imported(self, signed_in, study) -> None:
        run = receive(study, self.FRAME, "frame.csv")

        response = signed_in.post(address("read_import_again", study, run.pk), self.CHOSEN)
        page = signed_in.get(run.get_absolute_url()).text
        run.refresh_from_db()
        actions.import_issues(run=run)

        assert response["Location"] == run.get_absolute_url()
        assert "&lt;b&gt;Loss&lt;/b&gt;" in page
        assert "o/r #7" in page
        assert f'action="{address("confirm_import", study, run.pk)}"' in page
        assert list(
            Issue.objects.order_by("pk").values_list("url", "current__title", "current__opened_at__hour")
        ) == [
            ("https://github.com/o/r/issues/7", "<b>Loss</b>", 9),
            ("https://github.com/o/r/issues/8", "Other", 16),
        ]

    @pytest.mark.parametrize(
        ("changed", "words"),
        [
            ({"from_number": ""}, "Choose the column with the address, or the column with the number"),
            ({"base": ""}, "Choose the column with the address, or the column with the number"),
            ({"base": "no host"}, "This is neither a repository nor a host: no host"),
            ({"from_title": "x"}, "x is not one of the available choices."),
            ({"only": "engine"}, "This is not a repository: engine"),
        ],
    )
    def test_a_wrong_choice_is_refused(self, signed_in, study, changed, words) -> None:
        run = receive(study, self.FRAME, "frame.csv")
        run.refresh_from_db()

        response = signed_in.post(address("read_import_again", study, run.pk), self.CHOSEN | changed)

        assert response.status_code == 422
        assert words in response.text
        assert Import.objects.get().mapping == run.mapping

    def test_an_import_that_was_started_keeps_its_columns(self, signed_in, study, lead) -> None:
        run = receive(study, urls(1), "list.txt")
        actions.confirm_import(run=run, by=lead.user)

        assert signed_in.post(address("read_import_again", study, run.pk)).status_code == 409

    def test_the_files_of_a_zip_are_shown_and_read_alike(self, signed_in, study) -> None:
        files = {"2023.csv": self.FRAME, "2024.csv": self.FRAME.replace(b"7,", b"9,"), "more.txt": urls(1)}
        run = receive(study, zipped(files), "all.zip")

        signed_in.post(f"{address('read_import_again', study, run.pk)}?file=1", self.CHOSEN)
        page = " ".join(strip_tags(signed_in.get(f"{run.get_absolute_url()}?file=2").text).split())
        run.refresh_from_db()
        actions.import_issues(run=run)

        assert "2023.csv CSV" in page
        assert "more.txt list of addresses" in page
        assert [part["base"] for part in run.mapping["parts"]] == ["github.com/o/r", "github.com/o/r", ""]
        found = sorted(Issue.objects.values_list("repository__path", "number"))
        assert found == [("o/r", "7"), ("o/r", "8"), ("o/r", "9"), ("owner/repo", "1")]
        assert list(run.rows.values_list("file", "line", "message")) == [
            (
                "2024.csv",
                3,
                "This line repeats the issue of line 3 of 2023.csv. The earlier line was imported.",
            )
        ]

    def test_the_format_is_told_in_words(self, signed_in, study) -> None:
        run = receive(study, gzip.compress(jsonl(record(1, node_id="I_1"))), "issues.jsonl.gz")

        assert "JSON in gzip: issues of GitHub over REST" in signed_in.get(run.get_absolute_url()).text


class TestImports:
    def test_the_list_asks_again_while_a_job_runs(self, signed_in, study) -> None:
        run = receive(study, urls(1), "list.txt")
        assert 'hx-trigger="every 2s"' not in signed_in.get(address("imports", study)).text
        run.job = Job.objects.create(kind="x", state=Job.State.RUNNING)
        run.save()
        assert 'hx-trigger="every 2s"' in signed_in.get(address("imports", study)).text
        assert part(signed_in, address("imports", study), "imports").text.lstrip().startswith("<section")
