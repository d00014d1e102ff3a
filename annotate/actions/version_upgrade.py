"""Rounds follow a new version of their taxonomy, and labels that lost their category get a second look.

All of this is done in the transaction that publishes the version. A label is never rewritten: its category in
the version of its round is computed by the database (`rounds.models.CurrentLabel`).
"""

from datetime import datetime
from typing import Any

from django.db import connection

from accounts.models import User
from annotate.actions.second_looks import complete_again, look_again
from annotate.models import Draft
from annotate.queries.second_looks import kept_from_following
from consensus.actions.decisions import settle_anew
from consensus.models import Decision
from consensus.models.platform_reasons import asked_again, split_or_retired
from core import clock
from rounds.models import Round
from rounds.queries.categories import ShownCodebook, codebook
from rounds.queries.rounds import reveals_complete_issues
from studies.actions import record
from taxonomy.models import Gone, Level, Remap, Taxonomy, Version
from taxonomy.queries.taxonomies import published_version


def follow(*, version: Version, by: User | None, **_sent: object) -> list[Round]:
    """Move the rounds of a taxonomy to its new version, planned ones too; returns the rounds that moved. A
    closed round keeps its version; so does a training, because its right labels do, and a round whose depth
    or excluded type the new version lacks. The caller has locked the taxonomy.
    """
    following = [
        round_
        for round_ in _held(version.taxonomy)
        if round_.version_id != version.pk and kept_from_following(round_, version) is None
    ]
    for round_ in following:
        _go_on(round_, version, by)
    return following


def ask_again(*, taxonomy: Taxonomy, **_sent: object) -> int:
    """Give open labels whose proposal the newest version answers back to their authors; returns how many."""
    version = published_version(taxonomy)
    if version is None:
        return 0
    moment = clock.now()
    rounds = [one for one in _held(taxonomy) if one.version_id == version.pk and one.kind != Round.Kind.LOOK]
    return sum(look_again(round_, at=moment) for round_ in rounds)


def _held(taxonomy: Taxonomy) -> list[Round]:
    """The rounds of a taxonomy that are not closed, without trainings, locked in the order of their ids."""
    rounds = Round.objects.select_for_update(no_key=True, of=("self",)).filter(
        version__taxonomy=taxonomy, closed_at=None
    )
    rounds = rounds.exclude(kind=Round.Kind.TRAINING).select_related("study", "version__taxonomy")
    return list(rounds.order_by("pk"))


def _go_on(round_: Round, version: Version, by: User | None) -> None:
    before, now = codebook(round_.version_id), codebook(version.pk)
    old, round_.version = round_.version, version
    if round_.excludes_id is not None:
        round_.excludes_id = now.states.stands_as(round_.excludes_id)
    round_.save(update_fields=["version", "excludes"])
    # A category that was split and still exists has another meaning now: its drafts lose it.
    smaller = [id_ for id_ in now.states if now.states.stands_as(id_, old.pk) is None]
    Draft.objects.filter(round=round_, category__in=smaller).update(category=None)
    again = 0
    if round_.kind != Round.Kind.LOOK:
        moment = clock.now()
        opened = _end_decisions(round_, version, now, moment)
        again = look_again(round_, at=moment)
        complete_again(round_, moment)
        _compare_anew(round_, before, now, opened, moment)
    told = {"before": old.number, "version": version.number, "again": again}
    record(round_.study, "rounds.followed", by, round=round_.name, **told)


def _end_decisions(round_: Round, version: Version, now: ShownCodebook, moment: datetime) -> list[int]:
    """Reopen the issues that were decided as a category now split or retired; returns these issues."""
    standing = Decision.objects.filter(round=round_, superseded_at=None)
    opened: list[int] = []
    for category, made_in in standing.order_by().values_list("category", "version").distinct():
        if now.states.stands_as(category, made_in) is None:
            state = now.states[category]
            number, is_gone = _lost_in(category, made_in, version)
            tell = split_or_retired if is_gone else asked_again
            why = tell(number, f"{state.code} {state.name}")
            lost = standing.filter(category=category, version=made_in)
            opened += lost.values_list("issue", flat=True)
            lost.update(superseded_at=moment, superseded_why=why)
    return opened


