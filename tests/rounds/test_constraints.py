"""The last guard of every promise is the database: each named constraint refuses raw SQL by its own name."""

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.models import Sample
from consensus.models import Decision
from ingest.models import Issue
from rounds.models import Answer, Assignment, Label, Round, RoundIssue
from tests import factories
from tests.boards import test_constraints as boards
from tests.consensus import test_meeting_constraints as meetings
from tests.kept import kept
from tests.statements import filled, refusal
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=1, members=2)]


_round = filled(
    """INSERT INTO rounds_round (id, study_id, name, kind, version_id, depth, labels_per_issue, allocation,
    reveal, lease_minutes, "order", rule, majority, excludes_id, pass_mark, training_id, drift_percent, drift_hours,
    selection, seed, created_at, opened_at, closed_at)
    OVERRIDING SYSTEM VALUE
    VALUES ({id}, %(study)s, {name}, '{kind}', %(version)s, {depth}, {k}, 'crossed', 'issue_complete', 60,
    'shuffled', '{rule}', {majority}, {excludes}, {pass_mark}, {training}, {drift}, 24, '{{}}', 1, now(),
    {opened}, {closed})""",
    id="nextval(pg_get_serial_sequence('rounds_round', 'id'))", name="'new'", kind="main", depth=1, k=1,
    rule="unanimous", majority="NULL", excludes="NULL", pass_mark="NULL", training="NULL", drift=0, opened="NULL",
    closed="NULL",
)  # fmt: skip
_slot = filled(
    """INSERT INTO rounds_assignment (round_id, issue_id, slot, volunteer_id, rank, lease_until, submitted_at)
    VALUES (%(round)s, {issue}, {slot}, {volunteer}, 1, {lease}, NULL)""",
    issue="%(unslotted)s", slot=1, volunteer="NULL", lease="NULL",
)  # fmt: skip
_label = filled(
    """INSERT INTO rounds_label (round_id, issue_id, volunteer_id, assignment_id, surplus, category_id,
    version_id, summary, unsure, submitted_at)
    VALUES (%(round)s, {issue}, {volunteer}, {slot}, {surplus}, {category}, %(version)s, '', false, now())""",
    issue="%(issue)s", volunteer="%(second)s", slot="%(second_slot)s", surplus="false", category="%(category)s",
)  # fmt: skip
_decision = filled(
    """INSERT INTO consensus_decision (round_id, issue_id, number, category_id, version_id, method, rationale,
    decided_by_id, decided_at, superseded_at)
    VALUES (%(round)s, {issue}, {number}, %(category)s, %(version)s, '{method}', '{rationale}', {by}, now(), {until})""",
    issue="%(issue)s", number=1, method="unanimous", rationale="", by="NULL", until="NULL",
)  # fmt: skip
_volunteer = filled(
    """INSERT INTO rounds_roundvolunteer (round_id, member_id, "column", seed, admitted_at, admitted_by_id, admitted_reason)
    VALUES (%(round)s, {member}, {column}, 1, {admitted}, {by}, '{reason}')""",
    member="%(lead)s", column=9, admitted="NULL", by="NULL", reason="",
)  # fmt: skip
_past_admission = filled(
    """INSERT INTO rounds_pastadmission (seat_id, admitted_at, admitted_by_id, admitted_reason, taken_back_at,
    taken_back_by_id)
    SELECT id, now(), %(lead)s, 'because', {taken_back}, %(lead)s FROM rounds_roundvolunteer
    WHERE round_id = %(round)s AND member_id = %(first)s""",
    taken_back="now()",
)
_repeat = filled(
    """INSERT INTO annotate_repeat (round_id, issue_id, volunteer_id, due_at, category_id, summary, unsure,
    submitted_at)
    VALUES (%(round)s, {issue}, {volunteer}, now(), {category}, '', false, {submitted})""",
    issue="%(issue)s", volunteer="%(first)s", category="NULL", submitted="NULL",
)  # fmt: skip
_answer = filled(
    """INSERT INTO rounds_answer (round_id, issue_id, category_id, explanation, given_by_id, given_at)
    VALUES (%(planned)s, {issue}, %(category)s, '{explanation}', %(lead)s, now())""",
    issue="%(issue)s", explanation="why",
)  # fmt: skip
_comment = filled(
    """INSERT INTO consensus_comment (round_id, issue_id, author_id, text, said_at)
    VALUES (%(round)s, {issue}, %(first)s, '{text}', now())""",
    issue="%(issue)s", text="unclear",
)  # fmt: skip
_sample = filled(
    """INSERT INTO annotate_sample (study_id, name, seed, plan, created_by_id, created_at)
    VALUES (%(study)s, {name}, 1, '{{}}', %(lead)s, now())""",
    name="'second'",
)
_drawn = filled(
    "INSERT INTO annotate_sampleissue (sample_id, issue_id, position) VALUES (%(sample)s, {issue}, {position})",
    issue="%(unslotted)s", position=2,
)  # fmt: skip
_left_out = filled(
    "INSERT INTO annotate_leftout (round_id, other_id, sample_id, issues) VALUES {rows}",
    rows="(%(round)s, %(apart)s, NULL, 1)",
)
_frozen = filled(
    """INSERT INTO reports_frozenreport (round_id, name, version_id, code_version, inputs_hash, issues, document,
    frozen_at)
    VALUES (%(round)s, '{name}', %(version)s, '0.1.0', '{digest}', 1, '{{}}', now())""",
    name="second", digest="0" * 64,
)  # fmt: skip
_seal = filled(
    """INSERT INTO rounds_seal (study_id, round_id, number, previous, at, why, events, digest)
    VALUES (%(study)s, %(round)s, {number}, '{previous}', now(), 'regular', {events}, '{previous}')""",
    number=1, previous="0" * 64, events=1,
)  # fmt: skip
_sealed = filled(
    """INSERT INTO rounds_sealedevent (seal_id, place, kind, key, salt, digest)
    VALUES (1, 1, 'label', 1, gen_random_uuid(), '\\x00')"""
)
_weights = filled(
    """INSERT INTO reports_weightmatrix (version_id, number, text, set_by_id, set_at)
    VALUES (%(version)s, 1, '', %(lead)s, now())"""
)
_model_label = filled(
    """INSERT INTO annotate_modellabel (round_id, issue_id, member_id, category_id, version_id, summary,
    submitted_at)
    VALUES (%(round)s, {issue}, %(lead)s, %(category)s, %(version)s, '', now())""",
    issue="%(issue)s",
)


