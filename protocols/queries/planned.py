"""What the protocol of a study fixed for the report of a round."""

from protocols.queries.protocols import frozen_versions, in_force_for
from reports.planned import Planned
from rounds.models import Round


def planned_for(round_: Round) -> Planned | None:
    """The level and coefficient by the version that was in force when the round was opened. One query."""
    found = in_force_for(round_, list(frozen_versions(round_.study)))
    if found is None or found.frozen_at is None:
        return None
    return Planned(
        version=found.number,
        level=str(found.plan.get("level", "")),
        coefficient=str(found.plan.get("coefficient", "")),
        is_before=round_.opened_at is None or found.frozen_at <= round_.opened_at,
        url=found.get_absolute_url(),
    )
