"""A study with a labelled round, a settled interview, answered rankings, and findings on them."""

from dataclasses import dataclass
from datetime import date

from django.utils import timezone

from findings.actions.evidence import attach_issue, attach_number, attach_quote, attach_ranking
from findings.actions.findings import add_finding
from findings.models import Finding
from interviews.models import Coding, Consent, ConsentText, Participant, Place, Question, Quote, Ranking
from interviews.models import Session as Interview
from rounds.models import Round
from studies.models import Membership, Role
from taxonomy.models import Level
from tests import factories
from tests.factories.interviews import make_guide, make_participant, make_session, make_transcript
from tests.interviews.coding import quote, reveal
from tests.worlds.pages import label_all
from tests.worlds.world import World, small_world

KAPPA = ["groups", "all", "fleiss_kappa"]


@dataclass
class FindingWorld:
    base: World
    round: Round
    owner: Membership
    viewer: Membership
    model: Membership
    stranger: Membership
    participant: Participant
    consent: Consent
    session: Interview
    coding: Coding
    question: Question

    @property
    def study(self):
        return self.base.study

    @property
    def lead(self) -> Membership:
        return self.base.lead

    @property
    def volunteer(self) -> Membership:
        return self.base.members[0]

    @property
    def quote(self) -> Quote:
        """The quote that both coders settled on."""
        return Quote.objects.filter(coding=self.coding, coder=None).order_by("pk")[0]

    def category(self, code: str):
        return self.base.category(code)

    def finding(self, text: str = "Kappa is {1}; developers say {2}.", **fields) -> Finding:
        """A finding with one piece of evidence of each kind: number, quote, issue, ranking."""
        made = add_finding(study=self.study, text=text, by=self.lead)
        own = {"finding": made, "by": self.lead, **fields}
        attach_number(round_=self.round, level="theme", figure=KAPPA, **own)
        attach_quote(quote=self.quote, **own)
        attach_issue(issue=self.base.issues[2], round_=self.round, **own)
        attach_ranking(question=self.question, category=self.category("A"), **own)
        return made


def finding_world() -> FindingWorld:
    """Four issues: two equal, one settled as A.1, one without labels. The interview says "models" with A.1, settled by equal codes."""
    base = small_world(issues=4, members=3)
    round_ = base.round()
    label_all(base, round_, "A.1 A.1 A.1", "B.1 B.1 B.1", "A.1 B.1 C.1")
    base.settle(round_, base.issues[2], "A.1")
    study, lead = base.study, base.lead
    participant = make_participant(study, lead)
    text = ConsentText.objects.create(study=study, number=1, text="Yes.", published_by=lead)
    consent = Consent.objects.create(
        participant=participant,
        text=text,
        given_on=date(2025, 5, 1),
        permits=["quote", "archive"],
        recorded_by=lead,
    )
    ranks = {"is_ranking": True, "taxonomy": base.version.taxonomy, "level": Level.TYPE, "top": 1}
    guide = make_guide(study, lead, ranks)
    question = guide.parts.get().questions.get()
    session = make_session(participant, lead, guide=guide)
    make_transcript(session, lead)
    rank(base, session, question, "A", "B")
    coding = Coding.objects.create(session=session, version=base.version, opened_by=lead)
    for coder in base.members[:2]:
        coding.coders.create(member=coder)
        quote(coding, coder, "models", "A.1")
    reveal(coding)
    coding.refresh_from_db()
    coding.settled_at, coding.settled_by = timezone.now(), lead
    coding.save()
    return FindingWorld(
        base=base,
        round=round_,
        owner=factories.make_member(study, Role.OWNER, pseudonym="Owner"),
        viewer=factories.make_member(study, Role.VIEWER, pseudonym="V1"),
        model=factories.make_member(study, Role.MODEL, pseudonym="M1"),
        stranger=factories.make_member(factories.make_study(), Role.LEAD),
        participant=participant,
        consent=consent,
        session=session,
        coding=coding,
        question=question,
    )


def rank(base: World, session: Interview, question: Question, *codes: str) -> Ranking:
    """An answer with these categories in this order."""
    made = Ranking.objects.create(
        session=session, question=question, version=base.version, recorded_by=base.lead
    )
    Place.objects.bulk_create(
        Place(ranking=made, category=base.category(code), place=place) for place, code in enumerate(codes, 1)
    )
    return made
