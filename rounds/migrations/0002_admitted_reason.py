"""A lead who lets a volunteer in without a passed training says why."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('rounds', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='roundvolunteer',
            name='admitted_reason',
            field=models.TextField(db_default='', default='', help_text='Empty also for admissions before reasons were asked'),
        ),
        migrations.AddConstraint(
            model_name='roundvolunteer',
            constraint=models.CheckConstraint(condition=models.Q(('admitted_reason', ''), ('admitted_at__isnull', False), _connector='OR'), name='only_admissions_have_a_reason'),
        ),
    ]
