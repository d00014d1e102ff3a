"""Close an account: all its sessions, tokens and links end at once."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.actions import close_account
from accounts.models import User


class Command(BaseCommand):
    help = "Closes the account with this email address: sessions, tokens and links end; labels stay."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(email__iexact=options["email"], is_active=True).first()
        if user is None:
            raise CommandError(f"Nobody with an open account has the address {options['email']}.")
        close_account(user=user)
        self.stdout.write(f"The account of {user.name} is closed.")
