"""Agreement before and after consensus: of the first labels, which are independent, and of these with the
last ballots.

Agreement always means the first number. The second number shows how far a team came together by talking; its
ballots depend on each other, so it does not measure how clear the categories are.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from agreement import MISSING, Agreement
from consensus.queries.changed_votes import ChangedVotes, LabelMove, changed_votes
from reports.agreement_report import AgreementReport, LevelTooDeep, level_name
from reports.level_agreement import agreement_of
from reports.queries.label_tuples import AGAIN, Tuples, tuples
from rounds.models import CurrentLabel, Round
from rounds.queries.blindness import NOTHING, WithheldIssues, seen_sql, withheld_issues
from rounds.queries.categories import categories_of
from rounds.queries.first_labels import first_labels
from rounds.queries.rounds import volunteers
from studies.models import Membership
from taxonomy.models import Level
from taxonomy.queries.codebooks import Codebook

IssueLabels = Sequence[tuple[int, int | None]]
"""The labels of one issue: (member, category), by the ids of the members; None for an open label."""


@dataclass(frozen=True)
class BeforeAfter:
    """The agreement of a round at one level: of the independent labels, and with the last ballots.

    On `voted` issues ballots replace `replaced` labels; `changed` of them name another category at this level
    than the label that counted when the vote was closed. `withheld` issues are in neither number.
    """

    level: Level
    as_of: datetime
    before: Agreement
    after: Agreement
    voted: int
    replaced: int
    changed: int
    withheld: int

    def as_dict(self) -> dict[str, Any]:
        """The JSON of REST: full precision; an undefined number is null with a reason."""
        after = self.after.as_dict()
        for found in after["coefficients"].values():
            # Ballots depend on each other, so their standard error and interval mean nothing.
            found.update(se=None, low=None, high=None, doubt=None)
        return {
            "level": level_name(self.level),
            "as_of": self.as_of.isoformat(),
            "voted_issues": self.voted,
            "replaced_labels": self.replaced,
            "changed_labels": self.changed,
            "before": self.before.as_dict(),
            "after": after,
        }


def before_and_after(
    round_: Round,
    member: Membership | None,
    *,
    level: Level | None = None,
    found: ChangedVotes | None = None,
    without: WithheldIssues = NOTHING,
) -> BeforeAfter:
    """Both agreements, over all complete, revealed issues that are not withheld from the reader.

    For the second one, an author's last ballot in a closed vote on the issue replaces the label; without a
    ballot, or after abstaining, the label stays. `level`: the round's depth by default. `found`: the result
    of `changed_votes`, if the caller has it. `without`: issues of the round to leave out. LevelTooDeep below
    the depth, or without categories there.
    """
    level = Level(level or round_.depth)
    book = categories_of(round_.version_id)
    if level > round_.depth or not book.at_level(level):
        raise LevelTooDeep
    found = found or changed_votes(round_, member, without=without)
    moves = found.moves
    ballots = {(move.issue, move.member): move.after for move in moves if move.after is not None}
    voted = sorted({issue for issue, _member in ballots})
    blind = withheld_issues(round_, member)
    rest = tuples(round_, book, without=voted, blind=blind | without)
    before: dict[int, list[tuple[int, int | None]]] = {issue: [] for issue in voted}
    labels = CurrentLabel.objects.filter(round=round_, issue__in=voted).order_by("issue", "volunteer")
    for issue, who, category in labels.values_list("issue", "volunteer", "category"):
        before[issue].append((who, category))
    if rest.had_looks:
        first = first_labels(round_.pk, round_.version_id, *seen_sql(blind | without, "c.issue_id"))
        book, again = first.former.beside(book), 0
        rest = tuples(round_, book, without=voted, blind=blind | without)
        for id_, (issue, given) in first.rows.items():
            if issue in before:
                before[issue] = [(who, category or None) for who, category in given]
                again += first.again[id_]
        rest = replace(rest, left_out=_more(rest.left_out, AGAIN, again))
    after = {
        issue: [(who, ballots.get((issue, who), category)) for who, category in given]
        for issue, given in before.items()
    }
    # Ballots can name other former categories than labels.
    more = found.former.only(one for one in ballots.values() if one).beside(book)
    members = volunteers(round_).values_list("member", flat=True)
    # Without columns, labels are in the order of slots.
    columns = {member: column for column, member in enumerate(members)} if rest.columns else {}
    return BeforeAfter(
        level=level,
        as_of=rest.as_of,
        before=agreement_of(with_rows(rest, before.values(), columns, book), book, level),
        after=agreement_of(
            with_rows(_could_be(rest, ballots.values(), more), after.values(), columns, more), more, level
        ),
        voted=len(voted),
        replaced=len(ballots),
        changed=_changed(moves, found.former.beside(book), level),
        withheld=blind.filter(completed_at__isnull=False).count(),
    )


def _could_be(rest: Tuples, ballots: Iterable[int | None], book: Codebook) -> Tuples:
    """These tuples with the categories that ballots name among those that labels could be."""
    if rest.choosable is None:
        return rest
    found = dict(rest.choosable)
    for ballot in ballots:
        above = ballot
        while above is not None and above not in found:
            found[above] = book.by_id[above]
            above = found[above].parent_id
    return replace(rest, choosable=found)


def _more(counts: Mapping[str, int], reason: str, more: int) -> dict[str, int]:
    return {**counts, reason: counts.get(reason, 0) + more} if more else dict(counts)


def before_after_of_report(report: AgreementReport) -> BeforeAfter | None:
    """Both agreements for an agreement report, at its level and for its reader.

    None without a reader, below the round's depth, and if no author of a label has cast a ballot on the same
    issue in a closed vote that the reader may see.
    """
    if report.reader is None or report.level > report.round.depth:
        return None
    member = report.reader.member
    found = changed_votes(report.round, member, without=report.without)
    if not found.moves:
        return None
    return before_and_after(report.round, member, level=report.level, found=found, without=report.without)


def _changed(moves: Iterable[LabelMove], book: Codebook, level: Level) -> int:
    """How many ballots differ from the label at this level; labels above the level are compared unchanged."""
    above = book.rolled_up(level)
    return sum(
        move.after is not None
        and above.get(move.after, move.after) != above.get(move.before or 0, move.before)
        for move in moves
    )


def with_rows(
    rest: Tuples, rows: Iterable[IssueLabels], columns: Mapping[int, int], book: Codebook
) -> Tuples:
    """The tuples `rest` with a row for each issue of `rows`; without an edition, so they equal no others."""
    more = list(rows)
    width = max([rest.codes.shape[1], *(len(row) for row in more)])
    codes = np.full((len(rest.codes) + len(more), width), MISSING, dtype=np.int32)
    codes[: len(rest.codes), : rest.codes.shape[1]] = rest.codes
    for index, row in enumerate(more, start=len(rest.codes)):
        for slot, (who, category) in enumerate(row):
            codes[index, columns.get(who, slot)] = book.places.get(category or 0, MISSING)
    open_labels = sum(category is None for row in more for _who, category in row)
    left_out = _more(rest.left_out, "open_labels", open_labels)
    extra = np.full(len(more), MISSING)
    return replace(
        rest,
        codes=codes,
        counts=np.append(rest.counts, np.ones(len(more), dtype=np.int64)),
        decided=np.append(rest.decided, extra.astype(np.int32)),
        repositories=np.append(rest.repositories, np.zeros(len(more), dtype=np.int64)),
        months=np.append(rest.months, np.full(len(more), "NaT", dtype="datetime64[M]")),
        left_out=left_out,
        edition=None,
    )
