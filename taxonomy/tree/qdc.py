"""Codebooks in the exchange format REFI-QDA (`.qdc`), read as trees. XML is parsed piece by piece; a document
type or entities are refused before anything of them is expanded.
"""

import re
from dataclasses import dataclass, field
from xml.parsers import expat

from taxonomy.tree.checks import MAX_CODE, Problem, TaxonomyFileError, gettext_noop
from taxonomy.tree.codes import free_code
from taxonomy.tree.files import MAX_BYTES, MAX_CATEGORIES
from taxonomy.tree.nodes import SUB_THEME, Node, look_alike
from taxonomy.tree.trees import Tree

NAMESPACE = "urn:QDA-XML:codebook:1.0"
DEEPEST = 50
PARTS = ("Includes", "Excludes", "Examples")
_CODED = re.compile(r"([A-Za-z0-9]+(?:\.[A-Za-z0-9]+){0,4})[.:)]?\s+(\S.*)", re.DOTALL)
_PART = re.compile(rf"(?:^|\n)({'|'.join(PARTS)}): ")


@dataclass
class _Code:
    """A code while it is read."""

    line: int
    name: str
    depth: int
    description: str = ""
    below: list["_Code"] = field(default_factory=list)


def read_qdc(data: bytes) -> Tree:
    """The tree of a codebook. A name that begins with a code, such as "C.3 Performance", gives it, if all
    codes of the file do and fit their place; else all codes are made. Colours, sets and which codes can be
    chosen are not taken. Raises TaxonomyFileError.
    """
    if len(data) > MAX_BYTES:
        raise _refused(0, gettext_noop("the file has more than 5 MB"))
    roots = _Reading().read(data)
    if not roots:
        raise _refused(1, gettext_noop("the file has no code"))
    nodes = _coded(roots)
    return Tree(_made(roots) if nodes is None else nodes)


def description_of(node: Node) -> str:
    """All texts of a category as one, which `read_qdc` takes apart again."""
    parts = [node.definition]
    parts += [f"{name}: {text}" for name in PARTS if (text := getattr(node, name.lower()))]
    return "\n".join(part for part in parts if part)


class _Reading:
    """Takes the elements of a file in their order."""

    def __init__(self) -> None:
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.EntityDeclHandler = self._refuse
        self._path: list[str] = []
        self._open: list[_Code] = []
        self._roots: list[_Code] = []
        self._count = 0

    def read(self, data: bytes) -> list[_Code]:
        try:
            self._parser.Parse(data, True)
        except TaxonomyFileError:
            raise
        except expat.ExpatError as error:
            raise _refused(error.lineno, gettext_noop("this is no XML")) from None
        except (ValueError, LookupError):
            raise _refused(1, gettext_noop("this is no XML")) from None
        return self._roots

    def _refuse(self, *_of_doctype: object) -> None:
        cause = gettext_noop("the file declares a document type or entities; such files are not read")
        raise _refused(self._parser.CurrentLineNumber, cause)

    def _begin(self, tag: str, values: dict[str, str]) -> None:
        space, _, name = tag.rpartition(" ")
        line = self._parser.CurrentLineNumber
        if not self._path and (name != "CodeBook" or not space.startswith("urn:QDA-XML:codebook")):
            raise _refused(line, gettext_noop("this is no codebook of REFI-QDA"))
        self._path.append(name)
        if len(self._path) > DEEPEST:
            raise _refused(line, gettext_noop("the file is nested too deeply"))
        if name != "Code" or "Codes" not in self._path:
            return
        self._count += 1
        if self._count > MAX_CATEGORIES:
            raise _refused(line, gettext_noop("the file has more than 5,000 codes"))
        code = _Code(line, " ".join(values.get("name", "").split()), len(self._open) + 1)
        if code.depth > SUB_THEME:
            raise _refused(line, gettext_noop("a taxonomy has at most three levels; this code is deeper"))
        (self._open[-1].below if self._open else self._roots).append(code)
        self._open.append(code)

    def _end(self, _tag: str) -> None:
        if self._path.pop() == "Code" and self._open:
            self._open.pop()

    def _text(self, text: str) -> None:
        if self._open and self._path[-1] == "Description":
            self._open[-1].description += text


def _refused(line: int, template: str) -> TaxonomyFileError:
    return TaxonomyFileError([Problem(line, "", template)])


def _node(code: _Code, written: str, name: str, parent: str | None, position: int) -> Node:
    definition, *pieces = _PART.split(code.description.strip())
    parts = dict(zip((piece.lower() for piece in pieces[::2]), pieces[1::2], strict=True))
    return Node(written, code.depth, parent, name, definition.strip(), position=position, **parts)


def _coded(roots: list[_Code]) -> list[Node] | None:
    """The nodes with the codes that their names begin with; None unless all do, and fit."""
    nodes: list[Node] = []
    taken: set[str] = set()

    def take(codes: list[_Code], parent: str | None) -> bool:
        for code in codes:
            found = _CODED.fullmatch(code.name)
            if not found or len(found[1]) > MAX_CODE or look_alike(found[1]) in taken:
                return False
            if parent is not None and not found[1].startswith(f"{parent}."):
                return False
            taken.add(look_alike(found[1]))
            nodes.append(_node(code, found[1], found[2], parent, len(nodes)))
            if not take(code.below, found[1]):
                return False
        return True

    return nodes if take(roots, None) else None


def _made(roots: list[_Code]) -> list[Node]:
    """The nodes with codes by their place: A, A.1, A.1.i."""
    nodes: list[Node] = []
    taken: set[str] = set()

    def take(codes: list[_Code], parent: str | None) -> None:
        siblings: list[str] = []
        for code in codes:
            written = free_code(parent, siblings, code.depth, taken)
            siblings.append(written)
            taken.add(look_alike(written))
            nodes.append(_node(code, written, code.name, parent, len(nodes)))
            take(code.below, written)

    take(roots, None)
    return nodes
