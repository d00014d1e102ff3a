"""Home, and the overview of a study: what waits for me, and the way of the study. Counts only."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from annotate.figures import Bar, bars
from annotate.models import Meeting, Round, Sorting
from annotate.queries import overview as queries
from annotate.queries.board_lists import to_sort_apart
from annotate.queries.labels import Progress, progress
from annotate.queries.looks import to_choose_again
from annotate.queries.meeting_lists import MeetingLine, own_meetings, recent_meetings
from annotate.queries.overview import OwnRound, Person, ToSettle
from annotate.queries.rounds import RoundLine, current_round, round_lines
from annotate.queries.threads import Mentioned, unseen_mentions
from annotate.queries.volunteers import slot_count
from annotate.views.stages import percent, stages
from core.http import is_fragment, render_page, require
from core.templatetags.crosscheck import count, duration
from ingest.rules import may_import
from studies import audit
from studies.models import Membership, Study
from studies.queries import events, membership_of, memberships_of, studies_for
from studies.rules import (
    may_create_studies,
    may_lead,
    may_manage_people,
    may_read_audit,
    may_read_revealed,
    may_see_people,
)
from taxonomy.motion_reading import ToVote, to_vote
from taxonomy.motion_threads import MotionMentioned, unseen_on_motions

RECENT = 6


@dataclass(frozen=True)
class Wait:
    """One thing that waits for the reader: a figure, what it counts, and the button that starts it."""

    about: str
    figure: str
    text: str
    url: str
    action: str
    hint: str = ""
    icon: str = ""
    study: Study | None = None
    due: str = ""
    is_overdue: bool = False


@require_safe
def home(request: AuthedRequest) -> HttpResponse:
    """Show what waits for the reader across studies, and their studies."""
    seats = list(memberships_of(request.user))
    own = queries.own_rounds(seats)
    waits = [
        *_labelling(own),
        *_lost(own),
        *map(_settling, queries.to_settle(seats)),
        *map(_proposed, to_vote(seats)),
        *map(_to_sort, to_sort_apart(seats)),
        *_mentioned(unseen_mentions(request.user)),
        *_named_on_proposals(unseen_on_motions(request.user)),
    ]
    waits = _with_meetings(waits, own_meetings(seats))
    context = {
        "waits": waits,
        "lines": [_line(seat, own) for seat in seats],
        "may_create": may_create_studies(request.user),
    }
    return render_page(request, "annotate/overview/home.html", context)


@dataclass(frozen=True)
class StudyLine:
    """One study of the reader, and how far they are in its open rounds; `total` is 0 where none is theirs."""

    member: Membership
    rounds: int
    done: int
    total: int


def _line(seat: Membership, own: Sequence[OwnRound]) -> StudyLine:
    mine = [one for one in own if one.member.pk == seat.pk]
    return StudyLine(seat, len(mine), sum(one.done for one in mine), sum(one.total for one in mine))


def _labelling(own: Sequence[OwnRound]) -> list[Wait]:
    """What is to be labelled: a training first, then what is due, then what is begun; one with its pace."""
    waits: list[Wait] = []
    for one in sorted((one for one in own if one.left), key=_urgency):
        pace = "" if waits else _pace(progress(one.round, one.member))
        text = ngettext("issue to label", "issues to label", one.left)
        if one.is_share:
            text = ngettext(
                "issue to label, by an equal share", "issues to label, by an equal share", one.left
            )
        elif one.round.kind == Round.Kind.TRAINING:
            text = ngettext("issue to train with", "issues to train with", one.left)
        elif one.round.kind == Round.Kind.LOOK:
            text = ngettext("issue to look at again", "issues to look at again", one.left)
        opens = ", ".join(str(round_) for round_ in one.opens)
        hint = _("opens %(rounds)s to me") % {"rounds": opens} if opens else pace
        due, is_overdue = _due(one.round)
        waits.append(
            Wait(
                about=one.round.name,
                figure=count(one.left),
                text=text,
                url=reverse("label", args=[one.round.pk]),
                action=_("Go on") if one.done else _("Begin"),
                hint=hint or _("%(done)s of %(total)s done") % _counted(done=one.done, total=one.total),
                icon="play",
                study=one.member.study,
                due=due,
                is_overdue=is_overdue,
            )
        )
    return waits


def _urgency(one: OwnRound) -> tuple[bool, bool, float, bool]:
    deadline = one.round.deadline
    is_training = one.round.kind == Round.Kind.TRAINING
    return not is_training, deadline is None, deadline.timestamp() if deadline else 0, not one.done


def _due(round_: Round) -> tuple[str, bool]:
    """When a round is due, in words, and whether that is over; "" without a deadline."""
    if round_.deadline is None:
        return "", False
    now = timezone.now()
    days = (timezone.localdate(round_.deadline) - timezone.localdate(now)).days
    if round_.deadline < now:
        late = -days
        if not late:
            return _("overdue since today"), True
        return ngettext("overdue by %(n)s day", "overdue by %(n)s days", late) % {"n": count(late)}, True
    if days < 2:
        return _("due tomorrow") if days else _("due today"), False
    return ngettext("due in %(n)s day", "due in %(n)s days", days) % {"n": count(days)}, False


def _pace(mine: Progress) -> str:
    """What the reader did today and how long the rest takes at their pace; "" before the first label."""
    if not mine.seconds_left or mine.seconds_left < 1:
        return ""
    return _("Today %(today)s, about %(left)s left at my pace") % {
        "today": count(mine.today),
        "left": duration(mine.seconds_left),
    }


def _lost(own: Sequence[OwnRound]) -> list[Wait]:
    """Labels of the reader's that a new version left without a category, and that nobody else sees."""
    return [
        Wait(
            about=one.round.name,
            figure=count(one.labels),
            text=ngettext("label to choose again", "labels to choose again", one.labels),
            url=f"{reverse('label', args=[one.round.pk])}?issue={one.issue}",
            action=_("Choose again"),
            hint=_("for version %(n)s of the taxonomy; unseen by others so far")
            % {"n": one.round.version.number},
            icon="refresh",
            study=one.member.study,
        )
        for one in to_choose_again((one.round, one.member) for one in own)
    ]


