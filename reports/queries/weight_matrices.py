"""The study's own weights of the categories of a version."""

import csv
from collections.abc import Collection
from functools import lru_cache

from django.db.models import QuerySet

from agreement.weighted.matrix import Matrix, read_matrix, tree_matrix
from agreement.weighted.weights import tree_weights
from reports.models import WeightMatrix
from taxonomy.models import CategoryState
from taxonomy.queries.codebooks import Codebook


def weight_matrices(version_id: int) -> QuerySet[WeightMatrix]:
    """Every matrix of a version, and every return to the tree, the newest first."""
    found = WeightMatrix.objects.filter(version=version_id)
    return found.select_related("set_by").order_by("-number")


def matrix_in_use(version_id: int) -> WeightMatrix | None:
    """The newest matrix of a version; None while the weights are those of the tree. One query."""
    newest = WeightMatrix.objects.filter(version=version_id).order_by("-number").first()
    return newest if newest and newest.text else None


def matrices_in_use(version_ids: Collection[int]) -> dict[int, WeightMatrix]:
    """By version, as `matrix_in_use`, without versions whose weights are those of the tree. One query."""
    newest = WeightMatrix.objects.filter(version__in=version_ids).order_by("version", "-number")
    return {one.version_id: one for one in newest.distinct("version") if one.text}


@lru_cache(maxsize=16)
def parsed(text: str) -> Matrix:
    """The matrix of a stored text."""
    return read_matrix(text, next(csv.reader([text.partition("\n")[0]]))[1:])


def matrix_of_tree(book: Codebook) -> Matrix:
    """The weights of the tree for all categories of a version, to begin a matrix with."""
    weights = tree_weights([line_of(book, state) for state in book.states])
    return tree_matrix([state.code for state in book.states], weights)


def line_of(book: Codebook, state: CategoryState) -> list[int]:
    """The ids of the category and of all above it, from the top."""
    line = [state.category_id]
    above = book.by_id.get(state.parent_id) if state.parent_id else None
    while above is not None:
        line.append(above.category_id)
        above = book.by_id.get(above.parent_id) if above.parent_id else None
    return line[::-1]
