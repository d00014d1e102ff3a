"""The CSV format of taxonomies."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from typing import IO, NamedTuple

from taxonomy.tree.checks import (
    Problem,
    TaxonomyFileError,
    WrittenCategory,
    cleaned,
    excerpt,
    gettext_noop,
    row_problems,
    tree_problems,
)
from taxonomy.tree.nodes import ALL_TEXTS, LEVELS, TEXTS, TRANSLATED, TYPE, Node
from taxonomy.tree.trees import Tree

REQUIRED = ("code", "level", "name")
COLUMNS = (*REQUIRED, *TEXTS, "parent")
KNOWN = (*COLUMNS, *TRANSLATED)
MAX_BYTES = 5_000_000
MAX_CATEGORIES = 5_000

# A spreadsheet runs a cell that starts with one of these, full-width forms included.
_FORMULA = "=+\\-@＝＋－＠"


class _Record(NamedTuple):
    line: int
    cells: list[str]


def read_csv(source: bytes | str | IO[bytes]) -> Tree:
    """Read a taxonomy from CSV: bytes, text, or a stream of bytes.

    Columns `code,level,name[,definition,includes,excludes,examples][,parent]`, and `name_zh`, `definition_zh`
    and so on for the Chinese texts, in any order and case between
    commas, semicolons or tabs; rows in any order; UTF-8, with or without BOM. A level is `type`, `theme`,
    `sub-theme`, 1, 2 or 3. The parent of `C.3.ii` is `C.3`, unless the `parent` column names another: a blank
    there means the same rule for a theme or sub-theme, and no parent for a type. Blank rows are skipped.
    Cells that `write_csv` made inert are restored. Raises TaxonomyFileError with every problem of the file.
    """
    records, problems = _records(_text_of(source))
    readable = not problems
    header = [cell.strip().casefold() for cell in records[0].cells]
    header_problems = list(_header_problems(header, records[0].line))
    if header_problems:
        raise TaxonomyFileError([*header_problems, *problems])
    rows: list[WrittenCategory] = []
    refused: set[str] = set()
    for record in records[1:]:
        if len(record.cells) == len(header):
            rows.append(_row(record.line, dict(zip(header, record.cells, strict=True)), len(rows)))
            continue
        code = dict(zip(header, record.cells, strict=False)).get("code", "")
        refused.add(code)
        values = {"cells": len(record.cells), "columns": len(header)}
        template = gettext_noop("the row has %(cells)s cells, but the header has %(columns)s columns")
        problems.append(Problem(record.line, excerpt(code), template, values))
    checked = [row._replace(node=cleaned(row.node)[0]) for row in rows]
    problems += row_problems(checked)
    if readable:
        # The rows after a broken quote are unknown, so parents cannot be checked.
        problems += tree_problems(checked, refused)
    if not rows and not problems:
        problems.append(Problem(records[0].line, "", gettext_noop("the file has a header but no category")))
    if problems:
        raise TaxonomyFileError(problems)
    return Tree(row.node for row in rows)


def write_csv(tree: Tree, stream: IO[str]) -> None:
    """Write the tree in preorder, so that `read_csv` gives an equal tree; open the stream with `newline=""`.

    The caller chooses UTF-8; lines end with LF. The columns of texts and `parent` are written only if they
    are needed. A cell that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    used = [name for name in ALL_TEXTS if any(getattr(node, name) for node in tree)]
    if any(node.parent != _parent_by_code(node.code) for node in tree):
        used.append("parent")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*REQUIRED, *used])
    for node in tree:
        cells = [node.code, LEVELS[node.level], node.name, *(getattr(node, name) or "" for name in used)]
        writer.writerow([_inert(cell) for cell in cells])


def _inert(cell: str) -> str:
    return f"'{cell}" if re.match(f"'*[{_FORMULA}]", cell) else cell


def _plain(cell: str) -> str:
    return cell[1:] if re.match(f"'+[{_FORMULA}]", cell) else cell


