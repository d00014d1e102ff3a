"""All tables of this room; 0001_initial.sql holds what Django cannot say about them."""

import core.clock
import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.text
from django.db import migrations, models

from core.sql.beside import SqlBeside
from core.sql.tables import CreateTables


class Migration(migrations.Migration):

    initial = True

    # A database that has run all of these goes on as it is (docs/decisions/0042).
    replaces = [
        ('interviews', '0002_imported_codebooks'),
    ]

    dependencies = [
        ('studies', '0001_initial'),
        ('taxonomy', '0001_initial'),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='Audience',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=80, verbose_name='name')),
                    ('prefix', models.CharField(max_length=4, verbose_name='prefix of pseudonyms')),
                    ('position', models.PositiveSmallIntegerField(default=0)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='audiences', to='studies.study')),
                ],
                options={
                    'ordering': ['position', 'pk'],
                    'constraints': [models.UniqueConstraint(fields=('study', 'name'), name='audience_name_is_unique_in_a_study'), models.UniqueConstraint(fields=('study', 'prefix'), name='audience_prefix_is_unique_in_a_study'), models.UniqueConstraint(fields=('id', 'study'), name='audience_has_its_study'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='an_audience_is_named'), models.CheckConstraint(condition=models.Q(('prefix__regex', '^[A-Z]{1,4}$')), name='a_prefix_is_capital_letters')],
                },
            ),
            migrations.CreateModel(
                name='ConsentText',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('text', models.TextField()),
                    ('published_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('published_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='consent_texts', to='studies.study')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'number'), name='consent_text_has_its_number'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_consent_text_says_something')],
                },
            ),
            migrations.CreateModel(
                name='Guide',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('text', models.TextField()),
                    ('note', models.CharField(blank=True, help_text='What changed and why, in a sentence', max_length=500)),
                    ('published_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('published_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='guides', to='studies.study')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'number'), name='guide_has_its_number'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_guide_has_a_text')],
                },
            ),
            migrations.CreateModel(
                name='Interviewer',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('role', models.CharField(blank=True, max_length=300, verbose_name='role')),
                    ('experience', models.CharField(blank=True, max_length=300, verbose_name='experience with interviews')),
                    ('bias', models.TextField(blank=True, verbose_name='relation to the topic and possible bias')),
                    ('member', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='interviewer', to='studies.membership')),
                ],
            ),
            migrations.CreateModel(
                name='OpenCode',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=200)),
                    ('made_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('proposal', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='open_codes', to='taxonomy.proposal')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='open_codes', to='studies.study')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(models.F('study'), models.F('made_by'), django.db.models.functions.text.Lower('name'), name='a_coder_names_an_open_code_once'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='an_open_code_is_named')],
                },
            ),
            migrations.CreateModel(
                name='Part',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveSmallIntegerField()),
                    ('title', models.CharField(max_length=300)),
                    ('objective', models.TextField(blank=True)),
                    ('minutes', models.PositiveSmallIntegerField(null=True)),
                    ('guide', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='interviews.guide')),
                ],
                options={
                    'ordering': ['position'],
                    'constraints': [models.UniqueConstraint(fields=('guide', 'position'), name='part_has_its_position')],
                },
            ),
            migrations.CreateModel(
                name='Participant',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('role', models.CharField(blank=True, max_length=300, verbose_name='role')),
                    ('experience', models.CharField(blank=True, max_length=120, verbose_name='experience')),
                    ('context', models.CharField(blank=True, max_length=300, verbose_name='frameworks')),
                    ('attributes', models.JSONField(default=dict, help_text='Further columns: name to value')),
                    ('incentive', models.CharField(blank=True, max_length=200, verbose_name='incentive')),
                    ('member_check', models.CharField(choices=[('not asked', 'not asked'), ('sent', 'sent'), ('confirmed', 'confirmed'), ('corrected', 'corrected'), ('no answer', 'no answer')], default='not asked', max_length=16, verbose_name='member check')),
                    ('checked_on', models.DateField(blank=True, null=True, verbose_name='date of the member check')),
                    ('added_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('erased_at', models.DateTimeField(editable=False, null=True)),
                    ('added_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('audience', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='participants', to='interviews.audience')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participants', to='studies.study')),
                ],
                options={
                    'ordering': ['audience__position', 'number'],
                    'constraints': [models.UniqueConstraint(fields=('audience', 'number'), name='participant_has_a_number'), models.UniqueConstraint(fields=('id', 'study'), name='participant_has_their_study'), models.CheckConstraint(condition=models.Q(('erased_at', None), models.Q(('attributes', {}), ('context', ''), ('incentive', ''), ('role', '')), _connector='OR'), name='who_is_erased_has_no_background')],
                },
            ),
            migrations.CreateModel(
                name='Identity',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.BinaryField(help_text='Encrypted')),
                    ('contact', models.BinaryField(default=b'', help_text='Encrypted')),
                    ('participant', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='identity', to='interviews.participant')),
                ],
            ),
            migrations.CreateModel(
                name='Consent',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('given_on', models.DateField(verbose_name='date')),
                    ('permits', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('quote', 'quote'), ('share', 'share the transcript'), ('archive', 'archive the transcript')], max_length=16), blank=True, default=list, size=None)),
                    ('recorded_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('withdrawn_on', models.DateField(null=True)),
                    ('recorded_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('text', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='consents', to='interviews.consenttext')),
                    ('participant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='consents', to='interviews.participant')),
                ],
                options={
                    'ordering': ['-pk'],
                    'constraints': [models.CheckConstraint(condition=models.Q(('permits__contained_by', ['quote', 'share', 'archive'])), name='consent_permits_known_things'), models.CheckConstraint(condition=models.Q(('withdrawn_on', None), ('withdrawn_on__gte', models.F('given_on')), _connector='OR'), name='consent_is_withdrawn_after_it_was_given')],
                },
            ),
            migrations.CreateModel(
                name='Question',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveSmallIntegerField()),
                    ('text', models.TextField()),
                    ('is_ranking', models.BooleanField(default=False)),
                    ('level', models.PositiveSmallIntegerField(choices=[(1, 'type'), (2, 'theme'), (3, 'sub-theme')], null=True)),
                    ('top', models.PositiveSmallIntegerField(null=True)),
                    ('audience', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='questions', to='interviews.audience')),
                    ('part', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='questions', to='interviews.part')),
                    ('taxonomy', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.taxonomy')),
                    ('under', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                ],
                options={
                    'ordering': ['position'],
                    'constraints': [models.UniqueConstraint(fields=('part', 'position'), name='question_has_its_position'), models.CheckConstraint(condition=models.Q(models.Q(('is_ranking', True), ('level__isnull', False), ('taxonomy__isnull', False)), models.Q(('is_ranking', False), ('level', None), ('taxonomy', None), ('top', None), ('under', None)), _connector='OR'), name='only_a_ranking_question_ranks_categories'), models.CheckConstraint(condition=models.Q(('top', None), ('top__gte', 1), _connector='OR'), name='a_ranking_has_a_first_place')],
                },
            ),
            migrations.CreateModel(
                name='Replacement',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('original', models.BinaryField(help_text='Encrypted')),
                    ('stand_in', models.CharField(help_text='Such as [company]', max_length=120)),
                    ('added_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('added_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('participant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='replacements', to='interviews.participant')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('stand_in', ''), _negated=True), name='a_replacement_says_something')],
                },
            ),
            migrations.CreateModel(
                name='Session',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('held_on', models.DateField()),
                    ('minutes', models.PositiveSmallIntegerField(null=True)),
                    ('added_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('guide', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='sessions', to='interviews.guide')),
                    ('interviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='interviews', to='studies.membership')),
                    ('participant', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='sessions', to='interviews.participant')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='interview_sessions', to='studies.study')),
                ],
                options={
                    'ordering': ['held_on', 'pk'],
                    'indexes': [models.Index(fields=['participant'], name='sessions_of_a_participant')],
                    'constraints': [models.UniqueConstraint(fields=('id', 'study'), name='session_has_its_study')],
                },
            ),
            migrations.CreateModel(
                name='Coding',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('opened_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('revealed_at', models.DateTimeField(null=True)),
                    ('settled_at', models.DateTimeField(null=True)),
                    ('opened_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('settled_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.version')),
                    ('session', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='coding', to='interviews.session')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('settled_at', None), ('settled_by', None)), models.Q(('revealed_at__isnull', False), ('settled_at__isnull', False), ('settled_by__isnull', False)), _connector='OR'), name='a_coding_is_settled_after_its_reveal')],
                },
            ),
            migrations.CreateModel(
                name='Coder',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('done_at', models.DateTimeField(null=True)),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='codings', to='studies.membership')),
                    ('coding', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='coders', to='interviews.coding')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('coding', 'member'), name='a_member_codes_an_interview_once'), models.UniqueConstraint(fields=('id', 'coding'), name='coder_has_their_coding')],
                },
            ),
            migrations.CreateModel(
                name='Ranking',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('recorded_at', models.DateTimeField(default=core.clock.now)),
                    ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rankings', to='interviews.question')),
                    ('recorded_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.version')),
                    ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rankings', to='interviews.session')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('session', 'question'), name='a_question_is_ranked_once')],
                },
            ),
            migrations.CreateModel(
                name='Place',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('place', models.PositiveSmallIntegerField()),
                    ('category', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('ranking', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='places', to='interviews.ranking')),
                ],
                options={
                    'ordering': ['place', 'category_id'],
                    'constraints': [models.UniqueConstraint(fields=('ranking', 'category'), name='a_category_has_one_place'), models.CheckConstraint(condition=models.Q(('place__gte', 1)), name='places_begin_with_one')],
                },
            ),
            migrations.CreateModel(
                name='RawTranscript',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('turns', models.BinaryField(help_text='Encrypted JSON: the turns of interviews.readers')),
                    ('notes', models.JSONField(default=list, help_text='What the reader left out, with the lines')),
                    ('file_format', models.CharField(max_length=8)),
                    ('imported_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('imported_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('session', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='raw', to='interviews.session')),
                ],
            ),
            migrations.CreateModel(
                name='Transcript',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveSmallIntegerField()),
                    ('note', models.CharField(blank=True, help_text='What was corrected', max_length=500)),
                    ('replaced', models.PositiveIntegerField(default=0, help_text='How many places got a stand-in')),
                    ('stored_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='transcripts', to='interviews.session')),
                    ('stored_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('session', 'number'), name='transcript_has_its_number')],
                },
            ),
            migrations.CreateModel(
                name='Turn',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField()),
                    ('speaker', models.CharField(max_length=80)),
                    ('is_interviewer', models.BooleanField(default=False)),
                    ('begins', models.PositiveIntegerField(null=True)),
                    ('text', models.TextField()),
                    ('transcript', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='turns', to='interviews.transcript')),
                ],
                options={
                    'ordering': ['position'],
                    'constraints': [models.UniqueConstraint(fields=('transcript', 'position'), name='turn_has_its_position'), models.UniqueConstraint(fields=('id', 'transcript'), name='turn_has_its_transcript')],
                },
            ),
            migrations.CreateModel(
                name='Quote',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('start', models.PositiveIntegerField()),
                    ('end', models.PositiveIntegerField()),
                    ('memo', models.TextField(blank=True)),
                    ('strength', models.PositiveSmallIntegerField(choices=[(1, 'hint'), (2, 'clear'), (3, 'strong')], null=True)),
                    ('made_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('dropped_at', models.DateTimeField(null=True)),
                    ('carried_from', models.OneToOneField(help_text='On an earlier transcript', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='carried_to', to='interviews.quote')),
                    ('coder', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='quotes', to='interviews.coder')),
                    ('coding', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='quotes', to='interviews.coding')),
                    ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('transcript', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quotes', to='interviews.transcript')),
                    ('turn', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quotes', to='interviews.turn')),
                ],
                options={
                    'indexes': [models.Index(fields=['coder'], name='quotes_of_a_coder')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('end__gt', models.F('start'))), name='a_quote_has_a_length'), models.UniqueConstraint(fields=('turn', 'coder', 'start', 'end'), name='a_span_is_quoted_once', nulls_distinct=False)],
                },
            ),
            migrations.CreateModel(
                name='QuoteCode',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('category', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='quote_codes', to='taxonomy.category')),
                    ('open_code', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='quote_codes', to='interviews.opencode')),
                    ('quote', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='codes', to='interviews.quote')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('quote', 'category', 'open_code'), name='a_quote_has_a_code_once', nulls_distinct=False), models.CheckConstraint(condition=models.Q(models.Q(('category', None), ('open_code__isnull', False)), models.Q(('category__isnull', False), ('open_code', None)), _connector='OR'), name='a_code_is_a_category_or_open')],
                },
            ),
            migrations.CreateModel(
                name='Settlement',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('method', models.CharField(choices=[('equal', 'equal codes'), ('talk', 'by discussion')], max_length=8)),
                    ('rationale', models.TextField(blank=True)),
                    ('at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('coding', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='settlements', to='interviews.coding')),
                    ('quote', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='settlement', to='interviews.quote')),
                    ('sources', models.ManyToManyField(related_name='settlements', to='interviews.quote')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('method', 'equal'), ('by__isnull', False), _connector='OR'), name='people_stand_behind_a_discussion')],
                },
            ),
            migrations.CreateModel(
                name='ImportedCodebook',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=200)),
                    ('is_published', models.BooleanField(default=False)),
                    ('imported_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('imported_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='imported_codebooks', to='studies.study')),
                    ('version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.version')),
                ],
                options={
                    'ordering': ['-pk'],
                    'constraints': [models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='an_imported_codebook_is_named')],
                },
            ),
            migrations.CreateModel(
                name='CodebookEntry',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('line', models.PositiveIntegerField(help_text='In the file')),
                    ('participant', models.TextField(blank=True)),
                    ('kind', models.TextField(blank=True)),
                    ('experience', models.TextField(blank=True)),
                    ('context', models.TextField(blank=True)),
                    ('prompt', models.TextField(blank=True)),
                    ('quote', models.TextField(blank=True)),
                    ('linked', models.TextField(blank=True)),
                    ('insight', models.TextField(blank=True)),
                    ('codebook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='interviews.importedcodebook')),
                ],
                options={
                    'ordering': ['line'],
                    'constraints': [models.UniqueConstraint(fields=('codebook', 'line'), name='an_entry_has_its_line')],
                },
            ),
        ]),
        SqlBeside(__file__),
    ]