BITES = {
    "round_name_is_unique_in_a_study": [_round(name="'Main'")],
    "an_issue_has_a_slot": [_round(k=0)],
    "round_depth_is_a_level": [_round(depth=4)],
    "round_closes_after_it_opens": [
        _round(closed="now()"),
        _round(opened="now()", closed="now() - interval '1 second'"),
    ],
    "a_majority_says_how_many": [
        _round(rule="majority"),
        _round(rule="majority", majority=0),
        _round(majority=2),
        _round(rule="meeting", majority=2),
    ],
    "only_training_has_a_pass_mark": [
        _round(pass_mark=80),
        _round(kind="training", pass_mark=0),
        _round(kind="training", pass_mark=101),
    ],
    "only_screening_excludes": [_round(excludes="%(category)s")],
    "a_round_is_not_its_own_training": [
        _round(id=9_000_000, training=9_000_000),
        "UPDATE rounds_round SET training_id = id WHERE id = %(round)s",
    ],
    "only_a_second_look_is_of_a_round": [
        _round(kind="look"),
        "UPDATE rounds_round SET of_id = %(planned)s WHERE id = %(round)s",
    ],
    "drift_check_is_a_part": [_round(drift=51)],
    "volunteer_is_once_in_a_round": [_volunteer(member="%(first)s")],
    "volunteer_has_a_column_of_their_own": [_volunteer(column=1)],
    "admission_has_a_name": [_volunteer(admitted="now()"), _volunteer(by="%(lead)s")],
    "only_admissions_have_a_reason": [_volunteer(reason="because")],
    "an_admission_is_taken_back_later": [_past_admission(taken_back="now() - interval '1 second'")],
    "issue_is_once_in_a_round": [
        "INSERT INTO rounds_roundissue (round_id, issue_id, position) VALUES (%(round)s, %(issue)s, 99)"
    ],
    "position_is_unique_in_a_round": [
        "INSERT INTO rounds_roundissue (round_id, issue_id, position) VALUES (%(round)s, %(outside)s, 1)"
    ],
    "slot_is_unique": [_slot(issue="%(issue)s", slot=1)],
    "volunteer_has_one_slot_per_issue": [
        _slot(issue="%(issue)s", slot=9, volunteer="%(first)s"),
        "UPDATE rounds_assignment SET volunteer_id = %(first)s WHERE id = %(second_slot)s",
    ],
    "slots_count_from_one": [_slot(slot=0)],
    "free_slots_are_neither_leased_nor_submitted": [
        _slot(lease="now()"),
        "UPDATE rounds_assignment SET volunteer_id = NULL, submitted_at = now() WHERE id = %(second_slot)s",
    ],
    "slot_is_of_an_issue_of_its_round": [_slot(issue="%(outside)s")],
    "slot_is_held_by_a_volunteer_of_its_round": [_slot(volunteer="%(lead)s")],
    "one_label_per_volunteer_and_issue": [_label(volunteer="%(first)s", slot="NULL", surplus="true")],
    "only_surplus_labels_have_no_slot": [_label(slot="NULL"), _label(surplus="true")],
    "a_label_has_a_category_or_proposes_one": [
        _label(category="NULL"),
        "UPDATE rounds_label SET category_id = NULL",
    ],
    "label_fills_the_slot_of_its_author": [
        _label(slot="%(third_slot)s"),
        """DELETE FROM rounds_assignment WHERE id = %(third_slot)s;
        UPDATE rounds_assignment SET volunteer_id = %(third)s WHERE id = %(first_slot)s""",
        "DELETE FROM rounds_assignment WHERE id = %(first_slot)s",
    ],
    "label_is_of_an_issue_of_its_round": [_label(issue="%(outside)s", slot="NULL", surplus="true")],
    "label_is_by_a_volunteer_of_its_round": [_label(volunteer="%(lead)s", slot="NULL", surplus="true")],
    "one_draft_per_volunteer_and_issue": [
        """INSERT INTO annotate_draft (round_id, issue_id, volunteer_id, summary, unsure, revision, saved_at)
        VALUES (%(round)s, %(issue)s, %(first)s, '', false, 1, now()),
               (%(round)s, %(issue)s, %(first)s, '', false, 1, now())"""
    ],
    "decisions_of_an_issue_are_numbered": [_decision(until="now()") + "; " + _decision()],
    "one_decision_stands": [_decision() + "; " + _decision(number=2)],
    "decision_method_is_known": [_decision(method="dice", by="%(lead)s")],
    "people_stand_behind_their_decisions": [_decision(method="lead", rationale="x")],
    "a_lead_gives_a_rationale": [_decision(method="lead", by="%(lead)s")],
    "decision_is_on_an_issue_of_its_round": [_decision(issue="%(outside)s")],
    "an_issue_comes_again_once": [_repeat() + "; " + _repeat()],
    "a_repeat_says_something_once_submitted": [_repeat(submitted="now()"), _repeat(category="%(category)s")],
    "repeat_is_of_an_issue_of_its_round": [_repeat(issue="%(outside)s")],
    "repeat_is_by_a_volunteer_of_its_round": [_repeat(volunteer="%(lead)s")],
    "an_issue_has_one_answer_in_a_round": [_answer() + "; " + _answer()],
    "an_answer_is_explained": [_answer(explanation="")],
    "answer_is_on_an_issue_of_its_round": [_answer(issue="%(outside)s")],
    "a_comment_says_something": [_comment(text="")],
    "comment_is_on_an_issue_of_its_round": [_comment(issue="%(outside)s")],
    "sample_name_is_unique_in_a_study": [_sample(name="'Pilot'")],
    "issue_is_once_in_a_sample": [_drawn(issue="%(issue)s")],
    "position_is_unique_in_a_sample": [_drawn(position=1)],
    "a_round_is_left_out_once": [
        _left_out(rows="(%(round)s, %(apart)s, NULL, 1), (%(round)s, %(apart)s, NULL, 1)")
    ],
    "a_sample_is_left_out_once": [
        _left_out(rows="(%(apart)s, NULL, %(sample)s, 1), (%(apart)s, NULL, %(sample)s, 1)")
    ],
    "left_out_is_a_round_or_a_sample": [
        _left_out(rows="(%(round)s, NULL, NULL, 1)"),
        _left_out(rows="(%(apart)s, %(round)s, %(sample)s, 1)"),
    ],
    "a_round_does_not_leave_itself_out": [_left_out(rows="(%(apart)s, %(apart)s, NULL, 1)")],
    "one_label_per_model_and_issue": [_model_label() + "; " + _model_label()],
    "model_label_is_on_an_issue_of_its_round": [_model_label(issue="%(outside)s")],
    "frozen_report_name_is_unique_in_a_round": [_frozen() + "; " + _frozen(name="SECOND")],
    "seals_of_a_round_are_numbered": [_seal() + "; " + _seal(previous="1" * 64)],
    "a_chain_does_not_fork": [_seal() + "; " + _seal(number=2)],
    "a_seal_covers_something": [_seal(number=0), _seal(events=0)],
    "sealed_events_are_in_order": [_sealed() + "; " + _sealed()],
    "weight_matrix_number_is_unique_in_a_version": [_weights() + "; " + _weights()],
    "frozen_report_has_a_name_and_a_hash": [
        _frozen(name=""),
        _frozen(digest="A" * 64),
        _frozen(digest="0" * 63),
    ],
}

