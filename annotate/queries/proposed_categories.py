"""Missing categories that open labels of a taxonomy wait for, by name, and the first values of a proposal."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Exists, OuterRef, QuerySet

from consensus.models import FollowUp
from consensus.queries.agendas import standing_decisions
from consensus.queries.category_counts import rounds_of
from ingest.models import Issue
from rounds.models import CurrentLabel, Label, Round
from rounds.queries.blindness import NOTHING, WithheldIssues, withheld_issues_in
from rounds.queries.rounds import current_labels
from studies.models import Membership
from studies.rules import LABELLING
from taxonomy.models import Category, CategoryState, Motion, Proposal, Taxonomy
from taxonomy.queries.codebooks import Codebook, answered, codebook
from taxonomy.queries.taxonomies import published_version
from taxonomy.tree import look_alike

SHOWN = 5
MOST = 4500
"""The most characters of reasons, or of addresses, that a form is filled with."""


@dataclass(frozen=True)
class MissingCategory:
    """A name that revealed open labels wait for; names that look alike are one. `reasons` are (pseudonym,
    reason), each reason with its first author; `issues` are some of the `on` issues. `motion` is the latest
    vote on the name, `answer` the category of the newest version that answers it. `joined` are other names
    that were joined with this one.
    """

    name: str
    labels: int
    on: int
    reasons: tuple[tuple[str, str], ...]
    issues: tuple[Issue, ...]
    nearest: CategoryState | None
    motion: Motion | None
    answer: CategoryState | None
    joined: tuple[str, ...] = ()

    @property
    def is_voted_for(self) -> bool:
        """Was a change for this name accepted that is in the draft of a version, or answers the name now?"""
        motion = self.motion
        if motion is None or motion.outcome != Motion.Outcome.ACCEPTED or motion.change is None:
            return False
        return self.answer is not None or motion.change.version.published_at is None

    @property
    def may_be_put(self) -> bool:
        """Can this name be put to the vote, or put again?"""
        is_open = self.motion is not None and self.motion.is_open
        return self.answer is None and not is_open and not self.is_voted_for


def name_that_waits(taxonomy: Taxonomy, reader: Membership | None, name: str) -> str | None:
    """This name as revealed labels spell it; None if the reader sees no label that waits for it."""
    folded = look_alike(name)
    found = (one.name for one in missing_categories(taxonomy, reader) if look_alike(one.name) == folded)
    return next(found, None)


def names_to_join(
    taxonomy: Taxonomy, reader: Membership, name: str, into: str | None
) -> tuple[str, str] | None:
    """Both names as revealed labels spell them: one that labels wait for, or that was joined with another,
    and the name `into`, "" for none. None if the reader sees no labels with them.
    """
    found = missing_categories(taxonomy, reader)
    names = {look_alike(one.name): one.name for one in found}
    every = {look_alike(joined): joined for one in found for joined in one.joined} | names
    known, other = every.get(look_alike(name)), names.get(look_alike(into)) if into else ""
    return None if known is None or other is None else (known, other)


@dataclass(frozen=True)
class ProposalStart:
    """The first values of a form that proposes a new category. `left_out` open labels are not quoted, since
    somebody has yet to label their issues.
    """

    name: str
    waits: str
    parent: str
    reasons: str
    examples: str
    left_out: int = 0


def missing_categories(taxonomy: Taxonomy, reader: Membership | None) -> list[MissingCategory]:
    """The missing categories of revealed labels that are not withheld from the reader: names with the most
    labels first, answered names last. Eight queries at most.
    """
    rounds = rounds_of(taxonomy)
    version = published_version(taxonomy)
    if not rounds or version is None:
        return []
    blind = withheld_issues_in(rounds, [reader]) if reader else NOTHING
    by_name: dict[str, list[Label]] = defaultdict(list)
    for label in _open_labels(rounds, blind):
        if label.proposal:
            by_name[look_alike(label.proposal.called)].append(label)
    if not by_name:
        return []
    book, answers = codebook(version), answered(version)
    found = [_missing(labels, book, answers) for labels in by_name.values()]
    return sorted(found, key=lambda one: (one.answer is not None, -one.labels, one.name))


def proposing(
    taxonomy: Taxonomy,
    reader: Membership,
    *,
    name: str = "",
    round_: Round | None = None,
    issue_id: int | None = None,
) -> ProposalStart | None:
    """The first values of a proposal for a name, or for an issue whose labels miss a category: the reasons
    from the labels, and the parent. None if the reader may see no such label, decision or note. Everybody
    reads a proposal, so that nothing is quoted from issues that a member has yet to label, except the name:
    as a category it would stand in everybody's codebook, without issue or author, and it reaches others only
    when the reader, who is told so (`left_out`), sends the form. A name from an issue that the reader has yet
    to label is never offered.
    """
    rounds = [one for one in rounds_of(taxonomy) if round_ is None or one.pk == round_.pk]
    if not rounds:
        return None
    of_reader = withheld_issues_in(rounds, [reader])
    seen = [label for label in _open_labels(rounds, of_reader) if label.proposal]
    noted: list[FollowUp] = []
    rationale = ""
    if round_ is not None and issue_id is not None:
        seen = [label for label in seen if label.issue_id == issue_id]
        is_held = of_reader.filter(round=round_, issue=issue_id).exists()
        decision = standing_decisions(round_).filter(issue=issue_id).first()
        if is_held or (decision is None and not seen):
            return None
        rationale = decision.rationale if decision else ""
        notes = FollowUp.objects.filter(
            item__round=round_, item__issue=issue_id, kind=FollowUp.Kind.PROPOSAL
        ).select_related("proposal", "made_by", "item__issue")
        noted = list(notes.order_by("-pk"))
    named = Counter(label.proposal.called for label in seen if label.proposal)
    name = name or (noted[0].proposal.called if noted and noted[0].proposal else "")
    name = name or (named.most_common(1)[0][0] if named else "")
    folded = look_alike(name)
    known = [one for one in (*(label.proposal for label in seen), *(note.proposal for note in noted)) if one]
    joined = next((one.joined_as for one in known if one.joined_as and look_alike(one.name) == folded), "")
    folded = look_alike(joined or name)
    name = name_shown(joined, known) if joined else name
    same = [label for label in seen if label.proposal and look_alike(label.proposal.called) == folded]
    if not same and issue_id is None:
        return None
    hidden = awaited(taxonomy, rounds)
    kept = set(hidden.values_list("round", "issue"))
    told = [label for label in same if (label.round_id, label.issue_id) not in kept]
    reasons = [f"{label.volunteer.pseudonym}: {label.proposed_reason}" for label in told]
    # Other names that labels of this issue ask for: who votes reads that they may mean the same.
    others = [label for label in seen if issue_id is not None and label not in same]
    reasons += [
        f"{label.volunteer.pseudonym}: “{label.proposal.name}”, {label.proposed_reason}"
        for label in others
        if label.proposal and (label.round_id, label.issue_id) not in kept
    ]
    urls = [label.issue.url for label in told]
    if round_ is not None and issue_id is not None and (round_.pk, issue_id) not in kept:
        notes_told = [
            one for one in noted if one.text and one.proposal and look_alike(one.proposal.called) == folded
        ]
        reasons += [f"{one.made_by.pseudonym}: {one.text}" for one in notes_told]
        reasons += [rationale] if rationale else []
        urls += list(Issue.objects.filter(pk=issue_id).values_list("url", flat=True))
    return ProposalStart(
        name=name,
        waits=name if same or noted else "",
        parent=_parent(taxonomy, same) or _parent(taxonomy, others),
        reasons=_lines(reasons),
        examples=_lines(urls),
        left_out=len(same) - len(told),
    )


def open_names(taxonomy: Taxonomy, reader: Membership | None) -> Counter[str]:
    """How many revealed open labels, not withheld, wait for each name (folded by `look_alike`)."""
    rounds = rounds_of(taxonomy)
    if not rounds:
        return Counter()
    blind = withheld_issues_in(rounds, [reader]) if reader else NOTHING
    return Counter(look_alike(one.proposal.called) for one in _open_labels(rounds, blind) if one.proposal)


def name_shown(called: str, seen: Iterable[Proposal]) -> str:
    """How a name is shown to the reader of these proposals: as one of them spells it. A name that was joined
    with one of a label that the reader may not see is shown as itself.
    """
    folded = look_alike(called)
    same = [one for one in seen if look_alike(one.called) == folded]
    return next(
        (one.name for one in same if look_alike(one.name) == folded), same[0].name if same else called
    )


def _open_labels(rounds: Iterable[Round], blind: WithheldIssues) -> list[Label]:
    """The revealed open labels of these rounds that are not withheld, in the order of submission."""
    said: QuerySet[CurrentLabel] = reduce(or_, (current_labels(round_) for round_ in rounds))
    labels = Label.objects.filter(pk__in=said.filter(category=None).values("label"), proposal__isnull=False)
    if not blind.query.is_empty():
        labels = labels.exclude(Exists(blind.filter(round=OuterRef("round"), issue=OuterRef("issue"))))
    return list(
        labels.select_related("proposal__motion__change__version", "volunteer", "issue__repository").order_by(
            "submitted_at", "pk"
        )
    )


def awaited(taxonomy: Taxonomy, rounds: Iterable[Round]) -> WithheldIssues:
    """The issues of these rounds that a member has yet to label in another round. Two queries."""
    people = Membership.objects.filter(study=taxonomy.study_id, left_at=None, role__in=LABELLING)
    return withheld_issues_in(rounds, people)


def _missing(labels: list[Label], book: Codebook, answers: dict[int, int]) -> MissingCategory:
    proposals = {label.proposal.pk: label.proposal for label in labels if label.proposal}
    near = Counter(label.nearest_id for label in labels if label.nearest_id in book.by_id)
    name = name_shown(next(iter(proposals.values())).called, proposals.values())
    joined: dict[str, str] = {}
    for one in proposals.values():
        joined.setdefault(look_alike(one.name), one.name)
    joined.pop(look_alike(name), None)
    motions = [one.motion for one in proposals.values() if one.motion]
    answer = next((answers[pk] for pk in proposals if pk in answers), None)
    reasons = {label.proposed_reason: label.volunteer.pseudonym for label in reversed(labels)}
    issues = {label.issue_id: label.issue for label in labels}
    return MissingCategory(
        name=name,
        joined=tuple(sorted(joined.values())),
        labels=len(labels),
        on=len(issues),
        reasons=tuple((who, why) for why, who in list(reasons.items())[::-1][:SHOWN]),
        issues=tuple(issues.values())[:SHOWN],
        nearest=book.by_id[near.most_common(1)[0][0] or 0] if near else None,
        motion=max(motions, key=lambda motion: motion.number, default=None),
        answer=book.by_id[answer] if answer else None,
    )


def _parent(taxonomy: Taxonomy, labels: Iterable[Label]) -> str:
    """The key of the parent of the new category: the parent of the nearest category, or that category itself
    if it is a type; "" if no label names a nearest category.
    """
    version = published_version(taxonomy)
    near = Counter(label.nearest_id for label in labels if label.nearest_id)
    if version is None or not near:
        return ""
    nearest = CategoryState.objects.filter(version=version, category=near.most_common(1)[0][0]).first()
    above = (nearest.parent_id or nearest.category_id) if nearest else None
    found = Category.objects.filter(pk=above).first() if above else None
    return str(found.key) if found else ""


def _lines(said: Iterable[str]) -> str:
    """The distinct texts, each on its own line, as many as a form takes."""
    found = ""
    for line in dict.fromkeys(said):
        if len(found) + len(line) >= MOST:
            break
        found += line + "\n"
    return found.strip()
