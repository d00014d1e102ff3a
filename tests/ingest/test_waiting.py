"""The page of uploaded files that wait, and the button that imports them together."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils.html import strip_tags

from core.models import Job
from ingest import actions
from ingest.errors import OneRefused
from ingest.models import Import
from tests.factories import make_member, make_study
from tests.ingest.files import load, receive, urls
from tests.worlds.pages import queries_of

pytestmark = pytest.mark.django_db


def address(study, name: str = "waiting_imports") -> str:
    return reverse(name, args=[study.slug])


def text(response) -> str:
    return " ".join(strip_tags(response.text).split())


def test_others_may_not(client, study) -> None:
    for seat, status in ((make_member(study), 403), (make_member(make_study(), "owner"), 404)):
        client.force_login(seat.user)
        assert client.get(address(study)).status_code == status
        assert client.post(address(study, "confirm_imports")).status_code == status


def test_an_empty_page_says_what_to_do(signed_in, study) -> None:
    response = signed_in.get(address(study))
    assert "No file waits here." in text(response)
    assert f'href="{reverse("new_import", args=[study.slug])}"' in response.text


def test_several_files_are_shown_and_imported_together(signed_in, study, lead) -> None:
    load(study, urls(1), "known.txt")
    files = [
        SimpleUploadedFile("a_2023.txt", b""),
        SimpleUploadedFile("a_2024.txt", urls(1, 2, 2) + b"nonsense\n"),
        SimpleUploadedFile("b.csv", b"url,title\nhttps://github.com/o/r/pull/9,T\n"),
        SimpleUploadedFile("again.txt", urls(1)),
        SimpleUploadedFile("notes.md", b"# no issues"),
    ]
    # A folder leaves other kinds of files where they are.
    page = signed_in.post(reverse("new_import", args=[study.slug]), {"folder": files}, follow=True)

    assert page.redirect_chain == [(address(study), 302)]
    assert "3 files are uploaded. Check the files below, then import them." in text(page)
    assert "a_2023.txt is empty. No issues were added." in text(page)
    assert "a_2024.txt list of addresses 4 1 1 0 1 1 b.csv CSV 1 1 0 1 0 0" in text(page)
    assert "again.txt list of addresses imported before 1 0 1 0 0 0" in text(page)
    waiting = {run.name: run for run in Import.objects.filter(job=None, counts={})}
    chosen = [waiting["a_2024.txt"], waiting["b.csv"]]
    assert page.text.count('type="checkbox"') == 3
    assert page.text.count("checked") == 2

    answer = signed_in.post(
        address(study, "confirm_imports"), {"import": [run.pk for run in chosen]}, follow=True
    )

    assert answer.redirect_chain == [(reverse("imports", args=[study.slug]), 302)]
    assert "2 imports were started." in text(answer)
    assert list(Job.objects.order_by("pk").values_list("arguments__import", "created_by")) == [
        (run.pk, lead.user_id) for run in chosen
    ]


def test_the_list_of_imports_leads_here_when_several_wait(signed_in, study) -> None:
    receive(study, urls(1), "a.txt")
    imports = reverse("imports", args=[study.slug])
    assert address(study) not in signed_in.get(imports).text
    receive(study, urls(2), "b.txt")
    assert "Import 2 waiting files" in text(signed_in.get(imports))


def test_nothing_chosen_starts_nothing(signed_in, study) -> None:
    other = receive(make_study(), urls(3), "of-another-study.txt")
    done = load(study, urls(4), "done.txt")
    receive(study, urls(1), "a.txt")

    answer = signed_in.post(
        address(study, "confirm_imports"), {"import": ["x", "", other.pk, done.pk, 10**6]}, follow=True
    )

    assert "No file was chosen, so nothing was imported." in text(answer)
    assert not Job.objects.exists()


def test_one_that_cannot_be_imported_stops_all_with_its_name(signed_in, study) -> None:
    load(study, urls(1), "known.txt")
    runs = [receive(study, urls(2), "good.txt"), receive(study, urls(1), "again.txt")]

    answer = signed_in.post(address(study, "confirm_imports"), {"import": [run.pk for run in runs]})

    assert answer.status_code == 409
    assert "again.txt: This file was imported before." in text(answer)
    assert "No import was started." in text(answer)
    assert not Job.objects.exists()
    with pytest.raises(OneRefused):
        actions.confirm_imports(runs=runs, by=None)


def test_a_file_without_chosen_columns_waits_for_them(signed_in, study) -> None:
    receive(study, b"key,title\n1,T\n", "numbers.csv")
    said = text(signed_in.get(address(study)))
    assert "numbers.csv CSV columns not chosen" in said


@pytest.mark.parametrize("how_many", [1, 3])
def test_takes_a_fixed_number_of_queries(signed_in, study, how_many) -> None:
    for number in range(how_many):
        receive(study, urls(number + 1), f"{number}.txt")

    # Session, user, study, membership, waiting files, files before, issues known, the tabs' round.
    assert queries_of(signed_in, address(study)) == 8
