"""A planned round in numbers, before it is stored."""

from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.forms.plans import RoundForm
from annotate.queries.left_out import coached_among, counted_in, labelled_again
from annotate.queries.planning import (
    SECONDS_ASSUMED,
    ScreeningCounts,
    by_repository,
    closed_screening,
    screened,
    team_pace,
)
from core import clock
from core.templatetags.crosscheck import count, duration
from rounds.allocation import fair_share
from rounds.models import Round
from rounds.queries.rounds import volunteers

FEW_REPOSITORIES = 12
LONG = 10 * 3600


@dataclass(frozen=True)
class PlanPreview:
    """The round in numbers, from the values chosen so far.

    `each`: labels of each volunteer, at an equal share. `seconds` is the pace of a label, in the whole
    seconds that the page names; the team's own if `pace_is_known`. `days` are left until the deadline, with
    today; 0 without a deadline. `lacking` volunteers are to be added. `untrained` volunteers are not in the
    training that the round requires, and wrote none of its right labels.
    `left_out`: names of rounds and samples with how many issues of the source they have, `left_out_issues` in
    all. `coached`: issues that stay although they are in a pilot or training of the taxonomy. `again`: names
    of opened rounds with how many of their issues this round takes. `pull_requests` of the source are taken,
    or not if `without_pull_requests`. `loses_repeats`: there is a drift check, and issues that are revealed
    early do not come again.
    """

    issues: int
    repositories: list[tuple[str, int]]
    volunteers: int
    labels: int
    each: int
    crossed: bool
    seconds: int
    pace_is_known: bool
    days: int
    screened: ScreeningCounts | None
    left_out: list[tuple[str, int]]
    left_out_issues: int
    coached: int
    again: list[tuple[str, int]]
    pull_requests: int
    without_pull_requests: bool
    hides_forge_labels: bool
    loses_repeats: bool
    untrained: list[str]

    @property
    def assignments(self) -> int:
        return self.issues * self.labels

    @property
    def left_out_twice(self) -> bool:
        """Are some issues in several of the rounds and samples that are left out?"""
        return sum(issues for _name, issues in self.left_out) > self.left_out_issues

    @property
    def lacking(self) -> int:
        return max(0, self.labels - self.volunteers) if self.volunteers else 0

    @property
    def is_whole(self) -> bool:
        """Are there enough values to estimate the effort?"""
        return self.assignments > 0 and not self.lacking

    @property
    def effort(self) -> str:
        return effort(self.assignments * self.seconds)

    @property
    def effort_each(self) -> str:
        return effort(self.each * self.seconds)

    @property
    def daily(self) -> int:
        return -(-self.each // self.days) if self.days else 0

    @property
    def effort_daily(self) -> str:
        return effort(self.daily * self.seconds)


def preview(form: RoundForm) -> PlanPreview:
    """The round that this form asks for, in numbers."""
    ready = "repositories" not in form.errors  # reading the errors cleans the form
    chosen = form.asked
    members = chosen.get("members") if form.is_bound else form.initial["members"]
    crossed = chosen.get("allocation", Round.Allocation.CROSSED) == Round.Allocation.CROSSED
    issues = form.taken()
    parts = by_repository(issues) if ready else []
    number = sum(n for _path, n in parts)
    left_out = _left_out(form) if ready else []
    labels = len(members or ()) if crossed else chosen.get("labels_per_issue") or 0
    pace = team_pace(form.study, form.planned_kind)
    deadline = chosen.get("deadline")
    taxonomy = form.taxonomy() if ready and form.planned_kind not in Round.APART else None
    screening = closed_screening(form.study, chosen.get("source") or form.starting_source)
    pulls, without_pulls = form.pull_requests() if ready else (0, False)
    return PlanPreview(
        issues=number,
        repositories=parts if len(parts) <= FEW_REPOSITORIES else [],
        volunteers=len(members or ()),
        labels=labels,
        each=fair_share(number, labels, len(members or ())),
        crossed=crossed,
        seconds=max(1, round(SECONDS_ASSUMED if pace is None else pace)),
        pace_is_known=pace is not None,
        days=max((deadline - timezone.localdate(clock.now())).days + 1, 0) if deadline else 0,
        screened=screened(screening) if screening else None,
        left_out=left_out,
        left_out_issues=form.issues().count() - number if left_out else 0,
        coached=coached_among(issues, taxonomy, of=form.replaces) if taxonomy else 0,
        again=labelled_again(issues, taxonomy, of=form.replaces) if taxonomy else [],
        pull_requests=pulls,
        without_pull_requests=without_pulls,
        hides_forge_labels=form.asked.get("forge_labels") == Round.ForgeLabels.HIDDEN
        if form.is_bound
        else form.initial["forge_labels"] == Round.ForgeLabels.HIDDEN,
        loses_repeats=_loses_repeats(form),
        untrained=_untrained(form),
    )


def effort(seconds: float) -> str:
    """Working time; only in hours if it is long, since a working day does not have 24 hours."""
    return duration(seconds) if seconds < LONG else _("%(n)s h") % {"n": count(round(seconds / 3600))}


def _left_out(form: RoundForm) -> list[tuple[str, int]]:
    names = {one.value: one.name for one in form.excludables}
    counted = counted_in(form.issues(), [value for value in form.chosen_to_leave_out() if value in names])
    return [(names[value], n) for value, n in counted.items() if n]


def _loses_repeats(form: RoundForm) -> bool:
    chosen = form.asked if form.is_bound else form.initial
    return bool(chosen.get("drift_percent")) and chosen.get("reveal") == Round.Reveal.ISSUE_COMPLETE


def _untrained(form: RoundForm) -> list[str]:
    training = form.asked.get("training")
    if training is None:
        return []
    trained = {volunteer.member_id for volunteer in volunteers(training)}
    # Whoever wrote its right labels needs no training.
    trained |= set(training.answers.values_list("given_by", flat=True))
    members = form.asked.get("members") or ()
    return [member.known_as for member in members if member.pk not in trained]
