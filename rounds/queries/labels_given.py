"""Whether volunteers have labelled by a taxonomy, and about how many labels there are."""

from django.db import connection

from rounds.models import Label, Round
from taxonomy.models import Taxonomy

TABLE: str = Label._meta.db_table  # noqa: SLF001 - Django documents it
_STORED = """
    SELECT coalesce(sum(greatest(c.reltuples, pg_stat_get_live_tuples(c.oid), 0)), 0)
    FROM pg_class c WHERE c.relkind = 'r' AND (
        c.oid = %s::regclass OR c.oid IN (SELECT relid FROM pg_partition_tree(%s::regclass))
    )
"""


def has_labels(*, taxonomy: Taxonomy, **_sent: object) -> bool:
    """Has anybody labelled by any version of the taxonomy, in a pilot or a main round?"""
    kinds = (Round.Kind.PILOT, Round.Kind.MAIN)
    return Label.objects.filter(round__version__taxonomy=taxonomy, round__kind__in=kinds).exists()


def labels_stored() -> float:
    """About how many labels there are, as PostgreSQL keeps the number for its plans: no table is counted.

    Of a partitioned table, all its parts. Right to some percent; after a crash of the database the number of
    its last ANALYZE counts.
    """
    with connection.cursor() as cursor:
        cursor.execute(_STORED, [TABLE, TABLE])
        return float(cursor.fetchone()[0])
