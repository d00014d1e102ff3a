"""What people tell: backgrounds with consent and erasure, and the citation."""

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from overview.my_data import OWN
from overview.queries.my_data import rows_of
from standards.actions.backgrounds import delete_background, tell_background
from standards.actions.citing import change_citation, is_orcid
from standards.errors import AnswerChanged, AnswerRefused
from standards.files import package_files
from standards.models import Citation, RaterBackground
from standards.queries.facts import background_facts, citation_facts
from standards.texts.availability import citation_cff
from studies.actions import erase_person
from studies.models import Study
from tests.findings.world import FindingWorld, finding_world
from tests.kept import kept
from tests.worlds.pages import client, text_of

pytestmark = pytest.mark.django_db
ORCID = "0000-0002-1825-0097"


@kept
def world() -> FindingWorld:
    return finding_world()


def told(world, sharing="pseudonym", by=0, **more):
    return tell_background(
        member=world.base.members[by], experience="Wrote canaries.", sharing=sharing, **more
    )


@pytest.mark.parametrize(
    ("sharing", "people", "texts"), [("nobody", 0, 0), ("summary", 1, 0), ("pseudonym", 1, 1)]
)
def test_a_background_is_shared_as_its_rater_chooses(world, sharing, people, texts):
    told(world, sharing)
    found = background_facts(world.study)
    assert (found.told, len(found.named)) == (people, texts)
    pages = [
        client(world.lead).get(reverse("standards_method", args=[world.study.slug])).text,
        *(b"".join(chunks).decode() for _name, chunks in package_files(world.round, world.lead)),
    ]
    assert sum("Wrote canaries" in page for page in pages) == (2 if texts else 0)


def test_years_of_two_raters_are_not_told(world):
    for place, years in enumerate((3, 9)):
        told(world, "summary", by=place, years=years)
    assert background_facts(world.study).years is None
    told(world, "summary", by=2, years=5)
    assert background_facts(world.study).years == (3, 9)


def test_a_rater_changes_and_deletes_their_background(world):
    page = reverse("my_background", args=[world.study.slug])
    browser = client(world.base.members[0])
    given = {"years": "4", "experience": "Support.", "sharing": "summary"}
    assert browser.post(page, given).status_code == 302
    assert RaterBackground.objects.get().years == 4
    assert browser.post(page, given | {"years": "900"}).status_code == 422
    assert "Support." in browser.get(page).text
    browser.post(reverse("remove_background", args=[world.study.slug]))
    assert not RaterBackground.objects.exists()


def test_erasing_a_person_deletes_their_background_also_in_an_archived_study(world):
    told(world)
    Study.objects.filter(pk=world.study.pk).update(archived_at="2026-01-01T00:00Z")
    erase_person(user=world.base.members[0].user)
    assert not RaterBackground.objects.exists()


def test_my_data_has_the_background(world):
    told(world)
    user = world.base.members[0].user
    [row] = rows_of(user, "standards.RaterBackground", OWN["standards.RaterBackground"])
    assert (row["experience"], row["sharing"]) == ("Wrote canaries.", "pseudonym")


def test_viewers_and_models_have_no_background(world):
    for member in (world.viewer, world.model):
        with pytest.raises(PermissionDenied):
            tell_background(member=member, experience="x")
    assert delete_background(member=world.viewer) is False


# --- how to cite the study


def cite(world, **more):
    values = {"title": 'Labels: "ours"', "authors": [], "by": world.lead, **more}
    return change_citation(study=world.study, **values)


def test_a_citation_becomes_a_cff_file(world):
    cite(
        world,
        authors=[{"family": "Li", "given": "Wei", "orcid": ORCID}, {"family": "Ada"}],
        licence="CC-BY-4.0",
        doi="https://doi.org/10.5281/zenodo.12",
    )
    assert citation_cff(citation_facts(world.study), world.study.name) == (
        "cff-version: 1.2.0\n"
        "message: If you use these labels, please cite them as below.\n"
        "type: dataset\n"
        'title: "Labels: \\"ours\\""\n'
        "authors:\n"
        '  - family-names: "Li"\n'
        '    given-names: "Wei"\n'
        f'    orcid: "https://orcid.org/{ORCID}"\n'
        '  - family-names: "Ada"\n'
        'license: "CC-BY-4.0"\n'
        'doi: "10.5281/zenodo.12"\n'
    )


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"title": "  "}, "title"),
        ({"licence": "free for all"}, "licence"),
        ({"doi": "zenodo.12"}, "doi"),
        ({"authors": [{"given": "Wei"}]}, "authors"),
        ({"authors": [{"family": "Li", "orcid": "0000-0002-1825-0098"}]}, "authors"),
    ],
)
def test_what_cannot_be_cited_is_refused_at_its_field(world, change, field):
    with pytest.raises(AnswerRefused) as refused:
        cite(world, **change)
    assert (refused.value.field, Citation.objects.count()) == (field, 0)


def test_a_citation_from_an_old_page_overwrites_nothing(world):
    cite(world, revision=0)
    with pytest.raises(AnswerChanged):
        cite(world, title="Other", revision=0)
    assert Citation.objects.get().title == 'Labels: "ours"'


def test_the_last_digit_of_an_orcid_fits_the_others():
    # Examples of the ORCID documentation and of ISO 7064.
    assert [is_orcid(one) for one in (ORCID, "0000-0001-5109-3700", "0000-0002-1694-233X")] == [True] * 3
    assert not is_orcid("0000-0002-1694-2330")


def test_the_form_reads_an_author_a_line(world):
    page = reverse("citation", args=[world.study.slug])
    browser = client(world.lead)
    browser.post(page, {"title": "T", "authors": f"Li, Wei, {ORCID}\n\nAda", "licence": "", "revision": "0"})
    assert Citation.objects.get().authors == [
        {"family": "Li", "given": "Wei", "orcid": ORCID},
        {"family": "Ada", "given": "", "orcid": ""},
    ]
    assert browser.post(page, {"title": "T", "authors": "a, b, c, d"}).status_code == 422
    assert "family-names" in text_of(client(world.viewer).get(page))
    assert client(world.viewer).post(page, {"title": "T"}).status_code == 403
