"""Computes every number of agreement.json anew, from the labels beside it, and says where one differs.

    pip install -r requirements.txt
    python recompute.py                    # agreement.json of this folder, its rankings and frozen reports
    python recompute.py other-report.json  # another report of the same labels, at another level

First the script compares each file with its hash in manifest.json, and the files with each other. A frozen
report is computed anew where it was made of the labels and decisions that are here. statsmodels and SciPy
compute some numbers too: what they say otherwise is a note where their own rounding explains it, and a
difference where it does not. Nothing that is wrong ends the script before all is compared: it names each file
with what is wrong. The exit status is 0 where all files and numbers agree, 1 where one does not, and 2 where
the file that was asked for is no report of these labels.
Formulas and their sources stand in README.md, and in coefficients.py as they are computed. Nothing of the
platform that wrote the package is used.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Any

from chain import head_of
from faults import fault, faults, tried
from files import MANIFEST, compared, hashed, sha256
from latent import FILE, NEAR
from other_libraries import TOLERANCE, confirmed, misses, within
from package import LEVELS, Package
from rankings import ANSWERS, RANKINGS, both
from report import NOT_HERE, name_of, report

FOLDER = Path(__file__).resolve().parent
NAMES = {
    "study", "round", "level", "as_of", "group", "code", "volunteer", "repository", "sizes", "month", "model",
    "first", "second", "label", "comparison", "reason", "doubt", "weights", "independence", "population",
    "coefficient", "word", "sure_word", "sentence", "right", "first_label", "second_label", "scale",
}  # fmt: skip
"""Keys of a report with names, moments and sentences: there is nothing to compare."""
OF_PART = {
    "consensus": "ballots.csv", "intra_rater": "labels_twice.csv", "drift_check": "labels_twice.csv",
    "models": "labels_of_models.csv", "second_look": "labels_second_look.csv", "rankings": ANSWERS,
    "probable": FILE,
}  # fmt: skip
"""Parts of a report with a file of their own: where their numbers differ, it may be that file."""
SINCE = ("issues", "models", "intra_rater", "drift_check", "withheld", "second_look", "without_training")
"""Parts of a frozen report that may differ from the package although its labels and decisions are the same:
years of issues that were read later, and labels of models, second labels, second looks and admissions that
came later.
"""


def leaves(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """(path, number) for each number, and (path, yes or no) where it may be undefined or doubtful: is there a
    reason, or a doubt?
    """
    if isinstance(part, dict):
        for key, value in part.items():
            if key not in NAMES and not (key == "decision" and isinstance(value, str)):
                yield from leaves(value, f"{path} {key}".strip())
        if "reason" in part:
            yield f"{path} has a reason", part["reason"] is not None
        if "doubt" in part:
            yield f"{path} has a doubt", bool(part["doubt"])
    elif isinstance(part, list):
        for place, item in enumerate(part, start=1):
            yield from leaves(item, f"{path} [{_name(item) or place}]")
    else:
        yield path, part


def _name(item: dict[str, Any]) -> str:
    if "group" in item:
        return name_of(item["group"])
    if "sizes" in item:
        return ":".join(map(str, item["sizes"]))
    names = (
        "coefficient", "code", "volunteer", "model", "repository", "month", "comparison", "first", "second",
        "label", "decision", "right", "first_label", "second_label",
    )  # fmt: skip
    return ", ".join(str(item[name]) for name in names if isinstance(item.get(name), str))


def with_reasons(part: Any) -> Any:
    """The recomputed report with a reason wherever a number is undefined, as the stored one has them."""
    if isinstance(part, list):
        return [with_reasons(item) for item in part]
    if not isinstance(part, dict):
        return part
    made = {key: with_reasons(value) for key, value in part.items()}
    numbers = {key: value for key, value in part.items() if not isinstance(value, dict)}
    if "reason" not in part and {"se", "kappa", "cohen_kappa", "chi2"} & set(numbers):
        # An interval of a category has no error if none of its issues varies.
        said = {"doubt", *({"se"} if numbers.get("low") is not None else ())}
        missing = [key for key, value in numbers.items() if value is None and key not in said]
        made["reason"] = "undefined" if missing else None
    return made


def as_of_today(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Take out of `before` what earlier versions of the platform gave otherwise. Both are `leaves`.

    An error of 0 with an interval of one point stood where the issues do not vary. Reports without doubts had
    intervals of few issues and other ones of categories, left pairs without a kappa out of a mean, and had no
    kappa of one issue in common.
    """
    for path in [path for path, value in before.items() if path.endswith(" se") and value == 0]:
        of = path.removesuffix(" se")
        low, high, reason = f"{of} low", f"{of} high", f"{of} has a reason"
        is_point = _is_number(before.get(low)) and before[low] == before.get(high)
        if is_point and after.get(path, "missing") is None:
            before |= {path: None, low: None, high: None, reason: after[reason]}
    if any(path.endswith(" has a doubt") for path in before):
        # Differences had none.
        before |= {
            path: one for path, one in after.items() if path.endswith(" has a doubt") and path not in before
        }
        return
    for path, value in after.items():
        of, _space, name = path.rpartition(" ")
        is_category = "] categories [" in path and name in {"low", "high", "se", "reason", "issues"}
        is_gone = name in {"low", "high"} and value is None
        is_mean = of.endswith((" mean_kappa", " light_kappa")) and value is None
        is_one = name == "cohen_kappa" and after.get(f"{of} issues") == 1
        if path.endswith(" has a doubt") or is_category or is_gone or is_mean or is_one:
            before[path] = value
        elif path.endswith(" has a reason") and before.get(path) != value:
            of = path.removesuffix(" has a reason")
            parts = [f"{of} {part}" for part in ("low", "value", "cohen_kappa") if f"{of} {part}" in after]
            if all(before.get(part) == after[part] for part in parts):
                before[path] = value


