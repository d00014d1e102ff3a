"""The settings of a round in words: the origin of its issues, its rule, its drift check."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from core import clock
from core.text.joining import clauses, listed
from rounds.models import Round

DROPS_OUT = gettext_noop("Issues that are revealed before they come again drop out of the drift check.")
KEEP_THEM = gettext_noop(
    "Issues that are revealed before they come again drop out of the drift check. Choose “when the round"
    " closes” to keep them."
)


def rule(round_: Round) -> str:
    """How an issue gets its decision."""
    if round_.rule == Round.Rule.MAJORITY:
        return ngettext(
            "%(n)d or more equal labels decide an issue.",
            "%(n)d or more equal labels decide an issue.",
            round_.majority or 0,
        ) % {"n": round_.majority or 0}
    if round_.rule == Round.Rule.MEETING:
        return _("Unanimous labels decide; a meeting decides the rest.")
    return _("Unanimous labels decide; a lead decides the rest.")


def drift(round_: Round) -> str:
    """The drift check in words, "" without one, with what the reveal does to it."""
    if not round_.drift_percent:
        return ""
    said = ngettext(
        "Volunteers label %(n)d %% of their issues a second time without a mark, at least"
        " %(hours)d hour later.",
        "Volunteers label %(n)d %% of their issues a second time without a mark, at least"
        " %(hours)d hours later.",
        round_.drift_hours,
    ) % {"n": round_.drift_percent, "hours": round_.drift_hours}
    return " ".join([said, *loses_repeats(round_)])


def loses_repeats(round_: Round) -> list[str]:
    """A warning where the reveal takes issues out of the drift check before they come again."""
    if not round_.drift_percent or round_.reveal != Round.Reveal.ISSUE_COMPLETE:
        return []
    return [_(DROPS_OUT) if round_.opened_at else _(KEEP_THEM)]


def coming(moment: datetime) -> str:
    """When something comes, for the end of a sentence: "at 14:30", "tomorrow", "on 3 June"."""
    at = timezone.localtime(moment)
    days = (at.date() - timezone.localdate(clock.now())).days
    if days < 1:
        return _("today at %(time)s") % {"time": formats.time_format(at, "TIME_FORMAT")}
    return (
        _("tomorrow") if days == 1 else _("on %(day)s") % {"day": formats.date_format(at, "MONTH_DAY_FORMAT")}
    )


def selection(chosen: Mapping[str, Any]) -> str:
    """Where the issues of a round came from; "" if the round does not record it, as an imported round."""
    if not chosen:
        return ""
    said = [_source(str(chosen.get("source", "")), str(chosen.get("name", "")))]
    if paths := chosen.get("repositories"):
        said.append(_("of %(repositories)s") % {"repositories": listed(paths)})
    if year := chosen.get("year"):
        said.append(_("of %(year)s") % {"year": year})
    if chosen.get("with_text"):
        said.append(_("with fetched text"))
    if chosen.get("without_pull_requests"):
        said.append(_("without pull requests"))
    if picked := chosen.get("chosen_by_hand"):
        said.append(_("%(n)s chosen by a lead") % {"n": picked})
    return clauses(part for part in said if part)


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
