"""Draws the Vega-Lite specifications in its input, a JSON list: `python -m annotate.drawing svg`, pdf or png.

The answer is a line for each file, in base 64, as soon as it is drawn. A process of its own for each call:
the engine keeps over a hundred megabytes until its process ends. It takes a second to begin, and a tenth for
each picture.
"""

import json
import re
import sys
from base64 import b64encode
from typing import Any

import vl_convert

DOTS_PER_INCH = 300


def main(form: str) -> None:
    for spec in json.load(sys.stdin.buffer):
        sys.stdout.buffer.write(b64encode(draw(spec, form)) + b"\n")
        sys.stdout.buffer.flush()


def draw(spec: dict[str, Any], form: str) -> bytes:
    # No addresses are allowed: whatever a specification says, nothing is fetched.
    if form == "svg":
        svg = vl_convert.vegalite_to_svg(spec, vl_version="6.4", allowed_base_urls=[])
        return in_points(svg).encode()
    if form == "pdf":
        return vl_convert.vegalite_to_pdf(spec, vl_version="6.4", allowed_base_urls=[])
    return vl_convert.vegalite_to_png(spec, vl_version="6.4", allowed_base_urls=[], ppi=DOTS_PER_INCH)


def in_points(svg: str) -> str:
    """The SVG as wide as the PDF: a bare number would be read as pixels, three quarters of a point."""
    sized = re.compile(r'(<svg[^>]*?) width="([\d.]+)" height="([\d.]+)"')
    return sized.sub(r'\1 width="\2pt" height="\3pt"', svg, count=1)


if __name__ == "__main__":
    main(sys.argv[1])
