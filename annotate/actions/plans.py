"""The reasons why a round cannot be planned, each with the field to change."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotate.queries.left_out import excludables, without
from annotate.queries.planning import unsearched_in
from core import clock
from core.templatetags.crosscheck import count
from core.text.joining import listed
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
NAME_IS_TAKEN = _("The study already has a round with this name. Choose another name.")

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
    `forge_labels`: do volunteers see the labels of the forge before the reveal? `selection` notes how the
    issues were chosen. `left_out`: values of annotate.queries.left_out, rounds and samples whose issues the
    round does not take from `issues`. `replaces`: the planned round that is changed.
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
    forge_labels: str = Round.ForgeLabels.SHOWN
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
    left_out: Sequence[str] = ()
    replaces: Round | None = None

    @property
    def taken(self) -> QuerySet[Issue]:
        """The issues that the round takes: those of its source without what is left out."""
        return without(self.issues, self.left_out)

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
            "The keyword search for this filter still has %(n)s issue to do. Nothing was saved."
            " Try again in a minute.",
            "The keyword search for this filter still has %(n)s issues to do. Nothing was"
            " saved. Try again in a minute.",
            waiting,
        )
        yield words % {"n": count(waiting)}


def _source(plan: Plan) -> Iterator[Refusal]:
    for words in still_searched(plan.study, str(plan.selection.get("source", ""))):
        yield "issues", words


def _others(plan: Plan) -> QuerySet[Round]:
    """The other rounds of the study."""
    return Round.objects.filter(study=plan.study).exclude(pk__in=[plan.replaces.pk] if plan.replaces else [])


def _name(plan: Plan) -> Iterator[Refusal]:
    if not plan.name:
        yield "name", _("Give the round a name.")
    elif len(plan.name) > LONGEST_NAME:
        yield "name", _("The name is longer than 120 characters. Shorten it.")
    elif _others(plan).filter(name=plan.name).exists():
        yield "name", NAME_IS_TAKEN


def _version(plan: Plan) -> Iterator[Refusal]:
    if plan.version.taxonomy.study_id != plan.study.pk:
        yield "version", _("This taxonomy belongs to another study. Choose a taxonomy of this study.")
    elif plan.version.published_at is None:
        draft = _(
            "This version of the taxonomy is a draft. Publish the draft first, or choose a published version."
        )
        yield "version", draft
    elif plan.depth not in Level.values:
        yield "depth", _("Labels are compared by type, theme or sub-theme. Choose one of these levels.")
    elif not (deepest := deepest_level(plan.version.pk)):
        yield "version", _("This version of the taxonomy has no categories.")
    elif plan.depth > deepest:
        words = _("This taxonomy does not have this level. Its deepest level is the %(level)s.")
        yield "depth", words % {"level": Level(deepest).label}


def _excludes(plan: Plan) -> Iterator[Refusal]:
    if plan.kind != Round.Kind.SCREENING:
        words = _("Only a screening excludes issues. Plan a screening, or remove the excluded type.")
        if plan.excludes is not None:
            yield "excludes", words
        return
    types = types_of(plan.version.pk)
    choices = listed(state.code for state in types)
    if len(types) < 2:
        words = _(
            "A screening needs at least two types: one keeps issues, and one excludes them."
            " Choose another taxonomy."
        )
        yield "version", words
    elif plan.excludes is None:
        words = _("Choose the type that excludes an issue from the study: one of %(codes)s.")
        yield "excludes", words % {"codes": choices}
    elif plan.excludes.pk not in {state.category_id for state in types}:
        words = _("The excluded category is not a type of %(version)s. Choose one of %(codes)s.")
        yield "excludes", words % {"version": plan.version, "codes": choices}


def _issues(plan: Plan) -> Iterator[Refusal]:
    if not plan.issues.exists():
        yield "issues", _("No issue is chosen. Use fewer filters, or choose another source.")
    elif plan.left_out and not plan.taken.exists():
        words = _(
            "All issues of this source are left out. Leave out fewer rounds and samples,"
            " or choose another source."
        )
        yield "left_out", words
    elif plan.issues.exclude(repository__study=plan.study).exists():
        yield "issues", _("Some of these issues belong to another study.")


def _left_out(plan: Plan) -> Iterator[Refusal]:
    if not plan.left_out:
        return
    known = {one.value for one in excludables(plan.study)}
    if not set(plan.left_out) <= known - {f"round:{plan.replaces and plan.replaces.pk}"}:
        yield "left_out", _("This study has no such round or sample to leave out.")


def _members(plan: Plan) -> Iterator[Refusal]:
    members = plan.members
    if not members:
        yield "members", _("Choose at least one volunteer.")
    if len({member.pk for member in members}) < len(members):
        yield "members", _("A volunteer is chosen twice.")
    unfit = [str(member) for member in members if not may_be_volunteer(member, plan.study)]
    if unfit:
        words = _("%(who)s cannot label in this study. Choose only owners, leads and volunteers.")
        yield "members", words % {"who": listed(unfit)}


def _labels(plan: Plan) -> Iterator[Refusal]:
    k, members = plan.k, len(plan.members)
    if not members:
        return
    if k < 1:
        yield "labels_per_issue", _("Enter the number of labels per issue: one or more.")
    elif k > members:
        words = ngettext(
            "%(labels)d labels per issue need %(labels)d volunteers. You have chosen %(members)d.",
            "%(labels)d labels per issue need %(labels)d volunteers. You have chosen %(members)d.",
            members,
        )
        yield "labels_per_issue", words % {"labels": k, "members": members}
    elif plan.is_crossed and k != members:
        every = _(
            "When everyone labels everything, an issue gets %(members)d labels. Change this"
            " number, or choose “k volunteers per issue”."
        )
        yield "labels_per_issue", every % {"members": members}


def _lease(plan: Plan) -> Iterator[Refusal]:
    if not 1 <= plan.lease_minutes <= LONGEST_LEASE:
        yield "lease_minutes", _("A claim lasts between 1 minute and 31 days.")


def _quota(plan: Plan) -> Iterator[Refusal]:
    quotas = [plan.quota_of(member) for member in plan.members]
    given = [quota for quota in quotas if quota is not None]
    if not given:
        return
    if plan.is_crossed:
        words = _(
            "Everyone labels everything in this round, so nobody can have a quota. Remove the"
            " quota, or choose “k volunteers per issue”."
        )
        yield "quota", words
    elif min(given) < 1 or max(given) > MOST_QUOTA:
        yield "quota", _("A quota is one label or more. Leave the field empty for no quota.")
    elif 1 <= plan.k <= len(quotas):
        least = smallest_quota(plan.taken.count(), plan.k, quotas)
        if least > min(given):
            words = _(
                "With these quotas, some issues do not get all of their labels. Give each"
                " volunteer a quota of %(quota)s or more."
            )
            yield "quota", words % {"quota": count(least)}


def _rule(plan: Plan) -> Iterator[Refusal]:
    k, least = plan.k, plan.k // 2 + 1
    between = {"least": least, "most": k}
    if plan.rule != Round.Rule.MAJORITY:
        words = _(
            "The number of equal labels is only for the majority rule. Choose the"
            " majority rule, or remove the number."
        )
        if plan.majority is not None:
            yield "majority", words
    elif k < 1:
        return
    elif plan.majority is None:
        yield "majority", _("Enter how many equal labels decide an issue: %(least)d to %(most)d.") % between
    elif not least <= plan.majority <= k:
        words = _("Of %(most)d labels, a majority is more than half: %(least)d to %(most)d.")
        yield "majority", words % between


def _deadline(plan: Plan) -> Iterator[Refusal]:
    if plan.deadline is not None and plan.deadline <= clock.now():
        yield "deadline", _("This deadline is in the past. Choose a later day.")


def _training(plan: Plan) -> Iterator[Refusal]:
    trains = plan.kind == Round.Kind.TRAINING
    if trains and not plan.is_crossed:
        words = _("In a training, every volunteer labels every issue. Choose “everyone labels everything”.")
        yield "allocation", words
    if trains and plan.revealed != Round.Reveal.ROUND_CLOSED:
        words = _(
            "A training reveals its labels when the round closes, so that volunteers who join"
            " later can finish. Choose “when the round closes”. Volunteers still see the right"
            " label after each issue."
        )
        yield "reveal", words
    if plan.pass_mark is not None and not trains:
        yield "pass_mark", _("Only a training has a pass mark. Plan a training, or remove the pass mark.")
    elif plan.pass_mark is not None and not 1 <= plan.pass_mark <= 100:
        yield "pass_mark", _("The pass mark is a percentage: 1 to 100.")
    if plan.training is None:
        return
    if plan.training.study_id != plan.study.pk:
        yield "training", _("This training belongs to another study. Choose a training of this study.")
    elif plan.training.kind != Round.Kind.TRAINING or plan.training == plan.replaces:
        words = _("%(round)s is not a training. Choose a training, or no training.")
        yield "training", words % {"round": plan.training}


def _drift(plan: Plan) -> Iterator[Refusal]:
    if plan.drift_percent == 0:
        return
    if not 0 < plan.drift_percent <= MOST_DRIFT:
        yield "drift_percent", _("A drift check repeats at most half of the issues: 0 to 50 percent.")
    elif plan.kind in {Round.Kind.SCREENING, Round.Kind.TRAINING}:
        words = _("Only pilots and main rounds can have a drift check. Set the drift check to 0.")
        yield "drift_percent", words
    elif not 1 <= plan.drift_hours <= LONGEST_DRIFT:
        words = _("An issue can come again after 1 hour at the earliest and 1 year at the latest.")
        yield "drift_hours", words


CHECKS: Sequence[Callable[[Plan], Iterator[Refusal]]] = (
    _name, _version, _excludes, _source, _left_out, _issues, _members, _labels, _lease, _quota, _rule,
    _deadline, _training, _drift,
)  # fmt: skip
