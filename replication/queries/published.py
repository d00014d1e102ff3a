"""Imports of published studies: which there are, and what they meet in the study."""

from collections.abc import Iterable
from itertools import count
from typing import Any

from django.db.models import Exists, Q, QuerySet

from ingest.models import Import
from rounds.models import Round, RoundVolunteer
from studies.models import Membership, Study

MAIN_ROUND = "Main round"
"""The name of the round of an import from the shell. In the browser, a form proposes it in the reader's
language.
"""


def has_main_round(study: Study) -> bool:
    """Has the study published labels already, which are in a round, or a main round of its own? One query."""
    taken = Q(name=MAIN_ROUND) | Q(Exists(imported(study)))
    return Round.objects.filter(taken, study=study).exists()


def has_round(study: Study, name: str) -> bool:
    return Round.objects.filter(study=study, name=name).exists()


def imported(study: Study) -> QuerySet[Import]:
    """The imports that brought published labels into the study, newest first. Their `path` is empty."""
    return Import.objects.filter(study=study, kind=Import.Kind.PUBLISHED, path="").order_by("-pk")


def preview_of(run: Import) -> dict[str, Any]:
    """What the check of an upload found, as `replication.actions.checking.checked` says; {} before."""
    found: dict[str, Any] = run.mapping.get("preview", {})
    return found


def expected_rows(preview: dict[str, Any]) -> int:
    """The number of rows that an import reads and stores, for its progress."""
    people = len(preview["people"])
    stored = ("repositories", "issues", "lists", "list_entries", "labels", "decisions")
    slots = preview["labelled"] * (people + 2)
    return int(preview["rows"] + people + slots + sum(preview[name] for name in stored))


def members_to_rename(study: Study, how_many: int) -> list[tuple[Membership, str]]:
    """The members with users who have one of the pseudonyms R1 to Rn, in this order, each with the next free
    pseudonym. One query.
    """
    names = [f"R{number}" for number in range(1, how_many + 1)]
    taken = {
        member.pseudonym: member for member in Membership.objects.filter(study=study).select_related("user")
    }
    free = (name for number in count(how_many + 1) if (name := f"R{number}") not in taken)
    return [(taken[name], next(free)) for name in names if name in taken and taken[name].user_id]


def labels_already(renamed: Iterable[tuple[Membership, str]]) -> bool:
    """Is one of `members_to_rename` a volunteer of a round? That member keeps the pseudonym, or their labels
    would look like those of somebody else. One query.
    """
    return RoundVolunteer.objects.filter(member__in=[member for member, _name in renamed]).exists()
