"""Issues as examples of a category: which may be shown, in which order, taken with one click, and undone."""

import pytest
from django.urls import reverse

from annotate.actions.examples import take_example
from annotate.errors import NotAnExample
from annotate.queries.examples import example_issues, example_line
from ingest.models import Snapshot
from rounds.errors import NotAllowed
from studies.models import Role
from taxonomy.actions import act, publish, undo
from taxonomy.queries.drafts import drafted
from taxonomy.tree.drafts import MERGE
from tests import factories
from tests.worlds.pages import client as signed_in
from tests.worlds.pages import cost
from tests.worlds.planned import text_of
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=5, members=2)]


def key(world, code) -> str:
    return str(world.category(code).key)


def label(world, round_, number, *codes) -> None:
    for member, code in zip(world.members, codes, strict=False):
        world.submit(round_, world.issues[number - 1], member, code)


def shown(world, code="C.1", examples="") -> list[tuple]:
    numbers = {issue.pk: number for number, issue in enumerate(world.issues, start=1)}
    found = example_issues(world.version.taxonomy, key(world, code), examples)
    return [(numbers[one.issue.pk], one.votes, one.labels, one.is_unanimous) for one in found]


def examples_of(world, code="C.1") -> str:
    return drafted(world.version.taxonomy).draft[key(world, code)].examples


def take(world, member, number=1, code="C.1"):
    door = reverse("take_as_example", args=[world.version.taxonomy_id])
    return signed_in(member).post(door, {"category": key(world, code), "issue": world.issues[number - 1].pk})


def listed(world, member, **query):
    return signed_in(member).get(reverse("draft_examples", args=[world.version.taxonomy_id]), query)


def test_unanimous_ones_come_first_and_only_what_is_complete(world) -> None:
    round_ = world.round()
    label(world, round_, 1, "C.1", "C.2")
    label(world, round_, 2, "C.1", "C.1")
    label(world, round_, 3, "C.2", "C.2")
    label(world, round_, 4, "C.1")
    assert shown(world) == [(2, 2, 2, True), (1, 1, 2, False)]
    assert shown(world, "C.3") == []


def test_none_that_anybody_has_yet_to_label(world) -> None:
    """Everybody reads a codebook: not only what is held back from who takes the example."""
    round_ = world.round()
    label(world, round_, 1, "C.1", "C.1")
    label(world, round_, 2, "C.1", "C.1")
    world.waits_for(world.members[1], world.issues[0])
    assert shown(world) == [(2, 2, 2, True)]
    for number in (1, 3):  # 3 is not labelled at all
        assert take(world, world.lead, number).status_code == 422
        page = text_of(listed(world, world.lead, issue=world.issues[number - 1].pk))
        assert "This issue cannot be an example yet" in page
    assert examples_of(world) == ""


def test_what_became_the_category_shows_it_too(world) -> None:
    label(world, world.round(), 1, "C.2", "C.1")
    values = {"into": key(world, "C.1")}
    act(taxonomy=world.version.taxonomy, kind=MERGE, key=key(world, "C.2"), values=values, by=None)
    publish(taxonomy=world.version.taxonomy, by=None)
    assert shown(world) == [(1, 2, 2, True)]


def test_one_click_adds_title_and_address_once_and_is_undone(world) -> None:
    round_ = world.round()
    label(world, round_, 1, "C.1", "C.1")
    label(world, round_, 2, "C.1", "C.1")
    answer = take(world, world.lead)
    assert (answer.status_code, answer.url) == (
        302, f"{reverse('draft', args=[world.version.taxonomy_id])}?category=C.1&examples=1",
    )  # fmt: skip
    first, second = example_line(world.issues[0]), example_line(world.issues[1])
    assert first.endswith(world.issues[0].url)
    assert examples_of(world) == first
    take(world, world.lead)
    take(world, world.lead, 2)
    assert examples_of(world) == f"{first}\n{second}"
    page = text_of(listed(world, world.lead, category=key(world, "C.1")))
    assert page.count("an example") == 2
    undo(taxonomy=world.version.taxonomy, by=world.lead.user)
    assert examples_of(world) == first


def test_a_title_is_one_phrase_and_points_nowhere(world) -> None:
    issue = world.issues[0]
    issue.current = Snapshot(title="It hangs; then\n it → C.3 " + "x" * 300)
    line = example_line(issue)
    assert line.startswith("It hangs, then it -> C.3 xxx")
    assert line.endswith(f"x {issue.url}")
    assert len(line) == 200 + 1 + len(issue.url)
    issue.current = None
    assert example_line(issue) == f"{issue} {issue.url}"


def test_for_leads_only(world) -> None:
    label(world, world.round(), 1, "C.1", "C.1")
    for member in (world.members[0], factories.make_member(world.study, Role.VIEWER)):
        with pytest.raises(NotAllowed):
            take_example(
                taxonomy=world.version.taxonomy, key=key(world, "C.1"), issue=world.issues[0], by=member
            )
    elsewhere = small_world(issues=1, members=1)
    with pytest.raises(NotAnExample):
        take_example(
            taxonomy=world.version.taxonomy, key=key(elsewhere, "C.1"), issue=world.issues[0], by=world.lead
        )


def test_links_from_an_issue_and_from_a_disagreement(world) -> None:
    round_ = world.round()
    label(world, round_, 1, "C.1", "C.2")
    issue = world.issues[0].pk
    link = f"{reverse('draft_examples', args=[world.version.taxonomy_id])}?issue={issue}"
    pages = (
        reverse("issue", args=[world.study.slug, issue]),
        f"{reverse('disagreements', args=[round_.pk])}?issue={issue}",
    )
    for page in pages:
        assert link in signed_in(world.lead).get(page).content.decode()
        assert link not in signed_in(world.members[0]).get(page).content.decode()
    assert f'value="{key(world, "C.1")}"' in signed_in(world.lead).get(link).content.decode()


@pytest.mark.parametrize("how_many", [1, 3])
def test_a_fixed_number_of_queries(world, how_many) -> None:
    round_ = world.round()
    for number in range(1, how_many + 1):
        label(world, round_, number, "C.1", "C.1")
    assert len(shown(world)) == how_many
    assert cost(lambda: shown(world)) == 7
