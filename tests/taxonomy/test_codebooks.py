"""A version as Markdown, as LaTeX and as SKOS: every word of it, and nothing that it does not say."""

import json
import re
from uuid import uuid5

import pytest
from django.urls import reverse
from django.utils import timezone
from markdown_it import MarkdownIt

from studies.models import Role
from taxonomy.actions import act, create_taxonomy, publish
from taxonomy.codebooks import FORMS, as_latex, as_markdown, codebook_file
from taxonomy.models import Category, Version
from taxonomy.presets import load_preset
from taxonomy.queries.codebooks import codebook
from taxonomy.queries.drafts import drafted
from taxonomy.skos import CONTEXT, as_skos
from taxonomy.tree import Node, Tree, read_csv
from taxonomy.tree.drafts import MOVE
from tests import factories

pytestmark = pytest.mark.django_db

HARD = "<b> & 50 % of #1_a [x](y) \\input{z}"
TREE = Tree(
    [
        Node("A", 1, None, "Question", "What is asked.", "how-to; why", "a fault → B.1", "How?"),
        Node("B", 1, None, HARD, HARD, HARD, HARD, HARD),
        Node("B.1", 2, "B", "Crash"),
        Node("B.1.i", 3, "B.1", "At start", "", "", "", "--tp-size 2 fails"),
    ]
)


@pytest.fixture
def version():
    study = factories.make_study()
    made = create_taxonomy(study=study, name="Causes & more", tree=TREE, by=None, note="First try")
    return Version.objects.select_related("taxonomy__study").get(pk=made.pk)


def test_the_markdown_by_value(version):
    day = timezone.localtime(version.published_at)
    hard = r"\<b\> \& 50 % of \#1\_a \[x\](y) \\input{z}"
    listed = [part for head in ("Includes", "Excludes", "Examples") for part in (f"**{head}**", f"- {hard}")]
    assert as_markdown(version, TREE) == "\n\n".join(
        [
            "# Causes \\& more, version 1",
            f"2 types, 1 theme, 1 sub-theme; published on {day.day} {day:%B %Y}",
            "First try",
            "## A Question",
            "What is asked.",
            "**Includes**",
            "- how-to\n- why",
            "**Excludes**",
            "- a fault → B.1",
            "**Examples**",
            "- How?",
            f"## B {hard}",
            hard,
            *listed,
            "### B.1 Crash",
            "#### B.1.i At start",
            "**Examples**",
            "- \\--tp-size 2 fails\n",
        ]
    )


def test_the_markdown_says_what_the_version_says(version):
    rendered = MarkdownIt("commonmark").render(as_markdown(version, TREE))

    assert re.findall(r"<h2>(.*?)</h2>", rendered) == [
        "A Question",
        "B &lt;b&gt; &amp; 50 % of #1_a [x](y) \\input{z}",
    ]
    assert "<a " not in rendered
    assert "<b>" not in rendered


def test_the_latex_by_value(version):
    hard = r"\textless{}b\textgreater{} \& 50 \% of \#1\_a {[}x{]}(y) \textbackslash{}input\{z\}"
    listed = [
        line
        for head in ("Includes", "Excludes", "Examples")
        for line in (rf"\item[{head}] \leavevmode", r"\begin{itemize}", rf"\item {hard}", r"\end{itemize}")
    ]
    assert as_latex(version, TREE).splitlines() == [
        "% Causes & more, version 1",
        r"% \usepackage{array,booktabs,longtable}",
        "First try",
        "",
        r"\begin{longtable}{@{}>{\raggedright}p{0.2\linewidth}>{\raggedright\arraybackslash}p{0.75\linewidth}@{}}",
        r"\toprule",
        r"Code & Name \\",
        r"\midrule",
        r"\endhead",
        r"\bottomrule",
        r"\endfoot",
        r"A & \textbf{Question} \\",
        r"\midrule",
        rf"B & \textbf{{{hard}}} \\",
        r"\addlinespace",
        r"B.\allowbreak{}1 & Crash \\",
        r"B.\allowbreak{}1.\allowbreak{}i & At start \\",
        r"\end{longtable}",
        "",
        r"\section*{A Question}",
        "What is asked.",
        r"\begin{description}",
        r"\item[Includes] \leavevmode",
        r"\begin{itemize}",
        r"\item how-to",
        r"\item why",
        r"\end{itemize}",
        r"\item[Excludes] \leavevmode",
        r"\begin{itemize}",
        r"\item a fault $\rightarrow$ B.1",
        r"\end{itemize}",
        r"\item[Examples] \leavevmode",
        r"\begin{itemize}",
        r"\item How?",
        r"\end{itemize}",
        r"\end{description}",
        "",
        rf"\section*{{B {hard}}}",
        hard,
        r"\begin{description}",
        *listed,
        r"\end{description}",
        "",
        r"\subsection*{B.\allowbreak{}1 Crash}",
        "",
        r"\subsubsection*{B.\allowbreak{}1.\allowbreak{}i At start}",
        r"\begin{description}",
        r"\item[Examples] \leavevmode",
        r"\begin{itemize}",
        r"\item -{}-tp-size 2 fails",
        r"\end{itemize}",
        r"\end{description}",
    ]


