"""Which coefficients the protocol had named before: the marks of a report, from the frozen file."""

import json
from typing import Any

from package import Package

PLANNED, EXPLORATORY = "planned", "exploratory"


def protocol(package: Package, stored: dict[str, Any]) -> dict[str, Any]:
    """The marks of the report `stored` by the frozen version that it names. Whether that version was frozen
    before the round was opened is not in the package's tables, so this is taken as stored.
    """
    said = stored["protocol"]
    frozen = json.loads((package.folder / f"protocol-v{said['version']}.json").read_text("utf-8"))
    fixed = frozen["plan"].get("level"), frozen["plan"].get("coefficient")
    counts = said["frozen_before_opening"] and not package.manifest["coached_left_out"]
    return {
        "version": frozen["version"],
        "frozen_before_opening": said["frozen_before_opening"],
        "level": fixed[0],
        "coefficient": fixed[1],
        "marks": {
            name: PLANNED if counts and fixed == (stored["level"], name) else EXPLORATORY
            for name in said["marks"]
        },
    }
