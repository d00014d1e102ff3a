"""Sentences for what limits the independence of labels, and the rule by which categories came to be."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.agreement_report import AgreementReport
from reports.sentences.numbers import grouped, listed
from rounds.models import Round


def coached(report: AgreementReport) -> str:
    """How many of the issues volunteers were coached on; "" if there are none, or they are left out."""
    if not report.coached or report.without_coached:
        return ""
    said = ngettext(
        "%(n)s of these issues was in a pilot or training before, where volunteers discussed the issue or"
        " saw its right label.",
        "%(n)s of these issues were in a pilot or training before, where volunteers discussed the issues or"
        " saw their right labels.",
        report.coached,
    )
    return said % {"n": grouped(report.coached)}


def looked_at_again(report: AgreementReport) -> str:
    """How many issues were in a second look, and that the first labels are counted; "" for none."""
    if not report.again:
        return ""
    said = ngettext(
        "%(n)s of these issues was in a second look, after its first labels were revealed. All numbers are of"
        " the first labels.",
        "%(n)s of these issues were in a second look, after their first labels were revealed. All numbers are"
        " of the first labels.",
        report.looked_at_again,
    )
    return said % {"n": grouped(report.looked_at_again)}


def without_vote(report: AgreementReport) -> str:
    """The categories that were added or split without a vote after volunteers had labelled; "" for none."""
    if not report.alone:
        return ""
    said = ngettext(
        "%(n)s category was added or split without a vote, after labelling had begun: %(codes)s.",
        "%(n)s categories were added or split without a vote, after labelling had begun: %(codes)s.",
        len(report.alone),
    )
    return said % {"n": grouped(len(report.alone)), "codes": listed(report.alone)}


def without_training(report: AgreementReport) -> str:
    """Who labelled without a passed training, because a lead let them in; "" for nobody."""
    let_in = report.admissions.volunteers
    if not let_in:
        return ""
    said = ngettext(
        "%(n)s of %(all)s volunteers labelled without a passed training (let in by a lead): %(volunteers)s.",
        "%(n)s of %(all)s volunteers labelled without a passed training (let in by a lead): %(volunteers)s.",
        len(let_in),
    )
    given = {"n": grouped(len(let_in)), "all": grouped(report.admissions.of), "volunteers": listed(let_in)}
    return said % given


def forge_labels(report: AgreementReport) -> str:
    """Could the volunteers see the labels of the forge? "" for a published study, which does not say it.
    Nobody knows what they looked at, or whether an issue has labels.
    """
    if report.round.is_imported:
        return ""
    if report.round.forge_labels == Round.ForgeLabels.HIDDEN:
        return _(
            "The labels that the issue reports have on their forge were hidden from the volunteers until the"
            " reveal."
        )
    return _("The volunteers could see the labels that the issue reports have on their forge.")


def drift_check(report: AgreementReport) -> str:
    """How many issues were to come a second time, were labelled again, and were lost; "" for none."""
    found = report.repeats
    if found is None:
        return ""
    said = ngettext(
        "Drift check: %(n)s issue was to come to its volunteer a second time. Labelled again: %(labelled)s."
        " Lost, because the labels of the issue were revealed first: %(lost)s.",
        "Drift check: %(n)s issues were to come to their volunteers a second time. Labelled again:"
        " %(labelled)s. Lost, because the labels of the issue were revealed first: %(lost)s.",
        found.planned,
    )
    counts = {"n": found.planned, "labelled": found.labelled, "lost": found.lost}
    return said % {name: grouped(number) for name, number in counts.items()}
