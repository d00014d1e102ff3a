"""Computes every number of agreement.json anew, from the labels beside it, and says where one differs.

    pip install -r requirements.txt
    python recompute.py                    # agreement.json of this folder, and the frozen reports in reports/
    python recompute.py other-report.json  # another report of the same labels, at another level

A frozen report is computed anew where it was made of the labels and decisions that are here. The exit status
is 0 where all numbers agree, 1 where one does not, and 2 where the file cannot be computed from this folder.
Formulas and their sources stand in README.md, and in coefficients.py as they are computed. Nothing of the
platform that wrote the package is used.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from coefficients import TOLERANCE, confirmed
from package import LEVELS, Package
from report import NOT_HERE, report

FOLDER = Path(__file__).resolve().parent
NAMES = {
    "study", "round", "level", "as_of", "group", "code", "volunteer", "repository", "sizes", "month", "model",
    "first", "second", "label", "reason",
}  # fmt: skip
"""What is no number of a report."""
SINCE = ("issues", "models", "intra_rater", "withheld")
"""What can be another in a frozen report, though its labels and decisions are those of now: years of issues
that were read later, and labels of models and second labels that came later.
"""


def leaves(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Each number with its path; and of each place where one may be undefined, whether there is a reason."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key not in NAMES and not (key == "decision" and isinstance(value, str)):
                yield from leaves(value, f"{path} {key}".strip())
        if "reason" in part:
            yield f"{path} has a reason", part["reason"] is not None
    elif isinstance(part, list):
        for place, item in enumerate(part, start=1):
            yield from leaves(item, f"{path} [{_name(item) or place}]")
    else:
        yield path, part


def _name(item: dict[str, Any]) -> str:
    if "group" in item:
        return ", ".join(f"{name} {value}" for name, value in item["group"].items()) or "all"
    if "sizes" in item:
        return ":".join(map(str, item["sizes"]))
    names = ("code", "volunteer", "model", "repository", "month", "first", "second", "label", "decision")
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
        made["reason"] = "undefined" if None in numbers.values() else None
    return made


def differs(stored: Any, found: Any) -> float | None:
    """How far apart two numbers are, as a share of the stored one or of 1; None: one alone is undefined."""
    if stored is None or found is None or isinstance(stored, bool) or isinstance(found, bool):
        return 0.0 if stored is found else None
    return abs(stored - found) / max(1.0, abs(stored))


class Comparison:
    """Counts what agrees, and prints each number with the recomputed one."""

    def __init__(self) -> None:
        self.equal = self.near = self.wrong = self.skipped = 0
        print(f"{'':70} {'stored':>24} {'recomputed':>24} {'difference':>10}")

    def compare(self, stored: dict[str, Any], found: dict[str, Any], of: str = "") -> None:
        before, after = dict(leaves(stored, of)), dict(leaves(with_reasons(found), of))
        for path in dict.fromkeys([*before, *after]):
            one, other = before.get(path, "missing"), after.get(path, "missing")
            if other == NOT_HERE:
                if one != "missing":
                    print(f"{path:70} {one!s:>24} {NOT_HERE:>24}")
                    self.skipped += 1
                continue
            apart = None if "missing" in (one, other) else differs(one, other)
            is_wrong = apart is None or apart > TOLERANCE
            said = "?" if apart is None else f"{apart:.1e}" if apart else "0"
            print(f"{path:70} {one!s:>24} {other!s:>24} {said:>10}{'  DIFFERS' if is_wrong else ''}")
            self.wrong += is_wrong
            self.equal += one == other
            self.near += one != other and not is_wrong

    def compare_frozen(self, frozen: dict[str, Any], of: str) -> bool:
        """The levels of a frozen report; False where it was made of other labels or decisions."""
        labels = (FOLDER / frozen["inputs"]["file"]).read_bytes()
        if hashlib.sha256(labels).hexdigest() != frozen["inputs"]["sha256"]:
            print(f"{of}: made of other labels or decisions than those that are here.")
            return False
        for level, stored in frozen["levels"].items():
            kept = {part: content for part, content in stored.items() if part not in SINCE}
            package = Package(FOLDER, LEVELS.index(level))
            # How much was incomplete then nobody knows now.
            package.manifest["closed_at"] = None
            self.compare(kept, report(package, kept), f"{of} {level}")
        return True

    def say(self) -> None:
        numbers = self.equal + self.near + self.wrong
        print(
            f"\n{numbers} numbers: {self.equal} equal to the last digit, {self.near} within {TOLERANCE},"
            f" {self.wrong} differ.\n{self.skipped} more count what is not in this package."
        )
        for by, times in sorted(confirmed.items()):
            print(f"{by} gives the same {times} times, to within {TOLERANCE}.")


def main(arguments: list[str]) -> int:
    path = Path(arguments[0]) if arguments else FOLDER / "agreement.json"
    stored = json.loads(path.read_text("utf-8"))
    if "levels" not in stored and stored.get("level") not in LEVELS:
        print(f"{path} is no agreement report.", file=sys.stderr)
        return 2
    made = Comparison()
    if "levels" in stored:
        if not made.compare_frozen(stored, path.stem):
            return 2
    else:
        made.compare(stored, report(Package(FOLDER, LEVELS.index(stored["level"])), stored))
    for frozen in sorted((FOLDER / "reports").glob("*.json")) if not arguments else ():
        made.compare_frozen(json.loads(frozen.read_text("utf-8")), f"reports/{frozen.stem}")
    made.say()
    return 1 if made.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
