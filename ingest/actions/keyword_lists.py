"""Keyword lists of a study: made, stored in versions, imported, renamed, retired."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from core import clock
from core.sql.retry import retried
from ingest.actions.finds import begin_search
from ingest.errors import ListNameTaken, ListRefused, NothingChanged, StaleList
from ingest.keywords import LONGEST_TERM, MOST_TERMS, Switches, Term
from ingest.models import KeywordList, KeywordListVersion, KeywordTerm
from ingest.queries.keyword_lists import current_version, terms_of
from ingest.repository_keys import repository_key
from ingest.rules import may_import
from studies.actions import record
from studies.actions.seats import require_rule
from studies.models import Study

MOST_LISTS = 50
LONGEST_NAME = 120
LONGEST_NOTE = 2000


@dataclass(frozen=True)
class ListContent:
    """What one version of a list says. `repositories`: as people write them; empty for all of the study."""

    terms: Sequence[Term]
    repositories: Sequence[str] = ()
    switches: Switches = field(default_factory=Switches)
    note: str = ""


@retried
@transaction.atomic
def make_keyword_list(
    *, study: Study, name: str, content: ListContent, by: User | None
) -> KeywordListVersion:
    """Make a list with its first version, and begin the search. Raises ListRefused, ListNameTaken,
    PermissionDenied.
    """
    return import_keyword_lists(study=study, lists=[(name, content)], by=by)[0]


@retried
@transaction.atomic
def import_keyword_lists(
    *, study: Study, lists: Sequence[tuple[str, ListContent]], by: User | None
) -> list[KeywordListVersion]:
    """Make several lists, or none of them if one cannot be taken, and begin the search. Raises ListRefused,
    ListNameTaken, PermissionDenied.
    """
    _lock(study, by)
    made = [_make(study, name, content, by) for name, content in lists]
    if made:
        begin_search(study=study, by=by)
    return made


def _make(study: Study, name: str, content: ListContent, by: User | None) -> KeywordListVersion:
    name = _name(study, name)
    if KeywordList.objects.filter(study=study).count() >= MOST_LISTS:
        raise ListRefused(
            [_("A study has at most %(n)d keyword lists, retired ones too.") % {"n": MOST_LISTS}]
        )
    made = KeywordList.objects.create(study=study, name=name, created_by=by)
    version = _store(made, 1, content, by)
    record(study, "keyword_lists.made", by, name=name, terms=len(content.terms))
    return version


@retried
@transaction.atomic
def store_keyword_list(
    *, keyword_list: KeywordList, content: ListContent, made_from: int, by: User | None
) -> KeywordListVersion:
    """Store the next version of a list, and begin the search. `made_from` is the number of the version that
    the user edited, 0 to follow any version. Raises StaleList, NothingChanged, ListRefused, PermissionDenied.
    """
    study = keyword_list.study
    _lock(study, by)
    former = current_version(keyword_list)
    if made_from and made_from != former.number:
        raise StaleList
    if _is_same(former, content):
        raise NothingChanged
    version = _store(keyword_list, former.number + 1, content, by)
    before, after = set(terms_of(former)), set(content.terms)
    begin_search(study=study, by=by)
    record(
        study,
        "keyword_lists.stored",
        by,
        name=keyword_list.name,
        version=version.number,
        added=len(after - before),
        removed=len(before - after),
    )
    return version


def _is_same(former: KeywordListVersion, content: ListContent) -> bool:
    keys = _keys(content.repositories)
    same_rules = (former.repositories, former.switches) == (keys, content.switches.as_json())
    return same_rules and set(terms_of(former)) == set(content.terms)


@retried
@transaction.atomic
def rename_keyword_list(*, keyword_list: KeywordList, name: str, by: User | None) -> None:
    """Give a list another name. Raises ListRefused, ListNameTaken, PermissionDenied."""
    study = keyword_list.study
    _lock(study, by)
    name = _name(study, name, besides=keyword_list)
    if name != keyword_list.name:
        record(study, "keyword_lists.renamed", by, name=keyword_list.name, to=name)
        keyword_list.name = name
        keyword_list.save(update_fields=["name"])


@retried
@transaction.atomic
def retire_keyword_list(*, keyword_list: KeywordList, by: User | None) -> None:
    """Put a list aside: it marks and finds nothing, and its versions stay. Raises PermissionDenied."""
    _lock(keyword_list.study, by)
    active = KeywordList.objects.filter(pk=keyword_list.pk, retired_at=None)
    if active.update(retired_at=clock.now()):
        record(keyword_list.study, "keyword_lists.retired", by, name=keyword_list.name)


@retried
@transaction.atomic
def bring_back_keyword_list(*, keyword_list: KeywordList, by: User | None) -> None:
    """Use a retired list again, and search it in the texts that came meanwhile. Raises PermissionDenied."""
    _lock(keyword_list.study, by)
    retired = KeywordList.objects.filter(pk=keyword_list.pk, retired_at__isnull=False)
    if retired.update(retired_at=None):
        begin_search(study=keyword_list.study, by=by)
        record(keyword_list.study, "keyword_lists.brought_back", by, name=keyword_list.name)


def _lock(study: Study, by: User | None) -> None:
    """Lists of a study change one at a time."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    require_rule(study, by, may_import)


