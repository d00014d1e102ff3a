"""Agreement per answer and category, overlap of quotes, coverage and new codes: values computed by hand."""

from types import SimpleNamespace

import pytest

from agreement.reasons import Reason
from interviews.queries.coded import CodedInterview, CodedQuote
from interviews.queries.coding_agreement import agreement_of
from interviews.queries.coverage import counted_quotes, coverage, saturation
from interviews.queries.quotes import Span
from taxonomy.models import CategoryState, Level
from taxonomy.queries.codebooks import Codebook, States

CODES = ("A", "A.1", "A.2", "C", "C.9", "C.9.i")
IDS = {code: number for number, code in enumerate(CODES, 1)}


@pytest.fixture
def book(monkeypatch) -> Codebook:
    """A codebook that needs no database: nothing was split or retired."""
    monkeypatch.setattr(States, "_gone", {})
    states = tuple(
        CategoryState(
            version_id=1,
            category_id=IDS[code],
            parent_id=IDS.get(code.rpartition(".")[0]),
            level=code.count(".") + 1,
            code=code,
            name=code,
            position=place,
        )
        for place, code in enumerate(CODES)
    )
    return Codebook(1, states)


def quoted(by: str, turn: int, start: int, end: int, *codes: str) -> CodedQuote:
    return CodedQuote(
        by,
        Span(turn, start, end),
        frozenset(IDS[code] for code in codes if code in IDS),
        frozenset(code for code in codes if code not in IDS),
    )


def interview(
    *quotes: CodedQuote, name="U1", answers=(1, 3, 5, 7), coders=("R3", "R4"), settled=False, common=()
):
    coding = SimpleNamespace(session=SimpleNamespace(participant=name), settled_at="now" if settled else None)
    return CodedInterview(coding, coders, answers, quotes, common)


def test_agreement_is_per_answer_and_category(book):
    """A.1: R3 in answers 1 and 3, R4 in 1, of four: p_a 3/4, p_e 34/64; kappa 7/15. Letters do not count."""
    one = interview(
        quoted("R3", 1, 0, 900, "A.1"),
        quoted("R3", 3, 0, 4, "A.1"),
        quoted("R4", 1, 950, 951, "A.1"),
        quoted("R4", 1, 960, 970, "A.1"),
    )
    found = agreement_of([one], book, Level.THEME)
    [row] = found.categories
    assert (row.state.code, row.any_coder, row.all_coders, found.answers) == ("A.1", 2, 1, 4)
    values = {name: round(one.value, 6) for name, one in row.coefficients.items()}
    # Alpha: 1 - (8 - 1) * (2 / 8) / (2 * 3 * 5 / 8) = 1 - 1.75 / 3.75. AC1: p_e = 2 * 3/8 * 5/8.
    assert values == {
        "percent_agreement": 0.75,
        "fleiss_kappa": round(7 / 15, 6),
        "krippendorff_alpha": round(1 - 1.75 / 3.75, 6),
        "gwet_ac1": round((0.75 - 30 / 64) / (1 - 30 / 64), 6),
    }
    assert {(one.low, one.reason) for one in row.coefficients.values()} == {(None, Reason.CODED_RARELY)}
    # Three themes: A.2 and C.9 are agreed on as absent. p_yes = 3/24, p_a = 11/12.
    chance = (3 / 24) ** 2 + (21 / 24) ** 2
    pooled = found.pooled["fleiss_kappa"]
    assert pooled.value == pytest.approx((11 / 12 - chance) / (1 - chance))
    assert pooled.low is None


def test_a_deeper_category_counts_as_its_ancestor_and_a_higher_one_not(book):
    one = interview(quoted("R3", 1, 0, 4, "C.9.i"), quoted("R4", 1, 0, 4, "C.9"), quoted("R4", 3, 0, 4, "C"))
    found = agreement_of([one], book, Level.THEME)
    [row] = found.categories
    assert (row.state.code, row.any_coder, row.all_coders, found.outside) == ("C.9", 1, 1, 1)
    assert agreement_of([one], book, Level.TYPE).outside == 0
    assert row.coefficients["fleiss_kappa"].value == 1
    [row] = agreement_of([one], book, Level.TYPE).categories
    assert (row.state.code, row.any_coder, row.all_coders) == ("C", 2, 1)
    [row] = agreement_of([one], book, Level.SUB_THEME).categories
    assert (row.state.code, row.any_coder, row.all_coders) == ("C.9.i", 1, 0)


def test_interviews_with_other_coders_and_other_numbers_of_them_go_together(book):
    first = interview(quoted("R3", 1, 0, 4, "A.1"), quoted("R4", 1, 0, 4, "A.1"), answers=(1, 3))
    second = interview(
        *(quoted(by, 1, 0, 4, "A.1") for by in ("R5", "R6", "R7")),
        name="U2",
        answers=(1,),
        coders=("R5", "R6", "R7"),
    )
    found = agreement_of([first, second], book, Level.THEME)
    assert (found.interviews, found.answers) == (("U1", "U2"), 3)
    [row] = found.categories
    assert (row.any_coder, row.all_coders, row.coefficients["fleiss_kappa"].value) == (2, 2, 1)
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        ("R3", "R4"), ("R5", "R6"), ("R5", "R7"), ("R6", "R7"),
    ]  # fmt: skip


