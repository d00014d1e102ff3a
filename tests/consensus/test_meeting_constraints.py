"""The last guard of a meeting is the database: what its actions refuse in words, raw SQL is refused as well."""

from functools import partial

import pytest
from django.db import connection, transaction

from consensus.actions.meetings import close_meeting
from consensus.actions.presence import away
from consensus.actions.votes import close_vote, open_vote
from consensus.models import Decision, Disagreement, Meeting
from tests import factories
from tests.kept import kept
from tests.statements import filled, refusal
from tests.worlds.meeting import held

pytestmark = pytest.mark.django_db

_meeting = filled(
    """INSERT INTO consensus_meeting (round_id, name, kind, chair_id, quorum, by_majority, shows_names, revision,
    created_by_id, created_at, opened_at, closed_at)
    VALUES (%(round)s, 'new', '{kind}', %(lead)s, {quorum}, {majority}, false, 0, %(lead)s, now(), {opened}, {closed})""",
    kind="together", quorum=1, majority="false", opened="NULL", closed="NULL",
)  # fmt: skip
_participant = filled(
    """INSERT INTO consensus_participant (meeting_id, member_id, joined_at, left_at)
    VALUES (%(meeting)s, {member}, {joined}, {left})""",
    member="%(outsider)s", joined="NULL", left="NULL",
)  # fmt: skip
_item = filled(
    """INSERT INTO consensus_agendaitem (meeting_id, round_id, issue_id, position, added_by_id, added_at, parked_why)
    VALUES ({meeting}, %(round)s, {issue}, 9, %(lead)s, now(), '')""",
    meeting="%(meeting)s", issue="%(free)s",
)  # fmt: skip
_spell = filled(
    """INSERT INTO consensus_spell (meeting_id, item_id, began_at, ended_at)
    VALUES ({meeting}, %(item)s, now(), {ended})""",
    meeting="%(meeting)s", ended="NULL",
)  # fmt: skip
_vote = filled(
    """INSERT INTO consensus_vote (meeting_id, item_id, number, opened_at, opened_by_id, closed_at, closed_by_id, present)
    VALUES ({meeting}, {item}, {number}, now(), %(lead)s, {closed}, {by}, {present})""",
    meeting="%(meeting)s", item="%(unvoted)s", number=1, closed="NULL", by="NULL", present="NULL",
)  # fmt: skip
_ballot = filled(
    """INSERT INTO consensus_ballot (meeting_id, vote_id, member_id, category_id, cast_at)
    VALUES ({meeting}, {vote}, {member}, %(category)s, now())""",
    meeting="%(meeting)s", vote="%(open)s", member="%(second)s",
)  # fmt: skip
_decision = filled(
    """INSERT INTO consensus_decision (round_id, issue_id, number, category_id, version_id, method, rationale,
    decided_by_id, decided_at, cause, item_id, how, vote_id)
    VALUES (%(round)s, {issue}, 1, {category}, %(version)s, '{method}', '{rationale}', {by}, now(), '{cause}',
    {item}, '{how}', {vote})""",
    issue="%(issue)s", category="%(category)s", method="meeting", rationale="why", cause="", item="%(item)s",
    how="chair", vote="NULL", by="%(lead)s",
)  # fmt: skip
_on_second = partial(_decision, item="%(second_item)s", issue="%(second_issue)s", vote="%(closed)s")
_follow_up = filled(
    """INSERT INTO consensus_followup (item_id, kind, category_id, text, made_by_id, made_at, done_at, done_by_id)
    VALUES (%(item)s, '{kind}', {category}, '{text}', %(lead)s, now(), {done}, {by})""",
    kind="guideline", category="NULL", text="Say so.", done="NULL", by="NULL",
)  # fmt: skip
MENTION = """INSERT INTO consensus_mention (comment_id, member_id) VALUES (%(comment)s, %(first)s)"""
DIGEST = """INSERT INTO consensus_digest (member_id, sent_at, day) VALUES (%(first)s, now(), current_date)"""
_bulk = filled(
    """INSERT INTO consensus_bulkdecision (round_id, kind, at_least, asked, by_id, at, taken_back_at, taken_back_by_id)
    VALUES (%(round)s, '{kind}', {at_least}, '{{}}', %(lead)s, now(), {back}, {by})""",
    kind="majority", at_least="2", back="NULL", by="NULL",
)  # fmt: skip
_disagreement = filled(
    """INSERT INTO consensus_disagreement (round_id, issue_id, version_id, position, chosen, votes, open_labels, apart,
    ways, margin)
    VALUES (%(round)s, {issue}, (SELECT version_id FROM rounds_round WHERE id = %(round)s), 8, '{{1,2}}',
    '{votes}', 0, '{{}}', {ways}, 1)""",
    issue="%(unlabelled)s", votes="{2,1}", ways=2,
)  # fmt: skip


