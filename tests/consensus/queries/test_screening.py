import pytest

from annotate.actions.rounds import close_round
from consensus.models import Decision
from consensus.queries.disagreement_filters import Narrowing
from consensus.queries.disagreements import disagreement_counts, disagreements, is_unanimous
from consensus.queries.screening import (
    ExclusionReason,
    ExclusionReasons,
    ScreenedRepository,
    excluded_count,
    kept_issues,
    screening_counts,
    vote_at,
    votes,
)
from ingest.models import Issue
from reports.queries.screened import repositories_table, screening_agreement
from rounds.models import Round
from rounds.queries.blindness import withheld_issues
from tests import factories
from tests.kept import kept
from tests.worlds.screened import screening, screening_world
from tests.worlds.world import World

pytestmark = pytest.mark.django_db


@kept
def world() -> World:
    return screening_world()


def test_a_screening_in_numbers(world):
    factories.make_issue(world.repository)
    round_ = screening(world, issues=Issue.objects.filter(pk__in=[issue.pk for issue in world.issues]))
    counts = screening_counts(round_)
    docs, engine = counts.repositories

    assert counts.study_issues == 8
    assert docs == ScreenedRepository("ember/docs", docs.repository_id, 3, 0, 0, 2, 1)
    assert engine == ScreenedRepository("ember/engine", world.repository.pk, 4, 3, 1, 0, 0)
    assert counts.whole == ScreenedRepository("", 0, 7, 3, 1, 2, 1)
    assert (counts.whole.kept, counts.whole.decided, counts.whole.undecided, counts.whole.rate) == (
        4,
        4,
        3,
        75,
    )
    assert docs.rate is None
    assert counts.reasons == ExclusionReasons(
        base=3,
        reasons=(ExclusionReason("F.1", "Name of F.1", 1, 1), ExclusionReason("F.2", "Name of F.2", 0, 1)),
        differ=1,
        unsaid=1,
    )


def test_what_is_kept_is_all_that_no_standing_decision_excludes(world):
    round_ = screening(world)
    kept = {issue.pk for issue in world.issues[3:]}
    assert set(kept_issues(round_).values_list("pk", flat=True)) == kept

    world.settle(round_, world.issues[0], "T", seen=1)
    assert set(kept_issues(round_).values_list("pk", flat=True)) == kept | {world.issues[0].pk}
    world.settle(round_, world.issues[3], "F.1", seen=1)
    assert world.issues[3].pk not in set(kept_issues(round_).values_list("pk", flat=True))


def test_a_decision_that_names_a_reason_says_why(world):
    round_ = screening(world)
    world.settle(round_, world.issues[2], "F.2", seen=1)
    world.settle(round_, world.issues[4], "F")
    reasons = screening_counts(round_).reasons
    assert (reasons.base, reasons.differ, reasons.unsaid) == (4, 1, 0)
    assert [(one.code, one.issues, one.shared) for one in reasons.reasons] == [("F.1", 2, 1), ("F.2", 1, 1)]


@pytest.mark.parametrize("themes", [62, 63, 200])
def test_there_may_be_as_many_reasons_as_a_taxonomy_has(themes):
    world = screening_world(codes=["T", "F", *(f"F.{number}" for number in range(1, themes + 1))])
    last, before = f"F.{themes}", f"F.{themes - 1}"
    round_ = screening(world, f"{last} {last} F", f"{last} {before} F.1", "F F F", "F.1 F.1 F.1")
    reasons = screening_counts(round_).reasons
    assert (reasons.base, len(reasons.reasons), reasons.differ, reasons.unsaid) == (4, themes, 1, 1)
    assert {one.code: (one.issues, one.shared) for one in reasons.reasons if one.issues or one.shared} == {
        last: (1, 1), before: (0, 1), "F.1": (1, 1),
    }  # fmt: skip


def test_reasons_are_unsaid_where_the_excluded_type_has_no_themes():
    world = screening_world(codes=["T", "F"])
    reasons = screening_counts(screening(world, "F F F", "T T T")).reasons
    assert reasons == ExclusionReasons(base=1, reasons=(), differ=0, unsaid=1)


def test_an_issue_brought_back_is_no_disagreement(world):
    round_ = screening(world)
    before = disagreement_counts(round_, None)
    assert (before.complete, before.not_unanimous, before.decided, before.open) == (6, 2, 0, 2)
    world.settle(round_, world.issues[0], "T", seen=1)
    assert disagreement_counts(round_, None) == before
    assert is_unanimous(round_, world.issues[0].pk)
    assert [row.issue for row in disagreements(round_, Narrowing(), None).rows] == world.issues[4:6]


