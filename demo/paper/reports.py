"""The frozen report of the demonstration study, and a decision that was made after it."""

from django.utils.translation import gettext as _

from core import clock
from demo.story import Scene
from reports.actions.frozen import freeze_report

DECIDED_AGAIN = "https://github.com/quillnet/lattice/issues/14321"


def frozen(scene: Scene) -> None:
    """The owner freezes the report for the first draft of the paper, and then decides one issue again. Both
    happen now: a report with an earlier date would contain labels of a later date.
    """
    owner = scene.story.owner
    freeze_report(round_=scene.round, by=owner, name=_("First draft of the paper"))
    with clock.at(clock.now()):
        rationale = _(
            "Read again for the paper: the reporter asks how to install beside an older libstdc++. No"
            " line of the framework was changed. So this is a question (A.1)."
        )
        scene.settle(DECIDED_AGAIN, "A.1", rationale, by=owner, seen_number=1)
