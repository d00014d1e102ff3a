"""Every ballot of the closed votes of a round, by everybody who voted."""

from collections.abc import Iterator

from consensus.models import Ballot, Disagreement
from rounds.models import Round
from rounds.queries.blindness import NOTHING, WithheldIssues, seen_by
from rounds.queries.categories import codebook
from studies.models import Membership

VOTE_COLUMNS = (
    "Issue_URL", "Meeting", "Vote", "Present", "Volunteer", "Ballot", "Cast_at", "Closed_at",
)  # fmt: skip


def ballots_of_votes(
    round_: Round, member: Membership | None, *, without: WithheldIssues = NOTHING
) -> Iterator[tuple[object, ...]]:
    """Rows of VOTE_COLUMNS, vote by vote, for issues that this member may see and that are not in `without`.

    With the ballots of chairs and of others who gave no label. A category that was split or retired since has
    its last code. One query.
    """
    seen = seen_by(Disagreement.objects.filter(round=round_), round_, member)
    if not without.query.is_empty():
        seen = seen.exclude(issue__in=without.values("issue"))
    states = codebook(round_.version_id).states
    found = Ballot.objects.filter(
        meeting__round=round_, vote__closed_at__isnull=False, vote__item__issue__in=seen.values("issue")
    ).select_related("vote__item__issue", "meeting", "member")
    for one in found.order_by("vote__closed_at", "vote", "member"):
        vote = one.vote
        yield (
            vote.item.issue.url, one.meeting.name, vote.number, vote.present, one.member.pseudonym,
            states[one.category_id].code if one.category_id else "",
            (one.changed_at or one.cast_at).isoformat(), vote.closed_at and vote.closed_at.isoformat(),
        )  # fmt: skip
