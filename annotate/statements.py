"""What an agreement report says in words: reasons, names, what is left out, and how to report it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from annotate.agreement import Agreement, CategoryKappa, Coefficient, Reason, Sign, Volunteers, landis_koch
from annotate.models import Round
from annotate.reports import AgreementReport
from annotate.tables import number
from taxonomy.models import Level

SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

FEW_LABELS = 30
"""Below this many labels the interval of a category is too narrow: its error holds for large samples."""

HIGH_AGREEMENT = 0.8
LOW_KAPPA = 0.6
"""Agreement from the first on with a kappa up to the second, or undefined: the paradox of one category."""

# Translators: the words of Landis and Koch (1977) for the size of a kappa.
LANDIS_KOCH_WORDS = {
    "poor": pgettext_lazy("Landis and Koch", "poor"),
    "slight": pgettext_lazy("Landis and Koch", "slight"),
    "fair": pgettext_lazy("Landis and Koch", "fair"),
    "moderate": pgettext_lazy("Landis and Koch", "moderate"),
    "substantial": pgettext_lazy("Landis and Koch", "substantial"),
    "almost_perfect": pgettext_lazy("Landis and Koch", "almost perfect"),
}

# Name of a coefficient, and in a few words what is particular about it.
COEFFICIENTS = {
    "percent_agreement": (gettext_lazy("Percent agreement"), gettext_lazy("no correction for chance")),
    "fleiss_kappa": (gettext_lazy("Fleiss’ kappa"), gettext_lazy("shares of all labels")),
    "krippendorff_alpha": (gettext_lazy("Krippendorff’s alpha"), gettext_lazy("nominal, small samples")),
    "gwet_ac1": (gettext_lazy("Gwet’s AC1"), gettext_lazy("steady under skew")),
    "brennan_prediger": (gettext_lazy("Brennan–Prediger"), gettext_lazy("every category as likely")),
    "light_kappa": (gettext_lazy("Light’s kappa"), gettext_lazy("mean over pairs")),
}

BALLOTS_KNOW = gettext_lazy(
    "Report the first number. The ballots know of each other: the second says how far the team came together"
    " by talking, is no measure of how clear the categories are, and has no interval."
)
"""Of agreement before and after consensus."""


@dataclass(frozen=True)
class Definition:
    """One coefficient as the definitions list it; `formula` is the same in every language."""

    key: str
    text: str
    formula: str
    source: str


def definitions() -> list[Definition]:
    """How every number of the report is made, with its source."""
    return [
        Definition(
            "percent_agreement",
            _("The share of pairs of labels of one issue that are the same, averaged over the issues with two labels or more. It knows nothing of chance: with few categories it is high by itself."),  # noqa: E501
            "p_a = mean over i of Σ_k n_ik (n_ik − 1) / (r_i (r_i − 1))",
            "—",
        ),
        Definition(
            "fleiss_kappa",
            _("Agreement beyond chance, where chance draws each label by the shares of the categories among all labels: 1 is perfect, 0 is chance."),  # noqa: E501
            "κ = (p_a − p_e) / (1 − p_e),  p_e = Σ_k p_k²",
            "Fleiss (1971), Psychological Bulletin 76(5), 378–382; Gwet (2014) where issues have unequal numbers of labels",  # noqa: E501
        ),
        Definition(
            "krippendorff_alpha",
            _("Observed against expected disagreement, nominal, with a correction for small samples; issues with one label are left out."),  # noqa: E501
            "α = 1 − (n − 1) Σ_i (r_i² − Σ_k n_ik²) / (r_i − 1) / (n² − Σ_k n_k²)",
            "Krippendorff (2019), Content Analysis, 4th ed.",
        ),
        Definition(
            "gwet_ac1",
            _("Agreement beyond chance, where chance is at work only on issues that are hard: it stays steady when one category is far more frequent than the others."),  # noqa: E501
            "AC1 = (p_a − p_e) / (1 − p_e),  p_e = Σ_k π_k (1 − π_k) / (q − 1)",
            "Gwet (2008), British Journal of Mathematical and Statistical Psychology 61, 29–48",
        ),
        Definition(
            "brennan_prediger",
            _("Agreement beyond chance, where chance takes every category of the codebook as equally likely, used or not."),  # noqa: E501
            "(p_a − p_e) / (1 − p_e),  p_e = 1 / q",
            "Brennan and Prediger (1981), Educational and Psychological Measurement 41, 687–699; Randolph (2005)",  # noqa: E501
        ),
        Definition(
            "light_kappa",
            _("The mean of Cohen’s kappas of all pairs of volunteers; each kappa corrects with the two volunteers’ own shares, over the issues that both labelled."),  # noqa: E501
            "mean over pairs of (p_o − p_e) / (1 − p_e),  p_e = Σ_k p_1k p_2k",
            "Light (1971), Psychological Bulletin 76(5), 365–377; Cohen (1960)",
        ),
        Definition(
            "category_kappa",
            _("Fleiss’ kappa of one category against all others taken together, over the issues with two labels or more."),  # noqa: E501
            "κ_k = 1 − Σ_i n_ik (r − n_ik) / (N r (r − 1) p_k (1 − p_k))",
            "Fleiss (1971)",
        ),
        Definition(
            "intra_rater",
            _("Each volunteer against themselves: the label of an issue that came to them a second time, unmarked, against their first one. The share of equal pairs with Wilson’s interval, and Cohen’s kappa with its large-sample error from 30 issues on."),  # noqa: E501
            "κ = (p_o − p_e) / (1 − p_e),  p_e = Σ_k p_1k p_2k",
            "Cohen (1960); Fleiss, Cohen and Everitt (1969), Psychological Bulletin 72(5), 323–327; Wilson (1927)",  # noqa: E501
        ),
        Definition(
            "interval",
            _("Gwet’s linearised standard error with Student’s t over the issues, the upper end cut at 1. The older error of Fleiss, Nee and Landis (1979) holds for a kappa of 0 only and is not used. With few labels in a category the interval is too narrow."),  # noqa: E501
            "κ ± t(N − 1) · SE,  SE² = Σ_i (κ_i − κ)² / (N (N − 1))",
            "Gwet (2021), Handbook of Inter-Rater Reliability, 5th ed.",
        ),
    ]  # fmt: skip


DEFINED = {
    **{key: name for key, (name, _hint) in COEFFICIENTS.items()},
    "category_kappa": gettext_lazy("Kappa of one category"),
    "intra_rater": gettext_lazy("Intra-rater agreement"),
    "interval": gettext_lazy("95 % interval"),
}


def undefined(reason: Reason | None) -> str:
    """Why there is no value: "undefined: all labels are the same category"."""
    return _("undefined: %(reason)s") % {"reason": _((reason or Reason.NO_LABELS).text)}


def no_interval(reason: Reason | None) -> str:
    """Why there is a value and no interval; "" without a reason."""
    return _("no interval: %(reason)s") % {"reason": _(reason.text)} if reason else ""


def span(low: float | None, high: float | None) -> str:
    """An interval for people: "0.784 to 0.789"; "" without one."""
    if low is None or high is None:
        return ""
    return _("%(low)s to %(high)s") % {"low": number(low), "high": number(high)}


def signed(value: float | None) -> str:
    """A difference for people: "+0.012", "−0.004", "0.000"; "" without one."""
    text = number(value)
    return text if not text or text[0] == "−" or float(text) == 0 else f"+{text}"


def sign_of_dependence(sign: Sign, columns: Sequence[str]) -> str:
    """A sign in a sentence, volunteers by their pseudonyms."""
    said = {
        "volunteers": _listed([columns[rater] for rater in sign.raters]),
        "issues": _count(sign.issues),
        "observed": formats.number_format(round(sign.observed, 2), force_grouping=True),
        "reference": formats.number_format(round(sign.reference, 1), force_grouping=True),
        "differing": sign.differing,
    }
    return _(sign.kind.text) % said


def planning(report: AgreementReport, within: float, issues: int, volunteers: Volunteers) -> list[str]:
    """How many issues, or volunteers, narrow the interval of Fleiss' kappa to ± `within`."""
    said = {"within": number(within), "issues": _count(issues), "labels": report.round.labels_per_issue}
    now = report.overall.issues
    sentences = [
        _("With %(labels)s labels an issue, ± %(within)s takes %(issues)s issues: these are enough.") % said
        if issues <= now
        else ngettext(
            "With %(labels)s labels an issue, ± %(within)s takes %(issues)s issues: %(more)s more.",
            "With %(labels)s labels an issue, ± %(within)s takes %(issues)s issues: %(more)s more.",
            issues - now,
        )
        % {**said, "more": _count(issues - now)}
    ]
    if volunteers.needed is not None:
        text = ngettext(
            "With these issues it takes %(n)s volunteer labelling each of them.",
            "With these issues it takes %(n)s volunteers labelling each of them.",
            volunteers.needed,
        )
        sentences.append(text % {"n": _count(volunteers.needed)})
    elif volunteers.narrowest is not None:
        text = _(
            "With these issues no number of volunteers is enough: ever more of them come close to"
            " ± %(narrowest)s."
        )
        sentences.append(text % {"narrowest": number(volunteers.narrowest)})
    else:
        text = _("How many volunteers it takes with these issues is not known: %(reason)s.")
        sentences.append(text % {"reason": _((volunteers.reason or Reason.NO_LABELS).text)})
    return sentences


