"""What was grouped for an agreement report is kept while it holds, and for no moment longer."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.actions import rounds
from annotate.actions.volunteers import raise_labels_per_issue
from consensus.actions import decisions
from ingest.models import Issue
from reports.agreement_report import agreement_report
from reports.queries.independence import suspicions
from reports.queries.label_tuples import _grouped, tuples
from reports.sections.coefficients import resampled
from rounds.models import Label, Round
from rounds.queries.blindness import withheld_issues
from rounds.queries.categories import categories_of
from studies.models import Membership
from tests.kept import kept
from tests.worlds.pages import label_all

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=3, members=3)]


def _asked(round_):
    """The tuples as they are answered, and as they are when nothing is kept, without the moment."""
    round_ = Round.objects.select_related("study", "version").get(pk=round_.pk)
    book = categories_of(round_.version_id)
    answered = tuples(round_, book, by_repository=True, by_month=True, by_year=True)
    assert answered.edition is not None
    return [_plain(answered), _plain(_grouped.__wrapped__(answered.edition, book))]


def _plain(found):
    columns = (found.codes, found.counts, found.decided, found.months)
    return {
        "rows": sorted(map(str, zip(*(column.tolist() for column in columns), strict=True))),
        "columns": found.columns,
        "raters": found.raters,
        "left_out": found.left_out,
        "issues": sorted(map(str, found.issues)),
    }


def _statements(round_):
    with CaptureQueriesContext(connection) as captured:
        agreement_report(round_, by=[["type"], ["repository"]])
    return captured.captured_queries


@kept
def round_(world):
    made = world.round()
    label_all(world, made, "C.2 C.2 C.2", "C.2 C.9 C.9")
    return made


def _label(world, round_):
    world.submit(round_, world.issues[2], world.members[0], "C.2")


def _complete(world, round_):
    for member in world.members:
        world.submit(round_, world.issues[2], member, "C.9")


def _settle(world, round_):
    world.settle(round_, world.issues[1], "C.2")


def _reopen(world, round_):
    before, _fresh = _asked(round_)
    _settle(world, round_)
    settled, fresh = _asked(round_)
    assert settled == fresh != before
    decisions.reopen(round_=round_, issue=world.issues[1], by=world.lead, why="Not sure.", seen_number=1)


def _rename(world, round_):
    Membership.objects.filter(pk=world.members[1].pk).update(pseudonym="Renamed")


def _date(world, round_):
    Issue.objects.filter(pk=world.issues[0].pk).update(year=2024)


def _close(world, round_):
    rounds.close_round(round_=round_, by=world.lead)


def _surplus(world, round_):
    Label.objects.create(
        round=round_, issue=world.issues[2], volunteer=world.members[2], category=world.category("C.2"),
        version=round_.version, surplus=True, submitted_at=timezone.now(),
    )  # fmt: skip


ACTS = [_label, _complete, _settle, _reopen, _rename, _date, _close, _surplus]


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
def test_what_changed_is_grouped_anew(world, round_, act):
    Issue.objects.update(year=None)
    before, _fresh = _asked(round_)
    act(world, round_)
    after, fresh = _asked(round_)
    assert after == fresh
    # A closed round holds the same revealed labels, and a reopened issue has no decision, as before it had one.
    assert (after != before) is (act not in {_close, _reopen})


def test_more_labels_per_issue_are_seen(world):
    round_ = world.k_of_n(2, reveal=Round.Reveal.ROUND_CLOSED)
    for member in world.members[:2]:
        world.submit(round_, world.issues[0], member, "C.2")
    _asked(round_)
    raise_labels_per_issue(round_=round_, to=3, by=world.lead)
    after, fresh = _asked(round_)
    assert after == fresh
    assert after["left_out"]["incomplete_issues"] == 3


def test_nothing_is_grouped_again_while_nothing_changed(round_):
    _grouped.cache_clear()
    first, again = _statements(round_), _statements(round_)
    assert sum("string_agg(labels" in one["sql"] for one in first) == 1
    assert not any("string_agg(labels" in one["sql"] for one in again)
    assert len(again) < len(first)
    numbers = [agreement_report(round_).numbers for _ in range(2)]
    assert numbers[0] is numbers[1]
    assert numbers[0] is not agreement_report(round_, by=[["type"]]).numbers


def test_signs_of_dependence_and_drawn_intervals_are_computed_once(world, round_):
    report = agreement_report(round_)
    drawn = resampled(report)
    assert resampled(agreement_report(round_)) is drawn
    signs = suspicions(report)
    with CaptureQueriesContext(connection) as captured:
        assert suspicions(report) is signs
    assert len(captured) == 0
    _complete(world, round_)
    assert resampled(agreement_report(round_)) is not drawn
    with CaptureQueriesContext(connection) as captured:
        suspicions(agreement_report(round_))
    assert any("c.whose" in one["sql"] for one in captured.captured_queries)


def test_the_moment_is_that_of_the_question(round_):
    one, other = agreement_report(round_), agreement_report(round_)
    assert one.numbers is other.numbers
    # Inside one transaction the moment stands still: another one's is later.
    assert one.as_of == other.as_of
    assert one.as_of == tuples(round_, categories_of(round_.version_id)).as_of


def test_what_a_reader_may_not_see_is_never_kept(world, round_):
    whole = agreement_report(round_)
    world.waits_for(world.members[0], world.issues[0])
    blind = withheld_issues(round_, world.members[0])
    found = tuples(round_, categories_of(round_.version_id), blind=blind)
    assert found.edition is None
    assert found.counts.sum() == whole.complete - 1
    assert agreement_report(round_).complete == whole.complete
