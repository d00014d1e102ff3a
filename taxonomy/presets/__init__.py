"""Taxonomies that come with Crosscheck, as CSV files in this folder.

Codes and names of `llm-frameworks` are the terms of the reference study (arXiv 2506.13114); all other texts,
and all of `relevance`, were written for Crosscheck.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType

from taxonomy.tree import Tree, read_csv
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
                    "For screening: whether an issue that a keyword matched is about large language models, "
                    "and why not."
                ),
            ),
        )
    }
)


def load_preset(name: str) -> Tree:
    """The tree of a preset; KeyError for a name that is not in `PRESETS`."""
    preset = PRESETS[name]
    return read_csv(files(__package__).joinpath(f"{preset.name}.csv").read_bytes())
