"""What the issues of a report are: Table I with its false positives, and what was decided."""

from dataclasses import replace

import pytest

from annotate.actions.rounds import close_round
from ingest.models import Issue
from reports.agreement_report import agreement_report
from reports.formats.json_report import report_as_dict
from reports.sections.composition import composition, distribution
from reports.sections.registry import TABLES
from rounds.models import Round
from rounds.queries.blindness import Reader, withheld_issues
from taxonomy.models import Level
from tests import factories
from tests.kept import kept
from tests.worlds.parted import give_labels
from tests.worlds.screened import screening, screening_world

pytestmark = pytest.mark.django_db

SHELL = Reader(None)


@kept
def world():
    """The screening excludes the first three of the four issues of ember/engine; ember/docs has three more."""
    world = screening_world()
    for issue, year in zip(world.issues, (2023, 2023, 2023, 2023, 2024, None, 2024), strict=True):
        Issue.objects.filter(pk=issue.pk).update(year=year)
    return world


def main_round(world, first: int = 3) -> Round:
    """All issues from this place on: one decided C.1, one A.1, one open, and the last one incomplete."""
    world.version = factories.make_version(world.study)
    issues = Issue.objects.filter(pk__in=[issue.pk for issue in world.issues[first:]]).order_by("pk")
    round_ = world.round(name="Main round", issues=issues)
    shifted = replace(world, issues=world.issues[3:])
    give_labels(shifted, round_, "C.1 C.1 C.1", "A.1 A.1 A.1", "C.2 A.1 C.1", "C.1 C.1 -")
    return round_


def test_table_one_counts_by_repository_year_and_decided_type(world):
    screening(world)
    report = agreement_report(main_round(world), reader=SHELL)

    docs, engine, whole = composition(report)

    assert docs == {
        "repository": "ember/docs", "issues": 2, "years": {"2023": 0, "2024": 1, "unknown": 1},
        "types": {"A": 1, "C": 0}, "undecided": 1, "false_positives": 0,
    }  # fmt: skip
    assert engine == {
        "repository": "ember/engine", "issues": 1, "years": {"2023": 1, "2024": 0, "unknown": 0},
        "types": {"A": 0, "C": 1}, "undecided": 0, "false_positives": 3,
    }  # fmt: skip
    assert whole == {
        "repository": "all", "issues": report.complete, "years": {"2023": 1, "2024": 1, "unknown": 1},
        "types": {"A": 1, "C": 1}, "undecided": 1, "false_positives": 3,
    }  # fmt: skip
    table = TABLES["issues"](report)
    assert table.columns == (
        "repository", "issues", "year_2023", "year_2024", "year_unknown", "type_A", "type_C", "undecided",
        "false_positives",
    )  # fmt: skip
    assert table.rows[-1] == ("all", 3, 1, 1, 1, 1, 1, 1, 3)
    assert report_as_dict(report)["issues"] == [docs, engine, whole]


def test_without_a_screening_there_are_no_false_positives_to_count(world):
    report = agreement_report(main_round(world), reader=SHELL)
    assert composition(report)[-1]["false_positives"] is None
    assert TABLES["issues"](report).rows[-1][-1] is None


def test_a_report_that_knows_no_reader_asks_no_screening(world):
    screening(world)
    assert composition(agreement_report(main_round(world)))[-1]["false_positives"] is None


def test_a_screenings_own_report_counts_other_screenings_alone(world):
    round_ = screening(world)
    assert composition(agreement_report(round_, reader=SHELL))[-1]["false_positives"] is None


def test_an_issue_that_is_in_the_round_after_all_is_no_false_positive(world):
    screening(world)
    found = composition(agreement_report(main_round(world, first=2), reader=SHELL))
    assert found[-1]["false_positives"] == 2


def test_a_decision_that_was_superseded_excludes_nothing(world):
    round_ = screening(world)
    world.settle(round_, world.issues[0], "T", seen=1)
    assert composition(agreement_report(main_round(world), reader=SHELL))[-1]["false_positives"] == 2