def small(probability: float) -> str:
    """A small probability: "p = 0.0004", and from 1 in a million on a power of ten, "p < 10⁻¹²"."""
    if probability >= 1e-6:
        return f"p = {probability:.2g}"
    power = str(-math.ceil(math.log10(probability)))
    return f"p < 10⁻{power.translate(SUPERSCRIPT)}"


def landis_koch_word(value: float) -> str:
    return str(LANDIS_KOCH_WORDS[landis_koch(value)])


def is_paradox(found: Agreement) -> bool:
    """Do people agree while kappa says little: one category is so frequent that chance explains it?"""
    agreement = found.coefficients["percent_agreement"].value
    kappa = found.coefficients["fleiss_kappa"]
    if agreement is None or agreement < HIGH_AGREEMENT:
        return False
    return kappa.reason == Reason.ONE_CATEGORY or (kappa.value is not None and kappa.value <= LOW_KAPPA)


def few_labels(categories: Iterable[CategoryKappa]) -> list[CategoryKappa]:
    """The categories that were chosen, but so rarely that their kappa says little."""
    return [category for category in categories if 0 < category.labels < FEW_LABELS]


def categories_at(level: Level, count: int) -> str:
    """ "3 types", "18 themes", "69 sub-themes"."""
    said = {
        Level.TYPE: ngettext("%(n)s type", "%(n)s types", count),
        Level.THEME: ngettext("%(n)s theme", "%(n)s themes", count),
        Level.SUB_THEME: ngettext("%(n)s sub-theme", "%(n)s sub-themes", count),
    }
    return said[level] % {"n": _count(count)}


