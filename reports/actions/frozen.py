"""Freezing an agreement report under a name."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from core.sql.retry import retried
from core.templatetags.crosscheck import count
from core.version import version
from reports.errors import FreezeRefused, ReportHeldBack
from reports.formats.json_report import report_as_dict
from reports.frozen.document import as_text, inputs_hash, levels_of
from reports.models import FrozenReport
from reports.rules import may_freeze
from rounds import errors
from rounds.actions.locks import settled_snapshot
from rounds.models import Round
from rounds.queries.blindness import keeps_frozen
from studies.actions import record
from studies.models import Membership

LONGEST_NAME = 120
NOTHING_TO_FREEZE = _("No issue of this round is complete and revealed, so there is no report to freeze.")
NAME_IS_TAKEN = _("This round already has a frozen report with this name. Choose another name.")


@retried
def freeze_report(
    *,
    round_: Round,
    by: Membership | None,
    name: str,
    without_coached: bool = False,
    at: datetime | None = None,
) -> FrozenReport:
    """Store the current agreement report at all levels, and the hash of its labels. `by`: None for a command.

    One transaction reads everything at one moment without pending decisions (`settled_snapshot`), so that the
    levels, the hash and later changes of final labels match. `at`: the moment, if the caller opened the
    snapshot. `without_coached` leaves out the issues that volunteers were coached on. A frozen report counts
    all other complete, revealed issues, so a member who still has to label one of the round's issues in
    another round cannot freeze. Raises NotAllowed, ReportHeldBack, and FreezeRefused with its field.
    """
    if by is not None and not may_freeze(by, round_):
        raise errors.NotAllowed
    name = " ".join(name.split())
    if not name:
        raise FreezeRefused(_("Enter a name for the report."), field="name")
    if len(name) > LONGEST_NAME:
        raise FreezeRefused(_("The name is longer than 120 characters. Shorten the name."), field="name")
    with settled_snapshot(round_) as now:
        moment = at or now
        round_ = Round.objects.select_related("study", "version__taxonomy").get(pk=round_.pk)
        if round_.frozen_reports.filter(name__iexact=name).exists():
            raise FreezeRefused(NAME_IS_TAKEN, field="name")
        if withheld := keeps_frozen(round_, by).count():
            raise ReportHeldBack(_cannot_freeze(withheld))
        reports = levels_of(round_, without_coached=without_coached)
        newest = next(iter(reports.values()))
        if not newest.complete:
            raise FreezeRefused(NOTHING_TO_FREEZE)
        inputs = inputs_hash(round_, without_coached=without_coached)
        document = {
            "name": name,
            "study": round_.study.slug,
            "round": round_.name,
            "kind": round_.kind,
            "frozen_at": moment.isoformat(),
            "frozen_by": by and by.pseudonym,
            "taxonomy": round_.version.taxonomy.name,
            "version": round_.version.number,
            "crosscheck": version(),
            "issues": newest.complete,
            "inputs": {"file": "labels_long.csv", "sha256": inputs},
            "levels": {
                level: {**report_as_dict(report), "as_of": moment.isoformat()}
                for level, report in reports.items()
            },
        }
        try:
            with transaction.atomic():
                frozen = FrozenReport.objects.create(
                    round=round_,
                    name=name,
                    version_id=round_.version_id,
                    code_version=version(),
                    inputs_hash=inputs,
                    without_coached=without_coached,
                    issues=newest.complete,
                    document=as_text(document),
                    frozen_by=by,
                    frozen_at=moment,
                )
        except IntegrityError as error:
            raise FreezeRefused(NAME_IS_TAKEN, field="name") from error
        who = by.user if by else None
        record(round_.study, "reports.frozen", who, round=round_.name, report=name)
    return frozen


def _cannot_freeze(withheld: int) -> str:
    return ngettext(
        "%(n)s issue of this round is hidden until you label it in another round. A frozen report needs all"
        " issues, so nothing was frozen. Label this issue first, or ask a lead who has no labels left to"
        " give there.",
        "%(n)s issues of this round are hidden until you label them in another round. A frozen report needs"
        " all issues, so nothing was frozen. Label these issues first, or ask a lead who has no labels left"
        " to give there.",
        withheld,
    ) % {"n": count(withheld)}
