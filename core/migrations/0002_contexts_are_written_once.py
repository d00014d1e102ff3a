"""The context of a change (who, at which address) is written once: its table is append-only."""

from django.db import migrations

from core.sql.beside import SqlBeside


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0001_initial'),
        ('pghistory', '0007_auto_20250421_0444'),
    ]

    operations = [SqlBeside(__file__)]
