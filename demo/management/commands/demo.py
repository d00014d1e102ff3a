"""Load the demonstration study, and print links that sign in."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.actions import make_sign_in_link
from annotate.queries.labels import progress
from core.errors import DomainError
from demo.demonstration import load_demonstration
from demo.rounds import MAIN_ROUND
from rounds.models import Round
from studies.models import Membership

VISITORS = ("R3", "R2", "R1", "V1")


class Command(BaseCommand):
    help = "Loads the demonstration study if it is not there, and prints links that sign in, once each."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--address",
            default=f"http://127.0.0.1:{settings.PORT}",
            help="where the platform runs (default: %(default)s)",
        )

    def handle(self, *args: Any, address: str, **options: Any) -> None:
        try:
            found = load_demonstration()
        except DomainError as error:
            raise CommandError(str(error.message)) from error
        said = (
            _("The demonstration study “%(name)s” is loaded.")
            if found.loaded
            else _("The demonstration study “%(name)s” was loaded earlier. All changes in it are kept.")
        )
        self.stdout.write(said % {"name": found.study.name})
        for pseudonym in VISITORS:
            member = found.members.get(pseudonym)
            if member and member.user and member.user.is_active and member.left_at is None:
                path = reverse("sign_in_link", args=[make_sign_in_link(member.user)])
                self.stdout.write(_("Sign in as %(who)s:") % {"who": self.style.SUCCESS(introduced(member))})
                self.stdout.write(f"    {address.rstrip('/')}{path}")
        self.stdout.write(_("Each link works once, within a day. The next start prints new links."))


def introduced(member: Membership) -> str:
    """A member in a line: name, pseudonym and role; for a volunteer the number of issues left to label."""
    words = [member.pseudonym, str(member.get_role_display())]
    round_ = Round.objects.filter(study=member.study, name=MAIN_ROUND).first()
    if round_ and member.role == "volunteer":
        left = progress(round_, member).left
        words.append(
            ngettext("%(count)d issue to label", "%(count)d issues to label", left) % {"count": left}
        )
    if member.user and member.user.is_superuser:
        words.append(_("administrator of the server"))
    return f"{member.user} ({', '.join(words)})"
