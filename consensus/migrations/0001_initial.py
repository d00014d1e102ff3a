"""All tables of this room; 0001_initial.sql holds what Django cannot say about them."""

import core.clock
import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from core.sql.beside import SqlBeside
from core.sql.tables import CreateTables


class Migration(migrations.Migration):

    initial = True

    # A database that has run all of these goes on as it is (docs/decisions/0042).
    replaces = [
        ('consensus', '0002_kinds_have_plain_words'),
        ('consensus', '0003_ballots_that_no_category_fits'),
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
                name='DecidedIssue',
                fields=[
                ],
                options={
                    'proxy': True,
                },
                bases=('rounds.roundissue',),
            ),
            migrations.CreateModel(
                name='BulkDecision',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('majority', 'majority'), ('alike', 'similar issues')], max_length=16)),
                    ('at_least', models.PositiveSmallIntegerField(help_text='Majority: so many equal labels decide', null=True)),
                    ('asked', models.JSONField(default=dict)),
                    ('at', models.DateTimeField()),
                    ('taken_back_at', models.DateTimeField(null=True)),
                    ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bulk_decisions', to='rounds.round')),
                    ('taken_back_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                ],
                options={
                    'indexes': [models.Index(fields=['round', '-id'], name='bulk_decisions_newest_first')],
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('at_least__gte', 1), ('at_least__isnull', False), ('kind', 'majority')), models.Q(('at_least', None), ('kind', 'alike')), _connector='OR'), name='a_bulk_majority_says_how_many'), models.CheckConstraint(condition=models.Q(models.Q(('taken_back_at', None), ('taken_back_by', None)), models.Q(('taken_back_at__isnull', False), ('taken_back_by__isnull', False)), _connector='OR'), name='taking_back_has_a_name')],
                },
            ),
            migrations.CreateModel(
                name='Comment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('text', models.CharField(max_length=2000)),
                    ('said_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('category', models.ForeignKey(help_text='What the comment argues for, if it says', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('issue', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ingest.issue')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='rounds.round')),
                ],
                options={
                    'indexes': [models.Index(fields=['round', 'issue', 'id'], name='comments_in_order')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_comment_says_something')],
                },
            ),
            migrations.CreateModel(
                name='Digest',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('day', models.DateField()),
                    ('sent_at', models.DateTimeField()),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='digests', to='studies.membership')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('member', 'day'), name='a_member_has_one_digest_a_day')],
                },
            ),
            migrations.CreateModel(
                name='Disagreement',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField(help_text='That of the issue in the round')),
                    ('chosen', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), help_text="Categories at the round's depth, the most chosen first", size=None)),
                    ('votes', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), help_text='How many labels each of them has', size=None)),
                    ('open_labels', models.PositiveSmallIntegerField(default=0, help_text='Labels that propose a category')),
                    ('parts_at', models.PositiveSmallIntegerField(choices=[(1, 'type'), (2, 'theme'), (3, 'sub-theme')], help_text='First level at which the labels differ; none: open labels only', null=True)),
                    ('apart', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), help_text='Members whose label is not in the largest group, if one is largest', size=None)),
                    ('ways', models.PositiveSmallIntegerField(help_text='How many groups of equal labels; an open one is a group')),
                    ('margin', models.PositiveSmallIntegerField(help_text='Largest group less the second: 1 of 4 : 3')),
                    ('issue', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='disagreements', to='ingest.issue')),
                    ('round', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='disagreements', to='rounds.round')),
                    ('version', models.ForeignKey(db_index=False, help_text='That of the round when noted', on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.version')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('round', 'issue'), name='an_issue_disagrees_once_in_a_round'), models.UniqueConstraint(fields=('round', 'ways', 'margin', 'position'), name='disagreements_in_order'), models.CheckConstraint(condition=models.Q(models.Q(('ways__gte', 2), models.Q(('open_labels', 1), ('ways', 1)), _connector='OR'), ('chosen__len', models.F('votes__len'))), name='a_disagreement_has_two_sides')],
                },
            ),
            migrations.CreateModel(
                name='Mention',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('seen_at', models.DateTimeField(null=True)),
                    ('comment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to='consensus.comment')),
                    ('digest', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='mentions', to='consensus.digest')),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to='studies.membership')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('comment', 'member'), name='a_comment_names_once')],
                },
            ),
            migrations.CreateModel(
                name='Meeting',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=120, verbose_name='name')),
                    ('kind', models.CharField(choices=[('together', 'live, at a fixed time'), ('apart', 'over several days'), ('pair', 'pair of volunteers')], default='together', max_length=16)),
                    ('starts_at', models.DateTimeField(help_text='Planned; nothing begins by itself', null=True)),
                    ('ends_at', models.DateTimeField(help_text='Planned; nothing ends by itself', null=True)),
                    ('quorum', models.PositiveSmallIntegerField(help_text='So many must take part for a decision')),
                    ('by_majority', models.BooleanField(default=False, help_text='More than half of those present may decide; else only all who vote')),
                    ('shows_names', models.BooleanField(default=False, help_text='People by their names, not their pseudonyms')),
                    ('revision', models.PositiveBigIntegerField(default=0, help_text='Raised by each change, so that a screen knows whether it is up to date')),
                    ('created_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('opened_at', models.DateTimeField(null=True)),
                    ('closed_at', models.DateTimeField(null=True)),
                    ('chair', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='chaired', to='studies.membership')),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='meetings', to='rounds.round')),
                    ('item', models.ForeignKey(help_text='What everybody looks at', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='consensus.agendaitem')),
                ],
                options={
                    'indexes': [models.Index(fields=['round', '-id'], name='meetings_newest_first')],
                    'constraints': [models.UniqueConstraint(fields=('id', 'round'), name='a_meeting_is_of_one_round'), models.CheckConstraint(condition=models.Q(('quorum__gte', 1)), name='a_meeting_has_a_quorum'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'pair'), _negated=True), models.Q(('by_majority', False), ('quorum', 2)), _connector='OR'), name='a_pair_agrees_or_does_not'), models.CheckConstraint(condition=models.Q(('closed_at', None), models.Q(('closed_at__gte', models.F('opened_at')), ('opened_at__isnull', False)), _connector='OR'), name='a_meeting_closes_after_it_opens')],
                },
            ),
            migrations.CreateModel(
                name='AgendaItem',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField(help_text='In the order in which it was put there')),
                    ('added_at', models.DateTimeField()),
                    ('parked_at', models.DateTimeField(null=True)),
                    ('parked_why', models.CharField(blank=True, max_length=500)),
                    ('released_at', models.DateTimeField(null=True)),
                    ('added_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('issue', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='on_agendas', to='ingest.issue')),
                    ('round', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='rounds.round')),
                    ('meeting', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='consensus.meeting')),
                ],
                options={
                    'indexes': [models.Index(fields=['meeting', 'position'], name='agenda_in_order')],
                    'constraints': [models.UniqueConstraint(fields=('meeting', 'issue'), name='an_issue_is_once_on_an_agenda'), models.UniqueConstraint(condition=models.Q(('released_at', None)), fields=('round', 'issue'), include=('meeting',), name='an_issue_is_on_one_agenda_at_a_time'), models.UniqueConstraint(fields=('id', 'meeting'), name='an_item_is_of_one_meeting')],
                },
            ),
            migrations.CreateModel(
                name='Participant',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('joined_at', models.DateTimeField(null=True)),
                    ('last_seen_at', models.DateTimeField(null=True)),
                    ('left_at', models.DateTimeField(null=True)),
                    ('meeting', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participants', to='consensus.meeting')),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='meetings', to='studies.membership')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('meeting', 'member'), name='a_member_takes_part_once'), models.CheckConstraint(condition=models.Q(('left_at', None), ('joined_at__isnull', False), _connector='OR'), name='who_leaves_has_come')],
                },
            ),
            migrations.CreateModel(
                name='FollowUp',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('proposal', 'proposal for the taxonomy'), ('example', 'example for a category'), ('guideline', 'guideline line')], max_length=16)),
                    ('text', models.CharField(blank=True, max_length=1000)),
                    ('made_at', models.DateTimeField()),
                    ('done_at', models.DateTimeField(null=True)),
                    ('category', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('done_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='follow_ups', to='consensus.agendaitem')),
                    ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('proposal', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='follow_ups', to='taxonomy.proposal')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('kind', 'proposal'), ('proposal__isnull', False)), models.Q(('category__isnull', False), ('kind', 'example')), models.Q(('kind', 'guideline'), models.Q(('text', ''), _negated=True)), _connector='OR'), name='a_follow_up_says_what_to_do'), models.CheckConstraint(condition=models.Q(models.Q(('done_at', None), ('done_by', None)), models.Q(('done_at__isnull', False), ('done_by__isnull', False)), _connector='OR'), name='what_is_done_was_done_by_somebody')],
                },
            ),
            migrations.CreateModel(
                name='Spell',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('began_at', models.DateTimeField()),
                    ('ended_at', models.DateTimeField(null=True)),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='spells', to='consensus.agendaitem')),
                    ('meeting', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='spells', to='consensus.meeting')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('meeting',), name='a_meeting_looks_at_one_item'), models.CheckConstraint(condition=models.Q(('ended_at', None), ('ended_at__gte', models.F('began_at')), _connector='OR'), name='a_spell_ends_after_it_begins')],
                },
            ),
            migrations.CreateModel(
                name='Vote',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveSmallIntegerField(help_text='1 for the first vote on an item, and so on')),
                    ('opened_at', models.DateTimeField()),
                    ('closed_at', models.DateTimeField(null=True)),
                    ('present', models.PositiveSmallIntegerField(null=True)),
                    ('closed_by', models.ForeignKey(db_index=False, help_text='Who revealed it; nobody where the last ballot did', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='consensus.agendaitem')),
                    ('meeting', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='consensus.meeting')),
                    ('opened_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('item', 'number'), name='votes_on_an_item_are_numbered'), models.UniqueConstraint(condition=models.Q(('closed_at', None)), fields=('item',), name='one_vote_is_open_on_an_item'), models.UniqueConstraint(fields=('id', 'meeting'), name='a_vote_is_of_one_meeting'), models.CheckConstraint(condition=models.Q(models.Q(('closed_at', None), ('closed_by', None), ('present', None)), models.Q(('closed_at__isnull', False), ('present__isnull', False)), _connector='OR'), name='a_closed_vote_says_who_was_there')],
                },
            ),
            migrations.CreateModel(
                name='Decision',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveSmallIntegerField(default=1, help_text='1 for the first decision of an issue, and so on')),
                    ('method', models.CharField(choices=[('unanimous', 'unanimous'), ('majority', 'majority'), ('meeting', 'meeting'), ('lead', 'lead'), ('imported', 'imported')], max_length=16)),
                    ('rationale', models.TextField(blank=True)),
                    ('decided_at', models.DateTimeField()),
                    ('cause', models.CharField(blank=True, choices=[('slip', 'slip'), ('guideline', 'unclear guideline'), ('issue', 'unclear issue'), ('missing', 'missing category'), ('overlap', 'overlapping categories')], db_default='', default='', max_length=16)),
                    ('how', models.CharField(blank=True, choices=[('unanimity', 'unanimously'), ('majority', 'by majority'), ('chair', 'by the chair')], db_default='', default='', max_length=16)),
                    ('superseded_at', models.DateTimeField(null=True)),
                    ('superseded_why', models.CharField(blank=True, db_default='', default='', max_length=1000)),
                    ('bulk', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='consensus.bulkdecision')),
                    ('category', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='taxonomy.category')),
                    ('decided_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='studies.membership')),
                    ('issue', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='decisions', to='ingest.issue')),
                    ('item', models.ForeignKey(db_index=False, help_text='Of the meeting that decided', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='consensus.agendaitem')),
                    ('round', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='decisions', to='rounds.round')),
                    ('superseded_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='taxonomy.version')),
                    ('vote', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='consensus.vote')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('item__isnull', False)), fields=['item'], name='decisions_of_an_item'), models.Index(condition=models.Q(('bulk__isnull', False)), fields=['bulk'], name='decisions_of_a_bulk'), models.Index(condition=models.Q(('superseded_at', None), models.Q(('method', 'unanimous'), _negated=True)), fields=['round', 'issue'], name='decisions_that_settle')],
                    'constraints': [models.UniqueConstraint(fields=('round', 'issue', 'number'), name='decisions_of_an_issue_are_numbered'), models.UniqueConstraint(condition=models.Q(('superseded_at', None)), fields=('round', 'issue'), include=('category', 'method'), name='one_decision_stands'), models.CheckConstraint(condition=models.Q(('method__in', ['unanimous', 'majority', 'meeting', 'lead', 'imported'])), name='decision_method_is_known'), models.CheckConstraint(condition=models.Q(('method__in', ['unanimous', 'majority', 'imported']), ('decided_by__isnull', False), _connector='OR'), name='people_stand_behind_their_decisions'), models.CheckConstraint(condition=models.Q(models.Q(('method', 'lead'), _negated=True), models.Q(('rationale', ''), _negated=True), _connector='OR'), name='a_lead_gives_a_rationale'), models.CheckConstraint(condition=models.Q(models.Q(('how', ''), ('item', None), ('vote', None)), models.Q(('how', 'chair'), ('item__isnull', False), ('method', 'meeting')), models.Q(('how__in', ['unanimity', 'majority']), ('item__isnull', False), ('method', 'meeting'), ('vote__isnull', False)), _connector='OR'), name='a_meeting_says_how_it_decided'), models.CheckConstraint(condition=models.Q(models.Q(('how', 'chair'), _negated=True), models.Q(('rationale', ''), _negated=True), _connector='OR'), name='a_chair_gives_a_rationale'), models.CheckConstraint(condition=models.Q(('cause__in', ['', 'slip', 'guideline', 'issue', 'missing', 'overlap'])), name='decision_cause_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('method', 'meeting'), _negated=True), ('item__isnull', False), _connector='OR'), name='a_meeting_stands_behind_its_decisions')],
                },
            ),
            migrations.CreateModel(
                name='Ballot',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('cast_at', models.DateTimeField()),
                    ('changed_at', models.DateTimeField(null=True)),
                    ('category', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ballots', to='studies.membership')),
                    ('meeting', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='ballots', to='consensus.meeting')),
                    ('vote', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='ballots', to='consensus.vote')),
                    ('none_fits', models.BooleanField(db_default=False, default=False)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('vote', 'member'), name='one_ballot_per_person_and_vote'), models.CheckConstraint(condition=models.Q(('none_fits', False), ('category', None), _connector='OR'), name='no_category_fits_or_one_is_chosen')],
                },
            ),
        ]),
        SqlBeside(__file__),
    ]
