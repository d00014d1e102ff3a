"""Names that open labels wait for: put to the vote, answered by a category, followed through versions."""

import pytest

from studies.models import Membership, Role
from taxonomy import errors
from taxonomy.actions import act, answer, cast, create_taxonomy, publish
from taxonomy.actions.answers import inherit
from taxonomy.models import Category, Motion, Proposal, Taxonomy, Version
from taxonomy.queries.codebooks import answered, codebook
from taxonomy.queries.taxonomies import published_version
from taxonomy.tree import read_csv
from taxonomy.tree.drafts import ADD, DESCRIBE, MERGE, RETIRE, SPLIT
from tests.factories import make_member, make_study, propose
from tests.taxonomy.trees import key

pytestmark = pytest.mark.django_db

CSV = """code,level,name
C,type,Bug
C.1,theme,Memory
C.2,theme,Speed
"""


@pytest.fixture
def taxonomy() -> Taxonomy:
    return create_taxonomy(study=make_study(), name="Cause", tree=read_csv(CSV), by=None).taxonomy


@pytest.fixture
def people(taxonomy: Taxonomy) -> list[Membership]:
    return [make_member(taxonomy.study, role) for role in (Role.LEAD, Role.VOLUNTEER)]


def missed(taxonomy: Taxonomy, by: Membership, name: str = "Docs") -> Proposal:
    made = Proposal(taxonomy=taxonomy, version=published_version(taxonomy), name=name, proposed_by=by)
    inherit(made).save()
    return made


def opened(taxonomy: Taxonomy, by: Membership, kind: str = ADD, code: str = "", **values) -> Motion:
    if kind == ADD:
        values = {"parent": key(taxonomy, "C"), "name": "Documentation"} | values
    return propose(taxonomy, by, kind, code, values=values, waits="docs")


def passed(motion: Motion, people: list[Membership]) -> Motion:
    for member in people:
        motion = cast(motion=motion, member=member, choice="for")
    return motion


def done(taxonomy: Taxonomy, by: Membership, kind: str, about: str, **values) -> None:
    act(taxonomy=taxonomy, kind=kind, key=about, values=values, by=by.user)


def published(taxonomy: Taxonomy) -> Version:
    return publish(taxonomy=taxonomy, by=None)


def codes(version: Version) -> dict[int, str]:
    return {pk: codebook(version).by_id[category].code for pk, category in answered(version).items()}


def test_a_vote_links_all_names_that_look_alike_and_answers_them_as_it_is_published(taxonomy, people) -> None:
    lead, other = people
    one, two, third = missed(taxonomy, lead), missed(taxonomy, other, "DOCS"), missed(taxonomy, lead, "GPU")
    motion = opened(taxonomy, lead)

    assert list(motion.proposals.order_by("pk")) == [one, two]
    passed(motion, people)
    assert codes(published_version(taxonomy)) == {}  # a draft answers nothing

    first, second = published_version(taxonomy), published(taxonomy)

    assert codes(second) == {one.pk: "C.3", two.pk: "C.3"}
    assert codes(first) == {}
    assert Proposal.objects.get(pk=third.pk).motion is None


def test_what_is_declined_answers_nothing_and_can_be_put_to_the_vote_again(taxonomy, people) -> None:
    one = missed(taxonomy, people[0])
    first = opened(taxonomy, people[0])
    while_open = opened(taxonomy, people[1], name="Documents")
    one.refresh_from_db()
    assert one.motion == first
    cast(motion=while_open, member=people[0], choice="against")
    cast(motion=while_open, member=people[1], choice="for")
    cast(motion=first, member=people[0], choice="for")
    cast(motion=first, member=people[1], choice="against")
    done(taxonomy, people[0], ADD, None, parent=None, name="Other")
    assert codes(published(taxonomy)) == {}

    again = opened(taxonomy, people[1])

    one.refresh_from_db()
    assert (one.motion, one.answered_by) == (again, None)


def test_a_name_proposed_again_or_by_another_shares_vote_and_answer(taxonomy, people) -> None:
    missed(taxonomy, people[0])
    motion = opened(taxonomy, people[0])
    later = missed(taxonomy, people[1], "docs")
    assert later.motion == motion
    passed(motion, people)
    Proposal.objects.filter(pk=later.pk).update(motion=None)  # written as the vote was opened
    version = published(taxonomy)
    afterwards = missed(taxonomy, people[1], "Docs ")
    assert set(codes(version).values()) == {"C.3"}
    assert set(codes(version)) == {later.pk - 1, later.pk, afterwards.pk}


def test_an_answer_is_followed_through_merges_until_it_is_split_or_retired(taxonomy, people) -> None:
    lead = people[0]
    one = missed(taxonomy, lead)
    motion = passed(opened(taxonomy, lead), people)
    second = published(taxonomy)
    done(taxonomy, lead, MERGE, str(motion.key), into=key(taxonomy, "C.1"))
    third = published(taxonomy)
    done(taxonomy, lead, MERGE, key(taxonomy, "C.1"), into=key(taxonomy, "C.2"))
    fourth = published(taxonomy)
    done(taxonomy, lead, RETIRE, key(taxonomy, "C.2"))
    fifth = published(taxonomy)

    found = [codes(version).get(one.pk) for version in (second, third, fourth, fifth)]

    assert found == ["C.3", "C.1", "C.2", None]


