"""Load a published study."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from core.errors import DomainError
from ingest.models import ImportRow
from ingest.terminal import account, progress_bar
from replication.actions.published import import_study


class Command(BaseCommand):
    help = (
        "Load a folder of the published layout (Repo/Repo.csv, Repo/Repo_YEAR.txt, taxonomy.csv) as a study."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("--study", required=True, metavar="SLUG", help="made if it is not there")
        parser.add_argument("--name", default="", help="of a new study; the folder's name if not given")
        parser.add_argument(
            "--owner", metavar="EMAIL", help="who owns the study; the first account if not given"
        )
        parser.add_argument(
            "--strict",
            action="store_true",
            help="refuse the whole study if rows label one issue differently;"
            " without this the first of them counts, and the others are reported",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        folder = Path(options["folder"])
        if not folder.is_dir():
            raise CommandError(f"{folder} is not a folder.")
        owner = _owner(options["owner"])
        with progress_bar() as report:
            try:
                done = import_study(
                    folder=folder,
                    slug=options["study"],
                    name=options["name"],
                    owner=owner,
                    strict=options["strict"],
                    report=report,
                )
            except DomainError as error:
                raise CommandError(str(error.message)) from error
        if done.unchanged:
            self.stdout.write("Imported before, and nothing has changed: nothing was done.")
        for name in done.skipped:
            self.stdout.write(f"skipped: {name}")
        for row in ImportRow.objects.filter(run=done.run).order_by("pk").iterator():
            self.stdout.write(f"{row.file}, line {row.line}: {row.message}  {row.raw}")
        self.stdout.write(", ".join(f"{count:,} {name}" for name, count in done.counts.items()))
        if owner is None:
            self.stdout.write(
                "No account owns the study: run this again with --owner EMAIL to see it in the browser."
            )


def _owner(email: str | None) -> User | None:
    if email is None:
        return User.objects.filter(is_active=True).order_by("pk").first()
    return account(email)
