"""Which issues stay because samples have them."""

from django.utils.translation import ngettext

from core.templatetags.crosscheck import count
from ingest.queries.references import refers


def register() -> None:
    refers("annotate.SampleIssue", _in_sample, name="sample__name")


def _in_sample(number: int, name: str) -> str:
    told = ngettext(
        "%(n)s issue is in the sample %(name)s", "%(n)s issues are in the sample %(name)s", number
    )
    return told % {"n": count(number), "name": name}
