"""All tables of this room."""

import core.clock
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from core.sql.tables import CreateTables


class Migration(migrations.Migration):

    initial = True

    # A database that has run all of these goes on as it is (docs/decisions/0042).
    replaces = [
        ('core', '0002_language'),
    ]

    dependencies = [
        ('accounts', '__first__'),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='HandledForm',
                fields=[
                    ('key', models.UUIDField(primary_key=True, serialize=False)),
                    ('handled_at', models.DateTimeField(db_index=True, default=core.clock.now, editable=False)),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            migrations.CreateModel(
                name='Job',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(help_text='Name under which a function is registered in core.jobs', max_length=64)),
                    ('arguments', models.JSONField(default=dict)),
                    ('state', models.CharField(choices=[('queued', 'queued'), ('running', 'running'), ('done', 'done'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='queued', max_length=16)),
                    ('created_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('started_at', models.DateTimeField(null=True)),
                    ('heartbeat_at', models.DateTimeField(null=True)),
                    ('finished_at', models.DateTimeField(null=True)),
                    ('cancel_requested_at', models.DateTimeField(null=True)),
                    ('attempt', models.PositiveSmallIntegerField(default=0)),
                    ('content_hash', models.CharField(blank=True, help_text='SHA-256 of the input, where there is one', max_length=64)),
                    ('done', models.PositiveBigIntegerField(default=0)),
                    ('total', models.PositiveBigIntegerField(null=True)),
                    ('step', models.CharField(blank=True, help_text='What it is doing, for people', max_length=200)),
                    ('result', models.JSONField(default=dict)),
                    ('error', models.TextField(blank=True)),
                    ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='jobs', to=settings.AUTH_USER_MODEL)),
                    ('language', models.CharField(db_default='en', default='en', help_text='In which it tells its steps and errors', max_length=12)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('finished_at', None)), fields=['state', 'heartbeat_at'], name='job_unfinished')],
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('finished_at', None), ('state__in', ['queued', 'running'])), models.Q(('finished_at__isnull', False), ('state__in', ['done', 'failed', 'cancelled'])), _connector='OR'), name='job_finishes_with_a_final_state')],
                },
            ),
        ]),
    ]
