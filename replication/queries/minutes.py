"""The minutes of the closed meetings of a round, as files."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC

from django.utils import timezone

from consensus.minutes_files import markdown
from consensus.minutes_text import document
from consensus.models import Meeting
from consensus.queries.minutes import minutes
from rounds.models import Round
from rounds.queries.blindness import NOTHING, WithheldIssues
from studies.models import Membership


def minutes_files(
    round_: Round, member: Membership | None, *, without: WithheldIssues = NOTHING
) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Names and Markdown of the minutes, in the order of planning, with pseudonyms and times in UTC. Issues
    that are withheld from this member, that wait for a second look or that are in `without` are left out.
    """
    closed = Meeting.objects.filter(round=round_, closed_at__isnull=False).order_by("pk")
    meetings = closed.select_related("round__study", "round__version__taxonomy", "version")
    for number, meeting in enumerate(meetings, start=1):
        written = replace(minutes(meeting, member, without=without, by_name=False), withheld=0)
        with timezone.override(UTC):
            text = markdown(document(written))
        yield f"minutes/meeting-{number}.md", [text.encode()]
