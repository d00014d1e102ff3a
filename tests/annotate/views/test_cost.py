"""What a label costs in statements: the same in a small and in a larger study."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from ingest.models import Issue
from rounds.models import Assignment, Label, RoundIssue
from tests.annotate.views.test_labels import JSON, _client, _form
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.mark.parametrize("size", [100, 5_000])
def test_a_label_and_a_turn_ahead_take_as_many_statements_in_a_larger_study(size):
    world = small_world(issues=3, members=2)
    round_, member = world.round(), world.members[0]
    more = Issue.objects.bulk_create(
        Issue(repository=world.repository, number=f"bulk {number}", url=f"https://x.org/{number}")
        for number in range(size - 3)
    )
    RoundIssue.objects.bulk_create(
        RoundIssue(round=round_, issue=issue, position=place) for place, issue in enumerate(more, start=10)
    )
    Assignment.objects.bulk_create(
        Assignment(round=round_, issue=issue, slot=1, volunteer=member, rank=2**62 + issue.pk)
        for issue in more
    )
    client, label_url = _client(member), reverse("label", args=[round_.pk])
    client.get(label_url)  # the tree, and what does not change, are kept in memory
    form, have = _form(world, round_, member), [issue.pk for issue in more[:1]]
    with CaptureQueriesContext(connection) as ahead:
        client.post(reverse("ahead", args=[round_.pk]), {"have": have}, headers=JSON)
    with CaptureQueriesContext(connection) as submit:
        answer = client.post(reverse("submit_label", args=[round_.pk]), form | {"have": have}, headers=JSON)
    assert answer.json()["next"]["issue"] not in {form["issue"], *have}
    assert Label.objects.count() == 1
    # Of the submit two are savepoints, which outside of a test are BEGIN and COMMIT.
    assert (len(ahead), len(submit)) == (5, 12)
