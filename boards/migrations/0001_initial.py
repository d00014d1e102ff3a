"""All tables of this room; 0001_initial.sql holds what Django cannot say about them."""

import core.clock
import django.db.models.deletion
import django.db.models.functions.text
from django.db import migrations, models

from core.sql.beside import SqlBeside
from core.sql.tables import CreateTables


class Migration(migrations.Migration):

    initial = True

    # A database that has run all of these goes on as it is (docs/decisions/0042).
    replaces = [
        ('boards', '0002_labels_in_plain_words'),
    ]

    dependencies = [
        ('rounds', '0001_initial'),
        ('studies', '0001_initial'),
        ('taxonomy', '0001_initial'),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='Board',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=120, verbose_name='name')),
                    ('phase', models.CharField(choices=[('apart', 'sorting alone'), ('together', 'joint session'), ('closed', 'closed')], default='together', max_length=16)),
                    ('made_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('closed_at', models.DateTimeField(null=True)),
                    ('about', models.ForeignKey(help_text='The theme or type whose labels gave the cards; empty for cards of a file', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('taxonomy', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='boards', to='taxonomy.taxonomy')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(models.F('taxonomy'), django.db.models.functions.text.Lower('name'), name='board_name_is_unique_in_a_taxonomy'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='a_board_is_named'), models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', False), ('phase', 'closed')), models.Q(('closed_at', None), ('phase__in', ['apart', 'together'])), _connector='OR'), name='a_closed_board_says_when')],
                },
            ),
            migrations.CreateModel(
                name='Card',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField(help_text='In the order of their coming')),
                    ('text', models.CharField(max_length=500)),
                    ('labels', models.PositiveIntegerField(default=0, help_text='How many labels have this summary; 0 for a card of a file')),
                    ('group', models.PositiveIntegerField(help_text='The same for cards that were nearly equal when they came; empty for a card like no other', null=True)),
                    ('in_play', models.BooleanField(default=True)),
                    ('board', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='cards', to='boards.board')),
                    ('merged_into', models.ForeignKey(help_text='By its last merge, if any', null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='merged', to='boards.card')),
                    ('split_from', models.ForeignKey(null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='parts', to='boards.card')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('board', 'number'), name='card_has_its_number'), models.UniqueConstraint(fields=('id', 'board'), name='card_has_its_board'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_card_says_something')],
                },
            ),
            migrations.CreateModel(
                name='Sorting',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('revision', models.PositiveIntegerField(default=0)),
                    ('began', models.PositiveIntegerField(default=0, help_text='A screen that shows an earlier revision gets the whole sorting, not the changes')),
                    ('done_at', models.DateTimeField(null=True)),
                    ('board', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sortings', to='boards.board')),
                    ('member', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('board', 'member'), name='one_sorting_per_member_and_board', nulls_distinct=False), models.UniqueConstraint(fields=('id', 'board'), name='sorting_has_its_board'), models.CheckConstraint(condition=models.Q(('member__isnull', False), ('done_at', None), _connector='OR'), name='the_common_sorting_is_never_done')],
                },
            ),
            migrations.CreateModel(
                name='Pile',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField(help_text='In the order of their coming, never given again')),
                    ('name', models.CharField(max_length=200)),
                    ('definition', models.TextField(blank=True)),
                    ('theme', models.UUIDField(null=True)),
                    ('rootcause', models.CharField(blank=True, max_length=200)),
                    ('position', models.PositiveIntegerField()),
                    ('made', models.UUIDField(null=True)),
                    ('in_play', models.BooleanField(default=True)),
                    ('sorting', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='piles', to='boards.sorting')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(models.F('sorting'), models.F('theme'), models.F('rootcause'), django.db.models.functions.text.Lower('name'), condition=models.Q(('in_play', True)), name='pile_name_is_unique_below_its_theme', nulls_distinct=False), models.UniqueConstraint(fields=('sorting', 'number'), name='pile_has_its_number'), models.UniqueConstraint(fields=('id', 'sorting'), name='pile_has_its_sorting'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='a_pile_is_named')],
                },
            ),
            migrations.CreateModel(
                name='CardLabel',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('card', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='boards.card')),
                    ('label', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='rounds.label')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('card', 'label'), name='a_label_stands_once_behind_a_card')],
                },
            ),
            migrations.CreateModel(
                name='Move',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('kind', models.CharField(choices=[('move', 'moved'), ('pile', 'new pile'), ('describe', 'described'), ('join', 'joined'), ('drop', 'dissolved'), ('order', 'moved to another place'), ('split', 'split'), ('merge', 'merged'), ('make', 'made a sub-theme'), ('bring', 'added new cards'), ('undo', 'undone'), ('redo', 'redone')], max_length=16)),
                    ('cards', models.JSONField(default=dict)),
                    ('piles', models.JSONField(default=dict)),
                    ('moved_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('undone', models.PositiveIntegerField(null=True)),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('sorting', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='moves', to='boards.sorting')),
                ],
                options={
                    'ordering': ['sorting', 'number'],
                    'constraints': [models.UniqueConstraint(fields=('sorting', 'number'), name='move_has_its_number'), models.CheckConstraint(condition=models.Q(('undone', None), ('undone__gt', models.F('number')), _connector='OR'), name='a_move_is_taken_back_later'), models.CheckConstraint(condition=models.Q(('undone', None), models.Q(('kind__in', ['make', 'bring', 'undo', 'redo']), _negated=True), _connector='OR'), name='some_moves_are_for_good')],
                },
            ),
            migrations.CreateModel(
                name='Placement',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('aside', models.BooleanField(default=False)),
                    ('revision', models.PositiveIntegerField()),
                    ('board', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='boards.board')),
                    ('card', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='placements', to='boards.card')),
                    ('pile', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='placements', to='boards.pile')),
                    ('sorting', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='placements', to='boards.sorting')),
                ],
                options={
                    'indexes': [models.Index(fields=['sorting', 'revision'], name='placements_since')],
                    'constraints': [models.UniqueConstraint(fields=('card', 'sorting'), name='a_card_lies_in_one_place'), models.CheckConstraint(condition=models.Q(('pile', None), ('aside', False), _connector='OR'), name='what_is_aside_is_in_no_pile')],
                },
            ),
        ]),
        SqlBeside(__file__),
    ]
