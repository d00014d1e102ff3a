"""What contradicts itself in a study, or will in its package: counted, with examples.

What labels tell is read of closed rounds alone, without issues that are withheld from the reader.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.urls import reverse

from consensus.models import Comment, Decision
from ingest.models import Issue, SimilarMark
from ingest.queries.similar import similar_pairs, standing_marks
from reports.agreement_report import agreement_report
from reports.queries.independence import suspicions_for_page
from rounds.models import CurrentLabel, Label, Round, RoundIssue
from rounds.queries.blindness import WithheldIssues, withheld_issues, withheld_issues_in
from rounds.queries.rounds import current_round
from studies.models import Membership, Study
from studies.queries import current_guideline
from taxonomy.models import CategoryState

SHOWN = 5
"""As many examples of each finding."""
SHORTEST_NAME = 4
"""Shorter names of people are words of other texts."""
CODE = re.compile(r"(?<![\w.])[A-Z]\.\d{1,2}(?:\.[ivx]{1,5})?(?!\w|\.\w)")
"""Codes of themes and sub-themes as texts name them: C.9, C.9.iv. A lone letter is no code in prose."""


class Example(NamedTuple):
    text: str
    url: str = ""


@dataclass(frozen=True)
class Finding:
    """One kind of contradiction: how many there are, and the first of them. `count` is None where a search
    would take too long for a page.
    """

    key: str
    count: int | None
    examples: tuple[Example, ...] = ()


def integrity(study: Study, member: Membership) -> list[Finding]:
    """All kinds of contradictions, also those that the study has none of. A fixed number of queries: two for
    each kind, and those of one agreement report.
    """
    opened = list(Round.objects.filter(study=study, opened_at__isnull=False).select_related("version"))
    counted = [round_ for round_ in opened if round_.kind not in Round.APART]
    closed = [round_ for round_ in counted if round_.closed_at]
    blind = withheld_issues_in(closed, [member])
    return [
        *_of_issues(study, counted),
        *_of_the_codebook(study, counted),
        *_of_labels(closed, blind),
        _names(study, closed, blind),
        _copied(closed, member),
    ]


def _of_issues(study: Study, rounds: list[Round]) -> Iterable[Finding]:
    issues = Issue.objects.filter(repository__study=study).select_related("repository")
    pairs, marks = similar_pairs(study.pk), standing_marks(study.pk)
    judged = marks.filter(first=OuterRef("first"), second=OuterRef("second"))
    unjudged = pairs.filter(~Exists(judged))
    duplicates = marks.filter(kind=SimilarMark.Kind.DUPLICATE)
    labelled = issues.filter(Exists(RoundIssue.objects.filter(issue=OuterRef("pk"), round__in=rounds)))

    def of(key: str, found: QuerySet[Issue]) -> Finding:
        return _finding(key, found.order_by("pk"), lambda issue: _issue(study, issue))

    yield of("moved", issues.filter(fate=Issue.Fate.TRANSFERRED))
    yield of("gone", issues.filter(fate=Issue.Fate.GONE))
    yield of("pull_requests", labelled.filter(is_pull_request=True))
    yield of("without_text", labelled.filter(current=None))
    yield of("unjudged", issues.filter(Q(pk__in=unjudged.values("first"))))
    yield of(
        "duplicates",
        labelled.filter(Q(pk__in=duplicates.values("first")) | Q(pk__in=duplicates.values("second"))),
    )


def _of_the_codebook(study: Study, rounds: list[Round]) -> Iterable[Finding]:
    states = CategoryState.objects.filter(version__in={round_.version_id for round_ in rounds})
    taxonomy = reverse("taxonomies", args=[study.slug])
    yield _finding(
        "undefined",
        states.filter(definition="").order_by("version", "position"),
        lambda state: Example(f"{state.code} {state.name}", taxonomy),
    )
    guideline = current_guideline(study)
    named = dict.fromkeys(CODE.findall(guideline.text)) if guideline else {}
    known = set(states.values_list("code", flat=True)) if named else set()
    address = reverse("guideline", args=[study.slug])
    unknown = [Example(code, address) for code in named if known and code not in known]
    yield Finding("unknown_codes", len(unknown), tuple(unknown[:SHOWN]))


def _of_labels(rounds: list[Round], blind: WithheldIssues) -> Iterable[Finding]:
    kept = blind.values("issue")
    issues = RoundIssue.objects.filter(round__in=rounds).exclude(issue__in=kept).select_related("round")
    labels = Label.objects.filter(round__in=rounds, surplus=False).exclude(issue__in=kept)
    current = CurrentLabel.objects.filter(round__in=rounds, category=None).exclude(issue__in=kept)

    def of(key: str, found: QuerySet[Any]) -> Finding:
        rows = found.select_related("issue__repository", "round__study").order_by("pk")
        return _finding(key, rows, lambda row: _issue(row.round.study, row.issue, row.round))

    yield of("undecided", issues.filter(decided=0))
    yield of("open", labels.filter(category=None))
    yield of("ended", current.filter(label__category__isnull=False))
    yield of("other_text", labels.filter(snapshot__isnull=False).exclude(snapshot=F("issue__current")))


def _names(study: Study, rounds: list[Round], blind: WithheldIssues) -> Finding:
    """Texts of the package that name a person of the study, who stands there under a pseudonym."""
    people = list(study.memberships.filter(user__isnull=False).select_related("user"))
    pseudonyms = {one.pseudonym.casefold() for one in people}
    names = {text for one in people if one.user for text in (one.user.name, one.user.email)}
    names = {one for one in names if len(one) >= SHORTEST_NAME and one.casefold() not in pseudonyms}
    if not names:
        return Finding("names", 0)
    of_rounds = Q(round__in=rounds) & ~Q(issue__in=blind.values("issue"))
    found = [
        (model.objects.filter(of_rounds, reduce(or_, (Q(**{f"{field}__icontains": name}) for name in names))))
        for model, field in ((Label, "summary"), (Decision, "rationale"), (Comment, "text"))
    ]
    rows = [
        row
        for texts in found
        for row in texts.select_related("issue__repository", "round__study").order_by("pk")[: SHOWN + 1]
    ]
    examples = tuple(_issue(row.round.study, row.issue, row.round) for row in rows[:SHOWN])
    return Finding("names", sum(texts.count() for texts in found), examples)


def _copied(rounds: list[Round], member: Membership) -> Finding:
    round_ = current_round(rounds)
    if round_ is None:
        return Finding("copied", 0)
    signs = suspicions_for_page(agreement_report(round_, blind=withheld_issues(round_, member)))
    address = reverse("agreement", args=[round_.pk])
    if signs is None:
        return Finding("copied", None, (Example(round_.name, address),))
    return Finding("copied", len(signs), (Example(round_.name, address),) if signs else ())


def _finding(key: str, found: QuerySet[Any], example: Callable[[Any], Example]) -> Finding:
    return Finding(key, found.order_by().count(), tuple(map(example, found[:SHOWN])))


def _issue(study: Study, issue: Issue, round_: Round | None = None) -> Example:
    where = f" · {round_.name}" if round_ else ""
    return Example(f"{issue.repository.path} {issue}{where}", reverse("issue", args=[study.slug, issue.pk]))
