"""The codings of a user's interviews, and their coders. Nothing here depends on what a coder coded."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from accounts.models import User
from interviews.models import Coder, Coding, Session, Transcript
from interviews.queries.sessions import coding_state, readable
from studies.models import Membership, Role, Study
from studies.queries import members, studies_for
from taxonomy.models import Version


def codings_for(user: User | AnonymousUser) -> QuerySet[Coding]:
    """The codings of the studies that this user is a member of, readable or not."""
    found = Coding.objects.filter(session__study__in=studies_for(user))
    return found.select_related("session__study", "session__participant__audience", "version__taxonomy")


def coder_of(coding: Coding, member: Membership) -> Coder | None:
    """This member as a coder of the interview."""
    return Coder.objects.filter(coding=coding, member=member).first()


def coders_of(coding: Coding) -> list[Coder]:
    """The coders in the order in which they were chosen."""
    return list(Coder.objects.filter(coding=coding).select_related("member").order_by("pk"))


def possible_coders(study: Study) -> QuerySet[Membership]:
    """The members who may be chosen as coders."""
    return members(study).exclude(role__in=[Role.VIEWER, Role.MODEL])


def members_to_choose(coding: Coding) -> QuerySet[Membership]:
    """The members who code an interview or could."""
    study = coding.session.study
    own = Coder.objects.filter(coding=coding).values("member")
    could = possible_coders(study).values("pk")
    return Membership.objects.filter(Q(pk__in=could) | Q(pk__in=own), study=study)


def members_to_add(coding: Coding) -> QuerySet[Membership]:
    """The members who could be added to the coders of an interview."""
    coders = Coder.objects.filter(coding=coding, released_at=None)
    return possible_coders(coding.session.study).exclude(pk__in=coders.values("member"))


def versions_to_code_with(study: Study) -> QuerySet[Version]:
    """The published versions of all taxonomies of a study, newest first."""
    found = Version.objects.filter(taxonomy__study=study, published_at__isnull=False)
    return found.select_related("taxonomy").order_by("-published_at", "-pk")


@dataclass(frozen=True)
class CodingsWaiting:
    """How many interviews of a study wait for a coder: to be coded or, once revealed, to be settled.
    `coding` is the only one, if it is only one.
    """

    member: Membership
    interviews: int
    is_revealed: bool
    coding: Coding | None


def codings_waiting(seats: Sequence[Membership]) -> list[CodingsWaiting]:
    """What waits for these memberships as coders, first what is to be coded. One query."""
    own = Coder.objects.filter(
        member__in=seats, released_at=None, coding__session__participant__erased_at=None
    )
    found = own.filter(
        Q(coding__revealed_at=None, done_at=None)
        | Q(coding__revealed_at__isnull=False, coding__settled_at=None)
    )
    waiting: dict[tuple[bool, int], list[Coding]] = {}
    for coder in found.select_related("coding").order_by("pk"):
        key = (coder.coding.revealed_at is not None, coder.member_id)
        waiting.setdefault(key, []).append(coder.coding)
    by_pk = {seat.pk: seat for seat in seats if seat.role not in {Role.VIEWER, Role.MODEL}}
    return [
        CodingsWaiting(by_pk[member], len(codings), is_revealed, codings[0] if len(codings) == 1 else None)
        for (is_revealed, member), codings in sorted(waiting.items(), key=lambda one: one[0])
        if member in by_pk
    ]


@dataclass(frozen=True)
class CodingLine:
    """An interview with its coding in a list. `done` and `coders` are pseudonyms; `own` is the reader."""

    session: Session
    coders: tuple[Coder, ...]
    own: Coder | None
    has_transcript: bool

    @property
    def state(self) -> str:
        """none, open, revealed or settled."""
        return coding_state(self.session)


def coding_lines(study: Study, member: Membership) -> list[CodingLine]:
    """The interviews that this member may read, with their coders. Two queries."""
    coders = Prefetch("coding__coders", Coder.objects.select_related("member").order_by("pk"))
    found = (
        Session.objects.filter(readable(member), study=study)
        .select_related("participant__audience", "coding__version")
        .annotate(has_transcript=Exists(Transcript.objects.filter(session=OuterRef("pk"))))
        .prefetch_related(coders)
    )
    lines = []
    for one in found:
        coding = getattr(one, "coding", None)
        chosen = tuple(coding.coders.all()) if coding else ()
        own = next((coder for coder in chosen if coder.member_id == member.pk), None)
        lines.append(CodingLine(one, chosen, own, one.has_transcript))
    return lines
