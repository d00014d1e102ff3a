"""The keywords of each study become its keyword list "Keywords", version 1, for all repositories.

Its switches keep what a keyword meant: written as it is, in any case, anywhere in title and text. One thing
differs: Unicode's own folding compares case and width, where it was lower case alone, so that `straße` is in
STRASSE, and a word in full width is found too. The finds are not carried over: the next sweep searches the
lists.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models.functions import Lower

SWITCHES = {
    "folds": True,
    "joins": False,
    "plurals": False,
    "version_tails": False,
    "zones": ["title", "prose", "code"],
    "masks": [],
}


def make_lists(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    keywords = apps.get_model("ingest", "Keyword").objects.using(editor.connection.alias)
    lists = apps.get_model("ingest", "KeywordList").objects.using(editor.connection.alias)
    versions = apps.get_model("ingest", "KeywordListVersion").objects.using(editor.connection.alias)
    terms = apps.get_model("ingest", "KeywordTerm").objects.using(editor.connection.alias)
    for study in keywords.order_by("study").values_list("study", flat=True).distinct():
        made = lists.create(study_id=study, name=_free_name(lists, study))
        version = versions.create(keyword_list=made, number=1, switches=SWITCHES)
        words = keywords.filter(study=study).order_by(Lower("word"), "pk").values_list("word", flat=True)
        terms.bulk_create(
            terms.model(version=version, position=position, text=word)
            for position, word in enumerate(words, start=1)
        )


def _free_name(lists, study: int) -> str:
    taken = {name.lower() for name in lists.filter(study=study).values_list("name", flat=True)}
    names = ["Keywords"] + [f"Keywords {number}" for number in range(2, len(taken) + 3)]
    return next(name for name in names if name.lower() not in taken)


class Migration(migrations.Migration):

    dependencies = [
        ('ingest', '0005_headings_of_templates'),
    ]

    operations = [
        migrations.RunPython(make_lists, migrations.RunPython.noop, elidable=True),
    ]
