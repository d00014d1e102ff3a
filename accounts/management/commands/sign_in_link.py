"""Print a link that signs somebody in once."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from accounts.actions import make_sign_in_link
from accounts.models import User


class Command(BaseCommand):
    help = "Prints a link that signs the user with this email address in, once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--hours", type=float, default=24, help="how long it can be used (24)")
        parser.add_argument(
            "--address",
            default=settings.SITE_URL,
            help="of this server, as people reach it (%(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(email__iexact=options["email"], is_active=True).first()
        if user is None:
            raise CommandError(f"Nobody with an open account has the address {options['email']}.")
        if not 0 < options["hours"] <= 24 * 30:
            raise CommandError("--hours must be over 0 and at most 720 (30 days).")
        token = make_sign_in_link(user, timedelta(hours=options["hours"]))
        self.stdout.write(options["address"].rstrip("/") + reverse("sign_in_link", args=[token]))
