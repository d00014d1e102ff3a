"""The integrity page: what contradicts itself in a study, and what to do about each."""

from typing import NamedTuple

from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from core.http import render_page, require
from replication.queries.integrity import integrity as findings_of
from studies.pages import frame, study_of
from studies.rules import may_lead


class Words(NamedTuple):
    """What a finding is about, and what to do where there are any."""

    title: str | Promise
    advice: str | Promise


WORDS = {
    "moved": Words(
        gettext_lazy("Issues that moved to another repository"),
        gettext_lazy("Look for each at its new address, and mark a duplicate if the study has both."),
    ),
    "gone": Words(
        gettext_lazy("Issues that are no longer on their forge"),
        gettext_lazy("The stored text stays. Readers of the paper cannot follow the link: say so there."),
    ),
    "pull_requests": Words(
        gettext_lazy("Pull requests among the issues of a round"),
        gettext_lazy("Screen them out, or say in the paper that the study includes them."),
    ),
    "without_text": Words(
        gettext_lazy("Issues of a round without a text"),
        gettext_lazy("Volunteers had only the address. Import or harvest the texts before you open a round."),
    ),
    "unjudged": Words(
        gettext_lazy("Issues with a similar text that nobody has judged"),
        gettext_lazy("Compare them under Similar reports: a duplicate, related, or not similar."),
    ),
    "duplicates": Words(
        gettext_lazy("Duplicates in a round"),
        gettext_lazy("A duplicate counts twice in every share. Report shares with and without duplicates."),
    ),
    "undefined": Words(
        gettext_lazy("Categories without a definition"),
        gettext_lazy("Write it in a draft of the taxonomy. The codebook of the package has none."),
    ),
    "unknown_codes": Words(
        gettext_lazy("Codes in the guideline that no category has"),
        gettext_lazy("Publish a guideline with the codes of today’s taxonomy."),
    ),
    "undecided": Words(
        gettext_lazy("Issues of closed rounds without a final label"),
        gettext_lazy("Decide them under Disagreements or in a meeting. Until then no distribution has them."),
    ),
    "open": Words(
        gettext_lazy("Summaries without a category"),
        gettext_lazy("Their authors proposed a category. Vote on the proposals, or decline them."),
    ),
    "ended": Words(
        gettext_lazy("Labels whose category was split or retired"),
        gettext_lazy("Open a second look, in which their authors label these issues again."),
    ),
    "other_text": Words(
        gettext_lazy("Labels of an earlier text of the issue"),
        gettext_lazy("The text changed after the label. The package names the text of each label."),
    ),
    "names": Words(
        gettext_lazy("Texts that name a person of the study"),
        gettext_lazy("The package shows pseudonyms, and these texts. Ask the person before you publish it."),
    ),
    "copied": Words(
        gettext_lazy("Signs that labels or decisions do not look independent"),
        gettext_lazy("The agreement report shows each sign. Look for its cause, and name it in the paper."),
    ),
}  # fmt: skip


@require_safe
def integrity(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show what contradicts itself in the study, to leads."""
    study, member = study_of(request, slug)
    require(may_lead(member), _("Only owners and leads see this page."))
    findings = [(finding, WORDS[finding.key]) for finding in findings_of(study, member)]
    context = frame(study, member, "integrity") | {
        "present": [one for one in findings if one[0].count != 0],
        "absent": [words.title for finding, words in findings if finding.count == 0],
    }
    return render_page(request, "replication/integrity.html", context)
