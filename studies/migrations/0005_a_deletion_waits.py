"""The day of a deletion is 29 days away at least when it is written: the door of the history opens on that day."""

from django.db import migrations

from core.sql.beside import SqlBeside


class Migration(migrations.Migration):

    dependencies = [('studies', '0004_history_of_a_study_is_removed_by_a_function')]

    operations = [SqlBeside(__file__)]
