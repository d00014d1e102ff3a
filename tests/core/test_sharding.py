"""What would have to change before the large tables are spread over several servers by study (docs/scale.md).

Citus spreads a table by one column, and each primary key, unique key and foreign key between spread tables has to have it.
A round belongs to one study for ever: a table with the round in its keys is spread by it.
"""

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import ForeignKey

pytestmark = pytest.mark.django_db

# Tables that grow with labels or issues: what leads from a row to its study, the unique keys without that, and the large
# tables that a foreign key without that leads to. Small tables are copied to each server: keys to them may be as they are.
LARGE = {
    "rounds.Label": ("round", {"id", "assignment"}, {"ingest_snapshot"}),
    "rounds.Assignment": ("round", {"id"}, set()),
    "rounds.RoundIssue": ("round", {"id"}, {"ingest_issue"}),
    "annotate.Draft": ("round", {"id"}, {"ingest_issue"}),
    "consensus.Decision": ("round", {"id"}, set()),
    "consensus.Disagreement": ("round", {"id"}, set()),
    "ingest.Issue": ("repository", {"id"}, {"ingest_snapshot"}),
    "ingest.Snapshot": ("issue", {"id"}, set()),
}
NEED_NO_ROUND = {"findings.Evidence"}
"""Evidence can be an issue without a round."""


def leads_to_the_study(model) -> str:
    """The foreign key of this table from which the study is reached in the fewest steps."""
    steps = {"studies.Study": 0, "rounds.Round": 1, "ingest.Repository": 1, "ingest.Issue": 2}
    found = {
        field.name: steps[field.related_model._meta.label]
        for field in model._meta.concrete_fields
        if isinstance(field, ForeignKey) and field.related_model._meta.label in steps
    }
    return min(found, key=lambda name: (found[name], name))


def unique_keys(table: str) -> list[tuple[str, ...]]:
    with connection.cursor() as cursor:
        constraints = connection.introspection.get_constraints(cursor, table).values()
    return [tuple(one["columns"]) for one in constraints if one["unique"] and all(one["columns"] or [None])]


def foreign_keys(table: str) -> list[tuple[list[str], str]]:
    """Each as its columns and the table that they lead to."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT array_agg(a.attname::text), c.confrelid::regclass::text
            FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
            WHERE c.contype = 'f' AND c.conrelid = %s::regclass
            GROUP BY c.oid, c.confrelid
            """,
            [table],
        )
        return cursor.fetchall()


@pytest.mark.parametrize("label", LARGE)
def test_which_keys_reach_the_study_and_which_would_have_to_change(label):
    model = apps.get_model(label)
    by, lacking, to = LARGE[label]
    assert leads_to_the_study(model) == by
    column = model._meta.get_field(by).column
    keys = unique_keys(model._meta.db_table)
    assert any(column in key for key in keys)
    without = {"+".join(part.removesuffix("_id") for part in key) for key in keys if column not in key}
    assert without == lacking
    large = {apps.get_model(name)._meta.db_table for name in LARGE}
    assert {
        table for columns, table in foreign_keys(model._meta.db_table) if column not in columns
    } & large == to


def test_every_table_with_a_row_for_each_issue_of_a_round_says_its_round():
    found = [
        model
        for model in apps.get_models()
        if model._meta.managed and {"round", "issue"} <= {field.name for field in model._meta.concrete_fields}
    ]
    assert len(found) > 10
    assert {model._meta.label for model in found if model._meta.get_field("round").null} == NEED_NO_ROUND
