"""What axe-core finds on a page as it stands."""

from functools import cache
from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).parents[1] / "vendor" / "axe.min.js"
GRAVE = {"serious", "critical"}


COLOURS = {"runOnly": ["cat.color"], "rules": {"color-contrast-enhanced": {"enabled": False}}}
"""The rules about colours, but the one that nobody promises."""


def violations(page: Page, *, colours: bool = False) -> list[str]:
    """The grave ones, a line each: rule, help, and the first elements concerned.

    `colours`: by the rules about colours alone, for what differs in nothing else from a page that was looked at.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(_source())
    options = {"resultTypes": ["violations"], **(COLOURS if colours else {})}
    found = page.evaluate("(options) => axe.run(options).then((result) => result.violations)", options)
    return [
        f"{rule['id']}: {rule['help']}: {[node['html'][:160] for node in rule['nodes'][:3]]}"
        for rule in found
        if rule["impact"] in GRAVE
    ]


@cache
def _source() -> str:
    return AXE.read_text()
