"""Home, and the overview of a study: what waits for me, and the way of the study. Counts only."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from annotate.figures import Bar, bars
from annotate.models import Round
from annotate.queries import overview as queries
from annotate.queries.labels import Progress, progress
from annotate.queries.overview import OwnRound, Person, ToSettle
from annotate.queries.rounds import RoundLine, round_lines
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
from taxonomy.models import Level

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


@require_safe
def home(request: AuthedRequest) -> HttpResponse:
    """Show what waits for the reader across studies, and their studies."""
    seats = list(memberships_of(request.user))
    own = queries.own_rounds(seats)
    waits = [*_labelling(own), *map(_settling, queries.to_settle(seats))]
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
    """What is to be labelled: what is begun comes first, and tells the reader's own pace."""
    waits: list[Wait] = []
    for one in sorted((one for one in own if one.left), key=lambda one: not one.done):
        pace = "" if waits else _pace(progress(one.round, one.member))
        text = ngettext("issue to label", "issues to label", one.left)
        if one.is_share:
            text = ngettext(
                "issue to label, by an equal share", "issues to label, by an equal share", one.left
            )
        waits.append(
            Wait(
                about=one.round.name,
                figure=count(one.left),
                text=text,
                url=reverse("label", args=[one.round.pk]),
                action=_("Go on") if one.done else _("Begin"),
                hint=pace or _("%(done)s of %(total)s done") % _counted(done=one.done, total=one.total),
                icon="play",
                study=one.member.study,
            )
        )
    return waits


def _pace(mine: Progress) -> str:
    """What the reader did today and how long the rest takes at their pace; "" before the first label."""
    if not mine.seconds_left or mine.seconds_left < 1:
        return ""
    return _("Today %(today)s, about %(left)s left at my pace") % {
        "today": count(mine.today),
        "left": duration(mine.seconds_left),
    }


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
    unsettled = queries.open_disagreements(line.round for line in lines)
    own = queries.own_rounds([member] if member else [])
    waits = _labelling(own)
    if member and may_lead(member):
        waits += [
            _settling(ToSettle(line.round, member, unsettled[line.round.pk]))
            for line in lines
            if unsettled.get(line.round.pk)
        ]
        waits = _next_steps(found, lines, counts) + waits
    most = max((day for person in people for day in person.days), default=0)
    context: dict[str, Any] = {
        "lines": lines,
        "current": current,
        "counts": counts,
        "stages": _stages(found, member, lines, current, counts, people, unsettled),
        "waits": waits,
        "people": [_row(person, member, current, most) for person in people],
        "sum": _sum(people, current),
        "may_manage_people": may_manage_people(member),
    }
    if may_read_audit(member):
        context["events"] = [audit.line(event) for event in events(found)[:RECENT]]
    if may_import(member):
        context["imports"] = queries.recent_imports(found)
    return context


def _current(lines: Sequence[RoundLine]) -> RoundLine | None:
    """The round that the page counts in: open rather than closed, main rather than others, newest first."""
    opened = [line for line in lines if line.round.opened_at]
    return max(
        reversed(opened),
        key=lambda line: (line.round.is_open, line.round.kind == Round.Kind.MAIN, line.round.opened_at),
        default=None,
    )


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
    return [
        Wait(
            about=line.round.name,
            figure=count(line.issues),
            text=ngettext("issue planned, not open yet", "issues planned, not open yet", line.issues),
            url=reverse("round", args=[line.round.pk]),
            action=_("Look at it and open it"),
            hint=_("nobody can label before"),
            icon="play",
        )
        for line in lines
        if not line.round.opened_at
    ]


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
        share = _percent(person.labels, current.issues)
    return Row(
        person=person,
        is_me=reader is not None and person.member.pk == reader.pk,
        share=share,
        bars=bars(person.days, most, width=12, height=20),
        days=", ".join(count(day) for day in person.days),
    )


def _sum(people: Sequence[Person], current: RoundLine | None) -> dict[str, Any]:
    labels = sum(person.labels or 0 for person in people)
    slots = current.issues * current.round.labels_per_issue if current else 0
    return {
        "labels": labels,
        "slots": slots,
        "share": _percent(labels, slots) if slots else "",
        "week": sum(person.week for person in people),
    }


def _percent(part: int, whole: int) -> str:
    """A share to a tenth; only all of them is 100 %, only none of them 0 %."""
    share = 100 * part / whole
    if 0 < share < 0.1:
        return _("under 0.1\N{NO-BREAK SPACE}%")
    text = f"{min(share, 99.9):.1f}" if part < whole else "100"
    return _("%(share)s\N{NO-BREAK SPACE}%%") % {"share": "0" if not part else text}


# --- the way of the study


@dataclass(frozen=True)
class Stage:
    """One stage of the way: `state` is done, now or "" for to come; `url` is its next step."""

    name: str
    state: str
    figure: str
    text: str
    url: str


def _stages(
    found: Study,
    member: Membership | None,
    lines: Sequence[RoundLine],
    current: RoundLine | None,
    counts: queries.StudyCounts,
    people: Sequence[Person],
    unsettled: dict[int, int],
) -> list[Stage]:
    leads = may_lead(member)
    return [
        _harvest(found, counts, leads=leads),
        *(
            _rounds_of(found, name, kind, lines, none, leads=leads)
            for name, kind, none in (
                (_("Screening"), Round.Kind.SCREENING, _("no screening round")),
                (_("Pilot"), Round.Kind.PILOT, _("no pilot round")),
                (_("Training"), Round.Kind.TRAINING, _("no training round")),
            )
        ),
        _main(found, lines, current, people, leads=leads),
        _consensus(found, member, lines, unsettled),
        _taxonomy(found, counts, leads=leads),
        _report(found, member, current),
    ]


