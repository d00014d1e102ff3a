"""Foreign keys of more than one column: what a slot and a label say must belong together."""

from django.db import migrations

KEYS = [
    # table, name, columns, referenced table, referenced columns
    ("annotate_assignment", "slot_is_of_an_issue_of_its_round", "round_id, issue_id", "annotate_roundissue", "round_id, issue_id"),
    ("annotate_assignment", "slot_is_held_by_a_volunteer_of_its_round", "round_id, volunteer_id", "annotate_roundvolunteer", "round_id, member_id"),
    ("annotate_label", "label_fills_the_slot_of_its_author", "assignment_id, round_id, issue_id, volunteer_id", "annotate_assignment", "id, round_id, issue_id, volunteer_id"),
    ("annotate_label", "label_is_of_an_issue_of_its_round", "round_id, issue_id", "annotate_roundissue", "round_id, issue_id"),
    ("annotate_label", "label_is_by_a_volunteer_of_its_round", "round_id, volunteer_id", "annotate_roundvolunteer", "round_id, member_id"),
    ("annotate_decision", "decision_is_on_an_issue_of_its_round", "round_id, issue_id", "annotate_roundissue", "round_id, issue_id"),
]


class Migration(migrations.Migration):
    dependencies = [("annotate", "0001_initial")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE annotate_assignment ADD CONSTRAINT slot_can_be_referred_to"
            " UNIQUE (id, round_id, issue_id, volunteer_id)",
            "ALTER TABLE annotate_assignment DROP CONSTRAINT slot_can_be_referred_to",
        ),
        *[
            migrations.RunSQL(
                f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY ({columns}) REFERENCES {other} ({keys})",
                f"ALTER TABLE {table} DROP CONSTRAINT {name}",
            )
            for table, name, columns, other, keys in KEYS
        ],
    ]
