"""Which issues stay because findings name them, also findings and evidence that were removed: these can come
back.
"""

from django.utils.translation import ngettext

from core.templatetags.crosscheck import count
from ingest.queries.references import refers


def register() -> None:
    refers("findings.Evidence", _is_evidence)


def _is_evidence(number: int, _name: str) -> str:
    told = ngettext(
        "%(n)s issue is or was evidence of a finding", "%(n)s issues are or were evidence of findings", number
    )
    return told % {"n": count(number)}
