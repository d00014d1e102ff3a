"""Saved filters of lists."""

from collections.abc import Mapping

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from core.sql.retry import retried
from ingest.errors import FilterRefused
from ingest.models import SavedFilter
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


@transaction.atomic
def delete_filter(*, saved: SavedFilter, by: User | None) -> None:
    """Delete a saved filter; rounds that were chosen by it keep their issues. Raises PermissionDenied."""
    require_rule(saved.study, by, may_import)
    deleted, _kinds = SavedFilter.objects.filter(pk=saved.pk).delete()
    if deleted:
        record(saved.study, "filters.deleted", by, name=saved.name)
