"""Deviations of a study from its protocol, for one reader: found each time, never stored."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.text.joining import listed
from protocols.deviations import KINDS, Deviation, Reason, shown_later
from protocols.models import DeviationReason, Protocol
from protocols.plan import FIELDS, KEPT, LEFT_OUT
from protocols.queries.happened import (
    Seats,
    coached_of,
    first_labels,
    opened_rounds,
    reached,
    reported_first,
    samples_of,
    seats_of,
    sizes_of,
)
from protocols.queries.prefill import named
from protocols.queries.protocols import frozen_versions, in_force_for
from reports.agreement_report import LEVELS, level_name
from reports.formats.tables import number
from rounds.models import Round
from studies.models import Membership, Study

COUNTED = {
    "screenings": Round.Kind.SCREENING,
    "pilots": Round.Kind.PILOT,
    "trainings": Round.Kind.TRAINING,
    "main_rounds": Round.Kind.MAIN,
}


@dataclass(frozen=True)
class Compared:
    """A main round with the version of the protocol that counts for it."""

    round: Round
    protocol: Protocol

    @property
    def plan(self) -> Mapping[str, Any]:
        plan: Mapping[str, Any] = self.protocol.plan
        return plan

    def deviation(self, kind: str, planned: str, happened: str, url: str = "", **more: Any) -> Deviation:
        return Deviation(
            key=f"{kind}:round:{self.round.pk}",
            about=self.round.name,
            version=self.protocol.number,
            planned=planned,
            happened=happened,
            url=url or self.round.get_absolute_url(),
            **more,
        )

    def differs(self, kind: str, happened: Any, text: str = "", url: str = "") -> Iterator[Deviation]:
        """A deviation if the plan has a value for this field, and another one than what happened."""
        planned = self.plan.get(kind)
        if planned is not None and planned != happened:
            field = FIELDS[kind]
            yield self.deviation(kind, field.in_words(planned), text or field.in_words(happened), url)


def deviations_of(member: Membership | None, study: Study) -> list[Deviation]:
    """The deviations of a study from the versions of its protocol, as this member may know them; None, a
    command, knows all. Empty without a frozen protocol. What labels tell is hidden until it is revealed to
    the member. The number of queries does not grow with rounds, labels and reasons; one report for each
    taxonomy and level where a threshold is planned and a round closed.
    """
    versions = list(frozen_versions(study))
    if not versions:
        return []
    rounds = opened_rounds(study)
    compared = [
        Compared(one, counts)
        for one in rounds
        if one.kind == Round.Kind.MAIN and (counts := in_force_for(one, versions))
    ]
    found = [
        *_of_order(compared, versions, member),
        *_of_rounds(rounds, versions[-1]),
        *_of_setup(compared, study),
        *_of_findings(compared, study),
        *_of_thresholds(compared, member),
    ]
    order = list(KINDS)
    reasons = _reasons(study)
    explained = [replace(one, reasons=(*one.reasons, *reasons.get(one.key, ()))) for one in found]
    return sorted(explained, key=lambda one: order.index(one.kind))


def _reasons(study: Study) -> Mapping[str, Sequence[Reason]]:
    found: dict[str, list[Reason]] = defaultdict(list)
    for one in DeviationReason.objects.filter(study=study).select_related("written_by").order_by("pk"):
        found[one.deviation].append(Reason(one.text, one.written_by.pseudonym, one.written_at))
    return found


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _of_order(
    compared: Sequence[Compared], versions: Sequence[Protocol], member: Membership | None
) -> Iterator[Deviation]:
    """A protocol that came late, or changed when a round was open already."""
    frozen = versions[0].frozen_at
    late = [one for one in compared if frozen and one.round.opened_at and one.round.opened_at < frozen]
    moments = {one.round.pk: frozen for one in late if frozen}
    seen, hidden = first_labels([one.round for one in late], moments, member)
    for one in late:
        url = versions[0].get_absolute_url()
        opened, plan = one.round.opened_at, _("protocol frozen before the round opens")
        if opened and frozen:
            words = _("opened %(opened)s, frozen %(frozen)s")
            yield one.deviation("opened", plan, words % {"opened": _day(opened), "frozen": _day(frozen)}, url)
        plan = _("protocol frozen before the first label")
        if frozen and (first := seen.get(one.round.pk)):
            words = _("first label %(first)s, frozen %(frozen)s")
            yield one.deviation("late", plan, words % {"first": _day(first), "frozen": _day(frozen)}, url)
        elif one.round.pk in hidden:
            yield one.deviation("late", plan, shown_later(), url, is_hidden=True)
    for before, after in pairwise(versions):
        opened_before = [
            one.round
            for one in compared
            if one.round.opened_at and after.frozen_at and one.round.opened_at < after.frozen_at
        ]
        if opened_before and after.frozen_by and after.frozen_at:
            keys = [key for key in FIELDS if before.plan.get(key) != after.plan.get(key)]
            yield Deviation(
                key=f"changed:version:{after.number}",
                about=_("Version %(n)s") % {"n": after.number},
                version=before.number,
                planned=_("version %(n)s stays") % {"n": before.number},
                happened=_("version %(n)s changed: %(fields)s")
                % {"n": after.number, "fields": listed([str(FIELDS[key].name) for key in keys]) or "–"},
                url=after.get_absolute_url(),
                reasons=(Reason(after.reason, after.frozen_by.pseudonym, after.frozen_at),),
            )


def _of_rounds(rounds: Sequence[Round], protocol: Protocol) -> Iterator[Deviation]:
    """More opened rounds of a kind than the protocol in force plans."""
    for key, kind in COUNTED.items():
        planned = protocol.plan.get(key)
        opened = [one for one in rounds if one.kind == kind]
        if planned is not None and len(opened) > planned:
            yield Deviation(
                key=f"unplanned:{kind}",
                about=str(FIELDS[key].name),
                version=protocol.number,
                planned=str(planned),
                happened=f"{len(opened)} ({listed([one.name for one in opened])})",
                url=reverse("rounds", args=[protocol.study.slug]),
            )


def _of_setup(compared: Sequence[Compared], study: Study) -> Iterator[Deviation]:
    """How each main round was set up. Nothing of it depends on a label."""
    rounds = [one.round for one in compared]
    seats, sizes, coached, samples = seats_of(rounds), sizes_of(rounds), coached_of(rounds), samples_of(study)
    for one in compared:
        round_ = one.round
        seated = seats.get(round_.pk, Seats())
        yield from one.differs("raters", seated.now, _seated(seated))
        yield from one.differs("per_issue", round_.labels_per_issue)
        if one.protocol.version_id and one.protocol.version_id != round_.version_id:
            url = reverse("taxonomy", args=[round_.version.taxonomy_id])
            yield one.deviation("taxonomy", one.plan.get("taxonomy", ""), named(round_.version), url)
        yield from _of_rule(one)
        yield from one.differs("size", sizes.get(round_.pk, 0))
        sample = samples.get(str(round_.selection.get("source", "")))
        yield from one.differs(
            "seed",
            sample.seed if sample else None,
            str(sample.seed) if sample else _("the issues of the round are no sample"),
            sample.get_absolute_url() if sample else "",
        )
        yield from one.differs("order", round_.order)
        yield from one.differs("reveal", round_.reveal)
        count = coached.get(round_.pk, 0)
        words = ngettext("%(n)s issue kept", "%(n)s issues kept", count) % {"n": count}
        if one.plan.get("coached") == LEFT_OUT and count:
            yield from one.differs("coached", KEPT, words)
        # Labels at a theme can be reported by type; those at a type cannot be reported by theme.
        if LEVELS.get(str(one.plan.get("level")), 0) > round_.depth:
            yield from one.differs("level", level_name(round_.depth))


def _seated(seats: Seats) -> str:
    if not seats.left:
        return str(seats.now)
    left = ngettext("%(n)s left the round", "%(n)s left the round", seats.left) % {"n": seats.left}
    return f"{seats.now} ({left})"


def _of_rule(one: Compared) -> Iterator[Deviation]:
    """Another rule, or another majority under the same rule."""
    plan, round_ = one.plan, one.round
    rule, least = plan.get("rule"), plan.get("majority")
    is_other = least is not None and rule == Round.Rule.MAJORITY and least != round_.majority
    if rule is not None and (rule != round_.rule or is_other):
        yield one.deviation("rule", _rule(rule, least), _rule(round_.rule, round_.majority))


def _rule(rule: str, majority: int | None) -> str:
    words = FIELDS["rule"].in_words(rule)
    if rule == Round.Rule.MAJORITY and majority is not None:
        return f"{words} ({_('at least %(n)s') % {'n': majority}})"
    return words


def _of_findings(compared: Sequence[Compared], study: Study) -> Iterator[Deviation]:
    """Frozen findings that rest first on another number than planned; every member may read them."""
    by_round = {one.round.pk: one for one in compared}
    fields = ("level", "coefficient")
    for evidence in reported_first(study):
        one = by_round.get(evidence.round_id or 0)
        if one is None:
            continue
        happened = {"level": evidence.level, "coefficient": evidence.figure[-1]}
        planned = {key: one.plan[key] for key in fields if one.plan.get(key) is not None}
        if any(planned[key] != happened[key] for key in planned):
            yield Deviation(
                key=f"reported:finding:{evidence.finding_id}",
                about=f"{_('Finding')} · {one.round.name}",
                version=one.protocol.number,
                planned=", ".join(FIELDS[key].in_words(planned[key]) for key in planned),
                happened=", ".join(FIELDS[key].in_words(happened[key]) for key in planned),
                url=evidence.finding.get_absolute_url(),
            )


def _of_thresholds(compared: Sequence[Compared], member: Membership | None) -> Iterator[Deviation]:
    """Closed rounds whose planned coefficient is below the threshold, or undefined."""
    asked = [
        one
        for one in compared
        if one.round.closed_at and one.plan.get("threshold") is not None and one.plan.get("coefficient")
    ]
    found = reached([(one.round, one.protocol) for one in asked], member)
    for one in asked:
        least, got = float(one.plan["threshold"]), found[one.round.pk]
        level = one.plan.get("level") or level_name(one.round.depth)
        url = f"{reverse('agreement', args=[one.round.pk])}?level={level}"
        coefficient = FIELDS["coefficient"].in_words(one.plan["coefficient"])
        planned = _("%(coefficient)s at least %(least)s") % {
            "coefficient": coefficient,
            "least": number(least),
        }
        if got.is_hidden:
            yield one.deviation("threshold", planned, shown_later(), url, is_hidden=True)
        elif got.value is None:
            yield one.deviation("threshold", planned, _("undefined"), url)
        elif got.value < least:
            yield one.deviation("threshold", planned, number(got.value), url)