def other_units_as_of_today(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Take the intervals over repositories and volunteers, and their doubts, out of `before`: earlier
    versions of the platform made them on another scale, without a doubt.
    """
    for path, value in after.items():
        is_of_units = " intervals sampled repositories " in path or " intervals sampled volunteers " in path
        if is_of_units and path in before and path.endswith((" low", " high", " has a doubt")):
            before[path] = value


def without_newer(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Take the numbers that earlier versions of the platform did not give out of `after`."""
    for newer in ("conger_kappa", "differ"):
        if not any(newer in path.split() for path in before):
            for path in [path for path in after if newer in path.split()]:
                del after[path]


def differs(stored: Any, found: Any) -> float | None:
    """How far apart two numbers are, as a share of the stored one, or of 1 if that is less. Without two
    numbers: 0.0 if both are the same, else None.
    """
    if not (_is_number(stored) and _is_number(found)):
        return 0.0 if type(stored) is type(found) and stored == found else None
    return float(abs(stored - found) / max(1.0, abs(stored)))


def _is_number(value: Any) -> bool:
    """Not so: undefined, a word, true and false, and what JSON does not have, such as NaN."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


class Comparison:
    """Counts what agrees, and prints each number with the recomputed one."""

    def __init__(self) -> None:
        self.equal = self.near = self.wrong = self.skipped = self.fitted = 0
        self.files: dict[str, str] = {}
        self.head = ""
        self.rows = 0
        self.differing: set[str] = set()

    def compare_files(self, besides: set[Path]) -> None:
        """Each file by its hash in the manifest, and the files with each other; not those of `besides`."""
        self.files = hashed(FOLDER, besides)
        for name, became in self.files.items():
            if became:
                print(f"{name:70} {became}")
        self.rows = compared(FOLDER)
        self.head = head_of(FOLDER)
        print(f"{'':70} {'stored':>24} {'recomputed':>24} {'difference':>10}")

    def compare(self, file: str, stored: dict[str, Any], found: dict[str, Any], of: str = "") -> None:
        self._compare(file, dict(leaves(stored, of)), dict(leaves(with_reasons(found), of)))

    def _compare(self, file: str, before: dict[str, Any], after: dict[str, Any]) -> None:
        for path in dict.fromkeys([*before, *after]):
            one, other = before.get(path, "missing"), after.get(path, "missing")
            if other == NOT_HERE:
                if one != "missing":
                    print(f"{path:70} {one!s:>24} {NOT_HERE:>24}")
                    self.skipped += 1
                continue
            apart = None if "missing" in (one, other) else differs(one, other)
            is_fitted = path.startswith("probable ")
            is_wrong = apart is None or apart > (NEAR if is_fitted else TOLERANCE)
            said = "?" if apart is None else f"{apart:.1e}" if apart else "0"
            print(f"{path:70} {one!s:>24} {other!s:>24} {said:>10}{'  DIFFERS' if is_wrong else ''}")
            self.wrong += is_wrong
            if is_wrong:
                self.differing |= {file, *(OF_PART[part] for part in OF_PART if f" {part} " in f" {path} ")}
            self.fitted += is_fitted and not is_wrong
            self.equal += one == other and not is_fitted
            self.near += one != other and not is_fitted and not is_wrong

    def compare_frozen(self, frozen: dict[str, Any], of: str) -> bool:
        """The levels of a frozen report; False where it was made of other labels or decisions."""
        file = f"{of}.json"
        if sha256(FOLDER / frozen["inputs"]["file"]) != frozen["inputs"]["sha256"]:
            print(f"{of}: made of other labels or decisions than those that are here.")
            return False
        for level, stored in frozen["levels"].items():
            kept = {part: content for part, content in stored.items() if part not in SINCE}
            package = Package(FOLDER, LEVELS.index(level))
            # How much was incomplete then nobody knows now.
            package.manifest["closed_at"], package.again = None, NOT_HERE
            with within(f"{of} {level}"):
                found = report(package, kept, file)
            before = dict(leaves(kept, f"{of} {level}"))
            after = dict(leaves(with_reasons(found), f"{of} {level}"))
            if "scale" not in kept.get("intervals", {}):
                other_units_as_of_today(before, after)
            as_of_today(before, after)
            without_newer(before, after)
            self._compare(file, before, after)
        if file in self.differing:
            fault(file, "altered: made of the labels and decisions that are here, with other numbers")
        return True

    def say(self) -> None:
        """Name the numbers of other libraries that are not ours, and count all."""
        if misses:
            print(f"\n{'':70} {'of a library':>24} {'recomputed':>24} {'difference':>10} {'explained':>10}")
        for miss in misses:
            print(
                f"{miss.of + ': ' + miss.by:70} {miss.theirs!s:>24} {miss.ours!s:>24} {miss.apart:>10.1e}"
                f" {miss.rounding:>10.1e}{'' if miss.is_explained else '  DIFFERS'}"
            )
        if faults:
            print("\nWhat is wrong with the files:")
        for one in faults:
            print(f"{one.file}: {one.what}")
        self._say_counts()
        if (FOLDER / MANIFEST).is_file():
            print(f"SHA-256 of {MANIFEST}: {sha256(FOLDER / MANIFEST)}")
        if self.head:
            print(f"Head of the chain of seals: {self.head}")
        if wrong := self.wrong_files:
            print(f"Files that were changed, or differ from another: {', '.join(wrong)}")

    def _say_counts(self) -> None:
        numbers = self.equal + self.near + self.wrong
        changed = sum(map(bool, self.files.values()))
        print(
            f"\n{len(self.files)} files: {len(self.files) - changed} as manifest.json names them,"
            f" {changed} changed, missing or added."
        )
        print(f"{self.rows} rows compared with other files. Faults of files: {len(faults)}.")
        print(
            f"{numbers} numbers: {self.equal} equal to the last digit, {self.near} within {TOLERANCE},"
            f" {self.wrong} differ.\n{self.skipped} more count what is not in this package."
        )
        if self.fitted:
            print(f"{self.fitted} more are of models of erring raters, within {NEAR}.")
        explained = Counter(miss.by for miss in misses if miss.is_explained)
        unexplained = Counter(miss.by for miss in misses if not miss.is_explained)
        for by in sorted({*confirmed, *explained, *unexplained}):
            print(f"{by} gives the same {confirmed[by]} times, to within {TOLERANCE}.")
            if explained[by]:
                print(f"{by} is further away {explained[by]} times, which its own rounding explains.")
            if unexplained[by]:
                print(f"{by} differs {unexplained[by]} times, which its own rounding does not explain.")

    @property
    def wrong_files(self) -> list[str]:
        """Each file that is not as its manifest, another file or the recomputed numbers say."""
        changed = {name for name, became in self.files.items() if became}
        named = {file for one in faults for file in (one.file, one.other) if file}
        return sorted(changed | named | self.differing)

    @property
    def is_right(self) -> bool:
        """Do all files and numbers agree, and all libraries but for their rounding?"""
        return not self.wrong_files and all(miss.is_explained for miss in misses)


def whole(made: Comparison) -> None:
    """agreement.json of this folder, the rankings of interviews, and the frozen reports."""
    with tried("agreement.json", "computed"):
        stored = json.loads((FOLDER / "agreement.json").read_text("utf-8"))
        package = Package(FOLDER, LEVELS.index(stored["level"]))
        made.compare("agreement.json", stored, report(package, stored, "agreement.json"))
    with tried(RANKINGS, "computed"):
        if rankings := both(FOLDER):
            in_file, computed = rankings
            made.compare(RANKINGS, in_file, computed, "rankings")
    for frozen in sorted((FOLDER / "reports").glob("*.json")):
        of = f"reports/{frozen.stem}"
        with tried(f"{of}.json", "computed"):
            made.compare_frozen(json.loads(frozen.read_text("utf-8")), of)


def asked(made: Comparison, path: Path) -> bool:
    """One report; False where it is none, or is of other labels."""
    stored = json.loads(path.read_text("utf-8"))
    if "levels" in stored:
        return made.compare_frozen(stored, path.stem)
    if stored.get("level") not in LEVELS:
        print(f"{path} is no agreement report.", file=sys.stderr)
        return False
    package = Package(FOLDER, LEVELS.index(stored["level"]))
    made.compare(path.name, stored, report(package, stored, path.name))
    return True


def main(arguments: list[str]) -> int:
    made = Comparison()
    paths = [Path(one) for one in arguments]
    made.compare_files({one.resolve() for one in paths})
    if not paths:
        whole(made)
    for path in paths:
        with tried(path.name, "computed"):
            if not asked(made, path):
                return 2
    made.say()
    return 0 if made.is_right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
