"""The tree of a taxonomy: sound by construction, ordered, with categories by code."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from operator import attrgetter

from taxonomy.tree.checks import TaxonomyFileError, WrittenCategory, cleaned, row_problems, tree_problems
from taxonomy.tree.nodes import Node


class Tree:
    """A sound taxonomy: unique codes, every parent present and one level up, at most three levels.

    Texts are stripped, line ends become LF, NUL and lone surrogates become U+FFFD (`replaced` counts these).
    Raises TaxonomyFileError with every problem of the nodes. Trees are equal if they have equal nodes in the
    same order.
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        pairs = [cleaned(node) for node in nodes]
        self.replaced = sum(replaced for _, replaced in pairs)
        rows = [
            WrittenCategory(place, node, str(node.level)) for place, (node, _) in enumerate(pairs, start=1)
        ]
        problems = [*row_problems(rows), *tree_problems(rows)]
        if problems:
            raise TaxonomyFileError(problems)
        self._nodes = {row.node.code: row.node for row in rows}
        children: dict[str | None, list[Node]] = defaultdict(list)
        for node in self._nodes.values():
            children[node.parent].append(node)
        self._children = {
            parent: tuple(sorted(siblings, key=attrgetter("position")))
            for parent, siblings in children.items()
        }
        self._preorder = tuple(self._walk(None))

    def _walk(self, parent: str | None) -> Iterator[Node]:
        for node in self.children(parent):
            yield node
            yield from self._walk(node.code)

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[Node]:
        """Every category, each before its children; siblings in the order of the file or the editor."""
        return iter(self._preorder)

    def __contains__(self, code: object) -> bool:
        return code in self._nodes

    def __getitem__(self, code: str) -> Node:
        """The category of this exact code; KeyError if the tree has none."""
        return self._nodes[code]

    def __eq__(self, other: object) -> bool:
        return self._preorder == other._preorder if isinstance(other, Tree) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._preorder)

    def __repr__(self) -> str:
        return f"<Tree of {len(self)} categories>"

    def children(self, code: str | None = None) -> tuple[Node, ...]:
        """The categories directly below `code`, in order; the types for None; () if there are none."""
        return self._children.get(code, ())

    def ancestors(self, code: str) -> tuple[Node, ...]:
        """The categories from the type down to `code` itself; KeyError for an unknown code."""
        node = self._nodes[code]
        return (node,) if node.parent is None else (*self.ancestors(node.parent), node)

    def at_level(self, level: int) -> tuple[Node, ...]:
        """The categories of one level, in preorder."""
        return tuple(node for node in self._preorder if node.level == level)
