"""Groups of similar reports: all that a chain of pairs connects."""

from collections.abc import Iterable


def groups_of(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The connected components of these pairs, each in ascending order: the largest first, equally large ones
    in the order of their smallest member. The order of the pairs does not matter.
    """
    parents: dict[int, int] = {}
    for first, second in pairs:
        one, other = _root(parents, first), _root(parents, second)
        parents[max(one, other)] = min(one, other)
    members: dict[int, list[int]] = {}
    for one in sorted(parents):
        members.setdefault(_root(parents, one), []).append(one)
    return sorted(members.values(), key=lambda group: (-len(group), group[0]))


def _root(parents: dict[int, int], one: int) -> int:
    """The smallest member of a group, as far as it is known; shortens the way there."""
    root = parents.setdefault(one, one)
    while parents[root] != root:
        root = parents[root]
    while parents[one] != root:
        parents[one], one = root, parents[one]
    return root
