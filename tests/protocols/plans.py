"""Protocols for tests: frozen with these fields and no others."""

from protocols.actions.drafts import freeze_protocol, save_draft, start_draft
from protocols.models import Protocol
from protocols.queries.deviations import deviations_of
from tests.worlds.world import World


def frozen(world: World, reason: str = "Said by the lead.", **plan) -> Protocol:
    draft = start_draft(study=world.study, by=world.lead)
    only = dict.fromkeys(draft.plan) | {"question": "Why?"} | plan
    save_draft(study=world.study, plan=only, reason=reason if draft.number > 1 else "", by=world.lead)
    return freeze_protocol(study=world.study, by=world.lead)


def found(world: World, member="lead") -> list[tuple[str, str, str]]:
    """Kind, planned and happened of each deviation, as the lead may know them."""
    reader = world.lead if member == "lead" else member
    return [(one.kind, one.planned, one.happened) for one in deviations_of(reader, world.study)]
