"""A lead can release coders who have not begun, or reopen the work of one."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('interviews', '0001_initial'),
        ('studies', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='coder',
            name='released_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddConstraint(
            model_name='coder',
            constraint=models.CheckConstraint(condition=models.Q(('done_at', None), ('released_at', None), _connector='OR'), name='a_released_coder_is_not_done'),
        ),
    ]
