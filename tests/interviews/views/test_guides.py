"""The guide: previewed, published in versions, exported byte by byte, its rankings chosen on the page."""

import base64

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from interviews.models import Audience, Guide, Question
from taxonomy.queries.codebooks import codebook
from tests import factories
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.worlds.pages import client, queries_of

pytestmark = pytest.mark.django_db

TEXT = """

**Purpose:** To validate.

## Part I. Background (5 minutes)

**Objective:** Understand the context.

**Questions:**
1. What is your role?
2. Which models?
   _(e.g., encoder-only)_

## Part II. Bugs

### For LLM Users:
- From this list, please rank the top 3 bugs.
- What is missing?

### For Maintainers:
- Please rank all requirements.
"""


@kept
def world() -> InterviewWorld:
    return interview_world()


def sent(world, **fields):
    return client(world.lead).post(reverse("new_guide", args=[world.study.slug]), fields)


def chosen(world, **more):
    taxonomy, bugs = world.version.taxonomy_id, factories.category(world.version, "C").pk
    return {
        "what_1_0": f"{taxonomy}:2:{bugs}", "top_1_0": "3", "what_1_2": "", "top_1_2": "", "prefix_1": "M", **more,
    }  # fmt: skip


def test_a_preview_shows_parts_and_questions_and_stores_nothing(world):
    page = sent(world, text=TEXT, preview="1")
    assert page.status_code == 200
    said = page.context["said"]
    assert [(part.title, part.minutes, part.objective) for part in said.parts] == [
        ("Part I. Background", 5, "Understand the context."),
        ("Part II. Bugs", None, ""),
    ]
    assert [
        (one.text, one.audience, one.ranks, one.top) for part in said.parts for one in part.questions
    ] == [
        ("What is your role?", "", False, None),
        ("Which models? _(e.g., encoder-only)_", "", False, None),
        ("From this list, please rank the top 3 bugs.", "LLM Users", True, 3),
        ("What is missing?", "LLM Users", False, None),
        ("Please rank all requirements.", "Maintainers", True, None),
    ]
    assert list(page.context["chosen"].fields) == ["what_1_0", "top_1_0", "what_1_2", "top_1_2", "prefix_1"]
    assert not Guide.objects.exists()


def test_a_guide_is_published_with_its_rankings_and_audiences(world):
    assert sent(world, text=TEXT, **chosen(world)).status_code == 302
    guide = Guide.objects.get()
    assert (guide.number, guide.published_by) == (1, world.lead)
    ranking = Question.objects.get(is_ranking=True)
    assert (ranking.audience.prefix, ranking.level, ranking.top, ranking.taxonomy, ranking.under) == (
        "U", 2, 3, world.version.taxonomy, factories.category(world.version, "C"),
    )  # fmt: skip
    assert list(Audience.objects.values_list("name", "prefix")) == [
        ("LLM users", "U"), ("Framework developers", "D"), ("Maintainers", "M"),
    ]  # fmt: skip
    page = client(world.coder).get(reverse("guides", args=[world.study.slug])).text
    assert "Which models?" in page
    assert reverse("new_guide", args=[world.study.slug]) not in page


def test_a_guide_is_printed_for_one_audience_with_what_it_ranks(world):
    sent(world, text=TEXT, **chosen(world))
    guide = Guide.objects.get()
    address = reverse("print_guide", args=[guide.pk])
    reader = client(world.coder)
    users, makers = (Audience.objects.get(prefix=prefix) for prefix in "UM")

    whole, of_users, of_makers, unknown = (
        [(one.question.text, [state.code for state in one.categories]) for part in reader.get(address + asked).context["parts"] for one in part.questions]
        for asked in ("", f"?audience={users.pk}", f"?audience={makers.pk}", "?audience=no")
    )  # fmt: skip

    background = [("What is your role?", []), ("Which models? _(e.g., encoder-only)_", [])]
    bugs = [state.code for state in codebook(world.version.pk).at_level(2) if state.code.startswith("C")]
    for_users = [("From this list, please rank the top 3 bugs.", bugs), ("What is missing?", [])]
    for_makers = [("Please rank all requirements.", [])]
    assert of_users == background + for_users
    assert of_makers == background + for_makers
    assert whole == unknown == background + for_users + for_makers
    assert queries_of(reader, address) == queries_of(reader, f"{address}?audience={users.pk}")


