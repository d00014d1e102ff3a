"""Saved filters of lists."""

from collections.abc import Mapping
from itertools import chain, count

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from core.sql.retry import retried
from ingest.errors import FilterRefused
from ingest.models import KeywordList, SavedFilter
from ingest.queries.filters import IssueFilter, saved_filters
from ingest.rules import may_import
from studies.actions import record
from studies.actions.seats import require_rule
from studies.models import Study

MOST_FILTERS = 100
LONGEST_NAME = 120


@retried
@transaction.atomic
def save_filter(
    *, study: Study, name: str, query: Mapping[str, str], by: User | None, page: str = "issues"
) -> SavedFilter:
    """Save a filter of a list under a name that is new for this list of the study. `query` are the parameters
    of its address. Raises FilterRefused, PermissionDenied.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    require_rule(study, by, may_import)
    name = " ".join(name.replace("\0", "").split())
    saved = SavedFilter.objects.filter(study=study, page=page)
    if not name or len(name) > LONGEST_NAME:
        raise FilterRefused(
            _("The filter needs a name of at most %(n)d characters. Nothing was stored.")
            % {"n": LONGEST_NAME}
        )
    if not query:
        raise FilterRefused(_("No filter is set. Nothing was stored. Set a filter, then save the filter."))
    if saved.filter(name__iexact=name).exists():
        raise FilterRefused(
            _(
                "The study already has a filter named %(name)s. Nothing was stored. Choose another "
                "name, or delete the other filter first."
            )
            % {"name": name},
            status=409,
        )
    if saved.count() >= MOST_FILTERS:
        raise FilterRefused(
            _("A study has at most %(n)d saved filters. Nothing was stored. Delete a filter first.")
            % {"n": MOST_FILTERS}
        )
    made = SavedFilter.objects.create(study=study, name=name, page=page, query=dict(query), created_by=by)
    record(study, "filters.saved", by, name=name)
    return made


@retried
@transaction.atomic
def filter_of(*, study: Study, narrowed: IssueFilter, by: User | None) -> SavedFilter:
    """The saved filter of the study's issues that is this one. It is saved first if there is none, named for
    its keyword list and words. Raises FilterRefused, PermissionDenied.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    require_rule(study, by, may_import)
    saved = list(saved_filters(study))
    for one in saved:
        if narrowed and IssueFilter.from_query(one.query) == narrowed:
            return one
    asked = narrowed.keywords
    named = KeywordList.objects.filter(study=study, pk=asked.keyword_list or 0).first()
    words = [part for part in (named.name if named else "", asked.keyword, narrowed.words) if part]
    name = " ".join((" · ".join(words) or _("Found issues"))[: LONGEST_NAME - 5].split())
    taken = {one.name.lower() for one in saved}
    names = chain([name], (f"{name} {number}" for number in count(2)))
    free = next(one for one in names if one.lower() not in taken)
    return save_filter(study=study, name=free, query=narrowed.query, by=by)


@transaction.atomic
def delete_filter(*, saved: SavedFilter, by: User | None) -> None:
    """Delete a saved filter; rounds that were chosen by it keep their issues. Raises PermissionDenied."""
    require_rule(saved.study, by, may_import)
    deleted, _kinds = SavedFilter.objects.filter(pk=saved.pk).delete()
    if deleted:
        record(saved.study, "filters.deleted", by, name=saved.name)
