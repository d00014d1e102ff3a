"""The menu that narrows the list of issues by keywords, and what it is narrowed to, in words."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.http import AuthedRequest
from ingest.forms.keyword_lists import ZONE_NAMES
from ingest.models import KeywordList
from ingest.queries.filters import IssueFilter
from ingest.queries.keyword_counts import unsearched
from ingest.queries.keyword_lists import lists_for
from ingest.queries.keywords import KeywordsAsked, keywords_of, words_of
from studies.models import Study

FOUND_NAMES = {
    "any": gettext_lazy("that contain a term"),
    "masked": gettext_lazy("with terms only where terms do not count"),
    "none": gettext_lazy("without any term"),
}


def menu(request: AuthedRequest, study: Study, narrowed: IssueFilter) -> dict[str, Any]:
    """The choices of the menu; `said` is the present choice in words, `others` are the other filters of the
    address. `unsearched`: issues whose text an asked list has still to be searched in. Two queries, three
    with keywords asked.
    """
    lists = list(lists_for(request.user).filter(study=study))
    own = {"list", "keyword", "zone", "hits", "found"}
    return {
        "lists": lists,
        "words": words_of(keywords_of(study.pk)),
        "zones": ZONE_NAMES,
        "found": FOUND_NAMES,
        "said": said(narrowed.keywords, lists),
        "others": {name: value for name, value in narrowed.query.items() if name not in own},
        "unsearched": unsearched(study.pk, narrowed.keywords),
    }


def said(asked: KeywordsAsked, lists: list[KeywordList]) -> str:
    """What was asked, in words: term, list, zone, number and kind, as far as they are set."""
    parts = [asked.keyword] if asked.keyword else []
    if asked.keyword_list is not None:
        parts.append(next((one.name for one in lists if one.pk == asked.keyword_list), "–"))
    if asked.zone:
        parts.append(str(ZONE_NAMES[asked.zone]))
    if asked.hits:
        parts.append(ngettext("%(n)d time", "%(n)d times or more", asked.hits) % {"n": asked.hits})
    if asked.found in {"masked", "none"}:
        parts.append(str(FOUND_NAMES[asked.found]))
    return " · ".join(parts) or _("any term")
