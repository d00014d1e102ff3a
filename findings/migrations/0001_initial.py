"""All tables of this room."""

import core.clock
import django.db.models.deletion
from django.db import migrations, models

from core.sql.tables import CreateTables


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('ingest', '0001_initial'),
        ('interviews', '0001_initial'),
        ('rounds', '0001_initial'),
        ('studies', '0001_initial'),
        ('taxonomy', '0001_initial'),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='Finding',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField()),
                    ('text', models.TextField()),
                    ('revision', models.PositiveIntegerField(default=1, help_text='Grows with each change of the text')),
                    ('made_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('frozen_at', models.DateTimeField(null=True)),
                    ('deleted_at', models.DateTimeField(null=True)),
                    ('frozen_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='findings', to='studies.study')),
                ],
                options={
                    'ordering': ['position', 'pk'],
                    'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_finding_says_something'), models.CheckConstraint(condition=models.Q(models.Q(('frozen_at', None), ('frozen_by', None)), models.Q(('frozen_at__isnull', False), ('frozen_by__isnull', False)), _connector='OR'), name='somebody_froze_a_frozen_finding'), models.CheckConstraint(condition=models.Q(('frozen_at', None), ('deleted_at', None), _connector='OR'), name='a_frozen_finding_is_not_deleted')],
                },
            ),
            migrations.CreateModel(
                name='Evidence',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField(help_text='Its name in the text of the finding; never used again')),
                    ('kind', models.CharField(choices=[('quote', 'settled quote'), ('issue', 'issue'), ('ranking', 'ranking'), ('number', 'number of a report')], max_length=8)),
                    ('level', models.CharField(blank=True, max_length=16)),
                    ('figure', models.JSONField(default=list, help_text='Part of the report, its element, name of the number')),
                    ('note', models.CharField(blank=True, max_length=500)),
                    ('noted', models.JSONField(default=dict)),
                    ('attached_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('removed_at', models.DateTimeField(null=True)),
                    ('attached_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('category', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                    ('issue', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ingest.issue')),
                    ('question', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='interviews.question')),
                    ('quote', models.ForeignKey(help_text='Empty once its settlement is undone', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='interviews.quote')),
                    ('round', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='rounds.round')),
                    ('finding', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='findings.finding')),
                ],
                options={
                    'ordering': ['number'],
                    'constraints': [models.UniqueConstraint(fields=('finding', 'number'), name='evidence_has_its_number'), models.CheckConstraint(condition=models.Q(('kind', 'quote'), models.Q(('issue__isnull', False), ('kind', 'issue')), models.Q(('category__isnull', False), ('kind', 'ranking'), ('question__isnull', False)), models.Q(('kind', 'number'), ('round__isnull', False), models.Q(('figure', []), _negated=True), models.Q(('level', ''), _negated=True)), _connector='OR'), name='evidence_names_its_source')],
                },
            ),
        ]),
    ]
