"""Labels of models: the only reads of them. No other query knows their table."""

from dataclasses import dataclass

import numpy as np
from django.db import connection
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from agreement import MISSING
from annotate.models import ModelLabel
from rounds.models import Round, RoundVolunteer
from rounds.queries.blindness import NOTHING, WithheldIssues, seen_sql
from rounds.queries.first_labels import OVERRIDDEN, FormerCategories, first_labels
from rounds.queries.rounds import revealed, reveals_complete_issues
from studies.models import Membership, Role, Study
from taxonomy.queries.codebooks import Codebook


def own_model_labels(round_: Round, member: Membership) -> QuerySet[ModelLabel]:
    """The labels of this model in a round."""
    return ModelLabel.objects.filter(round=round_, member=member)


def models_of(study: Study, round_: Round | None) -> list[tuple[Membership, int]]:
    """The models of a study, and how many labels each gave in a round, whatever is revealed: the number tells
    nothing of anybody else. One query.
    """
    own = ModelLabel.objects.filter(round=round_, member=OuterRef("pk")).order_by().values("member")
    given = Coalesce(Subquery(own.annotate(given=Count("pk")).values("given")), 0)
    members = Membership.objects.filter(study=study, role=Role.MODEL, left_at=None).annotate(given=given)
    return [(member, member.given) for member in members.order_by("pk")]


def model_labels_beside(
    round_: Round, blind: WithheldIssues = NOTHING
) -> QuerySet[ModelLabel, tuple[str, str, int, int]]:
    """(address of the issue, pseudonym of the model, category, version) of each model label that the report
    compares with labels of volunteers: on complete, revealed issues that are not withheld from the reader.
    """
    shown = revealed(round_).filter(completed_at__isnull=False, issue=OuterRef("issue"))
    labels = ModelLabel.objects.filter(Exists(shown), round=round_)
    labels = labels.exclude(Exists(blind.filter(round=round_, issue=OuterRef("issue"))))
    fields = ("issue__url", "member__pseudonym", "category", "version")
    return labels.order_by("member", "issue").values_list(*fields)


_BESIDE = """
    SELECT said.models, said.chosen, said.versions, {labels}, c.whose, c.decided, count(*)
    FROM (
        SELECT issue_id, array_agg(member_id ORDER BY member_id) AS models,
               array_agg(category_id ORDER BY member_id) AS chosen,
               array_agg(version_id ORDER BY member_id) AS versions
        FROM annotate_modellabel WHERE round_id = %(round)s GROUP BY issue_id
    ) said
    JOIN rounds_roundissue c ON c.round_id = %(round)s AND c.issue_id = said.issue_id {join_first}
    WHERE c.completed_at IS NOT NULL AND c.labels <> '' AND {seen}
    GROUP BY 1, 2, 3, 4, 5, 6
"""


@dataclass(frozen=True)
class BesideModels:
    """Distinct label tuples of the complete, revealed issues that a model has labelled, with the model
    labels. `codes` [P, R] and `decided` [P] are as in reports.queries.label_tuples.Tuples. `models` [P, M]
    has a column for each pseudonym in `names`. `counts` [P] is the number of issues of each tuple. Places are
    those in `book`: the given codebook with the former categories that models chose. Like a first label of a
    volunteer, a label of a model keeps a category that was split or retired since.
    """

    names: tuple[str, ...]
    codes: NDArray[np.int32]
    models: NDArray[np.int32]
    decided: NDArray[np.int32]
    counts: NDArray[np.int64]
    book: Codebook


def beside_models(
    round_: Round, codebook: Codebook, blind: WithheldIssues = NOTHING, *, had_looks: bool
) -> BesideModels | None:
    """The model labels beside the first labels of the volunteers, without issues withheld from the reader;
    None if there are none. One query, and two more if there are some; those of `first_labels` if the round
    `had_looks`: second looks.
    """
    if not reveals_complete_issues(round_):
        return None
    seen, kept = seen_sql(blind, "c.issue_id")
    given, labels, join = {"round": round_.pk, **kept}, "c.labels", ""
    if had_looks:
        given |= first_labels(round_.pk, round_.version_id).parameters
        labels, join = "coalesce(f.labels, c.labels)", OVERRIDDEN
    with connection.cursor() as cursor:
        cursor.execute(_BESIDE.format(seen=seen, labels=labels, join_first=join), given)
        rows = cursor.fetchall()
    if not rows:
        return None
    former = FormerCategories(round_.version_id)
    counted = [
        [former.counts_as(*choice) for choice in zip(chosen, versions, strict=True)]
        for _models, chosen, versions, *_rest in rows
    ]
    codebook = former.beside(codebook)
    crossed = round_.allocation == Round.Allocation.CROSSED
    volunteers = RoundVolunteer.objects.filter(round=round_).order_by("column")
    columns = {member: at for at, member in enumerate(volunteers.values_list("member", flat=True))}
    said = {member for models, *_rest in rows for member in models}
    found = dict(Membership.objects.filter(pk__in=said).order_by("pk").values_list("pk", "pseudonym"))
    at_model = {member: at for at, member in enumerate(found)}
    width = len(columns) if crossed else max(len(row[3].split()) for row in rows)
    codes = np.full((len(rows), width), MISSING, dtype=np.int32)
    models = np.full((len(rows), len(found)), MISSING, dtype=np.int32)
    for index, (members, _chosen, _versions, chosen_by_hand, whose, _decided, _count) in enumerate(rows):
        places = [codebook.places.get(int(one), MISSING) for one in chosen_by_hand.split()]
        where = [columns[int(member)] for member in whose.split()] if crossed else list(range(len(places)))
        codes[index, where] = places
        models[index, [at_model[member] for member in members]] = [
            codebook.places[one] for one in counted[index]
        ]
    return BesideModels(
        names=tuple(found.values()),
        codes=codes,
        models=models,
        decided=np.array([codebook.places.get(row[5], MISSING) for row in rows], dtype=np.int32),
        counts=np.array([row[6] for row in rows], dtype=np.int64),
        book=codebook,
    )