def _harvest(found: Study, counts: queries.StudyCounts, *, leads: bool) -> Stage:
    if not counts.issues:
        to = reverse("new_import" if leads else "issues", args=[found.slug])
        return Stage(_("Harvest"), "now", "0", _("issues so far"), to)
    text = ngettext("issues, %(n)s repository", "issues, %(n)s repositories", counts.repositories)
    said = text % {"n": count(counts.repositories)}
    return Stage(_("Harvest"), "done", count(counts.issues), said, reverse("issues", args=[found.slug]))


def _rounds_of(
    found: Study, name: str, kind: str, lines: Sequence[RoundLine], none: str, *, leads: bool
) -> Stage:
    of_kind = [line for line in lines if line.round.kind == kind]
    if not of_kind:
        to = reverse("new_round" if leads else "rounds", args=[found.slug])
        return Stage(name, "", _("none"), none, to)
    newest = of_kind[0]
    to = reverse("round", args=[newest.round.pk])
    done = all(line.round.closed_at for line in of_kind)
    if len(of_kind) > 1:
        figure, closed = (
            _("%(n)s rounds") % {"n": len(of_kind)},
            sum(bool(line.round.closed_at) for line in of_kind),
        )
        text = _("all closed") if done else _("%(n)s closed") % {"n": closed}
        return Stage(name, "done" if done else "now", figure, text, to)
    return Stage(name, "done" if done else "now", count(newest.issues), _state_of(newest), to)


def _state_of(line: RoundLine) -> str:
    if line.round.closed_at:
        return ngettext("issue, closed", "issues, closed", line.issues)
    if line.round.opened_at:
        return ngettext("issue, open", "issues, open", line.issues)
    return ngettext("issue, planned", "issues, planned", line.issues)


def _main(
    found: Study,
    lines: Sequence[RoundLine],
    current: RoundLine | None,
    people: Sequence[Person],
    *,
    leads: bool,
) -> Stage:
    main = next((line for line in lines if line.round.kind == Round.Kind.MAIN and line.round.opened_at), None)
    if main is None:
        to = reverse("new_round" if leads else "rounds", args=[found.slug])
        planned = any(line.round.kind == Round.Kind.MAIN for line in lines)
        return Stage(_("Labelling"), "", _("later"), _("planned") if planned else _("no main round"), to)
    to = reverse("round", args=[main.round.pk])
    slots = main.issues * main.round.labels_per_issue
    if current is None or main.round.pk != current.round.pk or not slots:
        state = "done" if main.round.closed_at else "now"
        return Stage(_("Labelling"), state, count(main.issues), _state_of(main), to)
    labels = sum(person.labels or 0 for person in people)
    state = "done" if labels == slots or main.round.closed_at else "now"
    text = _("%(labels)s of %(slots)s labels") % _counted(labels=labels, slots=slots)
    return Stage(_("Labelling"), state, _percent(labels, slots), text, to)


def _consensus(
    found: Study, member: Membership | None, lines: Sequence[RoundLine], unsettled: dict[int, int]
) -> Stage:
    opened = [line for line in lines if line.round.pk in unsettled]
    if not opened or not may_read_revealed(member):
        text = _("when issues are complete")
        return Stage(_("Consensus"), "", _("later"), text, reverse("rounds", args=[found.slug]))
    line = next((line for line in opened if unsettled[line.round.pk]), opened[0])
    left = sum(unsettled.values())
    to = reverse("disagreements", args=[line.round.pk])
    if left:
        text = ngettext("disagreement to settle", "disagreements to settle", left)
        return Stage(_("Consensus"), "now", count(left), text, to)
    is_over = all(line.complete == line.issues for line in opened)
    return Stage(_("Consensus"), "done" if is_over else "now", "0", _("disagreements open"), to)


def _taxonomy(found: Study, counts: queries.StudyCounts, *, leads: bool) -> Stage:
    if counts.version is None:
        to = reverse("new_taxonomy" if leads else "taxonomies", args=[found.slug])
        return Stage(_("Taxonomy"), "now" if counts.issues else "", _("none"), _("nothing to label with"), to)
    said = [
        text % {"n": counts.categories[level]}
        for level, text in (
            (Level.TYPE, ngettext("%(n)s type", "%(n)s types", counts.categories.get(Level.TYPE, 0))),
            (Level.THEME, ngettext("%(n)s theme", "%(n)s themes", counts.categories.get(Level.THEME, 0))),
            (
                Level.SUB_THEME,
                ngettext("%(n)s sub-theme", "%(n)s sub-themes", counts.categories.get(Level.SUB_THEME, 0)),
            ),
        )
        if counts.categories.get(level)
    ]
    to = f"{reverse('taxonomy', args=[counts.version.taxonomy_id])}?version={counts.version.number}"
    return Stage(_("Taxonomy"), "done", f"v{counts.version.number}", ", ".join(said[:2]), to)


def _report(found: Study, member: Membership | None, current: RoundLine | None) -> Stage:
    if current is None or not current.complete or not may_read_revealed(member):
        text = (
            _("when the round closes")
            if current and current.complete is None
            else _("when issues are complete")
        )
        return Stage(_("Report"), "", _("later"), text, reverse("rounds", args=[found.slug]))
    text = ngettext("agreement of %(n)s issue", "agreement of %(n)s issues", current.complete)
    state = "done" if current.round.closed_at or current.complete == current.issues else "now"
    to = reverse("agreement", args=[current.round.pk])
    return Stage(_("Report"), state, _("ready"), text % {"n": count(current.complete)}, to)
