"""Three rules that no general linter knows, read on the syntax tree: `python -m scripts.static_rules`.

* html: text becomes HTML in core.text.markdown alone. Elsewhere `mark_safe`, `SafeString(…)` and `|safe`
  need a reason.
* sql: a statement is made of constants and quoted names; every value is a parameter.
* scope: a view or REST reaches rows through what it has found for its user, not by a number of the request.

static_rules.toml has the places that are let through: how many in which file, and why. Fewer than it says is
a fault too.
"""

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LET_THROUGH = Path(__file__).with_name("static_rules.toml")
APART = {"tests", "bench", "scripts", "deploy", "docs", "static", "var", "locale"}
RENDERER = "core/text/markdown.py"
SAFE_TAG = re.compile(r"\{\{[^}]*\|\s*safe(seq)?\b|\{%-?\s*autoescape\s+off")
RUNS = {"execute", "executemany", "raw", "RawSQL", "extra"}
QUOTES = {"quote_ident", "quote_name", "compose"}
NARROWS = {"filter", "get", "exclude", "in_bulk", "get_object_or_404", "get_or_none"}
NUMBERS = {"pk", "pk__in", "id", "id__in"}


class Fault(NamedTuple):
    rule: str
    line: int
    said: str


def faults_of_code(source: str, path: str) -> Iterator[Fault]:
    """The faults of a module; by its `path` in the project the rules know renderer, views and REST."""
    tree = ast.parse(source)
    of_requests = bool(re.search(r"(^|/)(views|api)(/|\.py$)", path))
    inside = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = _name(node.func)
            if (
                path != RENDERER
                and name in {"mark_safe", "SafeString", "SafeText"}
                and not _are_constant(node.args)
            ):
                yield Fault("html", node.lineno, f"{name} outside of the renderer")
            if name in RUNS and node.args and not _is_constant_sql(node.args[0]):
                yield Fault("sql", node.lineno, "a statement with something put into it")
        if (
            of_requests
            and isinstance(node, ast.Attribute)
            and node.attr == "objects"
            and not _is_narrowed(node, inside)
        ):
            yield Fault("scope", node.lineno, f"{_name(node.value)}.objects by itself, or by a number only")


def faults_of_template(source: str) -> Iterator[Fault]:
    for number, line in enumerate(source.splitlines(), 1):
        if SAFE_TAG.search(line):
            yield Fault("html", number, "a text that is not escaped")


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _are_constant(nodes: Iterable[ast.expr]) -> bool:
    return all(isinstance(node, ast.Constant) for node in nodes)


def _is_constant_sql(node: ast.expr) -> bool:
    """A literal, a named statement, or literals with constants (in capitals) and quoted names in them."""
    match node:
        case ast.JoinedStr():
            return all(
                _is_constant_name(part.value) for part in node.values if isinstance(part, ast.FormattedValue)
            )
        case ast.BinOp():
            return _is_constant_sql(node.left) and _is_constant_sql(node.right)
        case ast.Call(func=ast.Attribute(attr="format", value=value)):
            given = [*node.args, *(one.value for one in node.keywords)]
            return _is_constant_sql(value) and all(map(_is_constant_name, given))
        case ast.Call(func=ast.Attribute(attr="join")):
            return False
    return True


def _is_constant_name(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Call):
        return _name(node.func) in QUOTES
    name = _name(node)
    return name == "db_table" or name.strip("_").isupper()


def _is_narrowed(node: ast.expr, inside: dict[ast.AST, ast.AST]) -> bool:
    """Is there, in the chain of calls that begins here, one that names an object and not a number alone?"""
    at: ast.AST = node
    while (above := inside.get(at)) is not None and isinstance(above, ast.Attribute | ast.Call | ast.keyword):
        if isinstance(above, ast.Call) and _name(above.func) in NARROWS:
            names = {one.arg for one in above.keywords}
            if any(name and name not in NUMBERS for name in names) or (above.func is at and above.args):
                return True
        at = above
    return False


def findings(root: Path = ROOT) -> dict[tuple[str, str], list[Fault]]:
    """The faults of the project by rule and file."""
    found: dict[tuple[str, str], list[Fault]] = {}
    for path in sorted([*root.glob("*/**/*.py"), *root.glob("templates/**/*.html")]):
        name = path.relative_to(root).as_posix()
        if name.startswith(".") or "/migrations/" in name or name.split("/", 1)[0] in APART:
            continue
        source = path.read_text(encoding="utf-8")
        faults = faults_of_code(source, name) if path.suffix == ".py" else faults_of_template(source)
        for fault in faults:
            found.setdefault((fault.rule, name), []).append(fault)
    return found


def complaints(
    found: dict[tuple[str, str], list[Fault]], let_through: dict[str, dict[str, str]]
) -> Iterator[str]:
    """What is not let through, and what is let through and not there; "2: a reason" is two places."""
    allowed = Counter(
        {
            (rule, name): int(said.partition(":")[0])
            for rule, files in let_through.items()
            for name, said in files.items()
        }
    )
    for key in sorted(found.keys() | allowed.keys()):
        rule, name = key
        faults = found.get(key, [])
        if len(faults) > allowed[key]:
            for fault in faults:
                yield f"{name}:{fault.line}: {rule}: {fault.said}"
        elif len(faults) < allowed[key]:
            yield f"{name}: {rule}: static_rules.toml has {allowed[key]} places, and there are {len(faults)}"


def main() -> int:
    said = list(complaints(findings(), tomllib.loads(LET_THROUGH.read_text(encoding="utf-8"))))
    print("\n".join(said) or "The rules of HTML, SQL and scope are kept.")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
