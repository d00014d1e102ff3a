"""Samples: drawn once, and stored with everything that is needed to draw them again."""

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.utils.translation import gettext_lazy as _

from annotate.actions.plans import still_searched
from annotate.errors import SampleRefused
from annotate.models import Sample
from annotate.queries.left_out import excludables
from annotate.queries.samples import SampleFrame, issues_of, left_out_counts, newest_issue, urls_of
from annotate.sampling import Rounding, draw, sample_size
from core.templatetags.crosscheck import count
from ingest.models import Repository
from rounds import errors
from rounds.rules import may_draw_sample
from studies.actions import record
from studies.actions.copies import hold_study
from studies.models import Membership, Study

LONGEST_NAME = 120
MOST_SEED = 2**63 - 1
DRAWN_SEEDS = 10**9
NAME_IS_TAKEN = _("The study already has a sample with this name. Choose another name.")


@transaction.atomic
def draw_sample(
    *,
    study: Study,
    by: Membership,
    name: str,
    frame: SampleFrame,
    confidence: float = 0.95,
    margin: float = 0.05,
    share: float = 0.5,
    rounding: Rounding = "up",
    own: Mapping[int, int] | None = None,
    seed: int | None = None,
) -> Sample:
    """Draw issues by chance, stratified by repository, and keep the plan and the seed with them.

    Each repository gives as many issues as `annotate.sampling.sample_size` says, or the number that `own` has
    for its id. `seed` is 0 to 2^63 - 1, drawn by default. One transaction for any size. Raises NotAllowed,
    and SampleRefused with the field to change.
    """
    hold_study(study.pk)  # nobody removes issues of the study meanwhile
    if not may_draw_sample(by, study):
        raise errors.NotAllowed
    name = " ".join(name.split())
    _check(name, seed, {"confidence": confidence, "margin": margin, "share": share})
    for words in still_searched(study, frame.source):
        raise SampleRefused(words, field="source")
    names = {one.value: one.name for one in excludables(study)} if frame.left_out else {}
    if not set(frame.left_out) <= names.keys():
        raise SampleRefused(_("This study has no such round or sample to leave out."), field="left_out")
    seed = secrets.randbelow(DRAWN_SEEDS) if seed is None else seed
    newest = newest_issue(study)
    found = urls_of(issues_of(study, frame, up_to=newest))

    def size(issues: int) -> int:
        return sample_size(issues, confidence, margin, share, rounding)

    strata = list(_strata(study, {id_: len(part) for id_, part in found.items()}, size, own or {}))
    if not any(stratum["drawn"] for stratum in strata):
        raise SampleRefused(_("No issue would be drawn. Choose a source with issues."), field="source")
    sizes = {stratum["id"]: stratum["drawn"] for stratum in strata}
    urls = {id_: list(found[id_]) for id_ in sizes}
    chosen = [found[id_][url] for id_, part in draw(urls, sizes, seed).items() for url in part]
    plan = {
        "confidence": confidence,
        "margin": margin,
        "share": share,
        "rounding": rounding,
        "filter": asdict(frame) | {"left_out": list(frame.left_out)},
        "left_out": [
            {"source": value, "name": names[value], "issues": issues}
            for value, issues in left_out_counts(study, frame).items()
        ],
        "newest": newest,
        "strata": strata,
    }
    try:
        with transaction.atomic():
            sample = Sample.objects.create(study=study, name=name, seed=seed, plan=plan, created_by=by)
    except IntegrityError as error:
        raise SampleRefused(NAME_IS_TAKEN, field="name") from error
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO annotate_sampleissue (sample_id, issue_id, position)"
            " SELECT %s, drawn.id, drawn.place FROM unnest(%s::bigint[]) WITH ORDINALITY drawn (id, place)",
            [sample.pk, chosen],
        )
    record(study, "samples.drawn", by.user, sample=name, issues=len(chosen), seed=seed)
    return sample


def _check(name: str, seed: int | None, shares: Mapping[str, float]) -> None:
    if not name:
        raise SampleRefused(_("Give the sample a name."), field="name")
    if len(name) > LONGEST_NAME:
        raise SampleRefused(_("The name is longer than 120 characters. Shorten it."), field="name")
    for field, share in shares.items():
        if not 0 < share < 1:
            raise SampleRefused(_("Enter a number above 0 and below 100 percent."), field=field)
    if seed is not None and not 0 <= seed <= MOST_SEED:
        raise SampleRefused(
            _("A seed is a whole number from 0 to %(most)s.") % {"most": count(MOST_SEED)}, field="seed"
        )


def _strata(
    study: Study, issues: Mapping[int, int], size: Callable[[int], int], own: Mapping[int, int]
) -> Iterator[dict[str, Any]]:
    """The repositories with at least one of the issues, by path, with the number of issues to draw."""
    for repository in Repository.objects.filter(study=study).order_by("path", "pk"):
        there = issues.get(repository.pk, 0)
        if not there:
            continue
        drawn = own.get(repository.pk, size(there))
        if not 0 <= drawn <= there:
            raise SampleRefused(
                _("%(repository)s has %(issues)s issues to draw from, not %(drawn)s.")
                % {"repository": repository.path, "issues": count(there), "drawn": count(drawn)},
                field=f"own_{repository.pk}",
            )
        yield {
            "id": repository.pk,
            "repository": repository.path,
            "issues": there,
            "size": size(there),
            "drawn": drawn,
        }
