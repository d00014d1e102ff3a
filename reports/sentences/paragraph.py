"""The paragraph for a paper: who labelled what and how, the agreement, what its interval assumes."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agreement import Agreement, Coefficient
from core.text.joining import clauses, remarks
from reports.agreement_report import AgreementReport
from reports.formats.tables import number
from reports.queries.independence import Signs, suspicions
from reports.sentences.agreement import COACHED, LEFT_OUT, categories_at, compared, counted, undecided
from reports.sentences.independence import how_labels_were_given, what_the_search_found
from reports.sentences.intervals import what_the_interval_assumes
from reports.sentences.limits import (
    coached,
    drift_check,
    forge_labels,
    looked_at_again,
    without_training,
    without_vote,
)
from reports.sentences.numbers import grouped, in_brackets, listed, reason_in_words, undefined
from reports.sentences.settling import how_disagreements_were_settled, kind_of_variable
from reports.sentences.types import why_types_differ
from reports.sentences.weighted import with_partial_credit
from taxonomy.models import Level


def how_to_report(report: AgreementReport) -> str:
    """The paragraph with all that it says; a large study takes about a second for the first time."""
    return paragraph(report, suspicions(report))


def paragraph(report: AgreementReport, signs: Signs | None) -> str:
    """A paragraph for the paper: volunteers, issues, labels, how independent they are, agreement with its
    interval and what this assumes, what is left out. `signs` of dependence are None while they are unknown.

    It begins with a warning if issues are withheld from the reader.
    """
    found = report.overall
    sentences = [
        _published_by_another(report),
        _who_labelled(report),
        how_labels_were_given(report),
        what_the_search_found(report, signs),
        without_training(report),
        forge_labels(report),
        coached(report),
        looked_at_again(report),
        without_vote(report),
    ]
    if found.raters < 2:
        sentences.append(
            _("Only one volunteer labelled, so there is no agreement between volunteers to report.")
        )
    else:
        sentences += [
            kind_of_variable(report),
            compared(found),
            _agreement_sentence(found),
            what_the_interval_assumes(report),
            with_partial_credit(report),
        ]
        # The kappa of types within one decided type means nothing: the range of types is restricted there.
        if report.level != Level.TYPE:
            sentences += [_by_type(report), why_types_differ(report), undecided(report)]
        sentences.append(how_disagreements_were_settled(report))
    sentences += [_drift(report), drift_check(report) if report.repeats and report.repeats.lost else ""]
    omitted = [f"{grouped(part.count)} {part.text}" for part in counted(found.left_out, LEFT_OUT)]
    if report.coached and report.without_coached:
        omitted.append(f"{grouped(report.coached)} {COACHED % report.coached}")
    if omitted:
        sentences.append(_("Left out: %(what)s.") % {"what": listed(omitted)})
    if any("]*" in sentence for sentence in sentences):
        sentences.append(
            _("An asterisk marks an uncertain interval: it rests on few issues, or on many with one label.")
        )
    return " ".join(sentence for sentence in sentences if sentence)


def _who_labelled(report: AgreementReport) -> str:
    """Volunteers, issues, categories, labels; labels that were given here were given blind."""
    found = report.overall
    said = {
        "volunteers": ngettext("%(n)s volunteer", "%(n)s volunteers", found.raters) % {"n": found.raters},
        "issues": ngettext("%(n)s issue report", "%(n)s issue reports", found.issues)
        % {"n": grouped(found.issues)},
        "categories": categories_at(report.level, found.choosable),
        "labels": ngettext("%(n)s label", "%(n)s labels", found.labels) % {"n": grouped(found.labels)},
        "each": report.round.labels_per_issue,
    }
    # If k was raised after issues were revealed, issues have different numbers of labels.
    is_some = not report.columns and found.equal_labels
    if report.round.is_imported or found.raters < 2:
        text = _("%(volunteers)s labelled %(issues)s with one of %(categories)s (%(labels)s).")
    elif is_some:
        text = _(
            "%(each)s of %(volunteers)s labelled each of %(issues)s with one of %(categories)s (%(labels)s),"
            " without seeing each other’s labels."
        )
    else:
        text = _(
            "%(volunteers)s labelled %(issues)s with one of %(categories)s (%(labels)s), without seeing each"
            " other’s labels."
        )
    return text % said


def _published_by_another(report: AgreementReport) -> str:
    """The same warning for the paragraph that people copy; "" without withheld issues."""
    if not report.withheld:
        return ""
    return ngettext(
        "[Not for publication: %(n)s of %(all)s issues is missing, because its reader still has to label it"
        " in another round. Publish the numbers of a member who sees all issues.]",
        "[Not for publication: %(n)s of %(all)s issues are missing, because their reader still has to label"
        " them in another round. Publish the numbers of a member who sees all issues.]",
        report.withheld,
    ) % {"n": grouped(report.withheld), "all": grouped(report.complete + report.withheld)}


def _agreement_sentence(found: Agreement) -> str:
    kappa = found.coefficients["fleiss_kappa"]
    others = clauses(
        f"{name} = {number(found.coefficients[key].value)}"
        for key, name in (("krippendorff_alpha", _("Krippendorff’s α")), ("gwet_ac1", _("Gwet’s AC1")))
        if found.coefficients[key].value is not None
    )
    agreement = number(found.coefficients["percent_agreement"].value)
    if kappa.value is None:
        said = _("Fleiss’ κ is %(undefined)s; percent agreement was %(agreement)s.")
        return said % {"undefined": undefined(kappa.reason), "agreement": agreement or _("undefined")}
    said = _("Agreement before consensus was Fleiss’ %(kappa)s (%(beside)s).")
    beside = [_("percent agreement %(value)s") % {"value": agreement}, *([others] if others else [])]
    if kappa.low is not None and kappa.high is not None:
        low_high = {"low": number(kappa.low), "high": number(kappa.high)}
        doubt = [reason_in_words(kappa.doubt.text)] if kappa.doubt else []
        interval = _("95 %% CI [%(low)s, %(high)s], Gwet’s linearised standard error") % low_high
        beside = [interval, *doubt, *beside]
    return said % {"kappa": _kappa(kappa), "beside": remarks(beside)}


def _by_type(report: AgreementReport) -> str:
    parts = [
        _("%(type)s (n = %(issues)s) %(agreement)s")
        % {
            "type": report.codebook.by_code[group.key["type"]].title,
            "issues": grouped(group.agreement.issues),
            "agreement": _in_short(group.agreement),
        }
        for group in report.by("type")
    ]
    return _("By type of the decision: %(parts)s.") % {"parts": remarks(parts)} if parts else ""


def _in_short(found: Agreement) -> str:
    """ "κ = 0.551 [0.122, 0.981], percent agreement 0.648, AC1 = 0.631", without undefined numbers."""
    kappa, agreement, ac1 = (
        found.coefficients[key] for key in ("fleiss_kappa", "percent_agreement", "gwet_ac1")
    )
    said = [f"{_kappa(kappa)}{in_brackets(kappa)}"]
    if agreement.value is not None:
        said.append(_("percent agreement %(value)s") % {"value": number(agreement.value)})
    if ac1.value is not None:
        said.append(f"AC1 = {number(ac1.value)}")
    return clauses(said)


def _drift(report: AgreementReport) -> str:
    """The agreement of the volunteers with themselves; "" without second labels."""
    if report.intra is None or not report.intra.pooled.issues:
        return ""
    pooled = report.intra.pooled
    agreement = pooled.percent_agreement
    beside = [_("Cohen’s %(kappa)s") % {"kappa": _kappa(pooled.cohen_kappa)}]
    if agreement.low is not None and agreement.high is not None:
        low_high = {"low": number(agreement.low), "high": number(agreement.high)}
        beside = [_("95 %% CI [%(low)s, %(high)s], Wilson") % low_high, *beside]
    return ngettext(
        "%(issues)s issue report came to its volunteer a second time, unmarked. Intra-rater agreement was"
        " %(agreement)s (%(beside)s).",
        "%(issues)s issue reports came to their volunteers a second time, unmarked. Intra-rater agreement was"
        " %(agreement)s (%(beside)s).",
        pooled.issues,
    ) % {
        "issues": grouped(pooled.issues),
        "agreement": number(agreement.value),
        "beside": remarks(beside),
    }


def _kappa(found: Coefficient) -> str:
    return f"κ = {number(found.value)}" if found.value is not None else _("κ undefined")
