"""Tokens that exist may do everything, as before, and are named for their date."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0002_tokens_have_terms'),
    ]

    operations = [
        migrations.RunSQL(
            """INSERT INTO accounts_tokenterms (token_id, name, scope)
               SELECT digest, to_char(created AT TIME ZONE 'UTC', 'YYYY-MM-DD'), 'manage' FROM knox_authtoken
               ON CONFLICT DO NOTHING""",
            migrations.RunSQL.noop,
        ),
    ]