# Kept by something stronger, or bitten where they belong.
NOT_BITTEN = {
    "slot_can_be_referred_to"  # holds the primary key: only a target for label_fills_the_slot_of_its_author
}


@kept
def names():
    """The ids that the statements name: a round in which the first of three volunteers has labelled one issue."""
    world = small_world(issues=3)
    inside = Issue.objects.filter(pk__in=[issue.pk for issue in world.issues[:2]])
    round_ = world.round(name="Main", issues=inside)
    world.submit(round_, world.issues[0], world.members[0], "C.2")
    Assignment.objects.filter(issue=world.issues[1]).delete()
    planned = world.round(name="Planned", issues=inside, opened=False)
    apart = world.round(name="Apart", issues=Issue.objects.filter(pk=world.issues[2].pk), opened=False)
    sample = Sample.objects.create(study=world.study, name="Pilot", seed=1, plan={}, created_by=world.lead)
    sample.drawn.create(issue=world.issues[0], position=1)
    first, second, third = (member.pk for member in world.members)
    slots = dict(Assignment.objects.values_list("volunteer", "pk"))
    return {
        "study": world.study.pk,
        "round": round_.pk,
        "planned": planned.pk,
        "apart": apart.pk,
        "sample": sample.pk,
        "version": world.version.pk,
        "category": world.category("C.2").pk,
        "issue": world.issues[0].pk,
        "unslotted": world.issues[1].pk,
        "outside": world.issues[2].pk,
        "first": first,
        "second": second,
        "third": third,
        "lead": world.lead.pk,
        "first_slot": slots[first],
        "second_slot": slots[second],
        "third_slot": slots[third],
    }


