"""A version is published while people label: real threads against a real PostgreSQL."""

# ruff: noqa: B023 - the threads end before the loop goes on

from collections import Counter
from dataclasses import replace

import pytest

from consensus.models import Decision, Disagreement
from rounds import errors
from rounds.models import Assignment, CurrentLabel, Label, RoundIssue
from studies.models import Event
from taxonomy.actions import act, publish
from taxonomy.models import Version
from taxonomy.queries.codebooks import codebook
from taxonomy.tree.drafts import MERGE, RETIRE
from tests import factories
from tests.long import only_long, sampled
from tests.races import at_once
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

ROUNDS, THREADS = sampled(100, 5), 20


def test_twenty_people_submit_while_two_categories_are_merged():
    """Again and again: ten choose what is merged away, ten what it is merged into, and somebody publishes."""
    world = small_world(issues=ROUNDS, members=THREADS)
    codes = ["C", *(f"C.{number}" for number in range(1, 2 * ROUNDS + 1))]
    taxonomy = factories.make_version(world.study, codes).taxonomy
    version = taxonomy.versions.get()
    round_ = world.round(version=version, depth=2)
    named = replace(world, version=version)
    for number, issue in enumerate(world.issues):
        codes = [f"C.{2 * number + 1}", f"C.{2 * number + 2}"]
        gone, kept = map(named.category, codes)
        act(taxonomy=taxonomy, kind=MERGE, key=str(gone.key), values={"into": str(kept.key)}, by=None)
        seen, chosen = version.pk, [gone, kept] * (THREADS // 2)
        *labels, version = at_once(
            *(
                lambda member=member, code=code: named.submit(round_, issue, member, code, version=seen)
                for member, code in zip(world.members, codes * (THREADS // 2), strict=True)
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


@only_long
def test_who_comes_after_a_retirement_is_asked_again():
    """Every label is stored, or refused with its text kept. Where all are stored, the issue is looked at again by
    all; nobody looks again at one that is not complete.
    """
    rounds = sampled(20, 8)
    world = small_world(issues=rounds, members=THREADS)
    taxonomy = factories.make_version(world.study, ["C", *(f"C.{n}" for n in range(rounds + 1))]).taxonomy
    version = taxonomy.versions.get()
    round_ = world.round(version=version, depth=2)
    named = replace(world, version=version)
    for number, issue in enumerate(world.issues):
        code, seen = f"C.{number + 1}", version.pk
        act(taxonomy=taxonomy, kind=RETIRE, key=str(named.category(code).key), values={}, by=None)
        *answers, version = at_once(
            *(
                lambda member=member: named.submit(
                    round_, issue, member, code, summary=f"by {member}", version=seen
                )
                for member in world.members
            ),
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
