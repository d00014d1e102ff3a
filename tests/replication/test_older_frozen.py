"""Frozen reports of earlier versions, which gave an interval without width where the issues do not vary."""

import hashlib
import json

from tests.worlds.made_package import write_made_package
from tests.worlds.recomputed import forge_hashes, summary, wrong_paths

DECIDED = {
    "C.1": [(5, ["C.1"] * 3), (2, ["C.1", "C.2", "C.1"])],
    "A.1": [(2, ["A.1"] * 3)],
    "B.1": [(2, ["B.1", "B.1", "A.1"])],
}
"""The issues of types A and B do not vary, those of C do."""


def test_an_interval_without_width_in_a_frozen_report_is_no_difference(tmp_path):
    write_made_package(tmp_path, DECIDED)
    theme = json.loads((tmp_path / "agreement.json").read_text())
    groups = {group["group"].get("type"): group for group in theme["groups"]}
    older = 0
    for group in groups.values():
        for name, found in [*group["coefficients"].items(), *(("kappa", one) for one in group["categories"])]:
            value = found.get("value", found.get("kappa"))
            if value is not None and found["se"] is None and name != "light_kappa":
                found |= {"se": 0.0, "low": value, "high": value, "reason": None}
                older += 1
    assert older > 2
    ac1 = groups["A"]["coefficients"]["gwet_ac1"]
    assert ac1 == {"value": 1.0, "se": 0.0, "low": 1.0, "high": 1.0, "reason": None, "doubt": None}

    def freeze() -> None:
        labels = (tmp_path / "labels_long.csv").read_bytes()
        inputs = {"file": "labels_long.csv", "sha256": hashlib.sha256(labels).hexdigest()}
        (tmp_path / "reports").mkdir(exist_ok=True)
        stored = {"inputs": inputs, "levels": {"theme": theme}}
        (tmp_path / "reports/x.json").write_text(json.dumps(stored))
        forge_hashes(tmp_path)

    freeze()
    assert summary(tmp_path)[1] == 0
    # Where the issues vary, and where the interval has a width or another value, it is one.
    varying = groups["C"]["coefficients"]["gwet_ac1"]
    varying |= {"se": 0.0, "low": varying["value"], "high": varying["value"]}
    ac1["low"] = 0.9
    groups["B"]["coefficients"]["gwet_ac1"]["value"] += 0.1
    freeze()
    of = "reports/x theme groups [type {}] coefficients gwet_ac1 {}"
    assert wrong_paths(tmp_path) == {
        *(of.format("A", part) for part in ("se", "low", "high", "has a reason")),
        of.format("B", "value"),
        *(of.format("C", part) for part in ("se", "low", "high")),
    }
