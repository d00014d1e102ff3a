"""All tables of this room; 0001_initial.sql holds what Django cannot say about them."""

import core.clock
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.functions.text
import ingest.models.searching
from django.conf import settings
from django.db import migrations, models

from core.sql.beside import SqlBeside
from core.sql.tables import CreateTables


class Migration(migrations.Migration):

    initial = True

    # A database that has run all of these goes on as it is (docs/decisions/0042).
    replaces = [
        ('ingest', '0002_harvests_and_keyword_lists'),
        ('ingest', '0003_similar_reports'),
        ('ingest', '0004_walks_selections_and_fates'),
        ('ingest', '0005_headings_of_templates'),
        ('ingest', '0006_keywords_become_lists'),
        ('ingest', '0007_keywords_are_in_lists'),
        ('ingest', '0008_harvests_have_a_room'),
        ('ingest', '0009_words_of_texts'),
        ('ingest', '0010_words_of_stored_texts'),
    ]

    dependencies = [
        ('accounts', '__first__'),
        ('core', '0001_initial'),
        ('studies', '0001_initial'),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='Import',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('issues', 'issues'), ('published', 'published study'), ('harvest', 'harvest')], max_length=16)),
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
                name='Repository',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('forge', models.CharField(help_text='github, gitee, gitlab, gitea or other', max_length=16)),
                    ('host', models.CharField(max_length=253)),
                    ('path', models.CharField(help_text='As on the forge, such as vllm-project/vllm', max_length=300)),
                    ('folder', models.CharField(help_text='Of the published layout; renamed repositories may share one', max_length=120)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='repositories', to='studies.study')),
                    ('headings', models.JSONField(db_default=[], default=list, help_text='Headings of its issue templates: keywords in them do not count')),
                    ('headings_from', models.PositiveIntegerField(db_default=0, default=0, help_text='From how many texts the headings were learnt')),
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
                    ('current', models.ForeignKey(help_text='The text shown; empty while only the address is known', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='ingest.snapshot')),
                    ('fate', models.CharField(blank=True, choices=[('transferred', 'moved to another repository'), ('gone', 'no longer on the forge')], db_default='', default='', max_length=16)),
                    ('moved_to', models.CharField(blank=True, db_default='', default='', max_length=500)),
                    ('resolved_at', models.DateTimeField(help_text='When its forge was asked what it is', null=True)),
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
                name='KeywordList',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=120)),
                    ('created_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('retired_at', models.DateTimeField(help_text='When it was put aside; its versions stay', null=True)),
                    ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='keyword_lists', to='studies.study')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(models.F('study'), django.db.models.functions.text.Lower('name'), name='list_name_is_unique_in_a_study')],
                },
            ),
            migrations.CreateModel(
                name='KeywordListVersion',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('repositories', models.JSONField(default=list, help_text='host/path in lower case, such as github.com/pytorch/pytorch; empty for all')),
                    ('switches', models.JSONField(default=dict, help_text='How terms are matched: ingest.keywords.Switches')),
                    ('note', models.TextField(blank=True, help_text='What changed, and why')),
                    ('stored_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('searched_to', models.BigIntegerField(db_default=0, default=0, help_text='Id of the last snapshot that its finds are complete up to')),
                    ('keyword_list', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='ingest.keywordlist')),
                    ('stored_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('keyword_list', 'number'), name='list_version_has_its_number')],
                },
            ),
            migrations.CreateModel(
                name='KeywordTerm',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField(help_text='In the list, from 1')),
                    ('text', models.CharField(max_length=100)),
                    ('kind', models.CharField(choices=[('word', 'word'), ('model', 'name of a model'), ('module', 'name of a module')], default='word', max_length=8)),
                    ('is_case_sensitive', models.BooleanField(default=False)),
                    ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='terms', to='ingest.keywordlistversion')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('version', 'position'), name='term_has_its_place'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_term_has_letters')],
                },
            ),
            migrations.CreateModel(
                name='TermFind',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('title', models.PositiveIntegerField()),
                    ('prose', models.PositiveIntegerField()),
                    ('code', models.PositiveIntegerField()),
                    ('masked', models.PositiveIntegerField()),
                    ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ingest.snapshot')),
                    ('term', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='finds', to='ingest.keywordterm')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('term', 'snapshot'), name='term_is_found_once_in_a_text'), models.CheckConstraint(condition=models.Q(('title__gt', 0), ('prose__gt', 0), ('code__gt', 0), ('masked__gt', 0), _connector='OR'), name='a_find_is_somewhere')],
                },
            ),
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
        ]),
        SqlBeside(__file__),
    ]
