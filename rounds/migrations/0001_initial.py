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
        ('rounds', '0002_versions_that_nobody_voted_on'),
        ('rounds', '0003_forge_labels_can_be_hidden'),
        ('rounds', '0004_first_labels'),
    ]

    dependencies = [
        ('ingest', '0001_initial'),
        ('pghistory', '0007_auto_20250421_0444'),
        ('studies', '0001_initial'),
        ('taxonomy', '0001_initial'),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='CurrentLabel',
                fields=[
                    ('id', models.BigIntegerField(primary_key=True, serialize=False)),
                ],
                options={
                    'verbose_name_plural': 'current labels',
                    'db_table': 'rounds_said',
                    'managed': False,
                },
            ),
            migrations.CreateModel(
                name='Round',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=120, verbose_name='name')),
                    ('kind', models.CharField(choices=[('screening', 'screening'), ('pilot', 'pilot'), ('training', 'training'), ('main', 'main'), ('look', 'second look')], default='main', max_length=16)),
                    ('depth', models.PositiveSmallIntegerField(choices=[(1, 'type'), (2, 'theme'), (3, 'sub-theme')], help_text='Level at which labels are compared')),
                    ('labels_per_issue', models.PositiveSmallIntegerField(help_text='k: slots of each issue')),
                    ('allocation', models.CharField(choices=[('crossed', 'everyone labels everything'), ('k_of_n', 'k volunteers per issue')], default='crossed', max_length=16)),
                    ('reveal', models.CharField(choices=[('issue_complete', 'when the issue is complete'), ('round_closed', 'when the round closes')], default='issue_complete', max_length=16)),
                    ('lease_minutes', models.PositiveIntegerField(default=60, help_text='How long a claimed slot is held without a sign of life')),
                    ('order', models.CharField(choices=[('shuffled', 'shuffled'), ('by_repository', 'by repository')], default='shuffled', max_length=16)),
                    ('rule', models.CharField(choices=[('unanimous', 'unanimous labels only; a lead settles the rest'), ('majority', 'a majority of the labels'), ('meeting', 'a meeting settles what is not unanimous')], default='unanimous', max_length=16)),
                    ('majority', models.PositiveSmallIntegerField(help_text='At least so many equal labels decide an issue; only under the rule majority', null=True)),
                    ('deadline', models.DateTimeField(help_text='Shown to everybody; nothing ends by itself', null=True)),
                    ('pass_mark', models.PositiveSmallIntegerField(help_text='Training: percent of the answers that a volunteer must match to pass', null=True)),
                    ('drift_percent', models.PositiveSmallIntegerField(default=0, help_text="Share of a volunteer's issues that come to them a second time, unmarked")),
                    ('drift_hours', models.PositiveSmallIntegerField(default=24, help_text='At least so long after the first label')),
                    ('selection', models.JSONField(default=dict, help_text='How the issues were chosen, for the record')),
                    ('seed', models.BigIntegerField(help_text='Of the shuffles; stored so that an order can be made again')),
                    ('created_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('opened_at', models.DateTimeField(null=True)),
                    ('closed_at', models.DateTimeField(null=True)),
                    ('excludes', models.ForeignKey(help_text='Screening: the type whose issues leave the study', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('of', models.ForeignKey(help_text='Second look: the round whose labels lost their category, which it gives them anew', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='looks', to='rounds.round')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rounds', to='studies.study')),
                    ('training', models.ForeignKey(help_text='The training that a volunteer passes before this round opens to them', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='opens', to='rounds.round')),
                    ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='taxonomy.version')),
                    ('forge_labels', models.CharField(choices=[('shown', 'shown to volunteers'), ('hidden', 'hidden until the labels of the round are revealed')], db_default='shown', default='shown', max_length=8)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'name'), name='round_name_is_unique_in_a_study'), models.CheckConstraint(condition=models.Q(('labels_per_issue__gte', 1)), name='an_issue_has_a_slot'), models.CheckConstraint(condition=models.Q(('depth__in', [1, 2, 3])), name='round_depth_is_a_level'), models.CheckConstraint(condition=models.Q(('closed_at', None), models.Q(('closed_at__gte', models.F('opened_at')), ('opened_at__isnull', False)), _connector='OR'), name='round_closes_after_it_opens'), models.CheckConstraint(condition=models.Q(models.Q(('majority__gte', 1), ('majority__isnull', False), ('rule', 'majority')), models.Q(models.Q(('rule', 'majority'), _negated=True), ('majority', None)), _connector='OR'), name='a_majority_says_how_many'), models.CheckConstraint(condition=models.Q(('pass_mark', None), models.Q(('kind', 'training'), ('pass_mark__gte', 1), ('pass_mark__lte', 100)), _connector='OR'), name='only_training_has_a_pass_mark'), models.CheckConstraint(condition=models.Q(('excludes', None), ('kind', 'screening'), _connector='OR'), name='only_screening_excludes'), models.CheckConstraint(condition=models.Q(('training', None), models.Q(('training', models.F('id')), _negated=True), _connector='OR'), name='a_round_is_not_its_own_training'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'look'), ('of__isnull', False)), models.Q(models.Q(('kind', 'look'), _negated=True), ('of', None)), _connector='OR'), name='only_a_second_look_is_of_a_round'), models.CheckConstraint(condition=models.Q(('drift_percent__lte', 50)), name='drift_check_is_a_part')],
                },
            ),
            migrations.CreateModel(
                name='Assignment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slot', models.PositiveSmallIntegerField()),
                    ('rank', models.BigIntegerField(help_text='Place in the shuffled order')),
                    ('lease_until', models.DateTimeField(help_text='k of n: when the slot may be given to somebody else', null=True)),
                    ('submitted_at', models.DateTimeField(null=True)),
                    ('issue', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='assignments', to='ingest.issue')),
                    ('volunteer', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='assignments', to='studies.membership')),
                    ('round', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='assignments', to='rounds.round')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('submitted_at', None)), fields=['round', 'volunteer', 'rank'], name='turns_to_come'), models.Index(condition=models.Q(('lease_until__isnull', False), ('submitted_at', None)), fields=['round', 'lease_until'], name='leases')],
                    'constraints': [models.UniqueConstraint(fields=('round', 'issue', 'slot'), name='slot_is_unique'), models.UniqueConstraint(fields=('round', 'issue', 'volunteer'), name='volunteer_has_one_slot_per_issue'), models.CheckConstraint(condition=models.Q(('slot__gte', 1)), name='slots_count_from_one'), models.CheckConstraint(condition=models.Q(('volunteer__isnull', False), models.Q(('lease_until', None), ('submitted_at', None)), _connector='OR'), name='free_slots_are_neither_leased_nor_submitted')],
                },
            ),
            migrations.CreateModel(
                name='Answer',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('explanation', models.TextField()),
                    ('given_at', models.DateTimeField(default=core.clock.now)),
                    ('category', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('given_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('issue', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ingest.issue')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='rounds.round')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('round', 'issue'), name='an_issue_has_one_answer_in_a_round'), models.CheckConstraint(condition=models.Q(('explanation', ''), _negated=True), name='an_answer_is_explained')],
                },
            ),
            migrations.CreateModel(
                name='RoundIssue',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField()),
                    ('completed_at', models.DateTimeField(null=True)),
                    ('was_completed_at', models.DateTimeField(help_text='Before some of its labels lost their category: it was revealed then', null=True)),
                    ('labels', models.TextField(db_default='', default='', editable=False, help_text="Of a complete issue: the category of each label that counts, 0 for an open one, with spaces between, in the order of the volunteers' ids")),
                    ('whose', models.TextField(db_default='', default='', editable=False, help_text='The volunteer of each of these labels')),
                    ('decided', models.BigIntegerField(db_default=0, default=0, editable=False, help_text='Category of the decision that stands, 0 for none')),
                    ('issue', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='in_rounds', to='ingest.issue')),
                    ('round', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='round_issues', to='rounds.round')),
                    ('first_revealed_at', models.DateTimeField(help_text='Of an issue that was in a second look later: when its first labels were revealed', null=True)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('round', 'issue'), name='issue_is_once_in_a_round'), models.UniqueConstraint(fields=('round', 'position'), name='position_is_unique_in_a_round')],
                },
            ),
            migrations.CreateModel(
                name='RoundVolunteer',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('column', models.PositiveSmallIntegerField()),
                    ('seed', models.BigIntegerField(help_text="Of this volunteer's own order")),
                    ('quota', models.PositiveIntegerField(help_text='k of n: labels after which no more are given', null=True)),
                    ('left_at', models.DateTimeField(help_text='Taken out of the round: the labels stay, no more are taken', null=True)),
                    ('admitted_at', models.DateTimeField(help_text='Let in by a lead without a passed training', null=True)),
                    ('admitted_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='studies.membership')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='volunteers', to='rounds.round')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('round', 'member'), name='volunteer_is_once_in_a_round'), models.UniqueConstraint(fields=('round', 'column'), name='volunteer_has_a_column_of_their_own'), models.CheckConstraint(condition=models.Q(models.Q(('admitted_at', None), ('admitted_by', None)), models.Q(('admitted_at__isnull', False), ('admitted_by__isnull', False)), _connector='OR'), name='admission_has_a_name')],
                },
            ),
            migrations.CreateModel(
                name='Label',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('surplus', models.BooleanField(default=False)),
                    ('proposed_reason', models.CharField(blank=True, db_default='', default='', help_text='Why no category fits this issue', max_length=1000)),
                    ('summary', models.CharField(blank=True, max_length=500)),
                    ('unsure', models.BooleanField(default=False)),
                    ('submitted_at', models.DateTimeField()),
                    ('changed_at', models.DateTimeField(null=True)),
                    ('form_key', models.UUIDField(help_text='Of the form that stored it, so that a double click stores once', null=True)),
                    ('assignment', models.OneToOneField(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='label', to='rounds.assignment')),
                    ('category', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='labels', to='taxonomy.category')),
                    ('guideline', models.ForeignKey(db_index=False, help_text='As it stood then', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.guideline')),
                    ('issue', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='round_labels', to='ingest.issue')),
                    ('nearest', models.ForeignKey(db_index=False, help_text='Of an open label: the category that comes nearest, if any does', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('proposal', models.ForeignKey(db_index=False, help_text='Of the category that is missing', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='labels', to='taxonomy.proposal')),
                    ('snapshot', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ingest.snapshot')),
                    ('version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='labels', to='taxonomy.version')),
                    ('volunteer', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='labels', to='studies.membership')),
                    ('round', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='labels', to='rounds.round')),
                ],
                options={
                    'indexes': [models.Index(fields=['volunteer', 'round', '-submitted_at'], name='own_labels_newest_first'), models.Index(condition=models.Q(('proposal__isnull', False)), fields=['proposal'], name='open_labels'), models.Index(condition=models.Q(('surplus', True)), fields=['round'], name='surplus_labels')],
                    'constraints': [models.UniqueConstraint(fields=('round', 'issue', 'volunteer'), include=('category', 'surplus'), name='one_label_per_volunteer_and_issue'), models.CheckConstraint(condition=models.Q(models.Q(('assignment', None), ('surplus', True)), models.Q(('assignment__isnull', False), ('surplus', False)), _connector='OR'), name='only_surplus_labels_have_no_slot'), models.CheckConstraint(condition=models.Q(('category__isnull', False), models.Q(('proposal__isnull', False), models.Q(('proposed_reason', ''), _negated=True)), _connector='OR'), name='a_label_has_a_category_or_proposes_one')],
                },
            ),
            migrations.CreateModel(
                name='LabelEvent',
                fields=[
                    ('pgh_id', models.AutoField(primary_key=True, serialize=False)),
                    ('pgh_created_at', models.DateTimeField(auto_now_add=True)),
                    ('pgh_label', models.TextField(help_text='The event label.')),
                    ('id', models.BigIntegerField()),
                    ('surplus', models.BooleanField(default=False)),
                    ('proposed_reason', models.CharField(blank=True, db_default='', default='', help_text='Why no category fits this issue', max_length=1000)),
                    ('summary', models.CharField(blank=True, max_length=500)),
                    ('unsure', models.BooleanField(default=False)),
                    ('submitted_at', models.DateTimeField()),
                    ('changed_at', models.DateTimeField(null=True)),
                    ('form_key', models.UUIDField(help_text='Of the form that stored it, so that a double click stores once', null=True)),
                    ('assignment', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='rounds.assignment')),
                    ('category', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='taxonomy.category')),
                    ('guideline', models.ForeignKey(db_constraint=False, help_text='As it stood then', null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='studies.guideline')),
                    ('issue', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='ingest.issue')),
                    ('nearest', models.ForeignKey(db_constraint=False, help_text='Of an open label: the category that comes nearest, if any does', null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='taxonomy.category')),
                    ('pgh_context', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='pghistory.context')),
                    ('pgh_obj', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='events', to='rounds.label')),
                    ('proposal', models.ForeignKey(db_constraint=False, help_text='Of the category that is missing', null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='taxonomy.proposal')),
                    ('snapshot', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='ingest.snapshot')),
                    ('version', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='taxonomy.version')),
                    ('volunteer', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='studies.membership')),
                    ('round', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='rounds.round')),
                ],
                options={
                    'abstract': False,
                },
            ),
        ]),
        SqlBeside(__file__),
    ]
