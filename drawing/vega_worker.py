"""Draw the Vega-Lite specifications of the input, a JSON list: `python -m drawing.vega_worker svg`, pdf, …
An element {"svg": …} has a finished SVG in points, which becomes PDF or PNG.

The answer has a line for each file, in base 64, as soon as it is drawn. Each call has its own process, as the
engine keeps over 100 MB until the process ends. It takes a second to start, and a tenth for each picture.
"""

import json
import re
import sys
from base64 import b64decode, b64encode
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typst
import vl_convert

from drawing import FONTS

DOTS_PER_INCH = 300
DOTS = 25_000_000
"""The largest picture in dots of four bytes each: a tree of hundreds of categories is metres high."""

PICTURE = re.compile(r'href="data:image/svg\+xml;base64,([^"]*)"')


def main(form: str) -> None:
    vl_convert.register_font_directory(str(FONTS))
    for spec in json.load(sys.stdin.buffer):
        sys.stdout.buffer.write(b64encode(draw(spec, form)) + b"\n")
        sys.stdout.buffer.flush()


def draw(spec: dict[str, Any], form: str) -> bytes:
    if "svg" in spec:
        return made_of(spec["svg"], form)
    # No addresses are allowed: no specification can make the engine fetch anything.
    if form == "inline":
        return in_points(vl_convert.vegalite_to_svg(spec, vl_version="6.4", allowed_base_urls=[])).encode()
    if form == "png":
        return vl_convert.vegalite_to_png(spec, vl_version="6.4", allowed_base_urls=[], ppi=DOTS_PER_INCH)
    pdf = vl_convert.vegalite_to_pdf(spec, vl_version="6.4", allowed_base_urls=[])
    return pdf if form == "pdf" else in_points(outlined(pdf, spec.get("description", ""))).encode()


def made_of(svg: str, form: str) -> bytes:
    """A file from an SVG in points; the engine reads bare numbers as points, those with a unit as pixels."""
    bare = re.sub(r' width="([\d.]+)pt" height="([\d.]+)pt"', r' width="\1" height="\2"', svg, count=1)
    if form == "pdf":
        return vl_convert.svg_to_pdf(bare)
    width, height = (float(one) / 72 for one in re.findall(r' (?:width|height)="([\d.]+)"', bare)[:2])
    return vl_convert.svg_to_png(bare, ppi=min(DOTS_PER_INCH, (DOTS / (width * height)) ** 0.5))


def outlined(pdf: bytes, said: str) -> str:
    """The picture as SVG with letters as outlines, which looks the same with any fonts.

    A viewer sets the texts of an SVG in its own fonts; wider fonts would cut names off.
    """
    with TemporaryDirectory() as folder:
        (Path(folder) / "picture.pdf").write_bytes(pdf)
        around = Path(folder) / "around.typ"
        around.write_text('#set page(width: auto, height: auto, margin: 0pt)\n#image("picture.pdf")')
        set_in_a_page = typst.compile(str(around), format="svg").decode()
    (picture,) = PICTURE.findall(set_in_a_page)
    svg = b64decode(picture).decode()
    return svg.replace("<svg ", '<svg role="img" ', 1).replace(">", f"><title>{escape(said)}</title>", 1)


def in_points(svg: str) -> str:
    """The SVG at the size of the PDF: viewers read bare numbers as pixels, three quarters of a point."""
    sized = re.compile(r'(<svg[^>]*?) width="([\d.]+)" height="([\d.]+)"')
    return sized.sub(r'\1 width="\2pt" height="\3pt"', svg, count=1)


if __name__ == "__main__":
    main(sys.argv[1])
