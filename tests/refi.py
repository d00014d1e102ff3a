"""The rules of the schemas of REFI-QDA 1.5 for what Crosscheck writes, as tests need them: which elements are
in which, in which order, with which attributes. Written for the tests by the published schemas (Codebook.xsd,
Project.xsd of 18 March 2019, www.qdasoftware.org).
"""

import re
from xml.etree.ElementTree import Element, fromstring

GUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
MANY, ONCE, NEEDED = "*", "?", "1"
Children = tuple[tuple[str, str], ...]
CODE: tuple[Children, set[str], set[str]] = (
    (("Description", ONCE), ("NoteRef", MANY), ("Code", MANY)),
    {"guid", "name", "isCodable"},
    {"color"},
)
TEXT: tuple[Children, set[str], set[str]] = ((), set(), set())
REF: tuple[Children, set[str], set[str]] = ((), {"targetGUID"}, set())
RULES: dict[str, tuple[Children, set[str], set[str]]] = {
    "CodeBook": ((("Codes", NEEDED), ("Sets", ONCE)), set(), {"origin"}),
    "Codes": ((("Code", MANY),), set(), set()),
    "Code": CODE,
    "Description": TEXT,
    "Project": (
        (
            ("Users", ONCE), ("CodeBook", ONCE), ("Variables", ONCE), ("Cases", ONCE), ("Sources", ONCE),
            ("Notes", ONCE), ("Links", ONCE), ("Sets", ONCE), ("Graphs", ONCE), ("Description", ONCE),
        ),
        {"name"},
        {"origin", "creationDateTime"},
    ),
    "Users": ((("User", MANY),), set(), set()),
    "User": ((), {"guid"}, {"name", "id"}),
    "Variables": ((("Variable", MANY),), set(), set()),
    "Variable": ((("Description", ONCE),), {"guid", "name", "typeOfVariable"}, set()),
    "Cases": ((("Case", MANY),), set(), set()),
    "Case": (
        (("Description", ONCE), ("CodeRef", MANY), ("VariableValue", MANY), ("SourceRef", MANY)),
        {"guid"},
        {"name"},
    ),
    "VariableValue": ((("VariableRef", NEEDED), ("TextValue", ONCE)), set(), set()),
    "TextValue": TEXT,
    "Sources": ((("TextSource", MANY),), set(), set()),
    "TextSource": (
        (("Description", ONCE), ("PlainTextContent", ONCE), ("PlainTextSelection", MANY)),
        {"guid"},
        {"name", "plainTextPath", "creationDateTime"},
    ),
    "PlainTextSelection": (
        (("Description", ONCE), ("Coding", MANY)),
        {"guid", "startPosition", "endPosition"},
        {"name", "creatingUser", "creationDateTime"},
    ),
    "Coding": ((("CodeRef", NEEDED),), {"guid"}, {"creatingUser", "creationDateTime"}),
    **dict.fromkeys(("CodeRef", "SourceRef", "VariableRef"), REF),
}  # fmt: skip


def validated(data: bytes, kind: str) -> Element:
    """The root of a file of this kind, "codebook" or "project", which keeps all rules."""
    root = fromstring(data)  # noqa: S314 - what the project wrote itself
    space = f"{{urn:QDA-XML:{kind}:1.0}}"
    assert root.tag == space + {"codebook": "CodeBook", "project": "Project"}[kind]
    guids: list[str] = []
    _check(root, space, guids)
    assert len(guids) == len(set(guids)), "a guid names one thing"
    targets = {one.get("targetGUID") for one in root.iter() if one.get("targetGUID")}
    targets |= {one.get("creatingUser") for one in root.iter() if one.get("creatingUser")}
    assert targets <= set(guids), "a reference without a target"
    return root


def _check(element: Element, space: str, guids: list[str]) -> None:
    name = element.tag.removeprefix(space)
    children, needed, allowed = RULES[name]
    assert needed <= set(element.attrib) <= needed | allowed, (name, element.attrib)
    if guid := element.get("guid"):
        assert GUID.fullmatch(guid)
        guids.append(guid)
    assert element.get("isCodable", "true") in {"true", "false"}
    order = [tag for tag, _count in children]
    found = [child.tag.removeprefix(space) for child in element]
    assert found == sorted(found, key=order.index), (name, found)
    for tag, count in children:
        times = found.count(tag)
        assert times <= 1 or count == MANY, (name, tag)
        assert times == 1 or count != NEEDED, (name, tag)
    if name in {"Codes", "Users", "Variables", "Cases", "Sources"}:
        assert found, name
    for child in element:
        _check(child, space, guids)
