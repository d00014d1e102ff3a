"""Erase a person: name, address and everything that identifies them; labels stay."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from core.errors import DomainError
from studies.actions import erase_person


class Command(BaseCommand):
    help = "Erases who the person with this email address is. Labels stay under the pseudonym. No way back."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(email__iexact=options["email"]).first()
        if user is None:
            raise CommandError(f"Nobody has the address {options['email']}.")
        try:
            studies = erase_person(user=user)
        except DomainError as error:
            raise CommandError(str(error.message)) from error
        self.stdout.write(f"The person is erased. Studies with labels or a seat of theirs: {studies}.")
