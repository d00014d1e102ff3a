"""Replication packages of made labels, written without a database: what the script reads of them, no more."""

import csv
import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from agreement import Patterns, report
from replication.package import REPLICATION, SCRIPTS
from reports.exports import DECISION_COLUMNS

CODES = ("A.1", "A.2", "B.1", "B.4", "C.1", "C.2")
"""The themes of their codebook; a type is the letter."""
Issues = Sequence[tuple[int, Sequence[str]]]
"""So many issues have these labels, one of each volunteer."""


def write_made_package(folder: Path, decided: dict[str, Issues]) -> None:
    """A package of issues by the theme that they are decided as, with the agreement report by type."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCRIPTS:
        shutil.copy(REPLICATION / name, folder / name)
    volunteers = [f"R{n + 1}" for n in range(len(next(iter(decided.values()))[0][1]))]
    types = sorted({code[0] for code in CODES})
    _table(
        folder / "taxonomy.csv",
        ("code", "level", "name"),
        [(code, "theme" if "." in code else "type", code) for code in (*types, *CODES)],
    )
    issues, labels, wide = [], [], []
    for final, rows in decided.items():
        for times, row in rows:
            for _ in range(times):
                url = f"https://github.com/made/framework/issues/{len(issues) + 1}"
                issues.append((url, "made/framework", 2025, final, "", "2025-06-01T00:00:00+00:00"))
                wide.append((url, *row, final))
                labels += [(url, who, label, "") for who, label in zip(volunteers, row, strict=True)]
    heads = ("Issue_URL", "Repository", "Year", "Final_Label", "Method", "Completed_at")
    _table(folder / "issues.csv", heads, issues)
    _table(folder / "decisions.csv", DECISION_COLUMNS, [])
    _table(folder / "labels_long.csv", ("Issue_URL", "Volunteer", "Label", "Surplus"), labels)
    heads = ("Issue_URL", *(f"Label{n + 1}" for n in range(len(volunteers))), "Final_Label")
    (folder / "framework").mkdir(exist_ok=True)
    _table(folder / "framework/framework.csv", heads, wide)
    groups = [({}, list(decided.values()))] + [
        ({"type": type_}, within)
        for type_ in types
        if (within := [rows for final, rows in decided.items() if final[0] == type_])
    ]
    _json(
        folder / "agreement.json",
        {
            "level": "theme",
            "withheld": 0,
            "groups": [{"group": key, **_agreement(parts)} for key, parts in groups],
        },
    )
    hashes = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*.*")
        if path.is_file()
    }
    manifest = {
        "round": "Main round", "allocation": "crossed", "depth": 2, "volunteers": volunteers,
        "closed_at": "2025-06-02T00:00:00+00:00", "withheld_issues": 0, "coached_left_out": False,
        "needs_training": False, "version": 1,
        "sha256": hashes,
    }  # fmt: skip
    _json(folder / "manifest.json", manifest)
    digest = hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()
    (folder / "manifest.sha256").write_text(f"{digest}  manifest.json\n")


def _agreement(parts: Sequence[Issues]) -> dict:
    rows = [one for part in parts for one in part]
    codes = np.array([[CODES.index(label) for label in row] for _times, row in rows], dtype=np.int32)
    counts = np.array([times for times, _row in rows])
    return report(Patterns(codes, counts, len(CODES)).merged(), CODES).as_dict()


def _table(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")
