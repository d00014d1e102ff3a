"""Rankings of a study in numbers: the groups that are compared, and the numbers of hand-made answers."""

from types import SimpleNamespace

import pytest
from django.utils import timezone

from agreement.reasons import Reason
from interviews.actions.rankings import record_ranking
from interviews.models import Question
from interviews.queries.ranking_groups import Groups, GroupsAsked, UnknownGroupError, groups_asked, groups_of
from interviews.queries.ranking_numbers import rankings_of
from interviews.queries.ranking_rows import HEADER, ranking_rows
from taxonomy.models import Category, CategoryState, Level, Version
from tests import factories
from tests.factories.interviews import make_audience, make_guide, make_participant, make_session
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept


def person(number, audience="Users", experience="", **attributes):
    position = {"Users": 0, "Developers": 1, "Teachers": 2}[audience]
    return SimpleNamespace(
        pk=number,
        audience=SimpleNamespace(name=audience, position=position, pk=position),
        experience=experience,
        role="",
        context="PyTorch",
        attributes=attributes,
    )


def grouped(people, column="audience", *, leads=True, **fields) -> Groups:
    return groups_of(people, GroupsAsked(column, **fields), leads=leads)


class TestGroups:
    def test_the_first_two_audiences_are_compared(self):
        people = [person(1, "Developers"), person(2), person(3, "Teachers"), person(4)]
        found = grouped(people)
        assert (found.first, found.second, found.values) == (
            "Users", "Developers", ("Users", "Developers", "Teachers"),
        )  # fmt: skip
        assert dict(found.side) == {1: False, 2: True, 4: True}

    def test_one_value_can_be_compared_with_all_others(self):
        people = [person(1, "Developers"), person(2), person(3, "Teachers")]
        for second in ("", "Teachers"):
            found = grouped(people, first="Teachers", second=second)
            assert (found.first, found.second, found.chosen) == ("Teachers", "all others", ("Teachers", ""))
            assert dict(found.side) == {1: False, 2: False, 3: True}

    def test_values_are_equal_in_any_case_and_the_most_frequent_come_first(self):
        people = [
            person(1, experience="Expert"),
            person(2, experience="beginner "),
            person(3, experience="Beginner"),
            person(4),
            person(5, experience="advanced"),
        ]
        found = grouped(people, "experience")
        assert (found.first, found.second) == ("beginner", "Expert")
        assert dict(found.side) == {1: False, 2: True, 3: True}

    def test_months_beside_years_are_parts_of_a_year(self):
        texts = ("8 Months", "3 years", "1.5 years", "7 years", "18个月", "26 weeks")
        people = [person(number, experience=text) for number, text in enumerate(texts)]
        found = grouped(people, "experience", at=1.5)
        assert found.side == {0: True, 1: False, 2: False, 3: False, 4: False, 5: True}
        months = [person(number, experience=f"{number} months") for number in (6, 8, 30)]
        assert grouped(months, "experience", at=8).side == {6: True, 8: False, 30: False}

    def test_numbers_are_divided_where_the_groups_are_most_equal_or_where_it_is_asked(self):
        people = [
            person(number, experience=text) for number, text in enumerate(("1 year", "2,5", "4 years", "10+"))
        ]
        found = grouped(people, "experience")
        assert (found.first, found.second, found.at, found.values) == ("below 4", "4 or more", 4, ())
        assert dict(found.side) == {0: True, 1: True, 2: False, 3: False}
        assert dict(grouped(people, "experience", at=2.5).side) == {0: True, 1: False, 2: False, 3: False}

    def test_further_columns_can_divide_and_backgrounds_are_for_leads(self):
        people = [person(1, Employer="A"), person(2, Employer="B")]
        found = grouped(people, "attribute:Employer")
        assert found.columns == (("audience", "Audience"), ("attribute:Employer", "Employer"))
        assert (found.first, found.second) == ("A", "B")
        assert grouped(people, leads=False).columns == (("audience", "Audience"),)
        with pytest.raises(UnknownGroupError):
            grouped(people, "attribute:Employer", leads=False)

    @pytest.mark.parametrize(
        ("column", "fields"),
        [
            ("salary", {}),
            ("context", {}),
            ("audience", {"first": "Nobody"}),
            ("audience", {"second": "Nobody"}),
            ("audience", {"at": 2.0}),
        ],
    )
    def test_unknown_columns_and_values_are_refused(self, column, fields):
        with pytest.raises(UnknownGroupError):
            grouped([person(1), person(2, "Developers")], column, **fields)

    def test_nobody_has_two_groups_without_members(self):
        found = grouped([])
        assert (found.first, found.second, dict(found.side)) == ("", "all others", {})

    def test_addresses(self):
        assert groups_asked({}) == GroupsAsked()
        asked = groups_asked({"by": "experience", "first": "a", "second": "", "at": "2.5"})
        assert asked == GroupsAsked("experience", "a", "", 2.5)
        moved = {"was": "experience", "by": "audience", "first": "a", "second": "b", "at": "2"}
        assert groups_asked(moved) == GroupsAsked("audience")
        assert groups_asked({**moved, "by": "experience"}) == GroupsAsked("experience", "a", "b", 2)
        for wrong in ("many", "-1", "1e9", "٣" * 9):
            with pytest.raises(UnknownGroupError):
                groups_asked({"at": wrong})


