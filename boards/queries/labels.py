"""The summaries that become the cards of a board."""

from collections import defaultdict
from dataclasses import dataclass

from django.db import connection
from django.db.models import Exists, F, OuterRef, QuerySet

from boards.models import Board, Card
from boards.queries.hidden import COUNTED, hidden_cards
from rounds.models import CurrentLabel, Round, RoundIssue
from rounds.queries.blindness import Reader
from studies.models import Membership
from taxonomy.models import Category, CategoryState, Taxonomy, Version


def summaries_about(taxonomy: Taxonomy, about: Category, member: Membership | None) -> dict[str, list[int]]:
    """The summaries of labels with this category, or a category below it in any version: each text, in the
    order of the labels, with their ids. Only labels of complete, revealed issues that are not withheld from
    the member. Texts that differ only in case and spaces are one text, as first written.
    """
    found: dict[str, list[int]] = {}
    written: dict[str, str] = {}
    said = summed_up(taxonomy, member).filter(category__in=_below(taxonomy)[about.pk])
    for label, summary in said.order_by("pk").values_list("pk", "label__summary").iterator(chunk_size=5_000):
        text = " ".join(summary.split())
        if text:
            found.setdefault(written.setdefault(text.lower(), text), []).append(label)
    return found


def new_summaries(board: Board, member: Membership) -> dict[str, list[int]]:
    """The `summaries_about` the board's category that no card shows, or showed before it was split or merged;
    none for a board of a file. Cards hidden from this member are disregarded: a missing summary would reveal
    them.
    """
    if board.about is None:
        return {}
    cards = Card.objects.filter(board=board)
    shown = cards.exclude(pk__in=hidden_cards(board, member, cards))
    there = {text.lower() for text in shown.values_list("text", flat=True)}
    said = summaries_about(board.taxonomy, board.about, member)
    return {text: labels for text, labels in said.items() if text.lower() not in there}


@dataclass(frozen=True)
class CardCount:
    """A theme or type of a version, and how many cards a board about it would have."""

    state: CategoryState
    cards: int


def card_counts(version: Version, member: Membership | None) -> list[CardCount]:
    """The possible subjects of boards: types and themes in tree order. A fixed number of queries."""
    below = _below(version.taxonomy)
    pairs = [(category, about) for about, under in below.items() for category in under]
    said = (
        summed_up(version.taxonomy, member)
        .order_by()
        .annotate(summary=F("label__summary"))
        .values("category_id", "summary")
    )
    sql, values = said.query.sql_with_params()
    text = r"lower(btrim(regexp_replace(l.summary, '\s+', ' ', 'g')))"
    statement = f"""
        SELECT u.about, count(DISTINCT {text}) FILTER (WHERE {text} <> '')
        FROM ({sql}) l
        JOIN unnest(%s::bigint[], %s::bigint[]) u (category, about) ON u.category = l.category_id
        GROUP BY u.about
    """
    with connection.cursor() as cursor:
        cursor.execute(statement, [*values, [pair[0] for pair in pairs], [pair[1] for pair in pairs]])
        counted = dict(cursor.fetchall())
    states = CategoryState.objects.filter(version=version, level__lt=3).select_related("category")
    return [CardCount(state, counted.get(state.category_id, 0)) for state in states.order_by("position")]


def summed_up(taxonomy: Taxonomy, member: Membership | None) -> QuerySet[CurrentLabel]:
    """The current labels with a summary on complete, revealed issues that are not withheld from the member.
    Two small queries.
    """
    rounds = list(Round.objects.filter(version__taxonomy=taxonomy, kind__in=COUNTED, opened_at__isnull=False))
    blind = Reader(member).withheld_issues(rounds)
    counted = RoundIssue.objects.filter(
        round__in=[each for each in rounds if each.closed_at or each.reveal == Round.Reveal.ISSUE_COMPLETE],
        completed_at__isnull=False,
    )
    same = {"round": OuterRef("round"), "issue": OuterRef("issue")}
    found = CurrentLabel.objects.filter(Exists(counted.filter(**same))).exclude(label__summary="")
    return found if blind.query.is_empty() else found.exclude(Exists(blind.filter(**same)))


def _below(taxonomy: Taxonomy) -> dict[int, set[int]]:
    """For each category that was ever published: the ids of itself and of all that were ever below it."""
    parents: dict[int, set[int]] = defaultdict(set)
    states = CategoryState.objects.filter(version__taxonomy=taxonomy, version__published_at__isnull=False)
    for category, parent in states.values_list("category", "parent"):
        parents[category] |= {parent} if parent else set()
    found: dict[int, set[int]] = defaultdict(set)
    for category in parents:
        above, queue = {category}, [category]
        while queue:
            new = parents[queue.pop()] - above
            above |= new
            queue += new
        for each in above:
            found[each].add(category)
    return found
