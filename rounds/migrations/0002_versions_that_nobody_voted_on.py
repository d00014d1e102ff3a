"""Notes what published versions added or split without a vote, once volunteers had labelled."""

from typing import Any
from uuid import UUID

from django.db import migrations


def note_unvoted(apps: Any, _schema: Any) -> None:
    change, label = apps.get_model("taxonomy", "Change"), apps.get_model("rounds", "Label")
    state, unvoted = apps.get_model("taxonomy", "CategoryState"), apps.get_model("taxonomy", "Unvoted")
    category, motion = apps.get_model("taxonomy", "Category"), apps.get_model("taxonomy", "Motion")
    alone = change.objects.filter(
        kind__in=("add", "split"), undone_at=None, version__number__gt=1, version__published_at__isnull=False
    ).exclude(pk__in=motion.objects.filter(change__isnull=False).values("change"))
    for one in alone.select_related("version").order_by("version", "number"):
        version = one.version
        before = label.objects.filter(
            round__version__taxonomy=version.taxonomy_id,
            round__kind__in=("pilot", "main"),
            submitted_at__lt=version.published_at,
        )
        if not before.exists():
            continue
        keys = [UUID(part["key"]) for part in one.values.get("parts", ())]
        own = category.objects.filter(taxonomy=version.taxonomy_id)
        source = own.filter(key=one.key).first() if one.kind == "split" else None
        for new in own.filter(key__in=keys if one.kind == "split" else [one.key]):
            if state.objects.filter(version=version, category=new).exists():
                unvoted.objects.get_or_create(category=new, defaults={"version": version, "source": source})


class Migration(migrations.Migration):
    dependencies = [
        ("rounds", "0001_initial"),
        ("taxonomy", "0006_categories_that_nobody_voted_on"),
    ]

    operations = [migrations.RunPython(note_unvoted, migrations.RunPython.noop)]
