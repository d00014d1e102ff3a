"""Print the agreement report of a round."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.errors import DomainError
from reports.agreement_report import GROUPINGS, LEVELS, agreement_report
from reports.formats.group_json import GROUPED_BY, ON_REQUEST, group_as_dict
from reports.formats.on_request import PARTS, report_with
from reports.formats.table_files import table_as_csv, table_as_latex, table_as_markdown
from reports.sections.registry import TABLES
from rounds.models import Round
from rounds.queries.blindness import Reader

FORMATS = {"csv": table_as_csv, "markdown": table_as_markdown, "latex": table_as_latex}


class Command(BaseCommand):
    help = "Print the agreement report of a round: every coefficient with its interval."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--study", required=True, metavar="SLUG")
        parser.add_argument(
            "--round", metavar="NAME", help="default: the main round; required if the study has several"
        )
        parser.add_argument(
            "--by", action="append", default=[], metavar="GROUPING",
            help=f"{', '.join(GROUPINGS)}; can be repeated; a comma combines two: type,repository",
        )  # fmt: skip
        parser.add_argument(
            "--group", action="append", default=[], metavar="NAME=VALUE",
            help="all numbers of one group as JSON: type=C; several for what is in all of them",
        )  # fmt: skip
        parser.add_argument("--level", choices=LEVELS, help="default: the depth of the round")
        parser.add_argument(
            "--without-coached",
            action="store_true",
            help="leave out the issues that volunteers were coached on in a pilot or training",
        )
        parser.add_argument(
            "--with", action="append", default=[], choices=PARTS, dest="more",
            help="a part of the JSON that takes a second in a large study; can be repeated",
        )  # fmt: skip
        parser.add_argument("--format", choices=("json", *FORMATS), default="json")
        parser.add_argument(
            "--table", choices=TABLES, default="report", help="the table to print, unless the format is json"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        key = group_asked_for(options["group"])
        try:
            found = agreement_report(
                chosen_round(options["study"], options["round"]),
                level=LEVELS.get(options["level"]),
                by=[list(key)] if key else [names.split(",") for names in options["by"]],
                reader=Reader(None),
                without_coached=options["without_coached"],
            )
            if key:
                self.stdout.write(json.dumps(group_as_dict(found, key, ON_REQUEST), indent=2))
                return
        except (DomainError, ValueError) as error:
            raise CommandError(str(error)) from error
        if options["format"] == "json":
            self.stdout.write(json.dumps(report_with(found, options["more"]), indent=2))
        else:
            self.stdout.write(FORMATS[options["format"]](found, options["table"]).rstrip("\n"))


def group_asked_for(given: list[str]) -> dict[str, str]:
    """The group of `--group`; CommandError for what is not NAME=VALUE with a name that groups."""
    pairs = [one.split("=", 1) for one in given]
    if any(len(pair) < 2 or pair[0] not in GROUPED_BY for pair in pairs):
        raise CommandError(f"Use --group NAME=VALUE, with one of these names: {', '.join(GROUPED_BY)}.")
    return dict(pairs)


def chosen_round(slug: str, name: str | None) -> Round:
    """The round of this name, or the only round outside Round.APART, or the only main round; CommandError."""
    rounds = Round.objects.filter(study__slug=slug).select_related("study").order_by("pk")
    rounds = rounds.filter(name=name) if name else rounds.exclude(kind__in=Round.APART)
    chosen = list(rounds)
    if len(chosen) > 1:
        chosen = [round_ for round_ in chosen if round_.kind == Round.Kind.MAIN] or chosen
    if len(chosen) == 1:
        return chosen[0]
    if not chosen:
        raise CommandError(f"There is no round {name!r} in {slug!r}." if name else f"{slug!r} has no round.")
    names = ", ".join(round_.name for round_ in rounds)
    raise CommandError(f"{slug!r} has several rounds. Choose one with --round: {names}.")