@kept
def world() -> InterviewWorld:
    """Six users and five developers rank B.1 and B.2 in full, and the first two of the themes of C."""
    world = interview_world()
    ranks = {"is_ranking": True, "taxonomy": world.version.taxonomy, "level": Level.THEME}
    guide = make_guide(
        world.study,
        world.lead,
        {"text": "All of B?", **ranks, "under": factories.category(world.version, "B")},
        {"text": "First of C?", **ranks, "under": factories.category(world.version, "C"), "top": 2},
    )
    make_audience(world.study, "D")
    for number in range(11):
        prefix, first, second = ("U", "B.1", "B.2") if number < 6 else ("D", "B.2", "B.1")
        made = make_participant(world.study, world.lead, prefix, experience=f"{number} years")
        session = make_session(made, world.lead, guide=guide)
        rank(world, session, "All of B?", {first: 1, second: 2})
        rank(world, session, "First of C?", {"C.1": 1, "C.2": 1 if number == 0 else 2})
    return world


def rank(world, session, text, places):
    record_ranking(
        session=session,
        question=Question.objects.get(text=text),
        places={factories.category(world.version, code).pk: place for code, place in places.items()},
        by=world.lead,
    )


def publish(world, number, *more) -> dict[str, int]:
    """A version with the categories of the first one, and `more` below B; ids by code."""
    taxonomy = world.version.taxonomy
    newer = Version.objects.create(taxonomy=taxonomy, number=number)
    states = list(CategoryState.objects.filter(version=world.version))
    for state in states:
        state.pk, state.version = None, newer
    states += [
        CategoryState(
            category=Category.objects.create(taxonomy=taxonomy),
            version=newer,
            code=code,
            name="New",
            parent=factories.category(world.version, "B"),
            level=Level.THEME,
            position=len(states),
        )
        for code in more
    ]
    CategoryState.objects.bulk_create(states)
    Version.objects.filter(pk=newer.pk).update(published_at=timezone.now())
    return {state.code: state.category_id for state in states}


def rank_now(world, participant, ids, *codes):
    """One more interview, in which the participant ranks all themes of B of the newest version."""
    question = Question.objects.get(text="All of B?")
    session = make_session(participant, world.lead, guide=question.part.guide)
    places = {ids[code]: place for place, code in enumerate(codes, start=1)}
    record_ranking(session=session, question=question, places=places, by=world.lead)


