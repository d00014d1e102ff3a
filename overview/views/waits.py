"""What waits for a member: a card for each thing, with the button that starts it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.queries.labels import Progress, progress
from annotate.queries.second_looks import to_choose_again
from boards.models import Sorting
from boards.queries.boards import to_sort_apart
from consensus.models import Meeting, Mention
from consensus.queries.meetings import MeetingLine
from core import clock
from core.templatetags.crosscheck import count, duration
from core.text.joining import listed
from core.text.moments import day_time
from interviews.queries.codings import CodingsWaiting, codings_waiting
from overview.queries.overview import OwnRound, StudyCounts, not_let_in, without_answer
from rounds.models import Round
from rounds.queries.rounds import RoundLine
from rounds.wording import coming
from studies.models import Membership, Study
from taxonomy.models import MotionMention, Taxonomy
from taxonomy.queries.motions import to_vote


@dataclass(frozen=True)
class Wait:
    """One thing that waits for the reader: a figure, what the figure counts, and a button to start with."""

    about: str
    figure: int
    text: str
    url: str
    action: str
    hint: str = ""
    icon: str = ""
    study: Study | None = None
    due: str = ""
    is_overdue: bool = False


def waits_for(
    seats: Sequence[Membership], own: Sequence[OwnRound], open_disagreements: Iterable[tuple[Round, int]]
) -> list[Wait]:
    """The labels, decisions, votes and interviews that wait for one person with these memberships."""
    return [
        *_labelling(own),
        *_lost(own),
        *(_shut_out(round_, people) for round_, people in not_let_in(seats)),
        *(_settling(round_, issues) for round_, issues in open_disagreements),
        *map(_to_vote, to_vote(seats)),
        *map(_to_sort, to_sort_apart(seats)),
        *map(_to_code, codings_waiting(seats)),
    ]


def _labelling(own: Sequence[OwnRound]) -> list[Wait]:
    """Issues to label: trainings first, then rounds by their deadline, then rounds already begun. The first
    round shows the reader's pace.
    """
    waits: list[Wait] = []
    for one in sorted((one for one in own if one.left), key=_urgency):
        pace = "" if waits else _pace(progress(one.round, one.member))
        text = ngettext("issue to label", "issues to label", one.left)
        if one.comes_at:
            text = ngettext("more issue comes %(when)s", "more issues come %(when)s", one.left) % {
                "when": coming(one.comes_at)
            }
        elif one.is_share:
            text = ngettext(
                "issue to label for an equal share", "issues to label for an equal share", one.left
            )
        elif one.round.kind == Round.Kind.TRAINING:
            text = ngettext("issue to train with", "issues to train with", one.left)
        elif one.round.kind == Round.Kind.LOOK:
            text = ngettext("issue to look at again", "issues to look at again", one.left)
        opens = listed(one.opens)
        hint = _("opens %(rounds)s to you") % {"rounds": opens} if opens else pace
        due, is_overdue = _due(one.round)
        waits.append(
            Wait(
                about=one.round.name,
                figure=one.left,
                text=text,
                url=reverse("label", args=[one.round.pk]),
                action=_action(one),
                hint=hint
                or _("%(done)s of %(total)s done") % {"done": count(one.done), "total": count(one.total)},
                icon="play",
                study=one.round.study,
                due=due,
                is_overdue=is_overdue,
            )
        )
    return waits


def _action(one: OwnRound) -> str:
    if one.comes_at:
        return _("Show round")
    return _("Continue labelling") if one.done else _("Start labelling")


def _shut_out(round_: Round, people: list[Membership]) -> Wait:
    return Wait(
        about=round_.name,
        figure=len(people),
        text=ngettext(
            "volunteer did not pass the training", "volunteers did not pass the training", len(people)
        ),
        url=reverse("round_volunteers", args=[round_.pk]),
        action=_("Let volunteers in"),
        hint=listed(member.known_as for member in people),
        icon="people",
        study=round_.study,
    )


def _urgency(one: OwnRound) -> tuple[bool, bool, bool, float, bool]:
    deadline = one.round.deadline
    is_training = one.round.kind == Round.Kind.TRAINING
    return (
        one.comes_at is not None,
        not is_training,
        deadline is None,
        deadline.timestamp() if deadline else 0,
        not one.done,
    )


def _due(round_: Round) -> tuple[str, bool]:
    """The deadline of a round in words, and whether it has passed; "" without a deadline."""
    if round_.deadline is None:
        return "", False
    now = clock.now()
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
    """The reader's labels of today, and the time for the rest at their pace; "" before the first label."""
    if not mine.seconds_left or mine.seconds_left < 1:
        return ""
    return _("Today %(today)s, about %(left)s left at your pace") % {
        "today": count(mine.today),
        "left": duration(mine.seconds_left),
    }


