"""Proposals that are put to the vote: opened, voted on, withdrawn, closed. Each act locks the taxonomy, then
the motion, so that a ballot and the closing come one after the other.
"""

import uuid
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from core import clock
from core.text.mentions import named
from studies.actions import record
from studies.models import Membership
from studies.rules import LABELLING, PEOPLE
from taxonomy import errors
from taxonomy.actions.answers import link
from taxonomy.actions.drafts import act
from taxonomy.change_titles import in_words, names_of
from taxonomy.models import Ballot, Motion, MotionComment, MotionMention, Taxonomy
from taxonomy.queries.drafts import drafted
from taxonomy.rules import NEED_ALL, may_propose
from taxonomy.tree import drafts

REASONS_LENGTH = 5000
ARGUMENT_LENGTH = 2000
MOST_DAYS = 90
"""The longest vote: no version can be published while a vote is open."""


@transaction.atomic
def open_motion(
    *,
    taxonomy: Taxonomy,
    by: Membership,
    kind: str,
    key: str | None,
    values: Mapping[str, Any],
    reasons: str,
    deadline: datetime,
    examples: str = "",
    quorum: int | None = None,
    waits: str = "",
) -> Motion:
    """Put a change to the vote of all members who may label in the study now. `kind`, `key` and `values` are
    those of taxonomy.tree.drafts.Change; `quorum` is more than half of the members by default, and all of
    them for a new category or a split.

    Raises NotProposable, and ChangeRefused if the change is impossible in today's draft.
    """
    taxonomy = Taxonomy.objects.select_for_update(no_key=True).get(pk=taxonomy.pk)
    now = clock.now()
    reasons, examples = reasons.strip(), examples.strip()
    if not reasons or len(reasons) > REASONS_LENGTH or len(examples) > REASONS_LENGTH:
        said = _("Write your reasons in at most %(most)d characters. Nothing was stored.")
        raise errors.NotProposable(said % {"most": REASONS_LENGTH})
    if deadline <= now:
        raise errors.NotProposable(
            _("This deadline has already passed. Nothing was stored. Choose a later deadline.")
        )
    if deadline > now + timedelta(days=MOST_DAYS):
        said = _(
            "A vote can last at most %(n)d days, because no version can be published during a"
            " vote. Nothing was stored. Choose an earlier deadline."
        )
        raise errors.NotProposable(said % {"n": MOST_DAYS})
    values = dict(values)
    if kind == drafts.SPLIT:
        values["parts"] = [{"key": str(uuid.uuid4())} | dict(part) for part in values.get("parts", ())]
    key = key or str(uuid.uuid4())
    change = drafts.Change(kind, key, values)
    draft = drafted(taxonomy).draft
    names = names_of(draft, change)
    title = in_words(names)
    was = draft.entries.get(key)
    try:
        draft.apply(change)
    except drafts.Refused as refused:
        raise errors.ChangeRefused.of(refused) from refused
    if kind == drafts.DESCRIBE and draft[key] == was:
        raise errors.NotProposable(
            _("Your proposal changes nothing. Nothing was stored. Enter another name or text.")
        )
    electors = list(
        Membership.objects.filter(
            study=taxonomy.study_id, role__in=LABELLING, left_at=None, user__isnull=False, joined_at__lte=now
        ).order_by("pk")
    )
    quorum = len(electors) // 2 + 1 if quorum is None else quorum
    if not 1 <= quorum <= len(electors):
        said = _(
            "The quorum must be between 1 and %(n)d, the number of members who can vote. Nothing was stored."
        )
        raise errors.NotProposable(said % {"n": len(electors)})
    if kind in NEED_ALL:
        quorum = len(electors)
    last = Motion.objects.filter(taxonomy=taxonomy).aggregate(last=Max("number"))["last"] or 0
    motion = Motion.objects.create(
        taxonomy=taxonomy,
        number=last + 1,
        kind=kind,
        key=key,
        values=values,
        title=title,
        names=names,
        reasons=reasons,
        examples=examples,
        opened_by=by,
        opened_at=now,
        deadline=deadline,
        electorate=len(electors),
        quorum=quorum,
        by_majority=taxonomy.by_majority and kind not in NEED_ALL,
    )
    Ballot.objects.bulk_create(Ballot(motion=motion, member=member) for member in electors)
    if waits and kind != drafts.RETIRE:  # which answers nothing
        link(motion, waits)
    record(taxonomy.study, "taxonomies.proposed", by.user, number=motion.number, title=title)
    return motion


@transaction.atomic
def cast(*, motion: Motion, member: Membership, choice: str, argument: str = "") -> Motion:
    """Vote, or change a vote, with or without an argument.

    The last missing ballot closes the vote. After the deadline the ballot is not counted, and the returned
    motion is closed without it. Raises NoBallot, and MotionClosed if the motion was closed before.
    """
    current, now = _held(motion), clock.now()
    if not current.is_open:
        raise errors.MotionClosed(kept={"argument": argument})
    if now >= current.deadline:
        return _close(current, now)
    ballot = Ballot.objects.filter(motion=current, member=member).first()
    if ballot is None or member.left_at is not None:
        raise errors.NoBallot(kept={"argument": argument})
    ballot.choice, ballot.argument, ballot.cast_at = choice, argument.strip()[:ARGUMENT_LENGTH], now
    ballot.save(update_fields=["choice", "argument", "cast_at"])
    if not Ballot.objects.filter(motion=current, choice="").exists():
        return _close(current, now)
    return current