def test_a_whole_preset_is_balanced_latex_of_known_characters(version):
    made = as_latex(version, load_preset("llm-frameworks"))

    begun, ended = re.findall(r"\\begin\{(\w+)\}", made), re.findall(r"\\end\{(\w+)\}", made)
    assert sorted(begun) == sorted(ended)
    assert made.count("{") - made.count(r"\{") == made.count("}") - made.count(r"\}")
    assert "→" not in made
    assert made.count(r"\section*") == 3
    assert made.count(r"\subsection*") == 18
    assert made.count(r"\subsubsection*") == 69


def test_the_whole_graph_in_skos(version):
    iri = {
        state.code: state.category.key.urn
        for state in version.states.select_related("category").order_by("position")
    }
    first = Category.objects.filter(taxonomy=version.taxonomy).order_by("pk").first()
    scheme = uuid5(first.key, "scheme").urn

    found = json.loads(as_skos(version))

    assert found["@context"] == CONTEXT
    assert found["@graph"] == [
        {
            "id": scheme,
            "type": "skos:ConceptScheme",
            "title": "Causes & more",
            "prefLabel": "Causes & more",
            "description": "First try",
            "issued": version.published_at.isoformat(),
            "versionInfo": "1",
            "hasTopConcept": [iri["A"], iri["B"]],
        },
        {
            "id": iri["A"],
            "type": "skos:Concept",
            "inScheme": scheme,
            "notation": "A",
            "prefLabel": "Question",
            "definition": "What is asked.",
            "scopeNote": ["Includes: how-to", "Includes: why", "Excludes: a fault → B.1"],
            "example": ["How?"],
            "topConceptOf": scheme,
        },
        {
            "id": iri["B"],
            "type": "skos:Concept",
            "inScheme": scheme,
            "notation": "B",
            "prefLabel": HARD,
            "definition": HARD,
            "scopeNote": [f"Includes: {HARD}", f"Excludes: {HARD}"],
            "example": [HARD],
            "topConceptOf": scheme,
            "narrower": [iri["B.1"]],
        },
        {
            "id": iri["B.1"],
            "type": "skos:Concept",
            "inScheme": scheme,
            "notation": "B.1",
            "prefLabel": "Crash",
            "broader": iri["B"],
            "narrower": [iri["B.1.i"]],
        },
        {
            "id": iri["B.1.i"],
            "type": "skos:Concept",
            "inScheme": scheme,
            "notation": "B.1.i",
            "prefLabel": "At start",
            "example": ["--tp-size 2 fails"],
            "broader": iri["B.1"],
        },
    ]


def test_names_in_skos_mean_what_the_context_says():
    assert CONTEXT["broader"] == {"@id": "skos:broader", "@type": "@id"}
    assert CONTEXT["notation"] == "skos:notation"
    assert CONTEXT["skos"] == "http://www.w3.org/2004/02/skos/core#"
    assert CONTEXT["versionInfo"] == "owl:versionInfo"


