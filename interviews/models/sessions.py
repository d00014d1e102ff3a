"""Interviews, and what was said in them."""

import pgtrigger
from django.db import models
from django.db.models import Q
from django.urls import reverse

from core import clock
from interviews.models.guides import Guide, Question
from interviews.models.participants import Participant
from studies.models import Membership, Study
from taxonomy.models import Category, Version


class Session(models.Model):
    """One interview with a participant. (participant, study) refers to a key of Participant: a composite
    foreign key that the migration adds.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="interview_sessions")
    participant = models.ForeignKey(
        Participant, models.PROTECT, related_name="sessions", db_constraint=False, db_index=False
    )
    interviewer = models.ForeignKey(Membership, models.PROTECT, related_name="interviews")
    guide = models.ForeignKey(Guide, models.PROTECT, null=True, related_name="sessions")
    held_on = models.DateField()
    minutes = models.PositiveSmallIntegerField(null=True)
    added_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ["held_on", "pk"]
        indexes = [models.Index(fields=["participant"], name="sessions_of_a_participant")]
        constraints = [models.UniqueConstraint(fields=["id", "study"], name="session_has_its_study")]

    def __str__(self) -> str:
        return f"{self.participant}"

    def get_absolute_url(self) -> str:
        return reverse("interview", args=[self.pk])


class RawTranscript(models.Model):
    """A transcript as it came, with names: encrypted, seen by nobody who codes, and deleted as soon as a
    pseudonymised version is stored, or by an erasure.
    """

    session = models.OneToOneField(Session, models.CASCADE, related_name="raw")
    turns = models.BinaryField(help_text="Encrypted JSON: the turns of interviews.readers")
    notes = models.JSONField(default=list, help_text="What the reader left out, with the lines")
    file_format = models.CharField(max_length=8)
    imported_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    imported_at = models.DateTimeField(default=clock.now, editable=False)

    def __str__(self) -> str:
        return str(self.session)


class Transcript(models.Model):
    """One version of the pseudonymised transcript of an interview. It never changes: a correction is a new
    version, and quotes are carried to it (interviews.actions.carrying). An erasure empties the note.
    """

    session = models.ForeignKey(Session, models.CASCADE, related_name="transcripts")
    number = models.PositiveSmallIntegerField()
    note = models.CharField(max_length=500, blank=True, help_text="What was corrected")
    replaced = models.PositiveIntegerField(default=0, help_text="How many places got a stand-in")
    stored_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    stored_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "number"], name="transcript_has_its_number"),
        ]
        triggers = [
            pgtrigger.Trigger(
                name="a_transcript_stays_as_stored",
                when=pgtrigger.Before,
                operation=pgtrigger.Update,
                func="""
                IF NEW.note = '' AND (NEW.id, NEW.session_id, NEW.number, NEW.replaced, NEW.stored_by_id,
                    NEW.stored_at) = (OLD.id, OLD.session_id, OLD.number, OLD.replaced, OLD.stored_by_id,
                    OLD.stored_at) THEN
                    RETURN NEW;
                END IF;
                RAISE EXCEPTION 'a transcript stays as stored until its participant is erased'
                    USING ERRCODE = 'restrict_violation';
                """,
            )
        ]

    def __str__(self) -> str:
        return f"{self.session_id}, {self.number}"


class Turn(models.Model):
    """What one person said without a break. `begins` is in milliseconds, empty where the file has no times.
    Turns of the interviewer can be read, not coded. It never changes but for an erasure, and for a name that
    was listed later: these empty `text` and keep the place, since numbers of the study count it.
    """

    transcript = models.ForeignKey(Transcript, models.CASCADE, related_name="turns")
    position = models.PositiveIntegerField()
    speaker = models.CharField(max_length=80)
    is_interviewer = models.BooleanField(default=False)
    begins = models.PositiveIntegerField(null=True)
    text = models.TextField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["transcript", "position"], name="turn_has_its_position"),
            models.UniqueConstraint(fields=["id", "transcript"], name="turn_has_its_transcript"),
        ]
        triggers = [
            pgtrigger.Trigger(
                name="a_turn_stays_as_stored",
                when=pgtrigger.Before,
                operation=pgtrigger.Update,
                func="""
                IF NEW.text = '' AND (NEW.id, NEW.transcript_id, NEW.position, NEW.is_interviewer)
                    = (OLD.id, OLD.transcript_id, OLD.position, OLD.is_interviewer) THEN
                    RETURN NEW;
                END IF;
                RAISE EXCEPTION 'a turn stays as stored until its participant is erased'
                    USING ERRCODE = 'restrict_violation';
                """,
            )
        ]

    def __str__(self) -> str:
        return f"{self.speaker}: {self.text[:40]}"

    @property
    def time(self) -> str:
        """When it begins, as hours, minutes and seconds; "" without a time."""
        if self.begins is None:
            return ""
        minutes, seconds = divmod(self.begins // 1000, 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


class Ranking(models.Model):
    """The answer of a participant to a ranking question, in categories of a version of the taxonomy."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="rankings")
    question = models.ForeignKey(Question, models.PROTECT, related_name="rankings")
    version = models.ForeignKey(Version, models.PROTECT, related_name="+")
    recorded_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "question"], name="a_question_is_ranked_once"),
        ]

    def __str__(self) -> str:
        return f"{self.session_id}: {self.question_id}"


class Place(models.Model):
    """One category of a ranking; equal places are ties."""

    ranking = models.ForeignKey(Ranking, models.CASCADE, related_name="places")
    category = models.ForeignKey(Category, models.PROTECT, related_name="+")
    place = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["place", "category_id"]
        constraints = [
            models.UniqueConstraint(fields=["ranking", "category"], name="a_category_has_one_place"),
            models.CheckConstraint(name="places_begin_with_one", condition=Q(place__gte=1)),
        ]

    def __str__(self) -> str:
        return f"{self.place}: {self.category_id}"