def _settling(one: ToSettle) -> Wait:
    return Wait(
        about=one.round.name,
        figure=count(one.issues),
        text=ngettext("disagreement to settle", "disagreements to settle", one.issues),
        url=reverse("disagreements", args=[one.round.pk]),
        action=_("Settle"),
        hint=_("complete, and not unanimous"),
        study=one.member.study,
    )


def _proposed(one: ToVote) -> Wait:
    return Wait(
        about=one.taxonomy.name,
        figure=count(one.motions),
        text=ngettext("proposal to vote on", "proposals to vote on", one.motions),
        url=reverse("proposals", args=[one.taxonomy.pk]),
        action=_("Vote"),
        hint=_("for the taxonomy"),
        icon="vote",
        study=one.taxonomy.study,
    )


def _to_sort(own: Sorting) -> Wait:
    return Wait(
        about=own.board.name,
        figure=count(1),
        text=_("board to sort by yourself"),
        url=own.board.get_absolute_url(),
        action=_("Sort"),
        hint=_("nobody sees how the others do it"),
        icon="inbox",
        study=own.board.taxonomy.study,
    )


def _with_meetings(waits: list[Wait], own: Sequence[tuple[MeetingLine, Membership]]) -> list[Wait]:
    """What goes on now stands in front; votes over days and meetings to come behind the labelling."""
    now = [one for one in own if one[0].state == "open" and one[0].meeting.kind == Meeting.Kind.TOGETHER]
    later = [one for one in own if one not in now and (one[0].items or one[0].state == "open")]
    return [*(_meeting(*one) for one in now), *waits, *(_meeting(*one) for one in later)]


