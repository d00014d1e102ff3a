"""The door through which the audit and the history of a study go that is due for deletion."""

from django.db import migrations

from core.sql.beside import SqlBeside


class Migration(migrations.Migration):

    dependencies = [
        ('studies', '0003_studies_are_archived_and_deleted'),
        ('rounds', '__first__'),
        ('pghistory', '__first__'),
    ]

    operations = [SqlBeside(__file__)]
