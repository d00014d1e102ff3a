"""What walks, selections and resolved addresses remember beside what the tables before it have."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ingest', '0003_similar_reports'),
    ]

    operations = [
        migrations.AddField(
            model_name='harvest',
            name='budget',
            field=models.PositiveIntegerField(help_text='Seconds that one run may take, then it pauses', null=True),
        ),
        migrations.AddField(
            model_name='harvestedissue',
            name='comment_count',
            field=models.PositiveIntegerField(help_text='As its forge says', null=True),
        ),
        migrations.AddField(
            model_name='harvestedissue',
            name='forge_id',
            field=models.CharField(blank=True, db_default='', default='', help_text="The forge's own id, if it said it", max_length=40),
        ),
        migrations.AddField(
            model_name='harvestedissue',
            name='is_matched',
            field=models.BooleanField(db_default=False, default=False, help_text='The latest selection chose it'),
        ),
        migrations.AddField(
            model_name='harvestedissue',
            name='vanished_at',
            field=models.DateTimeField(help_text='When its forge had it no longer', null=True),
        ),
        migrations.AddField(
            model_name='harvestedrepository',
            name='missing_url',
            field=models.TextField(blank=True, db_default='', default='', help_text='The page that could not be had; the walk goes on at it'),
        ),
        migrations.AddField(
            model_name='harvestedrepository',
            name='quiet_until',
            field=models.DateTimeField(help_text='Its forge asked for no request before', null=True),
        ),
        migrations.AddField(
            model_name='harvestpage',
            name='total',
            field=models.PositiveIntegerField(help_text='Of the whole list, if its forge says it', null=True),
        ),
        migrations.AddField(
            model_name='issue',
            name='fate',
            field=models.CharField(blank=True, choices=[('transferred', 'moved to another repository'), ('gone', 'no longer on the forge')], db_default='', default='', max_length=16),
        ),
        migrations.AddField(
            model_name='issue',
            name='moved_to',
            field=models.CharField(blank=True, db_default='', default='', max_length=500),
        ),
        migrations.AddField(
            model_name='issue',
            name='resolved_at',
            field=models.DateTimeField(help_text='When its forge was asked what it is', null=True),
        ),
        migrations.AddField(
            model_name='selection',
            name='finished_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='selection',
            name='searched_to',
            field=models.BigIntegerField(db_default=0, default=0, help_text='Id of the last fetched issue that was looked at'),
        ),
        migrations.AlterField(
            model_name='harvestedissue',
            name='outcome',
            field=models.CharField(blank=True, choices=[('outside', 'opened outside the window'), ('pull_request', 'pull request, left out'), ('vanished', 'no longer on the forge'), ('unmatched', 'no keyword'), ('path_only', 'keywords only in addresses, paths or names'), ('refused', 'cannot be stored'), ('kept', 'kept')], max_length=16),
        ),
        migrations.AlterField(
            model_name='harvestedrepository',
            name='phase',
            field=models.CharField(choices=[('counting', 'asking for its size'), ('listing', 'listing issues'), ('pulls', 'listing pull requests'), ('closing', 'looking for late changes'), ('comments', 'fetching comments'), ('late_comments', 'looking for late comments'), ('late_pulls', 'looking for late changes of pull requests'), ('missed_comments', 'fetching comments that were missed'), ('checking', "comparing with the forge's count"), ('gaps', 'asking for numbers that are missing'), ('again', 'listing again what was missed'), ('done', 'fetched')], default='counting', max_length=16),
        ),
        migrations.AlterField(
            model_name='harvestpage',
            name='phase',
            field=models.CharField(choices=[('counting', 'asking for its size'), ('listing', 'listing issues'), ('pulls', 'listing pull requests'), ('closing', 'looking for late changes'), ('comments', 'fetching comments'), ('late_comments', 'looking for late comments'), ('late_pulls', 'looking for late changes of pull requests'), ('missed_comments', 'fetching comments that were missed'), ('checking', "comparing with the forge's count"), ('gaps', 'asking for numbers that are missing'), ('again', 'listing again what was missed'), ('done', 'fetched')], max_length=16),
        ),
        migrations.AddIndex(
            model_name='harvestedissue',
            index=models.Index(fields=['repository', 'forge_id'], name='harvested_issues_by_forge_id'),
        ),
    ]