def test_what_two_screenings_exclude_counts_once(world):
    screening(world)
    screening(world, "F.1 F.1 F.1", "T T T", "T T T", "F F F")
    found = composition(agreement_report(main_round(world), reader=SHELL))
    # The first excludes three, the second one of these and the issue that is in the round.
    assert found[-1]["false_positives"] == 3


def test_a_screening_that_reveals_when_it_closes_excludes_nothing_before(world):
    round_ = screening(world, reveal=Round.Reveal.ROUND_CLOSED)
    main = main_round(world)
    assert composition(agreement_report(main, reader=SHELL))[-1]["false_positives"] == 0
    close_round(round_=round_, by=world.lead)
    assert composition(agreement_report(main, reader=SHELL))[-1]["false_positives"] == 3


def test_what_is_withheld_in_the_screening_is_no_false_positive_for_that_reader(world):
    screening(world)
    first, second = world.members[:2]
    world.waits_for(first, world.issues[0])
    round_ = main_round(world)

    def dropped(member):
        report = agreement_report(round_, blind=withheld_issues(round_, member), reader=Reader(member))
        return composition(report)[-1]["false_positives"]

    assert [dropped(first), dropped(second), dropped(None)] == [2, 3, 3]


def test_what_is_withheld_in_the_round_is_in_no_line(world):
    round_ = main_round(world)
    first = world.members[0]
    world.waits_for(first, world.issues[4])
    report = agreement_report(round_, blind=withheld_issues(round_, first), reader=Reader(first))
    assert composition(report)[-1] == {
        "repository": "all", "issues": 2, "years": {"2023": 1, "unknown": 1}, "types": {"C": 1},
        "undecided": 1, "false_positives": None,
    }  # fmt: skip
    assert [one["code"] for one in distribution(report)] == ["C", "C.1"]


def test_the_distribution_says_types_and_themes_with_their_base(world):
    round_ = main_round(world)
    world.settle(round_, world.issues[5], "C.1")
    found = agreement_report(round_, level=Level.TYPE, reader=SHELL)
    said = [(one["code"], one["issues"], one["base"], one["share"]) for one in distribution(found)]
    assert said == [
        ("A", 1, 3, pytest.approx(1 / 3)), ("C", 2, 3, pytest.approx(2 / 3)),
        ("A.1", 1, 3, pytest.approx(1 / 3)), ("C.1", 2, 3, pytest.approx(2 / 3)),
    ]  # fmt: skip
    assert TABLES["distribution"](found).rows[1] == ("type", "C", "Name of C", 2, 3, pytest.approx(2 / 3))
    assert report_as_dict(found)["distribution"][2] == {
        "level": "theme", "code": "A.1", "issues": 1, "base": 3, "share": pytest.approx(1 / 3),
    }  # fmt: skip


def test_a_decision_above_the_theme_is_in_the_base_of_types_alone(world):
    world.version = factories.make_version(world.study, ["A", "C", "C.1"])
    round_ = world.round()
    give_labels(world, round_, "A A A", "C.1 C.1 C.1", "C.1 C.1 C.1")
    said = [(one["code"], one["issues"], one["base"]) for one in distribution(agreement_report(round_))]
    assert said == [("A", 1, 3), ("C", 2, 3), ("C.1", 2, 2)]


@pytest.mark.parametrize("repositories", [1, 3])
def test_table_one_costs_the_same_at_one_repository_and_at_three(
    world, repositories, django_assert_num_queries
):
    screening(world)
    screening(world)
    world.version = factories.make_version(world.study)
    issues = [factories.make_issue(factories.make_repository(world.study)) for _ in range(repositories)]
    round_ = world.round(issues=Issue.objects.filter(pk__in=[issue.pk for issue in issues]).order_by("pk"))
    for issue in issues:
        for member in world.members:
            world.submit(round_, issue, member, "C.1")
    report = agreement_report(round_, reader=Reader(world.members[0]))
    with django_assert_num_queries(6):
        assert len(composition(report)) == repositories + 2
