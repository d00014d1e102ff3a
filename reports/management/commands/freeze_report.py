"""Freeze the agreement report of a round."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.errors import DomainError
from reports.actions.frozen import freeze_report
from reports.management.commands.agreement import chosen_round


class Command(BaseCommand):
    help = "Freeze the agreement report of a round under a name. Nothing changes its numbers any more."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--study", required=True, metavar="SLUG")
        parser.add_argument("--round", metavar="NAME", help="required if the study has several")
        parser.add_argument("--name", required=True, help="name of the frozen report")
        parser.add_argument(
            "--without-coached",
            action="store_true",
            help="leave out the issues that volunteers were coached on in a pilot or training",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        round_ = chosen_round(options["study"], options["round"])
        try:
            frozen = freeze_report(
                round_=round_, by=None, name=options["name"], without_coached=options["without_coached"]
            )
        except DomainError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{frozen.name}: {frozen.issues} issues, labels_long.csv {frozen.inputs_hash}")
