"""The results of a study's training rounds, for one member.

Numbers of others come only from revealed issues, through the one gate (rounds.queries.rounds); the member's
own numbers come from all their labels. Training labels count nowhere else.
"""

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Exists, OuterRef, Q

from annotate.queries.training import at_depth
from consensus.models import Comment
from rounds.models import Answer, Label, Round, RoundVolunteer
from rounds.queries.blindness import WithheldIssues, withheld_issues_in
from rounds.queries.rounds import revealed, revealed_labels
from rounds.queries.training import TrainingResult
from studies.models import Membership, Study
from studies.rules import may_lead
from taxonomy.models import CategoryState
from taxonomy.queries.codebooks import Codebook, codebook


@dataclass(frozen=True)
class TrainingSeat:
    """One volunteer of a training, for one reader: `right` of `labels` match the answer.

    `labels` counts labels on revealed issues, or all labels of the reader; `total` is the number of answers.
    `passed` is None for another volunteer until every issue with an answer is revealed to the reader.
    """

    volunteer: RoundVolunteer
    labels: int
    right: int
    total: int
    passed: bool | None
    is_own: bool


@dataclass(frozen=True)
class Departure:
    """A category of the answers, and the team's labels on its issues: `right` of `labels` match the lead.

    `instead` lists the other chosen categories with their numbers, most frequent first; None is an open
    label. All numbers are at the round's depth, and from revealed issues.
    """

    state: CategoryState
    hue: int
    issues: int
    labels: int
    right: int
    instead: tuple[tuple[CategoryState | None, int], ...]

    @property
    def wrong(self) -> int:
        return self.labels - self.right


@dataclass(frozen=True)
class Calibration:
    """One training round for one reader; `revealed` of its `issues` are revealed to the reader.

    `blind` issues are withheld from the reader: no number or comment of others comes from them.
    `right` of the team's `labels` on the revealed issues match the answers, including the reader's labels.
    """

    round: Round
    issues: int
    revealed: int
    blind: WithheldIssues
    seats: tuple[TrainingSeat, ...]
    labels: int
    right: int
    departures: tuple[Departure, ...]
    comments: list[Comment]


def calibrations(study: Study, member: Membership) -> list[Calibration]:
    """The opened training rounds of a study, oldest first. Seven queries, and one per taxonomy version."""
    trainings = list(
        Round.objects.filter(study=study, kind=Round.Kind.TRAINING, opened_at__isnull=False)
        .select_related("version__taxonomy", "study")
        .order_by("opened_at", "pk")
    )
    if not trainings:
        return []
    blind = withheld_issues_in(trainings, [member])
    kept = set(blind.values_list("round", "issue"))
    seen = reduce(or_, (revealed(round_) for round_ in trainings))
    open_to_all: dict[int, set[int]] = defaultdict(set)
    for round_id, issue in set(seen.values_list("round", "issue")) - kept:
        open_to_all[round_id].add(issue)
    labels = reduce(or_, (revealed_labels(round_) for round_ in trainings)) | Label.objects.filter(
        round__in=trainings, volunteer=member
    )
    given: dict[int, list[tuple[int, int, int | None]]] = defaultdict(list)
    rows = labels.filter(surplus=False).values_list("round", "issue", "volunteer", "category").distinct()
    for round_id, issue, volunteer, category in rows:
        if (round_id, issue) not in kept or volunteer == member.pk:
            given[round_id].append((issue, volunteer, category))
    answers: dict[int, dict[int, int]] = defaultdict(dict)
    for answer in Answer.objects.filter(round__in=trainings):
        answers[answer.round_id][answer.issue_id] = answer.category_id
    volunteers: dict[int, list[RoundVolunteer]] = defaultdict(list)
    chosen = RoundVolunteer.objects.filter(round__in=trainings).select_related("member")
    for row in chosen.order_by("round", "column"):
        volunteers[row.round_id].append(row)
    said: dict[int, list[Comment]] = defaultdict(list)
    for comment in _comments(trainings, member):
        if (comment.round_id, comment.issue_id) not in kept or comment.author_id == member.pk:
            said[comment.round_id].append(comment)
    books = {version: codebook(version) for version in {round_.version_id for round_ in trainings}}
    found = []
    for one in trainings:
        shown = answers[one.pk], open_to_all[one.pk], given[one.pk], volunteers[one.pk], said[one.pk]
        found.append(_calibration(one, member, books[one.version_id], blind.filter(round=one), *shown))
    return found


def _comments(trainings: Collection[Round], member: Membership) -> list[Comment]:
    """The comments that a member may read, in the order of writing. One query.

    These are the member's own comments, comments on revealed issues, and all comments for a lead, their
    addressee. A lead who labels in the training too reads only comments on issues that they have labelled.
    """
    comments = Comment.objects.filter(round__in=trainings)
    may = Q(author=member)
    for round_ in trainings:
        may |= Q(round=round_, issue__in=revealed(round_).values("issue"))
    if may_lead(member):
        own = RoundVolunteer.objects.filter(round=OuterRef("round"), member=member)
        labelled = Label.objects.filter(round=OuterRef("round"), issue=OuterRef("issue"), volunteer=member)
        may |= ~Exists(own) | Exists(labelled)
    return list(
        comments.filter(may)
        .select_related("author", "issue__repository", "issue__current")
        .defer("issue__current__body", "issue__current__comments", "issue__current__labels")
        .order_by("id")
    )


def _calibration(
    round_: Round,
    member: Membership,
    book: Codebook,
    blind: WithheldIssues,
    answers: dict[int, int],
    open_to_all: set[int],
    labels: list[tuple[int, int, int | None]],
    volunteers: list[RoundVolunteer],
    comments: list[Comment],
) -> Calibration:
    deep = {state.category_id: at_depth(book, state.category_id, round_.depth) for state in book.states}
    counted: Counter[int] = Counter()
    matched: Counter[int] = Counter()
    asked = Counter(deep[category].category_id for issue, category in answers.items() if issue in open_to_all)
    by_answer: dict[int, Counter[int | None]] = {category: Counter() for category in asked}
    for issue, volunteer, category in labels:
        if issue not in answers:
            continue
        right = deep[answers[issue]].category_id
        said = deep[category].category_id if category else None
        counted[volunteer] += 1
        matched[volunteer] += said == right
        if issue in open_to_all:
            by_answer[right][said] += 1
    everything, total = answers.keys() <= open_to_all, len(answers)
    seats = []
    for one in volunteers:
        done, right, is_own = counted[one.member_id], matched[one.member_id], one.member_id == member.pk
        result = TrainingResult(total=total, done=done, right=right, pass_mark=round_.pass_mark)
        passed = result.passed if everything or is_own else None
        seats.append(TrainingSeat(one, done, right, total, passed, is_own))
    departures = [
        Departure(
            state=book.by_id[category],
            hue=book.hue(category),
            issues=asked[category],
            labels=sum(said.values()),
            right=said[category],
            instead=tuple(
                (book.by_id[other] if other else None, n)
                for other, n in sorted(
                    said.items(), key=lambda pair: (-pair[1], book.by_id[pair[0]].position if pair[0] else -1)
                )
                if other != category
            ),
        )
        for category, said in by_answer.items()
    ]
    departures.sort(key=lambda one: (-one.wrong, one.state.position))
    return Calibration(
        round=round_,
        issues=len(answers),
        revealed=len(open_to_all),
        blind=blind,
        seats=tuple(seats),
        labels=sum(one.labels for one in departures),
        right=sum(one.right for one in departures),
        departures=tuple(departures),
        comments=comments,
    )
