"""The words of the texts that were there before. In steps of their own, so that nothing waits for it and it can be repeated."""

from django.db import migrations, transaction
from django.db.models import Exists, OuterRef

from ingest.actions.searching import TEXTS_A_STEP, keep_words


def keep_words_of_stored_texts(apps, schema_editor):
    snapshots = apps.get_model('ingest', 'Snapshot').objects
    searched = apps.get_model('ingest', 'SearchedText').objects.filter(snapshot=OuterRef('pk'))
    last = 0
    while True:
        with transaction.atomic():
            waiting = snapshots.filter(~Exists(searched), pk__gt=last).order_by('pk')
            texts = list(waiting.values_list('pk', 'title', 'body', 'comments')[:TEXTS_A_STEP])
            keep_words(texts)
        if not texts:
            break
        last = texts[-1][0]


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('ingest', '0009_words_of_texts'),
    ]

    operations = [migrations.RunPython(keep_words_of_stored_texts, migrations.RunPython.noop)]
