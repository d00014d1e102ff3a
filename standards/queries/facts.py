"""The facts about a study, as one member may know them: a fixed number of queries, whatever the study has."""

from dataclasses import replace

from django.db.models import Count, Exists, Max, Min, OuterRef, Q

from annotate.models import Sample
from annotate.queries.model_labels import models_of
from findings.models import Evidence, Finding
from findings.rules import may_write_findings
from harvests.models import HarvestedRepository, HarvestPage
from ingest.models import Import, ImportRow, Issue, KeywordList, KeywordTerm, Repository
from ingest.queries.keywords import current_ids
from reports.models import FrozenReport
from rounds.models import Round, RoundVolunteer
from rounds.queries.rounds import current_round, round_lines
from rounds.queries.training import training_results
from standards.facts import (
    BackgroundFacts,
    CitationFacts,
    Facts,
    FindingFacts,
    GuidelineFacts,
    IssueFacts,
    ModelFacts,
    RaterFacts,
    RoundFacts,
    SampleFacts,
    SourceFacts,
    TaxonomyFacts,
)
from standards.models import Citation, RaterBackground
from standards.queries.interviews import interview_facts
from standards.queries.labels import agreement_facts, screening_facts, settled_facts
from standards.queries.protocols import deviation_facts, protocol_facts
from studies.models import Guideline, GuidelineReading, Membership, Study
from studies.rules import LEADING
from taxonomy.models import CategoryState, Level

MOST_NAMED = 30
"""So many repositories are named in a sentence."""


def read_facts(
    study: Study, member: Membership | None, *, of: Round | None = None, whole: bool = False
) -> Facts:
    """All facts, about the round `of` instead of the main round if it is given. Of a large round the search
    for signs of dependence is left out unless it was made already, or `whole` asks for it: then the same rows
    always give the same facts.
    """
    light = facts_of_panel(study, member, of=of)
    main = light.main.round if light.main else None
    return replace(
        light,
        issues=replace(light.issues, paths=_paths(study)),
        protocol=replace(light.protocol, deviations=deviation_facts(study, member))
        if light.protocol
        else None,
        sources=replace(light.sources, **_more_sources(study)),
        screening=screening_facts([one.round for one in light.rounds], member),
        settled=settled_facts(main, member) if main else None,
        agreement=agreement_facts(main, member, whole=whole) if main else None,
        frozen_reports=FrozenReport.objects.filter(round__study=study).count(),
        interviews=interview_facts(study),
        models=tuple(ModelFacts(one.pseudonym, given) for one, given in models_of(study, main)),
    )


def facts_of_panel(study: Study, member: Membership | None, *, of: Round | None = None) -> Facts:
    """The facts that a panel needs: without those of labels, interviews and models."""
    lines = round_lines(study, member)
    front = of or current_round(line.round for line in lines)
    rounds = tuple(RoundFacts(one.round, one.issues, one.complete, one.volunteers) for one in lines)
    main = next((one for one in rounds if one.round == front), None)
    trainings = [one.round for one in rounds if one.round.kind == Round.Kind.TRAINING]
    return Facts(
        slug=study.slug,
        name=study.name,
        issues=_issues(study),
        sources=_sources(study),
        taxonomy=_taxonomy(main.round) if main else None,
        guideline=_guideline(study),
        rounds=rounds,
        main=main,
        raters=_raters(main.round, trainings) if main else RaterFacts(),
        backgrounds=background_facts(study),
        samples=tuple(_sample(one) for one in Sample.objects.filter(study=study).order_by("pk")),
        findings=_findings(study, member),
        citation=citation_facts(study),
        protocol=protocol_facts(study, main.round if main else None),
    )


def _issues(study: Study) -> IssueFacts:
    found = Issue.objects.filter(repository__study=study).aggregate(
        total=Count("pk"),
        repositories=Count("repository", distinct=True),
        with_text=Count("current"),
        pull_requests=Count("pk", filter=Q(is_pull_request=True)),
        unknown_kind=Count("pk", filter=Q(is_pull_request=None)),
        first_year=Min("year"),
        last_year=Max("year"),
    )
    return IssueFacts(**found)


def _paths(study: Study) -> tuple[str, ...]:
    paths = Repository.objects.filter(study=study, issues__isnull=False).order_by("path").distinct()
    return tuple(paths.values_list("path", flat=True)[:MOST_NAMED])


def _sources(study: Study) -> SourceFacts:
    walks = HarvestedRepository.objects.filter(harvest__run__study=study, started_at__isnull=False)
    counted = walks.aggregate(
        harvested=Count("pk"),
        complete=Count("pk", filter=Q(outcome=HarvestedRepository.Outcome.COMPLETE)),
    )
    return SourceFacts(
        imports=Import.objects.filter(study=study, harvest=None).exclude(counts={}).count(),
        harvested=counted["harvested"],
        harvested_complete=counted["complete"],
    )


