"""The keywords by which a study's issues were found."""

from dataclasses import dataclass

from django.db import transaction

from accounts.models import User
from core.sql.retry import retried
from ingest.actions.finds import begin_search
from ingest.errors import KeywordsRefused, StaleKeywords
from ingest.keywords import LONGEST_WORD, MOST_WORDS, Problem, lowered, parsed
from ingest.models import Keyword
from ingest.queries.keywords import fingerprint, keywords_of
from ingest.rules import may_import
from studies.actions import record
from studies.actions.seats import require_rule
from studies.models import Study


@dataclass(frozen=True)
class KeywordReport:
    """The changes that a list of words made. `known` words were keywords before; `repeated` came twice."""

    added: list[str]
    removed: list[str]
    known: list[str]
    repeated: list[str]


@retried
@transaction.atomic
def set_keywords(
    *, study: Study, text: str, replace: bool, made_from: str = "", by: User | None
) -> KeywordReport:
    """Add the words of a list, one a line, to the study's keywords, or replace the keywords with them.

    `made_from` is the fingerprint of the list that the user edited, "" to replace any list. Raises
    KeywordsRefused, which lists every line that cannot be taken, and StaleKeywords; nothing is stored then.
    Raises PermissionDenied if `by` is neither owner nor lead.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    require_rule(study, by, may_import)
    standing = keywords_of(study.pk)
    if replace and made_from and made_from != fingerprint(standing):
        raise StaleKeywords(kept={"words": text})
    words, repeated, problems = parsed(text)
    held = {lowered(word): word for word in standing}
    given = {lowered(word): word for word in words}
    total = len(given) if replace else len(held.keys() | given.keys())
    if total > MOST_WORDS:
        problems.append(Problem(0, str(total), "many"))
    if problems:
        raise KeywordsRefused(problems, most=MOST_WORDS, longest=LONGEST_WORD)
    added = [word for key, word in given.items() if key not in held]
    removed = [word for key, word in held.items() if key not in given] if replace else []
    if removed:
        # Locked first: a running search stores its finds before, and they are deleted with their keyword.
        gone = Keyword.objects.select_for_update().filter(study=study, word__in=removed).order_by("pk")
        Keyword.objects.filter(pk__in=list(gone.values_list("pk", flat=True))).delete()
    Keyword.objects.bulk_create([Keyword(study=study, word=word) for word in added])
    if added:
        begin_search(study=study, by=by)
    if added or removed:
        record(study, "keywords.changed", by, added=len(added), removed=len(removed))
    return KeywordReport(added, removed, [held[key] for key in given if key in held], repeated)
