"""A proposed name can count as another one that means the same category."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("taxonomy", "0002_motions_name_what_they_change")]

    operations = [
        migrations.AddField(
            model_name="proposal",
            name="joined_as",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Another proposed name that this one was joined with, and counts as; empty: its own",
                max_length=200,
            ),
        ),
    ]
