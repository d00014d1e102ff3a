"""The one door through which a line of the audit changes: the note of an invitation that was accepted."""

from django.db import migrations

from core.sql.beside import SqlBeside


class Migration(migrations.Migration):

    dependencies = [
        ('studies', '0001_initial'),
    ]

    operations = [SqlBeside(__file__)]
