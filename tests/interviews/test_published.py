"""What the reference study published of its interviews: the guide is read, published, and sent again byte by
byte; the table of participants is imported with its flaws named.
"""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from interviews.models import Guide, Participant, Question
from interviews.queries.reading import guide_text
from tests.conftest import SHARED_DATA
from tests.interviews.world import interview_world
from tests.worlds.pages import client


def published(name: str) -> bytes:
    path = SHARED_DATA / "interviews" / name
    if not path.is_file():
        pytest.skip("the data of the reference study is not part of the project")
    return path.read_bytes()


@pytest.fixture(scope="module")
def data() -> bytes:
    return published("Interview GuideLine.md")


def test_its_parts_questions_and_rankings_are_read(data):
    said = guide_text(data.decode())
    assert [(part.title.partition(".")[0], len(part.questions)) for part in said.parts] == [
        ("Part I", 5), ("Part II", 6), ("Part III", 7), ("Part IV", 6),
    ]  # fmt: skip
    assert said.audiences == ["LLM Users", "Framework Developers"]
    assert [(at, place, one.audience, one.top) for at, place, one in said.ranking()] == [
        (1, 1, "LLM Users", 3), (2, 1, "LLM Users", 3), (3, 1, "LLM Users", None),
    ]  # fmt: skip
    assert said.parts[0].objective.startswith("Understand the participant")
    assert said.problems == []


@pytest.mark.django_db
def test_it_is_published_and_comes_out_equal(data):
    world = interview_world()
    lead, address = client(world.lead), reverse("new_guide", args=[world.study.slug])
    page = lead.post(address, {"file": SimpleUploadedFile("guide.md", data)})
    form, chosen = page.context["form"], page.context["chosen"]
    fields = {name: field.initial or "" for name, field in chosen.fields.items()}
    fields["what_1_1"] = f"{world.version.taxonomy_id}:2:"
    sent = {"text": form["text"].value(), "source": form["source"].value(), **fields}
    assert lead.post(address, sent).status_code == 302
    assert Question.objects.filter(is_ranking=True).values_list("top", "level").get() == (3, 2)
    assert lead.get(reverse("guide_md", args=[Guide.objects.get().pk])).content == data


@pytest.mark.django_db
def test_the_table_of_participants_is_imported_and_its_flaws_are_named():
    table = published("Interviewee Background.xlsx")
    world = interview_world()
    lead, address = client(world.lead), reverse("import_participants", args=[world.study.slug])
    page = lead.post(address, {"file": SimpleUploadedFile("Interviewee Background.xlsx", table)})
    columns = page.context["columns"]
    assert columns.kinds == ["role", "attribute", "experience", "attribute"]
    assert columns.table.notes == [
        "Merged cells were filled with their common text: 7.",
        "Row 17: column 2 has the same text in other letter cases.",
        "Row 20: column 2 has the same text in other letter cases.",
    ]
    assert all(note in page.text for note in columns.table.notes)
    assert (page.context["count"], page.context["problems"]) == (19, [])
    assert [(one.prefix, count) for one, count in page.context["counts"]] == [("U", 11), ("D", 8)]
    fields = {name: field.initial for name, field in columns.fields.items()}
    hidden = {"secret_table": page.context["packed"], "counted": page.context["counted"]}
    assert lead.post(address, {**hidden, **fields, "import": "1"}).status_code == 302
    made = list(Participant.objects.exclude(pk=world.participant.pk).order_by("pk"))
    assert [str(one) for one in made] == [f"U{n}" for n in range(2, 13)] + [f"D{n}" for n in range(1, 9)]
    assert (made[3].experience, made[3].attributes["Gender"]) == ("8 Months", "Male")
    assert made[1].attributes["Gender"] == "FeMale"  # kept as published
    assert made[11].role == "DL framework Developer-Project Manager"
    assert all(one.role and one.attributes["Responsibilities"] for one in made)
