"""Which issues stay because rounds have them."""

from django.utils.translation import ngettext

from core.templatetags.crosscheck import count
from ingest.queries.references import refers


def register() -> None:
    refers("rounds.RoundIssue", _in_round, name="round__name")


def _in_round(number: int, name: str) -> str:
    told = ngettext("%(n)s issue is in the round %(name)s", "%(n)s issues are in the round %(name)s", number)
    return told % {"n": count(number), "name": name}
