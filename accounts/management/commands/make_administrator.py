"""Let somebody see the page of the server, or no longer."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import ProgrammingError

from accounts.actions import make_administrator
from accounts.models import User
from core.upkeep.roles import before_migrate, is_before_migrate


class Command(BaseCommand):
    help = "Makes the person with this email address an administrator of the server; --end takes it back."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--end", action="store_true", help="no longer an administrator")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            user = User.objects.filter(email__iexact=options["email"], is_active=True).first()
        except ProgrammingError as error:
            if is_before_migrate(error):
                raise CommandError(before_migrate()) from error
            raise
        if user is None:
            raise CommandError(f"Nobody with an open account has the address {options['email']}.")
        make_administrator(user=user, is_one=not options["end"])
        said = "no longer administers" if options["end"] else "administers"
        self.stdout.write(f"{user.name} {said} this server.")