def _meeting(line: MeetingLine, member: Membership) -> Wait:
    meeting = line.meeting
    if line.to_vote:
        until = ""
        if meeting.ends_at:
            until = _("until %(at)s") % {
                "at": formats.date_format(timezone.localtime(meeting.ends_at), "j F, H:i")
            }
        return Wait(
            about=meeting.name,
            figure=count(line.to_vote),
            text=ngettext("issue to vote on", "issues to vote on", line.to_vote),
            url=meeting.get_absolute_url(),
            action=_("Vote"),
            hint=_("of the round %(round)s") % {"round": meeting.round},
            icon="vote",
            study=member.study,
            due=until,
            is_overdue=meeting.ends_at is not None and meeting.ends_at < timezone.now(),
        )
    is_open = line.state == "open"
    return Wait(
        about=meeting.name,
        figure=count(line.left if is_open else line.items),
        text=ngettext("issue on the agenda", "issues on the agenda", line.left if is_open else line.items),
        url=meeting.get_absolute_url(),
        action=_("Join the meeting") if is_open else _("Look at it"),
        hint=_("%(who)s chairs") % {"who": meeting.chair},
        icon="people",
        study=member.study,
        due=_("open now") if is_open else _on(meeting.starts_at),
    )


def _on(at: datetime | None) -> str:
    """When a meeting is planned: by the day of the week while it is less than one away; "" without a date."""
    if at is None:
        return ""
    local, today = timezone.localtime(at), timezone.localdate()
    days = (local.date() - today).days
    time = formats.date_format(local, "H:i")
    if days == 0:
        return _("today, %(time)s") % {"time": time}
    if days == 1:
        return _("tomorrow, %(time)s") % {"time": time}
    if 1 < days < 7:
        return _("on %(day)s, %(time)s") % {"day": formats.date_format(local, "l"), "time": time}
    return formats.date_format(local, "j F Y, H:i")


def _mentioned(mentions: Sequence[Mentioned]) -> list[Wait]:
    """Comments that name the reader: one card for each round, which leads to the newest."""
    waits = []
    for round_id in dict.fromkeys(one.round.pk for one in mentions):
        own = [one for one in mentions if one.round.pk == round_id]
        waits.append(
            Wait(
                about=own[0].round.name,
                figure=count(len(own)),
                text=ngettext("comment names me", "comments name me", len(own)),
                url=own[0].url,
                action=_("Read"),
                hint=_("the newest is by %(who)s") % {"who": own[0].author},
                icon="mail",
                study=own[0].round.study,
            )
        )
    return waits


def _named_on_proposals(mentions: Sequence[MotionMentioned]) -> list[Wait]:
    """Comments on proposals that name the reader: one card for each taxonomy, which leads to the newest."""
    waits = []
    for key in dict.fromkeys((one.study.pk, one.taxonomy) for one in mentions):
        own = [one for one in mentions if (one.study.pk, one.taxonomy) == key]
        waits.append(
            Wait(
                about=own[0].taxonomy,
                figure=count(len(own)),
                text=ngettext("comment names me", "comments name me", len(own)),
                url=own[0].url,
                action=_("Read"),
                hint=_("the newest is by %(who)s") % {"who": own[0].author},
                icon="mail",
                study=own[0].study,
            )
        )
    return waits


def _counted(**numbers: int) -> dict[str, str]:
    return {name: count(number) for name, number in numbers.items()}


# --- one study


