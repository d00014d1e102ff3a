"""What repositories are called in reports and files."""

from django.db import connection

NAMES = """
    SELECT id, CASE WHEN count(*) OVER (PARTITION BY path) > 1 THEN host || '/' || path ELSE path END AS name
    FROM ingest_repository WHERE study_id = %(study)s ORDER BY path, id
"""
"""SQL: the repositories of a study with names of which no two are equal."""


def repository_names(study_id: int) -> dict[int, str]:
    """The repositories of a study by id, in the order of their paths: each by its path, after its host where
    two of the study have that path, such as a project and its mirror on another forge. One query.
    """
    with connection.cursor() as cursor:
        cursor.execute(NAMES, {"study": study_id})
        return dict(cursor.fetchall())
