"""SECURITY.md names a guard and tests for each threat, and these tests are there."""

import ast
import re

from django.conf import settings

ROW = re.compile(r"^\| (?P<threat>[^|]+) \| (?P<guard>[^|]+) \| (?P<tests>`[^|]+`) \|$")


def rows() -> list[re.Match[str]]:
    text = (settings.BASE_DIR / "SECURITY.md").read_text(encoding="utf-8")
    _before, table = text.split("\n## Threats, guards and tests\n")
    lines = [line for line in table.splitlines() if line.startswith("|")][2:]
    found = [ROW.match(line) for line in lines]
    assert all(found), [line for line, match in zip(lines, found, strict=True) if not match]
    return [match for match in found if match]


def test_every_named_test_is_there():
    missing = []
    for row in rows():
        names = re.findall(r"`([^`]+)`", row["tests"])
        assert names, row["threat"]
        for name in names:
            path, _sign, test = name.partition("::")
            file = settings.BASE_DIR / "tests" / path
            tree = ast.parse(file.read_text(encoding="utf-8")) if file.is_file() else ast.Module([], [])
            if test not in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}:
                missing.append(name)
    assert missing == []


def test_each_threat_has_one_row():
    threats = [row["threat"] for row in rows()]
    assert len(threats) == len(set(threats)) > 25
