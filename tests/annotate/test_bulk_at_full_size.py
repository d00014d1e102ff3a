"""The published study: all splits of 4 : 3 and better decided at one stroke, and taken back as if nothing had been."""

import hashlib
from io import BytesIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from annotate.actions.agendas import put_found_on_agenda, take_off_agenda
from annotate.actions.bulk import decide_majority, take_back
from annotate.models import AgendaItem, Decision, Disagreement, Meeting, Round
from annotate.queries.bulk import forecast
from annotate.queries.disagreements import disagreement_counts
from annotate.queries.final_labels import final_label_changes
from annotate.queries.narrowing import Narrowing
from studies.models import Role
from tests import factories

pytestmark = [pytest.mark.slow, pytest.mark.django_db]


def _labels() -> str:
    """What the table of labels holds, byte for byte."""
    copied = BytesIO()
    with connection.cursor() as cursor:
        cursor.copy_expert("COPY (SELECT * FROM annotate_label ORDER BY id) TO STDOUT", copied)
    return hashlib.sha256(copied.getvalue()).hexdigest()


def test_a_majority_of_the_published_study_and_back(published):
    call_command("import_study", str(published), study="reference")
    round_ = Round.objects.get()
    lead = factories.make_member(round_.study, Role.LEAD, pseudonym="Lead")
    differ = Disagreement.objects.filter(round=round_)
    # The files came with final labels; here the disagreements wait, as before the meetings.
    Decision.objects.filter(issue__in=differ.values("issue")).update(superseded_at=timezone.now())
    began = timezone.now()
    before, labels = disagreement_counts(round_, lead), _labels()
    assert (before.open, before.agenda, before.decided) == (differ.count(), 0, 0)

    foreseen = forecast(round_, lead, 4, Narrowing())
    assert {group.sizes[0] >= 4 for group in foreseen.decided} == {True}
    assert not [group for group in foreseen.left if group.sizes[0] >= 4]
    assert foreseen.total + foreseen.total_left == before.open
    bulk = decide_majority(round_=round_, by=lead, at_least=4, narrowing=Narrowing())
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT count(*) FROM annotate_decision d
            JOIN annotate_disagreement g ON g.round_id = d.round_id AND g.issue_id = d.issue_id
            WHERE d.bulk_id = %s AND d.method = 'majority' AND d.superseded_at IS NULL
              AND d.category_id = g.chosen[1] AND g.votes[1] >= 4
            """,
            [bulk.pk],
        )
        assert cursor.fetchone() == (foreseen.total,)
    assert disagreement_counts(round_, lead).decided == foreseen.total
    assert final_label_changes(round_, lead, began).counts == {
        "changed": 0, "reopened": 0, "new": foreseen.total,
    }  # fmt: skip

    assert take_back(bulk=bulk, by=lead) == foreseen.total
    assert _labels() == labels
    assert disagreement_counts(round_, lead) == before
    made = bulk.decisions.all()
    assert (made.count(), made.filter(superseded_at=None).count()) == (foreseen.total, 0)
    assert not Decision.objects.filter(
        round=round_, superseded_at=None, issue__in=differ.values("issue")
    ).exists()
    assert final_label_changes(round_, lead, began).count == 0

    meeting = Meeting.objects.create(round=round_, name="All", chair=lead, created_by=lead, quorum=1)
    assert put_found_on_agenda(meeting=meeting, by=lead, narrowing=Narrowing()) == before.open
    assert forecast(round_, lead, 4, Narrowing()).agenda == before.open
    take_off_agenda(item=AgendaItem.objects.order_by("pk")[0], by=lead)
    assert disagreement_counts(round_, lead).agenda == before.open - 1