BITES = {
    "a_meeting_has_a_quorum": [_meeting(quorum=0), "UPDATE consensus_meeting SET quorum = 0"],
    "a_pair_agrees_or_does_not": [_meeting(kind="pair"), _meeting(kind="pair", quorum=2, majority="true")],
    "a_meeting_closes_after_it_opens": [
        _meeting(closed="now()"),
        _meeting(opened="now()", closed="now() - interval '1 second'"),
    ],
    "a_member_takes_part_once": [_participant(member="%(first)s")],
    "who_leaves_has_come": [_participant(left="now()")],
    "an_issue_is_once_on_an_agenda": [
        "UPDATE consensus_agendaitem SET released_at = now(); " + _item(issue="%(issue)s")
    ],
    "an_issue_is_on_one_agenda_at_a_time": [_item(meeting="%(other)s", issue="%(issue)s")],
    "item_is_of_an_issue_of_its_round": [
        "UPDATE consensus_agendaitem SET issue_id = %(elsewhere)s WHERE id = %(item)s"
    ],
    "item_is_of_the_round_of_its_meeting": [
        _item(meeting="%(foreign)s"),
        "UPDATE consensus_meeting SET round_id = %(other_round)s WHERE id = %(meeting)s",
    ],
    "a_meeting_looks_at_one_item": [_spell() + "; " + _spell()],
    "a_spell_ends_after_it_begins": [_spell(ended="now() - interval '1 second'")],
    "spell_is_on_its_agenda": [_spell(meeting="%(other)s")],
    "votes_on_an_item_are_numbered": [
        "UPDATE consensus_vote SET closed_at = now(), present = 3 WHERE id = %(open)s; "
        + _vote(item="%(item)s")
    ],
    "one_vote_is_open_on_an_item": [_vote(item="%(item)s", number=2)],
    "a_closed_vote_says_who_was_there": [
        "UPDATE consensus_vote SET closed_at = now() WHERE id = %(open)s",
        _vote(present=3),
        _vote(by="%(lead)s"),
    ],
    "vote_is_on_its_agenda": [_vote(meeting="%(other)s")],
    "no_category_fits_or_one_is_chosen": [
        "UPDATE consensus_ballot SET none_fits = true, category_id = %(category)s WHERE vote_id = %(open)s"
    ],
    "one_ballot_per_person_and_vote": [_ballot(member="%(first)s")],
    "ballot_is_of_its_meeting": [
        "UPDATE consensus_participant SET joined_at = now() WHERE meeting_id = %(other)s; "
        + _ballot(meeting="%(other)s")
    ],
    # Whose seat is taken away; nobody without one casts a ballot, see the triggers below.
    "ballot_is_of_somebody_who_takes_part": ["DELETE FROM consensus_participant WHERE member_id = %(first)s"],
    "a_meeting_says_how_it_decided": [
        _decision(method="lead"),
        _decision(item="NULL", method="lead"),
        _decision(item="NULL", method="lead", how="", vote="%(closed)s"),
        _on_second(how="dice"),
    ],
    "people_stand_behind_their_decisions": [_decision(by="NULL")],
    "a_chair_gives_a_rationale": [_decision(rationale="")],
    "decision_cause_is_known": [_decision(cause="weather")],
    "a_meeting_stands_behind_its_decisions": [_decision(item="NULL", how="")],
    "a_follow_up_says_what_to_do": [
        _follow_up(text=""),
        _follow_up(kind="example"),
        _follow_up(kind="proposal"),
        _follow_up(kind="party"),
    ],
    "what_is_done_was_done_by_somebody": [_follow_up(done="now()"), _follow_up(by="%(lead)s")],
    "a_comment_names_once": [MENTION + "; " + MENTION],
    "a_member_has_one_digest_a_day": [DIGEST + "; " + DIGEST],
    "a_bulk_majority_says_how_many": [
        _bulk(at_least="NULL"),
        _bulk(at_least="0"),
        _bulk(kind="alike"),
        _bulk(kind="dice"),
    ],
    "taking_back_has_a_name": [_bulk(back="now()"), _bulk(by="%(lead)s")],
    "an_issue_disagrees_once_in_a_round": [_disagreement(issue="%(issue)s")],
    "disagreements_in_order": [
        """INSERT INTO consensus_disagreement (round_id, issue_id, version_id, position, chosen, votes, open_labels, apart, ways, margin)
        SELECT round_id, %(unlabelled)s, version_id, position, chosen, votes, open_labels, apart, ways, margin
        FROM consensus_disagreement WHERE issue_id = %(issue)s AND round_id = %(round)s"""
    ],
    "a_disagreement_has_two_sides": [_disagreement(ways=1), _disagreement(votes="{3}")],
    "disagreement_is_of_an_issue_of_its_round": [_disagreement(issue="%(elsewhere)s")],
}

