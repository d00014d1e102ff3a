"""The protocol in force, and how the study deviates from it, as one member may know it."""

from protocols.models import Protocol
from protocols.queries.deviations import deviations_of
from protocols.queries.protocols import protocol_in_force
from reports.sentences.definitions import COEFFICIENTS
from rounds.models import Round
from standards.facts import DeviationFacts, ProtocolFacts
from studies.models import Membership, Study


def protocol_facts(study: Study, main: Round | None) -> ProtocolFacts | None:
    """The protocol, without its deviations. One query."""
    found = protocol_in_force(study)
    return _facts(found, main) if found else None


def deviation_facts(study: Study, member: Membership | None) -> tuple[DeviationFacts, ...]:
    """The deviations of the study in words."""
    return tuple(
        DeviationFacts(
            name=one.name,
            about=one.about,
            planned=one.planned,
            happened=one.happened,
            reason=one.reason.text if one.reason else "",
            is_hidden=one.is_hidden,
        )
        for one in deviations_of(member, study)
    )


def _facts(found: Protocol, main: Round | None) -> ProtocolFacts:
    opened = main.opened_at if main else None
    coefficient = str(found.plan.get("coefficient") or "")
    assert found.frozen_at is not None  # noqa: S101 - the one in force is frozen
    return ProtocolFacts(
        number=found.number,
        frozen_at=found.frozen_at,
        is_before=opened is None or found.frozen_at <= opened,
        level=str(found.plan.get("level") or ""),
        coefficient=str(COEFFICIENTS[coefficient][0]) if coefficient in COEFFICIENTS else "",
    )