@pytest.mark.parametrize(
    ("name", "statement"),
    [(name, statement) for name, statements in BITES.items() for statement in statements],
)
def test_the_database_refuses(name, statement, names):
    assert refusal(statement, names).__cause__.diag.constraint_name == name


def test_the_same_statements_pass_when_nothing_is_wrong(names):
    with connection.cursor() as cursor:
        for statement in (
            _frozen(),
            _frozen(name="another"),
            _model_label(),
            _model_label(issue="%(unslotted)s"),
            _round(),
            _round(name="'open'", opened="now()", closed="now()"),
            _round(name="'majority'", rule="majority", majority=2, drift=50, training="%(planned)s"),
            _round(name="'training'", kind="training", pass_mark=100),
            _round(name="'screening'", kind="screening", excludes="%(category)s"),
            _volunteer(admitted="now()", by="%(lead)s", reason="because"),
            _past_admission(),
            _repeat(),
            _repeat(volunteer="%(second)s", category="%(category)s", submitted="now()"),
            _answer(),
            _comment(),
            _sample(),
            _seal(),
            _seal(number=2, previous="1" * 64, events=3),
            _sealed(),
            _left_out(rows="(%(round)s, %(apart)s, NULL, 1), (%(apart)s, NULL, %(sample)s, 1)"),
            _drawn(),
            _slot(),
            _slot(slot=2, volunteer="%(first)s", lease="now()"),
            _label(),
            _label(volunteer="%(third)s", slot="NULL", surplus="true"),
            _decision(until="now()")
            + "; "
            + _decision(number=2, method="lead", by="%(lead)s", rationale="x"),
            _decision(issue="%(unslotted)s", method="majority"),
        ):
            cursor.execute(statement, names)


