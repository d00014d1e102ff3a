"""Rounds and labels put straight into the tables, for tests of what reads them."""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from annotate.label_input import LabelInput
from ingest.models import Issue
from rounds.models import Assignment, Label, Round, RoundIssue, RoundVolunteer
from studies.models import Membership
from taxonomy.models import Category, Level, Version
from tests.factories.taxonomy import category


def make_round(
    version: Version, issues: Sequence[Issue], members: Sequence[Membership], *, opened: bool = True, **fields
) -> Round:
    """A round; if opened, with its slots (crossed: given to the members in turn; k of n: free)."""
    study = version.taxonomy.study
    fields.setdefault("name", f"Round {study.rounds.count() + 1}")
    fields.setdefault("depth", Level.THEME)
    fields.setdefault("allocation", Round.Allocation.CROSSED)
    fields.setdefault("labels_per_issue", len(members))
    fields.setdefault("seed", 7)
    fields.setdefault("opened_at", timezone.now() if opened else None)
    made = Round.objects.create(study=study, version=version, **fields)
    RoundVolunteer.objects.bulk_create(
        RoundVolunteer(round=made, member=member, column=column, seed=column)
        for column, member in enumerate(members, start=1)
    )
    RoundIssue.objects.bulk_create(
        RoundIssue(round=made, issue=issue, position=position)
        for position, issue in enumerate(issues, start=1)
    )
    crossed = made.allocation == Round.Allocation.CROSSED
    if opened:
        Assignment.objects.bulk_create(
            Assignment(
                round=made,
                issue=issue,
                slot=slot,
                rank=rank,
                volunteer=members[slot - 1] if crossed else None,
            )
            for rank, issue in enumerate(issues, start=1)
            for slot in range(1, made.labels_per_issue + 1)
        )
    return made


def add_label(round_: Round, issue: Issue, member: Membership, code: str, **fields) -> Label:
    """A submitted label in the member's slot (or a free one), completing the issue if it was the last; no decision."""
    now = timezone.now()
    slots = Assignment.objects.filter(round=round_, issue=issue, submitted_at=None).order_by("slot")
    slot = slots.filter(volunteer=member).first() or slots.filter(volunteer=None)[0]
    Assignment.objects.filter(pk=slot.pk).update(volunteer=member, submitted_at=now)
    fields.setdefault("submitted_at", now)
    label = Label.objects.create(
        round=round_,
        issue=issue,
        volunteer=member,
        assignment=slot,
        category=category(round_.version, code),
        version=round_.version,
        snapshot=issue.current,
        **fields,
    )
    if not slots.exists():
        RoundIssue.objects.filter(round=round_, issue=issue).update(completed_at=now)
    return label


def label_input(*, category: Category | None = None, **fields: Any) -> LabelInput:
    """What a form of the labelling page gives, with the category as an object."""
    return LabelInput(category=category.pk if category else None, **fields)