# Hold the primary key: only targets for the foreign keys of two columns, which are bitten.
NOT_BITTEN = {"a_meeting_is_of_one_round", "an_item_is_of_one_meeting", "a_vote_is_of_one_meeting"}

LEAVES = """UPDATE consensus_participant SET left_at = now()
    WHERE member_id = %(first)s AND meeting_id = %(meeting)s; """
DECIDES = "a meeting decides what is on its agenda, while it is open"
NEEDS_QUORUM = "a meeting decides with its quorum only"
SUFFICE = "the ballots do not suffice for this decision"

TRIGGERS = {
    "only a disagreement is put on an agenda": [
        _item(issue="%(unlabelled)s"),
        _item(issue="%(elsewhere)s"),
    ],
    # Ballots
    "who is absent does not vote": [
        _ballot(member="%(absent)s"),
        _ballot(member="%(outsider)s"),
        _ballot(member="%(asked)s"),
        _ballot(meeting="%(other)s"),
        LEAVES + "UPDATE consensus_ballot SET category_id = NULL WHERE vote_id = %(open)s",
    ],
    "this vote is closed": [
        _ballot(vote="%(closed)s", member="%(third)s"),
        "UPDATE consensus_ballot SET category_id = NULL WHERE vote_id = %(closed)s",
    ],
    "a ballot that was cast stays": ["DELETE FROM consensus_ballot"],
    "a ballot keeps vote and author": [
        "UPDATE consensus_ballot SET member_id = %(second)s WHERE vote_id = %(open)s",
        "UPDATE consensus_ballot SET vote_id = %(open)s WHERE vote_id = %(closed)s AND member_id = %(second)s",
    ],
    # Votes
    "a vote stays as it was closed": [
        "UPDATE consensus_vote SET closed_at = NULL, present = NULL WHERE id = %(closed)s",
        "UPDATE consensus_vote SET present = 3 WHERE id = %(closed)s",
        "DELETE FROM consensus_vote WHERE id = %(closed)s",
        "DELETE FROM consensus_vote WHERE id = %(empty)s",
    ],
    "a vote is open before it is closed": [_vote(closed="now()", present=3)],
    "a vote counts who was there": [
        "UPDATE consensus_vote SET closed_at = now(), present = 0 WHERE id = %(open)s",
        "UPDATE consensus_vote SET closed_at = now(), present = 9 WHERE id = %(open)s",
    ],
    # Decisions
    DECIDES: [
        _decision(issue="%(second_issue)s"),
        _decision(item="%(other_item)s", issue="%(other_issue)s"),
        "UPDATE consensus_agendaitem SET released_at = now(); " + _decision(),
        "UPDATE consensus_meeting SET closed_at = clock_timestamp() WHERE id = %(meeting)s; " + _decision(),
    ],
    "a decision rests on a closed vote on its own issue": [
        _decision(how="unanimity", vote="%(open)s"),
        _decision(how="chair", vote="%(open)s"),
        _decision(how="unanimity", vote="%(closed)s"),
    ],
    NEEDS_QUORUM: [
        LEAVES + _decision(),
        "UPDATE consensus_meeting SET quorum = 4; "
        + _on_second(how="majority"),
        "UPDATE consensus_meeting SET kind = 'apart'; " + _decision(),
    ],
    SUFFICE: [
        _on_second(how="unanimity"),
        _on_second(how="majority"),
        "UPDATE consensus_meeting SET by_majority = true; "
        + _on_second(how="majority", category="%(against)s"),
    ],
    "nobody decides for a pair": [
        "UPDATE consensus_meeting SET kind = 'pair', quorum = 2; "
        + _on_second()
    ],
    "a decision is superseded, never edited": [
        "UPDATE consensus_decision SET rationale = 'better'",
        "UPDATE consensus_decision SET how = 'unanimity'",
        "UPDATE consensus_decision SET superseded_why = 'no'",
        "DELETE FROM consensus_decision",
    ],
    "what labels say stays": ["UPDATE consensus_disagreement SET margin = 7", "DELETE FROM consensus_disagreement"],
}  # fmt: skip


