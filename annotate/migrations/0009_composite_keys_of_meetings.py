"""Foreign keys of two columns: what belongs to a meeting belongs to its round, its agenda and its people."""

from django.db import migrations

KEYS = [
    (
        "annotate_disagreement",
        "disagreement_is_of_an_issue_of_its_round",
        "(round_id, issue_id) REFERENCES annotate_roundissue (round_id, issue_id)",
    ),
    (
        "annotate_agendaitem",
        "item_is_a_disagreement_of_its_round",
        "(round_id, issue_id) REFERENCES annotate_disagreement (round_id, issue_id)",
    ),
    (
        "annotate_agendaitem",
        "item_is_of_the_round_of_its_meeting",
        "(meeting_id, round_id) REFERENCES annotate_meeting (id, round_id)",
    ),
    ("annotate_vote", "vote_is_on_its_agenda", "(item_id, meeting_id) REFERENCES annotate_agendaitem (id, meeting_id)"),
    ("annotate_spell", "spell_is_on_its_agenda", "(item_id, meeting_id) REFERENCES annotate_agendaitem (id, meeting_id)"),
    ("annotate_ballot", "ballot_is_of_its_meeting", "(vote_id, meeting_id) REFERENCES annotate_vote (id, meeting_id)"),
    (
        "annotate_ballot",
        "ballot_is_of_somebody_who_takes_part",
        "(meeting_id, member_id) REFERENCES annotate_participant (meeting_id, member_id)",
    ),
]


class Migration(migrations.Migration):
    dependencies = [("annotate", "0008_meetings")]

    operations = [
        migrations.RunSQL(
            f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY {key} DEFERRABLE INITIALLY DEFERRED",
            f"ALTER TABLE {table} DROP CONSTRAINT {name}",
        )
        for table, name, key in KEYS
    ]
