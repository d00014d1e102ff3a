"""Rounds go on with a new version of their taxonomy, and what lost its category is looked at again.

All of it is done in the transaction that publishes the version. A label stays what it was: what it says in
the version of its round is for the database to tell (`annotate.models.Said`).
"""

from datetime import datetime

from django.db import connection
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from annotate.actions.decisions import decide, note_disagreements
from annotate.actions.looks import look_again
from annotate.models import Decision, Disagreement, Round
from annotate.queries.categories import Codebook, codebook
from annotate.queries.looks import kept_from_following
from annotate.queries.rounds import reveals_complete_issues
from studies.actions import record
from taxonomy.models import Level, Taxonomy, Version
from taxonomy.queries import answered, published_version


def follow(*, version: Version, by: User | None) -> list[Round]:
    """Let the rounds of a taxonomy that are not closed go on with its new version; those that do.

    A training keeps its version, as its right labels do, and so does a round whose depth or excluded type
    the new version lacks. The caller has locked the taxonomy.
    """
    following = [
        round_
        for round_ in _held(version.taxonomy)
        if round_.version_id != version.pk and kept_from_following(round_, version) is None
    ]
    for round_ in following:
        _go_on(round_, version, by)
    return following


def ask_again(*, taxonomy: Taxonomy) -> int:
    """Give the open labels whose proposal a category of the newest version answers back to their authors, in
    the rounds that label with it: how many. The caller has locked the taxonomy.
    """
    version = published_version(taxonomy)
    if version is None:
        return 0
    answers, moment = answered(version), timezone.now()
    rounds = [one for one in _held(taxonomy) if one.version_id == version.pk and one.kind != Round.Kind.LOOK]
    return sum(look_again(round_, at=moment, answers=answers) for round_ in rounds)


def _held(taxonomy: Taxonomy) -> list[Round]:
    """The rounds of a taxonomy that are not closed, without trainings, held in the order of their ids."""
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
    again = 0
    if round_.kind != Round.Kind.LOOK:
        moment = timezone.now()
        _end_decisions(round_, version, now, moment)
        again = look_again(round_, at=moment, answers=answered(version))
        _compare_anew(round_, _placed_otherwise(before, now, round_.depth), moment)
    record(
        round_.study,
        "rounds.followed",
        by,
        round=round_.name,
        before=old.number,
        version=version.number,
        again=again,
    )


def _end_decisions(round_: Round, version: Version, now: Codebook, moment: datetime) -> None:
    """Open again what was decided as a category that nothing took over as a whole."""
    standing = Decision.objects.filter(round=round_, superseded_at=None)
    for category, made_in in standing.order_by().values_list("category", "version").distinct():
        if now.states.stands_as(category, made_in) is None:
            state = now.states[category]
            why = _("Version %(n)s split or retired %(code)s %(name)s.") % {
                "n": version.number,
                "code": state.code,
                "name": state.name,
            }
            lost = standing.filter(category=category, version=made_in)
            lost.update(superseded_at=moment, superseded_why=why)


def _placed_otherwise(before: Codebook, now: Codebook, depth: int) -> list[int]:
    """The categories of the version before whose labels compare otherwise now: they, or what they became, lie
    below another type, theme or category of the round's depth.
    """

    def place(book: Codebook, category: int) -> list[int]:
        return [book.at_depth(category, level).category_id for level in (*Level, depth)]

    found = []
    for category in before.states:
        stands = now.states.stands_as(category)
        if stands is not None and place(before, category) != place(now, stands):
            found.append(category)
    return found


_PARTED = """
    SELECT c.issue_id FROM annotate_roundissue c
    WHERE c.round_id = %(round)s AND c.completed_at IS NOT NULL
      AND ' ' || c.labels || ' ' ~ %(moved)s
      AND (
        c.labels || ' ' <> repeat(
            split_part(c.labels, ' ', 1) || ' ', 1 + length(c.labels) - length(replace(c.labels, ' ', ''))
        ) OR EXISTS (
            SELECT FROM annotate_disagreement d WHERE d.round_id = c.round_id AND d.issue_id = c.issue_id
        )
      )
"""
_ENDED = "DELETE FROM annotate_disagreement WHERE round_id = %s AND issue_id = ANY(%s)"


def _compare_anew(round_: Round, moved: list[int], moment: datetime) -> None:
    """Note anew what differs among labels of categories that lie elsewhere now, and decide what agrees.

    What the rule decided and would no longer decide is open again. Issues whose labels are all of one
    category agree as they did.
    """
    if not moved or not reveals_complete_issues(round_):
        return
    now = codebook(round_.version_id)
    stands = {now.states.stands_as(category) for category in moved}
    said = f" ({'|'.join(str(one) for one in stands if one)}) "
    with connection.cursor() as cursor:
        cursor.execute(_PARTED, {"round": round_.pk, "moved": said})
        issues = [issue for (issue,) in cursor.fetchall()]
        if not issues:
            return
        cursor.execute(_ENDED, [round_.pk, issues])
    note_disagreements(round_, issues=issues)
    standing = Decision.objects.filter(
        round=round_, method=Decision.Method.UNANIMOUS, superseded_at=None, issue__in=issues
    )
    differing = Disagreement.objects.filter(round=round_, issue=OuterRef("issue"))
    standing.filter(Exists(differing)).update(
        superseded_at=moment,
        superseded_why=_("The labels differ in version %(n)s.") % {"n": round_.version.number},
    )
    decide(round_, moment, issues=issues)


def on_published(*, version: Version, by: User | None, **_sent: object) -> None:
    follow(version=version, by=by)


def on_answered(*, taxonomy: Taxonomy, **_sent: object) -> None:
    ask_again(taxonomy=taxonomy)
