"""The way of a study as a row of stages: state, count and next step of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.models import Round
from annotate.queries.overview import Consensus, Person, StudyCounts
from annotate.queries.rounds import RoundLine
from annotate.queries.screening import excluded_count
from annotate.queries.withheld import held_back
from core.templatetags.crosscheck import count
from studies.models import Membership, Study
from studies.rules import may_lead, may_read_revealed
from taxonomy.models import Level


def percent(part: int, whole: int) -> str:
    """A share to a tenth; only all of them is 100 %, only none of them 0 %."""
    share = 100 * part / whole
    if 0 < share < 0.1:
        return _("under 0.1\N{NO-BREAK SPACE}%")
    text = f"{min(share, 99.9):.1f}" if part < whole else "100"
    return _("%(share)s\N{NO-BREAK SPACE}%%") % {"share": "0" if not part else text}


@dataclass(frozen=True)
class Stage:
    """One stage of the way: `state` is done, now or "" for to come; `url` is its next step."""

    name: str
    state: str
    figure: str
    text: str
    url: str


def stages(
    found: Study,
    member: Membership | None,
    lines: Sequence[RoundLine],
    current: RoundLine | None,
    counts: StudyCounts,
    people: Sequence[Person],
    settled: Mapping[int, Consensus],
    slots: int,
) -> list[Stage]:
    """The stages of a study, in order; `people` and `slots` are those of the current round."""
    leads = may_lead(member)
    return [
        _harvest(found, counts, leads=leads),
        *(
            _rounds_of(found, name, kind, lines, none, member)
            for name, kind, none in (
                (_("Screening"), Round.Kind.SCREENING, _("no screening round")),
                (_("Pilot"), Round.Kind.PILOT, _("no pilot round")),
                (_("Training"), Round.Kind.TRAINING, _("no training round")),
            )
        ),
        _main(found, lines, current, people, slots, leads=leads),
        _consensus(found, member, lines, settled),
        _taxonomy(found, counts, leads=leads),
        _report(found, member, current),
    ]


def _harvest(found: Study, counts: StudyCounts, *, leads: bool) -> Stage:
    if not counts.issues:
        to = reverse("new_import" if leads else "issues", args=[found.slug])
        return Stage(_("Harvest"), "now", "0", _("issues so far"), to)
    text = ngettext("issues, %(n)s repository", "issues, %(n)s repositories", counts.repositories)
    said = text % {"n": count(counts.repositories)}
    return Stage(_("Harvest"), "done", count(counts.issues), said, reverse("issues", args=[found.slug]))


def _rounds_of(
    found: Study,
    name: str,
    kind: str,
    lines: Sequence[RoundLine],
    none: str,
    member: Membership | None,
) -> Stage:
    of_kind = [line for line in lines if line.round.kind == kind]
    if not of_kind:
        to = f"{reverse('new_round', args=[found.slug])}?kind={kind}"
        to = to if may_lead(member) else reverse("rounds", args=[found.slug])
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
    if done and kind == Round.Kind.SCREENING and newest.issues and may_read_revealed(member):
        said = _("of %(n)s issues excluded") % {"n": count(newest.issues)}
        to = reverse("screening", args=[newest.round.pk])
        excluded = excluded_count(newest.round, held_back(newest.round, member))
        return Stage(name, "done", count(excluded), said, to)
    state = "done" if done else "now" if newest.round.opened_at else ""
    return Stage(name, state, count(newest.issues), _state_of(newest), to)


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
    slots: int,
    *,
    leads: bool,
) -> Stage:
    main = next((line for line in lines if line.round.kind == Round.Kind.MAIN and line.round.opened_at), None)
    if main is None:
        to = reverse("new_round" if leads else "rounds", args=[found.slug])
        planned = any(line.round.kind == Round.Kind.MAIN for line in lines)
        return Stage(_("Labelling"), "", _("later"), _("planned") if planned else _("no main round"), to)
    to = reverse("round", args=[main.round.pk])
    if current is None or main.round.pk != current.round.pk or not slots:
        state = "done" if main.round.closed_at else "now"
        return Stage(_("Labelling"), state, count(main.issues), _state_of(main), to)
    labels = sum(person.labels or 0 for person in people)
    state = "done" if labels == slots or main.round.closed_at else "now"
    text = _("%(labels)s of %(slots)s labels") % {"labels": count(labels), "slots": count(slots)}
    return Stage(_("Labelling"), state, percent(labels, slots), text, to)


def _consensus(
    found: Study, member: Membership | None, lines: Sequence[RoundLine], settled: Mapping[int, Consensus]
) -> Stage:
    opened = [line for line in lines if line.complete and line.round.kind not in Round.APART]
    if not opened or not may_read_revealed(member):
        text = _("when issues are complete")
        return Stage(_("Consensus"), "", _("later"), text, reverse("rounds", args=[found.slug]))
    nothing = Consensus()
    counts = [(line, settled.get(line.round.pk, nothing)) for line in opened]
    line = next((line for line, one in counts if one.left), opened[0])
    left, total = (
        sum(number) for number in zip(*((one.left, one.total) for _line, one in counts), strict=True)
    )
    to = reverse("disagreements", args=[line.round.pk])
    if left:
        if agenda := sum(one.agenda for _line, one in counts):
            text = ngettext(
                "of %(n)s disagreement to settle, %(m)s on an agenda",
                "of %(n)s disagreements to settle, %(m)s on an agenda",
                total,
            )
            return Stage(
                _("Consensus"), "now", count(left), text % {"n": count(total), "m": count(agenda)}, to
            )
        text = ngettext("of %(n)s disagreement to settle", "of %(n)s disagreements to settle", total)
        return Stage(_("Consensus"), "now", count(left), text % {"n": count(total)}, to)
    is_over = all(line.complete == line.issues for line in opened)
    text = ngettext("of %(n)s disagreement open", "of %(n)s disagreements open", total) % {"n": count(total)}
    return Stage(_("Consensus"), "done" if is_over else "now", "0", text, to)


def _taxonomy(found: Study, counts: StudyCounts, *, leads: bool) -> Stage:
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
