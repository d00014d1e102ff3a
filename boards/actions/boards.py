"""Making a board, and notes about downloads of its mapping."""

import logging
from collections.abc import Collection, Iterable, Sequence

from django.db import transaction
from django.db.models.functions import Lower
from django.utils.translation import gettext as _

from boards.actions.cards import TEXT, add_sources
from boards.errors import BoardRefused
from boards.mapping import MAX_SUMMARIES, SubTheme
from boards.models import Board, Card, Pile, Placement, Sorting
from boards.queries.labels import summaries_about
from consensus.likeness import stars
from core.templatetags.crosscheck import count
from rounds.rules import may_be_volunteer
from studies.actions import record
from studies.models import Event, Membership
from taxonomy.models import Category, Level, Taxonomy
from taxonomy.queries.drafts import drafted
from taxonomy.tree import look_alike
from taxonomy.tree.drafts import Draft


@transaction.atomic
def start_board(
    *, taxonomy: Taxonomy, name: str, about: Category, by: Membership, sorters: Collection[Membership] = ()
) -> Board:
    """Make a board about a theme or type. Its cards are the summaries of labels with this category, or a
    category below it, on complete, revealed issues that are not withheld from `by`. With `sorters` these
    members first sort apart. Raises BoardRefused without a summary, with more than MAX_SUMMARIES, and for a
    name that is taken.
    """
    said = summaries_about(taxonomy, about, by)
    if not said:
        raise BoardRefused(
            _("This category has no summary of a complete and revealed issue. No board was created.")
        )
    if len(said) > MAX_SUMMARIES:
        raise BoardRefused(
            _(
                "This category has %(n)s cards, but a board has at most %(most)s. No board was"
                " created. Choose a theme instead."
            )
            % {"n": count(len(said)), "most": count(MAX_SUMMARIES)}
        )
    board = _begun(taxonomy, name, about, by, sorters)
    cards = add_cards(board, list(said), [len(labels) for labels in said.values()])
    add_sources(cards, said.values())
    _noted(board, by, len(cards))
    return board


@transaction.atomic
def start_board_from_mapping(
    *,
    taxonomy: Taxonomy,
    name: str,
    rows: Sequence[SubTheme],
    by: Membership,
    sorters: Collection[Membership] = (),
    with_piles: bool = True,
) -> Board:
    """Make a board from a mapping: a card for each summary, in the order of the file, and a pile for each
    sub-theme, unless `with_piles` is False. Raises BoardRefused.
    """
    if sorters and with_piles:
        raise BoardRefused(
            _("A board that members first sort alone cannot start with piles. No board was created.")
        )
    board = _begun(taxonomy, name, None, by, sorters)
    texts = [text for row in rows for text in row.symptoms]
    cards = iter(add_cards(board, texts, [0] * len(texts)))
    if with_piles:
        common = board.sortings.get()
        draft = drafted(taxonomy).draft
        piles = Pile.objects.bulk_create(
            _pile_of(row, position, common, draft) for position, row in enumerate(rows)
        )
        Placement.objects.bulk_create(
            Placement(board=board, sorting=common, card=next(cards), pile=pile, revision=0)
            for row, pile in zip(rows, piles, strict=True)
            for _text in row.symptoms
        )
    _noted(board, by, len(texts))
    return board


def _pile_of(row: SubTheme, position: int, sorting: Sorting, draft: Draft) -> Pile:
    """The pile of a row. Its theme and its sub-theme are those of the draft with these names, if any."""
    themes = [each for each in draft if draft.level(each.key) == Level.THEME]
    theme = next((each for each in themes if _alike(each.name, row.rootcause)), None)
    below = draft.below(theme.key) if theme else ()
    made = next((each for each in below if _alike(each.name, row.subcategory)), None)
    return Pile(
        sorting=sorting,
        name=row.subcategory,
        theme=theme.key if theme else None,
        rootcause="" if theme and theme.name == row.rootcause else row.rootcause,
        number=position + 1,
        position=position,
        made=made.key if made else None,
        definition=made.definition if made else "",
    )


def _alike(one: str, other: str) -> bool:
    """Are these the same name? A file may write 、 for a comma, with or without a space after it."""
    return look_alike(one.replace("、", ", ")) == look_alike(other.replace("、", ", "))


def _begun(
    taxonomy: Taxonomy, name: str, about: Category | None, by: Membership, sorters: Collection[Membership]
) -> Board:
    """A board without cards, with its sortings. Raises BoardRefused."""
    name = " ".join(name.split())
    if not name or len(name) > 120:
        raise BoardRefused(_("Enter a name of 1 to 120 characters. No board was created."))
    if any(not may_be_volunteer(member, taxonomy.study) for member in sorters):
        raise BoardRefused(_("Only owners, leads and volunteers can sort. No board was created."))
    if len(sorters) == 1:
        raise BoardRefused(_("Choose at least two members to sort alone, or nobody. No board was created."))
    Taxonomy.objects.select_for_update(no_key=True).get(pk=taxonomy.pk)
    named = Board.objects.filter(taxonomy=taxonomy).annotate(lower=Lower("name"))
    if named.filter(lower=name.lower()).exists():
        raise BoardRefused(
            _("A board with this name already exists. No board was created. Choose another name.")
        )
    phase = Board.Phase.APART if sorters else Board.Phase.TOGETHER
    board = Board.objects.create(taxonomy=taxonomy, name=name, about=about, phase=phase, made_by=by)
    Sorting.objects.create(board=board)
    Sorting.objects.bulk_create(Sorting(board=board, member=member) for member in sorters)
    return board


def add_cards(board: Board, texts: Sequence[str], labels: Iterable[int]) -> list[Card]:
    """The cards of a new board, in this order, with a group number for nearly equal cards."""
    groups: dict[int, int] = {}
    for number, star in enumerate((star for star in stars(texts) if len(star.members) > 1), start=1):
        groups |= dict.fromkeys(star.members, number)
    return Card.objects.bulk_create(
        (
            Card(board=board, number=place + 1, text=text[:TEXT], labels=many, group=groups.get(place))
            for place, (text, many) in enumerate(zip(texts, labels, strict=True))
        ),
        batch_size=5_000,
    )


def _noted(board: Board, by: Membership, cards: int) -> None:
    record(board.taxonomy.study, "boards.made", by.user, name=board.name, cards=cards)


log = logging.getLogger(__name__)


def note_mapping(*, board: Board, by: Membership) -> Event:
    """Write into the audit that this member was sent the mapping of a board."""
    return record(board.taxonomy.study, "boards.downloaded", by.user, name=board.name)


def note_mapping_fetch(*, board: Board, by: Membership) -> None:
    """Write into the server's log that this member was sent the mapping of a board."""
    log.info("study %s, board %s: mapping sent to member %s", board.taxonomy.study_id, board.pk, by.pk)
