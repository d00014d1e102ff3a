"""What a deviation from a protocol is, and the kinds of deviations that can be found."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

KINDS: Mapping[str, "StrPromise"] = {
    "opened": gettext_lazy("Round opened before the protocol was frozen"),
    "late": gettext_lazy("Protocol frozen after the first label"),
    "changed": gettext_lazy("Protocol changed after a round was opened"),
    "unplanned": gettext_lazy("More rounds than planned"),
    "raters": gettext_lazy("Volunteers"),
    "per_issue": gettext_lazy("Labels per issue"),
    "taxonomy": gettext_lazy("Taxonomy version"),
    "rule": gettext_lazy("Decision rule"),
    "size": gettext_lazy("Issues of the round"),
    "seed": gettext_lazy("Seed of the sample"),
    "order": gettext_lazy("Order of issues"),
    "reveal": gettext_lazy("Reveal of labels"),
    "coached": gettext_lazy("Issues of pilots and trainings"),
    "level": gettext_lazy("Level of the report"),
    "reported": gettext_lazy("Number that a finding reports first"),
    "threshold": gettext_lazy("Threshold not reached"),
}
"""The kinds of deviations in the order of the list, each with its name."""


@dataclass(frozen=True)
class Reason:
    """Why the study deviated: what a lead wrote, and when."""

    text: str
    by: str
    at: datetime


@dataclass(frozen=True)
class Deviation:
    """One difference between the plan and what happened, for one reader.

    `key` names it for its reasons. `about` is its round, finding or version, `version` the number of the
    protocol that it is compared with, and `url` the page with the evidence. Hidden from this reader:
    `happened` says only when it is shown. `reasons` are oldest first; the last one counts.
    """

    key: str
    about: str
    version: int
    planned: str
    happened: str
    url: str
    is_hidden: bool = False
    reasons: tuple[Reason, ...] = ()

    @property
    def kind(self) -> str:
        return self.key.partition(":")[0]

    @property
    def name(self) -> str:
        return str(KINDS[self.kind])

    @property
    def reason(self) -> Reason | None:
        return self.reasons[-1] if self.reasons else None

    @property
    def earlier(self) -> tuple[Reason, ...]:
        """Reasons that a newer one replaced, newest first."""
        return self.reasons[-2::-1]

    @property
    def is_explained(self) -> bool:
        return bool(self.reasons)

    @property
    def reason_text(self) -> str:
        """The reason that counts, or that there is none yet."""
        return self.reasons[-1].text if self.reasons else _("not explained yet")


def shown_later() -> str:
    """What stands in the place of what labels would tell this reader."""
    return _("shown after reveal")
