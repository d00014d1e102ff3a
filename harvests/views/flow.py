"""The flow figure of a harvest: the words of its boxes, in order, and the columns of its table."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.templatetags.crosscheck import count
from drawing.flow import Flow as Figure
from drawing.flow import Words, flow
from harvests.queries.reports import Flow

COLUMNS: Mapping[str, str | Promise] = {
    "listed": gettext_lazy("Listed"),
    "in_window": gettext_lazy("In the window"),
    "pull_requests": gettext_lazy("Pull requests"),
    "vanished": gettext_lazy("Gone"),
    "refused": gettext_lazy("Refused"),
    "issues": gettext_lazy("Issues"),
    "path_only": gettext_lazy("Path only"),
    "unmatched": gettext_lazy("No keyword"),
    "matched": gettext_lazy("Matched"),
    "by_hand": gettext_lazy("By a lead"),
    "kept_earlier": gettext_lazy("Kept earlier"),
    "kept": gettext_lazy("Kept"),
}
"""The columns of the table of numbers, in order."""

_ALWAYS = {"listed", "in_window", "issues", "kept"}


def columns_of(total: Flow) -> list[str]:
    """The columns that say something: those that are always shown, and those with a number above 0."""
    numbers = total.as_json()
    return [name for name in COLUMNS if name in _ALWAYS or numbers[name]]


def figure_of(numbers: Flow, *, by_lists: bool) -> Figure:
    """The figure; `by_lists`: keyword lists chose among the issues."""
    steps: list[tuple[Words, list[tuple[str, Words]]]] = [
        (
            [(_("Listed by the forges"), count(numbers.listed))],
            _leaving((_("Opened outside the window"), numbers.outside)),
        ),
        (
            [(_("Opened in the window"), count(numbers.in_window))],
            _leaving(
                (_("Pull requests, left out"), numbers.pull_requests),
                (_("No longer on the forge"), numbers.vanished),
                (_("Cannot be stored"), numbers.refused),
            ),
        ),
    ]
    unmatched = [
        (_("no keyword"), numbers.unmatched),
        (_("only in addresses, paths, names"), numbers.path_only),
        (_("kept nevertheless"), numbers.by_hand + numbers.kept_earlier),
    ]
    issues: Words = [(_("Issues"), count(numbers.issues))]
    if not by_lists and not numbers.not_matched:
        steps.append((issues, []))
    else:
        steps.append((issues, [("out", _lines(_("Not matched"), numbers.not_matched, unmatched))]))
        steps.append(([(_("Matched by a keyword"), count(numbers.matched))], []))
    joining = [(_("by a lead"), numbers.by_hand), (_("by an earlier selection"), numbers.kept_earlier)]
    more = numbers.by_hand + numbers.kept_earlier
    kept: Words = [(_("Kept"), count(numbers.kept))]
    steps.append((kept, [("in", _lines(_("Kept without a match"), more, joining))] if more else []))
    return flow(steps)


def _leaving(*boxes: tuple[str, int]) -> list[tuple[str, Words]]:
    return [("out", [(words, count(number))]) for words, number in boxes if number]


def _lines(title: str, number: int, parts: list[tuple[str, int]]) -> Words:
    return [(title, count(number)), *((words, count(part)) for words, part in parts if part)]