def test_what_is_merged_or_retired_before_its_publication_is_followed_too(taxonomy, people) -> None:
    lead = people[0]
    one = missed(taxonomy, lead)
    motion = passed(opened(taxonomy, lead), people)
    done(taxonomy, lead, MERGE, str(motion.key), into=key(taxonomy, "C.2"))
    assert codes(published(taxonomy)) == {one.pk: "C.2"}


def test_retired_before_its_publication_it_answers_nothing(taxonomy, people) -> None:
    missed(taxonomy, people[0])
    motion = passed(opened(taxonomy, people[0]), people)
    done(taxonomy, people[0], RETIRE, str(motion.key))
    done(taxonomy, people[0], ADD, None, parent=None, name="Other")
    assert codes(published(taxonomy)) == {}
    done(taxonomy, people[0], ADD, None, parent=None, name="More")
    assert codes(published(taxonomy)) == {}


def test_other_changes_answer_with_their_category_and_a_split_with_the_part_of_that_name(
    taxonomy, people
) -> None:
    one = missed(taxonomy, people[0])
    passed(opened(taxonomy, people[0], DESCRIBE, "C.2", name="Speed and docs"), people)
    assert codes(published(taxonomy)) == {one.pk: "C.2"}
    Proposal.objects.update(motion=None, answered_by=None)
    passed(opened(taxonomy, people[0], SPLIT, "C.2", parts=[{"name": "Docs"}, {"name": "GPU"}]), people)
    version = published(taxonomy)
    assert codes(version) == {one.pk: codebook(version).by_id[answered(version)[one.pk]].code}
    assert codebook(version).by_id[answered(version)[one.pk]].name == "Docs"


def test_a_lead_answers_a_name_without_a_vote_and_takes_it_back(taxonomy, people) -> None:
    one, other = missed(taxonomy, people[0]), missed(taxonomy, people[1], "docs")
    version = published_version(taxonomy)
    speed = Category.objects.get(key=key(taxonomy, "C.2"))

    answer(taxonomy=taxonomy, name="Docs", category=speed, by=people[0])
    assert codes(version) == {one.pk: "C.2", other.pk: "C.2"}
    answer(taxonomy=taxonomy, name="docs", category=None, by=people[0])
    assert codes(version) == {}


def test_only_a_category_of_the_newest_version_answers_and_not_against_a_vote(taxonomy, people) -> None:
    one = missed(taxonomy, people[0])
    memory, speed = (Category.objects.get(key=key(taxonomy, code)) for code in ("C.1", "C.2"))
    motion = passed(opened(taxonomy, people[0]), people)
    done(taxonomy, people[0], RETIRE, str(memory.key))
    version = published(taxonomy)
    with pytest.raises(errors.NotAnAnswer):
        answer(taxonomy=taxonomy, name="Docs", category=memory, by=people[0])
    answer(taxonomy=taxonomy, name="Docs", category=speed, by=people[0])
    assert answered(version) == {one.pk: Category.objects.get(key=motion.key).pk}


def test_a_name_whose_category_is_gone_is_free_again(taxonomy, people) -> None:
    """It was voted for, published and retired: it can be put to the vote again, or answered by hand."""
    lead = people[0]
    one = missed(taxonomy, lead)
    motion = passed(opened(taxonomy, lead), people)
    published(taxonomy)
    done(taxonomy, lead, RETIRE, str(motion.key))
    published(taxonomy)

    again = passed(opened(taxonomy, lead, name="Docs"), people)
    one.refresh_from_db()
    assert (one.motion, one.answered_by) == (again, None)
    assert codes(published(taxonomy)) == {one.pk: "C.3"}
    done(taxonomy, lead, RETIRE, str(again.key))
    published(taxonomy)
    speed = Category.objects.get(key=key(taxonomy, "C.2"))
    answer(taxonomy=taxonomy, name="Docs", category=speed, by=lead)
    assert codes(published_version(taxonomy)) == {one.pk: "C.2"}


def test_a_name_that_its_vote_did_not_answer_waits_on(taxonomy, people) -> None:
    """The change is made, and nothing came of it for the name: that is no answer for ever."""
    one = missed(taxonomy, people[0])
    motion = passed(opened(taxonomy, people[0]), people)
    done(taxonomy, people[0], RETIRE, str(motion.key))
    done(taxonomy, people[0], ADD, None, parent=None, name="Other")
    speed = Category.objects.get(key=key(taxonomy, "C.2"))
    answer(taxonomy=taxonomy, name="Docs", category=speed, by=people[0])
    assert codes(published(taxonomy)) == {}  # voted for, so nobody else says it before it is published

    answer(taxonomy=taxonomy, name="Docs", category=speed, by=people[0])

    assert codes(published_version(taxonomy)) == {one.pk: "C.2"}


def test_a_category_that_is_retired_answers_no_name(taxonomy, people) -> None:
    one = missed(taxonomy, people[0])
    opened(taxonomy, people[0], RETIRE, "C.2")
    one.refresh_from_db()
    assert one.motion is None


@pytest.mark.parametrize("how_many", [1, 3])
def test_answers_take_two_queries(taxonomy, people, how_many, django_assert_num_queries) -> None:
    for number in range(how_many):
        missed(taxonomy, people[0], f"Docs {number}")
        speed = Category.objects.get(key=key(taxonomy, "C.2"))
        answer(taxonomy=taxonomy, name=f"Docs {number}", category=speed, by=people[0])
    done(taxonomy, people[0], ADD, None, parent=None, name="Other")
    version = published(taxonomy)
    with django_assert_num_queries(2):
        assert len(answered(version)) == how_many
