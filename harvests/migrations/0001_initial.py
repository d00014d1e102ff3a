"""All tables of this room."""

import core.clock
import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

from core.sql.tables import CreateTables


class Migration(migrations.Migration):

    initial = True

    # A database that has run all of these goes on as it is (docs/decisions/0042).
    replaces = [
        ('harvests', '0002_quiet_forges_and_former_choices'),
    ]

    dependencies = [
        ('accounts', '__first__'),
        ('ingest', '0001_initial'),
        ('studies', '0001_initial'),
    ]

    operations = [
        CreateTables([
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
                    ('refreshes', models.ForeignKey(null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='refreshed_by', to='harvests.harvest')),
                    ('run', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='harvest', to='ingest.import')),
                    ('budget', models.PositiveIntegerField(help_text='Seconds that one run may take, then it pauses', null=True)),
                    ('lists', models.ManyToManyField(help_text='Select among the fetched issues; without any, all are kept', related_name='+', to='ingest.keywordlist')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('opened_from', None), ('opened_before', None), ('opened_before__gt', models.F('opened_from')), _connector='OR'), name='a_window_ends_after_it_begins')],
                },
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
                    ('phase', models.CharField(choices=[('counting', 'asking for its size'), ('listing', 'listing issues'), ('pulls', 'listing pull requests'), ('closing', 'looking for late changes'), ('comments', 'fetching comments'), ('late_comments', 'looking for late comments'), ('late_pulls', 'looking for late changes of pull requests'), ('missed_comments', 'fetching comments that were missed'), ('checking', "comparing with the forge's count"), ('gaps', 'asking for numbers that are missing'), ('again', 'listing again what was missed'), ('done', 'fetched')], default='counting', max_length=16)),
                    ('next_url', models.TextField(blank=True)),
                    ('since', models.DateTimeField(help_text='A refresh asks for changes from this moment on', null=True)),
                    ('started_at', models.DateTimeField(null=True)),
                    ('finished_at', models.DateTimeField(null=True)),
                    ('expected', models.JSONField(help_text="The forge's counts before the walk: {issues, pull_requests}", null=True)),
                    ('counted', models.JSONField(help_text="The forge's counts after the walk", null=True)),
                    ('outcome', models.CharField(blank=True, choices=[('complete', 'complete'), ('differs', 'another number than the forge says'), ('unchecked', 'the forge did not say its number'), ('gone', 'not on the forge')], max_length=16)),
                    ('trouble', models.TextField(blank=True, help_text='Why the walk stands still or ended early, for people')),
                    ('harvest', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='repositories', to='harvests.harvest')),
                    ('origin', models.ForeignKey(null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='+', to='harvests.harvestedrepository')),
                    ('missing_url', models.TextField(blank=True, db_default='', default='', help_text='The page that could not be had; the walk goes on at it')),
                    ('requests', models.PositiveIntegerField(db_default=0, default=0, help_text='Sent to its forge for this walk, each try counted')),
                    ('waited', models.FloatField(db_default=0.0, default=0.0, help_text='Seconds without a request: limits, faults, the pace')),
                ],
                options={
                    'verbose_name_plural': 'harvested repositories',
                    'constraints': [models.UniqueConstraint(models.F('harvest'), models.F('host'), django.db.models.functions.text.Lower('path'), name='repository_is_harvested_once_a_run'), models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', False), ('phase', 'done'), models.Q(('outcome', ''), _negated=True)), models.Q(models.Q(('phase', 'done'), _negated=True), ('finished_at', None)), _connector='OR'), name='a_walk_ends_with_an_outcome')],
                },
            ),
            migrations.CreateModel(
                name='HarvestPage',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField(help_text='In the walk over its repository, from 1')),
                    ('phase', models.CharField(choices=[('counting', 'asking for its size'), ('listing', 'listing issues'), ('pulls', 'listing pull requests'), ('closing', 'looking for late changes'), ('comments', 'fetching comments'), ('late_comments', 'looking for late comments'), ('late_pulls', 'looking for late changes of pull requests'), ('missed_comments', 'fetching comments that were missed'), ('checking', "comparing with the forge's count"), ('gaps', 'asking for numbers that are missing'), ('again', 'listing again what was missed'), ('done', 'fetched')], max_length=16)),
                    ('url', models.TextField()),
                    ('next_url', models.TextField(blank=True)),
                    ('status', models.PositiveSmallIntegerField()),
                    ('etag', models.CharField(blank=True, max_length=200)),
                    ('sha256', models.CharField(blank=True, help_text="Of the answer's body", max_length=64)),
                    ('records', models.PositiveIntegerField(default=0)),
                    ('fetched_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('repository', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pages', to='harvests.harvestedrepository')),
                    ('total', models.PositiveIntegerField(help_text='Of the whole list, if its forge says it', null=True)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('repository', 'position'), name='a_page_has_its_place_in_a_walk')],
                },
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
                    ('outcome', models.CharField(blank=True, choices=[('outside', 'opened outside the window'), ('pull_request', 'pull request, left out'), ('vanished', 'no longer on the forge'), ('unmatched', 'no keyword'), ('path_only', 'keywords only in addresses, paths or names'), ('refused', 'cannot be stored'), ('kept', 'kept')], max_length=16)),
                    ('kept_by_hand', models.BooleanField(default=False, help_text='Kept by a lead, although no list found it')),
                    ('issue', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='ingest.issue')),
                    ('repository', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='listed', to='harvests.harvestedrepository')),
                    ('page', models.ForeignKey(on_delete=django.db.models.deletion.RESTRICT, related_name='+', to='harvests.harvestpage')),
                    ('comment_count', models.PositiveIntegerField(help_text='As its forge says', null=True)),
                    ('forge_id', models.CharField(blank=True, db_default='', default='', help_text="The forge's own id, if it said it", max_length=40)),
                    ('is_matched', models.BooleanField(db_default=False, default=False, help_text='The latest selection chose it')),
                    ('vanished_at', models.DateTimeField(help_text='When its forge had it no longer', null=True)),
                    ('was_matched', models.BooleanField(db_default=False, default=False, help_text='The selection before the latest one chose it')),
                ],
                options={
                    'indexes': [models.Index(fields=['repository', 'outcome'], name='harvested_issues_by_outcome'), models.Index(fields=['repository', 'forge_id'], name='harvested_issues_by_forge_id')],
                    'constraints': [models.UniqueConstraint(fields=('repository', 'number'), name='issue_is_listed_once')],
                },
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
                    ('repository', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='harvests.harvestedrepository')),
                    ('page', models.ForeignKey(on_delete=django.db.models.deletion.RESTRICT, related_name='+', to='harvests.harvestpage')),
                ],
                options={
                    'indexes': [models.Index(fields=['repository', 'number', 'opened_at'], name='comments_of_an_issue')],
                    'constraints': [models.UniqueConstraint(fields=('repository', 'forge_id'), name='comment_is_listed_once')],
                },
            ),
            migrations.CreateModel(
                name='Selection',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('counts', models.JSONField(default=dict)),
                    ('terms', models.JSONField(default=list)),
                    ('chosen_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('chosen_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('harvest', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='selections', to='harvests.harvest')),
                    ('finished_at', models.DateTimeField(null=True)),
                    ('searched_to', models.BigIntegerField(db_default=0, default=0, help_text='Id of the last fetched issue that was looked at')),
                    ('lists', models.ManyToManyField(related_name='+', to='ingest.keywordlistversion')),
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
            migrations.CreateModel(
                name='QuietForge',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('base_url', models.CharField(help_text="Of the forge's REST interface", max_length=300)),
                    ('until', models.DateTimeField()),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='studies.study')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'base_url'), name='a_forge_is_quiet_once_for_a_study')],
                },
            ),
        ]),
    ]
