"""Pairs of similar reports, the texts that were compared, and what leads say of pairs."""

import core.clock
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ingest', '0002_harvests_and_keyword_lists'),
        ('studies', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='SimilaritySearch',
            fields=[
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='similarity_search', serialize=False, to='studies.study')),
                ('run', models.PositiveIntegerField(default=1, help_text='Number of the latest run')),
                ('version', models.PositiveSmallIntegerField(help_text='ingest.similarity.VERSION of what is stored')),
                ('finished_at', models.DateTimeField(help_text='When a run last came to its end', null=True)),
            ],
            options={
                'verbose_name_plural': 'similarity searches',
            },
        ),
        migrations.CreateModel(
            name='ComparedText',
            fields=[
                ('issue', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='compared', serialize=False, to='ingest.issue')),
                ('digest', models.BinaryField(max_length=16)),
                ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ingest.snapshot')),
            ],
        ),
        migrations.CreateModel(
            name='SimilarMark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('duplicate', 'duplicate'), ('related', 'related'), ('distinct', 'not similar')], max_length=16)),
                ('note', models.TextField(blank=True)),
                ('marked_at', models.DateTimeField(default=core.clock.now, editable=False)),
                ('ended_at', models.DateTimeField(help_text='When it was taken back, or another took its place', null=True)),
                ('ended_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('first', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ingest.issue')),
                ('marked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('second', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ingest.issue')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='similar_marks', to='studies.study')),
            ],
            options={
                'indexes': [models.Index(fields=['first', 'second'], name='similar_marks_of_a_pair')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('first', 'second'), name='one_mark_stands_on_a_pair'), models.CheckConstraint(condition=models.Q(('first__lt', models.F('second'))), name='the_earlier_issue_is_marked_first')],
            },
        ),
        migrations.CreateModel(
            name='SimilarPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('likeness', models.FloatField()),
                ('is_across', models.BooleanField(help_text='Are the issues of two repositories?')),
                ('first', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ingest.issue')),
                ('second', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ingest.issue')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='similar_pairs', to='studies.study')),
            ],
            options={
                'indexes': [models.Index(fields=['study', 'likeness'], name='similar_pairs_by_likeness')],
                'constraints': [models.UniqueConstraint(fields=('first', 'second'), name='similar_pair_is_kept_once'), models.CheckConstraint(condition=models.Q(('first__lt', models.F('second'))), name='the_earlier_issue_is_first'), models.CheckConstraint(condition=models.Q(('likeness__gt', 0), ('likeness__lte', 1)), name='a_likeness_is_at_most_1')],
            },
        ),
    ]
