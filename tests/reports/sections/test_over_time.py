"""Labels over time: the shares of each month, and whether the decisions changed."""

import pytest

from agreement import Drift, Reason, drift
from reports.agreement_report import agreement_report
from reports.formats.json_report import report_as_dict
from reports.formats.tables import as_csv
from reports.sections.over_time import OVER_TIME, periods
from reports.sections.registry import TABLES
from reports.sentences.over_time import change_sentences, size
from rounds.models import RoundIssue
from taxonomy.models import Level
from tests.kept import kept
from tests.worlds.pages import label_all
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db

# Two months: in the first C C C and A A A, in the second twice C C C and one that is open.
ROWS = ("C.1 C.1 C.1", "A.1 A.1 A.1", "C.1 C.1 C.1", "C.2 C.2 C.2", "C.2 A.1 C.1")


@kept
def round_():
    world = small_world(issues=5)
    round_ = world.round(name="Main round")
    label_all(world, round_, *ROWS)
    for issue, month in zip(world.issues, ("01", "01", "02", "02", "02"), strict=True):
        moment = f"2026-{month}-15T12:00:00Z"
        RoundIssue.objects.filter(round=round_, issue=issue).update(completed_at=moment)
    return round_


def test_shares_and_the_test_by_hand(round_):
    """Decided A and C: 1 and 1, then 0 and 2. Expected are 0.5 and 1.5 in both months."""
    report = agreement_report(round_, level=Level.TYPE)

    table = TABLES["over-time"](report)
    assert table.columns == ("month", "code", "labels", "share", "decided", "decided_share")
    assert table.rows == (
        ("2026-01", "A", 3, 0.5, 1, 0.5),
        ("2026-01", "C", 3, 0.5, 1, 0.5),
        ("2026-02", "A", 1, pytest.approx(1 / 9), 0, 0.0),
        ("2026-02", "C", 8, pytest.approx(8 / 9), 2, 1.0),
    )
    head, line = as_csv(TABLES["over-time-test"](report)).splitlines()
    assert head == "decided_issues,months,categories,chi2,df,p,cramers_v,smallest_expected,reason"
    assert line.startswith("4,2,2,1.33333")  # 2 * (0.25 / 0.5 + 0.25 / 1.5)
    said = report_as_dict(report)["over_time"]
    assert said["months"][1] == {
        "month": "2026-02", "issues": 3, "labels": 9,
        "categories": {"A": {"labels": 1, "decided": 0}, "C": {"labels": 8, "decided": 2}},
    }  # fmt: skip
    assert (said["change"]["cramers_v"], said["change"]["reason"]) == (pytest.approx((1 / 3) ** 0.5), None)


def test_the_sentence_names_the_size_the_probability_and_what_is_rough(round_):
    report = agreement_report(round_, level=Level.TYPE)
    first, second = change_sentences(periods(report).change)
    assert first == (
        "Change of decisions over 2 months (4 issues): Cramér’s V = 0.577, “large” after Cohen (1988);"
        " χ²(1) = 1.3, p = 0.248."
    )
    assert second == "The smallest expected number is 0.5. Below 5, the probability is only rough."


@pytest.mark.parametrize(
    ("v", "periods", "categories", "word"),
    [
        (0.09, 2, 2, "negligible"),
        (0.11, 2, 8, "small"),
        (0.29, 2, 2, "small"),
        (0.31, 2, 2, "medium"),
        (0.51, 2, 2, "large"),
        (0.11, 11, 11, "medium"),  # w = 0.11 * √10
        (None, 1, 2, ""),
    ],
)
def test_the_word_grows_with_the_table(v, periods, categories, word):
    assert size(Drift(100, periods, categories, cramers_v=v)) == word


def test_where_enough_is_expected_nothing_is_rough_and_what_is_undefined_says_why():
    found = Drift(80, 2, 2, chi2=16 / 3, df=1, p=0.0209, cramers_v=0.258, smallest=15.0)
    assert [sentence[:30] for sentence in change_sentences(found)] == ["Change of decisions over 2 mon"]
    assert change_sentences(Drift(3, 1, 2, reason=Reason.ONE_PERIOD)) == [
        "Change of decisions over the months: undefined: only one period has labels."
    ]


def test_the_page_shows_frequent_categories_with_the_length_of_their_bars(round_):
    found = OVER_TIME.card.context(agreement_report(round_, level=Level.TYPE), {})["over_time"]
    assert [head["code"] for head in found["heads"]] == ["A", "C"]
    assert not found["has_others"]
    # Eight of nine is the longest; 1/9 is an eighth of it.
    assert [[cell["width"] for cell in row["cells"]] for row in found["rows"]] == [
        ["56.2", "56.2"], ["12.5", "100"],
    ]  # fmt: skip
    assert [cell["text"] for cell in found["rows"][1]["cells"]] == [
        "11.1\N{NO-BREAK SPACE}%",
        "88.9\N{NO-BREAK SPACE}%",
    ]


def test_one_month_is_no_time(round_):
    RoundIssue.objects.filter(round=round_).update(completed_at="2026-01-01T00:00:00Z")
    assert OVER_TIME.card.context(agreement_report(round_), {}) is None
    assert TABLES["over-time-test"](agreement_report(round_)).rows[0][-1] == "only one period has labels"


def test_what_is_withheld_is_in_no_month(round_):
    blind = RoundIssue.objects.filter(round=round_, position__gt=2)
    months = report_as_dict(agreement_report(round_, blind=blind))["over_time"]["months"]
    assert sum(month["issues"] for month in months) == 2


def test_a_probability_that_is_0_in_floats_is_said_as_a_bound():
    """Repositories labelled in months of their own: χ² of 20,000 issues is far beyond what floats can hold."""
    found = drift([[9000, 1000], [1000, 9000]])
    assert found.p == 0.0
    assert "χ²(1) = 12800.0, p < 0.001." in change_sentences(found)[0]
