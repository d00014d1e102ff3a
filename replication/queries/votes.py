"""Every ballot of the closed votes of a round, by everybody who voted."""

from collections.abc import Iterator

from consensus.queries.changed_votes import counted_ballots
from consensus.queries.votes import NO_CATEGORY_CODE
from rounds.models import Round
from rounds.queries.blindness import NOTHING, WithheldIssues
from rounds.queries.categories import codebook
from rounds.queries.first_labels import FormerCategories
from studies.models import Membership

VOTE_COLUMNS = (
    "Issue_URL", "Meeting", "Vote", "Present", "Volunteer", "Ballot", "Cast_at", "Closed_at",
)  # fmt: skip


def ballots_of_votes(
    round_: Round, member: Membership | None, former: FormerCategories, *, without: WithheldIssues = NOTHING
) -> Iterator[tuple[object, ...]]:
    """Rows of VOTE_COLUMNS, vote by vote, for issues that this member may see and that are not in `without`.

    With the ballots of chairs and of others who gave no label. NO_CATEGORY_CODE says that no category fits. A
    category that was split or retired since has its code in `former`. One query.
    """
    found = counted_ballots(round_, member, without=without)
    states = codebook(round_.version_id).states
    for one in found.select_related("vote__item__issue", "meeting", "member").order_by(
        "vote__closed_at", "vote", "member"
    ):
        vote, code = one.vote, NO_CATEGORY_CODE if one.none_fits else ""
        if one.category_id:
            counts = former.counts_as(one.category_id, one.named_in or round_.version_id)
            code = (states if counts > 0 else former.states)[counts].code
        yield (
            vote.item.issue.url, one.meeting.name, vote.number, vote.present, one.member.pseudonym, code,
            (one.changed_at or one.cast_at).isoformat(), vote.closed_at and vote.closed_at.isoformat(),
        )  # fmt: skip
