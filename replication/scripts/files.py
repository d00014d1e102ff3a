"""The files of a package against the hashes in manifest.json, and against each other.

Most facts are in two files: a label in the file of its repository and in labels_long.csv, a decision in these
and in issues.csv. So a change of one file shows even where somebody wrote a new hash into manifest.json.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from faults import fault, tried
from package import read

MANIFEST, ITS_HASH = "manifest.json", "manifest.sha256"
FIRST_ROW = 2
"""The number of the first row of a table below its heads, as spreadsheets count rows."""
NO_CATEGORY = "∅"
TABLES = (".csv", ".txt")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# --- against the hashes


def hashed(folder: Path, besides: set[Path]) -> dict[str, str]:
    """What became of each file: "" where it has the hash in the manifest, else CHANGED, MISSING or ADDED.

    Files of `besides`, hidden files and what Python keeps are not of the package.
    """
    with tried(MANIFEST, "compared with its hash"):
        if (folder / ITS_HASH).read_text("utf-8").split()[0] != sha256(folder / MANIFEST):
            fault(MANIFEST, f"has another hash than {ITS_HASH} names")
    named: dict[str, str] = {}
    with tried(MANIFEST, "read"):
        named = dict(json.loads((folder / MANIFEST).read_text("utf-8"))["sha256"])
    here = {name for name in _names(folder) if folder / name not in besides} - {MANIFEST, ITS_HASH}
    found = {}
    for name, digest in named.items():
        found[name] = "MISSING"
        if (folder / name).is_file():
            found[name] = "" if sha256(folder / name) == digest else "CHANGED"
    found |= dict.fromkeys(sorted(here - set(named)), "ADDED")
    for name in (*found, MANIFEST):
        if (folder / name).is_file():
            _encoding(name, (folder / name).read_bytes())
    return found


def _names(folder: Path) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        is_top = Path(place) == folder
        folders[:] = [one for one in folders if one != "__pycache__" and not (is_top and one.startswith("."))]
        for name in files:
            if not (is_top and name.startswith(".")):
                yield (Path(place) / name).relative_to(folder).as_posix()


def _encoding(name: str, content: bytes) -> None:
    """Every file is UTF-8 without a mark at its beginning, and the lines of tables end with LF."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        fault(name, f"line {line} is not UTF-8")
    if content.startswith(b"\xef\xbb\xbf"):
        fault(name, "begins with a mark of its encoding")
    if name.endswith(TABLES) and content.partition(b"\n")[0].endswith(b"\r"):
        fault(name, "its lines end with CR LF, not with LF")


# --- against each other


def compared(folder: Path) -> int:
    """Compare the files of the round and of the other rounds, and names in reports; returns how many rows."""
    rows = Round(folder, folder).compared()
    for manifest in sorted(folder.glob(f"rounds/*/{MANIFEST}")):
        rows += Round(folder, manifest.parent).compared()
    with tried("agreement.json", "compared with manifest.json"):
        facts = json.loads((folder / MANIFEST).read_text("utf-8"))
        for path in (folder / "agreement.json", *sorted(folder.glob("reports/*.json"))):
            name = path.relative_to(folder).as_posix()
            with tried(name, "compared with manifest.json"):
                _names_of_report(name, json.loads(path.read_text("utf-8")), facts)
    return rows


def _names_of_report(name: str, report: dict[str, object], facts: dict[str, object]) -> None:
    keys = ("study", "round") if "levels" in report else ("study", "round", "as_of")
    for key in keys:
        if key in report and key in facts and report[key] != facts[key]:
            fault(name, f"{key} is {report[key]}, where {MANIFEST} has {facts[key]}", MANIFEST)


