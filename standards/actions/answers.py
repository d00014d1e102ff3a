"""Answering items, and undoing an answer. Both lock the study first."""

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.translation import gettext as _

from standards.errors import AnswerChanged, AnswerRefused
from standards.models import ItemAnswer
from standards.rules import may_answer_standards
from standards.sets import Item, Standard
from studies.actions import record, remove_copies
from studies.actions.copies import hold_study
from studies.models import Membership, Study

LONGEST = 4_000


def plain(text: str, field: str, most: int) -> str:
    """The text as it is stored. Raises AnswerRefused."""
    text = text.replace("\r\n", "\n").strip()
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise AnswerRefused(
            _("The text contains characters that cannot be stored. Nothing was stored."), field=field
        )
    if len(text) > most:
        words = _("The text is longer than %(most)s characters. Nothing was stored. Shorten the text.")
        raise AnswerRefused(words % {"most": most}, field=field)
    return text


@transaction.atomic
def answer_item(
    *,
    study: Study,
    standard: Standard,
    item: Item,
    text: str,
    by: Membership,
    does_not_apply: bool = False,
    number: int | None = None,
) -> ItemAnswer:
    """Store an answer; an empty text takes the answer back. `number` is that of the answer that the sender
    read, 0 for none. Raises AnswerChanged, AnswerRefused and PermissionDenied.
    """
    latest = _latest(study, standard, item, by)
    if number is not None and number != (latest.number if latest else 0):
        raise AnswerChanged
    text = plain(text, "text", LONGEST)
    if does_not_apply and not text:
        raise AnswerRefused(_("Say why this does not apply. Nothing was stored."), field="text")
    if latest and (latest.text, latest.does_not_apply) == (text, does_not_apply):
        return latest
    if latest is None and not text:
        raise AnswerRefused(_("Write an answer. Nothing was stored."), field="text")
    made = _store(latest, study, standard, item, by, text=text, does_not_apply=does_not_apply)
    record(study, "standards.answered", by.user, item=item.number)
    return made


@transaction.atomic
def undo_answer(*, study: Study, standard: Standard, item: Item, by: Membership) -> ItemAnswer | None:
    """Bring back the answer before the latest one, as a new row; None without an answer. Raises
    PermissionDenied.
    """
    latest = _latest(study, standard, item, by)
    if latest is None:
        return None
    before = ItemAnswer.objects.filter(
        study=study, standard=standard.key, item=item.number, number__lt=latest.number
    ).last()
    made = _store(
        latest,
        study,
        standard,
        item,
        by,
        text=before.text if before else "",
        does_not_apply=before.does_not_apply if before else False,
    )
    record(study, "standards.undone", by.user, item=item.number)
    return made


def _latest(study: Study, standard: Standard, item: Item, by: Membership) -> ItemAnswer | None:
    if by.study_id != study.pk or not may_answer_standards(by):
        raise PermissionDenied
    hold_study(study.pk)
    return ItemAnswer.objects.filter(study=study, standard=standard.key, item=item.number).last()


def _store(
    latest: ItemAnswer | None,
    study: Study,
    standard: Standard,
    item: Item,
    by: Membership,
    *,
    text: str,
    does_not_apply: bool,
) -> ItemAnswer:
    made = ItemAnswer.objects.create(
        study=study,
        standard=standard.key,
        item=item.number,
        number=latest.number + 1 if latest else 1,
        text=text,
        does_not_apply=does_not_apply,
        given_by=by,
    )
    remove_copies(study.pk)
    return made
