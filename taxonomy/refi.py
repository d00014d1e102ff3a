"""Versions of taxonomies in the exchange format REFI-QDA 1.5 (www.qdasoftware.org): codebooks (`.qdc`), and
the codes of projects.
"""

import re
from collections.abc import Iterable
from uuid import UUID
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from taxonomy.models import Category, Version
from taxonomy.queries.codebooks import codebook
from taxonomy.tree.qdc import NAMESPACE, description_of

ORIGIN = "Crosscheck"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return _NO_XML.sub("\ufffd", text)


def as_file(root: Element) -> str:
    """The element as the text of a file."""
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def code_element(
    above: Element, key: UUID, name: str, description: str = "", *, codable: bool = True
) -> Element:
    """Add a code below an element. Its name is never empty, as programs want it."""
    values = {"guid": str(key), "name": xml_text(name) or "?", "isCodable": "true" if codable else "false"}
    made = SubElement(above, "Code", values)
    if description:
        SubElement(made, "Description").text = xml_text(description)
    return made


def add_codes(codes: Element, version: Version) -> set[int]:
    """Add the categories of a version as codes, named by code and name; the ids of these categories. Two
    queries.
    """
    book = codebook(version)
    keys = keys_of(state.category_id for state in book.states)
    made: dict[str, Element] = {}
    for node in book.tree():
        above = made[node.parent] if node.parent else codes
        key = keys[book.by_code[node.code].category_id]
        made[node.code] = code_element(above, key, f"{node.code} {node.name}", description_of(node))
    return set(keys)


def keys_of(categories: Iterable[int]) -> dict[int, UUID]:
    """The identities of categories, the same in every version. One query."""
    return dict(Category.objects.filter(pk__in=set(categories)).values_list("pk", "key"))


def as_qdc(version: Version) -> str:
    """The version as a codebook. Texts in other languages, former categories and history do not travel."""
    root = Element("CodeBook", {"xmlns": NAMESPACE, "origin": ORIGIN})
    add_codes(SubElement(root, "Codes"), version)
    return as_file(root)