def _lost(own: Sequence[OwnRound]) -> list[Wait]:
    """Unrevealed labels of the reader that lost their category in a new version of the taxonomy."""
    return [
        Wait(
            about=round_.name,
            figure=labels,
            text=ngettext("label to choose again", "labels to choose again", labels),
            url=f"{reverse('label', args=[round_.pk])}?issue={issue}",
            action=_("Choose again"),
            hint=_("for version %(n)s of the taxonomy; others cannot see them yet")
            % {"n": round_.version.number},
            icon="refresh",
            study=round_.study,
        )
        for round_, labels, issue in to_choose_again((one.round, one.member) for one in own)
    ]


def _settling(round_: Round, issues: int) -> Wait:
    return Wait(
        about=round_.name,
        figure=issues,
        text=ngettext("proposed name to decide", "proposed names to decide", issues)
        if round_.has_one_label
        else ngettext("disagreement to decide", "disagreements to decide", issues),
        url=reverse("disagreements", args=[round_.pk]),
        action=_("Open proposed names") if round_.has_one_label else _("Open disagreements"),
        hint=_("labelled by one volunteer, who misses a category")
        if round_.has_one_label
        else _("all labels are in, and they differ"),
        study=round_.study,
    )


def _to_vote(taxonomy: Taxonomy) -> Wait:
    waiting: int = taxonomy.waiting  # type: ignore[attr-defined] # counted by to_vote
    return Wait(
        about=taxonomy.name,
        figure=waiting,
        text=ngettext("proposal to vote on", "proposals to vote on", waiting),
        url=reverse("proposals", args=[taxonomy.pk]),
        action=_("Vote"),
        hint=_("for the taxonomy"),
        icon="vote",
        study=taxonomy.study,
    )


def _to_sort(own: Sorting) -> Wait:
    return Wait(
        about=own.board.name,
        figure=1,
        text=_("board to sort by yourself"),
        url=own.board.get_absolute_url(),
        action=_("Sort cards"),
        hint=_("nobody sees how the others sort"),
        icon="inbox",
        study=own.board.taxonomy.study,
    )


def _to_code(own: CodingsWaiting) -> Wait:
    study = own.member.study
    if own.is_revealed:
        text = ngettext("interview to settle", "interviews to settle", own.interviews)
        action, hint = _("Settle quotes"), _("with the other coders")
    else:
        text = ngettext("interview to code", "interviews to code", own.interviews)
        action, hint = _("Code interviews"), _("nobody sees your quotes until all coders are done")
    return Wait(
        about=_("Interviews"),
        figure=own.interviews,
        text=text,
        url=own.coding.get_absolute_url() if own.coding else reverse("codings", args=[study.slug]),
        action=action,
        hint=hint,
        icon="people",
        study=study,
    )


def with_meetings(waits: list[Wait], own: Sequence[tuple[MeetingLine, Membership]]) -> list[Wait]:
    """Put meetings that are held now first; votes over days and planned meetings last."""
    now = [one for one in own if one[0].state == "open" and one[0].meeting.kind == Meeting.Kind.TOGETHER]
    later = [one for one in own if one not in now and (one[0].items or one[0].state == "open")]
    return [*(_meeting(*one) for one in now), *waits, *(_meeting(*one) for one in later)]


def _meeting(line: MeetingLine, member: Membership) -> Wait:
    meeting = line.meeting
    if line.to_vote:
        until = ""
        if meeting.ends_at:
            until = _("until %(at)s") % {"at": day_time(meeting.ends_at)}
        return Wait(
            about=meeting.name,
            figure=line.to_vote,
            text=ngettext("issue to vote on", "issues to vote on", line.to_vote),
            url=meeting.get_absolute_url(),
            action=_("Vote"),
            hint=_("of the round %(round)s") % {"round": meeting.round},
            icon="vote",
            study=member.study,
            due=until,
            is_overdue=meeting.ends_at is not None and meeting.ends_at < clock.now(),
        )
    is_open = line.state == "open"
    return Wait(
        about=meeting.name,
        figure=line.left if is_open else line.items,
        text=ngettext("issue on the agenda", "issues on the agenda", line.left if is_open else line.items),
        url=meeting.get_absolute_url(),
        action=_("Join meeting") if is_open else _("Open meeting"),
        hint=_("%(who)s chairs") % {"who": meeting.chair},
        icon="people",
        study=member.study,
        due=_("open now") if is_open else _on(meeting.starts_at),
    )