@transaction.atomic
def withdraw(*, motion: Motion, by: Membership) -> Motion:
    """Withdraw one's own proposal while it is open; its ballots stay. After the deadline this closes the vote
    by its result instead. Raises MotionClosed, NotOwnMotion.
    """
    current, now = _held(motion), clock.now()
    if current.opened_by_id != by.pk:
        raise errors.NotOwnMotion
    if not current.is_open:
        raise errors.MotionClosed
    return _close(current, now, withdrawn=now < current.deadline)


def close_due(taxonomy: Taxonomy | None = None) -> int:
    """Close every vote past its deadline, in one taxonomy or in all, each in its own transaction; return the
    number of votes that this call closed.
    """
    due = Motion.objects.filter(closed_at=None, deadline__lte=clock.now())
    due = due.filter(taxonomy__study__archived_at=None, taxonomy__study__delete_at=None)
    if taxonomy is not None:
        due = due.filter(taxonomy=taxonomy)
    return sum(_close_if_due(motion) for motion in due.order_by("pk"))


@transaction.atomic
def set_rule(*, taxonomy: Taxonomy, by: Membership, by_majority: bool) -> None:
    """Set whether a majority accepts proposals opened from now on. New categories always need all votes."""
    current = Taxonomy.objects.select_for_update(no_key=True).get(pk=taxonomy.pk)
    if current.by_majority != by_majority:
        Taxonomy.objects.filter(pk=current.pk).update(by_majority=by_majority)
        record(current.study, "taxonomies.rule_set", by.user, name=current.name, by_majority=by_majority)


@transaction.atomic
def _close_if_due(motion: Motion) -> bool:
    current, now = _held(motion), clock.now()
    if not current.is_open or now < current.deadline:
        return False
    _close(current, now)
    return True


def _held(motion: Motion) -> Motion:
    """The current motion; locks taxonomy and motion against other votes, closings and draft changes."""
    Taxonomy.objects.select_for_update(no_key=True).get(pk=motion.taxonomy_id)
    held = Motion.objects.select_for_update(no_key=True, of=("self",))
    return held.select_related("taxonomy__study").get(pk=motion.pk)


def _close(motion: Motion, now: datetime, *, withdrawn: bool = False) -> Motion:
    """Count the ballots, and make the change in the draft if accepted. The caller has locked the motion."""
    counted = Counter(Ballot.objects.filter(motion=motion).values_list("choice", flat=True))
    motion.closed_at = now
    motion.in_favour = counted[Ballot.Choice.FOR]
    motion.against = counted[Ballot.Choice.AGAINST]
    motion.abstained = counted[Ballot.Choice.ABSTAIN]
    motion.outcome = Motion.Outcome.WITHDRAWN if withdrawn else outcome_of(motion)
    if motion.outcome == Motion.Outcome.ACCEPTED:
        _apply(motion)
    motion.save()
    record(
        motion.taxonomy.study, "taxonomies.decided", None, number=motion.number, outcome=str(motion.outcome)
    )
    return motion


def outcome_of(motion: Motion) -> str:
    """The result of the counted ballots: no quorum; else accepted if more than half of the ballots are for
    the change (by majority), or if none is against it and more are for it than abstain (otherwise). A new
    category needs the votes of all electors.
    """
    yes, noes, neither = motion.in_favour or 0, motion.against or 0, motion.abstained or 0
    if motion.cast < motion.quorum:
        return Motion.Outcome.NO_QUORUM
    is_accepted = 2 * yes > motion.cast if motion.by_majority else noes == 0 and yes > neither
    if motion.kind in NEED_ALL:
        is_accepted = yes == motion.electorate
    return Motion.Outcome.ACCEPTED if is_accepted else Motion.Outcome.DECLINED


def _apply(motion: Motion) -> None:
    """Make the change in the draft, without a maker, so that no single user can undo it."""
    try:
        acted = act(
            taxonomy=motion.taxonomy, kind=motion.kind, key=str(motion.key), values=motion.values, by=None
        )
    except errors.ChangeRefused as refused:
        motion.refused = str(refused)
        return
    motion.change = acted.change
    if acted.change is None:
        motion.refused = _("The draft already contains this change.")


COMMENT_LENGTH = 2000


@transaction.atomic
def comment(*, motion: Motion, by: Membership, text: str) -> MotionComment:
    """Add a comment to a proposal, visible to all its readers; @R3 notifies that member. Raises NotSaid."""
    text = text.replace("\x00", "\ufffd").replace("\r\n", "\n").strip()
    may = may_propose(by) and by.study_id == motion.taxonomy.study_id
    if not may or not text or len(text) > COMMENT_LENGTH:
        raise errors.NotSaid(kept={"text": text})
    said = MotionComment.objects.create(motion=motion, author=by, text=text)
    if "@" in text:
        people = Membership.objects.filter(study=by.study_id, left_at=None, role__in=PEOPLE)
        members = dict(people.exclude(pk=by.pk).values_list("pseudonym", "pk"))
        MotionMention.objects.bulk_create(
            MotionMention(comment=said, member_id=members[name]) for name in sorted(named(text, members))
        )
    return said


def see_comments(*, taxonomy: Taxonomy, member: Membership) -> int:
    """Record that the member has read the comments on proposals that name them; return how many were new."""
    new = MotionMention.objects.filter(comment__motion__taxonomy=taxonomy, member=member, seen_at=None)
    return new.update(seen_at=clock.now())
