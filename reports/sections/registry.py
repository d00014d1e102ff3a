"""The sections of the agreement report: every `Section` that a module of this package defines."""

import pkgutil
from importlib import import_module

from reports import sections
from reports.sections.section import Section


def _found() -> dict[str, Section]:
    """The sections of all modules by their keys. A new statistic only adds a module with its section."""
    names = (one.name for one in pkgutil.iter_modules(sections.__path__, "reports.sections."))
    modules = [import_module(name) for name in names if name != __name__]
    return {one.key: one for module in modules for one in vars(module).values() if isinstance(one, Section)}


_FOUND = _found()


def _in_order(*keys: str) -> tuple[Section, ...]:
    """All sections: first the sections of these keys, then all others in the order of the report."""
    return tuple(_FOUND[key] for key in dict.fromkeys([*keys, *_REPORT, *_FOUND]))


_REPORT = (
    "coefficients", "benchmark", "intervals", "weighted", "types", "categories", "repositories", "months",
    "second-looks", "consensus", "rounds", "differences", "over-time", "over-time-test", "issues",
    "distribution", "splits", "volunteers", "dissents", "dissents-trend", "skill", "volunteer-confusion",
    "shaky-decisions", "pairs", "pair-categories", "confusion", "against-decision", "intra-rater", "models",
    "independence", "report", "left-out",
)  # fmt: skip
SECTIONS = _in_order()
"""All sections in the order of the whole report as a file."""
CARD_SECTIONS = _in_order(
    "coefficients", "intervals", "categories", "types", "repositories", "months", "splits", "distribution",
    "pairs", "weighted", "intra-rater", "second-looks", "consensus", "rounds", "differences", "issues",
    "over-time", "volunteers", "models", "dissents", "skill",
)  # fmt: skip
"""All sections in the order of the page; each column of the page takes its sections."""
PICTURE_SECTIONS = _in_order(
    "coefficients", "types", "repositories", "rounds", "consensus", "models", "pairs", "categories",
    "confusion", "issues", "distribution", "over-time",
)  # fmt: skip
"""All sections in the order of the pictures."""
_JSON_SECTIONS = _in_order(
    "report", "benchmark", "weighted", "issues", "distribution", "over-time", "splits", "pairs", "confusion",
    "against-decision", "volunteers", "differences", "models", "intra-rater", "second-looks",
)  # fmt: skip
JSON_PARTS = tuple(section.json for section in _JSON_SECTIONS if section.json)
"""The parts of the JSON in its order, which frozen reports keep."""

BY_KEY = {section.key: section for section in SECTIONS}
TABLES = {key: section.table for key, section in BY_KEY.items()}
"""The tables by their names in links, files and the command."""
