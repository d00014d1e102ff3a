"""Print the agreement report of a round."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.models import Round
from annotate.reports import GROUPINGS, LEVELS, Group, agreement_report, rows
from core.errors import DomainError

COLUMNS = ("group", "issues", "raters", "labels", "coefficient", "value", "se", "low", "high", "reason")


class Command(BaseCommand):
    help = "Print the agreement report of a study's round: every coefficient with its interval."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--study", required=True, metavar="SLUG")
        parser.add_argument("--round", metavar="NAME", help="needed if the study has several")
        parser.add_argument(
            "--by", action="append", default=[], metavar="GROUPING",
            help=f"{', '.join(GROUPINGS)}; repeats; a comma crosses two: type,repository",
        )  # fmt: skip
        parser.add_argument("--level", choices=LEVELS, help="the round's own depth if not given")
        parser.add_argument("--format", choices=("json", "csv", "markdown", "latex"), default="json")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            found = agreement_report(
                chosen_round(options["study"], options["round"]),
                level=LEVELS.get(options["level"]),
                by=[names.split(",") for names in options["by"]],
            )
        except (DomainError, ValueError) as error:
            raise CommandError(str(error)) from error
        if options["format"] == "json":
            self.stdout.write(json.dumps(found.as_dict(), indent=2))
        else:
            self.stdout.write(table(found.groups, options["format"]))


def chosen_round(slug: str, name: str | None) -> Round:
    """The round of this name, or the only one; CommandError with the names to choose from."""
    rounds = Round.objects.filter(study__slug=slug).select_related("study").order_by("pk")
    if name:
        rounds = rounds.filter(name=name)
    chosen = list(rounds)
    if len(chosen) == 1:
        return chosen[0]
    if not chosen:
        raise CommandError(f"There is no round {name!r} in {slug!r}." if name else f"{slug!r} has no round.")
    names = ", ".join(round_.name for round_ in chosen)
    raise CommandError(f"{slug!r} has several rounds: name one with --round: {names}.")


def table(groups: Sequence[Group], form: str) -> str:
    """The report as csv, markdown or latex (booktabs), a row per group and coefficient."""
    import pandas as pd  # noqa: PLC0415  (half a second that only this needs)

    frame = pd.DataFrame(rows(groups), columns=list(COLUMNS))
    if form == "csv":
        return str(frame.to_csv(index=False))
    rounded = frame.assign(
        **{name: frame[name].map(_three_digits) for name in ("value", "se", "low", "high")}
    )
    rounded["reason"] = rounded["reason"].fillna("")
    if form == "latex":
        return _latex(rounded)
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "|".join("---" for _name in COLUMNS) + "|"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rounded.itertuples(index=False)]
    return "\n".join(lines)


def _three_digits(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.3f}"  # noqa: PLR0124  (NaN)


def _latex(frame: Any) -> str:
    def cell(value: object) -> str:
        return "".join(
            {"_": r"\_", "&": r"\&", "%": r"\%", "#": r"\#"}.get(char, char) for char in str(value)
        )

    lines = [r"\begin{tabular}{lrrrlrrrrl}", r"\toprule", " & ".join(COLUMNS) + r" \\", r"\midrule"]
    lines += [" & ".join(cell(value) for value in row) + r" \\" for row in frame.itertuples(index=False)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])
