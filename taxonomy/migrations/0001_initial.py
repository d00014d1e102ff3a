"""All tables of this room."""

import core.clock
import django.db.models.deletion
import django.db.models.functions.text
import uuid
from django.conf import settings
from django.db import migrations, models

from core.sql.tables import CreateTables


class Migration(migrations.Migration):

    initial = True

    # A database that has run all of these goes on as it is (docs/decisions/0042).
    replaces = [
        ('taxonomy', '0002_taxonomies_drafted_from_pilots'),
        ('taxonomy', '0003_labels_in_plain_words'),
        ('taxonomy', '0004_texts_in_chinese'),
        ('taxonomy', '0005_drafts_begun_from_a_tree'),
        ('taxonomy', '0006_categories_that_nobody_voted_on'),
    ]

    dependencies = [
        ('accounts', '__first__'),
        ('studies', '0001_initial'),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='Taxonomy',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=120, verbose_name='name')),
                    ('created_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('by_majority', models.BooleanField(db_default=False, default=False, help_text='More than half of the ballots accept a proposal; else only all. A new category needs all')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='taxonomies', to='studies.study')),
                    ('origin', models.ForeignKey(help_text='The taxonomy of the pilot from whose labels this one was drafted', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='derived', to='taxonomy.taxonomy')),
                ],
                options={
                    'verbose_name_plural': 'taxonomies',
                    'constraints': [models.UniqueConstraint(fields=('study', 'name'), name='taxonomy_name_is_unique_in_a_study')],
                },
            ),
            migrations.CreateModel(
                name='Category',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.UUIDField(default=uuid.uuid4, unique=True)),
                    ('created_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('taxonomy', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='categories', to='taxonomy.taxonomy')),
                ],
                options={
                    'verbose_name_plural': 'categories',
                },
            ),
            migrations.CreateModel(
                name='Version',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('created_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('published_at', models.DateTimeField(null=True)),
                    ('note', models.TextField(blank=True)),
                    ('published_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('taxonomy', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='taxonomy.taxonomy')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('taxonomy', 'number'), name='version_number_is_unique_in_a_taxonomy'), models.UniqueConstraint(condition=models.Q(('published_at', None)), fields=('taxonomy',), name='one_draft_per_taxonomy')],
                },
            ),
            migrations.CreateModel(
                name='CategoryState',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('level', models.PositiveSmallIntegerField(choices=[(1, 'type'), (2, 'theme'), (3, 'sub-theme')])),
                    ('code', models.CharField(max_length=32)),
                    ('name', models.CharField(max_length=200)),
                    ('position', models.PositiveIntegerField(help_text='Place in the tree read from top to bottom')),
                    ('definition', models.TextField(blank=True)),
                    ('includes', models.TextField(blank=True)),
                    ('excludes', models.TextField(blank=True)),
                    ('examples', models.TextField(blank=True)),
                    ('hue', models.PositiveSmallIntegerField(help_text="A type's own colour; empty: that of its place", null=True)),
                    ('category', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='states', to='taxonomy.category')),
                    ('parent', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='states', to='taxonomy.version')),
                    ('definition_zh', models.TextField(blank=True, db_default='', default='')),
                    ('examples_zh', models.TextField(blank=True, db_default='', default='')),
                    ('excludes_zh', models.TextField(blank=True, db_default='', default='')),
                    ('includes_zh', models.TextField(blank=True, db_default='', default='')),
                    ('name_zh', models.CharField(blank=True, db_default='', default='', max_length=200)),
                ],
                options={
                    'ordering': ['version', 'position'],
                    'constraints': [models.UniqueConstraint(fields=('version', 'category'), name='category_has_one_state_per_version'), models.UniqueConstraint(fields=('version', 'code'), name='code_is_unique_in_a_version'), models.UniqueConstraint(fields=('version', 'position'), name='position_is_unique_in_a_version'), models.CheckConstraint(condition=models.Q(('level__in', [1, 2, 3])), name='three_levels_at_most'), models.CheckConstraint(condition=models.Q(models.Q(('level', 1), ('parent', None)), models.Q(('level__gt', 1), ('parent__isnull', False)), _connector='OR'), name='types_have_no_parent_and_others_have'), models.CheckConstraint(condition=models.Q(('hue', None), models.Q(('hue__lt', 4), ('level', 1)), _connector='OR'), name='only_types_have_a_colour')],
                },
            ),
            migrations.CreateModel(
                name='Change',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('kind', models.CharField(max_length=16)),
                    ('key', models.UUIDField(help_text='The identity of the category that it is about')),
                    ('values', models.JSONField(default=dict, help_text='As taxonomy.tree.drafts.Change says')),
                    ('made_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('undone_at', models.DateTimeField(null=True)),
                    ('made_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='taxonomy.version')),
                    ('loaded', models.BooleanField(db_default=False, default=False, help_text='Came with the preset, file or text that the draft began from. No Undo takes it back')),
                ],
                options={
                    'ordering': ['version', 'number'],
                    'constraints': [models.UniqueConstraint(fields=('version', 'number'), name='change_has_its_number'), models.CheckConstraint(condition=models.Q(('kind__in', ('add', 'describe', 'move', 'merge', 'split', 'retire'))), name='change_is_of_a_known_kind')],
                },
            ),
            migrations.CreateModel(
                name='Remap',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('same', 'same'), ('renamed', 'renamed'), ('moved', 'moved'), ('merged', 'merged'), ('split', 'split'), ('retired', 'retired')], max_length=16)),
                    ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('target', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('from_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='remaps_out', to='taxonomy.version')),
                    ('to_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='remaps_in', to='taxonomy.version')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('from_version', 'to_version', 'source', 'target'), name='remap_is_said_once', nulls_distinct=False), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'retired'), ('target', None)), models.Q(models.Q(('kind', 'retired'), _negated=True), ('target__isnull', False)), _connector='OR'), name='only_retired_categories_have_no_target')],
                },
            ),
            migrations.CreateModel(
                name='Motion',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('kind', models.CharField(max_length=16)),
                    ('key', models.UUIDField(help_text='The identity of the category that it is about')),
                    ('values', models.JSONField(default=dict, help_text='As taxonomy.tree.drafts.Change says')),
                    ('title', models.CharField(max_length=250)),
                    ('reasons', models.TextField()),
                    ('examples', models.TextField(blank=True, help_text='Addresses of issues that show it, one a line')),
                    ('opened_at', models.DateTimeField()),
                    ('deadline', models.DateTimeField()),
                    ('electorate', models.PositiveSmallIntegerField(help_text='So many may vote')),
                    ('quorum', models.PositiveSmallIntegerField(help_text='So many must vote')),
                    ('by_majority', models.BooleanField(default=False)),
                    ('closed_at', models.DateTimeField(null=True)),
                    ('outcome', models.CharField(blank=True, choices=[('accepted', 'accepted'), ('declined', 'declined'), ('no quorum', 'too few voted'), ('withdrawn', 'withdrawn')], max_length=16)),
                    ('in_favour', models.PositiveSmallIntegerField(null=True)),
                    ('against', models.PositiveSmallIntegerField(null=True)),
                    ('abstained', models.PositiveSmallIntegerField(null=True)),
                    ('refused', models.TextField(blank=True)),
                    ('change', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='motion', to='taxonomy.change')),
                    ('opened_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='motions', to='studies.membership')),
                    ('taxonomy', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='motions', to='taxonomy.taxonomy')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('taxonomy', 'number'), name='motion_has_its_number'), models.CheckConstraint(condition=models.Q(('kind__in', ('add', 'describe', 'move', 'merge', 'split', 'retire'))), name='motion_is_of_a_known_kind'), models.CheckConstraint(condition=models.Q(models.Q(('title', ''), _negated=True), models.Q(('reasons', ''), _negated=True)), name='a_motion_says_what_and_why'), models.CheckConstraint(condition=models.Q(('deadline__gt', models.F('opened_at'))), name='a_motion_has_a_deadline'), models.CheckConstraint(condition=models.Q(('quorum__gte', 1), ('quorum__lte', models.F('electorate'))), name='a_quorum_can_be_reached'), models.CheckConstraint(condition=models.Q(models.Q(('kind__in', ['add', 'split']), _negated=True), models.Q(('by_majority', False), ('quorum', models.F('electorate'))), _connector='OR'), name='new_categories_need_all_votes'), models.CheckConstraint(condition=models.Q(models.Q(('abstained', None), ('against', None), ('closed_at', None), ('in_favour', None), ('outcome', '')), models.Q(('abstained__isnull', False), ('against__isnull', False), ('closed_at__isnull', False), ('in_favour__isnull', False), ('outcome__in', ['accepted', 'declined', 'no quorum', 'withdrawn'])), _connector='OR'), name='a_closed_motion_has_its_outcome'), models.CheckConstraint(condition=models.Q(models.Q(('change__isnull', False), ('outcome', 'accepted'), ('refused', '')), models.Q(('change', None), ('outcome', 'accepted'), models.Q(('refused', ''), _negated=True)), models.Q(models.Q(('outcome', 'accepted'), _negated=True), ('change', None), ('refused', '')), _connector='OR'), name='what_is_accepted_is_made_or_refused')],
                },
            ),
            migrations.CreateModel(
                name='Gone',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('became', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('category', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('last', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.categorystate')),
                    ('after', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.version')),
                    ('since', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.version')),
                    ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='gone', to='taxonomy.version')),
                ],
                options={
                    'verbose_name_plural': 'gone',
                    'constraints': [models.UniqueConstraint(fields=('version', 'category', 'since'), name='category_goes_once_in_a_version'), models.CheckConstraint(condition=models.Q(('since__gt', models.F('after'))), name='what_goes_was_there_before')],
                },
            ),
            migrations.CreateModel(
                name='MotionComment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('text', models.CharField(max_length=2000)),
                    ('said_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('motion', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comments', to='taxonomy.motion')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_comment_on_a_proposal_says_something')],
                },
            ),
            migrations.CreateModel(
                name='Proposal',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=200)),
                    ('proposed_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('state', models.CharField(choices=[('open', 'open'), ('accepted', 'accepted'), ('declined', 'declined')], default='open', max_length=16)),
                    ('answered_by', models.ForeignKey(help_text='The category that the labels waited for: it was voted for, or a lead says so', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('motion', models.ForeignKey(help_text='What put this name to the vote, the latest', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='taxonomy.motion')),
                    ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='studies.membership')),
                    ('taxonomy', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='proposals', to='taxonomy.taxonomy')),
                    ('version', models.ForeignKey(help_text='The one in which the category was missing', on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.version')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(models.F('taxonomy'), models.F('proposed_by'), django.db.models.functions.text.Lower('name'), condition=models.Q(('state', 'open')), name='a_name_is_proposed_once_by_a_person'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='a_proposal_is_named')],
                },
            ),
            migrations.CreateModel(
                name='Ballot',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('choice', models.CharField(blank=True, choices=[('for', 'for'), ('against', 'against'), ('abstain', 'abstained')], max_length=16)),
                    ('argument', models.TextField(blank=True)),
                    ('cast_at', models.DateTimeField(help_text='When it was last changed', null=True)),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('motion', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ballots', to='taxonomy.motion')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('motion', 'member'), name='one_ballot_per_member_and_motion'), models.CheckConstraint(condition=models.Q(models.Q(('argument', ''), ('cast_at', None), ('choice', '')), models.Q(('cast_at__isnull', False), ('choice__in', ['for', 'against', 'abstain'])), _connector='OR'), name='a_ballot_is_for_against_or_neither')],
                },
            ),
            migrations.CreateModel(
                name='MotionMention',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('seen_at', models.DateTimeField(null=True)),
                    ('told_at', models.DateTimeField(null=True)),
                    ('comment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='mentions', to='taxonomy.motioncomment')),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('comment', 'member'), name='a_comment_on_a_proposal_names_once')],
                },
            ),
            migrations.CreateModel(
                name='Unvoted',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('category', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('source', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='unvoted', to='taxonomy.version')),
                ],
                options={
                    'verbose_name_plural': 'unvoted',
                    'constraints': [models.UniqueConstraint(fields=('category',), name='category_is_new_without_a_vote_once')],
                },
            ),
        ]),
    ]
