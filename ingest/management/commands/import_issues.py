"""Load issues from files."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _
from rich.console import Console
from rich.table import Table

from accounts.models import User
from core import jobs
from core.errors import DomainError
from core.models import Job
from ingest import actions, files
from ingest.forms.readings import ReadingForm
from ingest.models import Import, ImportRow
from ingest.queries.imports import former_import
from ingest.queries.previews import preview
from ingest.readers import ENCODINGS, FIELDS
from ingest.terminal import account, progress_bar
from ingest.words import COUNT_NAMES, FIELD_NAMES, format_in_words
from studies.actions import create_study, is_slug
from studies.models import Study

ROWS_SHOWN = 20
CELL = 60


class Command(BaseCommand):
    help = (
        "Load issues: lists of addresses, CSV, JSON, JSONL (answers of forges and `gh issue list --json`"
        " output included). Shows how a file is read before anything is stored. The same file again changes"
        " nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
        parser.add_argument("--study", required=True, metavar="SLUG")
        parser.add_argument("--yes", action="store_true", help="do not ask; needed where nobody can answer")
        parser.add_argument(
            "--owner", metavar="EMAIL", help="in whose name; owns the study if it is not there and gets made"
        )
        parser.add_argument("--encoding", choices=ENCODINGS, help="of files that are not UTF-8")
        reading = parser.add_argument_group("how files are read, where they do not say it themselves")
        reading.add_argument(
            "--field",
            action="append",
            default=[],
            metavar="FIELD=COLUMN",
            help=f"read a field from this column or key; repeats; fields: {', '.join(FIELDS)}",
        )
        reading.add_argument("--base", metavar="REPOSITORY", help="of rows without an address, or their host")
        reading.add_argument("--zone", help="time zone of times that name none, such as Asia/Shanghai")
        reading.add_argument(
            "--only", action="append", metavar="REPOSITORY", help="only issues of this repository; repeats"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        asks = not options["yes"]
        if asks and not sys.stdin.isatty():
            raise CommandError("Nobody is there to be asked: add --yes.")
        owner = account(options["owner"]) if options["owner"] is not None else None
        study = _study(options["study"], owner)
        taken = 0
        for path in options["files"]:
            run = self._receive(study, owner, path, options["encoding"])
            self._read_as_told(run, options)
            taken += self._import(run, owner, asks=asks)
        if not taken:
            sys.exit(1)

    def _receive(self, study: Study, owner: User | None, path: Path, encoding: str | None) -> Import:
        try:
            with path.open("rb") as stream:
                return actions.receive_upload(
                    study=study, by=owner, name=path.name, stream=stream, encoding=encoding
                )
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from error
        except DomainError as error:
            raise CommandError(str(error.message)) from error

    def _read_as_told(self, run: Import, options: dict[str, Any]) -> None:
        """Read the file by the columns that the options name, as the page of an import does."""
        told = {name: options[name] for name in ("base", "zone") if options[name] is not None}
        if options["only"]:
            told["only"] = "\n".join(options["only"])
        for pair in options["field"]:
            field, _equals, column = pair.partition("=")
            told[f"from_{field}"] = column
        if not told:
            return
        sniffed = files.as_sniffed(run.mapping)
        part = next(one for one in sniffed.files if one.shape != "comments")
        form = ReadingForm(sniffed=sniffed, part=part)
        if unknown := sorted(told.keys() - form.fields.keys()):
            actions.discard_import(run=run)
            raise CommandError(f"{run.name}: no field {', '.join(unknown).replace('from_', '')}.")
        form = ReadingForm({**form.initial, **told}, sniffed=sniffed, part=part)
        if not form.is_valid():
            actions.discard_import(run=run)
            told_wrong = " ".join(str(text) for texts in form.errors.values() for text in texts)
            raise CommandError(f"{run.name}: {told_wrong}")
        actions.read_again(run=run, **form.cleaned_data)
        run.refresh_from_db()

    def _import(self, run: Import, owner: User | None, *, asks: bool) -> bool:
        """Show and load one file. False if all its rows were refused."""
        former = former_import(run)
        if former:
            actions.discard_import(run=run)
            self.stdout.write(
                f"{run.name}: imported before ({former.created_at:%Y-%m-%d %H:%M} UTC): nothing was done."
            )
            return True
        self._show(run)
        if asks and input("Import it? [y/N] ").strip().lower() not in {"y", "yes"}:
            actions.discard_import(run=run)
            self.stdout.write("Not imported; nothing was stored.")
            return True
        job = self._run(run, owner)
        if job.state == Job.State.CANCELLED:
            raise CommandError(
                f"Stopped. What was stored stays; the page of the import of {run.name} goes on with it."
            )
        if job.state != Job.State.DONE:
            raise CommandError(job.error or f"The import is {job.get_state_display()}.")
        return self._report(run)

    def _show(self, run: Import) -> None:
        sniffed, found = files.as_sniffed(run.mapping), preview(run)
        console = Console(file=self.stdout, highlight=False)  # type: ignore[arg-type]  # it writes
        console.print(
            f"{run.name}: {format_in_words(sniffed)}, {sniffed.encoding.upper()}",
            markup=False,
            soft_wrap=True,
        )
        table = Table("field", "read from", "in the first row", box=None, pad_edge=False)
        for part in sniffed.files:
            if part.name:
                table.add_row(_plain(part.name), _plain(format_in_words(part)), "")
            first = part.sample[0] if part.sample else {}
            for field, name in FIELD_NAMES.items():
                if field in part.mapping:
                    source = part.mapping[field]
                    value = first.get(source, first.get(source.partition(".")[0], ""))
                    table.add_row(str(name), _plain(source), _plain(value))
        console.print(table)
        if sniffed.unused:
            console.print(f"not read: {', '.join(sniffed.unused)}", markup=False, soft_wrap=True)
        if found:
            by = "the file" if found.whole else f"the first {found.rows:,} of about {found.estimate:,} rows"
            console.print(
                f"by {by}: {found.new:,} new issues, {found.known:,} known, {found.with_text:,} with text,"
                f" {found.pull_requests:,} pull requests, {found.repeated:,} repeated,"
                f" {found.refused:,} refused",
                soft_wrap=True,
            )

    def _run(self, run: Import, owner: User | None) -> Job:
        job = actions.confirm_import(run=run, by=owner, rings=False)
        with progress_bar() as watch:
            try:
                ended = jobs.run(job.pk, watch=watch)
            except KeyboardInterrupt:
                # Without this the sweeper would take the job for lost, and a worker would finish it.
                jobs.cancel(job)
                ended = jobs.run(job.pk)
        return ended or Job.objects.get(pk=job.pk)

    def _report(self, run: Import) -> bool:
        run.refresh_from_db()
        rows = ImportRow.objects.filter(run=run).order_by("pk")
        nothing = run.counts["rows"] == run.counts["refused"]
        for row in rows if nothing else rows[:ROWS_SHOWN]:
            place = f"line {row.line}" if row.line else "the file"
            self.stdout.write(f"{row.get_outcome_display()}, {place}: {row.message}")
        if not nothing and (more := rows.count() - ROWS_SHOWN) > 0:
            self.stdout.write(f"and {more:,} more: the page of the import lists them all.")
        self.stdout.write(
            ", ".join(
                f"{run.counts[name]:,} {text}" for name, text in COUNT_NAMES.items() if name in run.counts
            )
        )
        return not nothing


def _plain(text: str) -> Any:
    from rich.text import Text  # noqa: PLC0415  (rich would read [brackets] as markup)

    return Text(text if len(text) <= CELL else text[: CELL - 1] + "…")


@transaction.atomic
def _study(slug: str, owner: User | None) -> Study:
    found = Study.objects.filter(slug=slug).first()
    if found:
        return found
    if owner is None:
        slugs = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)) or _("none yet")
        raise CommandError(f"There is no study {slug!r} (there are: {slugs}). --owner EMAIL makes it.")
    if slugify(slug)[:70] != slug or not is_slug(slug):
        raise CommandError(f"{slug!r} is no slug: small letters, digits and hyphens.")
    return create_study(name=slug, by=owner)
