"""The names of the coefficients, and the definition of every number of the report with its source."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

# The name of each coefficient, and its special property in a few words.
COEFFICIENTS = {
    "percent_agreement": (gettext_lazy("Percent agreement"), gettext_lazy("not corrected for chance")),
    "fleiss_kappa": (gettext_lazy("Fleiss’ kappa"), gettext_lazy("chance from shares of all labels")),
    "krippendorff_alpha": (gettext_lazy("Krippendorff’s alpha"), gettext_lazy("corrected for small samples")),
    "gwet_ac1": (gettext_lazy("Gwet’s AC1"), gettext_lazy("stable when one category dominates")),
    "brennan_prediger": (gettext_lazy("Brennan–Prediger"), gettext_lazy("chance equal for every category")),
    "light_kappa": (gettext_lazy("Light’s kappa"), gettext_lazy("mean over pairs of volunteers")),
    "conger_kappa": (gettext_lazy("Conger’s kappa"), gettext_lazy("chance from shares of each volunteer")),
}

WEIGHTED = {
    "percent_agreement": (gettext_lazy("Weighted agreement"), gettext_lazy("not corrected for chance")),
    "fleiss_kappa": (
        gettext_lazy("Weighted Fleiss’ kappa"),
        gettext_lazy("chance from shares of all labels"),
    ),
    "krippendorff_alpha": (gettext_lazy("Weighted alpha"), gettext_lazy("corrected for small samples")),
    "gwet_ac2": (gettext_lazy("Gwet’s AC2"), gettext_lazy("stable when one category dominates")),
}
"""The coefficients with partial credit, as COEFFICIENTS."""

BALLOTS_KNOW = gettext_lazy(
    "Report the first number. Voters know the labels of others, so the second number shows the effect of"
    " the discussion. The second number does not show how clear the categories are, and has no interval."
)
"""The note on agreement before and after consensus."""


@dataclass(frozen=True)
class Definition:
    """The definition of one number; `formula` is the same in every language."""

    key: str
    text: str
    formula: str
    source: str


def definitions() -> list[Definition]:
    """The definition of every number of the report, with its source."""
    return [
        Definition(
            "percent_agreement",
            _(
                "Take two labels of one issue: how often are they the same? This is the mean over issues"
                " with two labels or more. Chance is not considered, so the value is high when there are"
                " few categories."
            ),
            "p_a = mean over i of Σ_k n_ik (n_ik − 1) / (r_i (r_i − 1))",
            "—",
        ),
        Definition(
            "fleiss_kappa",
            _(
                "Agreement beyond chance: 1 is perfect, 0 is what chance gives. Chance here means random"
                " labels with the shares that the categories have among all labels."
            ),
            "κ = (p_a − p_e) / (1 − p_e),  p_e = Σ_k p_k²",
            "Fleiss (1971), Psychological Bulletin 76(5), 378–382; Gwet (2014) where issues have unequal numbers of labels",
        ),
        Definition(
            "krippendorff_alpha",
            _(
                "Observed disagreement compared with the disagreement that chance gives, for categories"
                " without an order. Small samples are corrected for. Issues with one label are left out."
            ),
            "α = 1 − (n − 1) Σ_i (r_i² − Σ_k n_ik²) / (r_i − 1) / (n² − Σ_k n_k²)",
            "Krippendorff (2019), Content Analysis, 4th ed.",
        ),
        Definition(
            "gwet_ac1",
            _(
                "Agreement beyond chance, assuming that people guess on hard issues only. The value is"
                " stable when one category is far more frequent than the others."
            ),
            "AC1 = (p_a − p_e) / (1 − p_e),  p_e = Σ_k π_k (1 − π_k) / (q − 1)",
            "Gwet (2008), British Journal of Mathematical and Statistical Psychology 61, 29–48",
        ),
        Definition(
            "brennan_prediger",
            _(
                "Agreement beyond chance, assuming that every category that volunteers could choose is equally"
                " likely, used or not. A category that was added after the labels does not count."
            ),
            "(p_a − p_e) / (1 − p_e),  p_e = 1 / q",
            "Brennan and Prediger (1981), Educational and Psychological Measurement 41, 687–699; Randolph (2005)",
        ),
        Definition(
            "light_kappa",
            _(
                "The mean of Cohen’s kappa over all pairs of volunteers. Each kappa uses the issues that"
                " both labelled, and takes chance from the shares of these two volunteers. If a pair has no"
                " kappa, the mean is undefined too: it would leave out volunteers who agree fully."
            ),
            "mean over pairs of (p_o − p_e) / (1 − p_e),  p_e = Σ_k p_1k p_2k",
            "Light (1971), Psychological Bulletin 76(5), 365–377; Cohen (1960)",
        ),
        Definition(
            "conger_kappa",
            _(
                "Cohen’s kappa for more than two volunteers: chance comes from the shares of each volunteer. If"
                " volunteers use the categories differently, the value is higher than Fleiss’ kappa."
            ),
            "κ = (p_a − p_e) / (1 − p_e),  p_e = mean over pairs g ≠ h of Σ_k p_gk p_hk",
            "Conger (1980), Psychological Bulletin 88(2), 322–328; Gwet (2021) where labels are missing",
        ),
        Definition(
            "benchmark",
            _(
                "The word for a value of kappa comes from Landis and Koch. The true value can have another"
                " word. The probability shows how likely the true value has this word or a higher one. The true"
                " value is taken as normal around the value, with the standard error, from −1 to 1. Gwet’s word"
                " is the highest word whose probability is at least 95 %."
            ),
            "P = (Φ((κ − low) / SE) − Φ((κ − 1) / SE)) / (Φ((κ + 1) / SE) − Φ((κ − 1) / SE))",
            "Gwet (2021), Handbook of Inter-Rater Reliability, 5th ed.; Landis and Koch (1977), Biometrics 33, 159–174",
        ),
        Definition(
            "category_kappa",
            _(
                "Fleiss’ kappa of one category against all other categories together, over the issues with"
                " two labels or more. Its interval also holds for few issues. Two half issues are added: one"
                " with a single label of the category, one with all labels of it. Kappa is then measured on an"
                " arcsine scale. Below 5 issues with the category there is no interval. Below 10, a star marks"
                " an uncertain value."
            ),
            "κ_k = 1 − Σ_i n_ik (r − n_ik) / (N r (r − 1) p_k (1 − p_k))",
            "Fleiss (1971)",
        ),
        Definition(
            "weighted",
            _(
                "How near are the labels of one issue? Two different categories count as partly the same: their"
                " weight is 1 minus their path in the taxonomy, divided by the longest path. A category is one"
                " step from the category above it. A study can set its own weights as a matrix. A label that stops above the level counts as its own"
                " category. The other coefficients ask whether two labels are the same. Weighted kappa and"
                " alpha do not depend on the longest path; weighted agreement and AC2 do."
            ),
            "p_a = mean over i of Σ_kl w_kl n_ik (n_il − [k = l]) / (r_i (r_i − 1)),  p_e = Σ_kl w_kl p_k p_l;"
            "  AC2: p_e = Σ_kl w_kl / (q (q − 1)) · Σ_k π_k (1 − π_k)",
            "Gwet (2021), Handbook of Inter-Rater Reliability, 5th ed.; Moons and Vandervieren (2025), Behavior"
            " Research Methods 57, 287",
        ),
        Definition(
            "intra_rater",
            _(
                "Do volunteers agree with themselves? Some issues come a second time, unmarked; the second"
                " label is compared with the first. The share of equal labels has Wilson’s interval."
                " Cohen’s kappa has an interval from 30 issues on, with its large-sample error. A star marks an"
                " interval that can be too narrow. The star appears below 80 issues, and if fewer than 20 issues"
                " have different labels. The star also appears if fewer than 40 issues have another label than"
                " the most frequent one."
            ),
            "κ = (p_o − p_e) / (1 − p_e),  p_e = Σ_k p_1k p_2k",
            "Cohen (1960); Fleiss, Cohen and Everitt (1969), Psychological Bulletin 72(5), 323–327; Wilson (1927)",
        ),
        Definition(
            "interval",
            _(
                "The interval shows how exact a number is: more issues make it narrower. The calculation"
                " uses Gwet’s linearised standard error with Student’s t over the issues. The interval is cut to the"
                " possible range: at most 1, and at least the lowest value that the labels could give. With"
                " r labels per issue this is −1/(r − 1) for Fleiss’ kappa and alpha. For AC1 and"
                " Brennan–Prediger it is −1/(q − 1), or −1/(r − 1) if r is larger than q. For percent agreement"
                " it is 0. If some issues have one label, Fleiss’ kappa has no lowest value and is not cut."
                " The older error of Fleiss, Nee and Landis (1979) is valid only for a kappa of 0 and is"
                " not used. Below 10 issues there is no interval. A star marks an interval that can be too"
                " narrow. The star appears below 80 issues, and if fewer than 20 issues have different labels. For"
                " kappa and alpha the star also appears if fewer than 40 issues have another label than the most"
                " frequent one. If all issues agree equally, as in a perfect agreement, the labels give no"
                " interval."
            ),
            "κ ± t(N − 1) · SE,  SE² = Σ_i (κ_i − κ)² / (N (N − 1))",
            "Gwet (2021), Handbook of Inter-Rater Reliability, 5th ed.",
        ),
        Definition(
            "sampled_units",
            _(
                "The interval above takes issues as independent draws, with volunteers and repositories fixed."
                " The interval over repositories shows what other repositories could change, and the interval"
                " over volunteers what other volunteers could change. Each repository or volunteer is left"
                " out in turn, and the differences give the error. Repositories of unequal size count as fewer"
                " repositories of equal size, C*. The interval is made on a logit scale, which fits values near 1"
                " better. Fewer than three volunteers or repositories give no interval, nor does C* below 2."
                " A star marks an uncertain interval. The star appears if fewer than 20 issues have different"
                " labels, or if C* is below 3. The star also appears if the interval over repositories is"
                " narrower than the interval over issues. For kappa and alpha over repositories the star appears"
                " below 0.2, and if two thirds of the labels are of one category. For volunteers the star appears"
                " from a percent agreement of 0.95 on."
            ),
            "y ± h · (1 / (κ − l) + 1 / (1 − κ)),  y = ln((κ − l) / (1 − κ)),  l the lowest value,"
            "  SE² = (C − 1) / C · Σ_c (κ_−c − κ)²;  repositories: h = t(C* − 1) · SE,"
            " C* = (Σ_c n_c)² / Σ_c n_c²;  volunteers: h = t(C − 1) · SE · √(C / (C − 1))",
            "Gwet (2008); Efron and Stein (1981), Annals of Statistics 9, 586–596; Kish (1965), Survey Sampling;"
            " MacKinnon and White (1985), Journal of Econometrics 29, 305–325; Brown, Cai and DasGupta (2001),"
            " Statistical Science 16, 101–133",
        ),
        Definition(
            "difference",
            _(
                "Two kappas of the same issues vary together, so their difference is paired by issue. Two"
                " repositories or rounds are separate groups of issues. Fewer than 20 issues with different"
                " labels, or 20 issues in a group, give no interval. p is corrected for the number of"
                " comparisons (Holm)."
            ),
            "paired: SE² = N / (N − 1) · Σ_i (b_i / N_b − a_i / N)², a_i = κ_i − κ;  groups: SE² = SE₁² + SE₂²",
            "Gwet (2016), Educational and Psychological Measurement 76, 609–637; Welch (1947); Holm (1979)",
        ),
        Definition(
            "probable",
            _(
                "The probability of each category, given the labels of an issue. Dawid–Skene learns which"
                " categories each volunteer confuses. MACE learns how often each volunteer knows the"
                " category. Both assume that volunteers label independently, and neither changes a decision."
            ),
            "P(k | labels) ∝ p_k Π_j π_j(k, label_j);  MACE: π_j(k, l) = θ_j [l = k] + (1 − θ_j) ξ_j(l), p_k = 1 / K",
            "Dawid and Skene (1979), Applied Statistics 28, 20–28; Hovy and others (2013), NAACL-HLT, 1120–1130",
        ),
    ]  # fmt: skip


DEFINED = {
    **{key: name for key, (name, _hint) in COEFFICIENTS.items()},
    "benchmark": gettext_lazy("Word for a kappa"),
    "category_kappa": gettext_lazy("Kappa of one category"),
    "weighted": gettext_lazy("Agreement with partial credit"),
    "intra_rater": gettext_lazy("Intra-rater agreement"),
    "interval": gettext_lazy("95 % interval"),
    "difference": gettext_lazy("Difference of two kappas"),
    "probable": gettext_lazy("Probable categories"),
    "sampled_units": gettext_lazy("Intervals over repositories and over volunteers"),
}
