"""Compares meetings, their votes and what they decided with the model."""

from typing import TYPE_CHECKING

from django.urls import reverse

from consensus.models import Ballot, Decision, Vote
from core import clock
from tests.storm.meeting_model import ABSTAIN, MeetingModel
from tests.storm.meetings import without_tokens
from tests.worlds.world import undone

if TYPE_CHECKING:
    from tests.storm.life import Life
    from tests.storm.model import RoundModel


def meetings_are_as_answered(life: "Life") -> None:
    for meeting in life.meetings:
        if meeting.is_open:
            _ballots_are_as_answered(life, meeting)
            _decisions_follow_from_ballots(life, meeting)
            meeting.voted_now.clear()
            meeting.decided.clear()
            meeting.counted = ""


def _ballots_are_as_answered(life: "Life", meeting: MeetingModel) -> None:
    votes = {vote.item_id: vote for vote in Vote.objects.filter(meeting=meeting.pk)}
    of_item = {item: issue for issue, item in meeting.items.items()}
    stored: dict[int, dict[int, str]] = {}
    rows = Ballot.objects.filter(meeting=meeting.pk).values_list("vote__item", "member", "category")
    for item, member, category in rows:
        own = stored.setdefault(of_item[item], {})
        assert member not in own, f"member {member} voted twice on {of_item[item]}"
        own[member] = life.codes[category] if category else ABSTAIN
    for issue, sent in meeting.perhaps.items():
        for member, choice in sent.items():
            found = stored.get(issue, {}).get(member)
            known = meeting.ballots.setdefault(issue, {})
            assert found in {choice, known.get(member)}, f"a ballot on {issue} is {found}, sent was {choice}"
            if found:
                known[member] = found
    meeting.perhaps.clear()
    known = {issue: cast for issue, cast in meeting.ballots.items() if cast}
    assert stored == known, f"ballots in meeting {meeting.pk}: {stored}, answered were {known}"
    for issue, item in meeting.items.items():
        vote = votes.get(item)
        if vote is None:
            assert issue not in stored
        elif vote.closed_at is not None:
            meeting.votes_closed.add(issue)
            assert vote.present == len(stored.get(issue, ())), (
                f"{vote.present} took part in the vote on {issue}"
            )
        else:
            assert issue not in meeting.votes_closed, f"the vote on {issue} was closed, and is open"
            assert not meeting.is_closed, f"meeting {meeting.pk} is closed, and its vote on {issue} is open"
            moves = {key[0] for key in life.busy if isinstance(key, tuple)} & {"label", "seat", "close"}
            if issue in meeting.voted_now and not moves:
                waits = {one for one in meeting.invited if not _is_kept_from(life, meeting.round, issue, one)}
                assert not waits <= stored[issue].keys(), f"all have voted on {issue}, and its vote is open"
            too_late = meeting.counted == "surely" and len(stored.get(issue, ())) >= meeting.quorum
            has_raced = issue in meeting.voted_now
            assert not too_late or has_raced, (
                f"meeting {meeting.pk} has counted, and the vote on {issue} is open"
            )


def _is_kept_from(life: "Life", round_: "RoundModel", issue: int, member: int) -> bool:
    return any(one.can_fall_to(issue, member) for one in life.rounds if one is not round_)


def _decisions_follow_from_ballots(life: "Life", meeting: MeetingModel) -> None:
    """What the meeting decided by its ballots, these say; what they say is decided when the chair counts."""
    round_ = meeting.round
    for issue, (how, code) in meeting.decided.items():
        assert issue in meeting.votes_closed, f"{issue} was decided before its vote was closed"
        cast = meeting.ballots[issue]
        assert len(cast) >= meeting.quorum, (
            f"{issue} was decided by {len(cast)}, the quorum is {meeting.quorum}"
        )
        assert how == "chair" or meeting.suffices(issue, how) == code, (
            f"{issue} was decided by {how} as {code}"
        )
    if not meeting.counted:
        return
    standing = {
        issue: (life.codes[category], item, how)
        for issue, category, item, how in Decision.objects.filter(
            round=round_.pk, superseded_at=None, issue__in=meeting.items
        ).values_list("issue", "category", "item", "how")
    }
    for issue, item in meeting.items.items():
        found, by, how = standing.get(issue, (None, None, ""))
        says = meeting.by_ballots(issue) if issue in meeting.votes_closed else None
        if by == item and how in {"unanimity", "majority"} and issue not in round_.decided:
            assert found == says, f"{issue} was decided as {found} by ballots that say {says}"
            assert len(meeting.ballots[issue]) >= meeting.quorum, f"{issue} was decided without a quorum"
            round_.decided[issue] = {found}


def ballots_are_secret(life: "Life") -> None:
    """Whoever looks into a meeting sees the same, whatever others have said in a vote that is open."""
    open_ones = [
        (meeting, issue)
        for meeting in life.meetings
        for issue, cast in meeting.ballots.items()
        if cast and issue not in meeting.votes_closed and meeting.is_open and not meeting.is_closed
    ]
    if not open_ones:
        return
    meeting, issue = life.draw.choice(open_ones)
    voter = life.draw.choice(sorted(meeting.ballots[issue]))
    reader = life.draw.choice([one for one in (*life.world.members, life.world.lead) if one.pk != voter])
    url = f"{reverse('meeting', args=[meeting.pk])}?item={meeting.items[issue]}"
    said = meeting.ballots[issue][voter]
    other = next(one for one in life.themes(meeting.round) if one != said)

    def page() -> str:
        with clock.told_by(lambda: life.now):
            answer = life.clients[reader.pk].get(url)
        assert answer.status_code < 500, f"{reader} at {url}: {answer.status_code}"
        return without_tokens(answer.content.decode())

    page()
    first = page()
    with undone():
        own = Ballot.objects.filter(vote__item=meeting.items[issue], member=voter)
        own.update(category=life.pk_of(other), none_fits=False)
        second = page()
    assert first == second, f"{reader} sees how member {voter} votes on {issue} before the vote is closed"
    life.secret += 1
