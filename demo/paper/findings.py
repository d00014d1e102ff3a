"""The findings of the demonstration: one that is frozen, and a draft whose evidence changed since."""

from django.utils.translation import gettext as _

from demo.interviews import span_of
from demo.paper.reports import DECIDED_AGAIN
from demo.story import Scene
from findings.actions.evidence import attach_issue, attach_number, attach_quote, attach_ranking
from findings.actions.findings import add_finding, freeze_finding
from findings.models import Finding
from interviews.models import Coding, Question, Quote
from studies.models import Membership

KAPPA = ("groups", "all", "fleiss_kappa")
LEAK = "https://github.com/emberline/ember-serve/issues/418"


def findings(scene: Scene) -> None:
    """The owner writes two findings, since two decisions of the main round are hidden from the lead."""
    story = scene.story
    owner = story.owner
    memory = add_finding(
        study=story.study,
        text=_(
            "Memory that runs out after days is among the top three bugs of all participants (mean rank {1})."
            " Tests do not find such bugs, because tests run for minutes."
        ),
        by=owner,
    )
    _attach_rank(scene, memory, "C.2", owner)
    for who, words in (("U1", "on the third night"), ("D1", "Memory is the bug"), ("D1", "our tests run")):
        attach_quote(finding=memory, quote=_quote(scene, who, words), by=owner)
    attach_issue(finding=memory, issue=story.issues[LEAK], round_=scene.round, by=owner)
    freeze_finding(finding=memory, by=owner)
    asked = add_finding(
        study=story.study,
        text=_(
            "Broken installations are bugs: one example is decided as {1}. A maintainer counts half of the"
            " bug reports as questions. The kappa of the volunteers is {3}."
        ),
        by=owner,
    )
    attach_issue(finding=asked, issue=story.issues[DECIDED_AGAIN], round_=scene.round, by=owner)
    attach_quote(finding=asked, quote=_quote(scene, "D1", "question in disguise"), by=owner)
    attach_number(finding=asked, round_=scene.round, level="theme", figure=KAPPA, by=owner)


def _quote(scene: Scene, who: str, words: str) -> Quote:
    """The common quote at these words."""
    found = Coding.objects.select_related("session")
    coding = found.get(
        session__study=scene.story.study,
        session__participant__audience__prefix=who[0],
        session__participant__number=int(who[1:]),
    )
    span = span_of(coding, words)
    return Quote.objects.get(
        coding=coding, coder=None, turn__position=span.turn, start__lt=span.end, end__gt=span.start
    )


def _attach_rank(scene: Scene, finding: Finding, code: str, by: Membership) -> None:
    question = Question.objects.get(part__guide__study=scene.story.study, is_ranking=True, top__isnull=False)
    attach_ranking(finding=finding, question=question, category=scene.book.by_code[code].category, by=by)
