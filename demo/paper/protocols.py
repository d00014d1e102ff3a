"""The protocol of the demonstration: frozen before the main round, with a deviation that is explained."""

from django.utils.translation import gettext as _

from demo.story import Story
from protocols.actions.drafts import freeze_protocol, save_draft, start_draft
from protocols.actions.reasons import explain_deviation
from protocols.queries.deviations import deviations_of
from rounds.models import Round
from taxonomy.models import Version

FROZEN_DAYS_AGO = 16
EXPLAINED = "unplanned"


def protocol(story: Story, version: Version) -> None:
    """The owner plans one main round of seven volunteers, and freezes the plan before it opens."""
    study, owner = story.study, story.owner
    with story.at(FROZEN_DAYS_AGO, 20):
        start_draft(study=study, by=owner)
    with story.at(FROZEN_DAYS_AGO, 21):
        save_draft(
            study=study,
            plan={
                "question": _("Which problems do developers report about frameworks for large models?"),
                "population": _("Issues that users opened in the repositories of the study."),
                "purpose": _("The pilot is a sample. The main round takes every issue that it left over."),
                "sample": None,
                "seed": None,
                "size": None,
                "main_rounds": 1,
                "taxonomy": f"{version.taxonomy.name} v{version.number}",
                "raters": 7,
                "per_issue": 7,
                "order": Round.Order.SHUFFLED,
                "reveal": Round.Reveal.ISSUE_COMPLETE,
                "rule": Round.Rule.MEETING,
                "level": "theme",
                "coefficient": "fleiss_kappa",
                "statistic": _("Many volunteers label each issue, and the categories have no order."),
                "threshold": 0.6,
                "disagreements": _("A meeting discusses each disagreement, then votes."),
                "stopping": _("The round closes when each issue has all of its labels."),
            },
            by=owner,
        )
    with story.at(FROZEN_DAYS_AGO, 22):
        freeze_protocol(study=study, by=owner)


def explained(story: Story) -> None:
    """The owner explains that there were more rounds than planned; the rest waits for a reason."""
    found = [one for one in deviations_of(story.owner, story.study) if one.kind == EXPLAINED]
    for one in found:
        explain_deviation(
            study=story.study,
            deviation=one.key,
            text=_("The small rounds are for new volunteers to try. Their labels are reported nowhere."),
            by=story.owner,
        )