class Round:
    """The tables of one round in a folder: of the package itself, or of another round below rounds/."""

    def __init__(self, package: Path, folder: Path) -> None:
        self.package, self.folder = package, folder
        self.rows = 0

    def name(self, file: str) -> str:
        return (self.folder / file).relative_to(self.package).as_posix()

    def table(self, file: str, *columns: str) -> pd.DataFrame:
        """The rows of a file by their numbers in a spreadsheet; none where the file may be missing and is."""
        found = read(self.folder / file, columns)
        found.index = pd.RangeIndex(FIRST_ROW, FIRST_ROW + len(found))
        self.rows += len(found)
        return found

    def compared(self) -> int:
        """Compare all tables, and return how many rows there are. What is wrong becomes a fault."""
        self.facts: dict[str, Any] = {}
        with tried(self.name(MANIFEST), "read"):
            self.facts = json.loads((self.folder / MANIFEST).read_text("utf-8"))
        self.issues = self.long = pd.DataFrame(columns=["Issue_URL"])
        for file, keep in (("issues.csv", "issues"), ("labels_long.csv", "long")):
            with tried(self.name(file), "read"):
                setattr(self, keep, self.table(file))
        self.second = pd.DataFrame(columns=["Issue_URL", "Volunteer", "Label"])
        for file, step in (
            ("issues.csv", self._issues),
            ("taxonomy.csv", self._codes),
            ("labels_long.csv", self._long),
            ("labels_second_look.csv", self._second_looks),
            ("labels_twice.csv", self._twice),
            ("ballots.csv", self._ballots),
            ("decisions.csv", self._decisions),
            ("labels_long.csv", self._guidelines),
        ):
            with tried(self.name(file), "compared with other files"):
                step()
        if self.folder == self.package:
            with tried("labels_long.csv", "compared with the files of repositories"):
                self._wide()
        return self.rows

    # --- one table

    def _issues(self) -> None:
        self._once("issues.csv", self.issues, "Issue_URL")

    def _once(self, file: str, table: pd.DataFrame, *columns: str) -> None:
        for row in table.index[pd.concat([table[name] for name in columns], axis=1).duplicated()]:
            fault(self.name(file), f"row {row} is there twice: {', '.join(table.loc[row, list(columns)])}")

    def _codes(self) -> None:
        """Labels, decisions and ballots name categories of the codebook or former ones."""
        book = self.table("taxonomy.csv")
        self._once("taxonomy.csv", book, "code")
        self.codes = set(book["code"])
        former = self.table("former_categories.csv", "code", "level", "parent")
        known = self.codes | set(former["code"]) | {"", NO_CATEGORY}
        for file, table, column in (
            ("issues.csv", self.issues, "Final_Label"),
            ("labels_long.csv", self.long, "Label"),
            ("labels_of_models.csv", self.table("labels_of_models.csv", "Label"), "Label"),
            ("votes.csv", self.table("votes.csv", "Ballot"), "Ballot"),
        ):
            for row, code in table.loc[~table[column].isin(known), column].items():
                said = f"row {row}: {column} is {code}, which {self.name('taxonomy.csv')} does not have"
                fault(self.name(file), said, self.name("taxonomy.csv"))

    def _long(self) -> None:
        """A row for each label, in the order of issues and volunteers, with the decisions of issues.csv."""
        file, long = self.name("labels_long.csv"), self.long
        self._once("labels_long.csv", long, "Issue_URL", "Volunteer")
        unknown = ~long["Issue_URL"].isin(self.issues["Issue_URL"])
        for row, url in long.loc[unknown, "Issue_URL"].items():
            fault(file, f"row {row}: {url} is not in {self.name('issues.csv')}", self.name("issues.csv"))
        self._as_in_issues(file, long)
        volunteers = {name: place for place, name in enumerate(self.facts["volunteers"])}
        for row, who in long.loc[~long["Volunteer"].isin(volunteers), "Volunteer"].items():
            fault(file, f"row {row}: {who} is no volunteer of {self.name(MANIFEST)}", self.name(MANIFEST))
        places = {url: place for place, url in enumerate(self.issues["Issue_URL"])}
        order = long["Issue_URL"].map(places).fillna(-1) * len(volunteers)
        self._in_order(file, order + long["Volunteer"].map(volunteers).fillna(-1))
        complete = self.issues.loc[self.issues["Completed_at"] != "", "Issue_URL"]
        for row, url in complete[~complete.isin(long["Issue_URL"])].items():
            said = f"no label of {url}, which row {row} of {self.name('issues.csv')} has as complete"
            fault(file, said, self.name("issues.csv"))

    def _as_in_issues(self, file: str, table: pd.DataFrame) -> None:
        """What a row says of its issue is what issues.csv says."""
        issues = self.issues.drop_duplicates("Issue_URL").set_index("Issue_URL")
        known = table[table["Issue_URL"].isin(issues.index)]
        for column in ("Number", "Final_Label", "Method", "Repository"):
            if column not in known or column not in issues:
                continue
            there = known["Issue_URL"].map(issues[column])
            unlike = known[column] != there
            if column == "Repository":  # with its host, where two have one path
                unlike &= np.array(
                    [not name.endswith(f"/{path}") for name, path in zip(there, known[column], strict=True)],
                    dtype=bool,
                )
            other = self.name("issues.csv")
            for row in known.index[unlike]:
                here = _or_empty(known.at[row, column])
                fault(
                    file, f"row {row}: {column} is {here}, where {other} has {_or_empty(there[row])}", other
                )

    def _in_order(self, file: str, places: pd.Series) -> None:
        for row in places.index[places.diff() < 0]:
            said = f"row {row} is not in the order of {self.name('issues.csv')} and of the volunteers"
            fault(file, said, self.name("issues.csv"))

    # --- second labels, ballots, guidelines

    def _second_looks(self) -> None:
        self.second = self.table("labels_second_look.csv", *self.second.columns, "First_Label")
        self._first_labels("labels_second_look.csv", self.second)

    def _twice(self) -> None:
        twice = self.table("labels_twice.csv", "Issue_URL", "Volunteer", "First_Label")
        self._first_labels("labels_twice.csv", twice)

    def _first_labels(self, file: str, table: pd.DataFrame) -> None:
        first = self.long.drop_duplicates(["Issue_URL", "Volunteer"])
        both = table.reset_index(names="row").merge(
            first, on=["Issue_URL", "Volunteer"], how="left", suffixes=("_", "")
        )
        for row, here, there in both.loc[
            both["First_Label"] != both["Label"], ["row", "First_Label", "Label"]
        ].values:
            other, has = self.name("labels_long.csv"), "no such row" if pd.isna(there) else _or_empty(there)
            said = f"row {row}: First_Label is {_or_empty(here)}, where {other} has {has}"
            fault(self.name(file), said, other)

    def _ballots(self) -> None:
        """The last ballots of those who labelled are among all ballots."""
        columns = ("Issue_URL", "Volunteer", "Ballot", "Closed_at")
        last, every = self.table("ballots.csv", *columns), self.table("votes.csv", *columns)
        cast = {tuple(row) for row in every[list(columns)].replace(NO_CATEGORY, "").values}
        for row, ballot in zip(last.index, last[list(columns)].values, strict=True):
            if tuple(ballot) not in cast:
                fault(
                    self.name("ballots.csv"),
                    f"row {row}: no such ballot in votes.csv",
                    self.name("votes.csv"),
                )

    def _decisions(self) -> None:
        """The decision that no later one superseded is that of issues.csv: its method, and its label where it
        was decided in the version of the codebook that is here.
        """
        file, other = self.name("decisions.csv"), self.name("issues.csv")
        if self.folder != self.package and not (self.folder / "decisions.csv").exists():
            return
        every = self.table("decisions.csv")
        self._once("decisions.csv", every, "Issue_URL", "Number")
        standing = every[every["Superseded_at"] == ""]
        self._once("decisions.csv", standing, "Issue_URL")
        issues = self.issues.drop_duplicates("Issue_URL").set_index("Issue_URL")
        for row, url in every.loc[~every["Issue_URL"].isin(issues.index), "Issue_URL"].items():
            fault(file, f"row {row}: {url} is not in {other}", other)
        decided = issues.index[issues["Method"] != ""]
        for url in decided[~decided.isin(standing["Issue_URL"])]:
            fault(file, f"no standing decision on {url}, which {other} has as decided", other)
        version = str(self.facts["version"])
        for row, one in standing[standing["Issue_URL"].isin(issues.index)].iterrows():
            there = issues.loc[one["Issue_URL"]]
            pairs = [("Method", one["Method"], there["Method"])]
            if one["Version"] == version:
                pairs.append(("Label", one["Label"], there["Final_Label"]))
            for column, here, has in pairs:
                if here != has:
                    said = f"{column} is {_or_empty(here)}, where {other} has {_or_empty(has)}"
                    fault(file, f"row {row}: {said}", other)

    def _guidelines(self) -> None:
        """The guidelines that labels were given by are there."""
        if "Guideline" not in self.long:
            return
        for number in sorted(set(self.long["Guideline"]) - {""}):
            name = f"guidelines/guideline-{number}.md"
            if not (self.package / name).is_file():
                said = f"is missing: {self.name('labels_long.csv')} has labels that were given by it"
                fault(name, said, self.name("labels_long.csv"))

    # --- the files of repositories

    def _wide(self) -> None:
        """Each issue has a row in the file of its repository: decision, and labels as they are now."""
        tables = {}
        for path in sorted(self.package.glob("*/*.csv")):
            if path.stem == path.parent.name:
                name = self.name(f"{path.stem}/{path.name}")
                with tried(name, "read"):
                    table = self.table(name)
                    if {"Issue_URL", "Final_Label"} <= set(table.columns):
                        tables[name] = table
        where = dict(zip(self.issues["Issue_URL"], self.issues["Repository"], strict=True))
        files = {
            where[url]: name for name, table in tables.items() for url in table["Issue_URL"] if url in where
        }
        there = {url for table in tables.values() for url in table["Issue_URL"]}
        for row, url in self.issues.loc[~self.issues["Issue_URL"].isin(there), "Issue_URL"].items():
            said = f"no row for {url}, which row {row} of issues.csv has"
            fault(files.get(where[url], "the file of its repository"), said, "issues.csv")
        for name, table in tables.items():
            self._once(name, table, "Issue_URL")
            for row, url in table.loc[~table["Issue_URL"].isin(where), "Issue_URL"].items():
                fault(name, f"row {row}: {url} is not in issues.csv", "issues.csv")
            self._as_in_issues(name, table)
            places = {url: place for place, url in enumerate(self.issues["Issue_URL"])}
            self._in_order(name, table["Issue_URL"].map(places).dropna())
            with tried(name, "compared with labels_long.csv"):
                self._labels(name, table[table["Issue_URL"].isin(where)].drop_duplicates("Issue_URL"))

    def _labels(self, name: str, table: pd.DataFrame) -> None:
        columns = [column for column in table.columns if column not in ("Issue_URL", "Final_Label")]
        volunteers = list(self.facts["volunteers"])
        if self.facts["allocation"] == "crossed" and len(columns) == len(volunteers):
            self._by_volunteer(name, table, dict(zip(columns, volunteers, strict=True)))
        else:
            self._by_issue(name, table, columns)

    def _by_volunteer(self, name: str, table: pd.DataFrame, who: dict[str, str]) -> None:
        """Each column has the labels of one volunteer."""
        cells = table.reset_index(names="row").melt(["row", "Issue_URL"], list(who), "column", "cell")
        cells["Volunteer"] = cells["column"].map(who)
        both = cells.merge(self._now(), on=["Issue_URL", "Volunteer"], how="left")
        both = both.fillna({"now": "", "first": ""})
        unlike = (both["cell"] != both["now"]) & (both["cell"] != both["first"]) & (both["waits"] != 1)
        for one in both[unlike].sort_values("row").to_dict("records"):
            has = f"{_or_empty(one['now'])} of {one['Volunteer']}"
            said = f"{one['column']} is {_or_empty(one['cell'])}, where labels_long.csv has {has}"
            fault(name, f"row {one['row']}: {said}", "labels_long.csv")

    def _by_issue(self, name: str, table: pd.DataFrame, columns: list[str]) -> None:
        """Columns are slots: who labelled in which is in no file."""
        now = self._now()
        waiting = set(now.loc[now["waits"] == 1, "Issue_URL"])
        labels: dict[str, dict[str, list[str]]] = {"now": {}, "first": {}}
        for kind, of_issues in labels.items():
            for url, code in zip(now["Issue_URL"], now[kind], strict=True):
                if code:
                    of_issues.setdefault(url, []).append(code)
        for row, url, *cells in table[["Issue_URL", *columns]].itertuples():
            here = sorted(filter(None, cells))
            there = [sorted(of_issues.get(url, [])) for of_issues in labels.values()]
            if url not in waiting and here not in there:
                one, other = (" ".join(codes) or "none" for codes in (here, there[0]))
                fault(
                    name, f"row {row}: labels are {one}, where labels_long.csv has {other}", "labels_long.csv"
                )

    def _now(self) -> pd.DataFrame:
        """The label of each volunteer on each issue as it is `now`, after second looks, and `first`:
        "" where it is open or its category is gone. An issue `waits` while a second look goes on.
        """
        long = self.long[self.long["Surplus"] == ""].drop_duplicates(["Issue_URL", "Volunteer"])
        last = self.second.drop_duplicates(["Issue_URL", "Volunteer"], keep="last")
        both = long[["Issue_URL", "Volunteer", "Label"]].merge(
            last[["Issue_URL", "Volunteer", "Label"]],
            on=["Issue_URL", "Volunteer"],
            how="left",
            suffixes=("", "_again"),
        )
        first = both["Label"].where(both["Label"].isin(self.codes), "")
        again = both["Label_again"].where(both["Label_again"].isin([*self.codes, np.nan]), "")
        complete = self.issues.loc[self.issues["Completed_at"] != "", "Issue_URL"]
        return both.assign(
            first=first,
            now=again.fillna(first),
            waits=(~both["Issue_URL"].isin(complete) & (first == "")).astype(int),
        )


def _or_empty(cell: object) -> str:
    return str(cell) or "empty"
