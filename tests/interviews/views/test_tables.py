"""A table of participants: its columns chosen on the page, looked at, and imported whole or not at all."""

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from openpyxl import Workbook

from interviews.models import Audience, Participant
from interviews.queries.reading import read_table
from interviews.queries.table_audiences import Assignment, likely_kinds
from interviews.queries.tables import guessed_kinds
from studies.models import Event
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.worlds.pages import client

pytestmark = pytest.mark.django_db

FILE = """Participant,Name,Roles,Gender,Years of Experience,Frameworks,Responsibilities
U7,Canary One,Student,F,3 years,PyTorch,"Unit tests,
and test evolution."
d2,Canary Two,Maintainer,M,8 years,MindSpore,
"""


@kept
def world() -> InterviewWorld:
    return interview_world(stored=False)


def sent(world, by=None, **fields):
    return client(by or world.lead).post(reverse("import_participants", args=[world.study.slug]), fields)


def read(world, text=FILE, name="people.csv"):
    data = text if isinstance(text, bytes) else text.encode()
    return sent(world, file=SimpleUploadedFile(name, data))


def chosen(page, **changed) -> dict[str, str]:
    """The fields of the page's form as a browser would send them."""
    form = page.context["columns"]
    kept = {name: field.initial for name, field in form.fields.items()}
    hidden = {"secret_table": page.context["packed"], "counted": page.context["counted"]}
    return {**hidden, **kept, **changed}


@pytest.mark.parametrize(
    ("header", "kinds"),
    [
        (
            ["Roles", "Gender", "Years of Experience", "Responsibilities", "E-mail", "", "Role"],
            ["role", "attribute", "experience", "attribute", "ignore", "ignore", "attribute"],
        ),
        (
            ["Participant", "Type", "Experience Level", "Framework Context", "Casino"],
            ["pseudonym", "audience", "experience", "context", "attribute"],
        ),
        (
            ["编号", "职位", "经验", "框架", "类型"],
            ["pseudonym", "role", "experience", "context", "audience"],
        ),
    ],
)
def test_columns_are_guessed_by_their_names(header, kinds):
    assert guessed_kinds(header) == kinds


def test_a_table_is_looked_at_and_nothing_is_stored(world):
    page = read(world)
    assert page.status_code == 200
    assert page.context["columns"].kinds == [
        "pseudonym", "ignore", "role", "attribute", "experience", "context", "attribute",
    ]  # fmt: skip
    first, second = page.context["people"]
    assert (first.audience.prefix, first.number, first.background.role) == ("U", 7, "Student")
    assert first.background.attributes == {
        "Gender": "F",
        "Responsibilities": "Unit tests, and test evolution.",
    }
    assert (second.audience.prefix, second.number, second.background.attributes) == ("D", 2, {"Gender": "M"})
    assert "Canary" not in page.text
    assert Participant.objects.count() == 1


def test_the_table_is_imported_with_the_chosen_columns(world):
    page = read(world)
    answer = sent(world, **chosen(page, column_3="ignore"), **{"import": "1"})
    assert (answer.status_code, answer.url) == (302, reverse("participants", args=[world.study.slug]))
    found = Participant.objects.get(number=7)
    assert (str(found), found.role, found.experience, found.context) == (
        "U7",
        "Student",
        "3 years",
        "PyTorch",
    )
    assert found.attributes == {"Responsibilities": "Unit tests, and test evolution."}
    assert Participant.objects.count() == 3
    assert Event.objects.get(verb="participants.imported").detail == {"count": 2}


def test_rows_without_a_pseudonym_get_the_next_numbers_of_the_chosen_audience(world):
    page = read(world, "Roles;Experience\nStudent;1\nEngineer;9\n")
    sent(world, **chosen(page), **{"import": "1"})
    assert [(str(one), one.role) for one in Participant.objects.order_by("pk")][1:] == [
        ("U2", "Student"), ("U3", "Engineer"),
    ]  # fmt: skip


GROUPED = "Role,Sex\nLLM user-Student,F\nLLM User - Engineer,M\nCore developer-Maintainer,F\nUnsure,M\n"


@pytest.mark.parametrize(
    ("value", "kinds"), [("User-Student", ["ignore", "role"]), ("U7", ["pseudonym", "role"])]
)
def test_a_column_of_participants_without_numbers_has_no_pseudonyms(value, kinds):
    table = read_table(f"Type of participant,Role\n{value},Student\n".encode(), "csv")
    assert likely_kinds(table, Assignment(0)) == kinds


def test_one_odd_pseudonym_is_a_problem_of_its_line_and_not_of_the_column():
    table = read_table(b"Participant,Role\nU3,Student\nU2a,Engineer\n", "csv")
    assert likely_kinds(table, Assignment(0)) == ["pseudonym", "role"]


