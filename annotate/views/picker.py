"""The tree of categories for the labelling page. It is cached, since a published version never changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.html import json_script
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from rounds.models import Round
from taxonomy.models import CategoryState, Level
from taxonomy.queries.codebooks import States, codebook
from taxonomy.tree import TEXTS, text_in


@dataclass(frozen=True)
class Picker:
    """`tree` is a list of radio buttons; `data` is JSON of the same categories with all their texts."""

    tree: SafeString
    data: SafeString
    states: States
    hues: Mapping[int, int]

    def code(self, category_id: int | None) -> str:
        """The present code of a category; of a retired or split one its last code; "" for an unknown one."""
        return self.states[category_id].code if category_id and self.states.knows(category_id) else ""

    def hue(self, category_id: int | None) -> int | None:
        """The colour of a category's type; None for a category that is not in this version."""
        return self.hues.get(self.states.stands_as(category_id or 0) or 0)

    def with_choice(self, category_id: int | None) -> SafeString:
        """The tree with one button chosen."""
        here = self.states.stands_as(category_id or 0)
        if here is None:
            return self.tree
        value = f'value="{here}"'
        return mark_safe(self.tree.replace(value, f"{value} checked", 1))  # noqa: S308 - both are a number


def picker(round_: Round) -> Picker:
    """The categories of the round's version; categories above its depth cannot be chosen."""
    return _picker(round_.version_id, round_.depth, get_language())


@lru_cache(maxsize=32)
def _picker(version_id: int, depth: int, language: str | None) -> Picker:
    book = codebook(version_id)
    choosable = book.choosable(depth)
    rows = [
        {
            "state": state,
            "can": state.category_id in choosable,
            "hue": book.hue(state.category_id),
            "css": "plain" if state.level == Level.SUB_THEME else "",
        }
        for state in book.states
    ]
    data = [
        {
            "id": state.category_id,
            "code": state.code,
            "name": text_in(state, "name", language),
            "also": _other_name(state, language),
            "level": state.level,
            "can": row["can"],
            **{name: text_in(state, name, language) for name in TEXTS},
        }
        for row, state in zip(rows, book.states, strict=True)
    ]
    tree = render_to_string("annotate/labels/_tree.html", {"rows": rows})
    return Picker(
        tree=mark_safe("".join(line.strip() for line in tree.splitlines())),  # noqa: S308 - a template made it
        data=json_script(data, "codebook"),
        states=book.by_id,
        hues={state.category_id: book.hue(state.category_id) for state in book.states},
    )


def _other_name(state: CategoryState, language: str | None) -> str:
    """The name in the language that is not shown, by which the search finds the category as well."""
    shown = text_in(state, "name", language)
    return " ".join(name for name in (state.name, state.name_zh) if name and name != shown)
