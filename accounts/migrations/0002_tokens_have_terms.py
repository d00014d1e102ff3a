"""The name, scope and last use of API tokens, in a table beside that of django-rest-knox."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_initial'),
        ('knox', '0009_extend_authtoken_field'),
    ]

    operations = [
        migrations.CreateModel(
            name='TokenTerms',
            fields=[
                ('token', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='terms', serialize=False, to=settings.KNOX_TOKEN_MODEL)),
                ('name', models.CharField(max_length=80)),
                ('scope', models.CharField(choices=[('read', 'Read'), ('label', 'Read and label'), ('manage', 'Everything that you may do')], max_length=6)),
                ('used_at', models.DateTimeField(help_text='Last use, to the minute', null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='a_token_has_a_name'), models.CheckConstraint(condition=models.Q(('scope__in', ['read', 'label', 'manage'])), name='a_token_reads_labels_or_manages')],
            },
        ),
        # The code before this migration deletes tokens without knowing of their terms: the database deletes them.
        migrations.RunSQL(
            """ALTER TABLE accounts_tokenterms ADD CONSTRAINT terms_go_with_their_token
               FOREIGN KEY (token_id) REFERENCES knox_authtoken (digest) ON DELETE CASCADE""",
            "ALTER TABLE accounts_tokenterms DROP CONSTRAINT terms_go_with_their_token",
        ),
    ]