@kept
def names():
    """The ids that the statements name.

    A meeting whose quorum of three is there exactly: R1, R2 and the lead; R3 has left, R4 was asked. On the
    first item a vote is open, in which R1 has voted; on the second one is closed, two for a category and one
    against it; the third is decided by the chair; of the fourth a vote is open that nobody has voted in.
    """
    world = held(7, members=4, come="nobody", quorum=3, on_agenda=4)
    first, second, third, fourth = world.members
    world.arrive(first, second, third)
    item, second_item, decided, empty = world.items
    closed = world.vote(second_item, "C.9", "C.9", "C.1")
    close_vote(vote=closed, by=world.lead) if closed.closed_at is None else None
    away(meeting=world.meeting, member=third)
    world.arrive(world.lead)
    opened = world.vote(item, "C.9")
    world.decide(decided, "C.9")
    nobody = open_vote(item=empty, by=world.lead)
    meeting = world.meeting
    other = world.plan(opened=False, on_agenda=0)
    other_item = world.put_on(other, world.issues[4])
    # One issue is of the round and nobody labelled it; another round has one of its own.
    unlabelled, elsewhere = factories.make_issues(world.repository, 2)
    world.round_.round_issues.create(issue=unlabelled, position=8)
    elsewhere_round = factories.make_round(world.version, [elsewhere], world.members, name="Elsewhere")
    foreign = Meeting.objects.create(
        round=elsewhere_round, name="Foreign", chair=world.lead, quorum=1, created_by=world.lead
    )
    comment = world.round_.comments.create(issue=world.issues[0], author=world.lead, text="@R1 look")
    outsider = factories.make_member(world.study, pseudonym="R9")
    return {
        "round": world.round_.pk,
        "other_round": elsewhere_round.pk,
        "version": world.version.pk,
        "category": world.category("C.9").pk,
        "against": world.category("C.1").pk,
        "lead": world.lead.pk,
        "first": first.pk,
        "second": second.pk,
        "third": third.pk,
        "absent": third.pk,
        "asked": fourth.pk,
        "outsider": outsider.pk,
        "meeting": meeting.pk,
        "other": other.pk,
        "foreign": foreign.pk,
        "item": item.pk,
        "issue": item.issue_id,
        "second_item": second_item.pk,
        "second_issue": second_item.issue_id,
        "other_item": other_item.pk,
        "other_issue": other_item.issue_id,
        "unvoted": decided.pk,
        "free": world.issues[5].pk,
        "unlabelled": unlabelled.pk,
        "elsewhere": elsewhere.pk,
        "open": opened.pk,
        "closed": closed.pk,
        "empty": nobody.pk,
        "comment": comment.pk,
    }


def test_the_database_refuses_by_name(names):
    wrong = {
        (name, statement): got
        for name, statements in BITES.items()
        for statement in statements
        if (got := refusal(statement, names).__cause__.diag.constraint_name) != name
    }
    assert wrong == {}


def test_the_triggers_refuse_in_words(names):
    wrong = {
        (words, statement): got
        for words, statements in TRIGGERS.items()
        for statement in statements
        if words not in (got := str(refusal(statement, names)))
    }
    assert wrong == {}


def test_the_same_statements_pass_when_nothing_is_wrong(names):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for statement in (
            _meeting(opened="now()", closed="now()"),
            _meeting(kind="pair", quorum=2),
            _participant(joined="now()", left="now()"),
            _item(),
            _spell(ended="now()"),
            _vote(number=1),
            _ballot(),
            "UPDATE consensus_ballot SET category_id = NULL, changed_at = now() WHERE vote_id = %(open)s",
            "UPDATE consensus_vote SET closed_at = now(), present = 3 WHERE id = %(open)s",
            _decision(),
            "UPDATE consensus_meeting SET by_majority = true WHERE id = %(meeting)s",
            _on_second(how="majority", rationale=""),
            "UPDATE consensus_decision SET superseded_at = now(), superseded_by_id = %(lead)s, superseded_why = 'no'",
            _follow_up(),
            _follow_up(kind="example", category="%(category)s", text="", done="now()", by="%(lead)s"),
            MENTION,
            DIGEST,
            _bulk(),
            _bulk(kind="alike", at_least="NULL", back="now()", by="%(lead)s"),
            _disagreement(),
        ):
            cursor.execute(statement, names)
            assert cursor.rowcount > 0, statement
        transaction.set_rollback(True)


def test_a_closed_meeting_takes_neither_ballots_nor_decisions():
    world = held(1, members=2, come="nobody", kind="apart", quorum=1)
    vote = world.vote(world.items[0], "C.9")
    close_meeting(meeting=world.meeting, by=world.lead)
    names = {
        "meeting": world.meeting.pk, "open": vote.pk, "second": world.members[0].pk,
        "category": world.category("C.9").pk, "round": world.round_.pk, "issue": world.issues[0].pk,
        "version": world.version.pk, "lead": world.lead.pk, "item": world.items[0].pk, "closed": vote.pk,
    }  # fmt: skip
    assert "this vote is closed" in str(refusal(_ballot(), names))
    assert DECIDES in str(refusal(_decision(how="unanimity", vote="%(closed)s"), names))
    assert not Decision.objects.filter(item__isnull=False).exists()
    assert Disagreement.objects.count() == 1