def _parent_by_code(code: str) -> str | None:
    return code.rpartition(".")[0] or None


def _row(line: int, cells: Mapping[str, str], position: int) -> WrittenCategory:
    code = _plain(cells["code"])
    written = cells["level"].strip()
    names = {name: level for level, name in LEVELS.items()} | {str(level): level for level in LEVELS}
    level = names.get(written.casefold(), 0)
    parent = _plain(cells.get("parent", "").strip()) or _parent_by_code(code)
    if "parent" in cells and level == TYPE and not cells["parent"].strip():
        parent = None
    texts = {name: _plain(cells.get(name, "").strip()) for name in ("name", *ALL_TEXTS)}
    return WrittenCategory(line, Node(code, level, parent, **texts, position=position), written)


def _refusal(template: str, line: int = 1, **values: object) -> TaxonomyFileError:
    return TaxonomyFileError([Problem(line, "", template, values)])


def _text_of(source: bytes | str | IO[bytes]) -> str:
    data = source if isinstance(source, bytes | str) else source.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        template = gettext_noop("the file is larger than %(limit)s bytes, the limit for a taxonomy")
        raise _refusal(template, limit=f"{MAX_BYTES:,}")
    if isinstance(data, str):
        text = data.removeprefix("\ufeff")
    elif b"\0" in data[:4] or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _refusal(gettext_noop("the file is UTF-16 or UTF-32: save the file as UTF-8"))
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            before = error.object[: error.start]
            raise _refusal(
                gettext_noop("the file is not UTF-8 (byte %(byte)s in this line): save the file as UTF-8"),
                line=1 + len(re.findall(rb"\r\n|\r|\n", before)),
                byte=f"0x{error.object[error.start]:02X}",
            ) from None
    if text.lstrip()[:1] == "<":
        raise _refusal(gettext_noop("the file is a web page or XML, not CSV"))
    return text


def _records(text: str) -> tuple[list[_Record], list[Problem]]:
    """The header and the rows that are not blank, and the problems that kept the rest from being read."""
    first = io.StringIO(text.lstrip("\r\n"), newline="").readline()
    delimiter = next((mark for mark in ",;\t" if _has_required(first, mark)), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    records: list[_Record] = []
    problems: list[Problem] = []
    line = 1
    try:
        for cells in reader:
            if len(records) == MAX_CATEGORIES + 1:
                template = gettext_noop(
                    "a taxonomy has at most %(limit)s categories, and this line is beyond the limit"
                )
                problems.append(Problem(line, "", template, {"limit": f"{MAX_CATEGORIES:,}"}))
                break
            if any(cell.strip() for cell in cells):
                records.append(_Record(line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        template = gettext_noop("the file cannot be read as CSV from this line: %(cause)s")
        problems.append(Problem(line, "", template, {"cause": str(error)}))
    if not records:
        raise TaxonomyFileError(problems or [Problem(1, "", gettext_noop("the file is empty"))])
    return records, problems


def _has_required(header: str, delimiter: str) -> bool:
    cells = next(csv.reader([header], delimiter=delimiter), [])
    return set(REQUIRED) <= {cell.strip().casefold() for cell in cells}


def _header_problems(header: list[str], line: int) -> Iterator[Problem]:
    known = {"columns": ", ".join(KNOWN)}
    for name in REQUIRED:
        if name not in header:
            yield Problem(line, "", gettext_noop("the column “%(name)s” is missing"), {"name": name})
    for place, name in enumerate(header, start=1):
        if not name:
            yield Problem(line, "", gettext_noop("column %(place)s has no header"), {"place": place})
        elif name in header[: place - 1]:
            template = gettext_noop("two columns have the header “%(name)s”")
            yield Problem(line, "", template, {"name": excerpt(name)})
        elif name not in KNOWN:
            template = gettext_noop("unknown column “%(name)s”: the columns are %(columns)s")
            yield Problem(line, "", template, {"name": excerpt(name)} | known)
