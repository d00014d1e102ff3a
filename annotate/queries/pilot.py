"""The outcome of a pilot by its revealed labels: used and missing categories, issues to train with."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Count, Q, QuerySet

from annotate.pilot_taxonomy import Missing, draft_taxonomy
from annotate.queries.proposed_categories import name_shown
from ingest.models import Issue
from rounds.models import CurrentLabel, Label, Round
from rounds.queries.blindness import NOTHING, WithheldIssues
from rounds.queries.rounds import current_labels, revealed, round_progress
from taxonomy.models import CategoryState, Proposal
from taxonomy.queries.codebooks import Codebook
from taxonomy.tree import Tree, look_alike

EXAMPLES = 5

# One row per revealed issue with labels. `is_split`: its labels chose different categories, and each proposal
# counts as a category; `right_id`: the category of all labels, otherwise of the decision. The labels are
# joined to indexed tables only, never to each other: for a young round the planner guesses one row.
_JUDGED = """
    WITH told AS (
        SELECT l.issue_id, s.category_id, l.proposal_id, l.summary, l.unsure, l.submitted_at,
               bool_or(l.unsure) OVER same AS any_unsure,
               min(coalesce(s.category_id, -l.proposal_id)) OVER same
                   <> max(coalesce(s.category_id, -l.proposal_id)) OVER same AS is_split
        FROM rounds_said s
        JOIN rounds_label l ON l.id = s.label_id
        WHERE s.round_id = %(round)s AND s.issue_id IN ({revealed})
        WINDOW same AS (PARTITION BY l.issue_id)
    ),
    placed AS (
        SELECT t.*, p.position,
               CASE WHEN t.is_split THEN nullif(p.decided, 0) ELSE t.category_id END AS right_id
        FROM told t
        JOIN rounds_roundissue p ON p.round_id = %(round)s AND p.issue_id = t.issue_id
    ),
    said AS (
        SELECT placed.*,
               summary <> '' AND (right_id IS NULL OR category_id IS NOT DISTINCT FROM right_id) AS tells
        FROM placed
    ),
    judged AS (
        SELECT DISTINCT ON (issue_id)
               issue_id, any_unsure AS unsure, is_split, position, right_id,
               CASE WHEN NOT is_split THEN proposal_id END AS proposal_id,
               CASE WHEN tells THEN summary ELSE '' END AS summary
        FROM said
        ORDER BY issue_id, tells DESC, said.unsure, submitted_at
    )
"""

# The first issues of each category: clear issues first, then issues with a summary.
_CANDIDATES = """
    SELECT c.issue_id, c.right_id, c.proposal_id, c.unsure, c.is_split, c.summary, c.place
    FROM (
        SELECT j.*, row_number() OVER (
            PARTITION BY j.right_id, CASE WHEN j.right_id IS NULL THEN j.proposal_id END
            ORDER BY j.unsure OR j.is_split, j.summary = '', j.position
        ) AS place
        FROM judged j
    ) c
    WHERE c.place <= %(each)s AND (c.right_id IS NOT NULL OR c.proposal_id IS NOT NULL)
       OR c.issue_id = ANY(%(more)s)
    ORDER BY c.right_id, c.proposal_id, c.place
"""


@dataclass(frozen=True)
class Candidate:
    """One issue of a pilot that a training could use. `right` is None for an open or undecided issue.
    `is_clear`: nobody was unsure, and all labels are the same. `place`: the rank in its category, from 1.
    """

    issue: Issue
    right: CategoryState | None
    proposal_id: int | None
    summary: str
    is_clear: bool
    place: int

    @property
    def title(self) -> str:
        """The issue's title, or its number if the text was not fetched."""
        return self.issue.current.title if self.issue.current else f"#{self.issue.number}"


@dataclass(frozen=True)
class UsedCategory:
    """A category of revealed labels: how many labels, on how many issues, how many unsure, and examples."""

    state: CategoryState
    hue: int
    labels: int
    issues: int
    unsure: int
    examples: list[Candidate]


