"""A round in which everything is uneven: what a report counts, leaves out, and cannot say."""

from django.utils import timezone

from annotate.models import Repeat
from consensus.models import Decision
from rounds.models import Assignment, Label, RoundIssue
from taxonomy.models import Proposal
from tests.factories import (
    add_label,
    category,
    make_issue,
    make_member,
    make_repository,
    make_round,
    make_study,
    make_version,
)

CODES = "A A.1 A.2 B B.1 C C.1 C.1.i C.1.ii C.2".split()
# Four volunteers; "-" has no slot, "?" is open, "." is not labelled. Each issue's labels, decision, month.
ROWS = [
    ("C.1 C.1 C.2 -", "C.1", "2026-01"),
    ("C.1.i C.1 A.1 C.1", "C.1.i", "2026-01"),
    ("C.1 A.1 C.2 -", None, "2026-01"),
    ("A.1 A.1 - C.1", "A.1", "2026-02"),
    ("A.1 A.2 - A.1", "A.1", "2026-02"),
    ("C.2 C.2 - C.2", "C.2", "2026-02"),
    ("C.2 C.1 - ?", "C", "2026-02"),
    ("C - - -", None, "2026-02"),
    # Of type B everything is one category: 0/0.
    ("B.1 B.1 - B.1", "B.1", "2026-03"),
    ("B.1 B.1 B.1 B.1", "B.1", "2026-03"),
    ("A.1 . A.1 .", None, None),
    ("C.1.i C.1.i - C.1.ii", "C.1.i", "2026-03"),
    ("C.1.ii C.1.ii C.1.i -", None, "2026-03"),
    ("C.1.ii C.1.ii - C.1.ii", "C.1.ii", "2026-03"),
]


AGAIN = ((0, 0, "C.2"), (1, 0, "C.1"), (5, 0, "C.2"), (3, 1, "C"), (6, 3, "C.1"))
"""What came twice: the issue, the column, and the second label."""


def uneven(slug="uneven", rows=ROWS, **fields):
    """A round in which volunteers came and went, with an open label, surplus, undecided and incomplete issues."""
    study = make_study(slug=slug)
    version_ = make_version(study, CODES)
    members = [make_member(study, pseudonym=name) for name in ("R1", "=R2", "R 3, late", "R4")]
    repositories = [make_repository(study, path) for path in ("ember/engine", "quill/lattice")]
    issues = [make_issue(repositories[place % 2]) for place in range(len(rows))]
    in_columns = [members[2], members[0], members[3], members[1]]
    made = make_round(version_, issues, in_columns, **fields)
    for issue, (row, decided, month) in zip(issues, rows, strict=True):
        for member, code in zip(in_columns, row.split(), strict=True):
            slot = Assignment.objects.filter(round=made, issue=issue, volunteer=member)
            if code == "-":
                slot.delete()
            elif code != ".":
                label = add_label(made, issue, member, "A.1" if code == "?" else code)
                if code == "?":
                    make_open(label)
        if decided:
            Decision.objects.create(
                round=made, issue=issue, category=category(version_, decided), version=version_,
                method="lead", rationale="because", decided_by=members[0], decided_at=timezone.now(),
            )  # fmt: skip
        done = month and f"{month}-28T23:59:59Z"
        RoundIssue.objects.filter(round=made, issue=issue).update(completed_at=done)
    return made


def make_open(label):
    proposal = Proposal.objects.create(
        taxonomy=label.version.taxonomy, version=label.version, name="New", proposed_by=label.volunteer
    )
    RoundIssue.objects.filter(round=label.round, issue=label.issue).update(completed_at=None)
    Label.objects.filter(pk=label.pk).update(category=None, proposal=proposal, proposed_reason="none fits")


def again(round_, place, column, code):
    """The label of a column on an issue, a second time."""
    issue = RoundIssue.objects.get(round=round_, position=place + 1).issue
    member = round_.volunteers.get(column=column + 1).member
    Repeat.objects.create(
        round=round_, issue=issue, volunteer=member, due_at=timezone.now(),
        submitted_at=timezone.now(), category=category(round_.version, code),
    )  # fmt: skip


def uneven_twice():
    """The uneven round with what came twice."""
    made = uneven()
    for place, column, code in AGAIN:
        again(made, place, column, code)
    return made
