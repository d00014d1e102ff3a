"""What the demonstration study thinks of changing in its taxonomy: a draft that waits for its publication."""

from django.utils.translation import gettext as _

from annotate.actions.demonstration.story import Story
from taxonomy.actions import act
from taxonomy.drafting import drafted
from taxonomy.models import Version
from taxonomy.tree.drafts import DESCRIBE, MERGE, MOVE, SPLIT


def draft(story: Story, themes: Version) -> None:
    """The owner and a lead have begun with what the meetings showed: four changes, none of them published."""
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
                    "definition": _("Memory that is taken and never given back while the program runs."),
                    "excludes": _("memory that runs out at a load that should fit → C.2.i"),
                }
            ],
            "stays": True,
        },
        by=lead,
    )
    act(taxonomy=taxonomy, kind=MERGE, key=keys["C.8.v"], values={"into": keys["C.5.v"]}, by=lead)
    act(
        taxonomy=taxonomy,
        kind=DESCRIBE,
        key=keys["C.9"],
        values={"name": _("Code Quality and Unhandled Errors")},
        by=owner,
    )
    act(taxonomy=taxonomy, kind=MOVE, key=keys["B.4"], values={"parent": keys["B"], "after": None}, by=owner)
