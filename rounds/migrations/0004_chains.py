"""Seals of rounds, and the door through which they go with their study."""

import django.db.models.deletion
from django.db import migrations, models

from core.sql.beside import SqlBeside


class Migration(migrations.Migration):

    dependencies = [
        ('rounds', '0003_past_admissions'),
        ('studies', '0005_a_deletion_waits'),
    ]

    operations = [
        migrations.CreateModel(
            name='Seal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='1 for the first seal of a round, and so on')),
                ('previous', models.CharField(help_text='Digest of the seal before; zeros for the first', max_length=64)),
                ('at', models.DateTimeField(help_text='Never before the seal before, whatever the clock says')),
                ('why', models.CharField(choices=[('regular', 'Regular'), ('first', 'First'), ('imported', 'Imported'), ('close', 'Close'), ('minutes', 'Minutes'), ('freeze', 'Freeze'), ('package', 'Package')], help_text='first: its events are sealed from then on, their order before is not', max_length=16)),
                ('events', models.PositiveIntegerField()),
                ('digest', models.CharField(max_length=64)),
                ('round', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='seals', to='rounds.round')),
                ('study', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='studies.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('round', 'number'), name='seals_of_a_round_are_numbered'),
                    models.UniqueConstraint(fields=('round', 'previous'), name='a_chain_does_not_fork'),
                    models.CheckConstraint(condition=models.Q(('events__gte', 1), ('number__gte', 1)), name='a_seal_covers_something'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SealedEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('place', models.PositiveIntegerField()),
                ('kind', models.CharField(max_length=16)),
                ('key', models.BigIntegerField(help_text='Of the row')),
                ('salt', models.UUIDField()),
                ('digest', models.BinaryField(max_length=32)),
                ('seal', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='covered', to='rounds.seal')),
            ],
            options={
                'indexes': [models.Index(fields=['kind', 'key'], name='sealed_events_by_row')],
                'constraints': [models.UniqueConstraint(fields=('seal', 'place'), name='sealed_events_are_in_order')],
            },
        ),
        SqlBeside(__file__),
    ]
