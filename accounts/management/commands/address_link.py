"""Print a link that changes somebody's address, for a server that sends no mail."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email

from accounts.actions import ask_for_address
from accounts.mails import address_link
from accounts.models import User


class Command(BaseCommand):
    help = "Prints a link that changes the address of a user, once, within a day."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="the address of now")
        parser.add_argument("new", help="the new address")
        parser.add_argument(
            "--address",
            default=settings.SITE_URL,
            help="of this server, as people reach it (%(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(email__iexact=options["email"], is_active=True).first()
        if user is None:
            raise CommandError(f"Nobody with an open account has the address {options['email']}.")
        try:
            validate_email(options["new"])
        except ValidationError as error:
            raise CommandError(f"{options['new']} is no email address.") from error
        token = ask_for_address(user=user, email=options["new"])
        self.stdout.write(address_link(token, options["address"]))
