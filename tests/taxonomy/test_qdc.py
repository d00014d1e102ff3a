"""Codebooks of REFI-QDA: what goes out is valid and comes in again equal; hostile and broken files are refused."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from studies.models import Role
from taxonomy.actions import create_taxonomy
from taxonomy.codebooks import codebook_file
from taxonomy.models import Category, Taxonomy
from taxonomy.presets import load_preset
from taxonomy.refi import as_qdc
from taxonomy.tree import Node, TaxonomyFileError, Tree
from taxonomy.tree.qdc import NAMESPACE, read_qdc
from tests import factories
from tests.refi import validated
from tests.worlds.pages import client

HARD = "<b> & 50 % \"of\" 'it' \U0001f600"
TREE = Tree(
    [
        Node("A", 1, None, "Question", "What is asked.\nTwo lines.", "how-to; why", "a fault", "How?\nWhy?"),
        Node("B", 1, None, HARD, HARD, HARD, "", HARD),
        Node("B.1", 2, "B", "Crash"),
        Node("B.1.i", 3, "B.1", "At start", "", "", "", "--tp-size 2 fails"),
    ]
)


def book(codes: str, head: str = "") -> bytes:
    return f'{head}<CodeBook xmlns="{NAMESPACE}"><Codes>{codes}</Codes></CodeBook>'.encode()


def code(name: str, inside: str = "") -> str:
    return f'<Code guid="0D62985D-B147-5D01-A9B5-CAE5DCD98342" name="{name}" isCodable="true">{inside}</Code>'


def version_of(tree):
    study = factories.make_study()
    made = create_taxonomy(study=study, name="Causes", tree=tree, by=None, note="First")
    return made.versions.get() if isinstance(made, Taxonomy) else made


@pytest.mark.django_db
def test_a_version_comes_in_again_as_it_went_out():
    version = version_of(TREE)
    written = as_qdc(version)
    root = validated(written.encode(), "codebook")
    assert read_qdc(written.encode()) == TREE
    first = root.find(f"{{{NAMESPACE}}}Codes/{{{NAMESPACE}}}Code")
    key = Category.objects.get(states__version=version, states__code="A").key
    assert (first.get("guid"), first.get("name"), first.get("isCodable")) == (str(key), "A Question", "true")


@pytest.mark.django_db
def test_the_preset_goes_out_as_a_file_and_comes_in_equal_but_for_translations():
    tree = load_preset("llm-frameworks")
    answer = codebook_file(version_of(tree), "qdc")
    assert answer["Content-Type"] == "text/xml; charset=utf-8"
    found = read_qdc(answer.content)
    names = ("code", "level", "parent", "name", "definition", "includes", "excludes", "examples")
    assert [[getattr(node, name) for name in names] for node in found] == [
        [getattr(node, name) for name in names] for node in tree
    ]


def test_codes_are_made_where_names_have_none():
    found = read_qdc(
        book(code("Speed", code("Slow start")) + code("C.3 Crash", "<Description>Ends</Description>"))
    )
    assert [(node.code, node.name, node.definition) for node in found] == [
        ("A", "Speed", ""),
        ("A.1", "Slow start", ""),
        ("B", "C.3 Crash", "Ends"),
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (book(code("A x"), '<!DOCTYPE a [<!ENTITY b "c">]>'), "document type or entities"),
        (book(code("A x"), '<!DOCTYPE a SYSTEM "file:///etc/passwd">'), "document type or entities"),
        (b"<CodeBook>", "no codebook of REFI-QDA"),
        (b"\n\nnothing", "line 3: this is no XML"),
        (b"", "no XML"),
        (b"\xff\xfe<", "no XML"),
        (b'<?xml version="1.0" encoding="nonsense"?><a/>', "no XML"),
        (book(""), "no code"),
        (book(code("a", code("b", code("c", code("d"))))), "at most three levels"),
        (book("<x>" * 60), "nested too deeply"),
        (book(code("A x") * 5_001), "more than 5,000 codes"),
        (book(code("")), "line 1"),
        (b"x" * 5_000_001, "more than 5 MB"),
    ],
)
def test_a_broken_or_hostile_codebook_is_refused(data, words):
    with pytest.raises(TaxonomyFileError, match=words):
        read_qdc(data)


@pytest.mark.django_db
def test_a_codebook_becomes_the_draft_of_a_new_taxonomy():
    study = factories.make_study()
    lead = factories.make_member(study, Role.LEAD)
    address = reverse("new_taxonomy", args=[study.slug])
    file = SimpleUploadedFile("Codes.QDC", book(code("A Speed", code("A.1 Slow start"))))
    page = client(lead).post(address, {"source": "file", "file": file, "name": ""})
    assert page.status_code == 302, page.context["form"].errors
    refused = client(lead).post(
        address, {"source": "file", "file": SimpleUploadedFile("a.qdc", book(code("A x"), "<!DOCTYPE a>"))}
    )
    assert (refused.status_code, "document type" in refused.text) == (422, True)
