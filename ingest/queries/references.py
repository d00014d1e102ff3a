"""What refers to issues: an issue that anything refers to stays in its study.

A room above registers its tables when it starts (`<room>/issue_references.py`). The keys of the database hold
the same: a row that nobody registered still lets no issue go.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.apps import apps
from django.db.models import Count, Q, QuerySet
from django.utils.translation import ngettext

from core.templatetags.crosscheck import count
from ingest.models import Import, Issue

Words = Callable[[int, str], str]
"""The sentence part for so many issues and the name of what refers to them."""


@dataclass(frozen=True)
class Reference:
    """So many issues that one round, sample or list refers to, in words."""

    issues: int
    words: str


@dataclass(frozen=True)
class _Table:
    model: str
    name: str
    words: Words
    only: Q
    field: str
    of_imports_only: bool


_tables: list[_Table] = []
_forgetters: list[Callable[[QuerySet[Issue]], object]] = []


def refers(
    model: str,
    words: Words,
    *,
    name: str = "",
    only: Q | None = None,
    field: str = "issue",
    of_imports_only: bool = False,
) -> None:
    """Register a table that refers to issues by `field`. `name` is the path to the name of what refers to
    them, `only` restricts the rows. With `of_imports_only` the table keeps what an import brought, and lets
    go a single issue that a lead removes.
    """
    table = _Table(model, name, words, only or Q(), field, of_imports_only)
    if table not in _tables:
        _tables.append(table)


def forgets(forget: Callable[[QuerySet[Issue]], object]) -> None:
    """Register what a room does in the transaction in which issues go."""
    if forget not in _forgetters:
        _forgetters.append(forget)


def forget(issues: QuerySet[Issue]) -> None:
    """Let each room let go of issues that are about to be removed."""
    for one in _forgetters:
        one(issues)


def tables() -> set[tuple[str, str]]:
    """Each registered table with its key to issues."""
    return {(table.model, table.field) for table in _tables}


def references_to(issues: QuerySet[Issue], *, of_import: bool = False) -> list[Reference]:
    """What refers to any of these issues, with how many. One query for each registered table."""
    found = []
    for table in _tables:
        if table.of_imports_only and not of_import:
            continue
        rows = apps.get_model(table.model).objects.filter(
            table.only, **{f"{table.field}__in": issues.order_by().values("pk")}
        )
        counted = Count(table.field, distinct=True)
        if table.name:
            groups = rows.order_by().values_list(table.name).annotate(issues=counted).order_by(table.name)
        else:
            groups = [("", rows.aggregate(issues=counted)["issues"])]
        found += [Reference(number, table.words(number, str(name))) for name, number in groups if number]
    return found


def references_to_import(run: Import) -> list[Reference]:
    """What refers to the issues that an import was the first to bring."""
    return references_to(Issue.objects.filter(first_import=run), of_import=True)


def references_to_issue(issue: Issue) -> list[Reference]:
    return references_to(Issue.objects.filter(pk=issue.pk, repository=issue.repository_id))


def register() -> None:
    """Register the tables of this room."""
    refers("ingest.SourceEntry", _in_list, name="source__name")
    for end in ("first", "second"):
        refers("ingest.SimilarMark", _marked, only=Q(ended_at=None), field=end)


def _in_list(number: int, name: str) -> str:
    told = ngettext("%(n)s issue is in the list %(name)s", "%(n)s issues are in the list %(name)s", number)
    return told % {"n": count(number), "name": name}


def _marked(number: int, _name: str) -> str:
    told = ngettext(
        "%(n)s issue is marked as similar to another issue or not",
        "%(n)s issues are marked as similar to other issues or not",
        number,
    )
    return told % {"n": count(number)}
