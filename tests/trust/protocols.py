"""The protocol of the trust world: a frozen version, and a draft of the next that only leads may read."""

from protocols.actions.drafts import freeze_protocol, save_draft, start_draft

DRAFTED = "canarydraftedplanegret"


def make_protocols(world) -> None:
    lead, study = world.members["lead"], world.study
    start_draft(study=study, by=lead)
    save_draft(
        study=study,
        plan={"question": "What fails?", "raters": 5, "level": "theme", "coefficient": "fleiss_kappa"},
        by=lead,
    )
    freeze_protocol(study=study, by=lead)
    start_draft(study=study, by=lead)
    save_draft(study=study, plan={"population": DRAFTED}, by=lead)