@dataclass(frozen=True)
class LeftOut:
    """How many of what is not counted, and why."""

    count: int
    text: str


def left_out(report: AgreementReport) -> list[LeftOut]:
    """What the report does not count; the nothings as well, since a reader asks for them."""
    said = _left_out_of_all(report)
    if report.withheld:
        text = ngettext(
            "issue that who made this report still has to label in another round",
            "issues that who made this report still has to label in another round",
            report.withheld,
        )
        said.append(LeftOut(report.withheld, text))
    return said


def _left_out_of_all(report: AgreementReport) -> list[LeftOut]:
    """What the report counts for nobody, whoever made it."""
    found = report.overall.left_out
    labels = found.get("labels_of_incomplete_issues", 0)
    issues = found.get("incomplete_issues", 0)
    said = [
        LeftOut(issues, ngettext("issue that lacks labels", "issues that lack labels", issues)),
        LeftOut(labels, ngettext("label of such an issue", "labels of such issues", labels)),
    ]
    surplus = found.get("surplus_labels", 0)
    text = ngettext(
        "surplus label, given after its slot went to somebody else",
        "surplus labels, given after their slots went to somebody else",
        surplus,
    )
    said.append(LeftOut(surplus, text))
    if open_labels := found.get("open_labels", 0):
        text = ngettext(
            "open label, whose category is yet to come",
            "open labels, whose categories are yet to come",
            open_labels,
        )
        said.append(LeftOut(open_labels, text))
    if above := found.get("labels_above_the_level", 0):
        text = ngettext("label that stops above this level", "labels that stop above this level", above)
        said.append(LeftOut(above, text))
    return said


def not_of_the_study(report: AgreementReport) -> str:
    """A warning where the numbers are not those for the paper: issues are held back; "" if none."""
    if not report.withheld:
        return ""
    return ngettext(
        "These are not the study’s numbers: %(n)s of %(all)s issues is held back from you. Publish those of"
        " somebody from whom nothing is.",
        "These are not the study’s numbers: %(n)s of %(all)s issues are held back from you. Publish those of"
        " somebody from whom nothing is.",
        report.withheld,
    ) % {"n": _count(report.withheld), "all": _count(report.complete + report.withheld)}


