"""The labels that issues have on their forge: rooms above say from whom they are hidden."""

from collections.abc import Callable, Collection

from ingest.models import Issue

Hides = Callable[[int, Collection[int]], set[int]]
"""From the id of a user and ids of issues: the issues whose labels are hidden from this user."""

_hides: list[Hides] = []


def hide_forge_labels(hides: Hides) -> None:
    """Ask this function too, wherever somebody reads issues."""
    _hides.append(hides)


def hidden_forge_labels(user: int | None, issues: Collection[int]) -> set[int]:
    """Those of these issues whose labels on their forge are hidden from this user. One query."""
    if user is None or not issues:
        return set()
    return set[int]().union(*(hides(user, issues) for hides in _hides))


def hides_forge_labels(user: int | None, issue: Issue) -> bool:
    """Are the labels of this issue on its forge hidden from this user? One query."""
    return issue.pk in hidden_forge_labels(user, [issue.pk])
