"""What the image has of others, as CycloneDX 1.6: `sbom.cdx.json`, of the lock file and the vendored files.

`python -m scripts.sbom` ends with 1 if the file is out of date; `python -m scripts.sbom write` writes it.
It has no moment and no random number: the same lock file gives the same bytes.
"""

import json
import re
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[1]
SBOM = ROOT / "sbom.cdx.json"
LOCK = ROOT / "requirements-server.lock"
VENDORED = ROOT / "static" / "vendor" / "VENDORED.md"

_PINNED = re.compile(
    r"^(?P<name>[a-z0-9._-]+)==(?P<version>[^ ;\\]+)(?: ; (?P<marker>[^\\]+?))? \\\n"
    r"(?P<hashes>(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n?)+)",
    re.MULTILINE,
)
_ROW = re.compile(
    r"^\| `(?P<file>[^`]+)` \| `(?P<name>[^`]+)` \([^|]*\) \| (?P<version>\S+)"
    r" \| (?P<licence>\S+) \| `(?P<hash>\w{64})` \|$",
    re.MULTILINE,
)


def bill(lock: str, vendored: str, version: str) -> dict[str, Any]:
    """The bill of materials of these texts."""
    components = [*_packages(lock), *_files(vendored)]
    told = json.dumps(components, sort_keys=True)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, told)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "crosscheck",
                "name": "crosscheck",
                "version": version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": components,
    }


def text() -> str:
    """What `sbom.cdx.json` should have."""
    project = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    made = bill(LOCK.read_text("utf-8"), VENDORED.read_text("utf-8"), project[1] if project else "")
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def _packages(lock: str) -> Iterator[dict[str, Any]]:
    for one in _PINNED.finditer(lock):
        address = f"pkg:pypi/{one['name']}@{quote(one['version'])}"
        marker = one["marker"]
        reference = f"{address}#{quote(marker)}" if marker else address
        hashes = re.findall(r"[0-9a-f]{64}", one["hashes"])
        properties = [("crosscheck:where", marker)] if marker else []
        properties += [("crosscheck:sha256", each) for each in hashes]
        yield {
            "type": "library",
            "bom-ref": reference,
            "name": one["name"],
            "version": one["version"],
            "purl": address,
            "properties": [{"name": name, "value": value} for name, value in properties],
        }


def _files(vendored: str) -> Iterator[dict[str, Any]]:
    for one in _ROW.finditer(vendored):
        address = f"pkg:npm/{quote(one['name'], safe='/')}@{one['version']}"
        yield {
            "type": "library",
            "bom-ref": f"{address}#{one['file']}",
            "name": one["name"],
            "version": one["version"],
            "purl": address,
            "hashes": [{"alg": "SHA-256", "content": one["hash"]}],
            "licenses": [{"license": {"id": one["licence"]}}],
            "properties": [{"name": "crosscheck:file", "value": one["file"]}],
        }


def main(arguments: list[str]) -> int:
    if arguments == ["write"]:
        SBOM.write_text(text(), "utf-8")
        return 0
    if SBOM.is_file() and SBOM.read_text("utf-8") == text():
        return 0
    print("sbom.cdx.json is out of date: python -m scripts.sbom write")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