def test_from_five_interviews_on_whole_interviews_are_drawn(book):
    """Three answers with the code in each interview; in the last, R4 gave the code to one of them only."""

    def coded(number, *turns):
        quotes = (quoted("R3", turn, 0, 9, "A.1") for turn in (1, 3, 5))
        return interview(*quotes, *(quoted("R4", turn, 0, 9, "A.1") for turn in turns), name=f"U{number}")

    interviews = [coded(number, 1, 3, 5) for number in range(4)] + [coded(4, 1)]
    found = agreement_of(interviews, book, Level.THEME)
    [row] = found.categories
    kappa = row.coefficients["fleiss_kappa"]
    assert (found.by_interview, found.is_narrow, row.any_coder, row.all_coders) == (True, True, 15, 13)
    assert kappa.low < kappa.value < kappa.high == 1
    assert found.pooled["fleiss_kappa"].low is not None
    fewer = agreement_of(interviews[:4], book, Level.THEME)
    assert (fewer.by_interview, fewer.is_narrow) == (False, False)
    assert not agreement_of([*interviews, *interviews[:3]], book, Level.THEME).is_narrow


def test_what_is_not_defined_says_why(book):
    all_yes = interview(quoted("R3", 1, 0, 4, "A.1"), quoted("R4", 1, 0, 4, "A.1"), answers=(1,))
    [row] = agreement_of([all_yes], book, Level.THEME).categories
    assert [one.reason for one in row.coefficients.values()] == [
        Reason.CODED_RARELY,
        *[Reason.ONE_COMMON_ANSWER] * 3,
    ]
    nothing = agreement_of([interview(answers=())], book, Level.THEME)
    assert (nothing.categories, nothing.pooled, nothing.answers) == ((), {}, 0)


def test_overlap_counts_quotes_and_each_character_once(book):
    one = interview(
        quoted("R3", 1, 0, 10, "A.1"),
        quoted("R3", 3, 0, 10, "A.1"),
        quoted("R3", 3, 5, 10, "night"),
        quoted("R4", 1, 5, 15, "C.9"),
        quoted("R4", 3, 8, 12, "NIGHT"),
        quoted("R4", 7, 0, 5, "A.1"),
    )
    [pair] = agreement_of([one], book, Level.THEME).pairs
    # R3: three quotes, all meet one of R4, one with an equal code. R4: three, two meet, one with an equal code.
    assert (pair.quotes, pair.met, pair.equal) == (6, 5, 2)
    # Both: 5 in turn 1, 2 in turn 3; either: 15, 12 and 5.
    assert pair.characters.value == pytest.approx(7 / 32)
    [none] = agreement_of([interview()], book, Level.THEME).pairs
    assert (none.quotes, none.characters) == (0, None)


def test_a_settled_interview_counts_its_common_quotes_and_another_one_its_places(book):
    quotes = (
        quoted("R3", 1, 0, 10, "A.1"),
        quoted("R4", 1, 5, 15, "A.1", "C.9"),
        quoted("R4", 1, 15, 20, "A.1"),
    )
    places = counted_quotes(interview(*quotes))
    assert [(one.span, sorted(one.categories)) for one in places] == [
        (Span(1, 0, 15), [IDS["A.1"], IDS["C.9"]]),
        (Span(1, 15, 20), [IDS["A.1"]]),
    ]
    settled = interview(*quotes, settled=True, common=(quoted("", 1, 0, 20, "C.9.i"),))
    other = interview(*quotes, name="U2")
    rows = coverage([settled, other], book, Level.THEME)
    assert [(row.state.code, row.counts, row.participants, row.places) for row in rows] == [
        ("A.1", (0, 2), 1, 2),
        ("A.2", (0, 0), 0, 0),
        ("C.9", (1, 1), 2, 2),
    ]


def test_new_codes_are_counted_in_the_order_of_interviews(book):
    interviews = [
        interview(quoted("R3", 1, 0, 4, "A.1", "night"), name="U1"),
        interview(quoted("R3", 1, 0, 4, "A.1", "Night"), name="U2"),
        interview(quoted("R3", 1, 0, 4, "C.9.i", "A.2", "swap"), name="U3"),
    ]
    lines = saturation(interviews, book, Level.THEME)
    assert [(one.interview.name, one.categories, one.open_codes, one.so_far) for one in lines] == [
        ("U1", 1, 1, 2),
        ("U2", 0, 0, 2),
        ("U3", 2, 1, 5),
    ]
