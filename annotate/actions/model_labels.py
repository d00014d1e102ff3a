"""Labels of models: many at once, and never counted among those of the volunteers."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from annotate import errors
from annotate.label_input import SUMMARY_LENGTH, UNSTORABLE
from annotate.models import ModelLabel
from consensus.actions.records import record_in_round
from core import clock
from rounds.actions.locks import lock_round
from rounds.errors import NotAllowed, RoundNotOpen
from rounds.models import Round, RoundIssue
from rounds.queries.categories import categories_of
from rounds.rules import may_label_as_model
from studies.models import Membership
from taxonomy.queries.codebooks import Codebook

LABELLED_BY_MODELS = frozenset({Round.Kind.PILOT, Round.Kind.MAIN})


@dataclass(frozen=True)
class ModelRow:
    """One label as a model sends it: the id of an issue, the code of a category, a summary or ""."""

    issue: int
    code: str
    summary: str = ""


@dataclass(frozen=True)
class ModelLabelled:
    """How many labels were stored, and how many were stored before with the same category."""

    stored: int
    repeated: int


@transaction.atomic
def label_as_model(*, round_: Round, member: Membership, rows: Sequence[ModelRow]) -> ModelLabelled:
    """Store the labels of a model, all or none. The round must have been opened, and may be closed. A
    repeated label is accepted: the first label stays, with its summary.

    Raises NotAllowed if the member is no model of the study, NotForModels, RoundNotOpen; ModelLabelsRefused
    with a line for each row whose issue, category or summary cannot be stored, ModelLabelsStay with a line
    for each row that names another category than the stored label.
    """
    round_ = lock_round(round_)
    # This lock makes two posts of one model take turns, and keeps its membership from ending meanwhile.
    member = Membership.objects.select_for_update(no_key=True).get(pk=member.pk)
    if not may_label_as_model(member, round_):
        raise NotAllowed
    if round_.kind not in LABELLED_BY_MODELS:
        raise errors.NotForModels
    if round_.opened_at is None:
        raise RoundNotOpen
    book = categories_of(round_.version_id)
    if problems := _problems(round_, book, rows):
        raise errors.ModelLabelsRefused(problems)
    asked = {row.issue for row in rows}
    own = ModelLabel.objects.filter(round=round_, member=member, issue__in=asked)
    said = dict(own.values_list("issue", "category"))
    now, fresh, others = clock.now(), [], []
    for number, row in enumerate(rows, start=1):
        category = book.by_code[row.code].category_id
        if row.issue not in said:
            said[row.issue] = category
            fresh.append(
                ModelLabel(
                    round=round_,
                    issue_id=row.issue,
                    member=member,
                    category_id=category,
                    version_id=round_.version_id,
                    summary=UNSTORABLE.sub("\ufffd", row.summary.strip()),
                    submitted_at=now,
                )
            )
        elif said[row.issue] != category:
            has = {"row": number, "issue": row.issue, "code": book.by_id[said[row.issue]].code}
            others.append(
                _(
                    "row %(row)s: issue %(issue)s already has the label %(code)s, and a"
                    " stored label cannot change."
                )
                % has
            )
    if others:
        raise errors.ModelLabelsStay(others)
    ModelLabel.objects.bulk_create(fresh)
    if fresh:
        record_in_round("models.labelled", round_, member, member=member.pseudonym, labels=len(fresh))
    return ModelLabelled(stored=len(fresh), repeated=len(rows) - len(fresh))


def _problems(round_: Round, book: Codebook, rows: Sequence[ModelRow]) -> list[str]:
    """A line for each row that cannot be stored, without regard to the labels stored before."""
    asked = {row.issue for row in rows}
    known = set(RoundIssue.objects.filter(round=round_, issue__in=asked).values_list("issue", flat=True))
    deep_enough = book.choosable(round_.depth)
    problems = []
    for number, row in enumerate(rows, start=1):
        told = {"row": number, "issue": row.issue, "code": row.code}
        state = book.by_code.get(row.code)
        if row.issue not in known:
            problems.append(_("row %(row)s: the round has no issue %(issue)s.") % told)
        elif state is None:
            problems.append(_("row %(row)s: the round’s version has no category “%(code)s”.") % told)
        elif state.category_id not in deep_enough:
            problems.append(
                _("row %(row)s: the round compares labels at a deeper level than %(code)s.") % told
            )
        elif len(row.summary.strip()) > SUMMARY_LENGTH:
            problems.append(_("row %(row)s: the summary is longer than 500 characters.") % told)
    return problems