def _lost_in(category: int, made_in: int, version: Version) -> tuple[int, bool]:
    """The number of the version in which a choice of the version `made_in` lost its category, and whether the
    category was split or retired there (else its labels are asked for again). A round can skip versions.
    """
    steps = Version.objects.filter(taxonomy=version.taxonomy_id, pk__gt=made_in, pk__lte=version.pk)
    for step in steps.filter(published_at__isnull=False).order_by("number"):
        remaps = list(Remap.objects.filter(to_version=step, source=category))
        if any(one.kind in {Remap.Kind.SPLIT, Remap.Kind.RETIRED} for one in remaps):
            return step.number, True
        if Gone.objects.filter(version=step, category=category, since=step, became=None).exists():
            return step.number, False
        category = next((one.target_id for one in remaps if one.target_id), category)
    return version.number, True


_PARTED = """
    SELECT c.issue_id FROM rounds_roundissue c
    WHERE c.round_id = %(round)s AND c.completed_at IS NOT NULL AND (
        c.issue_id = ANY(%(opened)s) OR ' ' || c.labels || ' ' ~ %(elsewhere)s
        OR ' ' || c.labels || ' ' ~ %(moved)s AND (
            c.labels || ' ' <> repeat(
                split_part(c.labels, ' ', 1) || ' ', 1 + length(c.labels) - length(replace(c.labels, ' ', ''))
            ) OR EXISTS (
                SELECT FROM consensus_disagreement d WHERE d.round_id = c.round_id AND d.issue_id = c.issue_id
            )
        )
    )
"""
_ENDED = "DELETE FROM consensus_disagreement WHERE round_id = %s AND issue_id = ANY(%s)"


def _compare_anew(
    round_: Round, before: ShownCodebook, now: ShownCodebook, opened: list[int], moment: datetime
) -> None:
    """Compare and decide again the `opened` issues, and issues whose labels count differently now. Unanimous
    labels that keep their category at the round's depth keep their result.
    """
    if not reveals_complete_issues(round_):
        return
    moved, elsewhere = _placed_otherwise(before, now, round_.depth)
    if not moved and not elsewhere and not opened:
        return
    given: dict[str, Any] = {"round": round_.pk, "opened": opened}
    given |= {"moved": _any_of(moved), "elsewhere": _any_of(elsewhere)}
    with connection.cursor() as cursor:
        cursor.execute(_PARTED, given)
        issues = [issue for (issue,) in cursor.fetchall()]
        cursor.execute(_ENDED, [round_.pk, issues])
    settle_anew(round_, issues, moment)


def _placed_otherwise(before: ShownCodebook, now: ShownCodebook, depth: int) -> tuple[set[int], set[int]]:
    """The present categories that count as another category at the round's depth (`elsewhere`, with 0 for no
    category), and those of which only another level changed (`moved`); as (moved, elsewhere).
    """

    old = before.states.version_id
    moved, elsewhere = set(), set()
    for category in before.states:
        stands = now.states.stands_as(category, old)
        if stands is None:
            elsewhere.add(0)
            continue
        was, here = before.at_depth(category, depth), now.at_depth(stands, depth)
        if now.states.stands_as(was.category_id, old) != here.category_id:
            elsewhere.add(stands)
        elif any(
            before.at_depth(category, level).category_id != now.at_depth(stands, level).category_id
            for level in (*Level, depth)
        ):
            moved.add(stands)
    return moved, elsewhere


def _any_of(said: set[int]) -> str:
    """A pattern that finds any of these categories in `RoundIssue.labels`; it finds nothing for none."""
    return f" ({'|'.join(map(str, sorted(said)))}) " if said else "^$"
