"""What axe-core finds on a page as it stands."""

from functools import cache
from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).parents[1] / "vendor" / "axe.min.js"
GRAVE = {"serious", "critical"}


def violations(page: Page) -> list[str]:
    """The grave ones, a line each: rule, help, and the first elements concerned."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_source())
    found = page.evaluate("axe.run({ resultTypes: ['violations'] }).then((result) => result.violations)")
    return [
        f"{rule['id']}: {rule['help']}: {[node['html'][:160] for node in rule['nodes'][:3]]}"
        for rule in found
        if rule["impact"] in GRAVE
    ]


@cache
def _source() -> str:
    return AXE.read_text()
