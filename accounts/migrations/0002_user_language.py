from django.db import migrations, models


class Migration(migrations.Migration):
    """A language that an account remembers."""

    dependencies = [("accounts", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="language",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="A code of settings.LANGUAGES; empty: as the browser asks",
                max_length=12,
            ),
        ),
    ]
