"""Draws the Vega-Lite specification of its input: `python -m annotate.drawing svg`, or pdf, or png.

A process of its own for each picture: the engine keeps over a hundred megabytes until its process ends.
"""

import json
import re
import sys

import vl_convert

DOTS_PER_INCH = 300


def main(form: str) -> None:
    spec = json.load(sys.stdin.buffer)
    # No addresses are allowed: whatever a specification says, nothing is fetched.
    if form == "svg":
        svg = vl_convert.vegalite_to_svg(spec, vl_version="6.4", allowed_base_urls=[])
        made = in_points(svg).encode()
    elif form == "pdf":
        made = vl_convert.vegalite_to_pdf(spec, vl_version="6.4", allowed_base_urls=[])
    else:
        made = vl_convert.vegalite_to_png(spec, vl_version="6.4", allowed_base_urls=[], ppi=DOTS_PER_INCH)
    sys.stdout.buffer.write(made)


def in_points(svg: str) -> str:
    """The SVG as wide as the PDF: a bare number would be read as pixels, three quarters of a point."""
    sized = re.compile(r'(<svg[^>]*?) width="([\d.]+)" height="([\d.]+)"')
    return sized.sub(r'\1 width="\2pt" height="\3pt"', svg, count=1)


if __name__ == "__main__":
    main(sys.argv[1])
