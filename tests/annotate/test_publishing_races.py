"""A version is published while people label: real threads against a real PostgreSQL."""

# ruff: noqa: B023 - the threads end before the loop goes on

from collections import Counter
from uuid import uuid4

import pytest

from annotate.actions.labels import submit_label
from consensus.models import Decision, Disagreement
from rounds import errors
from rounds.models import Assignment, CurrentLabel, Label, RoundIssue
from studies.models import Event
from taxonomy.actions import act, publish
from taxonomy.models import Category, CategoryState, Version
from taxonomy.queries.codebooks import codebook
from taxonomy.tree.drafts import MERGE, RETIRE
from tests import factories
from tests.long import sampled
from tests.races import at_once
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

ROUNDS, THREADS = sampled(100, 15), 20


def _keys(version: Version) -> dict[str, Category]:
    states = CategoryState.objects.filter(version=version).select_related("category")
    return {state.code: state.category for state in states}


def test_twenty_people_submit_while_two_categories_are_merged():
    """Again and again: ten choose what is merged away, ten what it is merged into, and somebody publishes."""
    world = small_world(issues=ROUNDS, members=THREADS)
    codes = ["C", *(f"C.{number}" for number in range(1, 2 * ROUNDS + 1))]
    taxonomy = factories.make_version(world.study, codes).taxonomy
    version = taxonomy.versions.get()
    round_ = world.round(version=version, depth=2)
    categories = _keys(version)
    for number, issue in enumerate(world.issues):
        gone, kept = categories[f"C.{2 * number + 1}"], categories[f"C.{2 * number + 2}"]
        act(taxonomy=taxonomy, kind=MERGE, key=str(gone.key), values={"into": str(kept.key)}, by=None)
        seen, chosen = version.pk, [gone, kept] * (THREADS // 2)

        def submit(member, category):
            return submit_label(
                round_=round_,
                issue=issue,
                member=member,
                given=factories.label_input(
                    category=category, summary="", unsure=False, form_key=uuid4(), version=seen
                ),
            ).label

        *labels, version = at_once(
            *(
                lambda member=member, category=category: submit(member, category)
                for member, category in zip(world.members, chosen, strict=True)
            ),
            lambda: publish(taxonomy=taxonomy, by=None),
        )
        assert isinstance(version, Version), version
        stored = Label.objects.filter(issue=issue)
        assert [label.category_id for label in stored.order_by("volunteer")] == [one.pk for one in chosen]
        assert set(stored.values_list("version", flat=True)) == {seen}
        assert len(labels) == THREADS
        place = RoundIssue.objects.get(round=round_, issue=issue)
        assert place.labels == " ".join([str(kept.pk)] * THREADS)
        assert place.decided == kept.pk
    assert Event.objects.filter(verb="taxonomies.published").count() == ROUNDS
    assert Event.objects.filter(verb="rounds.followed").count() == ROUNDS
    assert Label.objects.filter(category=None).count() == 0
    raw = Counter(Label.objects.values_list("category", flat=True))
    now = Counter(CurrentLabel.objects.values_list("category", flat=True))
    assert raw.total() == now.total() == ROUNDS * THREADS
    stands = codebook(version).by_id.stands_as
    assert now == Counter({stands(category): 0 for category in raw}) + sum(
        (Counter({stands(category): n}) for category, n in raw.items()), Counter()
    )
    assert not Disagreement.objects.exists()
    assert Decision.objects.filter(superseded_at=None).count() == ROUNDS


def test_who_comes_after_a_retirement_is_asked_again():
    """Every label is stored, or refused with its text kept. Where all are stored, the issue is looked at again by
    all; nobody looks again at one that is not complete.
    """
    rounds = sampled(20, 8)
    world = small_world(issues=rounds, members=THREADS)
    taxonomy = factories.make_version(world.study, ["C", *(f"C.{n}" for n in range(rounds + 1))]).taxonomy
    version = taxonomy.versions.get()
    round_ = world.round(version=version, depth=2)
    categories = _keys(version)
    for number, issue in enumerate(world.issues):
        gone, seen = categories[f"C.{number + 1}"], version.pk
        act(taxonomy=taxonomy, kind=RETIRE, key=str(gone.key), values={}, by=None)

        def submit(member):
            return submit_label(
                round_=round_,
                issue=issue,
                member=member,
                given=factories.label_input(
                    category=gone, summary=f"by {member}", unsure=False, form_key=uuid4(), version=seen
                ),
            )

        *answers, version = at_once(
            *(lambda member=member: submit(member) for member in world.members),
            lambda: publish(taxonomy=taxonomy, by=None),
        )
        assert isinstance(version, Version), version
        refused = [one for one in answers if isinstance(one, errors.CategoryGone)]
        stored = [one for one in answers if not isinstance(one, Exception)]
        assert len(refused) + len(stored) == THREADS, answers
        assert all(one.is_kept for one in refused)
        waits = Assignment.objects.filter(round__of=round_, issue=issue).count()
        assert waits == (THREADS if not refused else 0)
        assert RoundIssue.objects.get(round=round_, issue=issue).completed_at is None
