"""Issues are removed at the same moment as somebody plans and opens a round of them: real threads, a real
PostgreSQL.
"""

# ruff: noqa: B023 - the threads end before the loop goes on

from collections import Counter

import pytest
from django.db import connection

from annotate.actions.rounds import create_round, open_round
from annotate.actions.samples import draw_sample
from annotate.models import Sample, SampleIssue
from annotate.queries.samples import SampleFrame
from ingest.actions import remove_issue, take_back_import
from ingest.errors import ImportInUse, IssueInUse
from ingest.models import Import, Issue
from rounds.errors import RoundRefused
from rounds.models import Assignment, Round, RoundIssue
from tests.races import at_once
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

TIMES = 12


def world_of_one_import():
    world = small_world(issues=20, members=2)
    run = Import.objects.create(
        study=world.study, kind=Import.Kind.ISSUES, name="wrong.jsonl", counts={"rows": 20, "complete": True}
    )
    Issue.objects.filter(repository__study=world.study).update(first_import=run)
    return world, run


def plan_and_open(world) -> Round:
    issues = Issue.objects.filter(repository__study=world.study)
    made = create_round(
        study=world.study, by=world.lead, name="Main", version=world.version, depth=2, issues=issues,
        members=world.members,
    )  # fmt: skip
    return open_round(round_=made, by=world.lead)


def test_an_import_is_taken_back_while_a_round_of_its_issues_is_opened():
    seen = Counter()
    for turn in range(TIMES):
        world, run = world_of_one_import()
        acts = [
            lambda: plan_and_open(world),
            lambda: take_back_import(run=run, by=world.lead.user),
        ]
        opened, gone = at_once(*acts) if turn % 2 else reversed(at_once(*reversed(acts)))

        left = Issue.objects.filter(repository__study=world.study).count()
        if isinstance(opened, Round):
            assert isinstance(gone, ImportInUse), gone
            assert "20 issues are in the round Main" in str(gone.message)
            assert (left, RoundIssue.objects.filter(round=opened).count()) == (20, 20)
            assert Assignment.objects.filter(round=opened).count() == 40
            seen["opened"] += 1
        else:
            assert isinstance(opened, RoundRefused), opened
            assert not isinstance(gone, Exception), gone
            assert (left, Round.objects.filter(study=world.study).count()) == (0, 0)
            seen["taken back"] += 1
        connection.check_constraints()
    assert seen.total() == TIMES


def test_an_issue_is_removed_while_a_sample_takes_it():
    for _ in range(TIMES):
        world, _run = world_of_one_import()
        issue = world.issues[0]
        drawn, gone = at_once(
            lambda: draw_sample(
                study=world.study, by=world.lead, name="All", frame=SampleFrame(), margin=0.0001, seed=7
            ),
            lambda: remove_issue(issue=issue, why="A test report.", by=world.lead.user),
        )

        assert isinstance(drawn, Sample), drawn
        is_in = SampleIssue.objects.filter(sample=drawn, issue=issue.pk).exists()
        assert SampleIssue.objects.filter(sample=drawn).count() == (20 if is_in else 19)
        assert isinstance(gone, IssueInUse) == is_in, gone
        assert Issue.objects.filter(pk=issue.pk).exists() == is_in
        connection.check_constraints()