@require_safe
def study(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the way of the study, what waits for the reader, its people by counts, and what happened last."""
    found = get_object_or_404(studies_for(request.user), slug=slug)
    member = membership_of(request.user, found)
    require(may_see_people(member))
    context: dict[str, Any] = {"study": found, "membership": member}
    if may_import(member):
        context["running"] = queries.running_imports(found)
    if not (is_fragment(request) and request.headers.get("HX-Target") == "running"):
        context |= _overview(found, member)
    return render_page(request, "annotate/overview/study.html", context, partials=["running"])


def _overview(found: Study, member: Membership | None) -> dict[str, Any]:
    lines = round_lines(found, member)
    current = _current(lines)
    counts = queries.study_counts(found, current.round if current else None)
    people = queries.people(found, current.round if current else None)
    slots = slot_count(current.round) if current else 0
    seats = [member] if member else []
    settled = queries.consensus((line.round for line in lines), seats)
    own = queries.own_rounds(seats)
    waits = [*_labelling(own), *_lost(own)]
    if member and may_lead(member):
        waits += [
            _settling(ToSettle(line.round, member, settled[line.round.pk].left))
            for line in lines
            if line.round.pk in settled and settled[line.round.pk].left
        ]
        waits = _next_steps(found, lines, counts) + waits
    waits += map(_proposed, to_vote(seats))
    waits += map(_to_sort, to_sort_apart(seats))
    waits = _with_meetings(waits, own_meetings(seats))
    most = max((day for person in people for day in person.days), default=0)
    context: dict[str, Any] = {
        "lines": lines,
        "current": current,
        "counts": counts,
        "stages": stages(found, member, lines, current, counts, people, settled, slots),
        "waits": waits,
        "meetings": recent_meetings(found, member) if may_read_revealed(member) else [],
        "people": [_row(person, member, current, most) for person in people],
        "sum": _sum(people, slots),
        "may_manage_people": may_manage_people(member),
    }
    if may_read_audit(member):
        context["events"] = [audit.line(event) for event in events(found)[:RECENT]]
    if may_import(member):
        context["imports"] = queries.recent_imports(found)
    return context


def _current(lines: Sequence[RoundLine]) -> RoundLine | None:
    """The line of the round in front: the one that the page counts in."""
    front = current_round(line.round for line in lines)
    return next((line for line in lines if line.round == front), None)


def _next_steps(found: Study, lines: Sequence[RoundLine], counts: queries.StudyCounts) -> list[Wait]:
    """What a lead has to do before anybody can label: one step at a time, and every round not open yet."""

    def step(about: str, text: str, url: str, action: str, hint: str, icon: str) -> list[Wait]:
        return [Wait(about, "0", text, reverse(url, args=[found.slug]), action, hint, icon)]

    if not counts.issues:
        hint = _("lists of addresses, CSV, JSON")
        return step(
            _("First step"), _("issues in this study"), "new_import", _("Import issues"), hint, "upload"
        )
    if not counts.version:
        hint = _("a preset, or a CSV file")
        action = _("Load a taxonomy")
        return step(_("Second step"), _("taxonomies to label with"), "new_taxonomy", action, hint, "tree")
    if not lines:
        hint = _("which issues, who labels, how often")
        return step(_("Third step"), _("rounds"), "new_round", _("Plan a round"), hint, "plus")
    planned = [line for line in lines if not line.round.opened_at]
    missing = queries.without_answer(line.round for line in planned)
    return [
        _give_answers(line.round, missing[line.round.pk])
        if missing.get(line.round.pk) and line.own is None
        else Wait(
            about=line.round.name,
            figure=count(line.issues),
            text=ngettext("issue planned, not open yet", "issues planned, not open yet", line.issues),
            url=reverse("round", args=[line.round.pk]),
            action=_("Look at it and open it"),
            hint=_("nobody can label before"),
            icon="play",
        )
        for line in planned
    ]


def _give_answers(training: Round, missing: int) -> Wait:
    return Wait(
        about=training.name,
        figure=count(missing),
        text=ngettext("issue without its right label", "issues without their right labels", missing),
        url=reverse("answers", args=[training.pk]),
        action=_("Give right labels"),
        hint=_("before the training opens"),
        icon="edit",
    )


@dataclass(frozen=True)
class Row:
    """A person of the overview: `share` of the round in words, `bars` of the last seven days."""

    person: Person
    is_me: bool
    share: str
    bars: tuple[Bar, ...]
    days: str


def _row(person: Person, reader: Membership | None, current: RoundLine | None, most: int) -> Row:
    share = ""
    if current and current.issues and person.labels is not None:
        share = percent(person.labels, current.issues)
    return Row(
        person=person,
        is_me=reader is not None and person.member.pk == reader.pk,
        share=share,
        bars=bars(person.days, most, width=12, height=20),
        days=", ".join(count(day) for day in person.days),
    )


def _sum(people: Sequence[Person], slots: int) -> dict[str, Any]:
    labels = sum(person.labels or 0 for person in people)
    return {
        "labels": labels,
        "slots": slots,
        "share": percent(labels, slots) if slots else "",
        "week": sum(person.week for person in people),
    }
