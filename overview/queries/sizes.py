"""How large a study is, for its tabs."""

from dataclasses import dataclass

from django.db import connection

from core.sql.prepared import Prepared
from studies.models import Study


@dataclass(frozen=True)
class Size:
    """`people` have not left; `open_meetings` are open now. `version` is the number of the newest published
    version in a study with one taxonomy; 0 before the first, and with several taxonomies.
    """

    issues: int
    people: int
    open_meetings: int
    version: int


_SIZE = Prepared(
    "size_of_study",
    """
    SELECT
      (SELECT count(*) FROM ingest_issue i JOIN ingest_repository r ON r.id = i.repository_id
       WHERE r.study_id = s.id),
      (SELECT count(*) FROM studies_membership m WHERE m.study_id = s.id AND m.left_at IS NULL),
      (SELECT count(*) FROM consensus_meeting m JOIN rounds_round r ON r.id = m.round_id
       WHERE r.study_id = s.id AND m.opened_at IS NOT NULL AND m.closed_at IS NULL),
      (SELECT CASE WHEN count(DISTINCT v.taxonomy_id) = 1 THEN max(v.number) ELSE 0 END
       FROM taxonomy_version v JOIN taxonomy_taxonomy t ON t.id = v.taxonomy_id
       WHERE t.study_id = s.id AND v.published_at IS NOT NULL)
    FROM studies_study s WHERE s.id = %(study)s
    """,
)
"""Every page of a study asks this, so it is neither written nor planned anew."""


def size_of(study: Study) -> Size:
    """In one query, whatever the size."""
    with connection.cursor() as cursor:
        _SIZE.run(cursor, {"study": study.pk})
        return Size(*cursor.fetchone())
