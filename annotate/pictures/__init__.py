"""The pictures of an agreement report as Vega-Lite specifications: on the page, and as files for a paper.

Data are the rows of `annotate.tables`. What people have named is data and never part of an expression.
Shapes, positions and written numbers say everything, so that nothing is lost in black and white.
"""

from annotate.pictures.kinds import KINDS, TITLES, picture, pictures, specification, specifications
from annotate.pictures.picture import HEADS, Picture
from annotate.pictures.widths import WIDTHS, Width

__all__ = [
    "HEADS",
    "KINDS",
    "TITLES",
    "WIDTHS",
    "Picture",
    "Width",
    "picture",
    "pictures",
    "specification",
    "specifications",
]
