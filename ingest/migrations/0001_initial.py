"""All tables of this room."""

import core.clock
import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('core', '0001_initial'),
        ('studies', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Import',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('issues', 'issues'), ('published', 'published study')], max_length=16)),
                ('name', models.CharField(help_text='File or folder as the user named it', max_length=255)),
                ('path', models.CharField(blank=True, help_text='Where the upload is kept, below the data folder', max_length=500)),
                ('size', models.PositiveBigIntegerField(default=0, help_text='Bytes')),
                ('sha256', models.CharField(blank=True, max_length=64)),
                ('mapping', models.JSONField(default=dict, help_text='Format, encoding and which key is read as which field')),
                ('created_at', models.DateTimeField(default=core.clock.now, editable=False)),
                ('counts', models.JSONField(default=dict, help_text='Rows by outcome, once it is done')),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('job', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='import_run', to='core.job')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='imports', to='studies.study')),
            ],
            options={
                'indexes': [models.Index(fields=['study', '-id'], name='imports_newest_first')],
            },
        ),
        migrations.CreateModel(
            name='Keyword',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('word', models.CharField(max_length=100)),
                ('searched_to', models.BigIntegerField(db_default=0, default=0, help_text='Id of the last snapshot that its finds are complete up to')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='keywords', to='studies.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(models.F('study'), django.db.models.functions.text.Lower('word'), name='keyword_is_unique_in_a_study'), models.CheckConstraint(condition=models.Q(('word', ''), _negated=True), name='a_keyword_has_letters')],
            },
        ),
        migrations.CreateModel(
            name='Repository',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('forge', models.CharField(help_text='github, gitee, gitlab, gitea or other', max_length=16)),
                ('host', models.CharField(max_length=253)),
                ('path', models.CharField(help_text='As on the forge, such as vllm-project/vllm', max_length=300)),
                ('folder', models.CharField(help_text='Of the published layout; renamed repositories may share one', max_length=120)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='repositories', to='studies.study')),
            ],
            options={
                'verbose_name_plural': 'repositories',
                'constraints': [models.UniqueConstraint(models.F('study'), models.F('host'), django.db.models.functions.text.Lower('path'), name='repository_is_unique_in_a_study')],
            },
        ),
        migrations.CreateModel(
            name='SavedFilter',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('page', models.CharField(db_default='issues', default='issues', max_length=40)),
                ('name', models.CharField(max_length=120)),
                ('query', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(default=core.clock.now, editable=False)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='saved_filters', to='studies.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(models.F('study'), models.F('page'), django.db.models.functions.text.Lower('name'), name='filter_name_is_unique_on_a_page')],
            },
        ),
        migrations.CreateModel(
            name='ImportRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('outcome', models.CharField(choices=[('refused', 'refused'), ('repeated', 'repeated'), ('repaired', 'repaired'), ('skipped', 'skipped')], max_length=16)),
                ('file', models.CharField(blank=True, max_length=300)),
                ('line', models.PositiveBigIntegerField(null=True)),
                ('code', models.CharField(help_text='Kind of the cause, for programs', max_length=64)),
                ('message', models.TextField(help_text='The cause, for people')),
                ('raw', models.TextField(blank=True, help_text='The line, shortened')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rows', to='ingest.import')),
            ],
            options={
                'indexes': [models.Index(fields=['run', 'id'], name='import_rows_in_order')],
            },
        ),
        migrations.CreateModel(
            name='Source',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=255)),
                ('year', models.PositiveSmallIntegerField(null=True)),
                ('repository', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='ingest.repository')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('repository', 'name'), name='source_name_is_unique')],
            },
        ),
        migrations.CreateModel(
            name='Issue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.CharField(help_text='As text: 129, I6UHT3', max_length=40)),
                ('url', models.CharField(help_text='As first given', max_length=500)),
                ('is_pull_request', models.BooleanField(help_text='Empty while unknown', null=True)),
                ('year', models.PositiveSmallIntegerField(help_text='Year of the report', null=True)),
                ('first_import', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='ingest.import')),
                ('repository', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='issues', to='ingest.repository')),
            ],
            options={
                'indexes': [models.Index(fields=['repository', 'year'], name='issues_by_year'), models.Index(fields=['id'], include=('repository', 'year'), name='repository_and_year_of_issues')],
                'constraints': [models.UniqueConstraint(fields=('repository', 'number'), name='issue_is_unique_in_its_repository')],
            },
        ),
        migrations.CreateModel(
            name='Snapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('content_hash', models.CharField(max_length=64)),
                ('taken_at', models.DateTimeField(default=core.clock.now, editable=False)),
                ('title', models.TextField(blank=True)),
                ('body', models.TextField(blank=True)),
                ('author', models.CharField(blank=True, max_length=200)),
                ('author_association', models.CharField(blank=True, max_length=32)),
                ('labels', models.JSONField(default=list, help_text="The forge's own labels: names")),
                ('state', models.CharField(blank=True, max_length=32)),
                ('state_reason', models.CharField(blank=True, max_length=64)),
                ('opened_at', models.DateTimeField(null=True)),
                ('closed_at', models.DateTimeField(null=True)),
                ('updated_at', models.DateTimeField(null=True)),
                ('comments', models.JSONField(default=list, help_text='[{author, association, at, body}], in order')),
                ('comment_count', models.PositiveIntegerField(default=0)),
                ('issue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='snapshots', to='ingest.issue')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('issue', 'content_hash'), name='snapshot_is_kept_once')],
            },
        ),
        migrations.CreateModel(
            name='SourceEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('url', models.CharField(help_text='As written in this list', max_length=500)),
                ('issue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='listed', to='ingest.issue')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='ingest.source')),
            ],
            options={
                'verbose_name_plural': 'source entries',
                'constraints': [models.UniqueConstraint(fields=('source', 'position'), name='source_position_is_unique')],
            },
        ),
        migrations.CreateModel(
            name='KeywordFind',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('keyword', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='finds', to='ingest.keyword')),
                ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ingest.snapshot')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('keyword', 'snapshot'), name='keyword_is_found_once_in_a_text')],
            },
        ),
        migrations.AddField(
            model_name='issue',
            name='current',
            field=models.ForeignKey(help_text='The text shown; empty while only the address is known', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='ingest.snapshot'),
        ),
    ]
