"""Foreign keys of two columns: answers, comments and repeats belong to an issue, and a volunteer, of their round."""

from django.db import migrations

ISSUE = "(round_id, issue_id) REFERENCES annotate_roundissue (round_id, issue_id)"
VOLUNTEER = "(round_id, volunteer_id) REFERENCES annotate_roundvolunteer (round_id, member_id)"
KEYS = [
    ("annotate_answer", "answer_is_on_an_issue_of_its_round", ISSUE),
    ("annotate_comment", "comment_is_on_an_issue_of_its_round", ISSUE),
    ("annotate_repeat", "repeat_is_of_an_issue_of_its_round", ISSUE),
    ("annotate_repeat", "repeat_is_by_a_volunteer_of_its_round", VOLUNTEER),
]


class Migration(migrations.Migration):
    dependencies = [("annotate", "0004_rounds_of_four_kinds")]

    operations = [
        migrations.RunSQL(
            f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY {key} DEFERRABLE INITIALLY DEFERRED",
            f"ALTER TABLE {table} DROP CONSTRAINT {name}",
        )
        for table, name, key in KEYS
    ]