def test_a_later_version_says_what_changed_and_earlier_ones_stay(world):
    sent(world, text=TEXT, **chosen(world))
    changed = TEXT + "- Anything else?\n"
    no_note = sent(world, text=changed, **chosen(world))
    assert (no_note.status_code, "what changed, and why?" in no_note.text) == (422, True)
    same = sent(world, text=TEXT, note="None", **chosen(world))
    assert (same.status_code, "the same as the current version" in same.text) == (422, True)
    assert sent(world, text=changed, note="One more.", **chosen(world)).status_code == 302
    first, second = Guide.objects.order_by("number")
    assert (second.number, second.note, second.parts.last().questions.count()) == (2, "One more.", 4)
    assert "Anything else?" not in client(world.lead).get(first.get_absolute_url()).text


@pytest.mark.parametrize(
    "data", [TEXT.encode(), TEXT.replace("\n", "\r\n").encode(), b"\xef\xbb\xbf" + TEXT.encode()]
)
def test_a_file_comes_out_as_it_went_in(world, data):
    page = sent(world, file=SimpleUploadedFile("guide.md", data))
    assert page.status_code == 200
    form = page.context["form"]
    typed = form["text"].value().replace("\r\n", "\n").replace("\n", "\r\n")  # as a browser sends a text area
    assert sent(world, text=typed, source=form["source"].value(), **chosen(world)).status_code == 302
    answer = client(world.lead).get(reverse("guide_md", args=[Guide.objects.get().pk]))
    assert answer.content == data
    assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"


def test_a_source_that_says_something_else_is_not_taken(world):
    other = base64.b64encode(b"## Other\n- What?\n").decode()
    sent(world, text=TEXT, source=other, **chosen(world))
    assert Guide.objects.get().text == TEXT


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"## A\n\xff", "Line 2 is not UTF-8."), (b"## A\n\0", "NUL character"), (b"x" * 900_000, "too long")],
)
def test_a_file_that_is_no_text_is_refused_with_its_line(world, data, words):
    page = sent(world, file=SimpleUploadedFile("guide.md", data))
    assert (page.status_code, words in page.text) == (422, True)


def test_categories_of_another_study_are_refused(world):
    other = factories.make_version(factories.make_study())
    refused = sent(world, text=TEXT, **chosen(world, what_1_0=f"{other.taxonomy_id}:2:"))
    assert refused.status_code == 422
    assert not Guide.objects.exists()


def test_who_may_read_and_write_the_guide(world):
    sent(world, text=TEXT, **chosen(world))
    guide, slug = Guide.objects.get(), world.study.slug
    pages = [reverse("guides", args=[slug]), guide.get_absolute_url(), reverse("guide_md", args=[guide.pk])]
    for member, status in (
        (world.coder, 200),
        (world.viewer, 403),
        (world.model, 403),
        (world.stranger, 404),
    ):
        assert [client(member).get(page).status_code for page in pages] == [status] * 3
    new = reverse("new_guide", args=[slug])
    assert client(world.coder).post(new, {"text": TEXT}).status_code == 403
    assert client(world.stranger).post(new, {"text": TEXT}).status_code == 404


def test_the_page_costs_the_same_at_one_version_and_at_three(world):
    address, counts = reverse("guides", args=[world.study.slug]), []
    for wanted in (1, 3):
        while Guide.objects.count() < wanted:
            sent(world, text=f"{TEXT}- {Guide.objects.count()}?\n", note="More.", **chosen(world))
        counts.append(queries_of(client(world.lead), address))
    assert counts[0] == counts[1]
