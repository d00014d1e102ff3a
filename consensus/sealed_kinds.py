"""The events of this room: decisions, what supersedes them, and closed votes with their ballots."""
# ruff: noqa: S608 - the pieces are names of columns

from consensus.models import Ballot, Decision, Vote
from rounds.covered import Kind, columns_of, content, register

LATER = ("superseded_at", "superseded_by_id", "superseded_why")
"""Of a decision: what is filled when another one supersedes it."""


def register_events() -> None:
    decided, ended = columns_of(Decision, without=LATER), columns_of(Decision)
    ended = {name: made for name, made in ended.items() if name in {"id", *LATER}}
    of_vote = (
        "JOIN consensus_agendaitem i ON i.id = v.item_id"
        " WHERE i.round_id = %(round)s AND v.closed_at IS NOT NULL"
    )
    register(
        Kind(
            "decision",
            "consensus_decision",
            f"SELECT d.id AS key, d.decided_at AS at, {content('d', decided)} AS content"
            " FROM consensus_decision d WHERE d.round_id = %(round)s",
            recent="d.id > %(decision)s",
            active="SELECT round_id FROM consensus_decision WHERE id > %(decision)s",
        ),
        Kind(
            "superseding",
            "consensus_decision",
            f"SELECT d.id AS key, d.superseded_at AS at, {content('d', ended)} AS content"
            " FROM consensus_decision d WHERE d.round_id = %(round)s AND d.superseded_at IS NOT NULL",
            recent="NOT EXISTS (SELECT FROM rounds_sealedevent s"
            " WHERE s.kind = 'superseding' AND s.key = d.id)",
        ),
        Kind(
            "vote",
            "consensus_vote",
            f"SELECT v.id AS key, v.closed_at AS at, {content('v', columns_of(Vote))} AS content"
            f" FROM consensus_vote v {of_vote}",
            recent="v.id > %(vote)s",
            active="SELECT i.round_id FROM consensus_vote v JOIN consensus_agendaitem i ON i.id = v.item_id"
            " WHERE v.id > %(vote)s",
        ),
        Kind(
            "ballot",
            "consensus_ballot",
            f"SELECT b.id AS key, v.closed_at AS at, {content('b', columns_of(Ballot))} AS content"
            f" FROM consensus_ballot b JOIN consensus_vote v ON v.id = b.vote_id {of_vote}",
            recent="b.id > %(ballot)s",
        ),
    )
