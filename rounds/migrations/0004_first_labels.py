"""When an issue was first revealed, if it was in a second look later; and the labels that were given before."""

from django.db import migrations, models

# For second looks that exist, the last label of the round itself is the nearest known moment. A second look
# that began with the last label, before anybody saw the labels, counts as begun after the reveal.
_FILL = """
    UPDATE rounds_roundissue c SET first_revealed_at = (
        SELECT max(greatest(l.submitted_at, l.changed_at)) FROM rounds_label l
        WHERE l.round_id = c.round_id AND l.issue_id = c.issue_id AND NOT l.surplus
    )
    WHERE c.was_completed_at IS NOT NULL;
"""

# One row per label that counts, of the issues that were in a second look after their reveal: `label_id` is the
# label that its author had given when the labels were revealed; `category_id` what it counts as in the version
# of the round. If its category was split or retired since, `gone_id` is the row of Gone.
_VIEW = """
    CREATE VIEW rounds_first AS
    SELECT l.id, l.round_id, l.issue_id, l.volunteer_id, l.assignment_id, f.id AS label_id,
           CASE WHEN g.id IS NULL THEN f.category_id ELSE g.became_id END AS category_id,
           CASE WHEN g.became_id IS NULL THEN g.id END AS gone_id
    FROM rounds_roundissue c
    JOIN rounds_round r ON r.id = c.round_id
    JOIN rounds_label l ON l.round_id = c.round_id AND l.issue_id = c.issue_id AND NOT l.surplus
    CROSS JOIN LATERAL (
        SELECT k.id, k.category_id, k.version_id
        FROM rounds_round looks
        -- + 0: found by round and issue, as in rounds_said.
        JOIN rounds_label k
          ON k.round_id = looks.id AND k.issue_id = l.issue_id AND k.volunteer_id + 0 = l.volunteer_id
        WHERE (looks.id = r.id OR looks.of_id = r.id AND k.submitted_at <= c.first_revealed_at)
          AND NOT k.surplus
        ORDER BY looks.id DESC LIMIT 1
    ) f
    LEFT JOIN taxonomy_gone g ON g.version_id = r.version_id AND g.category_id = f.category_id
      AND f.version_id < g.since_id AND f.version_id >= coalesce(g.after_id, 0)
    WHERE c.first_revealed_at IS NOT NULL
"""


class Migration(migrations.Migration):
    dependencies = [("rounds", "0003_forge_labels_can_be_hidden")]

    operations = [
        migrations.AddField(
            model_name="roundissue",
            name="first_revealed_at",
            field=models.DateTimeField(
                help_text="Of an issue that was in a second look later: when its first labels were revealed",
                null=True,
            ),
        ),
        migrations.RunSQL(_FILL, migrations.RunSQL.noop),
        migrations.RunSQL(_VIEW, "DROP VIEW rounds_first"),
    ]