def test_a_later_version_is_the_same_scheme_and_the_same_concepts(version):
    factories.make_version(version.taxonomy.study, ["A"], taxonomy=version.taxonomy)
    later = version.taxonomy.versions.get(number=2)

    schemes = [json.loads(as_skos(one))["@graph"][0] for one in (version, later)]

    assert schemes[0]["id"] == schemes[1]["id"]
    assert [scheme["versionInfo"] for scheme in schemes] == ["1", "2"]


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ("csv", "text/csv; charset=utf-8"),
        ("md", "text/markdown; charset=utf-8"),
        ("tex", "application/x-tex; charset=utf-8"),
        ("jsonld", "application/ld+json"),
    ],
)
def test_page_and_rest_send_the_same_file(client, version, form, kind):
    client.force_login(factories.make_member(version.taxonomy.study, Role.VIEWER).user)

    page = client.get(reverse("taxonomy_file", args=[version.taxonomy_id, form]))
    rest = client.get(reverse("api_codebook", args=[version.taxonomy_id, 1, form]))

    assert page.content == rest.content == codebook_file(version, form).content
    assert page["Content-Type"] == rest["Content-Type"] == kind
    assert page["Content-Disposition"] == f'attachment; filename="causes-more-v1.{form}"'


def test_an_unknown_form_or_version_is_not_found(client, version):
    client.force_login(factories.make_member(version.taxonomy.study, Role.VIEWER).user)
    pk = version.taxonomy_id

    for address in (
        reverse("taxonomy_file", args=[pk, "exe"]),
        reverse("taxonomy_file", args=[pk, "md"]) + "?version=2",
        reverse("api_codebook", args=[pk, 2, "md"]),
        reverse("api_codebook", args=[pk, 1, "exe"]),
    ):
        assert client.get(address).status_code == 404


def test_the_csv_loads_again(version):
    assert read_csv(codebook_file(version, "csv").content) == codebook(version).tree() == TREE


@pytest.mark.parametrize("form", FORMS)
def test_siblings_keep_the_order_that_they_have_in_the_editor(version, form):
    taxonomy = factories.make_version(version.taxonomy.study, ["A", "A.1", "A.2", "A.10"]).taxonomy
    last = drafted(taxonomy).entries[-1]
    act(taxonomy=taxonomy, kind=MOVE, key=last.key, values={"parent": last.parent, "after": None}, by=None)
    moved = publish(taxonomy=taxonomy, by=None)

    text = codebook_file(moved, form).text

    names = [f"Name of {code}" for code in ("A", "A.10", "A.1", "A.2")]
    if form in {"md", "tex"}:
        text = text.replace("\\", "")
    found = re.findall(r"Name of A[.0-9]*", text)
    assert found == (names * 2 if form == "tex" else names)
    if form == "csv":
        assert [node.code for node in read_csv(text)] == ["A", "A.10", "A.1", "A.2"]


@pytest.mark.parametrize("form", FORMS)
def test_a_file_takes_as_many_queries_for_a_large_taxonomy(version, form, django_assert_num_queries):
    large = create_taxonomy(
        study=version.taxonomy.study, name="Large", tree=load_preset("llm-frameworks"), by=None
    )
    for one in (version, large):
        with django_assert_num_queries(2 if form in {"jsonld", "qdc"} else 1):
            codebook_file(one, form)


def test_the_page_of_a_version_offers_every_file_of_it(client, version):
    factories.make_version(version.taxonomy.study, ["A"], taxonomy=version.taxonomy)
    client.force_login(factories.make_member(version.taxonomy.study, Role.VIEWER).user)

    body = client.get(version.taxonomy.get_absolute_url() + "?version=1").text

    for name, arguments in (
        ("taxonomy_csv", []), ("taxonomy_file", ["md"]), ("taxonomy_file", ["tex"]),
        ("taxonomy_file", ["jsonld"]), ("taxonomy_file", ["qdc"]), ("taxonomy_figure", []),
    ):  # fmt: skip
        address = reverse(name, args=[version.taxonomy_id, *arguments])
        assert f'href="{address}?version=1"' in body
