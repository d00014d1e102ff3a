"""The words by which the full-text search finds texts. The table is empty at first, so its index is made at once."""

import django.contrib.postgres.indexes
import django.db.models.deletion
import ingest.models.searching
from django.db import migrations, models

from core.sql.beside import SqlBeside


class Migration(migrations.Migration):

    dependencies = [
        ('ingest', '0008_harvests_have_a_room'),
    ]

    operations = [
        migrations.CreateModel(
            name='SearchedText',
            fields=[
                ('snapshot', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='ingest.snapshot')),
                ('words', ingest.models.searching.TsVector(help_text='ingest.searching.lexemes of its title, body and comments')),
            ],
            options={
                'indexes': [django.contrib.postgres.indexes.GinIndex(fields=['words'], name='texts_by_their_words')],
            },
        ),
        SqlBeside(__file__),
    ]
