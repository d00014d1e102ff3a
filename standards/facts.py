"""The facts about a study that answer the items, as one member may know them. Plain values, no queries."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from rounds.models import Round


@dataclass(frozen=True)
class IssueFacts:
    """The issues of the study."""

    total: int = 0
    repositories: int = 0
    with_text: int = 0
    pull_requests: int = 0
    unknown_kind: int = 0
    first_year: int | None = None
    last_year: int | None = None
    paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class SourceFacts:
    """How issues came: imports, harvests, keyword lists."""

    imports: int = 0
    refused_rows: int = 0
    harvested: int = 0
    harvested_complete: int = 0
    pages: int = 0
    keyword_lists: int = 0
    terms: int = 0


@dataclass(frozen=True)
class TaxonomyFacts:
    """The version by which the main round labels."""

    pk: int
    name: str
    number: int
    types: int
    themes: int
    sub_themes: int
    undefined: int
    with_examples: int

    @property
    def categories(self) -> int:
        return self.types + self.themes + self.sub_themes

    @property
    def levels(self) -> int:
        return sum(bool(one) for one in (self.types, self.themes, self.sub_themes))


@dataclass(frozen=True)
class GuidelineFacts:
    """The text by which volunteers label: its versions, and who read the newest one."""

    versions: int = 0
    readers: int = 0


@dataclass(frozen=True)
class RoundFacts:
    """One round as its list shows it; `complete` is None while that is hidden."""

    round: Round
    issues: int
    complete: int | None
    volunteers: int | None


@dataclass(frozen=True)
class RaterFacts:
    """The volunteers of the main round, and the closed trainings that they passed."""

    volunteers: int = 0
    leads: int = 0
    left: int = 0
    admitted: int = 0
    trainings: int = 0
    trained: int = 0
    passed: int = 0


@dataclass(frozen=True)
class BackgroundFacts:
    """What raters told about themselves and share: sums, and texts under a pseudonym (`named`)."""

    told: int = 0
    reflected: int = 0
    years: tuple[int, int] | None = None
    named: tuple[tuple[str, str, str, str], ...] = ()
    """(pseudonym, experience, training, reflection)"""


@dataclass(frozen=True)
class SampleFacts:
    """A drawn sample."""

    pk: int
    name: str
    seed: int
    frame: int
    drawn: int
    strata: int
    confidence: float | None = None
    margin: float | None = None


@dataclass(frozen=True)
class ScreeningFacts:
    """Screened issues with a decision that is revealed, and those of them that are excluded."""

    round_pk: int
    decided: int
    excluded: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class SettledFacts:
    """How the disagreements of the main round were settled. `argued`: with at least one comment before."""

    meetings: int = 0
    unanimity: int = 0
    majority: int = 0
    chair: int = 0
    pair: int = 0
    lead: int = 0
    bulk: int = 0
    open: int = 0
    argued: int = 0

    @property
    def settled(self) -> int:
        return self.unanimity + self.majority + self.chair + self.pair + self.lead + self.bulk


@dataclass(frozen=True)
class Estimate:
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class AgreementFacts:
    """The agreement of the main round at its level, over what its reader may see."""

    level: str
    issues: int
    raters: int
    labels: int
    equal_labels: bool
    coefficients: Mapping[str, Estimate]
    is_paradox: bool
    categories: int
    withheld: int
    incomplete: int
    coached: int
    twice: int
    signs: int | None

    def value(self, name: str) -> Estimate:
        return self.coefficients.get(name, Estimate(None))


@dataclass(frozen=True)
class FindingFacts:
    written: int = 0
    frozen: int = 0
    with_evidence: int = 0


@dataclass(frozen=True)
class InterviewFacts:
    """Counts of the interviews; no content."""

    participants: int = 0
    sessions: int = 0
    guides: int = 0
    consented: int = 0
    interviewers: int = 0
    described: int = 0
    settled: int = 0
    checked: int = 0
    incentives: int = 0
    rankings: int = 0


@dataclass(frozen=True)
class ModelFacts:
    pseudonym: str
    labels: int


@dataclass(frozen=True)
class CitationFacts:
    title: str
    authors: tuple[Mapping[str, str], ...]
    licence: str
    doi: str


@dataclass(frozen=True)
class DeviationFacts:
    """One deviation in words: what it is about, the plan, what happened, and the reason of a lead, if any.
    `is_hidden`: what happened is shown after reveal, and nobody can explain it before.
    """

    name: str
    about: str
    planned: str
    happened: str
    reason: str = ""
    is_hidden: bool = False


@dataclass(frozen=True)
class ProtocolFacts:
    """The protocol in force, and what differs from it. `is_before` the opening of the main round."""

    number: int
    frozen_at: datetime
    is_before: bool
    level: str = ""
    coefficient: str = ""
    deviations: tuple[DeviationFacts, ...] = ()

    @property
    def without_reason(self) -> int:
        return sum(not (one.reason or one.is_hidden) for one in self.deviations)


@dataclass(frozen=True)
class Facts:
    """All facts. `main` is the round that the statements are about; None before any round is open."""

    slug: str
    name: str
    issues: IssueFacts = IssueFacts()
    sources: SourceFacts = SourceFacts()
    taxonomy: TaxonomyFacts | None = None
    guideline: GuidelineFacts = GuidelineFacts()
    rounds: tuple[RoundFacts, ...] = ()
    main: RoundFacts | None = None
    raters: RaterFacts = RaterFacts()
    backgrounds: BackgroundFacts = BackgroundFacts()
    samples: tuple[SampleFacts, ...] = ()
    screening: ScreeningFacts | None = None
    settled: SettledFacts | None = None
    agreement: AgreementFacts | None = None
    frozen_reports: int = 0
    findings: FindingFacts = FindingFacts()
    interviews: InterviewFacts = InterviewFacts()
    models: tuple[ModelFacts, ...] = ()
    citation: CitationFacts | None = None
    protocol: ProtocolFacts | None = None

    @property
    def is_imported(self) -> bool:
        """Were the labels of the main round made elsewhere?"""
        return self.main is not None and self.main.round.is_imported

    def of_kind(self, *kinds: str) -> tuple[RoundFacts, ...]:
        """The opened rounds of these kinds."""
        return tuple(one for one in self.rounds if one.round.kind in kinds and one.round.opened_at)
