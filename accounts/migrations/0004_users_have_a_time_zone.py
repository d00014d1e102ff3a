"""The time zone in which somebody reads dates; empty is that of the server, as before."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_existing_tokens_manage'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='time_zone',
            field=models.CharField(blank=True, db_default='', default='', help_text='Name in the database of time zones; empty: that of the server', max_length=64),
        ),
    ]
