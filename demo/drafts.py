"""The draft of the demonstration study's taxonomy, and the votes on two of its changes."""

from datetime import timedelta

from django.utils.translation import gettext as _

from core import clock
from demo.story import Story
from taxonomy.actions import act, cast, comment, open_motion
from taxonomy.models import Ballot, Version
from taxonomy.queries.drafts import drafted
from taxonomy.tree.drafts import DESCRIBE, MERGE, MOVE, RETIRE, SPLIT


def draft(story: Story, themes: Version) -> None:
    """The owner and the lead have begun a draft with four changes, all unpublished. All members agreed to one
    change by a vote. Another vote is open, and waits for the owner's ballot.
    """
    owner, lead = story.members["R1"].user, story.members["R2"].user
    taxonomy = themes.taxonomy
    keys = {entry.code: entry.key for entry in drafted(taxonomy).entries}
    act(
        taxonomy=taxonomy,
        kind=SPLIT,
        key=keys["C.2.ii"],
        values={
            "parts": [
                {
                    "name": _("Leaks and unreleased memory"),
                    "definition": _("Memory that the program takes and never frees while it runs."),
                    "excludes": _("memory that runs out under a load that should fit → C.2.i"),
                }
            ],
            "stays": True,
        },
        by=lead,
    )
    merge = open_motion(
        taxonomy=taxonomy,
        by=story.members["R4"],
        kind=MERGE,
        key=keys["C.8.v"],
        values={"into": keys["C.5.v"]},
        reasons=_("Every meeting confused these two. In both, the steps run in the wrong order."),
        deadline=clock.now() + timedelta(days=7),
    )
    for member in story.volunteers():
        argument = _("I never knew which of the two to take.") if member.pseudonym == "R6" else ""
        cast(motion=merge, member=member, choice=Ballot.Choice.FOR, argument=argument)
    act(
        taxonomy=taxonomy,
        kind=DESCRIBE,
        key=keys["C.9"],
        values={"name": _("Code Quality and Unhandled Errors")},
        by=owner,
    )
    act(taxonomy=taxonomy, kind=MOVE, key=keys["B.4"], values={"parent": keys["B"], "after": None}, by=owner)
    retire = open_motion(
        taxonomy=taxonomy,
        by=story.members["R2"],
        kind=RETIRE,
        key=keys["C.10.iv"],
        values={},
        reasons=_("Rarely used, and C.10.i already covers it."),
        deadline=clock.now() + timedelta(days=7),
    )
    for name, choice in (("R2", Ballot.Choice.FOR), ("R3", Ballot.Choice.FOR), ("R5", Ballot.Choice.AGAINST)):
        cast(motion=retire, member=story.members[name], choice=choice)
    comment(
        motion=retire,
        by=story.members["R5"],
        text=_("What happens to its labels? C.10.i is wider, and few people would find them there."),
    )
    comment(
        motion=retire,
        by=story.members["R2"],
        text=_(
            "The volunteers who gave these labels would label the issues again. I could widen C.10.i first."
        ),
    )
