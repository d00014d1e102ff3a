"""Keeps the translations in `locale/` in step with the texts of the code.

`python -m scripts.translations` checks: nothing missing or unsure, placeholders as in the English, compiled.
`python -m scripts.translations write` takes in new texts, drops those that are gone, and compiles.
"""

import io
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from scripts.texts import ROOT, Text, texts

LOCALE = ROOT / "locale"
HALF = re.compile(r"[\u4e00-\u9fff][,:;!?()]|[,:;!?()][\u4e00-\u9fff]")
"""A mark of half the width beside a Chinese letter: prose has the wide ones."""
TIGHT = re.compile(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9%][\u4e00-\u9fff]")
"""A Chinese letter right beside a Latin word or a number: prose has a blank between them."""
CODE = re.compile(r"`[^`]*`|<code>.*?</code>")
WRITTEN = re.compile(r"“[^”]*”|\[[^]]*\]")
"""What somebody else wrote, or is to write: quotes and pseudonyms have blanks as they like."""
HOLE = re.compile(r"%%|%\((\w+)\)[sd]|%")
MADE = datetime(2026, 11, 25, tzinfo=UTC)
"""The date in the head of each file: one that moved would be the only change of many commits."""


def main(act: str) -> int:
    wanted: dict[tuple[str, str], list[Text]] = {}
    for text in texts():
        wanted.setdefault(text.key, []).append(text)
    found = []
    for path in sorted(LOCALE.glob("*/LC_MESSAGES/django.po")):
        old = read(path)
        if act == "write":
            new = renewed(old, wanted)
            path.write_bytes(as_po(new))
            path.with_suffix(".mo").write_bytes(as_mo(new))
        else:
            found += faults(path, old, wanted)
    sys.stdout.writelines(f"{line}\n" for line in found)
    return 1 if found else 0


def read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.parent.parent.name)


def renewed(old: Catalog, wanted: dict[tuple[str, str], list[Text]]) -> Catalog:
    """A catalogue of all wanted texts, in the order of their places, with the translations there are."""
    new = Catalog(
        locale=old.locale, project="Crosscheck", fuzzy=False, creation_date=MADE, revision_date=MADE,
        last_translator="Crosscheck", language_team="Crosscheck", msgid_bugs_address="Crosscheck",
        version="1",
    )  # fmt: skip
    new.header_comment = f"# Crosscheck in {old.locale.english_name if old.locale else '?'}."
    for (context, singular), places in wanted.items():
        plural = next((one.plural for one in places if one.plural), "")
        known = old.get(singular, context or None)
        new.add(
            (singular, plural) if plural else singular,
            _said(known, is_plural=bool(plural), forms=new.num_plurals),
            locations=[(name, 0) for name in sorted({one.file for one in places})],
            context=context or None,
        )
    return new


def _said(known: Message | None, *, is_plural: bool, forms: int) -> str | tuple[str, ...]:
    said = _forms(known) if known else [""]
    return tuple(said * forms if len(said) != forms else said) if is_plural else said[0]


def faults(path: Path, catalog: Catalog, wanted: dict[tuple[str, str], list[Text]]) -> list[str]:
    """What is wrong with a catalogue, a line each, with the place of the text in the code."""
    name = path.relative_to(ROOT)
    found = []
    for (context, singular), places in wanted.items():
        at = f"{places[0].file}:{places[0].line}"
        message = catalog.get(singular, context or None)
        said = [] if message is None else _forms(message)
        if message is None or not all(said):
            found.append(f"{at}: {name} lacks “{singular}”")
        elif message.fuzzy:
            found.append(f"{at}: {name} is unsure of “{singular}”")
        else:
            plural = next((one.plural for one in places if one.plural), singular)
            found += [
                f"{at}: {name} has other placeholders than “{singular}”: “{one}”"
                for one in said
                if holes(one) not in (holes(singular), holes(plural))
            ]
            found += [
                f"{at}: {name} has “{mark[0]}” with a mark of half the width: “{one}”"
                for one in said
                if (mark := HALF.search(CODE.sub("", one)))
            ]
            found += [
                f"{at}: {name} lacks a blank in “{beside}”: “{one}”" for one in said if (beside := tight(one))
            ]
    if not found and path.with_suffix(".mo").read_bytes() != as_mo(renewed(catalog, wanted)):
        found.append(f"{name.with_suffix('.mo')} was compiled from other texts: make translations")
    return found


def _forms(message: Message) -> list[str]:
    """The translations of a text, one for each plural form of the language."""
    said = message.string or ""
    return [said] if isinstance(said, str) else list(said)


def holes(text: str) -> list[str]:
    """The placeholders of a text, in order of their names; a lone percent sign among them as itself."""
    return sorted({found[1] or found[0] for found in HOLE.finditer(text) if found[0] != "%%"})


def tight(text: str) -> str:
    """The first Chinese letter without a blank beside a Latin word or a number, with that neighbour; "" for
    none. What code, quotes and brackets hold is not looked at, and a placeholder may be Chinese itself.
    """
    prose = WRITTEN.sub(" ", CODE.sub(" ", re.sub(r"<[^>]*>", " ", text)))
    found = TIGHT.search(HOLE.sub(lambda hole: "%" if hole[0] == "%%" else " ", prose))
    return found[0] if found else ""


def as_po(catalog: Catalog) -> bytes:
    file = io.BytesIO()
    write_po(file, catalog, width=0, include_lineno=False)
    return file.getvalue()


def as_mo(catalog: Catalog) -> bytes:
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


if __name__ == "__main__":
    sys.exit(main("".join(sys.argv[1:])))
