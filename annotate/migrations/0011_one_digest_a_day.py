from datetime import date

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0010_note_disagreements")]

    operations = [
        # No digest was sent before this.
        migrations.AddField(
            "digest", "day", models.DateField(default=date(2026, 1, 1)), preserve_default=False
        ),
        migrations.AddConstraint(
            "digest",
            models.UniqueConstraint(fields=["member", "day"], name="a_member_has_one_digest_a_day"),
        ),
    ]
