"""Keywords stand in lists since 0006: their own tables go, with the finds that the lists replace."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('ingest', '0006_keywords_become_lists'),
    ]

    operations = [
        migrations.DeleteModel(name='KeywordFind'),
        migrations.DeleteModel(name='Keyword'),
    ]
