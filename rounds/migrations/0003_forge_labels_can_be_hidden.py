"""A round can hide the labels that issues have on their forge."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("rounds", "0002_versions_that_nobody_voted_on"),
    ]

    operations = [
        migrations.AddField(
            model_name='round',
            name='forge_labels',
            field=models.CharField(choices=[('shown', 'shown to volunteers'), ('hidden', 'hidden until the labels of the round are revealed')], db_default='shown', default='shown', max_length=8),
        ),
    ]
