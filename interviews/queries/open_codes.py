"""Codes in the words of coders, for what the taxonomy lacks."""

from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from interviews.models import Coding, OpenCode, QuoteCode, Session
from interviews.queries.sessions import readable
from studies.models import Membership, Study


def revealed_codings(study: Study, member: Membership) -> QuerySet[Coding]:
    """The codings of a study whose quotes this member may read: `may_read_quotes` for many."""
    sessions = Session.objects.filter(readable(member), study=study)
    return Coding.objects.filter(session__in=sessions, revealed_at__isnull=False)


def own_names(member: Membership) -> list[str]:
    """The open codes that this member made, by name."""
    found = OpenCode.objects.filter(made_by=member).order_by("name")
    return list(found.values_list("name", flat=True))


@dataclass(frozen=True)
class OpenCodeLine:
    """An open code, and how many quotes and interviews have it, of those that the reader may see."""

    code: OpenCode
    quotes: int
    interviews: int


def open_code_lines(study: Study, member: Membership) -> list[OpenCodeLine]:
    """The open codes in revealed codings, the most used first; only quotes of coders count. One query."""
    counted = Q(
        quote_codes__quote__coding__in=revealed_codings(study, member),
        quote_codes__quote__coder__isnull=False,
        quote_codes__quote__dropped_at=None,
        quote_codes__quote__carried_to=None,
    )
    found = (
        OpenCode.objects.filter(study=study)
        .annotate(
            uses=Count("quote_codes__quote", filter=counted, distinct=True),
            sessions=Count("quote_codes__quote__coding", filter=counted, distinct=True),
        )
        .filter(uses__gt=0)
        .select_related("made_by", "proposal")
        .order_by("-uses", "name", "made_by")
    )
    return [OpenCodeLine(one, one.uses, one.sessions) for one in found]


def open_codes_shown(study: Study, member: Membership) -> QuerySet[OpenCode]:
    """The open codes that are in a quote of a revealed coding that this member may read."""
    used = QuoteCode.objects.filter(
        open_code=OuterRef("pk"), quote__coding__in=revealed_codings(study, member), quote__dropped_at=None
    )
    return OpenCode.objects.filter(Exists(used), study=study)