def test_the_beginnings_of_a_column_tell_the_audience_and_each_is_counted_before_the_import(world):
    page = read(world, GROUPED)
    users, developers = world.participant.audience, Audience.objects.get(prefix="D")
    form = page.context["columns"]
    assert form.fields["audience_column"].initial == ""  # "Unsure" is of no audience: nothing is guessed
    chosen_column = sent(world, **chosen(page, audience_column="0"), **{"import": "1"})
    form = chosen_column.context["columns"]
    assert [(form.fields[name].label, form.fields[name].initial) for name in form.groups] == [
        ("“LLM user”, 2 rows", str(users.pk)),
        ("“Core developer”, 1 row", str(developers.pk)),
        ("“Unsure”, 1 row", ""),
    ]
    assert chosen_column.context["problems"] == [(5, "no audience is chosen for “Unsure”")]
    assert ('name="import"' in page.text, 'name="import"' in chosen_column.text) == (True, False)
    mapped = {"audience_column": "0", "group_0_2": str(users.pk)}
    unseen = sent(world, **chosen(page, **mapped), **{"import": "1"})
    assert (unseen.status_code, unseen.context["is_new"]) == (422, True)
    assert [(one.prefix, count) for one, count in unseen.context["counts"]] == [("U", 3), ("D", 1)]
    assert Participant.objects.count() == 1
    seen = sent(world, **chosen(page, **mapped) | {"counted": unseen.context["counted"]}, **{"import": "1"})
    assert seen.status_code == 302
    assert [(str(one), one.role) for one in Participant.objects.order_by("pk")][1:] == [
        ("U2", "LLM user-Student"), ("U3", "LLM User - Engineer"), ("D1", "Core developer-Maintainer"),
        ("U4", "Unsure"),
    ]  # fmt: skip


def test_values_and_prefixes_tell_the_audience_and_a_contradiction_is_named(world):
    kinds = read(world, "Participant,Type\nU8,User\nD8,developers\nU9,Developer\n")
    form = kinds.context["columns"]
    assert (form.fields["audience_column"].initial, form.kinds) == ("0", ["pseudonym", "attribute"])
    assert [(one.prefix, count) for one, count in kinds.context["counts"]] == [("U", 2), ("D", 1)]
    by_type = sent(world, **chosen(kinds, audience_column="1"), preview="1")
    assert by_type.context["problems"] == [
        (4, "the pseudonym is of another audience"),
    ]
    dev = read(world, "ID\nDev-3\nuser 04\n")
    mapped = chosen(dev, audience_column="0", group_0_0=str(Audience.objects.get(prefix="D").pk))
    found = sent(world, **mapped, preview="1").context["people"]
    assert [(one.audience.prefix, one.number) for one in found] == [("D", 3), ("U", 4)]


def test_sheets_are_imported_one_after_the_other(world):
    book = Workbook()
    book.worksheets[0].title = "Users"
    book.worksheets[0].append(["Role"])
    book.worksheets[0].append(["Student"])
    second = book.create_sheet("Framework developers")
    second.append(["Role"])
    second.append(["Maintainer"])
    file = io.BytesIO()
    book.save(file)
    for sheet, prefix in ((1, "U"), (2, "D")):
        page = sent(world, file=SimpleUploadedFile("a.xlsx", file.getvalue()), sheet=sheet)
        assert page.context["columns"].table.notes == [f"Only sheet {sheet} of 2 was read."]
        [person] = page.context["people"]
        assert person.audience.prefix == prefix
    none = sent(world, file=SimpleUploadedFile("a.xlsx", file.getvalue()), sheet=3)
    assert (none.status_code, "The file has no sheet 3. Its sheets: 2." in none.text) == (422, True)


def test_a_column_with_too_many_values_tells_no_audience(world):
    page = read(world, "Note,Role\n" + "".join(f"{'x' * n},a\n" for n in range(1, 45)))
    refused = sent(world, **chosen(page, audience_column="0"), preview="1")
    assert "This column has more than 40 different values." in refused.text


def test_every_wrong_line_is_named_and_nothing_is_stored(world):
    page = read(world, "Participant,Role\nU1,Taken\nX3,Unknown\nU4,Good\nU4,Twice\n,Nobody\n")
    refused = sent(world, **chosen(page, audience=""), **{"import": "1"})
    assert refused.status_code == 422
    assert refused.context["problems"] == [
        (2, "the participant U1 already exists"),
        (3, "no audience is chosen for “X”"),
        (5, "the participant U4 already exists"),
        (6, "no audience is chosen"),
    ]
    assert Participant.objects.count() == 1


def test_a_column_that_can_be_one_only_is_not_two(world):
    page = read(world)
    refused = sent(world, **chosen(page, column_3="role"), **{"import": "1"})
    assert (refused.status_code, "Two columns are “role”." in refused.text) == (422, True)


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        ("A,B\n1,2\n3\n", "a.csv", "Line 3: "),
        ('A,B\n1,"2\n', "a.csv", "Line 2: "),
        (b"A\n\xff\n", "a.csv", "Line 2: byte 0xFF is not UTF-8."),
        ("A,B\n", "a.csv", "The table has no rows below the names of its columns."),
        (b"PK\x03\x04", "a.xlsx", "Nothing was stored."),
        ("A,B\n" + "1,2\n" * 5_001, "a.csv", "more than 5000 rows"),
        ("A,B\n" + f"1,{'é' * 9_000}\n" * 50, "a.csv", "The table has too much text."),
        ("A\n\0\n", "a.csv", "NUL"),
        ("x" * 1_100_000, "a.csv", "at most 1 MB"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_its_line(world, data, name, words):
    page = read(world, data, name)
    assert (page.status_code, words in page.text) == (422, True)


def test_a_table_that_this_server_did_not_write_is_not_taken(world):
    page = read(world)
    answer = sent(world, **chosen(page) | {"secret_table": "forged"}, **{"import": "1"})
    assert answer.status_code == 422
    assert Participant.objects.count() == 1


def test_only_leads_import(world):
    assert sent(world, world.coder).status_code == 403
    assert sent(world, world.stranger).status_code == 404
