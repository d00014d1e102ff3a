"""The files of a replication package, as pandas reads them."""

import json
import re
from collections.abc import Iterable
from copy import copy
from pathlib import Path
from typing import Any

import pandas as pd

LEVELS = ["type", "theme", "sub-theme"]


def read(path: Path, columns: Iterable[str] = ()) -> pd.DataFrame:
    """A CSV file as text; these columns without a row where it is not there.

    Cells that a spreadsheet would run begin with an apostrophe, which goes.
    """
    if columns and not path.exists():
        return pd.DataFrame(columns=list(columns), dtype=str)
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding_errors="replace").fillna("")
    except pd.errors.ParserError as error:
        raise ValueError(f"{path.name} is no table: {error}") from error
    if not isinstance(table.index, pd.RangeIndex):
        raise ValueError(f"{path.name} is no table: it has rows with more cells than heads")  # noqa: TRY004
    inert = re.compile(r"'+[=+\-@\t\r]")
    return table.map(lambda cell: cell[1:] if inert.match(cell) else cell)


class Codebook:
    """The categories of taxonomy.csv, and the `used` ones of former_categories.csv after them."""

    def __init__(self, table: pd.DataFrame, former: pd.DataFrame) -> None:
        self.level = dict(zip(table["code"], table["level"].map(LEVELS.index), strict=True))
        by_code = (code.rpartition(".")[0] for code in table["code"])
        self.parent = dict(zip(table["code"], table.get("parent", by_code), strict=True))
        self.level |= dict(zip(former["code"], former["level"].map(LEVELS.index), strict=True))
        self.parent |= dict(zip(former["code"], former["parent"], strict=True))
        self.former: set[str] = set(former["code"])
        self.used: set[str] = set()

    def using(self, codes: Iterable[str]) -> "Codebook":
        """The same categories, with these former ones and those above them counted among them."""
        book = copy(self)
        book.used = set(self.used)
        for code in codes:
            above = code
            while above in self.former:
                book.used.add(above)
                above = self.parent[above]
        return book

    def at(self, level: int) -> list[str]:
        unused = self.former - self.used
        return [code for code, its in self.level.items() if its == level and code not in unused]

    def above(self, code: str, level: int) -> str:
        """The ancestor of a category at a level, or itself where it stands there or above."""
        while self.level.get(code, -1) > level:
            code = self.parent[code]
        return code

    def rolled_up(self, codes: pd.Series, level: int) -> pd.Series:
        """The place of each code's ancestor among the categories of a level; -1 for none."""
        places = {code: place for place, code in enumerate(self.at(level))}
        found = {code: places.get(self.above(code, level), -1) for code in self.level}
        return codes.map(found).fillna(-1).astype(int)


class Package:
    """Complete issues with their labels, at one level.

    `given` has a row per label that counts, which is the first label of each volunteer, and `second` a row
    per label of a second look. `labels` has a row per issue and a column per volunteer: the place of a
    category, or -1 for no label. `groups` says of each issue its type, category, repository and month, None
    where it has none.
    """

    def __init__(self, folder: Path, level: int) -> None:
        self.folder, self.level = folder, level
        self.manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        former = read(folder / "former_categories.csv", ("code", "level", "parent"))
        self.book = Codebook(read(folder / "taxonomy.csv"), former)
        self.second = read(
            folder / "labels_second_look.csv", ("Issue_URL", "Volunteer", "Label", "Submitted_at")
        )
        self.again: int | str = len(self.second.drop_duplicates(["Issue_URL", "Volunteer"]))
        self.every_issue = read(folder / "issues.csv").set_index("Issue_URL")
        self.every_label = read(folder / "labels_long.csv")
        self.issues = issues = self.every_issue[self.every_issue["Completed_at"] != ""]
        given = self.every_label[self.every_label["Surplus"] == ""]
        self.incomplete = given[~given["Issue_URL"].isin(issues.index)]
        self.first = given[given["Issue_URL"].isin(issues.index)]
        self.count(self.first)
        self.decided = self.book.rolled_up(issues["Final_Label"], level)
        types = self.book.rolled_up(issues["Final_Label"], 0)
        self.groups = pd.DataFrame(
            {
                "type": types.map(lambda place: self.book.at(0)[place] if place >= 0 else None),
                "category": self.decided.map(lambda place: self.codes[place] if place >= 0 else None),
                "repository": issues["Repository"],
                "month": issues["Completed_at"].str[:7],
            }
        )

    def count(self, given: pd.DataFrame) -> None:
        """Take these labels for those that count."""
        self.book = self.book.using(given["Label"].unique())
        self.codes = self.book.at(self.level)
        self.given = given.assign(place=self.book.rolled_up(given["Label"], self.level))
        self.labels = self.wide("Volunteer", self.given)

    @property
    def q(self) -> int:
        """How many categories of the level the first labels could be, in the versions of that time."""
        could_be = self.manifest.get("choosable")
        return len(could_be[LEVELS[self.level]]) if could_be else len(self.codes)

    def wide(self, who: str, given: pd.DataFrame) -> pd.DataFrame:
        """A row per issue and a column for each who labels, with the places of the categories.

        Volunteers are in the order of their columns in the round: who came late or left is not everywhere.
        """
        table = given.pivot_table(index="Issue_URL", columns=who, values="place", sort=False)
        order = [name for name in self.manifest["volunteers"] if name in table.columns]
        columns = list(dict.fromkeys([*order, *table.columns])) if who == "Volunteer" else table.columns
        return table.reindex(index=self.issues.index, columns=columns).fillna(-1).astype(int)

    @property
    def is_crossed(self) -> bool:
        """Does every volunteer label every issue? If not, no two of them are compared."""
        return bool(self.manifest["allocation"] == "crossed")

    @property
    def is_whole(self) -> bool:
        """Are all labels of the round here?"""
        left_out = self.manifest["withheld_issues"] or self.manifest["coached_left_out"]
        return self.manifest["closed_at"] is not None and not left_out

    @property
    def coached(self) -> int:
        """How many complete issues volunteers were coached on, here or left out."""
        return int(read(self.folder / "coached.csv", ["Issue_URL"])["Issue_URL"].nunique())

    @property
    def without_training(self) -> dict[str, Any] | None:
        """How many of those who labelled were let in untrained; None if the round needs no training."""
        if not self.manifest["needs_training"]:
            return None
        admissions = read(self.folder / "admissions.csv", ["Volunteer"])
        let_in = list(admissions["Volunteer"].unique())
        return {
            "let_in": len(let_in),
            "of": int(self.first["Volunteer"].nunique()),
            "volunteers": [{"volunteer": name} for name in let_in],
        }
