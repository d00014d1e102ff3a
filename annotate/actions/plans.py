"""The reasons why a round cannot be planned, each with the field to change."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotate.queries.planning import unsearched_in
from core import clock
from core.templatetags.crosscheck import count
from ingest.models import Issue
from rounds.allocation import smallest_quota
from rounds.errors import RoundRefused
from rounds.models import Round
from rounds.queries.categories import deepest_level, types_of
from rounds.queries.rounds import usual_reveal
from rounds.rules import may_be_volunteer
from studies.models import Membership, Study
from taxonomy.models import Category, Level, Version

LONGEST_NAME = 120
LONGEST_LEASE = 60 * 24 * 31
MOST_DRIFT = 50
LONGEST_DRIFT = 24 * 365
MOST_QUOTA = 2**31 - 1
NAME_IS_TAKEN = _("The study has a round of this name already. Choose another name.")

Refusal = tuple[str, str | Promise]
"""The field of the plan to change, and the reason."""


@dataclass(frozen=True)
class Plan:
    """A round as the lead asks for it.

    The order of `issues` is the round's order; the order of `members` is that of their columns.
    `labels_per_issue` may be left out when everyone labels everything. `reveal` may be left out too: a
    training is revealed when it closes, other rounds issue by issue. `majority`: so many equal labels decide,
    with that rule only. `excludes`: the type whose issues leave the study, in a screening only. `training`:
    the round to be passed first. `quota`: one number for everybody, or a number by the id of the member.
    `selection` notes how the issues were chosen.
    """

    study: Study
    name: str
    version: Version
    depth: int
    issues: QuerySet[Issue]
    members: Sequence[Membership]
    allocation: str = Round.Allocation.CROSSED
    labels_per_issue: int | None = None
    reveal: str | None = None
    kind: str = Round.Kind.MAIN
    lease_minutes: int = 60
    order: str = Round.Order.SHUFFLED
    rule: str = Round.Rule.UNANIMOUS
    majority: int | None = None
    deadline: datetime | None = None
    excludes: Category | None = None
    pass_mark: int | None = None
    training: Round | None = None
    drift_percent: int = 0
    drift_hours: int = 24
    quota: Mapping[int, int] | int | None = None
    selection: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_crossed(self) -> bool:
        return self.allocation == Round.Allocation.CROSSED

    @property
    def revealed(self) -> str:
        """When labels are revealed: as the plan asks, or the usual policy for the kind of round."""
        return self.reveal or usual_reveal(self.kind)

    @property
    def k(self) -> int:
        """The number of labels that each issue needs: one of each member when everyone labels everything."""
        if self.labels_per_issue is None:
            return len(self.members) if self.is_crossed else 0
        return self.labels_per_issue

    def quota_of(self, member: Membership) -> int | None:
        """The number of labels after which this volunteer gets no more; None for no limit."""
        return self.quota.get(member.pk) if isinstance(self.quota, Mapping) else self.quota


def refusals(plan: Plan) -> Iterator[RoundRefused]:
    """Every reason against this round, each as its own refusal, in the order of the form."""
    for check in CHECKS:
        for field_, words in check(plan):
            yield RoundRefused(words, field=field_)


def still_searched(study: Study, source: str) -> Iterator[str]:
    """Why a filter by keywords cannot be used yet: it would leave out issues that it finds later."""
    if waiting := unsearched_in(study, source):
        words = ngettext(
            "%(n)s issue is still being searched for the keywords of this filter. Nothing was stored. Try"
            " again in a minute.",
            "%(n)s issues are still being searched for the keywords of this filter. Nothing was stored. Try"
            " again in a minute.",
            waiting,
        )
        yield words % {"n": count(waiting)}


def _source(plan: Plan) -> Iterator[Refusal]:
    for words in still_searched(plan.study, str(plan.selection.get("source", ""))):
        yield "issues", words


def _name(plan: Plan) -> Iterator[Refusal]:
    if not plan.name:
        yield "name", _("Give the round a name.")
    elif len(plan.name) > LONGEST_NAME:
        yield "name", _("The name is longer than 120 characters. Shorten it.")
    elif Round.objects.filter(study=plan.study, name=plan.name).exists():
        yield "name", NAME_IS_TAKEN


def _version(plan: Plan) -> Iterator[Refusal]:
    if plan.version.taxonomy.study_id != plan.study.pk:
        yield "version", _("This taxonomy belongs to another study. Choose one of this study.")
    elif plan.version.published_at is None:
        draft = _("This version of the taxonomy is a draft. Publish it first, or choose a published one.")
        yield "version", draft
    elif plan.depth not in Level.values:
        yield "depth", _("Labels are compared by type, theme or sub-theme. Choose one of these.")
    elif not (deepest := deepest_level(plan.version.pk)):
        yield "version", _("This version of the taxonomy has no categories.")
    elif plan.depth > deepest:
        words = _("This taxonomy is not that deep: its deepest level is the %(level)s.")
        yield "depth", words % {"level": Level(deepest).label}


def _excludes(plan: Plan) -> Iterator[Refusal]:
    if plan.kind != Round.Kind.SCREENING:
        words = _("Only a screening excludes issues. Make it a screening, or leave the excluded type out.")
        if plan.excludes is not None:
            yield "excludes", words
        return
    types = types_of(plan.version.pk)
    choices = ", ".join(state.code for state in types)
    if len(types) < 2:
        words = _(
            "A screening tells issues that stay from issues that leave: its taxonomy needs at least two"
            " types. Choose another taxonomy."
        )
        yield "version", words
    elif plan.excludes is None:
        words = _("Say which type means that an issue leaves the study: one of %(codes)s.")
        yield "excludes", words % {"codes": choices}
    elif plan.excludes.pk not in {state.category_id for state in types}:
        words = _("The excluded category is not a type of %(version)s. Choose one of %(codes)s.")
        yield "excludes", words % {"version": plan.version, "codes": choices}


def _issues(plan: Plan) -> Iterator[Refusal]:
    if not plan.issues.exists():
        yield "issues", _("No issue is chosen. Widen the filter, or choose another source.")
    elif plan.issues.exclude(repository__study=plan.study).exists():
        yield "issues", _("Some of these issues belong to another study.")


def _members(plan: Plan) -> Iterator[Refusal]:
    members = plan.members
    if not members:
        yield "members", _("Choose at least one volunteer.")
    if len({member.pk for member in members}) < len(members):
        yield "members", _("A volunteer is named twice.")
    unfit = [str(member) for member in members if not may_be_volunteer(member, plan.study)]
    if unfit:
        words = _("%(who)s cannot label in this study: choose its owners, leads and volunteers only.")
        yield "members", words % {"who": ", ".join(unfit)}


def _labels(plan: Plan) -> Iterator[Refusal]:
    k, members = plan.k, len(plan.members)
    if not members:
        return
    if k < 1:
        yield "labels_per_issue", _("Say how many labels each issue needs: one or more.")
    elif k > members:
        words = ngettext(
            "%(labels)d labels per issue need as many volunteers; %(members)d is chosen.",
            "%(labels)d labels per issue need as many volunteers; %(members)d are chosen.",
            members,
        )
        yield "labels_per_issue", words % {"labels": k, "members": members}
    elif plan.is_crossed and k != members:
        every = _(
            "When everyone labels everything, an issue gets %(members)d labels. Change that number,"
            " or the way of sharing out."
        )
        yield "labels_per_issue", every % {"members": members}


def _lease(plan: Plan) -> Iterator[Refusal]:
    if not 1 <= plan.lease_minutes <= LONGEST_LEASE:
        yield "lease_minutes", _("A claim is held between one minute and 31 days.")


def _quota(plan: Plan) -> Iterator[Refusal]:
    quotas = [plan.quota_of(member) for member in plan.members]
    given = [quota for quota in quotas if quota is not None]
    if not given:
        return
    if plan.is_crossed:
        words = _(
            "Everyone labels everything in this round, so nobody can have a quota. Leave it out, or"
            " share the issues out."
        )
        yield "quota", words
    elif min(given) < 1 or max(given) > MOST_QUOTA:
        yield "quota", _("A quota is one label or more. Leave it empty for no end.")
    elif 1 <= plan.k <= len(quotas):
        least = smallest_quota(plan.issues.count(), plan.k, quotas)
        if least > min(given):
            words = _(
                "These quotas leave some issues without all of their labels. With %(quota)s or more for"
                " each volunteer they are enough."
            )
            yield "quota", words % {"quota": count(least)}


def _rule(plan: Plan) -> Iterator[Refusal]:
    k, least = plan.k, plan.k // 2 + 1
    between = {"least": least, "most": k}
    if plan.rule != Round.Rule.MAJORITY:
        words = _("A number of equal labels goes with the rule of the majority. Choose it, or leave it out.")
        if plan.majority is not None:
            yield "majority", words
    elif k < 1:
        return
    elif plan.majority is None:
        yield "majority", _("Say how many equal labels decide an issue: %(least)d to %(most)d.") % between
    elif not least <= plan.majority <= k:
        words = _("Of %(most)d labels, a majority is more than half: %(least)d to %(most)d.")
        yield "majority", words % between


def _deadline(plan: Plan) -> Iterator[Refusal]:
    if plan.deadline is not None and plan.deadline <= clock.now():
        yield "deadline", _("The deadline has passed already. Choose a later one.")


def _training(plan: Plan) -> Iterator[Refusal]:
    trains = plan.kind == Round.Kind.TRAINING
    if trains and not plan.is_crossed:
        words = _(
            "Everyone labels every issue of a training: who got only some of them could not finish it."
            " Choose that everyone labels everything."
        )
        yield "allocation", words
    if trains and plan.revealed != Round.Reveal.ROUND_CLOSED:
        words = _(
            "A training reveals its labels when it closes: who is added to it later gets no turn at what"
            " is revealed, and could not finish it. Choose that the round closes first; each volunteer"
            " sees the right labels of their own issues at once all the same."
        )
        yield "reveal", words
    if plan.pass_mark is not None and not trains:
        yield "pass_mark", _("Only a training has a pass mark. Make it a training, or leave the mark out.")
    elif plan.pass_mark is not None and not 1 <= plan.pass_mark <= 100:
        yield "pass_mark", _("The pass mark is a percentage: 1 to 100.")
    if plan.training is None:
        return
    if plan.training.study_id != plan.study.pk:
        yield "training", _("This training belongs to another study. Choose one of this study.")
    elif plan.training.kind != Round.Kind.TRAINING:
        words = _("%(round)s is no training. Choose a training round, or none.")
        yield "training", words % {"round": plan.training}


def _drift(plan: Plan) -> Iterator[Refusal]:
    if plan.drift_percent == 0:
        return
    if not 0 < plan.drift_percent <= MOST_DRIFT:
        yield "drift_percent", _("A drift check repeats at most half of the issues: 0 to 50 percent.")
    elif plan.kind in {Round.Kind.SCREENING, Round.Kind.TRAINING}:
        words = _(
            "A drift check belongs to a pilot or a main round: a screening is over too soon, and a"
            " training shows its answers. Set it to 0."
        )
        yield "drift_percent", words
    elif not 1 <= plan.drift_hours <= LONGEST_DRIFT:
        words = _("An issue comes again after one hour at the earliest, and within a year.")
        yield "drift_hours", words


CHECKS: Sequence[Callable[[Plan], Iterator[Refusal]]] = (
    _name, _version, _excludes, _source, _issues, _members, _labels, _lease, _quota, _rule, _deadline,
    _training, _drift,
)  # fmt: skip
