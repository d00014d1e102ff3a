"""Write the replication package of a study."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from replication.package import MANIFEST, write_package
from reports.management.commands.agreement import chosen_round
from rounds.actions.seals import seal_for_package
from rounds.queries.blindness import Reader


class Command(BaseCommand):
    help = "Write the replication package of a round, with the published layout, into a folder or a zip."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--study", required=True, metavar="SLUG")
        parser.add_argument("--round", metavar="NAME", help="required if the study has several")
        parser.add_argument("--to", required=True, type=Path, metavar="DIR_OR_ZIP")
        parser.add_argument(
            "--without-coached",
            action="store_true",
            help="leave out the issues that volunteers were coached on in a pilot or training",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        to = Path(options["to"])
        try:
            round_ = chosen_round(options["study"], options["round"])
            seal_for_package(round_)
            written = write_package(
                round_, to, reader=Reader(None), without_coached=options["without_coached"]
            )
        except OSError as error:
            raise CommandError(f"{to} could not be written: {error.strerror}.") from error
        for name, digest in written.items():
            self.stdout.write(f"{digest[:12]}  {name}")
        self.stdout.write(f"{len(written)} files in {to}")
        self.stdout.write(f"SHA-256 of {MANIFEST}: {written[MANIFEST]}")
