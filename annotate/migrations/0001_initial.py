"""All tables of this room; 0001_initial.sql holds what Django cannot say about them."""

import core.clock
import django.db.models.deletion
from django.db import migrations, models

from core.sql.beside import SqlBeside
from core.sql.tables import CreateTables


class Migration(migrations.Migration):

    initial = True

    # A database that has run all of these goes on as it is (docs/decisions/0042).
    replaces = [
        ('annotate', '0002_rounds_leave_issues_out'),
    ]

    dependencies = [
        ('ingest', '0001_initial'),
        ('rounds', '0001_initial'),
        ('studies', '0001_initial'),
        ('taxonomy', '0001_initial'),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='Sample',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=120)),
                    ('seed', models.BigIntegerField()),
                    ('plan', models.JSONField()),
                    ('created_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='samples', to='studies.study')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'name'), name='sample_name_is_unique_in_a_study')],
                },
            ),
            migrations.CreateModel(
                name='Skip',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('reason', models.CharField(max_length=500)),
                    ('skipped_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('issue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ingest.issue')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='skips', to='rounds.round')),
                    ('volunteer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='skips', to='studies.membership')),
                ],
                options={
                    'indexes': [models.Index(fields=['round', 'volunteer', 'issue'], name='own_skips')],
                },
            ),
            migrations.CreateModel(
                name='Draft',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('summary', models.CharField(blank=True, max_length=500)),
                    ('unsure', models.BooleanField(default=False)),
                    ('proposed_name', models.CharField(blank=True, db_default='', default='', max_length=200)),
                    ('proposed_reason', models.CharField(blank=True, db_default='', default='', max_length=1000)),
                    ('revision', models.PositiveIntegerField(default=1, help_text='Raised by each save; a form knows which one it saw')),
                    ('saved_at', models.DateTimeField(default=core.clock.now)),
                    ('category', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('issue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ingest.issue')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='rounds.round')),
                    ('volunteer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='studies.membership')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('round', 'issue', 'volunteer'), name='one_draft_per_volunteer_and_issue')],
                },
            ),
            migrations.CreateModel(
                name='ModelLabel',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('summary', models.CharField(blank=True, max_length=500)),
                    ('submitted_at', models.DateTimeField()),
                    ('category', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('issue', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='model_labels', to='ingest.issue')),
                    ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='model_labels', to='studies.membership')),
                    ('round', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='model_labels', to='rounds.round')),
                    ('version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.version')),
                ],
                options={
                    'indexes': [models.Index(fields=['round', 'member', 'id'], name='labels_of_one_model')],
                    'constraints': [models.UniqueConstraint(fields=('round', 'issue', 'member'), include=('category',), name='one_label_per_model_and_issue')],
                },
            ),
            migrations.CreateModel(
                name='Repeat',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('due_at', models.DateTimeField()),
                    ('proposed_reason', models.CharField(blank=True, db_default='', default='', max_length=1000)),
                    ('summary', models.CharField(blank=True, max_length=500)),
                    ('unsure', models.BooleanField(default=False)),
                    ('submitted_at', models.DateTimeField(null=True)),
                    ('form_key', models.UUIDField(null=True)),
                    ('category', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('guideline', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.guideline')),
                    ('issue', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ingest.issue')),
                    ('nearest', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('proposal', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.proposal')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='repeats', to='rounds.round')),
                    ('snapshot', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ingest.snapshot')),
                    ('version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.version')),
                    ('volunteer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='repeats', to='studies.membership')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('submitted_at', None)), fields=['round', 'volunteer', 'due_at'], name='repeats_to_come')],
                    'constraints': [models.UniqueConstraint(fields=('round', 'issue', 'volunteer'), name='an_issue_comes_again_once'), models.CheckConstraint(condition=models.Q(models.Q(('category', None), ('proposal', None), ('submitted_at', None)), models.Q(('submitted_at__isnull', False), models.Q(('category__isnull', False), ('proposal__isnull', False), _connector='OR')), _connector='OR'), name='a_repeat_says_something_once_submitted')],
                },
            ),
            migrations.CreateModel(
                name='SampleIssue',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField()),
                    ('issue', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ingest.issue')),
                    ('sample', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='drawn', to='annotate.sample')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('sample', 'issue'), name='issue_is_once_in_a_sample'), models.UniqueConstraint(fields=('sample', 'position'), name='position_is_unique_in_a_sample')],
                },
            ),
            migrations.CreateModel(
                name='PlannedIssue',
                fields=[
                ],
                options={
                    'proxy': True,
                },
                bases=('rounds.roundissue',),
            ),
            migrations.CreateModel(
                name='LeftOut',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('issues', models.PositiveIntegerField()),
                    ('other', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='rounds.round')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='left_out', to='rounds.round')),
                    ('sample', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.sample')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('round', 'other'), name='a_round_is_left_out_once'), models.UniqueConstraint(fields=('round', 'sample'), name='a_sample_is_left_out_once'), models.CheckConstraint(condition=models.Q(models.Q(('other', None), ('sample__isnull', False)), models.Q(('other__isnull', False), ('sample', None)), _connector='OR'), name='left_out_is_a_round_or_a_sample'), models.CheckConstraint(condition=models.Q(('other', None), models.Q(('other', models.F('round')), _negated=True), _connector='OR'), name='a_round_does_not_leave_itself_out')],
                },
            ),
        ]),
        SqlBeside(__file__),
    ]
