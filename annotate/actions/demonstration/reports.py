"""What the demonstration study has reported: one frozen report, and a decision that came after it."""

from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.actions.decisions import settle_issue
from annotate.actions.demonstration.story import Story
from annotate.actions.frozen import freeze_report
from annotate.models import Round
from studies.models import Event
from taxonomy.queries import Codebook

DECIDED_ANEW = "https://github.com/quillnet/lattice/issues/14321"


def frozen(story: Story, round_: Round, book: Codebook) -> None:
    """The owner freezes the report that goes into the first draft, and then decides one issue anew.

    Both now: a report of the past would hold what came later.
    """
    owner = story.members["R1"]
    freeze_report(round_=round_, by=owner, name=_("First draft of the paper"))
    at = timezone.now()
    settle_issue(
        round_=round_,
        issue=story.issues()[DECIDED_ANEW],
        by=owner,
        category=book.by_code["A.1"].category,
        rationale=_(
            "Read again for the paper: the reporter asks how to install beside an older libstdc++, and no"
            " line of the framework changed for it. A question (A.1), whatever the wheel promises."
        ),
        seen_number=1,
        decided_at=at,
    )
    event = Event.objects.filter(study=story.study, verb="decisions.settled").latest("pk")
    Event.objects.filter(pk=event.pk).update(at=at)
