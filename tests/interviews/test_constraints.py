"""What the database itself refuses about participants, guides and transcripts."""

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from interviews.models import Audience, Guide, Participant, Question, Session, Transcript, Turn
from taxonomy.models import Level
from tests.factories.interviews import make_audience, make_guide, make_participant
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept

pytestmark = pytest.mark.django_db


@kept
def world() -> InterviewWorld:
    return interview_world()


def refused(act) -> str:
    """How the database refuses an act, with constraints checked at once."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        with pytest.raises((IntegrityError, DatabaseError)) as error, transaction.atomic():
            act()
    return str(error.value)


def test_a_turn_changes_only_to_nothing(world):
    turn = Turn.objects.filter(position=1)
    for change in (
        {"text": "Other"},
        {"speaker": "U9"},
        {"is_interviewer": True, "text": ""},
        {"position": 9, "text": ""},
    ):
        assert "a turn stays as stored" in refused(lambda change=change: turn.update(**change))
    assert turn.update(text="", speaker="U1") == 1


def test_a_transcript_changes_only_to_an_empty_note(world):
    made = Transcript.objects.all()
    for change in ({"note": "Other"}, {"number": 7}, {"replaced": 7}):
        assert "a transcript stays as stored" in refused(lambda change=change: made.update(**change))
    assert made.update(note="") == 1


def test_a_guide_stays_as_published(world):
    make_guide(world.study, world.lead, {})
    assert "Cannot update rows" in refused(lambda: Guide.objects.update(text="Other"))


def test_a_ranking_question_says_what_it_ranks(world):
    part = make_guide(world.study, world.lead, {}).parts.get()
    fields = {"part": part, "position": 5, "text": "Rank"}
    name = "only_a_ranking_question_ranks_categories"
    assert name in refused(lambda: Question.objects.create(is_ranking=True, level=Level.THEME, **fields))
    assert name in refused(lambda: Question.objects.create(is_ranking=False, top=3, **fields))
    of = {"taxonomy": world.version.taxonomy, "level": Level.THEME}
    assert "a_ranking_has_a_first_place" in refused(
        lambda: Question.objects.create(is_ranking=True, top=0, **of, **fields)
    )
    assert Question.objects.create(is_ranking=True, top=1, **of, **fields).pk


def test_participants_and_interviews_stay_within_their_study(world):
    other = interview_world(stored=False)
    foreign = Participant(
        study=world.study, audience=other.participant.audience, number=9, added_by=world.lead
    )
    assert "participant_is_in_an_audience_of_their_study" in refused(foreign.save)
    session = Session(
        study=world.study, participant=other.participant, interviewer=world.lead, held_on="2025-05-06"
    )
    assert "session_is_of_a_participant_of_its_study" in refused(session.save)


def test_pseudonyms_are_unique_and_their_prefix_is_letters(world):
    assert "participant_has_a_number" in refused(lambda: make_participant(world.study, world.lead, number=1))
    assert "audience_prefix_is_unique_in_a_study" in refused(
        lambda: Audience.objects.create(study=world.study, name="More", prefix="U")
    )
    for prefix in ("u", "U1", "", "ABCDE"):
        assert refused(lambda prefix=prefix: make_audience(world.study, prefix, "More"))
