"""Minutes in words: one document of plain texts, from which the page, Markdown and the PDF are made. Titles,
names, rationales and arguments come from outside; the document contains them unescaped.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from consensus.models import Decision, Meeting
from consensus.queries.consensus_numbers import ConsensusNumbers, meeting_numbers
from consensus.queries.minute_records import (
    Attendance,
    Minute,
    MinuteDecision,
    MinuteFollowUp,
    MinuteGroup,
    MinuteLabel,
    Minutes,
    MinuteVote,
    OutsideDecision,
)
from consensus.queries.votes import NO_CATEGORY_CODE, none_fit
from core.templatetags.crosscheck import count
from core.text.joining import clauses, listed
from core.text.moments import day_time
from taxonomy.codebooks import title

Document = dict[str, Any]

At = Callable[[datetime], str]
"""Writes a moment of the meeting: only the time if the meeting took place on one day."""


def document(written: Minutes) -> Document:
    """The minutes as plain data: texts, lists and dictionaries only."""
    meeting = written.meeting
    began = timezone.localdate(meeting.opened_at or written.as_of)
    at = _time if began == timezone.localdate(written.as_of) else _day_and_time
    return {
        "title": meeting.name,
        "kicker": _("Minutes")
        if written.is_final
        else _("Minutes so far, %(at)s") % {"at": _moment(written.as_of)},
        "facts": _facts(written),
        "there": [_there(one, written) for one in written.there],
        "method": method(meeting_numbers(written)),
        "numbers": _numbers(written),
        "groups": [_group(group, written, at) for group in written.groups],
        "not_reached": [_place(line) for line in written.not_reached],
        "withheld": _withheld(written.withheld),
        "nothing": "" if written.groups else _("Nothing was discussed yet."),
    }


def method(numbers: ConsensusNumbers) -> str:
    """A paragraph for the method section of a paper, "" before the first discussion."""
    if not numbers.discussed:
        return ""
    said = [_discussed(numbers)]
    if numbers.settled:
        parts = [
            text % {"n": count(n), "share": _share(n, numbers.settled)}
            for n, text in (
                (numbers.unanimity, _("%(n)s (%(share)s) unanimously")),
                (numbers.majority, _("%(n)s (%(share)s) by majority")),
                (numbers.chair, _("%(n)s (%(share)s) by the chair")),
                (numbers.pair, _("%(n)s (%(share)s) by pairs of volunteers")),
            )
            if n
        ]
        text = ngettext(
            "%(n)s issue was decided: %(parts)s.", "%(n)s issues were decided: %(parts)s.", numbers.settled
        )
        said.append(text % {"n": count(numbers.settled), "parts": _listed(parts)})
    if numbers.bulk:
        text = ngettext(
            "%(n)s more issue was decided by a majority of its labels.",
            "%(n)s more issues were decided by a majority of their labels.",
            numbers.bulk,
        )
        said.append(text % {"n": count(numbers.bulk)})
    if numbers.lead:
        text = ngettext(
            "%(n)s more issue was decided by a lead.",
            "%(n)s more issues were decided by a lead.",
            numbers.lead,
        )
        said.append(text % {"n": count(numbers.lead)})
    if numbers.median_seconds is not None:
        said.append(_("The median time per issue was %(time)s.") % {"time": spent(numbers.median_seconds)})
    return " ".join(said)


def _discussed(numbers: ConsensusNumbers) -> str:
    meetings = ngettext("%(n)s meeting", "%(n)s meetings", numbers.meetings) % {"n": count(numbers.meetings)}
    said = {"meetings": meetings, "n": count(numbers.discussed)}
    if not numbers.there:
        text = ngettext(
            "In %(meetings)s, %(n)s issue was discussed.",
            "In %(meetings)s, %(n)s issues were discussed.",
            numbers.discussed,
        )
        return text % said
    fewest, most = numbers.there
    if fewest == most:
        people = ngettext("%(n)s person", "%(n)s people", most) % {"n": count(most)}
    else:
        people = _("%(a)s to %(b)s people") % {"a": count(fewest), "b": count(most)}
    text = ngettext(
        "In %(meetings)s with %(people)s, %(n)s issue was discussed.",
        "In %(meetings)s with %(people)s, %(n)s issues were discussed.",
        numbers.discussed,
    )
    return text % (said | {"people": people})


def spent(seconds: float) -> str:
    """A duration, below an hour to the second: "38 s", "2 min 10 s", "1 h 3 min"."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    if minutes >= 60:
        return _("%(h)s h %(m)s min") % {"h": minutes // 60, "m": minutes % 60}
    if not minutes:
        return _("%(n)s s") % {"n": rest}
    if not rest:
        return _("%(n)s min") % {"n": minutes}
    return _("%(m)s min %(s)s s") % {"m": minutes, "s": rest}


def how(decided: MinuteDecision) -> str:
    """How the meeting decided: unanimously, by majority with its numbers, or by the chair."""
    if decided.how == Decision.How.MAJORITY:
        return _("by majority, %(votes)s of %(present)s") % {
            "votes": decided.votes,
            "present": decided.present,
        }
    return str(Decision.How(decided.how).label)


# --- the parts of the document


def _facts(written: Minutes) -> list[dict[str, str]]:
    meeting = written.meeting
    facts = [
        (_("Study"), meeting.round.study.name),
        (_("Round"), meeting.round.name),
        (_("Taxonomy"), _versions(written)),
        (_("Kind"), str(meeting.get_kind_display())),
        (_("Held"), _held(written)),
        (_("Chair"), _listed(written.chairs)),
        (_("Quorum"), count(meeting.quorum)),
        (_("Decision rule"), _rule(meeting)),
        (_("Invited and absent"), _listed(written.absent)),
    ]
    return [{"name": name, "text": text} for name, text in facts if text]


def _versions(written: Minutes) -> str:
    """The version whose codes and names the minutes have, and the earlier ones of its decisions."""
    shown, earlier = title(written.version), written.earlier_versions
    if not earlier:
        return shown
    return _("%(version)s (some decisions were made under version %(earlier)s)") % {
        "version": shown,
        "earlier": listed([str(number) for number in earlier]),
    }


def _rule(meeting: Meeting) -> str:
    if meeting.kind == Meeting.Kind.PAIR:
        return _("unanimously, or by majority") if meeting.by_majority else _("unanimously")
    if meeting.by_majority:
        return _("unanimously, by majority, or by the chair with a reason")
    return _("unanimously, or by the chair with a reason")


def _held(written: Minutes) -> str:
    meeting = written.meeting
    if meeting.opened_at is None:
        return _("not opened yet")
    if meeting.closed_at is None:
        return _("since %(at)s") % {"at": _moment(meeting.opened_at)}
    if timezone.localdate(meeting.opened_at) == timezone.localdate(meeting.closed_at):
        until = _time(meeting.closed_at)
    else:
        until = _moment(meeting.closed_at)
    return _("%(from)s to %(until)s, %(time)s") % {
        "from": _moment(meeting.opened_at, zone=False),
        "until": f"{until}{_zone(meeting.closed_at)}" if until == _time(meeting.closed_at) else until,
        "time": spent((meeting.closed_at - meeting.opened_at).total_seconds()),
    }


def _there(one: Attendance, written: Minutes) -> dict[str, str]:
    days = {timezone.localdate(at) for at in (one.since, one.until or written.as_of)}
    at = _time if len(days) == 1 else _moment
    text = _("from %(from)s") % {"from": at(one.since)}
    if one.until is not None:
        text = _("%(from)s to %(until)s") % {"from": at(one.since), "until": at(one.until)}
    return {"who": one.who, "text": text}


def _numbers(written: Minutes) -> list[dict[str, str]]:
    totals = written.totals
    of = totals.decided

    def part(n: int) -> str:
        return _("%(n)s (%(share)s)") % {"n": count(n), "share": _share(n, of)} if of else count(n)

    of_majority = of and written.meeting.by_majority
    numbers = [
        (_("On the agenda"), count(totals.agenda)),
        (_("Discussed"), count(totals.discussed)),
        (_("Decided"), count(totals.decided)),
        (_("Unanimously"), part(totals.unanimity) if of else ""),
        (_("By majority"), part(totals.majority) if totals.majority or of_majority else ""),
        (_("By the chair"), part(totals.chair) if totals.chair else ""),
        (_("By a lead"), part(totals.lead) if totals.lead else ""),
        (_("By a majority of the labels"), part(totals.bulk) if totals.bulk else ""),
        (_("Elsewhere"), part(totals.elsewhere) if totals.elsewhere else ""),
        (_("Parked"), count(totals.parked) if totals.parked else ""),
        (_("Left open"), count(totals.open) if totals.open else ""),
        (_("Not reached"), count(totals.waiting) if totals.waiting else ""),
        (_("Median time per issue"), "" if totals.median_seconds is None else spent(totals.median_seconds)),
        *((_("Cause: %(cause)s") % {"cause": cause}, count(n)) for cause, n in totals.causes),
        (_("Head of the chain at the end"), written.chain_head),
    ]
    return [{"name": name, "text": text} for name, text in numbers if text]


def _group(group: MinuteGroup, written: Minutes, at: At) -> dict[str, Any]:
    pair = [{"code": code, "name": written.names.get(code, "")} for code in group.pair]
    return {
        "pair": pair,
        "names": group.is_beside_names,
        "heading": _heading([f"{one['code']} {one['name']}".strip() for one in pair], group),
        "items": [_item(line, at, is_final=written.is_final) for line in group.items],
    }


def _heading(pair: Sequence[str], group: MinuteGroup) -> str:
    if len(pair) == 2:
        return _("%(first)s or %(second)s") % {"first": pair[0], "second": pair[1]}
    if not group.is_beside_names:
        return "".join(pair)
    if pair:
        return _("%(category)s or a proposed name") % {"category": pair[0]}
    return _("Proposed names")


def _place(line: Minute) -> dict[str, Any]:
    return {
        "issue": line.issue_id,
        "place": f"{line.repository} #{line.number}",
        "title": line.title or _("(no title stored)"),
        "url": line.url,
        "pair": list(line.pair),
        "names": line.is_beside_names,
    }


def _item(line: Minute, at: At, *, is_final: bool) -> dict[str, Any]:
    return _place(line) | {
        "state": line.state,
        "outcome": _outcome(line, is_final=is_final),
        "labels": [_label(one) for one in line.labels],
        "votes": [_vote(vote, at) for vote in line.votes],
        "decisions": [_decided(one, at, is_last=one is line.decisions[-1]) for one in line.decisions],
        "thread": [
            {"who": said.who, "code": said.code, "at": at(said.at), "text": said.text} for said in line.thread
        ],
        "following": [_following(one) for one in line.following],
        "time": "" if line.seconds is None else spent(line.seconds),
    }


def _label(one: MinuteLabel) -> dict[str, str]:
    text = "" if one.code else _("proposed name: %(name)s") % {"name": one.proposes}
    return {"who": one.who, "code": one.code, "text": text}


def _outcome(line: Minute, *, is_final: bool) -> str:
    if line.state == "parked":
        return _("parked: %(why)s") % {"why": line.parked_why} if line.parked_why else _("parked")
    if line.outside is not None:
        return _outside(line.outside, is_anew=line.state == "anew")
    return {
        "decided": _("decided"),
        "reopened": _("reopened and not decided again"),
        "open": _("left open") if is_final else _("not decided yet"),
    }.get(line.state, "")


def _outside(one: OutsideDecision, *, is_anew: bool) -> str:
    said = {"code": one.code, "who": one.by, "at": _moment(one.at)}
    if one.method == Decision.Method.LEAD:
        if is_anew:
            return _("changed to %(code)s by the lead %(who)s at %(at)s") % said
        return _("decided as %(code)s by the lead %(who)s at %(at)s") % said
    if is_anew:
        return _("changed to %(code)s outside this meeting at %(at)s") % said
    return _("decided as %(code)s outside this meeting at %(at)s") % said


def _vote(vote: MinuteVote, at: At) -> dict[str, Any]:
    tail = [ngettext("%(n)s present", "%(n)s present", vote.present) % {"n": vote.present}]
    if vote.abstained:
        tail.insert(0, ngettext("%(n)s abstained", "%(n)s abstained", vote.abstained) % {"n": vote.abstained})
    if vote.none_fits:
        tail.insert(0, none_fit(vote.none_fits))
    if vote.revealed_by:
        tail.append(_("closed by %(who)s") % {"who": vote.revealed_by})
    return {
        "name": _("Vote %(n)s") % {"n": vote.number},
        "at": at(vote.at),
        "split": [{"code": code, "n": n} for code, n in vote.split],
        "tail": clauses(tail),
        "ballots": [
            {"who": who, "code": _("no category fits") if code == NO_CATEGORY_CODE else code}
            for who, code in vote.ballots
        ],
    }


def _decided(one: MinuteDecision, at: At, *, is_last: bool) -> dict[str, Any]:
    tail = [how(one)]
    if one.alike > 1:
        tail.append(_("decided together with similar issues, %(n)s in all") % {"n": one.alike})
    if one.by:
        tail.append(_("recorded by %(who)s at %(at)s") % {"who": one.by, "at": at(one.at)})
    ended = ""
    if one.ended_at is not None:
        said = _("reopened by %(who)s, %(at)s") if is_last or one.ended_why else _("replaced, %(at)s")
        if not one.ended_by:
            said = _("replaced, %(at)s")
        ended = said % {"who": one.ended_by, "at": _moment(one.ended_at)}
        if one.ended_why:
            ended = _("%(said)s: %(why)s") % {"said": ended, "why": one.ended_why}
    return {
        "code": one.code,
        "name": one.name,
        "tail": clauses(tail),
        "rationale": one.rationale,
        "cause": one.cause,
        "ended": ended,
    }


def _following(one: MinuteFollowUp) -> dict[str, str]:
    tail = _("noted by %(who)s, done") if one.is_done else _("noted by %(who)s")
    return {"kind": one.kind, "code": one.code, "text": one.text, "tail": tail % {"who": one.by}}


def _withheld(n: int) -> str:
    if not n:
        return ""
    return ngettext(
        "%(n)s issue is hidden until you label it in another round.",
        "%(n)s issues are hidden until you label them in another round.",
        n,
    ) % {"n": count(n)}


def _listed(parts: Sequence[str]) -> str:
    """The parts as one text: "one, two and three"."""
    if len(parts) < 2:
        return "".join(parts)
    return _("%(some)s and %(last)s") % {"some": listed(parts[:-1]), "last": parts[-1]}


def _share(part: int, whole: int) -> str:
    return _("%(share)s\N{NO-BREAK SPACE}%%") % {
        "share": formats.number_format(round(100 * part / whole, 1), 1)
    }


def _time(at: datetime) -> str:
    return formats.date_format(timezone.localtime(at), "TIME_FORMAT")


def _day_and_time(at: datetime) -> str:
    return day_time(at)


def _moment(at: datetime, *, zone: bool = True) -> str:
    said = formats.date_format(timezone.localtime(at), "DATETIME_FORMAT")
    return f"{said}{_zone(at)}" if zone else said


def _zone(at: datetime) -> str:
    return f" {timezone.localtime(at).tzname()}"