def test_nothing_is_told_before_the_reveal(world):
    round_ = screening(world, reveal=Round.Reveal.ROUND_CLOSED)
    assert screening_counts(round_).whole == ScreenedRepository("", 0, 7, 0, 0, 0, 7)
    assert kept_issues(round_).count() == 7
    assert votes(round_, "excluded").rows == []
    assert vote_at(round_, world.issues[0].pk) is None
    assert screening_agreement(round_).issues == 0

    closed = close_round(round_=round_, by=world.lead)
    assert screening_counts(closed).whole == ScreenedRepository("", 0, 7, 3, 1, 2, 1)
    assert screening_agreement(closed).issues == 6


def test_decided_issues_come_in_pages_with_their_votes_and_what_was_decided_before(world):
    round_ = screening(world)
    world.settle(round_, world.issues[0], "T", seen=1)
    world.settle(round_, world.issues[0], "F.1", seen=2)
    page = votes(round_, "excluded", limit=2)
    assert [one.item.issue for one in page.rows] == world.issues[:2]
    assert [chip.code for chip in page.rows[1].item.labels] == ["F.1", "F.2", "F"]
    assert [(one.number, one.method, code) for one, code in page.rows[0].past] == [
        (1, "unanimous", "F"),
        (2, "lead", "T"),
    ]
    rest = votes(round_, "excluded", after=page.next, limit=2)
    assert [one.item.issue for one in rest.rows] == world.issues[2:3]
    assert rest.next is None
    assert [one.item.issue for one in votes(round_, "included").rows] == world.issues[3:4]
    other = world.issues[4].repository_id
    assert votes(round_, "excluded", repository=other).rows == []


@pytest.mark.parametrize("rows", [("F.1 F.1 F.1",), ("F.1 F.1 F.1", "T T T", "F F F")])
def test_reading_costs_the_same_at_one_issue_and_at_three(world, rows, django_assert_num_queries):
    round_ = screening(world, *rows)
    with django_assert_num_queries(8):
        counts = screening_counts(round_)
    with django_assert_num_queries(3):
        assert screening_counts(round_) == counts
    with django_assert_num_queries(5):
        votes(round_, "excluded")


def test_the_table_has_a_row_per_repository_and_one_for_all(world):
    table = repositories_table(screening_counts(screening(world)))
    assert table.columns == (
        "repository", "issues", "false_positives", "rate_percent", "kept", "decided",
        "open_disagreements", "incomplete",
    )  # fmt: skip
    assert table.rows == (
        ("ember/docs", 3, 0, None, 3, 0, 2, 1),
        ("ember/engine", 4, 3, 75.0, 1, 4, 0, 0),
        ("all", 7, 3, 75.0, 4, 4, 2, 1),
    )


def test_kappa_is_of_the_types_of_complete_issues(world):
    found = screening_agreement(screening(world))
    assert (found.issues, found.raters, found.labels) == (6, 3, 18)
    # Pairs that agree: 4 whole issues of 1, two of 1/3; F chosen 12 of 18 times.
    observed = (4 + 2 / 3) / 6
    expected = (12 / 18) ** 2 + (6 / 18) ** 2
    assert found.coefficients["percent_agreement"].value == pytest.approx(observed)
    assert found.coefficients["fleiss_kappa"].value == pytest.approx((observed - expected) / (1 - expected))
    assert Decision.objects.count() == 4


# --- what the reader still has to label elsewhere


def test_what_is_withheld_is_in_no_number_of_its_reader(world):
    round_ = screening(world)
    whole = screening_counts(round_)
    first = world.members[0]
    again = world.waits_for(first, world.issues[0], world.issues[4])

    blind = withheld_issues(round_, first)
    counts = screening_counts(round_, blind)

    assert (counts.withheld, counts.study_issues, counts.outside) == (2, 7, 0)
    assert counts.whole == ScreenedRepository("", 0, 5, 2, 1, 1, 1)
    assert counts.reasons == ExclusionReasons(
        base=2,
        reasons=(ExclusionReason("F.1", "Name of F.1", 0, 1), ExclusionReason("F.2", "Name of F.2", 0, 1)),
        differ=1,
        unsaid=1,
    )
    assert (screening_agreement(round_, blind).issues, screening_agreement(round_).issues) == (4, 6)
    assert [one.item.issue for one in votes(round_, "excluded", blind=blind).rows] == world.issues[1:3]
    assert vote_at(round_, world.issues[0].pk, blind) is None
    assert excluded_count(round_, blind) == 2
    # Neither side is served what was counted for the other.
    assert screening_counts(round_) == whole
    assert screening_counts(round_, withheld_issues(round_, world.members[1])) == whole

    for issue in (world.issues[0], world.issues[4]):
        world.submit(again, issue, first, "T")
    assert screening_counts(round_, withheld_issues(round_, first)) == whole


@pytest.mark.parametrize("size", [1, 3])
def test_holding_back_costs_the_same_at_one_issue_and_at_three(world, size, django_assert_num_queries):
    round_ = screening(world)
    world.waits_for(world.members[0], *world.issues[:size])
    with django_assert_num_queries(7):
        assert screening_counts(round_, withheld_issues(round_, world.members[0])).withheld == size
