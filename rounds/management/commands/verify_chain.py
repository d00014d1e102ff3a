from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError
from django.utils.translation import gettext as _

from rounds.models import Round
from rounds.queries.seals import faults_of, head_of


class Command(BaseCommand):
    """Checks the chains of a study's rounds against what the database has now."""

    help = "Says of each round of a study whether its chain is whole; ends with 1 if one is not."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="slug of the study")

    def handle(self, *args: Any, **options: Any) -> None:
        rounds = list(Round.objects.filter(study__slug=options["study"]).order_by("pk"))
        if not rounds:
            raise CommandError(_("There is no round in a study %(slug)s.") % {"slug": options["study"]})
        wrong = 0
        for round_ in rounds:
            head = head_of(round_)
            if head is None:
                self.stdout.write(_("%(round)s: nothing is sealed yet") % {"round": round_.name})
                continue
            found = [str(fault) for fault in faults_of(round_)]
            for line in found:
                self.stdout.write(self.style.ERROR(line))
            wrong += len(found)
            if not found:
                words = _("%(round)s: whole, %(n)d seals, head %(head)s")
                self.stdout.write(words % {"round": round_.name, "n": head.number, "head": head.digest})
        if wrong:
            raise CommandError(_("%(n)d things are not as they were sealed.") % {"n": wrong})
