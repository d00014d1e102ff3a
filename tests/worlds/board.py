"""A small board to sort on."""

from dataclasses import dataclass

from boards.actions.boards import start_board_from_mapping
from boards.commands import act
from boards.mapping import SubTheme
from boards.models import Board, Card, Placement
from boards.queries.boards import state_of
from studies.models import Membership, Role, Study
from taxonomy.models import Version
from tests import factories


@dataclass
class BoardWorld:
    study: Study
    version: Version
    board: Board
    lead: Membership
    one: Membership
    two: Membership

    @property
    def cards(self) -> list[int]:
        """The ids of the cards, in the order of their coming."""
        return list(Card.objects.filter(board=self.board).order_by("number").values_list("pk", flat=True))

    def act(self, member: Membership, kind: str, **fields) -> dict:
        """Do it as `member`, who has seen all; the whole state after it."""
        fields.setdefault("seen", self.state(member)["revision"])
        act(self.board, member, {"act": kind, **fields})
        return self.state(member)

    def state(self, member: Membership | None = None) -> dict:
        self.board.refresh_from_db(fields=["phase"])
        return state_of(self.board, member or self.one)

    def pile(self, name: str, *cards: int, by: Membership | None = None) -> int:
        """A new pile with these cards; its id."""
        state = self.act(by or self.one, "pile", name=name, cards=list(cards))
        return state["piles"][-1]["id"]


def board_world(texts=("Crash", "Hang", "Slow", "Leak"), **fields) -> BoardWorld:
    """A board of a file without piles: a lead, two who sort."""
    study = factories.make_study()
    version = factories.make_version(study)
    lead = factories.make_member(study, Role.LEAD, pseudonym="Lead")
    one, two = (factories.make_member(study, pseudonym=name) for name in ("R1", "R2"))
    fields.setdefault("with_piles", False)
    if fields.pop("apart", False):
        fields["sorters"] = [one, two]
    board = start_board_from_mapping(
        taxonomy=version.taxonomy,
        name="Symptoms",
        rows=[SubTheme("Cause", "Sub", tuple(texts))],
        by=lead,
        **fields,
    )
    return BoardWorld(study, version, board, lead, one, two)


def places(board: Board, member: Membership | None = None) -> dict[str, str | None]:
    """Where each card in play lies in a sorting, by its text: the name of a pile, "aside", None."""
    lying = Placement.objects.filter(board=board, sorting__member=member).select_related("pile")
    found = {each.card_id: "aside" if each.aside else each.pile and each.pile.name for each in lying}
    return {card.text: found.get(card.pk) for card in Card.objects.filter(board=board, in_play=True)}
