"""The events of this room: labels, what they were before a change, reveals, opening and closing."""
# ruff: noqa: S608 - the pieces are names of columns

from django.apps import apps

from rounds.covered import MOMENT, Kind, columns_of, content, register
from rounds.models import Label


def register_events() -> None:
    event = apps.get_model("rounds", "LabelEvent")
    columns = columns_of(Label)
    of_event = columns_of(event)
    label, before = content("l", columns), content("e", columns)
    moment = "coalesce(l.changed_at, l.submitted_at)"
    now = (
        f"SELECT l.id AS key, {moment} AS at, {label} AS content"
        " FROM rounds_label l WHERE l.round_id = %(round)s"
    )
    register(
        Kind(
            "label",
            "rounds_label",
            now,
            ever=f"{now} UNION ALL SELECT e.pgh_obj_id, coalesce(e.changed_at, e.submitted_at), {before}"
            " FROM rounds_labelevent e WHERE e.round_id = %(round)s",
            recent="(l.id > %(label)s OR l.id IN (SELECT h.pgh_obj_id FROM rounds_labelevent h"
            " WHERE h.pgh_id > %(change)s))",
            changes=True,
            active="SELECT round_id FROM rounds_label WHERE id > %(label)s",
        ),
        Kind(
            "change",
            "rounds_labelevent",
            f"SELECT e.pgh_id::bigint AS key, e.pgh_created_at AS at, {content('e', of_event)} AS content"
            " FROM rounds_labelevent e WHERE e.round_id = %(round)s",
            recent="e.pgh_id > %(change)s",
            active="SELECT round_id FROM rounds_labelevent WHERE pgh_id > %(change)s",
        ),
        *(
            Kind(
                name,
                "rounds_round",
                f"SELECT r.id AS key, r.{column} AS at, jsonb_build_object('id', r.id, '{column}',"
                f" {MOMENT.format('r.' + column)})::text AS content"
                f" FROM rounds_round r WHERE r.id = %(round)s AND r.{column} IS NOT NULL",
            )
            for name, column in (("opening", "opened_at"), ("closing", "closed_at"))
        ),
        _reveals(),
    )


def _reveals() -> Kind:
    """Issues whose labels were revealed before the round closed: each once, when it was first."""
    revealed = (
        "SELECT c.id AS key, {moment} AS at, jsonb_build_object('id', c.id, 'round_id', c.round_id,"
        " 'issue_id', c.issue_id, 'position', c.position, 'revealed_at', {said})::text AS content"
        " FROM rounds_roundissue c JOIN rounds_round r ON r.id = c.round_id {more}"
        " WHERE c.round_id = %(round)s AND r.reveal = 'issue_complete'"
        " AND r.opened_at IS DISTINCT FROM r.closed_at"
        " AND {moment} IS NOT NULL"
    )
    first = "coalesce(c.first_revealed_at, c.completed_at)"
    each = "CROSS JOIN LATERAL (VALUES (c.completed_at), (c.was_completed_at), (c.first_revealed_at)) m (at)"
    return Kind(
        "reveal",
        "rounds_roundissue",
        revealed.format(moment=first, said=MOMENT.format(first), more=""),
        ever=revealed.format(moment="m.at", said=MOMENT.format("m.at"), more=each),
        recent="NOT EXISTS (SELECT FROM rounds_sealedevent s WHERE s.kind = 'reveal' AND s.key = c.id)",
    )
