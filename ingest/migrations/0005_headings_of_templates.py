"""Headings of issue templates, which a repository keeps for the search of its keyword lists."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ingest', '0004_walks_selections_and_fates'),
    ]

    operations = [
        migrations.AddField(
            model_name='repository',
            name='headings',
            field=models.JSONField(db_default=[], default=list, help_text='Headings of its issue templates: keywords in them do not count'),
        ),
        migrations.AddField(
            model_name='repository',
            name='headings_from',
            field=models.PositiveIntegerField(db_default=0, default=0, help_text='From how many texts the headings were learnt'),
        ),
    ]
