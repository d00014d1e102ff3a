"""What PostgreSQL groups in parts is what anybody counts by hand, issue by issue."""

import random
from collections import Counter

import pytest
from django.db import connection
from django.utils import timezone

from consensus.models import Decision
from ingest.models import Issue
from reports.queries.label_tuples import tuples
from rounds.models import Assignment, Label, Round, RoundIssue, RoundVolunteer
from rounds.queries.blindness import NOTHING
from rounds.queries.categories import categories_of
from tests import factories
from tests.worlds.uneven import CODES, make_open, uneven

pytestmark = pytest.mark.django_db

MONTHS = (
    None,
    "2025-12-31T23:59:59Z",
    "2026-01-01T00:00:00Z",
    "2026-01-31T23:30:00-05:00",
    "1969-07-20T20:17:00Z",
)


def random_round(seed, allocation, **fields):
    """A round in which chance made everything: who labelled, what, what is open, surplus, decided and when."""
    chance = random.Random(seed)
    study = factories.make_study()
    version = factories.make_version(study, CODES)
    members = [factories.make_member(study) for _ in range(4)]
    places = [factories.make_repository(study) for _ in range(2)]
    issues = [
        factories.make_issue(chance.choice(places), text=False, year=chance.choice([None, 2024, 2025]))
        for _ in range(12)
    ]
    columns = chance.sample(members, 4)
    fields = {"allocation": allocation, "labels_per_issue": 4, **fields}
    if allocation == Round.Allocation.K_OF_N:
        fields["labels_per_issue"] = 2
    made = factories.make_round(version, issues, columns, **fields)
    even, proposed = chance.random() < 0.4, set()
    for issue in issues:
        for member in chance.sample(columns, made.labels_per_issue):
            if even or chance.random() < 0.8:
                label = factories.add_label(made, issue, member, chance.choice(CODES))
                if member not in proposed and chance.random() < 0.1:
                    proposed.add(member)
                    make_open(label)
            elif chance.random() < 0.3:
                Label.objects.create(
                    round=made, issue=issue, volunteer=member, category=factories.category(version, "A.1"),
                    version=version, surplus=True, submitted_at=timezone.now(),
                )  # fmt: skip
        Assignment.objects.filter(round=made, issue=issue, submitted_at=None).delete()
        RoundIssue.objects.filter(round=made, issue=issue).update(completed_at=chance.choice(MONTHS))
        for number in range(chance.choice([0, 1, 2])):
            supersede(made, issue)
            Decision.objects.create(
                round=made, issue=issue, category=factories.category(version, chance.choice(CODES)), version=version,
                method="imported", number=number + 1, decided_at=timezone.now(),
            )  # fmt: skip
        if chance.random() < 0.2:
            supersede(made, issue)
    return made


def supersede(round_, issue):
    standing = Decision.objects.filter(round=round_, issue=issue, superseded_at=None)
    standing.update(superseded_at=timezone.now())


