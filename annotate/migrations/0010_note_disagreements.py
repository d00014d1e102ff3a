"""Rounds that were labelled before there were disagreements as rows get theirs."""

from django.db import migrations

NOTE = """
    WITH deep AS MATERIALIZED (
        SELECT s.category_id, s.position AS place,
               CASE s.level WHEN 1 THEN s.category_id WHEN 2 THEN s.parent_id ELSE p.parent_id END AS type,
               CASE WHEN s.level <= 2 THEN s.category_id ELSE s.parent_id END AS theme,
               CASE WHEN s.level <= %(depth)s THEN s.category_id
                    WHEN s.level = %(depth)s + 1 THEN s.parent_id
                    ELSE p.parent_id END AS at_depth
        FROM taxonomy_categorystate s
        LEFT JOIN taxonomy_categorystate p ON p.version_id = s.version_id AND p.category_id = s.parent_id
        WHERE s.version_id = %(version)s
    ), groups AS (
        SELECT i.issue_id, i.position, deep.at_depth, count(*) AS votes, min(deep.place) AS place,
               min(deep.type) AS type, min(deep.theme) AS theme,
               string_agg(l.volunteer_id::text, ',' ORDER BY l.volunteer_id) AS members
        FROM annotate_roundissue i
        JOIN annotate_label l ON l.round_id = i.round_id AND l.issue_id = i.issue_id AND NOT l.surplus
        LEFT JOIN deep ON deep.category_id = l.category_id
        WHERE i.round_id = %(round)s AND i.completed_at IS NOT NULL
        GROUP BY i.issue_id, i.position, deep.at_depth
    ), parted AS (
        SELECT issue_id, position,
               array_agg(at_depth ORDER BY votes DESC, place) FILTER (WHERE at_depth IS NOT NULL) AS chosen,
               array_agg(votes ORDER BY votes DESC, place) FILTER (WHERE at_depth IS NOT NULL) AS votes,
               array_agg(members ORDER BY at_depth IS NULL, votes DESC, place) AS members,
               coalesce(sum(votes) FILTER (WHERE at_depth IS NULL), 0) AS open_labels,
               CASE WHEN min(type) <> max(type) THEN 1
                    WHEN %(depth)s >= 2 AND min(theme) <> max(theme) THEN 2
                    WHEN %(depth)s >= 3 AND count(at_depth) > 1 THEN 3 END AS parts_at
        FROM groups GROUP BY issue_id, position
    ), compared AS (
        SELECT parted.*, coalesce(cardinality(chosen), 0) + open_labels AS ways,
               coalesce(votes[1], 0) - greatest(coalesce(votes[2], 0), least(open_labels, 1)) AS ahead
        FROM parted
    )
    INSERT INTO annotate_disagreement
        (round_id, issue_id, position, chosen, votes, open_labels, parts_at, ways, margin, apart)
    SELECT %(round)s, issue_id, position, coalesce(chosen, '{}'), coalesce(votes, '{}'), open_labels, parts_at,
           ways, greatest(ahead, 0),
           CASE WHEN ahead > 0
               THEN string_to_array(array_to_string(members[2:], ','), ',')::bigint[] ELSE '{}' END
    FROM compared WHERE ways > 1 OR open_labels > 0
    ON CONFLICT (round_id, issue_id) DO NOTHING
"""

REVEALED = """
    SELECT id, version_id, depth FROM annotate_round
    WHERE closed_at IS NOT NULL OR opened_at IS NOT NULL AND reveal = 'issue_complete'
"""


def note(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(REVEALED)
        for round_id, version_id, depth in cursor.fetchall():
            cursor.execute(NOTE, {"round": round_id, "version": version_id, "depth": depth})


class Migration(migrations.Migration):
    dependencies = [("annotate", "0009_composite_keys_of_meetings")]

    operations = [migrations.RunPython(note, migrations.RunPython.noop)]