@dataclass(frozen=True)
class ProposedCategory:
    """A missing category that revealed open labels propose; names that look alike are one category."""

    name: str
    reasons: list[str]
    nearest: CategoryState | None
    nearest_hue: int
    labels: int
    issues: int
    is_declined: bool
    examples: list[Candidate]


@dataclass(frozen=True)
class PilotOutcome:
    """The outcome of a pilot so far, from `revealed` of its `issues`; `withheld` more are withheld from the
    reader. `size` is the number of categories of its version.
    """

    issues: int
    revealed: int
    labels: int
    used: list[UsedCategory]
    proposed: list[ProposedCategory]
    size: int
    withheld: int = 0


def outcome(round_: Round, book: Codebook, blind: WithheldIssues = NOTHING) -> PilotOutcome:
    """The outcome by revealed labels that are not withheld; `book` is of the round's version. 9 queries."""
    examples = candidates(round_, book, each=EXAMPLES, blind=blind)
    by_category: dict[int, list[Candidate]] = defaultdict(list)
    by_proposal: dict[int, list[Candidate]] = defaultdict(list)
    for candidate in examples:
        if candidate.right is not None:
            by_category[candidate.right.category_id].append(candidate)
        elif candidate.proposal_id is not None:
            by_proposal[candidate.proposal_id].append(candidate)
    said = current_labels(round_).exclude(issue__in=blind.values("issue"))
    withheld = blind.count()
    counted = said.filter(category__isnull=False).order_by().values_list("category")
    counts = counted.annotate(
        n=Count("pk"), on=Count("issue", distinct=True), unsure=Count("pk", filter=Q(label__unsure=True))
    )
    numbers = {category: (labels, issues, unsure) for category, labels, issues, unsure in counts}
    used = [
        UsedCategory(state, book.hue(id_), *numbers[id_], examples=by_category[id_])
        for state in book.states
        if (id_ := state.category_id) in numbers
    ]
    proposed = _proposed(book, _open(said).select_related("proposal"), by_proposal)
    return PilotOutcome(
        issues=round_progress(round_).issues,
        revealed=revealed(round_).count() - withheld,
        labels=sum(one.labels for one in used) + sum(one.labels for one in proposed),
        used=used,
        proposed=proposed,
        size=len(book.states),
        withheld=withheld,
    )


def candidates(
    round_: Round,
    book: Codebook,
    *,
    each: int = 0,
    more: Collection[int] = (),
    blind: WithheldIssues = NOTHING,
) -> list[Candidate]:
    """The first `each` revealed issues of each category and of each proposal, clear issues first; and `more`.
    `more` are ids of issues; unrevealed and withheld issues are left out. In the order of the tree, with
    proposals and undecided issues last. Two queries.
    """
    try:
        shown = revealed(round_).exclude(pk__in=blind.values("pk"))
        gate, parameters = shown.values("issue").query.sql_with_params()
    except EmptyResultSet:
        return []
    named = {f"gate{place}": value for place, value in enumerate(parameters)}
    judged = _JUDGED.format(revealed=gate % tuple(f"%({name})s" for name in named))
    with connection.cursor() as cursor:
        cursor.execute(judged + _CANDIDATES, {"round": round_.pk, "each": each, "more": list(more), **named})
        rows = cursor.fetchall()
    issues = (
        Issue.objects.select_related("repository", "current")
        .only("number", "url", "repository__path", "repository__host", "current__title")
        .in_bulk([row[0] for row in rows])
    )
    places = {state.category_id: place for place, state in enumerate(book.states)}
    found = [
        Candidate(
            issue=issues[issue_id],
            right=book.by_id.get(right_id),
            proposal_id=None if right_id else proposal_id,
            summary=summary,
            is_clear=not (unsure or is_split),
            place=place,
        )
        for issue_id, right_id, proposal_id, unsure, is_split, summary, place in rows
    ]
    last = len(places)
    return sorted(
        found,
        key=lambda one: (
            places[one.right.category_id] if one.right else last + (one.proposal_id is None),
            one.proposal_id or 0,
            one.place,
        ),
    )


