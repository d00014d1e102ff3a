"""Sentences about agreement, and about how disagreements were settled."""

from dataclasses import replace

from django.utils.translation import gettext as _

from reports.sentences.benchmarks import landis_koch_word
from standards.facts import AgreementFacts, Facts
from standards.outcomes import Said
from standards.sentences.saying import DECISIONS, LABELS, REPORT, say


def variable_type(facts: Facts) -> Said | None:
    if facts.taxonomy is None:
        return None
    return say(
        _("The variable is nominal: categories in a tree of %(levels)s levels, without an order among them."),
        "taxonomy.csv",
        levels=facts.taxonomy.levels,
    )


def kappa(facts: Facts) -> Said | None:
    """Fleiss' kappa with its interval and its base."""
    found = facts.agreement
    if found is None:
        return None
    one = found.value("fleiss_kappa")
    if one.value is None:
        return say(
            _("Fleiss’ κ is undefined over %(issues)s issues and %(labels)s labels."),
            *REPORT,
            issues=found.issues,
            labels=found.labels,
        )
    base = {"value": one.value, "issues": found.issues, "labels": found.labels, "raters": found.raters}
    if one.low is None or one.high is None:
        return say(
            _(
                "Agreement before consensus is Fleiss’ κ = %(value)s over %(issues)s issues, %(raters)s"
                " raters and %(labels)s labels."
            ),
            *REPORT,
            **base,
        )
    return say(
        _(
            "Agreement before consensus is Fleiss’ κ = %(value)s (95 %% CI %(low)s to %(high)s) over"
            " %(issues)s issues, %(raters)s raters and %(labels)s labels."
        ),
        *REPORT,
        **base,
        low=one.low,
        high=one.high,
    )


def beside(facts: Facts) -> Said | None:
    """The other coefficients, always together."""
    found = facts.agreement
    if found is None:
        return None
    values = {
        name: found.value(key).value
        for name, key in (
            ("alpha", "krippendorff_alpha"),
            ("ac1", "gwet_ac1"),
            ("share", "percent_agreement"),
        )
    }
    if any(one is None for one in values.values()):
        return None
    return say(
        _(
            "Reported beside it: Krippendorff’s α = %(alpha)s, Gwet’s AC1 = %(ac1)s and percent agreement"
            " %(share)s."
        ),
        *REPORT,
        **values,
    )


def fit(facts: Facts) -> Said | None:
    """Why the measure fits: the number of labels is the same, or its general form is used."""
    found = facts.agreement
    if found is None:
        return None
    if found.equal_labels:
        return say(_("All issues have the same number of labels, as the definition of Fleiss’ κ asks."))
    return say(
        _(
            "Issues have different numbers of labels. The general form of Fleiss’ κ and Krippendorff’s α"
            " allow this."
        )
    )


def band(facts: Facts) -> Said | None:
    """The word of Landis and Koch for the kappa, with its caution."""
    value = facts.agreement.value("fleiss_kappa").value if facts.agreement else None
    if value is None:
        return None
    return say(
        _(
            "Landis and Koch (1977) call κ = %(value)s %(word)s. Their bands are a convention; no evidence"
            " supports a threshold."
        ),
        *REPORT,
        value=value,
        word=landis_koch_word(value),
    )


def paradox(facts: Facts) -> Said | None:
    found = facts.agreement
    if found is None:
        return None
    if not found.is_paradox:
        return say(
            _(
                "Percent agreement and κ tell the same; the paradox of a very frequent category does not"
                " occur."
            ),
            *REPORT,
        )
    return say(
        _(
            "Percent agreement is high and κ is low, because one category is very frequent."
            " The report gives AC1 = %(ac1)s beside κ."
        ),
        *REPORT,
        ac1=found.value("gwet_ac1").value,
    )


def left_out(found: AgreementFacts) -> list[Said]:
    """What the number leaves out."""
    said = []
    if found.incomplete:
        said.append(say(_("Issues left out because they lack labels: %(n)s."), *LABELS, n=found.incomplete))
    if found.withheld:
        said.append(
            say(
                _("Issues hidden from you until you label them in another round: %(n)s."),
                n=found.withheld,
            )
        )
    if found.coached:
        said.append(say(_("Issues on which raters were coached: %(n)s."), *LABELS, n=found.coached))
    return said


def settled(facts: Facts) -> list[Said]:
    """How disagreements of the main round were settled."""
    found = facts.settled
    if found is None:
        return []
    if not found.settled and not found.open:
        return [say(_("The round has no disagreement that is revealed."), *DECISIONS)]
    ways = (
        (_("%(n)s unanimously in a meeting"), found.unanimity),
        (_("%(n)s by a majority in a meeting"), found.majority),
        (_("%(n)s by the chair of a meeting"), found.chair),
        (_("%(n)s by two raters together"), found.pair),
        (_("%(n)s by the majority of the labels"), found.bulk),
        (_("%(n)s by a lead alone"), found.lead),
    )
    parts = [say(text, n=count) for text, count in ways if count]
    text = (
        _("Disagreements settled: %(settled)s (%(ways)s).") if parts else _("No disagreement is settled yet.")
    )
    whole = say(text, *DECISIONS, settled=found.settled, ways=parts)
    said = [replace(whole, numbers=whole.numbers + tuple(one for part in parts for one in part.numbers))]
    if found.open:
        said.append(say(_("Open disagreements: %(n)s."), *DECISIONS, n=found.open))
    return said


def argued(facts: Facts) -> Said | None:
    found = facts.settled
    if found is None or not found.settled:
        return None
    talked = found.unanimity + found.majority + found.chair + found.pair
    return say(
        _(
            "%(talked)s of %(settled)s decisions were made together, in meetings or pairs. %(argued)s"
            " decisions have written arguments from before."
        ),
        *DECISIONS,
        talked=talked,
        settled=found.settled,
        argued=found.argued,
    )
