"""What a meeting has talked about stays in its record when a later version of the taxonomy ends the disagreement."""

import pytest

from consensus.actions.meetings import close_meeting
from consensus.models import Disagreement, Meeting
from consensus.queries import minutes as queries
from consensus.queries.threads import may_read_thread
from taxonomy.queries.codebooks import codebook
from taxonomy.tree.drafts import MERGE
from tests.annotate.actions.test_version_upgrade import change, publication
from tests.worlds.meeting import held

pytestmark = pytest.mark.django_db


def test_minutes_of_a_closed_meeting_keep_their_item():
    made = held(4, members=3, come="nobody", kind="apart", quorum=2, by_majority=True)
    item = made.items[0]
    made.vote(item, "C.1", "C.1", "C.1")
    made.ballot(item, made.lead, "C.1")
    row = Disagreement.objects.get(round=item.round_id, issue=item.issue_id)
    made.decide(item, "C.1", rationale="so")
    close_meeting(meeting=made.meeting, by=made.lead)
    states = codebook(made.version).by_id
    kept, *merged = (states[category].code for category in row.chosen)
    before = queries.minutes(made.fresh(), made.lead)
    for code in merged:
        change(made, MERGE, code, into=kept)
    publication(made)
    meeting = Meeting.objects.select_related("round__study").get(pk=made.meeting.pk)
    after = queries.minutes(meeting, made.lead)
    assert not Disagreement.objects.filter(pk=row.pk).exists()
    assert (before.withheld, after.withheld) == (0, 0)
    told = [line.issue_id for group in after.groups for line in group.items]
    assert item.issue_id in told
    assert not may_read_thread(meeting.round, item.issue_id, made.lead)
