"""Explaining a deviation. Earlier reasons stay, and the newest counts."""

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.translation import gettext as _

from protocols.errors import PlanRefused, UnknownDeviation
from protocols.models import DeviationReason
from protocols.queries.deviations import deviations_of
from protocols.rules import may_plan
from protocols.text import stored_text
from studies.actions import record
from studies.models import Membership, Study


@transaction.atomic
def explain_deviation(*, study: Study, deviation: str, text: str, by: Membership) -> DeviationReason:
    """Store why the study deviated, for the deviation with this key, if this lead can see it. Raises
    UnknownDeviation, PlanRefused and PermissionDenied.
    """
    if by.study_id != study.pk or not may_plan(by):
        raise PermissionDenied
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    text = stored_text(text, "text")
    if not text:
        raise PlanRefused(_("Write the reason. Nothing was stored."), field="text")
    found = {one.key: one for one in deviations_of(by, study) if not one.is_hidden}
    if deviation not in found:
        raise UnknownDeviation
    last = found[deviation].reason
    made = DeviationReason(study=study, deviation=deviation, text=text, written_by=by)
    if last is None or last.text != text:
        made.save()
        record(study, "protocols.explained", by.user)
    return made
