"""A training round with its right labels, and volunteers who label in it."""

from annotate.actions.labels import submit_label
from annotate.actions.training import set_answer
from ingest.models import Issue
from rounds.models import Round, RoundVolunteer
from rounds.queries.rounds import rounds_for
from studies.models import Membership, Role
from tests import factories
from tests.worlds.opening import open_without_waiting
from tests.worlds.world import World


def training(
    world: World,
    *codes: str,
    opened: bool = True,
    by: Membership | None = None,
    pass_mark: int = 80,
    **fields,
) -> Round:
    """A training over as many issues as there are codes, whose right labels they are; `-` gives none."""
    by = by or world.lead
    chosen = Issue.objects.filter(pk__in=[issue.pk for issue in world.issues[: len(codes)]]).order_by("pk")
    fields = {"name": f"Training {world.study.rounds.count() + 1}", "kind": "training"} | fields
    made = world.round(opened=False, issues=chosen, pass_mark=pass_mark, **fields)
    for issue, code in zip(world.issues, codes, strict=False):
        if code != "-":
            answer(world, made, issue, code, by=by)
    if opened:
        open_without_waiting(made, by)
    return again(world, made)


def answer(
    world: World, round_: Round, issue: Issue, code: str, *, by: Membership | None = None, why: str = ""
):
    return set_answer(
        round_=round_,
        issue=issue,
        category=world.category(code),
        explanation=why or f"Because of {code}.",
        by=by or world.lead,
    )


def label_as(world: World, round_: Round, member: Membership, *codes: str) -> None:
    """The member's labels of the round's issues, in their order; `-` leaves one out."""
    for issue, code in zip(world.issues, codes, strict=False):
        if code != "-":
            submit_label(
                round_=round_,
                issue=issue,
                member=member,
                given=factories.label_input(
                    category=world.category(code),
                    summary=f"{member.pseudonym} said {code}",
                    unsure=False,
                    form_key=None,
                ),
            )


def main_after(world: World, training_: Round, **fields) -> Round:
    """An open main round of all issues that asks for the training."""
    return world.round(**({"name": "Main round", "training": training_} | fields))


def take_out(round_: Round, member: Membership) -> None:
    RoundVolunteer.objects.filter(round=round_, member=member).update(left_at=round_.opened_at)


def another_lead(world: World) -> Membership:
    return factories.make_member(world.study, Role.LEAD, pseudonym="Lead 2")


def again(world: World, round_: Round) -> Round:
    return rounds_for(world.lead.user).get(pk=round_.pk)