def by_hand(round_, *, without=(), blind=NOTHING, by_repository=False, by_month=False):
    """Tuples of codes with their counts, and the issues, one issue after another."""
    columns = list(
        RoundVolunteer.objects.filter(round=round_).order_by("column").values_list("member", flat=True)
    )
    found, issues, left_out, raters = Counter(), Counter(), Counter(), set()
    hidden = round_.reveal == Round.Reveal.ROUND_CLOSED and not round_.closed_at
    for place in RoundIssue.objects.filter(round=round_):
        labels = list(
            Label.objects.filter(round=round_, issue=place.issue, surplus=False).order_by("volunteer")
        )
        if place.completed_at is None or hidden:
            left_out["incomplete_issues"] += 1
            left_out["labels_of_incomplete_issues"] += len(labels)
            continue
        if not labels or place.pk in blind.values_list("pk", flat=True):
            continue
        raters |= {label.volunteer_id for label in labels}
        if place.issue_id in without:
            continue
        said = [label.category and label.category.states.get(version=round_.version).code for label in labels]
        row = [None] * len(columns)
        if round_.allocation == Round.Allocation.CROSSED:
            for label, code in zip(labels, said, strict=True):
                row[columns.index(label.volunteer_id)] = code
        else:
            row = [*said, *[None] * (round_.labels_per_issue - len(said))]
        left_out["open_labels"] += said.count(None)
        issue = Issue.objects.get(pk=place.issue_id)
        standing = Decision.objects.filter(round=round_, issue=issue, superseded_at=None).first()
        decided = standing and standing.category.states.get(version=round_.version).code
        repository = issue.repository_id if by_repository else 0
        found[tuple(row), decided, repository, f"{place.completed_at:%Y-%m}" if by_month else "NaT"] += 1
        issues[issue.repository_id, issue.year, decided] += 1
    left_out["surplus_labels"] = Label.objects.filter(round=round_, surplus=True).count()
    return found, issues, {reason: number for reason, number in left_out.items() if number}, len(raters)


def grouped(round_, **asked):
    book = categories_of(round_.version_id)
    codes = [*(state.code for state in book.states), None]
    made = tuples(round_, book, by_year=True, **asked)
    found, issues = Counter(), Counter()
    for row, decided, repository, month, count in zip(
        made.codes.tolist(), made.decided.tolist(), made.repositories.tolist(), made.months, made.counts.tolist(),
        strict=True,
    ):  # fmt: skip
        found[tuple(codes[place] for place in row), codes[decided], repository, str(month)] += count
    for repository, year, place, count in made.issues:
        issues[repository, year, codes[place]] += count
    return found, issues, made


@pytest.mark.slow
@pytest.mark.parametrize("allocation", Round.Allocation.values)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.slow(cases=3)
def test_any_round_is_grouped_as_by_hand(seed, allocation):
    round_ = random_round(seed, allocation)
    hidden = list(RoundIssue.objects.filter(round=round_)[2:5].values_list("pk", flat=True))
    without = list(RoundIssue.objects.filter(round=round_)[4:7].values_list("issue", flat=True))
    for asked in (
        {},
        {"by_month": True},
        {"by_repository": True, "by_month": True},
        {"blind": RoundIssue.objects.filter(pk__in=hidden), "by_repository": True},
        {"without": without},
    ):
        found, issues, left_out, raters = by_hand(round_, **asked)
        ours, of_issues, made = grouped(round_, **asked)
        assert ours == found
        assert of_issues == issues
        assert made.left_out == left_out
        crossed = allocation == Round.Allocation.CROSSED
        assert made.raters == (round_.volunteers.count() if crossed else raters)


def test_people_who_came_and_went_are_in_their_columns():
    round_ = uneven()
    found, issues, left_out, _raters = by_hand(round_, by_month=True, by_repository=True)
    ours, of_issues, made = grouped(round_, by_month=True, by_repository=True)
    assert (ours, of_issues, made.left_out) == (found, issues, left_out)
    assert left_out["open_labels"]
    assert any(None in row for row, *_rest in ours)


def test_nothing_is_grouped_before_it_is_revealed():
    round_ = random_round(1, Round.Allocation.CROSSED, reveal=Round.Reveal.ROUND_CLOSED)
    found, _issues, left_out, _raters = by_hand(round_)
    ours, of_issues, made = grouped(round_)
    assert ours == found == Counter()
    assert not of_issues
    assert made.left_out == left_out
    assert left_out["incomplete_issues"] == 12


def test_the_database_plans_what_comes_after_as_usual():
    round_ = random_round(1, Round.Allocation.CROSSED)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('enable_nestloop'), current_setting('min_parallel_table_scan_size')"
        )
        before = cursor.fetchone()
        grouped(round_)
        cursor.execute(
            "SELECT current_setting('enable_nestloop'), current_setting('min_parallel_table_scan_size')"
        )
        assert cursor.fetchone() == before