def _published_by_another(report: AgreementReport) -> str:
    """The same in the paragraph itself, since it is what people copy; "" if nothing is held back."""
    if not report.withheld:
        return ""
    return ngettext(
        "[Not for publication: %(n)s of %(all)s issues is missing here, because whoever made this still has"
        " to label it in another round. Publish the numbers of a member who has all issues.]",
        "[Not for publication: %(n)s of %(all)s issues are missing here, because whoever made this still has"
        " to label them in another round. Publish the numbers of a member who has all issues.]",
        report.withheld,
    ) % {"n": _count(report.withheld), "all": _count(report.complete + report.withheld)}


def undecided(report: AgreementReport) -> str:
    """How many issues the groups by type leave out for want of a decision, and what that does; "" if none."""
    count = report.undecided("type")
    if not count:
        return ""
    return ngettext(
        "%(n)s of %(all)s complete issues has no decision yet: it is in no type, and agreement inside the"
        " types looks higher than it is.",
        "%(n)s of %(all)s complete issues have no decision yet: they are in no type, and agreement inside the"
        " types looks higher than it is.",
        count,
    ) % {"n": _count(count), "all": _count(report.complete)}


def compared(found: Agreement) -> str:
    """How many issues have labels to compare; "" where all have, or none."""
    if not 0 < found.compared < found.issues:
        return ""
    return ngettext(
        "Only %(n)s of the %(all)s issues has two labels or more at this level: all agreement is measured"
        " on it.",
        "Only %(n)s of the %(all)s issues have two labels or more at this level: all agreement is measured"
        " on them.",
        found.compared,
    ) % {"n": _count(found.compared), "all": _count(found.issues)}


def what_is_missing(round_: Round, report: AgreementReport) -> str:
    """Why there is nothing to report yet, and what it takes."""
    if round_.opened_at is None:
        return _("This round is not open yet, so nobody has labelled.")
    if not round_.closed_at and round_.reveal == Round.Reveal.ROUND_CLOSED:
        return _("The labels of this round stay hidden until it is closed; then its agreement stands here.")
    found = report.overall.left_out
    if found.get("labels_above_the_level"):
        return _("No label of this round goes down to this level.")
    issues, labels = found.get("incomplete_issues", 0), found.get("labels_of_incomplete_issues", 0)
    if not issues and report.withheld:
        return _("All issues of this round are held back from you until you have labelled them in another.")
    if not issues:
        return _("This round has no issues.")
    return _lacking(issues, labels, round_.labels_per_issue)


def _lacking(issues: int, labels: int, each: int) -> str:
    """That no issue has all of its labels."""
    if each == 1:
        return ngettext(
            "The only issue has no label yet.", "None of the %(issues)s issues has its label yet.", issues
        ) % {"issues": _count(issues)}
    return ngettext(
        "None of the %(issues)s issues has all of its %(each)s labels yet; %(labels)s label is in so far.",
        "None of the %(issues)s issues has all of its %(each)s labels yet; %(labels)s labels are in so far.",
        labels,
    ) % {"issues": _count(issues), "each": each, "labels": _count(labels)}


def how_to_report(report: AgreementReport) -> str:
    """A paragraph for the paper: who labelled what, agreement with its interval, what is left out.

    Where issues are held back from who made it, it says so first.
    """
    found = report.overall
    said = {
        "volunteers": ngettext("%(n)s volunteer", "%(n)s volunteers", found.raters) % {"n": found.raters},
        "issues": ngettext("%(n)s issue report", "%(n)s issue reports", found.issues)
        % {"n": _count(found.issues)},
        "categories": categories_at(report.level, len(found.categories)),
        "labels": ngettext("%(n)s label", "%(n)s labels", found.labels) % {"n": _count(found.labels)},
        "each": report.round.labels_per_issue,
    }
    crossed = _("%(volunteers)s independently labelled %(issues)s with one of %(categories)s (%(labels)s).")
    some = _(
        "%(each)s of %(volunteers)s independently labelled each of %(issues)s with one of %(categories)s"
        " (%(labels)s)."
    )
    # Where k was raised while issues were revealed already, no one number of labels is true of each issue.
    who = some if not report.columns and found.equal_labels else crossed
    sentences = [_published_by_another(report), who % said]
    if found.raters < 2:
        sentences.append(_("One volunteer labelled, so there is no agreement between volunteers to report."))
    else:
        sentences += [compared(found), _agreement_sentence(found)]
        # The kappa of types within one decided type says nothing: their range is restricted there.
        if report.level != Level.TYPE:
            sentences += [_by_type(report), undecided(report)]
    sentences.append(_drift(report))
    if omitted := [f"{_count(part.count)} {part.text}" for part in _left_out_of_all(report) if part.count]:
        sentences.append(_("Left out: %(what)s.") % {"what": _listed(omitted)})
    return " ".join(sentence for sentence in sentences if sentence)


