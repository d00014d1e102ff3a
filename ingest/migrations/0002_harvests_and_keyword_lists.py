"""Harvests with the pages of their journal, tokens of forges, and keyword lists in versions."""

import core.clock
import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ingest', '0001_initial'),
        ('studies', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='import',
            name='kind',
            field=models.CharField(choices=[('issues', 'issues'), ('published', 'published study'), ('harvest', 'harvest')], max_length=16),
        ),
        migrations.CreateModel(
            name='Harvest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('opened_from', models.DateTimeField(null=True)),
                ('opened_before', models.DateTimeField(null=True)),
                ('zone', models.CharField(default='UTC', max_length=64)),
                ('with_pull_requests', models.BooleanField(default=False)),
                ('with_comments', models.BooleanField(default=True)),
                ('resume_at', models.DateTimeField(help_text='When a harvest that waits for a forge goes on', null=True)),
                ('refreshes', models.ForeignKey(null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='refreshed_by', to='ingest.harvest')),
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='harvest', to='ingest.import')),
            ],
        ),
        migrations.CreateModel(
            name='HarvestedRepository',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('forge', models.CharField(help_text='github or gitee', max_length=16)),
                ('host', models.CharField(max_length=253)),
                ('path', models.CharField(help_text='As asked for', max_length=300)),
                ('base_url', models.CharField(help_text="Of the forge's REST interface", max_length=300)),
                ('moved_to', models.CharField(blank=True, help_text='The path to which the forge led on', max_length=300)),
                ('phase', models.CharField(choices=[('counting', 'asking for its size'), ('listing', 'listing issues'), ('pulls', 'listing pull requests'), ('closing', 'looking for late changes'), ('comments', 'fetching comments'), ('late_comments', 'looking for late comments'), ('checking', "comparing with the forge's count"), ('again', 'listing again what was missed'), ('done', 'fetched')], default='counting', max_length=16)),
                ('next_url', models.TextField(blank=True)),
                ('since', models.DateTimeField(help_text='A refresh asks for changes from this moment on', null=True)),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('expected', models.JSONField(help_text="The forge's counts before the walk: {issues, pull_requests}", null=True)),
                ('counted', models.JSONField(help_text="The forge's counts after the walk", null=True)),
                ('outcome', models.CharField(blank=True, choices=[('complete', 'complete'), ('differs', 'another number than the forge says'), ('unchecked', 'the forge did not say its number'), ('gone', 'not on the forge')], max_length=16)),
                ('trouble', models.TextField(blank=True, help_text='Why the walk stands still or ended early, for people')),
                ('harvest', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='repositories', to='ingest.harvest')),
                ('origin', models.ForeignKey(null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='+', to='ingest.harvestedrepository')),
            ],
            options={
                'verbose_name_plural': 'harvested repositories',
            },
        ),
        migrations.CreateModel(
            name='HarvestPage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField(help_text='In the walk over its repository, from 1')),
                ('phase', models.CharField(choices=[('counting', 'asking for its size'), ('listing', 'listing issues'), ('pulls', 'listing pull requests'), ('closing', 'looking for late changes'), ('comments', 'fetching comments'), ('late_comments', 'looking for late comments'), ('checking', "comparing with the forge's count"), ('again', 'listing again what was missed'), ('done', 'fetched')], max_length=16)),
                ('url', models.TextField()),
                ('next_url', models.TextField(blank=True)),
                ('status', models.PositiveSmallIntegerField()),
                ('etag', models.CharField(blank=True, max_length=200)),
                ('sha256', models.CharField(blank=True, help_text="Of the answer's body", max_length=64)),
                ('records', models.PositiveIntegerField(default=0)),
                ('fetched_at', models.DateTimeField(default=core.clock.now, editable=False)),
                ('repository', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pages', to='ingest.harvestedrepository')),
            ],
        ),
        migrations.CreateModel(
            name='HarvestedIssue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.CharField(max_length=40)),
                ('record', models.TextField(blank=True, help_text='JSON; empty if it is outside the window')),
                ('is_pull_request', models.BooleanField()),
                ('opened_at', models.DateTimeField()),
                ('changed_at', models.DateTimeField()),
                ('outcome', models.CharField(blank=True, choices=[('outside', 'opened outside the window'), ('pull_request', 'pull request, left out'), ('vanished', 'no longer on the forge'), ('unmatched', 'no keyword'), ('path_only', 'keywords only in addresses, paths or names'), ('kept', 'kept')], max_length=16)),
                ('kept_by_hand', models.BooleanField(default=False, help_text='Kept by a lead, although no list found it')),
                ('issue', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='ingest.issue')),
                ('repository', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='listed', to='ingest.harvestedrepository')),
                ('page', models.ForeignKey(on_delete=django.db.models.deletion.RESTRICT, related_name='+', to='ingest.harvestpage')),
            ],
        ),
        migrations.CreateModel(
            name='HarvestedComment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('forge_id', models.CharField(max_length=40)),
                ('number', models.CharField(help_text='Of its issue', max_length=40)),
                ('record', models.TextField(help_text='JSON')),
                ('opened_at', models.DateTimeField()),
                ('changed_at', models.DateTimeField()),
                ('repository', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='ingest.harvestedrepository')),
                ('page', models.ForeignKey(on_delete=django.db.models.deletion.RESTRICT, related_name='+', to='ingest.harvestpage')),
            ],
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
        ),
        migrations.AddField(
            model_name='harvest',
            name='lists',
            field=models.ManyToManyField(help_text='Select among the fetched issues; without any, all are kept', related_name='+', to='ingest.keywordlist'),
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
        ),
        migrations.CreateModel(
            name='Selection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('counts', models.JSONField(default=dict)),
                ('terms', models.JSONField(default=list)),
                ('chosen_at', models.DateTimeField(default=core.clock.now, editable=False)),
                ('chosen_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('harvest', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='selections', to='ingest.harvest')),
                ('lists', models.ManyToManyField(related_name='+', to='ingest.keywordlistversion')),
            ],
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
        ),
        migrations.CreateModel(
            name='ForgeToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('host', models.CharField(max_length=253)),
                ('sealed', models.BinaryField()),
                ('name', models.CharField(blank=True, help_text='What a person calls it', max_length=60)),
                ('given_at', models.DateTimeField(default=core.clock.now, editable=False)),
                ('refused_at', models.DateTimeField(help_text='When its forge last refused it', null=True)),
                ('given_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='forge_tokens', to='studies.study')),
            ],
            options={
                'indexes': [models.Index(fields=['study', 'host'], name='tokens_of_a_host')],
            },
        ),
        migrations.AddConstraint(
            model_name='harvestedrepository',
            constraint=models.UniqueConstraint(models.F('harvest'), models.F('host'), django.db.models.functions.text.Lower('path'), name='repository_is_harvested_once_a_run'),
        ),
        migrations.AddConstraint(
            model_name='harvestedrepository',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', False), ('phase', 'done'), models.Q(('outcome', ''), _negated=True)), models.Q(models.Q(('phase', 'done'), _negated=True), ('finished_at', None)), _connector='OR'), name='a_walk_ends_with_an_outcome'),
        ),
        migrations.AddConstraint(
            model_name='harvestpage',
            constraint=models.UniqueConstraint(fields=('repository', 'position'), name='a_page_has_its_place_in_a_walk'),
        ),
        migrations.AddIndex(
            model_name='harvestedissue',
            index=models.Index(fields=['repository', 'outcome'], name='harvested_issues_by_outcome'),
        ),
        migrations.AddConstraint(
            model_name='harvestedissue',
            constraint=models.UniqueConstraint(fields=('repository', 'number'), name='issue_is_listed_once'),
        ),
        migrations.AddIndex(
            model_name='harvestedcomment',
            index=models.Index(fields=['repository', 'number', 'opened_at'], name='comments_of_an_issue'),
        ),
        migrations.AddConstraint(
            model_name='harvestedcomment',
            constraint=models.UniqueConstraint(fields=('repository', 'forge_id'), name='comment_is_listed_once'),
        ),
        migrations.AddConstraint(
            model_name='keywordlist',
            constraint=models.UniqueConstraint(models.F('study'), django.db.models.functions.text.Lower('name'), name='list_name_is_unique_in_a_study'),
        ),
        migrations.AddConstraint(
            model_name='harvest',
            constraint=models.CheckConstraint(condition=models.Q(('opened_from', None), ('opened_before', None), ('opened_before__gt', models.F('opened_from')), _connector='OR'), name='a_window_ends_after_it_begins'),
        ),
        migrations.AddConstraint(
            model_name='keywordlistversion',
            constraint=models.UniqueConstraint(fields=('keyword_list', 'number'), name='list_version_has_its_number'),
        ),
        migrations.AddConstraint(
            model_name='keywordterm',
            constraint=models.UniqueConstraint(fields=('version', 'position'), name='term_has_its_place'),
        ),
        migrations.AddConstraint(
            model_name='keywordterm',
            constraint=models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_term_has_letters'),
        ),
        migrations.AddConstraint(
            model_name='termfind',
            constraint=models.UniqueConstraint(fields=('term', 'snapshot'), name='term_is_found_once_in_a_text'),
        ),
        migrations.AddConstraint(
            model_name='termfind',
            constraint=models.CheckConstraint(condition=models.Q(('title__gt', 0), ('prose__gt', 0), ('code__gt', 0), ('masked__gt', 0), _connector='OR'), name='a_find_is_somewhere'),
        ),
    ]