@pytest.mark.django_db
class TestNumbers:
    def test_complete_rankings_have_ranks_shares_w_and_groups(self, world):
        """B.1 is first for six of eleven: mean rank 16/11; totals 16 and 17 around 16.5, W = 1/121."""
        whole, _first = rankings_of(world.study, world.lead).questions
        assert (whole.participants, whole.top, whole.is_complete, whole.is_mixed) == (11, 1, True, False)
        best, other = whole.lines
        assert (best.state.code, best.numbers.mean_rank, best.numbers.ranked_by) == ("B.1", 16 / 11, 11)
        assert best.numbers.interval.low < 16 / 11 < best.numbers.interval.high
        assert (best.numbers.top.value, other.numbers.top.value) == (6 / 11, 5 / 11)
        # Wilson: (6/11 + z²/22 ± z √(30/1331 + z²/484)) / (1 + z²/11), z = 1.959964.
        assert (best.numbers.top.low, best.numbers.top.high) == pytest.approx((0.28010, 0.78728), abs=1e-4)
        assert (best.in_first_places, best.share_bounds) == (6, (0.28, 0.79))
        assert whole.concordance.w == pytest.approx(1 / 121)
        assert whole.concordance.chi2 == pytest.approx(1 / 11)
        assert (whole.comparison.first, whole.comparison.second, whole.comparison.exact) == (6, 5, True)
        assert (best.difference.first, best.difference.second) == (1.0, 2.0)
        # One of the 462 ways to form the groups is as far apart: sizes differ, so it has no mirror.
        assert (best.difference.p, best.difference.adjusted) == (1 / 462, 2 / 462)

    def test_first_places_have_no_w_and_the_others_share_the_last_ranks(self, world):
        _whole, first = rankings_of(world.study, world.lead).questions
        assert (first.top, first.is_complete, first.concordance.w) == (2, False, None)
        assert first.concordance.reason is Reason.TOP_ONLY
        lines = {line.state.code: line.numbers for line in first.lines}
        assert (lines["C.1"].mean_rank, lines["C.2"].mean_rank) == ((10 + 1.5) / 11, (20 + 1.5) / 11)
        assert (lines["C.9"].mean_rank, lines["C.9"].mean_given, lines["C.9"].ranked_by) == (4.0, None, 0)
        assert (lines["C.1"].top.value, lines["C.9"].top.value) == (1.0, 0.0)
        assert {line.difference.reason for line in first.lines if line.state.code == "C.9"} == {
            Reason.SAME_RANK
        }

    def test_groups_by_experience(self, world):
        found = rankings_of(world.study, world.lead, GroupsAsked("experience"))
        assert (found.groups.first, found.groups.second) == ("below 5", "5 or more")
        assert (found.questions[0].comparison.first, found.questions[0].comparison.second) == (5, 6)
        with pytest.raises(UnknownGroupError):
            rankings_of(world.study, world.coder, GroupsAsked("experience"))

    def test_who_was_interviewed_twice_has_one_opinion_the_later_one(self, world):
        session = rankings_of(world.study, world.lead).questions[0].question.rankings.first().session
        again = make_session(session.participant, world.lead, guide=session.guide)
        rank(world, again, "All of B?", {"B.2": 1, "B.1": 2})
        whole = rankings_of(world.study, world.lead).questions[0]
        assert (whole.participants, len(whole.answers)) == (11, 12)
        assert {line.state.code: line.numbers.top.value for line in whole.lines} == {
            "B.1": 5 / 11,
            "B.2": 6 / 11,
        }

    def test_another_version_with_other_categories_has_no_w(self, world):
        """A later participant could rank three categories; the third counts as not ranked by the others."""
        late = make_participant(world.study, world.lead, "U", experience="12 years")
        rank_now(world, late, publish(world, 2, "B.3"), "B.3", "B.1", "B.2")
        whole = rankings_of(world.study, world.lead).questions[0]
        assert (whole.is_mixed, whole.is_complete, whole.participants) == (True, False, 12)
        assert (whole.concordance.w, whole.concordance.reason) == (None, Reason.OTHER_CATEGORIES)
        third = next(line.numbers for line in whole.lines if line.state.code == "B.3")
        assert (third.ranked_by, third.mean_rank, third.mean_given) == (1, (11 * 3 + 1) / 12, 1.0)

    def test_what_an_earlier_answer_could_choose_is_in_no_number(self, world):
        """Somebody ranked a category of a version in between; the answer that counts has none of it."""
        late = make_participant(world.study, world.lead, "U", experience="12 years")
        rank_now(world, late, publish(world, 2, "B.3"), "B.3", "B.1", "B.2")
        rank_now(world, late, publish(world, 3), "B.2", "B.1")
        whole = rankings_of(world.study, world.lead).questions[0]
        assert (whole.is_mixed, whole.is_complete, whole.participants, whole.top) == (False, True, 12, 1)
        assert [line.state.code for line in whole.lines] == ["B.1", "B.2"]
        # Both are first for six: sums 18 and 18, so W is 0.
        assert (whole.concordance.w, whole.concordance.categories) == (0.0, 2)
        earlier, later = (order for who, order in whole.answers if who.startswith(str(late)))
        assert (earlier, later) == ([["B.3"], ["B.1"], ["B.2"]], [["B.2"], ["B.1"]])

    def test_a_file_has_a_row_for_each_question_and_category(self, world):
        found = rankings_of(world.study, world.lead)
        rows = [dict(zip(HEADER, row, strict=True)) for row in ranking_rows(found)]
        assert len(rows) == 2 + len(found.questions[1].lines)
        # The version of the guide, its part, the question there: no id of the database.
        assert list(dict.fromkeys(row["question"] for row in rows)) == ["1.1.1", "1.1.2"]
        first = rows[0]
        assert (first["code"], first["mean_rank"], first["first_group"], first["first_participants"]) == (
            "B.1", 16 / 11, "LLM users", 6,
        )  # fmt: skip
        assert (first["difference"], first["p"], first["w_df"], first["w_reason"]) == (-1.0, 1 / 462, 1, "")
        last = next(row for row in rows if row["code"] == "C.9")
        assert (last["reason"], last["w_reason"]) == (Reason.SAME_RANK.text, Reason.TOP_ONLY.text)
