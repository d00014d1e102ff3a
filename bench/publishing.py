"""New versions of the taxonomy in the round of a full study: two large categories merge, one is split."""

import uuid
from collections.abc import Iterator

from django.db import connection, transaction

from bench.ground import Ground, Measurement, account, median_of, rows_of, seconds, stopwatch, timed
from bench.rounds import team_of
from reports.agreement_report import _numbers, agreement_report
from reports.queries.dry_run import dry_run
from reports.queries.label_tuples import _grouped
from rounds.models import Assignment, Round
from studies.models import Membership
from taxonomy.actions import act, publish
from taxonomy.queries.drafts import drafted
from taxonomy.tree.drafts import MERGE, SPLIT

MOST, MOST_OF_A_REPORT, MOST_OF_A_SPLIT, MOST_OF_A_DRY_RUN = 2.0, 0.3, 30.0, 5.0
TIMES = 5

MOST_CHOSEN = """
    SELECT c.key::text, count(*) FROM rounds_label l JOIN taxonomy_category c ON c.id = l.category_id
    WHERE l.round_id = %s GROUP BY 1 ORDER BY 2 DESC LIMIT 3
"""
TOUCHED = """
    UPDATE rounds_roundissue SET position = position
    WHERE round_id = %(round)s AND issue_id IN (
        SELECT l.issue_id FROM rounds_label l JOIN taxonomy_category c ON c.id = l.category_id
        WHERE l.round_id = %(round)s AND c.key::text = ANY(%(keys)s)
    )
"""
SLOTS = """
    UPDATE rounds_assignment SET rank = rank
    WHERE id IN (
        SELECT l.assignment_id FROM rounds_label l JOIN taxonomy_category c ON c.id = l.category_id
        WHERE l.round_id = %s AND c.key::text = %s
    )
"""


def rows(ground: Ground) -> Iterator[Measurement]:
    ground.say("publishing …")
    lead, round_, _members = team_of(ground.study(ground.issues))
    Round.objects.filter(pk=round_.pk).update(closed_at=None)
    taxonomy = round_.version.taxonomy

    def report() -> None:
        _grouped.cache_clear()
        _numbers.cache_clear()
        agreement_report(Round.objects.select_related("study", "version__taxonomy").get(pk=round_.pk))

    before = median_of(TIMES, report)
    (gone, labels), (kept, others), (large, parted) = rows_of(MOST_CHOSEN, [round_.pk])
    with transaction.atomic(), connection.cursor() as cursor:
        with stopwatch() as least:
            cursor.execute(TOUCHED, {"round": round_.pk, "keys": [gone, kept]})
        touched = cursor.rowcount
        transaction.set_rollback(True)
    act(taxonomy=taxonomy, kind=MERGE, key=gone, values={"into": kept}, by=lead.user)

    def try_out() -> None:
        _grouped.cache_clear()
        dry_run(drafted(taxonomy), lead)

    yield Measurement.timed(
        f"dry run of a draft that merges two categories ({labels:,} and {others:,} labels)",
        median_of(TIMES, try_out),
        before,
        "the agreement report, anew",
        most=MOST_OF_A_DRY_RUN,
        note=f"median of {TIMES}, warm; what becomes of labels and decisions, and kappas before and after",
    )
    took = timed(lambda: publish(taxonomy=taxonomy, by=lead.user))
    yield Measurement.timed(
        f"publish a version that merges two categories ({labels:,} and {others:,} labels)",
        took,
        least[0],
        f"one UPDATE of the {touched:,} issues",
        most=MOST,
        note="once; the round goes on with the new version in the same transaction",
    )
    after = median_of(TIMES, report)
    yield Measurement(
        work="agreement report after it, anew",
        ours=seconds(after),
        limit=seconds(before),
        limit_is="the same before it",
        ratio=after / before,
        bar=f"≤ {seconds(MOST_OF_A_REPORT)}",
        met=after <= MOST_OF_A_REPORT,
        note=f"median of {TIMES}, warm; the labels are now asked once more: of which versions are they?",
    )
    yield split(lead, Round.objects.get(pk=round_.pk), large, parted)
    ground.forget_studies()


def split(lead: Membership, round_: Round, key: str, labels: int) -> Measurement:
    """A large category becomes two, and its labels go back to their authors; nothing of it stays."""
    with transaction.atomic(), connection.cursor() as cursor:
        with stopwatch() as least:
            cursor.execute(SLOTS, [round_.pk, key])
        transaction.set_rollback(True)
    parts = [{"key": str(uuid.uuid4()), "name": f"Part {one}"} for one in (1, 2)]
    act(taxonomy=round_.version.taxonomy, kind=SPLIT, key=key, values={"parts": parts}, by=lead.user)
    for seat in Membership.objects.filter(rounds__round=round_, user=None):
        Membership.objects.filter(pk=seat.pk).update(user=account(f"Author {seat.pk}"))
    with transaction.atomic():
        took = timed(lambda: publish(taxonomy=round_.version.taxonomy, by=lead.user, note="Two kinds."))
        asked = Assignment.objects.filter(round__of=round_).count()
        transaction.set_rollback(True)
    return Measurement.timed(
        f"publish a version that splits a large category ({labels:,} labels, {asked:,} given back)",
        took,
        least[0],
        "one UPDATE of their slots",
        most=MOST_OF_A_SPLIT,
        note="once, in one transaction; a second look with drafts for all of their authors",
    )
