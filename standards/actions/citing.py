"""How to cite a study: title, authors, licence, DOI."""

import re
from collections.abc import Iterable, Mapping

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.translation import gettext as _

from core import clock
from standards.actions.answers import plain
from standards.errors import AnswerChanged, AnswerRefused
from standards.models import Citation
from standards.rules import may_answer_standards
from studies.actions import record, remove_copies
from studies.actions.copies import hold_study
from studies.models import Membership, Study

MOST_AUTHORS = 100
_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
_DOI = re.compile(r"10\.\d{4,9}/\S{1,100}")
_LICENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,59}")


@transaction.atomic
def change_citation(
    *,
    study: Study,
    title: str,
    authors: Iterable[Mapping[str, str]],
    by: Membership,
    licence: str = "",
    doi: str = "",
    revision: int | None = None,
) -> Citation:
    """Store how to cite the study; `revision` is the one that the sender read, 0 for none. Raises
    AnswerChanged, AnswerRefused and PermissionDenied.
    """
    if by.study_id != study.pk or not may_answer_standards(by):
        raise PermissionDenied
    hold_study(study.pk)
    found = Citation.objects.filter(study=study).first()
    if revision is not None and revision != (found.revision if found else 0):
        raise AnswerChanged
    title = plain(title, "title", 300)
    if not title:
        raise AnswerRefused(_("Write a title. Nothing was stored."), field="title")
    licence, doi = licence.strip(), doi.strip().removeprefix("https://doi.org/")
    if licence and not _LICENCE.fullmatch(licence):
        words = _("A licence is named by its SPDX identifier, such as CC-BY-4.0. Nothing was stored.")
        raise AnswerRefused(words, field="licence")
    if doi and not _DOI.fullmatch(doi):
        raise AnswerRefused(_("A DOI looks like 10.5281/zenodo.123. Nothing was stored."), field="doi")
    values = {
        "title": title,
        "authors": [_author(one) for one in authors],
        "licence": licence,
        "doi": doi,
        "changed_by": by,
        "changed_at": clock.now(),
        "revision": found.revision + 1 if found else 1,
    }
    if len(values["authors"]) > MOST_AUTHORS:  # type: ignore[arg-type]  # a list
        raise AnswerRefused(_("These are too many authors. Nothing was stored."), field="authors")
    made, _new = Citation.objects.update_or_create(study=study, defaults=values)
    record(study, "standards.citation_changed", by.user)
    remove_copies(study.pk)
    return made


def _author(one: Mapping[str, str]) -> dict[str, str]:
    family, given = (plain(one.get(name, ""), "authors", 120) for name in ("family", "given"))
    orcid = one.get("orcid", "").strip().removeprefix("https://orcid.org/")
    if not family:
        raise AnswerRefused(_("Each author has a family name. Nothing was stored."), field="authors")
    if orcid and not (_ORCID.fullmatch(orcid) and is_orcid(orcid)):
        words = _("%(orcid)s is no ORCID: its last digit does not fit. Nothing was stored.")
        raise AnswerRefused(words % {"orcid": orcid[:40]}, field="authors")
    return {"family": family, "given": given, "orcid": orcid}


def is_orcid(text: str) -> bool:
    """Does the last digit fit the others? Source: ISO 7064, MOD 11-2, as ORCID uses it."""
    total = 0
    for digit in text.replace("-", "")[:-1]:
        total = (total + int(digit)) * 2
    rest = (12 - total % 11) % 11
    return text[-1] == ("X" if rest == 10 else str(rest))
