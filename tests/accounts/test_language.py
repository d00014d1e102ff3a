import pytest
from django.urls import reverse
from django.utils import translation

from accounts.models import User
from core import jobs
from tests.factories import make_user

pytestmark = pytest.mark.django_db

CHINESE = {"HTTP_ACCEPT_LANGUAGE": "zh-CN,zh;q=0.9,en;q=0.8"}


def language_of(answer) -> str:
    assert answer.headers["Content-Language"] in answer.content.decode().split("<html", 1)[1].split(">", 1)[0]
    return answer.headers["Content-Language"]


def choose(client, language: str, **fields):
    return client.post(reverse("choose_language"), {"language": language, **fields})


@pytest.mark.parametrize(
    ("asked", "given"), [("zh-CN,zh;q=0.9", "zh-hans"), ("zh-Hans", "zh-hans"), ("fr,en", "en"), ("", "en")]
)
def test_a_page_follows_the_browser(client, asked, given):
    make_user()

    assert language_of(client.get(reverse("account_login"), HTTP_ACCEPT_LANGUAGE=asked)) == given


def test_each_language_is_offered_by_its_own_name(client):
    make_user()
    page = reverse("account_login")
    assert "English</button>" in client.get(page, **CHINESE).text
    assert "简体中文</button>" in client.get(page).text


def test_what_a_visitor_chooses_comes_before_the_browser(client):
    make_user()

    answer = choose(client, "en", next=reverse("account_login"))

    assert answer.headers["Location"] == reverse("account_login")
    assert language_of(client.get(reverse("account_login"), **CHINESE)) == "en"


def test_the_account_remembers_its_language_in_every_browser(client):
    user = make_user()
    client.force_login(user)
    choose(client, "zh-hans")
    client.cookies.clear()
    client.force_login(user)

    assert User.objects.get().language == "zh-hans"
    assert language_of(client.get(reverse("me"), HTTP_ACCEPT_LANGUAGE="en")) == "zh-hans"


def test_an_account_without_a_language_follows_the_browser(client):
    client.force_login(make_user())

    assert language_of(client.get(reverse("me"), **CHINESE)) == "zh-hans"


def test_a_language_that_is_not_there_is_refused(client):
    user = make_user()
    client.force_login(user)

    assert choose(client, "tlh").status_code == 404
    assert User.objects.get().language == ""


def test_choosing_leads_to_pages_of_this_server_only(client):
    make_user()

    assert choose(client, "en", next="https://example.org/").headers["Location"] == reverse("home")


def test_each_page_offers_the_other_languages(client):
    make_user()

    page = client.get(reverse("account_login"), HTTP_ACCEPT_LANGUAGE="en").content.decode()

    assert 'value="zh-hans"' in page
    assert 'value="en"' not in page


def test_a_job_speaks_the_language_it_was_asked_in():
    said = []

    @jobs.register("tests.language")
    def _said(job, progress):
        said.append(translation.get_language())

    with translation.override("zh-hans"):
        job = jobs.enqueue("tests.language", arguments={})
    jobs.run(job.pk)

    assert said == ["zh-hans"]