def _name(study: Study, name: str, besides: KeywordList | None = None) -> str:
    name = " ".join(name.replace("\0", "").split())
    if not name or len(name) > LONGEST_NAME:
        raise ListRefused([_("The list needs a name of at most %(n)d characters.") % {"n": LONGEST_NAME}])
    others = KeywordList.objects.filter(study=study, name__iexact=name)
    if besides:
        others = others.exclude(pk=besides.pk)
    if others.exists():
        raise ListNameTaken(name)
    return name


def _store(
    keyword_list: KeywordList, number: int, content: ListContent, by: User | None
) -> KeywordListVersion:
    note = content.note.replace("\0", "").strip()
    problems = list(chain(_problems(content.terms), _bad_repositories(content.repositories)))
    if len(note) > LONGEST_NOTE:
        problems.append(_("The note is longer than %(n)d characters.") % {"n": LONGEST_NOTE})
    if problems:
        raise ListRefused(problems)
    version = KeywordListVersion.objects.create(
        keyword_list=keyword_list,
        number=number,
        repositories=_keys(content.repositories),
        switches=content.switches.as_json(),
        note=note,
        stored_by=by,
    )
    KeywordTerm.objects.bulk_create(
        KeywordTerm(
            version=version,
            position=position,
            text=term.text,
            kind=term.kind,
            is_case_sensitive=term.is_case_sensitive,
        )
        for position, term in enumerate(content.terms, start=1)
    )
    return version


def _problems(terms: Sequence[Term]) -> Iterable[str]:
    if not terms:
        yield _("Type at least one term.")
    if len(terms) > MOST_TERMS:
        yield _("A list has at most %(most)d terms; this one has %(n)d.") % {
            "most": MOST_TERMS,
            "n": len(terms),
        }
    for term in terms:
        if len(term.text) > LONGEST_TERM:
            yield _("A term is longer than %(n)d characters: %(term)s") % {
                "n": LONGEST_TERM,
                "term": term.text[:LONGEST_TERM],
            }
        elif "\0" in term.text or not any(map(str.isalnum, term.text)):
            yield _("A term has no letter and no digit: %(term)s") % {"term": term.text.replace("\0", "")}


def _bad_repositories(given: Sequence[str]) -> Iterable[str]:
    for one in given:
        if not repository_key(one):
            yield _("This is not a repository: %(name)s. Write github.com/owner/name.") % {"name": one[:300]}


def _keys(given: Sequence[str]) -> list[str]:
    return sorted({repository_key(one) for one in given})
