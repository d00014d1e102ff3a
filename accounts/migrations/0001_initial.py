"""All tables of this room."""

import core.clock
import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

from core.sql.tables import CreateTables


class Migration(migrations.Migration):

    initial = True

    # A database that has run all of these goes on as it is (docs/decisions/0042).
    replaces = [
        ('accounts', '0002_user_language'),
        ('accounts', '0003_plain_words'),
    ]

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='User',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('password', models.CharField(max_length=128, verbose_name='password')),
                    ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                    ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                    ('email', models.EmailField(max_length=254, verbose_name='email address')),
                    ('name', models.CharField(max_length=150, verbose_name='name')),
                    ('is_active', models.BooleanField(default=True)),
                    ('may_create_studies', models.BooleanField(default=False)),
                    ('joined_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('seen_at', models.DateTimeField(help_text='Last request, to the minute', null=True)),
                    ('language', models.CharField(blank=True, db_default='', default='', help_text='A code of settings.LANGUAGES; empty: as the browser asks', max_length=12)),
                    ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                    ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('email'), name='one_account_per_email_address', violation_error_message='This address already has an account.')],
                },
            ),
            migrations.CreateModel(
                name='SignInLink',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('token_hash', models.CharField(max_length=64, unique=True)),
                    ('created_at', models.DateTimeField(default=core.clock.now, editable=False)),
                    ('expires_at', models.DateTimeField()),
                    ('used_at', models.DateTimeField(null=True)),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sign_in_links', to=settings.AUTH_USER_MODEL)),
                ],
            ),
        ]),
    ]
