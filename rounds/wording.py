"""The settings of a round in words: the origin of its issues, its rule, its drift check."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rounds.models import Round


def rule(round_: Round) -> str:
    """How an issue gets its decision."""
    if round_.rule == Round.Rule.MAJORITY:
        return ngettext(
            "Equal labels decide: %(n)d or more.", "Equal labels decide: %(n)d or more.", round_.majority or 0
        ) % {"n": round_.majority or 0}
    if round_.rule == Round.Rule.MEETING:
        return _("Unanimous labels decide; a meeting settles the rest.")
    return _("Unanimous labels decide; a lead settles the rest.")


def drift(round_: Round) -> str:
    """The drift check in words, "" without one."""
    if not round_.drift_percent:
        return ""
    return ngettext(
        "%(n)d %% of a volunteer’s own issues come to them again, unmarked, %(hours)d hour later at the"
        " earliest.",
        "%(n)d %% of a volunteer’s own issues come to them again, unmarked, %(hours)d hours later at the"
        " earliest.",
        round_.drift_hours,
    ) % {"n": round_.drift_percent, "hours": round_.drift_hours}


def selection(chosen: Mapping[str, Any]) -> str:
    """Where the issues of a round came from; "" if the round does not record it, as an imported round."""
    if not chosen:
        return ""
    said = [_source(str(chosen.get("source", "")), str(chosen.get("name", "")))]
    if paths := chosen.get("repositories"):
        said.append(_("of %(repositories)s") % {"repositories": ", ".join(map(str, paths))})
    if year := chosen.get("year"):
        said.append(_("of %(year)s") % {"year": year})
    if chosen.get("with_text"):
        said.append(_("with their text"))
    if chosen.get("without_pull_requests"):
        said.append(_("without pull requests"))
    if picked := chosen.get("chosen_by_hand"):
        said.append(_("%(n)s chosen by hand") % {"n": picked})
    return ", ".join(part for part in said if part)


def _source(source: str, name: str) -> str:
    kind = source.partition(":")[0]
    match kind:
        case "filter":
            return _("the saved filter “%(name)s”") % {"name": name}
        case "sample":
            return _("the sample “%(name)s”") % {"name": name}
        case "kept":
            return _("what the screening “%(name)s” kept") % {"name": name}
        case "round":
            return _("the issues of “%(name)s”") % {"name": name}
    return _("all issues of the study")
