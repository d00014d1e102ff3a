"""What a meeting has talked about stays in its record when a later version of the taxonomy ends the disagreement."""

from importlib import import_module

import pytest
from django.db import connection

from consensus.actions.meetings import close_meeting
from consensus.minutes_files import markdown
from consensus.minutes_text import document
from consensus.models import Disagreement, Meeting
from consensus.queries import minutes as queries
from consensus.queries.threads import may_read_thread
from rounds.models import Round
from taxonomy.queries.codebooks import codebook
from taxonomy.tree.drafts import DESCRIBE, MERGE, SPLIT
from tests.annotate.actions.test_version_upgrade import change, publication
from tests.worlds.meeting import held

migration = import_module("consensus.migrations.0002_minutes_keep_their_version")

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


def test_minutes_name_the_versions_that_their_decisions_were_made_under():
    made = held(4, members=3, come="nobody", kind="apart", quorum=2, by_majority=True)
    made.vote(made.items[0], "C.1", "C.1", "C.1")
    made.ballot(made.items[0], made.lead, "C.1")
    made.decide(made.items[0], "C.1", rationale="so")

    def taxonomy() -> str:
        said = written(made, made.meeting).splitlines()
        return next(line for line in said if line.startswith("- **Taxonomy:**"))

    assert taxonomy() == "- **Taxonomy:** Taxonomy 1, version 1"
    change(made, DESCRIBE, "C.9", definition="Said more clearly.")
    publication(made)
    assert taxonomy() == ("- **Taxonomy:** Taxonomy 1, version 2 (some decisions were made under version 1)")


def written(made, meeting: Meeting) -> str:
    """The minutes as Markdown, without what says that it came later."""
    meeting = Meeting.objects.select_related("round__study", "round__version__taxonomy").get(pk=meeting.pk)
    lines = markdown(document(queries.minutes(meeting, made.lead))).splitlines()
    return "\n".join(line for line in lines if not line.startswith("  - replaced, "))


def closed_and_split():
    """A meeting of R1 to R3 about C.9, C.1, C.9 and C.1, C.9, C.9; then C.9 is split and looked at again."""
    made = held(2, members=3, come="nobody", kind="apart", quorum=2, by_majority=True)
    item = made.items[0]
    made.vote(item, "C.9", "C.1", "C.9")
    made.ballot(item, made.lead, "C.9")
    made.decide(item, "C.9", rationale="so")
    close_meeting(meeting=made.meeting, by=made.lead)
    before = written(made, made.meeting)
    change(made, DESCRIBE, "C.1", name="Another name")
    change(made, SPLIT, "C.9", parts=[{"name": "Part"}], stays=True)
    made.version = publication(made)
    part = next(state.code for state in codebook(made.version).states if state.name == "Part")
    first, second, third = made.members
    look = Round.objects.get(of=made.round_)
    given = ((0, first, "C.1"), (0, third, part), (1, second, "C.9"), (1, third, part))
    for issue, member, code in given:
        made.submit(look, made.issues[issue], member, code)
    return made, before, part


def test_minutes_of_a_closed_meeting_stay_when_its_category_is_split_and_another_renamed():
    made, before, _part = closed_and_split()
    closed = Meeting.objects.get(pk=made.meeting.pk)
    assert closed.version.number == 1
    assert before.count("## C.1 Name of C.1 or C.9 Name of C.9") == 1
    assert written(made, closed) == before


def test_the_next_meeting_is_about_the_labels_of_the_second_look():
    made, _before, part = closed_and_split()
    made.round_.refresh_from_db()
    made.plan(kind="apart", quorum=2, name="Next")
    while_open = queries.minutes(made.fresh(), made.lead)
    close_meeting(meeting=made.meeting, by=made.lead)
    found = queries.minutes(made.fresh(), made.lead)
    assert [(line.pair, [one.code for one in line.labels]) for line in found.not_reached] == [
        (("C.1", part), ["C.1", "C.1", part]),
        (("C.1", "C.9"), ["C.1", "C.9", part]),
    ]
    assert found.not_reached == while_open.not_reached
    assert (found.version.number, found.names["C.1"]) == (2, "Another name")


def test_meetings_that_were_closed_before_get_the_version_of_their_time():
    made, before, _part = closed_and_split()
    Meeting.objects.filter(pk=made.meeting.pk).update(version=None)
    assert "C.1 Another name" in written(made, made.meeting)
    with connection.cursor() as cursor:
        cursor.execute(migration._FILL)
    assert written(made, made.meeting) == before
