"""A closed meeting names the version of the taxonomy that its minutes are written in."""

import django.db.models.deletion
from django.db import migrations, models

# Of meetings that are closed, the newest version that was published by then, up to that of the round.
_FILL = """
    UPDATE consensus_meeting m SET version_id = (
        SELECT v.id FROM rounds_round r
        JOIN taxonomy_version now ON now.id = r.version_id
        JOIN taxonomy_version v ON v.taxonomy_id = now.taxonomy_id
        WHERE r.id = m.round_id
          AND (v.id = now.id OR v.id < now.id AND v.published_at <= m.closed_at)
        ORDER BY v.published_at <= m.closed_at DESC, v.id DESC LIMIT 1
    )
    WHERE m.closed_at IS NOT NULL AND m.version_id IS NULL;
    SET CONSTRAINTS ALL IMMEDIATE;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("consensus", "0001_initial"),
        ("taxonomy", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="meeting",
            name="version",
            field=models.ForeignKey(
                db_index=False,
                help_text="That the round used when the meeting closed",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="taxonomy.version",
            ),
        ),
        migrations.RunSQL(_FILL, migrations.RunSQL.noop),
    ]
