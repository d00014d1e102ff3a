"""Random sound trees, for properties that hold of all."""

import string

from hypothesis import strategies as st

from taxonomy.models import Taxonomy
from taxonomy.queries.drafts import drafted
from taxonomy.tree import LEVELS, TYPE, Node, Tree

TEXT = st.text(st.characters(exclude_categories=[]), max_size=30)
NAME = st.text(st.characters(exclude_categories=["Cc", "Zl", "Zp", "Cs"]), min_size=1, max_size=20)


def lines(taxonomy: Taxonomy) -> list[str]:
    """The categories of a draft, from top to bottom."""
    return [f"{entry.code} {entry.name}" for entry in drafted(taxonomy).draft]


def key(taxonomy: Taxonomy, code: str) -> str:
    """The identity of a category of a draft."""
    return next(entry.key for entry in drafted(taxonomy).draft if entry.code == code)


@st.composite
def trees(draw):
    """Sound trees in any order, with dotted codes or explicit parents, and any text that can be typed."""
    dotted = draw(st.booleans())
    ends = st.text(string.ascii_lowercase + string.digits + "=-", min_size=1, max_size=4)
    nodes, parents = [], [None]
    for level in LEVELS:
        codes = []
        for parent in parents:
            for end in draw(st.lists(ends, min_size=level == TYPE, max_size=4, unique=True)):
                code = f"{parent}.{end}" if dotted and parent else end if dotted else f"n{len(nodes)}-{end}"
                name = f"{len(nodes)} {draw(NAME)}"
                nodes.append(Node(code, level, parent, name, draw(TEXT), draw(TEXT), draw(TEXT), draw(TEXT)))
                codes.append(code)
        parents = codes
    return Tree(draw(st.permutations(nodes)))
