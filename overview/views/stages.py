"""The stages of a study from the harvest to the report: the state, a figure and the next step of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.queries.samples import precision_of
from consensus.queries.screening import excluded_count
from core.templatetags.crosscheck import count
from core.text.joining import clauses
from harvests.models import Harvest
from harvests.queries.reports import state_of_harvest
from overview.queries.overview import Consensus, StudyCounts
from rounds.models import Round
from rounds.queries.blindness import withheld_issues
from rounds.queries.rounds import RoundLine, volunteers
from rounds.queries.training import training_results
from rounds.rules import may_watch_training
from studies.models import Membership, Study
from studies.rules import may_lead, may_read_revealed
from taxonomy.models import Level


def percent(part: int, whole: int) -> str:
    """A share with one decimal. Only the whole is 100 %, and only nothing is 0 %."""
    share = 100 * part / whole
    if 0 < share < 0.1:
        return _("under 0.1\N{NO-BREAK SPACE}%")
    text = f"{min(share, 99.9):.1f}" if part < whole else "100"
    return _("%(share)s\N{NO-BREAK SPACE}%%") % {"share": "0" if not part else text}


@dataclass(frozen=True)
class Stage:
    """One stage of a study: `state` is "done", "now", or "" if it is yet to come; `url` is its next step.
    `missing` is what later stages lack while it is "now"; "" if nothing waits for it. `waits` is False for a
    stage that can begin before the earlier ones.
    """

    name: str
    state: str
    figure: str
    text: str
    url: str
    missing: str = ""
    waits: bool = True


@dataclass(frozen=True)
class Facts:
    """The state of a study that one member may know; `labels` and `slots` are those of `current`,
    `harvest` is the one that is not finished.
    """

    study: Study
    member: Membership
    lines: Sequence[RoundLine]
    current: RoundLine | None
    counts: StudyCounts
    settled: Mapping[int, Consensus]
    labels: int
    slots: int
    harvest: Harvest | None = None

    @property
    def leads(self) -> bool:
        return may_lead(self.member)

    def page(self, name: str, for_leads: str = "") -> str:
        """The address of a page of the study; leads go to another page, if one is named."""
        return reverse(for_leads if for_leads and self.leads else name, args=[self.study.slug])


def stages(facts: Facts) -> list[Stage]:
    """The stages of a study, in order. One that has not begun names the earlier stage that it waits for, and
    what it lacks, and leads there.
    """
    screening = _rounds_of(facts, _("Screening"), Round.Kind.SCREENING, _("no screening round"))
    pilot = _rounds_of(facts, _("Pilot"), Round.Kind.PILOT, _("no pilot round"))
    training = _rounds_of(facts, _("Training"), Round.Kind.TRAINING, _("no training round"))
    to_pass = _("needs volunteers who passed Training") if _asks_for_a_training(facts) else ""
    before = [
        replace(_harvest(facts), missing=_("needs the issues of Harvest")),
        replace(screening, missing=_("needs the issues that Screening keeps")),
        replace(pilot, missing=_("needs the results of Pilot")),
        _taxonomy(facts),
        replace(training, missing=to_pass),
        _main(facts),
    ]
    return [
        *(_waiting(stage, before[:nth]) for nth, stage in enumerate(before)),
        _consensus(facts),
        _report(facts),
    ]


def _waiting(stage: Stage, earlier: Sequence[Stage]) -> Stage:
    before = next((one for one in earlier if one.state == "now" and one.missing), None)
    if stage.state or not stage.waits or before is None:
        return stage
    return replace(stage, text=before.missing, url=before.url)


def _harvest(facts: Facts) -> Stage:
    counts = facts.counts
    if facts.harvest:
        return _harvest_under_way(facts, facts.harvest)
    if not counts.issues:
        return Stage(_("Harvest"), "now", "0", _("issues so far"), facts.page("issues", "harvests"))
    text = ngettext("issues, %(n)s repository", "issues, %(n)s repositories", counts.repositories)
    text %= {"n": count(counts.repositories)}
    return Stage(_("Harvest"), "done", count(counts.issues), text, facts.page("issues"))


def _harvest_under_way(facts: Facts, harvest: Harvest) -> Stage:
    """A harvest that runs, waits, is paused or failed: its own page for leads, with what came so far."""
    job = harvest.run.job
    to = facts.page("issues")
    if facts.leads:
        to = reverse("harvest", args=[facts.study.slug, harvest.pk])
    words = {
        "queued": _("records, begins soon"),
        "running": _("records, running"),
        "waiting": _("records, waiting for a forge"),
        "paused": _("records, paused"),
    }
    text = words.get(state_of_harvest(harvest, ()), _("records, not finished"))
    if job and job.total and job.finished_at is None:
        text = _("of about %(n)s records, running") % {"n": count(job.total)}
    return Stage(_("Harvest"), "now", count(job.done if job else 0), text, to)


def _rounds_of(facts: Facts, name: str, kind: str, none: str) -> Stage:
    lines = [line for line in facts.lines if line.round.kind == kind]
    if not lines:
        to = f"{facts.page('new_round')}?kind={kind}" if facts.leads else facts.page("rounds")
        return Stage(name, "", _("none"), none, to)
    newest = lines[0]
    to = reverse("round", args=[newest.round.pk])
    closed = sum(bool(line.round.closed_at) for line in lines)
    done = closed == len(lines)
    if len(lines) > 1:
        figure = _("%(n)s rounds") % {"n": len(lines)}
        text = _("all closed") if done else _("%(n)s closed") % {"n": closed}
        if kind == Round.Kind.TRAINING and newest.round.opened_at:
            text = _passed(newest.round, facts.member) or text
        begun = any(line.round.opened_at for line in lines)
        return Stage(name, "done" if done else "now" if begun else "", figure, text, to)
    if done and kind == Round.Kind.SCREENING and newest.issues and may_read_revealed(facts.member):
        to = reverse("screening", args=[newest.round.pk])
        kept = newest.issues - excluded_count(newest.round, withheld_issues(newest.round, facts.member))
        text = _("kept, %(share)s of %(n)s") % {
            "share": percent(kept, newest.issues),
            "n": count(newest.issues),
        }
        return Stage(name, "done", count(kept), text, to)
    state = "done" if done else "now" if newest.round.opened_at else ""
    text = _state_of(newest)
    if kind == Round.Kind.TRAINING:
        text = _passed(newest.round, facts.member) or text
    elif kind == Round.Kind.PILOT:
        text = _precision(newest) or text
    return Stage(name, state, count(newest.issues), text, to)


def _passed(training: Round, member: Membership) -> str:
    """How many of its volunteers passed a training; "" while the reader may not know it."""
    if training.closed_at is None and not may_watch_training(member, training):
        return ""
    seats = volunteers(training).filter(left_at=None)
    found = training_results([(training.pk, seat.member_id) for seat in seats])
    asked = [one for one in found.values() if not one.wrote]
    passed = sum(one.passed for one in asked)
    if not asked:
        return ""
    if passed < len(asked):
        return _("%(passed)s of %(asked)s passed") % {"passed": count(passed), "asked": count(len(asked))}
    return ngettext("the %(n)s volunteer passed", "all %(n)s passed", passed) % {"n": count(passed)}


def _precision(line: RoundLine) -> str:
    """What the sample of a pilot promises, as "issues, ± 5 % at 95 %"; "" if its issues are no sample."""
    found = precision_of(line.round, line.issues)
    if found is None:
        return ""
    margin, level = (f"{100 * share:g}" for share in found)
    text = ngettext(
        "issue, ± %(margin)s\N{NO-BREAK SPACE}%% at %(level)s\N{NO-BREAK SPACE}%%",
        "issues, ± %(margin)s\N{NO-BREAK SPACE}%% at %(level)s\N{NO-BREAK SPACE}%%",
        line.issues,
    )
    return text % {"margin": margin, "level": level}


def _state_of(line: RoundLine) -> str:
    if line.round.closed_at:
        return ngettext("issue, closed", "issues, closed", line.issues)
    if line.round.opened_at:
        return ngettext("issue, open", "issues, open", line.issues)
    return ngettext("issue, planned", "issues, planned", line.issues)


def _main_lines(facts: Facts) -> list[RoundLine]:
    return [line for line in facts.lines if line.round.kind == Round.Kind.MAIN]


def _asks_for_a_training(facts: Facts) -> bool:
    """Does a main round wait for its volunteers to pass a training?"""
    return any(line.round.training_id and not line.round.opened_at for line in _main_lines(facts))


def _main(facts: Facts) -> Stage:
    lines = _main_lines(facts)
    main = next((line for line in lines if line.round.opened_at), None)
    if main is None:
        text = _("planned") if lines else _("no main round")
        return Stage(_("Labelling"), "", _("later"), text, facts.page("rounds", "new_round"))
    to = reverse("round", args=[main.round.pk])
    state = "done" if main.round.closed_at else "now"
    if facts.current != main or not facts.slots:
        return Stage(_("Labelling"), state, count(main.issues), _state_of(main), to)
    labels, slots = facts.labels, facts.slots
    state = "done" if labels == slots else state
    text = _("%(labels)s of %(slots)s labels") % {"labels": count(labels), "slots": count(slots)}
    return Stage(_("Labelling"), state, percent(labels, slots), text, to)


def _consensus(facts: Facts) -> Stage:
    """The disagreements of main rounds: those of a screening or a pilot are no results of the study."""
    lines = [line for line in _main_lines(facts) if line.complete]
    if not lines or not may_read_revealed(facts.member):
        return Stage(_("Consensus"), "", _("later"), _when_complete(facts), facts.page("rounds"))
    counts = [facts.settled.get(line.round.pk, Consensus()) for line in lines]
    line = next((line for line, one in zip(lines, counts, strict=True) if one.left), lines[0])
    to = reverse("disagreements", args=[line.round.pk])
    left, total, agenda = (sum(getattr(one, name) for one in counts) for name in ("left", "total", "agenda"))
    state = "now"
    if not left:
        text = ngettext("of %(n)s disagreement open", "of %(n)s disagreements open", total)
        state = "done" if all(line.complete == line.issues for line in lines) else "now"
    elif agenda:
        text = ngettext(
            "of %(n)s disagreement to decide, %(m)s on an agenda",
            "of %(n)s disagreements to decide, %(m)s on an agenda",
            total,
        )
    else:
        text = ngettext("of %(n)s disagreement to decide", "of %(n)s disagreements to decide", total)
    if total and all(line.round.has_one_label for line, one in zip(lines, counts, strict=True) if one.total):
        # Of one label, nothing differs: a category is missing.
        text = ngettext("of %(n)s proposed name open", "of %(n)s proposed names open", total)
    return Stage(_("Consensus"), state, count(left), text % {"n": count(total), "m": count(agenda)}, to)


def _when_complete(facts: Facts) -> str:
    """What consensus and report wait for: issues of a main round, where only other rounds have labels."""
    if facts.current and facts.current.round.kind != Round.Kind.MAIN:
        return _("when issues of the main round are complete")
    return _("when issues are complete")


def _taxonomy(facts: Facts) -> Stage:
    version, levels = facts.counts.version, facts.counts.categories
    if version is None:
        state = "now" if facts.counts.issues else ""
        to = facts.page("taxonomies", "new_taxonomy")
        missing = _("needs a published Taxonomy")
        return Stage(_("Taxonomy"), state, _("none"), _("no taxonomy yet"), to, missing, waits=False)
    types, themes, sub_themes = (levels.get(level, 0) for level in (Level.TYPE, Level.THEME, Level.SUB_THEME))
    parts = [
        (types, ngettext("%(n)s type", "%(n)s types", types)),
        (themes, ngettext("%(n)s theme", "%(n)s themes", themes)),
        (sub_themes, ngettext("%(n)s sub-theme", "%(n)s sub-themes", sub_themes)),
    ]
    text = clauses([text % {"n": n} for n, text in parts if n][:2])
    to = f"{reverse('taxonomy', args=[version.taxonomy_id])}?version={version.number}"
    if facts.counts.draft is None:
        return Stage(_("Taxonomy"), "done", f"v{version.number}", text, to)
    text = _("draft of v%(n)s") % {"n": facts.counts.draft}
    if proposals := facts.counts.proposals:
        text = ngettext("%(draft)s, %(n)s proposal", "%(draft)s, %(n)s proposals", proposals) % {
            "draft": text,
            "n": count(proposals),
        }
    # Rounds follow a version that comes later: nothing waits for a draft.
    return Stage(_("Taxonomy"), "now", f"v{version.number}", text, to)


def _report(facts: Facts) -> Stage:
    current = facts.current
    if current and current.round.kind == Round.Kind.SCREENING:
        text = _("when the kept issues are labelled")
        return Stage(_("Report"), "", _("later"), text, facts.page("rounds"))
    if current is None or current.round.kind != Round.Kind.MAIN:
        return Stage(_("Report"), "", _("later"), _when_complete(facts), facts.page("rounds"))
    if not current.complete or not may_read_revealed(facts.member):
        text = _("when the round closes") if current.complete is None else _when_complete(facts)
        return Stage(_("Report"), "", _("later"), text, facts.page("rounds"))
    text = ngettext("agreement of %(n)s issue", "agreement of %(n)s issues", current.complete)
    state = "done" if current.round.closed_at or current.complete == current.issues else "now"
    to = reverse("agreement", args=[current.round.pk])
    return Stage(_("Report"), state, _("ready"), text % {"n": count(current.complete)}, to)
