"""The template context that most pages of a round share."""

from typing import Any

from rounds.models import Round
from studies.models import Membership


def frame(round_: Round, member: Membership) -> dict[str, Any]:
    return {"round": round_, "study": round_.study, "membership": member}
