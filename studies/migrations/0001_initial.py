"""All tables of this room; 0001_initial.sql holds what Django cannot say about them."""

import core.clock
import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

from core.sql.beside import SqlBeside
from core.sql.tables import CreateTables


class Migration(migrations.Migration):

    initial = True

    # A database that has run all of these goes on as it is (docs/decisions/0042).
    replaces = [
        ('studies', '0002_texts_in_chinese'),
    ]

    dependencies = [
        ('accounts', '__first__'),
        # Packages whose tables refer to people come first: later, each of their steps would build all models again.
        ('account', '0009_emailaddress_unique_primary_email'),
        ('knox', '0009_extend_authtoken_field'),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='Study',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(allow_unicode=True, max_length=80, unique=True)),
                    ('name', models.CharField(max_length=200, verbose_name='name')),
                    ('description', models.TextField(blank=True, verbose_name='description')),
                    ('created_at', models.DateTimeField(default=core.clock.now, editable=False)),
                ],
                options={
                    'verbose_name_plural': 'studies',
                },
            ),
            migrations.CreateModel(
                name='Membership',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('role', models.CharField(choices=[('owner', 'owner'), ('lead', 'lead'), ('volunteer', 'volunteer'), ('viewer', 'viewer'), ('model', 'model')], max_length=16)),
                    ('pseudonym', models.CharField(max_length=32)),
                    ('joined_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('left_at', models.DateTimeField(null=True)),
                    ('gets_digest', models.BooleanField(db_default=True, default=True, help_text='A mail a day with what waits for them, when something does')),
                    ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='studies.study')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'user'), name='one_membership_per_person_and_study'), models.UniqueConstraint(models.F('study'), django.db.models.functions.text.Lower('pseudonym'), name='pseudonym_is_unique_in_a_study'), models.CheckConstraint(condition=models.Q(('role__in', ['owner', 'lead', 'volunteer', 'viewer', 'model'])), name='membership_role_is_known')],
                },
            ),
            migrations.CreateModel(
                name='Event',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('verb', models.CharField(help_text='room.verb, such as rounds.opened', max_length=64)),
                    ('detail', models.JSONField(default=dict)),
                    ('at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='studies.study')),
                ],
                options={
                    'indexes': [models.Index(fields=['study', '-id'], name='events_newest_first')],
                },
            ),
            migrations.CreateModel(
                name='Invitation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('role', models.CharField(choices=[('owner', 'owner'), ('lead', 'lead'), ('volunteer', 'volunteer'), ('viewer', 'viewer'), ('model', 'model')], max_length=16)),
                    ('note', models.CharField(blank=True, max_length=200, verbose_name='for whom')),
                    ('token_hash', models.CharField(max_length=64, unique=True)),
                    ('created_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('expires_at', models.DateTimeField()),
                    ('accepted_at', models.DateTimeField(null=True)),
                    ('revoked_at', models.DateTimeField(null=True)),
                    ('accepted_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='studies.study')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('role__in', ['owner', 'lead', 'volunteer', 'viewer', 'model'])), name='invitation_role_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('accepted_at', None), ('accepted_by', None)), models.Q(('accepted_at__isnull', False), ('accepted_by__isnull', False), ('revoked_at', None)), _connector='OR'), name='invitation_is_accepted_by_somebody_at_a_time')],
                },
            ),
            migrations.CreateModel(
                name='Guideline',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('text', models.TextField()),
                    ('note', models.CharField(blank=True, help_text='What changed and why, in a sentence', max_length=500)),
                    ('published_at', models.DateTimeField(default=core.clock.now)),
                    ('published_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='guidelines', to='studies.study')),
                    ('text_zh', models.TextField(blank=True, db_default='', default='', help_text='The same in Chinese; empty: not translated')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'number'), name='guideline_number_is_unique_in_a_study')],
                },
            ),
            migrations.CreateModel(
                name='GuidelineReading',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('read_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('guideline', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='readings', to='studies.guideline')),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='studies.membership')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('guideline', 'member'), name='a_guideline_is_read_once')],
                },
            ),
        ]),
        SqlBeside(__file__),
    ]