def _open(said: QuerySet[CurrentLabel]) -> QuerySet[Label]:
    """The labels that are still open."""
    return Label.objects.filter(pk__in=said.filter(category=None).values("label"), category=None)


def _proposed(
    book: Codebook, labels: Iterable[Label], examples: dict[int, list[Candidate]]
) -> list[ProposedCategory]:
    by_name: dict[str, list[tuple[Label, Proposal]]] = defaultdict(list)
    for label in sorted(labels, key=lambda label: (label.submitted_at, label.pk)):
        if label.proposal:
            by_name[look_alike(label.proposal.called)].append((label, label.proposal))
    found = []
    for same in by_name.values():
        near = Counter(label.nearest_id for label, _proposal in same if label.nearest_id in book.by_id)
        nearest = book.by_id[near.most_common(1)[0][0] or 0] if near else None
        proposals = {proposal.pk: proposal for _label, proposal in same}.values()
        told = [one for proposal in proposals for one in examples.get(proposal.pk, ())]
        found.append(
            ProposedCategory(
                name=name_shown(same[0][1].called, proposals),
                reasons=list(dict.fromkeys(label.proposed_reason for label, _proposal in same)),
                nearest=nearest,
                nearest_hue=book.hue(nearest.category_id) if nearest else 0,
                labels=len(same),
                issues=len({label.issue_id for label, _proposal in same}),
                is_declined=all(proposal.state == Proposal.State.DECLINED for proposal in proposals),
                examples=told[:EXAMPLES],
            )
        )
    return sorted(found, key=lambda one: (-one.labels, one.name))


def draft(book: Codebook, found: PilotOutcome, *, keep_unused: bool = False) -> Tree:
    """A first draft of a taxonomy: the used and the missing categories, with examples from the pilot."""
    return draft_taxonomy(
        book.tree(),
        {one.state.code: _told(one.examples) for one in found.used},
        [
            Missing(
                name=one.name,
                reasons=one.reasons,
                nearest=one.nearest.code if one.nearest else None,
                examples=_told(one.examples),
            )
            for one in found.proposed
            if not one.is_declined
        ],
        keep_unused=keep_unused,
    )


def _told(examples: Sequence[Candidate]) -> list[str]:
    return [one.summary or one.title for one in examples]


def issue_ids(round_: Round, words: Sequence[str], blind: WithheldIssues = NOTHING) -> dict[str, int | None]:
    """Word to the only revealed, not withheld issue with this URL or number; None for no issue or several."""
    numbers = {word: word.lstrip("#").upper() for word in words}
    rows = (
        revealed(round_)
        .exclude(pk__in=blind.values("pk"))
        .filter(Q(issue__url__in=words) | Q(issue__number__in=numbers.values()))
        .values_list("issue", "issue__url", "issue__number")
    )
    by_name: dict[str, set[int]] = defaultdict(set)
    for issue_id, url, number in rows:
        by_name[url].add(issue_id)
        by_name[number].add(issue_id)
    found = {word: by_name.get(word) or by_name.get(numbers[word]) or set() for word in words}
    return {word: next(iter(ids)) if len(ids) == 1 else None for word, ids in found.items()}


def proposal_names(round_: Round, blind: WithheldIssues = NOTHING) -> list[tuple[int, str]]:
    """(id, name) of the proposals of revealed open labels of the round, without those of withheld issues."""
    labels = _open(current_labels(round_).exclude(issue__in=blind.values("issue")))
    return list(Proposal.objects.filter(pk__in=labels.values("proposal")).values_list("pk", "name"))
