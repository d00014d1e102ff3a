"""The board of the demonstration study: three members sort the summaries of one theme, then all together."""

import re
from collections.abc import Mapping

from django.utils.translation import gettext as _

from boards.actions.boards import start_board
from boards.actions.moves import describe_pile, make_pile
from boards.actions.phases import begin_together, finish_sorting
from boards.models import Board, Card, Pile
from demo.story import Story
from studies.models import Membership
from taxonomy.models import Category, Version

ABOUT = "C.2"


def board(story: Story, themes: Version) -> None:
    """Three members have each sorted the summaries about memory and speed; now all sort together."""
    about = Category.objects.get(states__version=themes, states__code=ABOUT)
    lead, ways = story.members["R2"], _ways()
    found = start_board(
        taxonomy=themes.taxonomy,
        name=_("Memory and speed, from the bottom up"),
        about=about,
        by=lead,
        sorters=[story.members[who] for who in ways],
    )
    for who, piles in ways.items():
        _sort(found, story.members[who], piles)
        finish_sorting(board=found, member=story.members[who])
    begin_together(board=found, by=lead)
    first = Pile.objects.filter(sorting__board=found, sorting__member=None).order_by("position").first()
    if first:
        fields = {
            "name": _("Memory that is never freed"),
            "definition": _("Memory that a request or a step took is not freed at its end."),
        }
        describe_pile(board=found, member=lead, pile=first.pk, fields=fields)


def _ways() -> dict[str, dict[str, str]]:
    """The piles of each member who sorts, with the words of their cards, tried in this order."""
    return {
        "R2": {
            _("Leaks"): "leak|given back|not freed|referenced",
            _("Fragmentation"): "fragment",
            _("Unfair scheduling"): "schedul|fair",
            _("Slow"): "slow|perform|throughput|overhead",
        },
        "R4": {
            _("Memory that is not freed"): "leak|given back|not freed|idle",
            _("Fragmented memory"): "fragment",
            _("Scheduling"): "schedul|fair",
            _("Quantised and slow"): "int4|awq|dequant",
            _("Slower over time"): "throughput|perform",
        },
        "R6": {
            _("Leaks"): "leak|given back|not freed|referenced",
            _("Scheduler"): "schedul|fair",
            _("Speed"): "slow|speed|perform|throughput|overhead",
            _("Memory, otherwise"): "memory|fragment",
        },
    }


def _sort(found: Board, member: Membership, piles: Mapping[str, str]) -> None:
    """Put each card into the first of these piles whose words it has; other cards stay unsorted."""
    left = list(Card.objects.filter(board=found, in_play=True).order_by("number"))
    for name, words in piles.items():
        cards = [card for card in left if re.search(words, card.text, re.IGNORECASE)]
        left = [card for card in left if card not in cards]
        make_pile(board=found, member=member, name=name, cards=[card.pk for card in cards], seen=0)