def _agreement_sentence(found: Agreement) -> str:
    kappa = found.coefficients["fleiss_kappa"]
    others = ", ".join(
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
        beside = [_("95 %% CI [%(low)s, %(high)s], Gwet’s linearised standard error") % low_high, *beside]
    return said % {"kappa": _kappa(kappa), "beside": "; ".join(beside)}


def _by_type(report: AgreementReport) -> str:
    parts = [
        _("%(type)s (n = %(issues)s) %(agreement)s")
        % {
            "type": report.codebook.by_code[group.key["type"]].name,
            "issues": _count(group.agreement.issues),
            "agreement": _in_short(group.agreement),
        }
        for group in report.by("type")
    ]
    return _("By type of the decision: %(parts)s.") % {"parts": "; ".join(parts)} if parts else ""


def _in_short(found: Agreement) -> str:
    """ "κ = 0.551 [0.122, 0.981], percent agreement 0.648, AC1 = 0.631": what there is of it."""
    kappa, agreement, ac1 = (
        found.coefficients[key] for key in ("fleiss_kappa", "percent_agreement", "gwet_ac1")
    )
    said = [_kappa(kappa)]
    if kappa.low is not None and kappa.high is not None:
        said = [f"{said[0]} [{number(kappa.low)}, {number(kappa.high)}]"]
    if agreement.value is not None:
        said.append(_("percent agreement %(value)s") % {"value": number(agreement.value)})
    if ac1.value is not None:
        said.append(f"AC1 = {number(ac1.value)}")
    return ", ".join(said)


def _drift(report: AgreementReport) -> str:
    """Agreement of the volunteers with themselves; "" where no issue came twice."""
    if report.intra is None or not report.intra.pooled.issues:
        return ""
    pooled = report.intra.pooled
    agreement, interval = pooled.percent_agreement, ""
    if agreement.low is not None and agreement.high is not None:
        low_high = {"low": number(agreement.low), "high": number(agreement.high)}
        interval = _("95 %% CI [%(low)s, %(high)s], Wilson; ") % low_high
    return ngettext(
        "%(issues)s issue report came to its volunteer a second time, unmarked: intra-rater agreement was"
        " %(agreement)s (%(interval)sCohen’s %(kappa)s).",
        "%(issues)s issue reports came to their volunteers a second time, unmarked: intra-rater agreement was"
        " %(agreement)s (%(interval)sCohen’s %(kappa)s).",
        pooled.issues,
    ) % {
        "issues": _count(pooled.issues),
        "agreement": number(agreement.value),
        "interval": interval,
        "kappa": _kappa(pooled.cohen_kappa),
    }


def intra_left_out(report: AgreementReport) -> list[LeftOut]:
    """What the drift check gave and does not compare."""
    found = report.intra.left_out if report.intra else {}
    opened, above = found.get("open_labels", 0), found.get("labels_above_the_level", 0)
    said = [
        LeftOut(opened, ngettext("issue with an open label", "issues with an open label", opened)),
        LeftOut(
            above,
            ngettext(
                "issue with a label that stops above this level",
                "issues with a label that stops above this level",
                above,
            ),
        ),
    ]
    return [part for part in said if part.count]


def _kappa(found: Coefficient) -> str:
    return f"κ = {number(found.value)}" if found.value is not None else _("κ undefined")


def _listed(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return _("%(first)s and %(last)s") % {"first": ", ".join(parts[:-1]), "last": parts[-1]}


def _count(value: int) -> str:
    return formats.number_format(value, use_l10n=True, force_grouping=True)
