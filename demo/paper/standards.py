"""What the people of the demonstration answered for reviewers, and how the study is cited."""

from django.utils.translation import gettext as _

from demo.story import Story
from standards.actions.answers import answer_item
from standards.actions.backgrounds import tell_background
from standards.actions.citing import change_citation
from standards.checks import CHECKS
from standards.files import BUILT_IN
from standards.models import RaterBackground
from standards.sets import standards

ORCID = "0000-0002-1825-0097"
"""The one of the invented researcher Josiah Carberry."""


def answers(story: Story) -> None:
    """The owner answers what only people can answer, but for the DOI: nothing is archived."""
    standard = standards(CHECKS)[BUILT_IN]
    texts = {
        "I8": _(
            "The categories are nominal, and seven raters label each issue. Fleiss’ κ was"
            " made for this case. α and AC1 beside κ show whether the choice matters."
        ),
        "R2": _(
            "The four frameworks serve or train large language models, have at least a year of issues, and"
            " take reports from everybody."
        ),
        "R10": _(
            "The categories come from a published taxonomy, and volunteers could propose what it lacks. Their"
            " definitions name what a report must contain."
        ),
        "R11": _(
            "The results hold for open frameworks for language models in these years. Closed products, and"
            " reports that nobody writes down, can differ."
        ),
        "R16": _(
            "The paper quotes no sentence by which a search finds its author. Nobody who"
            " wrote an issue is named."
        ),
        "S1": _("The issues stand for reports about language models in these four repositories."),
        "H1": _(
            "The leads asked users and maintainers by mail. The board of the invented"
            " university approved the study. Everybody signed the consent text."
        ),
        "H2": _(
            "The reports are public and kept as published. The package gives only their"
            " addresses and labels away."
        ),
        "M1": _(
            "Issues show what is reported, interviews what hurts. Each finding joins both: a number of the"
            " report and quotes."
        ),
        "Q2": _(
            "The leads send each participant the findings with their own quotes; some answers"
            " are still to come. Users received a gift card, developers nothing."
        ),
        "LLM": _(
            "The model is a list of keyword rules, version 1, without a prompt and without"
            " chance. Each run gives the same labels."
        ),
    }
    for number, text in texts.items():
        item = standard.item(number)
        if item is not None:
            answer_item(study=story.study, standard=standard, item=item, text=text, by=story.owner)
    told = {
        "R3": (
            4,
            _("Two years of support for users of a serving framework."),
            _("I may read crashes as bugs."),
        ),
        "R5": (7, _("Wrote a parser for log files of training runs."), ""),
        "R6": (
            12,
            _("Maintained a small framework."),
            _("I know how maintainers answer, and may side with them."),
        ),
    }
    for name, (years, experience, reflection) in told.items():
        tell_background(
            member=story.members[name],
            years=years,
            experience=experience,
            reflection=reflection,
            sharing=RaterBackground.Sharing.PSEUDONYM if name != "R5" else RaterBackground.Sharing.SUMMARY,
        )
    change_citation(
        study=story.study,
        title=_("Labels of issue reports of four invented frameworks"),
        authors=[
            {"family": "Marchetti", "given": "Solveig", "orcid": ORCID},
            {"family": "Marufu", "given": "Tendai"},
        ],
        licence="CC-BY-4.0",
        by=story.owner,
    )
