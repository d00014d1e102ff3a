"""The weights that a study makes for agreement with partial credit."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('reports', '0001_initial'),
        ('studies', '0001_initial'),
        ('taxonomy', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='WeightMatrix',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='From 1 on in each version')),
                ('text', models.TextField(blank=True)),
                ('set_at', models.DateTimeField()),
                ('set_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.membership')),
                ('version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='weight_matrices', to='taxonomy.version')),
            ],
            options={
                'constraints': [models.UniqueConstraint(models.F('version'), models.F('number'), name='weight_matrix_number_is_unique_in_a_version')],
            },
        ),
    ]
