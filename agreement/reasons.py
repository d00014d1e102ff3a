"""The reasons for missing numbers, each with its text for a page."""

import re
from dataclasses import dataclass
from enum import Enum


def gettext_noop(message: str) -> str:
    """Mark `message` for translation by name; the page that shows it translates it."""
    return message


class Reason(Enum):
    """Why a value or its interval is undefined; the text continues after "undefined:"."""

    NO_LABELS = gettext_noop("there are no labels")
    ONE_RATER = gettext_noop("only one person has labelled")
    NO_OVERLAP = gettext_noop("no issue has two labels")
    ONE_ISSUE = gettext_noop("only one issue has two labels or more")
    FEW_ISSUES = gettext_noop("fewer than 10 issues have two labels or more, too few for an interval")
    NO_SPREAD = gettext_noop("all issues agree equally, so these labels do not show how exact the value is")
    ONE_CATEGORY = gettext_noop("all labels are the same category")
    ONE_CODE = gettext_noop("the codebook has only one category at this level")
    WEIGHTS_ALL_ONE = gettext_noop("the weights count all labels as the same")
    CATEGORY_UNUSED = gettext_noop("nobody chose this category")
    FEW_OF_CATEGORY = gettext_noop(
        "fewer than 5 issues have this category, or another one, too few for an interval"
    )
    CATEGORY_NOT_COMPARED = gettext_noop("no issue with two labels has this category")
    ONE_CATEGORY_COMPARED = gettext_noop("issues with two labels have no other category")
    NO_ISSUE_IN_COMMON = gettext_noop("the two have labelled no issue in common")
    PAIR_ONE_CATEGORY = gettext_noop("both chose the same single category for every issue they share")
    NO_PAIR = gettext_noop("there is no pair of volunteers")
    NO_VOLUNTEER = gettext_noop("the model and the volunteers have no issue in common")
    SLOTS = gettext_noop("different people labelled different issues, so no pairs are compared")
    BOOTSTRAP_ONLY = gettext_noop("no formula gives its standard error: use the bootstrap for an interval")
    SOME_PAIRS = gettext_noop("pairs without a kappa: %(n)s of %(all)s")
    FEW_CLUSTERS = gettext_noop(
        "the repositories are too few, or too unequal in size, to show how repositories differ"
    )
    FEW_RATERS = gettext_noop("fewer than three volunteers do not show how volunteers differ")
    UNIT_DECIDES = gettext_noop("without one of them the value is undefined")
    SAME_UNITS = gettext_noop("the value is the same without any one of them")
    NOT_TWICE = gettext_noop("no issue was labelled twice")
    TWICE_ONE_CATEGORY = gettext_noop("all labels, first and second, are the same category")
    FEW_TWICE = gettext_noop("fewer than 30 issues were labelled twice")
    NO_DECISION = gettext_noop("no issue with their label has a decision")
    ONE_CATEGORY_DECIDED = gettext_noop("all their labels and all decisions are the same category")
    NO_TREND = gettext_noop("the share is the same in all parts, or only one part has issues")
    ONE_PERIOD = gettext_noop("only one period has labels")
    NO_TWO_VOLUNTEERS = gettext_noop("no issue with their label has the labels of two volunteers")
    SAME_DIFFERENCE = gettext_noop("all issues differ equally, so these labels do not show how exact this is")
    FEW_DIFFER = gettext_noop("fewer than 20 issues have different labels, too few for this interval")
    FEW_IN_GROUP = gettext_noop("one of the two has fewer than 20 issues, too few for this interval")
    TWO_RATERS = gettext_noop(
        "the effect of more labels on the error is known only with three volunteers or more"
    )
    MORE_VOLUNTEERS_DO_NOT_HELP = gettext_noop(
        "more volunteers alone do not make the interval this narrow: you need more issues"
    )

    FEW_COMPARED = gettext_noop("fewer than 80 issues: the interval can be too narrow")
    FEW_DIFFERENT = gettext_noop(
        "fewer than 20 issues have different labels, or equal ones: the interval can be too narrow"
    )
    FEW_DIFFER_PAIRED = gettext_noop(
        "fewer than 60 issues have different labels: the interval can be too narrow"
    )
    FEW_RARER = gettext_noop(
        "fewer than 40 issues have another label than the most frequent one: the interval can be too narrow"
    )
    ONE_LABEL = gettext_noop("a tenth of the issues or more have only one label: the interval is too wide")
    UNEQUAL_CLUSTERS = gettext_noop(
        "these repositories count as fewer than 3 of equal size: the interval can be too wide"
    )
    NARROWER = gettext_noop("narrower than the interval over issues: the interval can be too narrow")
    DOMINANT_CATEGORY = gettext_noop(
        "two thirds of the labels or more are of one category: the interval can be too narrow"
    )
    LOW_KAPPA = gettext_noop("a kappa or alpha below 0.2: the interval can be too narrow")
    HIGH_AGREEMENT = gettext_noop("percent agreement of 0.95 or more: the interval can be too narrow")
    RARE_CATEGORY = gettext_noop(
        "fewer than 10 issues have this category, or another one: an uncertain value"
    )

    NO_RANKING = gettext_noop("nobody has ranked these categories")
    ONE_PARTICIPANT = gettext_noop("only one participant has ranked the categories")
    FEW_PARTICIPANTS = gettext_noop("fewer than five participants give no interval")
    ONE_RANKED = gettext_noop("there is only one category to rank")
    TOP_ONLY = gettext_noop("participants ranked only their first categories, and W needs complete rankings")
    OTHER_CATEGORIES = gettext_noop(
        "participants ranked different categories, since the taxonomy changed between interviews"
    )
    ALL_TIED = gettext_noop("every participant gave all categories the same place")
    EMPTY_GROUP = gettext_noop("one of the groups has no ranking")
    ONE_IN_GROUP = gettext_noop("one of the groups has only one ranking")
    SAME_RANK = gettext_noop("all participants gave this category the same rank")
    SAME_RANK_IN_GROUPS = gettext_noop("within each group all participants gave this category the same rank")
    RANKED_ALIKE = gettext_noop(
        "all participants agree equally with each other, so these rankings do not show how exact W is"
    )

    NO_ANSWERS = gettext_noop("there are no answers to code")
    ONE_CODER = gettext_noop("only one person has coded")
    NO_COMMON_ANSWER = gettext_noop("no answer was coded by two people")
    ONE_COMMON_ANSWER = gettext_noop("only one answer was coded by two people")
    CODE_UNUSED = gettext_noop("nobody gave this code to an answer")
    CODE_EVERYWHERE = gettext_noop("everybody gave this code to every answer")
    CODED_RARELY = gettext_noop("fewer than ten answers have this code, too few for an interval")
    CODED_ALIKE = gettext_noop(
        "the coders agree equally everywhere, so these codes do not show how exact the value is"
    )

    @property
    def text(self) -> str:
        """The reason in English, also its message id."""
        return str(self.value)


@dataclass(frozen=True)
class Counted:
    """A reason that counts: `n` of `all`."""

    reason: Reason
    n: int
    all: int

    @property
    def text(self) -> str:
        """The reason in English with its numbers; `message_of` takes the two apart."""
        return self.reason.text % {"n": self.n, "all": self.all}


Why = Reason | Counted
_NUMBER = re.compile(r"%\\\((n|all)\\\)s")
_COUNTED = {
    re.compile(_NUMBER.sub(r"(?P<\1>\\d+)", re.escape(reason.text))): reason.text
    for reason in Reason
    if "%(" in reason.text
}


def message_of(text: str) -> tuple[str, dict[str, str]]:
    """The message id of a reason's text, and the numbers in it; any other text is its own message id."""
    for pattern, message in _COUNTED.items():
        if found := pattern.fullmatch(text):
            return message, found.groupdict()
    return text, {}
