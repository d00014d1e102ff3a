"""The protocol of a study, and reasons of its deviations."""

import core.clock
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('studies', '0005_a_deletion_waits'),
        ('taxonomy', '0003_proposed_names_can_be_joined'),
    ]

    operations = [
        migrations.CreateModel(
            name='DeviationReason',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('deviation', models.CharField(max_length=80)),
                ('text', models.TextField()),
                ('written_at', models.DateTimeField(default=core.clock.now, editable=False)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deviation_reasons', to='studies.study')),
                ('written_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(fields=['study', 'deviation'], name='reasons_of_a_deviation')],
                'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_reason_says_something')],
            },
        ),
        migrations.CreateModel(
            name='Protocol',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('plan', models.JSONField(default=dict)),
                ('taken', models.JSONField(default=list)),
                ('reason', models.TextField(blank=True, help_text='Why the plan changed; empty in the first version')),
                ('before', models.JSONField(default=list)),
                ('revision', models.PositiveIntegerField(default=1, help_text='Grows with each change of the draft')),
                ('made_at', models.DateTimeField(default=core.clock.now, editable=False)),
                ('saved_at', models.DateTimeField(null=True)),
                ('frozen_at', models.DateTimeField(null=True)),
                ('document', models.TextField(blank=True)),
                ('digest', models.CharField(blank=True, help_text='SHA-256 of the document, hexadecimal', max_length=64)),
                ('frozen_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                ('saved_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='protocols', to='studies.study')),
                ('version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.version')),
            ],
            options={
                'ordering': ['number'],
                'constraints': [models.UniqueConstraint(fields=('study', 'number'), name='protocol_number_is_unique_in_a_study'), models.UniqueConstraint(condition=models.Q(('frozen_at', None)), fields=('study',), name='a_study_has_one_draft_of_its_protocol'), models.CheckConstraint(condition=models.Q(models.Q(('digest', ''), ('document', ''), ('frozen_at', None), ('frozen_by', None)), models.Q(('digest__regex', '^[0-9a-f]{64}$'), ('frozen_at__isnull', False), ('frozen_by__isnull', False), models.Q(('document', ''), _negated=True)), _connector='OR'), name='a_frozen_protocol_has_author_and_hash')],
            },
        ),
    ]
