"""The statements that spread a staged published study over the tables, in the order of their references.

Each statement: the name of its count, its table, the step in words, the SQL. Existing repositories take their
folder from the files, and existing issues their address, so that an export equals the imported files.
"""

from django.utils.translation import gettext_noop

STATEMENTS = (
    (
        "repositories",
        "ingest_repository",
        gettext_noop("storing repositories"),
        """
        INSERT INTO ingest_repository (study_id, forge, host, path, folder)
        SELECT DISTINCT ON (first_seq) %(study)s, forge, host, path, folder FROM (
            SELECT forge, host, path, folder, seq, min(seq) OVER (PARTITION BY host, lower(path)) AS first_seq
            FROM (SELECT forge, host, path, folder, seq FROM staged_row
                  UNION ALL
                  SELECT forge, host, path, folder, seq + 1000000000 FROM staged_entry) every_row
        ) ranked WHERE seq = first_seq ORDER BY first_seq
        ON CONFLICT (study_id, host, lower(path)) DO UPDATE SET folder = excluded.folder
        """,
    ),
    (
        "issues",
        "ingest_issue",
        gettext_noop("storing issues"),
        """
        INSERT INTO ingest_issue (repository_id, number, url, is_pull_request, year, first_import_id)
        SELECT r.id, s.number, s.url, s.is_pull_request, y.year, %(run)s
        FROM (
            SELECT DISTINCT ON (host, lower(path), number) * FROM (
                SELECT host, path, number, url, is_pull_request, seq FROM staged_row
                UNION ALL
                SELECT host, path, number, url, is_pull_request, seq + 1000000000 FROM staged_entry
            ) every_row ORDER BY host, lower(path), number, seq
        ) s
        JOIN ingest_repository r
          ON r.study_id = %(study)s AND r.host = s.host AND lower(r.path) = lower(s.path)
        LEFT JOIN (
            SELECT host, lower(path) AS path, number, min(year) AS year FROM staged_entry GROUP BY 1, 2, 3
        ) y ON y.host = s.host AND y.path = lower(s.path) AND y.number = s.number
        ORDER BY s.seq
        ON CONFLICT (repository_id, number) DO UPDATE
            SET url = excluded.url, year = coalesce(ingest_issue.year, excluded.year)
        """,
    ),
    (
        "lists",
        "ingest_source",
        gettext_noop("storing lists"),
        """
        INSERT INTO ingest_source (repository_id, name, year)
        SELECT (SELECT min(r.id) FROM ingest_repository r
                WHERE r.study_id = %(study)s AND r.folder = l.folder),
               l.name, l.year
        FROM staged_list l
        WHERE EXISTS (SELECT FROM ingest_repository r WHERE r.study_id = %(study)s AND r.folder = l.folder)
        ORDER BY l.seq
        """,
    ),
    (
        "list entries",
        "ingest_sourceentry",
        gettext_noop("storing lists"),
        """
        INSERT INTO ingest_sourceentry (source_id, position, issue_id, url)
        SELECT c.id, e.position, i.id, e.url
        FROM staged_entry e
        JOIN ingest_repository r
          ON r.study_id = %(study)s AND r.host = e.host AND lower(r.path) = lower(e.path)
        JOIN ingest_issue i ON i.repository_id = r.id AND i.number = e.number
        JOIN ingest_repository listed ON listed.study_id = %(study)s AND listed.folder = e.folder
        JOIN ingest_source c ON c.repository_id = listed.id AND c.name = e.name
        """,
    ),
    (
        "placed",
        "placed",
        gettext_noop("finding issues"),
        """
        CREATE TEMPORARY TABLE placed ON COMMIT DROP AS
        SELECT row_number() OVER (ORDER BY s.seq)::int AS position, i.id AS issue_id, s.labels, s.final
        FROM staged_row s
        JOIN ingest_repository r
          ON r.study_id = %(study)s AND r.host = s.host AND lower(r.path) = lower(s.path)
        JOIN ingest_issue i ON i.repository_id = r.id AND i.number = s.number
        """,
    ),
    (
        "issues in the round",
        "rounds_roundissue",
        gettext_noop("storing the round"),
        """
        INSERT INTO rounds_roundissue (round_id, issue_id, position, completed_at)
        SELECT %(round)s, issue_id, position,
               CASE WHEN array_position(labels, NULL) IS NULL THEN %(now)s END
        FROM placed ORDER BY position
        """,
    ),
    (
        "assignments",
        "rounds_assignment",
        gettext_noop("storing assignments"),
        """
        INSERT INTO rounds_assignment (round_id, issue_id, slot, volunteer_id, rank, submitted_at)
        SELECT %(round)s, p.issue_id, v."column", v.member_id, hashint8extended(p.issue_id, v.seed),
               CASE WHEN p.labels[v."column"] IS NOT NULL THEN %(now)s END
        FROM placed p JOIN rounds_roundvolunteer v ON v.round_id = %(round)s
        ORDER BY p.position, v."column"
        """,
    ),
    (
        "labels",
        "rounds_label",
        gettext_noop("storing labels"),
        """
        INSERT INTO rounds_label (
            round_id, issue_id, volunteer_id, assignment_id, category_id, version_id, surplus, summary,
            unsure, submitted_at
        )
        SELECT a.round_id, a.issue_id, a.volunteer_id, a.id, k.category_id, %(version)s, false, '',
               false, %(now)s
        FROM placed p
        JOIN rounds_assignment a ON a.round_id = %(round)s AND a.issue_id = p.issue_id
        JOIN staged_code k ON k.code = p.labels[a.slot]
        ORDER BY a.id
        """,
    ),
    (
        "decisions",
        "consensus_decision",
        gettext_noop("storing decisions"),
        """
        INSERT INTO consensus_decision (
            round_id, issue_id, number, category_id, version_id, method, rationale, decided_at
        )
        SELECT %(round)s, p.issue_id, 1, k.category_id, %(version)s,
               CASE WHEN p.labels = array_fill(p.final, ARRAY[%(k)s])
                    OR (%(deeper)s AND array_position(p.labels, NULL) IS NULL AND NOT EXISTS (
                        SELECT FROM unnest(p.labels) given(code)
                        JOIN staged_code other ON other.code = given.code
                        WHERE other.at_depth <> k.at_depth
                    ))
                    THEN 'unanimous' ELSE 'imported' END,
               '', %(now)s
        FROM placed p JOIN staged_code k ON k.code = p.final
        ORDER BY p.position
        """,
    ),
)
