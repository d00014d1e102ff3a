"""A motion keeps what its title names, so that each reader gets the title in their own language."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("taxonomy", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="motion",
            name="names",
            field=models.JSONField(
                blank=True,
                db_default={},
                default=dict,
                help_text="What the title names, as change_titles.names_of; empty for an older motion",
            ),
        ),
        migrations.AlterField(
            model_name="motion",
            name="title",
            field=models.CharField(max_length=250, help_text="In the language of who opened it"),
        ),
    ]