def _more_sources(study: Study) -> dict[str, int]:
    refused = ImportRow.objects.filter(run__study=study, outcome=ImportRow.Outcome.REFUSED)
    return {
        "refused_rows": refused.count(),
        "pages": HarvestPage.objects.filter(repository__harvest__run__study=study).count(),
        "keyword_lists": KeywordList.objects.filter(study=study, retired_at=None).count(),
        "terms": KeywordTerm.objects.filter(version__in=current_ids(study.pk)).count(),
    }


def _taxonomy(round_: Round) -> TaxonomyFacts:
    counted = CategoryState.objects.filter(version=round_.version_id).aggregate(
        types=Count("pk", filter=Q(level=Level.TYPE)),
        themes=Count("pk", filter=Q(level=Level.THEME)),
        sub_themes=Count("pk", filter=Q(level=Level.SUB_THEME)),
        undefined=Count("pk", filter=Q(definition="")),
        with_examples=Count("pk", filter=~Q(examples="")),
    )
    taxonomy = round_.version.taxonomy
    return TaxonomyFacts(pk=taxonomy.pk, name=taxonomy.name, number=round_.version.number, **counted)


def _guideline(study: Study) -> GuidelineFacts:
    newest = Guideline.objects.filter(study=study).order_by("-number")
    return GuidelineFacts(
        versions=Guideline.objects.filter(study=study).count(),
        readers=GuidelineReading.objects.filter(guideline__in=newest.values("pk")[:1]).count(),
    )


def _raters(main: Round, trainings: list[Round]) -> RaterFacts:
    seats = list(
        RoundVolunteer.objects.filter(round=main).values_list(
            "member", "member__role", "left_at", "admitted_at"
        )
    )
    # The results of a training are hidden from those who take part until it is closed.
    closed = [one.pk for one in trainings if one.closed_at]
    results = training_results([(training, seat[0]) for training in closed for seat in seats])
    done = {member for (_training, member), one in results.items() if one.is_finished}
    passed = {member for (_training, member), one in results.items() if one.passed}
    return RaterFacts(
        volunteers=len(seats),
        leads=sum(role in LEADING for _member, role, _left, _admitted in seats),
        left=sum(left is not None for _member, _role, left, _admitted in seats),
        admitted=sum(admitted is not None for _member, _role, _left, admitted in seats),
        trainings=len(closed),
        trained=len(done),
        passed=len(passed),
    )


def background_facts(study: Study) -> BackgroundFacts:
    """What is shared of the raters' backgrounds. One query."""
    found = RaterBackground.objects.filter(member__study=study).exclude(
        sharing=RaterBackground.Sharing.NOBODY
    )
    rows = list(found.select_related("member").order_by("member__pseudonym"))
    years = [one.years for one in rows if one.years is not None]
    return BackgroundFacts(
        told=len(rows),
        reflected=sum(bool(one.reflection) for one in rows),
        # Of two people one could read the years of the other from the range.
        years=(min(years), max(years)) if len(years) > 2 else None,
        named=tuple(
            (one.member.pseudonym, one.experience, one.training, one.reflection)
            for one in rows
            if one.sharing == RaterBackground.Sharing.PSEUDONYM
        ),
    )


def _sample(found: Sample) -> SampleFacts:
    strata = found.plan.get("strata", [])
    return SampleFacts(
        pk=found.pk,
        name=found.name,
        seed=found.seed,
        frame=sum(one["issues"] for one in strata),
        drawn=sum(one["drawn"] for one in strata),
        strata=len(strata),
        confidence=found.plan.get("confidence"),
        margin=found.plan.get("margin"),
    )


def _findings(study: Study, member: Membership | None) -> FindingFacts:
    evidence = Evidence.objects.filter(finding=OuterRef("pk"), removed_at=None)
    found = Finding.objects.filter(study=study, deleted_at=None)
    if member is not None and not may_write_findings(member):
        found = found.filter(frozen_at__isnull=False)
    return FindingFacts(
        **found.aggregate(
            written=Count("pk"),
            frozen=Count("frozen_at"),
            with_evidence=Count("pk", filter=Exists(evidence)),
        )
    )


def citation_facts(study: Study) -> CitationFacts | None:
    """How to cite the study. One query."""
    found = Citation.objects.filter(study=study).first()
    if found is None:
        return None
    return CitationFacts(found.title, tuple(found.authors), found.licence, found.doi)
