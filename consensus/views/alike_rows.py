"""Groups of alike disagreements, as the page lists them."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from consensus.queries.alike import AlikeGroup
from consensus.views.label_cells import split_in_words
from ingest.models import Issue
from rounds.models import RoundVolunteer
from rounds.queries.categories import ShownCodebook


def group_line(
    group: AlikeGroup,
    centre: Issue,
    columns: Sequence[RoundVolunteer],
    colours: Mapping[str, str],
    book: ShownCodebook,
) -> dict[str, Any]:
    """One group as a template draws it: `centre` is the issue that the others are like.

    `apart` names the volunteers who label otherwise than most. `decided`: how often issues of this kind were
    decided as which code, with its hue.
    """
    apart = [one.member.pseudonym for one in columns if one.member_id in group.apart]
    stands_apart = ngettext("%(who)s stands apart", "%(who)s stand apart", len(apart))
    decided = [(issues, book.states[id_].code) for id_, issues in group.decided]
    return {
        "group": group,
        "centre": centre,
        "title": (centre.current.title if centre.current else "") or centre.repository.path,
        "split": split_in_words(
            [(book.states[id_].code, votes) for id_, votes in group.split], group.open_labels
        ),
        "apart": stands_apart % {"who": ", ".join(apart)} if apart else _("no side is the larger one"),
        "decided": [(issues, code, colours[code]) for issues, code in decided],
    }
