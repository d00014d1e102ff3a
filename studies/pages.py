"""What stands around every page of a study: its name, who looks, and the tabs that they may open."""

from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext_lazy as _

from studies import rules
from studies.models import Membership, Study

# The URL name of a tab (each takes the study's slug), its text, and who may open it.
TABS = (
    ("study", _("Overview"), rules.may_see_people),
    ("issues", _("Issues"), rules.may_see_people),
    ("rounds", _("Rounds"), rules.may_see_people),
    ("taxonomies", _("Taxonomy"), rules.may_see_people),
    ("people", _("People"), rules.may_see_people),
    ("imports", _("Imports"), rules.may_lead),
    ("export", _("Export"), rules.may_read_revealed),
    ("audit", _("Audit"), rules.may_read_audit),
)


def frame(study: Study, member: Membership | None, current: str) -> dict[str, Any]:
    """The context of `studies/page.html`, which the pages of a study extend.

    `current` is the URL name of the tab that the page belongs to. Keys: `study`, `membership`, `tabs`.
    """
    tabs = [
        {"name": text, "url": url, "count": None, "current": name == current}
        for name, text, may_open in TABS
        if may_open(member) and (url := _address(name, study))
    ]
    return {"study": study, "membership": member, "tabs": tabs}


def _address(name: str, study: Study) -> str:
    try:
        return reverse(name, args=[study.slug])
    except NoReverseMatch:
        return ""
