"""Harvests are models of the room `harvests` from here on; their tables have got its name."""

from django.db import migrations

MODELS = ("HarvestedComment", "HarvestedIssue", "HarvestPage", "HarvestedRepository", "Selection", "Harvest", "ForgeToken")


class Migration(migrations.Migration):

    dependencies = [
        ('ingest', '0007_keywords_are_in_lists'),
        ('harvests', '0001_initial'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.DeleteModel(model) for model in MODELS],
        ),
    ]
