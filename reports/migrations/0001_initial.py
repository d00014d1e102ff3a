"""All tables of this room."""

import django.db.models.deletion
import django.db.models.functions.text
from django.db import migrations, models

from core.sql.tables import CreateTables


class Migration(migrations.Migration):

    initial = True

    # A database that has run all of these goes on as it is (docs/decisions/0042).
    replaces = [
        ('reports', '0002_reports_without_coached_issues'),
    ]

    dependencies = [
        ('rounds', '0001_initial'),
        ('studies', '0001_initial'),
        ('taxonomy', '0001_initial'),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='FrozenReport',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=120)),
                    ('code_version', models.CharField(help_text='Of Crosscheck', max_length=32)),
                    ('inputs_hash', models.CharField(help_text='SHA-256, hexadecimal', max_length=64)),
                    ('issues', models.PositiveIntegerField(help_text='Complete, revealed ones')),
                    ('document', models.TextField()),
                    ('frozen_at', models.DateTimeField()),
                    ('frozen_by', models.ForeignKey(help_text='Nobody: by the command', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='frozen_reports', to='rounds.round')),
                    ('version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.version')),
                    ('without_coached', models.BooleanField(db_default=False, default=False, help_text='Issues that volunteers were coached on are left out')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(models.F('round'), django.db.models.functions.text.Lower('name'), name='frozen_report_name_is_unique_in_a_round'), models.CheckConstraint(condition=models.Q(models.Q(('name', ''), _negated=True), ('inputs_hash__regex', '^[0-9a-f]{64}$')), name='frozen_report_has_a_name_and_a_hash')],
                },
            ),
        ]),
    ]
