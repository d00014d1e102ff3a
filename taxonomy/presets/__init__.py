"""Taxonomies that come with Crosscheck, as CSV files in this folder.

Codes and names of `llm-frameworks` are the terms of the reference study (arXiv 2506.13114); all other texts,
and all of `relevance`, were written for Crosscheck. A file `<preset>.<language>.csv` holds names and texts of
the same categories in another language.
"""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from taxonomy.tree import TRANSLATIONS, Tree, read_csv
from taxonomy.tree.checks import gettext_noop


@dataclass(frozen=True)
class Preset:
    """A taxonomy to start from. `name` is its key and file name, `title` the name of its taxonomy."""

    name: str
    title: str
    description: str


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        preset.name: preset
        for preset in (
            Preset(
                "llm-frameworks",
                gettext_noop("Root cause"),
                gettext_noop(
                    "Questions, requirements and bugs in deep learning frameworks for large language models: "
                    "3 types, 18 themes, 69 sub-themes."
                ),
            ),
            Preset(
                "relevance",
                gettext_noop("Relevance"),
                gettext_noop(
                    "For screening: is an issue found by keywords about large language models,"
                    " and if not, why?"
                ),
            ),
        )
    }
)


def load_preset(name: str) -> Tree:
    """The tree of a preset; KeyError for a name that is not in `PRESETS`."""
    preset = PRESETS[name]
    folder = files(__package__)
    tree = read_csv(folder.joinpath(f"{preset.name}.csv").read_bytes())
    for language, ending in TRANSLATIONS.items():
        file = folder.joinpath(f"{preset.name}.{language}.csv")
        said: dict[str, dict[str, Any]] = {
            row.pop("code"): row for row in csv.DictReader(io.StringIO(file.read_text("utf-8")))
        }
        tree = Tree(
            replace(node, **{f"{column}_{ending}": text for column, text in said[node.code].items()})
            for node in tree
        )
    return tree