def test_every_named_constraint_of_these_rooms_is_bitten():
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT conname FROM pg_constraint WHERE conrelid::regclass::text ~ %s AND conname !~ %s
            UNION
            SELECT indexrelid::regclass::text FROM pg_index
            WHERE indisunique AND indrelid::regclass::text ~ %s AND indexrelid::regclass::text !~ %s
            """,
            ["^(rounds|annotate|consensus|reports|boards)_"] * 4,
        )
        named = {row[0] for row in cursor.fetchall()}
    bitten = set(BITES) | set(meetings.BITES) | set(boards.BROKEN) - boards.TRIGGERS
    assert named == bitten | NOT_BITTEN | meetings.NOT_BITTEN | boards.NOT_BITTEN


# Triggers


@pytest.mark.parametrize(
    "statement", ["UPDATE annotate_modellabel SET summary = 'x'", "DELETE FROM annotate_modellabel"]
)
def test_a_label_of_a_model_stays(names, statement):
    with connection.cursor() as cursor:
        cursor.execute(_model_label(), names)
    assert "Cannot update or delete rows" in str(refusal(statement))


def test_a_label_can_be_changed_before_reveal_and_history_says_what_it_was(names):
    Label.objects.update(summary="changed")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pgh_label, summary FROM rounds_labelevent")
        assert cursor.fetchall() == [("update", "")]


@pytest.mark.parametrize("column", ["round_id", "issue_id", "volunteer_id"])
def test_a_label_keeps_its_issue_and_its_author(names, column):
    error = refusal(f"UPDATE rounds_label SET {column} = {column} + 1")
    assert "a label keeps issue and author" in str(error)


@pytest.mark.parametrize("statement", ["UPDATE rounds_label SET summary = 'x'", "DELETE FROM rounds_label"])
@pytest.mark.parametrize("reveal", Round.Reveal.values)
def test_a_revealed_label_stays(world, statement, reveal):
    round_ = world.round(reveal=reveal)
    for member in world.members:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
            transaction.set_rollback(True)
        world.submit(round_, world.issues[0], member, "C.2")
    if reveal == Round.Reveal.ROUND_CLOSED:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
            assert cursor.rowcount == 2
            transaction.set_rollback(True)
        close_round(round_=round_, by=world.lead)
    assert "a revealed label stays as it is" in str(refusal(statement))
    assert list(Label.objects.values_list("summary", flat=True)) == ["", ""]


def test_closing_reveals_labels_of_incomplete_issues_too(world):
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "C.2")
    close_round(round_=round_, by=world.lead)
    assert RoundIssue.objects.get().completed_at is None
    assert "a revealed label stays as it is" in str(refusal("UPDATE rounds_label SET unsure = true"))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE consensus_decision SET rationale = 'better'",
        "UPDATE consensus_decision SET category_id = %(other)s",
        "UPDATE consensus_decision SET superseded_at = now(), rationale = 'better'",
        "UPDATE consensus_decision SET superseded_at = NULL",
        "DELETE FROM consensus_decision",
    ],
)
def test_a_decision_is_superseded_and_never_edited(world, statement):
    round_ = world.round()
    for member, code in zip(world.members, ("C.2", "C.3"), strict=True):
        world.submit(round_, world.issues[0], member, code)
    world.settle(round_, world.issues[0], "C.2", rationale="x")
    if "NULL" in statement:
        Decision.objects.update(superseded_at=timezone.now())
    before = list(Decision.objects.values())
    error = refusal(statement, {"other": factories.category(world.version, "C.9").pk})
    assert "a decision is superseded, never edited" in str(error)
    assert list(Decision.objects.values()) == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE rounds_answer SET explanation = 'better'",
        "DELETE FROM rounds_answer",
        _answer(issue="%(unslotted)s"),
    ],
)
def test_an_answer_stays_once_its_round_is_open(statement, names):
    with connection.cursor() as cursor:
        cursor.execute(_answer(), names)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, names)
        assert cursor.rowcount == 1
        transaction.set_rollback(True)
    Round.objects.filter(pk=names["planned"]).update(opened_at=timezone.now())
    before = list(Answer.objects.values())
    assert "an answer stays as it is once its round is open" in str(refusal(statement, names))
    assert list(Answer.objects.values()) == before


def test_a_training_label_stays_from_the_moment_it_is_given(names):
    Round.objects.filter(pk=names["round"]).update(kind="training")
    assert "a revealed label stays as it is" in str(refusal("UPDATE rounds_label SET summary = 'x'"))
