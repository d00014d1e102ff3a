import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


KEY = "model_label_is_on_an_issue_of_its_round"


class Migration(migrations.Migration):

    dependencies = [
        ('annotate', '0015_surplus_labels'),
        ('ingest', '0004_finds_of_keywords'),
        ('studies', '0004_digest'),
        ('taxonomy', '0003_a_proposal_is_a_name'),
    ]

    operations = [
        migrations.CreateModel(
            name='ModelLabel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('summary', models.CharField(blank=True, max_length=500)),
                ('submitted_at', models.DateTimeField()),
                ('category', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.category')),
                ('issue', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='model_labels', to='ingest.issue')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='model_labels', to='studies.membership')),
                ('round', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='model_labels', to='annotate.round')),
                ('version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='taxonomy.version')),
            ],
            options={
                'indexes': [models.Index(fields=['round', 'member', 'id'], name='labels_of_one_model')],
                'constraints': [models.UniqueConstraint(fields=('round', 'issue', 'member'), include=('category',), name='one_label_per_model_and_issue')],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='modellabel',
            trigger=pgtrigger.compiler.Trigger(name='model_labels_stay', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='99f9436cc75ebeaedb1ce8f72b07826da50b6a10', operation='UPDATE OR DELETE', pgid='pgtrigger_model_labels_stay_b93b1', table='annotate_modellabel', when='BEFORE')),
        ),
        # Made with the table, when it is empty: nothing is scanned. Django knows no keys of two columns.
        migrations.RunSQL(
            f"ALTER TABLE annotate_modellabel ADD CONSTRAINT {KEY}"
            " FOREIGN KEY (round_id, issue_id) REFERENCES annotate_roundissue (round_id, issue_id)"
            " DEFERRABLE INITIALLY DEFERRED",
            f"ALTER TABLE annotate_modellabel DROP CONSTRAINT {KEY}",
        ),
    ]