def _on(at: datetime | None) -> str:
    """The start of a meeting in words: within the next week by its day of the week; "" without a start."""
    if at is None:
        return ""
    local, today = timezone.localtime(at), timezone.localdate(clock.now())
    days = (local.date() - today).days
    time = formats.date_format(local, "TIME_FORMAT")
    if days == 0:
        return _("today, %(time)s") % {"time": time}
    if days == 1:
        return _("tomorrow, %(time)s") % {"time": time}
    if 1 < days < 7:
        return _("on %(day)s, %(time)s") % {"day": formats.date_format(local, "l"), "time": time}
    return formats.date_format(local, "DATETIME_FORMAT")


def mentions(on_issues: Sequence[Mention], on_proposals: Sequence[MotionMention]) -> list[Wait]:
    """Comments that name the reader: a card for each round or taxonomy, with a link to the newest comment."""
    places: dict[tuple[Study, Round | str], list[tuple[str, str]]] = {}
    for comment in (one.comment for one in on_issues):
        said = (comment.author.pseudonym, comment.get_absolute_url())
        places.setdefault((comment.round.study, comment.round), []).append(said)
    for named in (one.comment for one in on_proposals):
        said = (named.author.pseudonym, named.motion.get_absolute_url())
        taxonomy = named.motion.taxonomy
        places.setdefault((taxonomy.study, taxonomy.name), []).append(said)
    return [
        Wait(
            about=str(place),
            figure=len(comments),
            text=ngettext("comment mentions you", "comments mention you", len(comments)),
            url=url,
            action=_("Read comments"),
            hint=_("the newest is by %(who)s") % {"who": who},
            icon="mail",
            study=study,
        )
        for (study, place), comments in places.items()
        for who, url in comments[:1]
    ]


def next_steps(found: Study, lines: Sequence[RoundLine], counts: StudyCounts) -> list[Wait]:
    """The next step of a lead before anybody can label; once rounds are planned, a step for each of them. One
    query, if a training is planned.
    """

    def step(about: str, text: str, url: str, action: str, hint: str, icon: str) -> list[Wait]:
        return [Wait(about, 0, text, reverse(url, args=[found.slug]), action, hint, icon)]

    if not counts.issues:
        hint = _("from GitHub and Gitee, or from files")
        first = step(
            _("First step"), _("issues in this study"), "harvests", _("Harvest issues"), hint, "download"
        )
        hint = _("for a study that was published with its labels")
        action = _("Import published labels")
        return first + step(
            _("Or instead"), _("labels in this study"), "new_published_import", action, hint, "upload"
        )
    if not counts.version:
        hint = _("a preset, or a CSV file")
        action = _("Load taxonomy")
        return step(_("Second step"), _("taxonomies to label with"), "new_taxonomy", action, hint, "tree")
    if not lines:
        hint = _("which issues, who labels, how often")
        return step(_("Third step"), _("rounds"), "new_round", _("Plan round"), hint, "plus")
    if all(line.round.closed_at for line in lines) and not any(
        line.round.kind == Round.Kind.MAIN for line in lines
    ):
        about, hint = _("Next step"), _("or another pilot or training before it")
        following = step(about, _("main rounds"), "new_round", _("Plan round"), hint, "plus")
        last = lines[0]
        return ([_outcome(last)] if last.round.kind == Round.Kind.PILOT else []) + following
    planned = [line for line in lines if not line.round.opened_at]
    missing = without_answer(line.round for line in planned)
    return [
        _give_answers(line.round, missing[line.round.pk])
        if missing.get(line.round.pk) and line.own is None
        else Wait(
            about=line.round.name,
            figure=line.issues,
            text=ngettext("issue planned, not open yet", "issues planned, not open yet", line.issues),
            url=reverse("round", args=[line.round.pk]),
            action=_("Show round"),
            hint=_("nobody can label yet"),
            icon="play",
        )
        for line in planned
    ]


def _outcome(pilot: RoundLine) -> Wait:
    return Wait(
        about=pilot.round.name,
        figure=pilot.issues,
        text=ngettext("issue of the closed pilot", "issues of the closed pilot", pilot.issues),
        url=reverse("pilot", args=[pilot.round.pk]),
        action=_("Show outcome"),
        hint=_("a draft of the taxonomy, and issues for a training"),
        icon="flag",
    )


def _give_answers(training: Round, missing: int) -> Wait:
    return Wait(
        about=training.name,
        figure=missing,
        text=ngettext("issue without its right label", "issues without their right labels", missing),
        url=reverse("answers", args=[training.pk]),
        action=_("Give right labels"),
        hint=_("before the training opens"),
        icon="edit",
    )
