"""The reasons why a number is missing, each with its words for a page."""

from enum import StrEnum


def gettext_noop(message: str) -> str:
    """Mark `message` for translation by name; the page that shows it translates it."""
    return message


class Reason(StrEnum):
    """Why a value or its interval is undefined. The value is stable (for programs), `text` is for people."""

    NO_LABELS = "no_labels"
    ONE_RATER = "one_rater"
    NO_OVERLAP = "no_overlap"
    ONE_ISSUE = "one_issue"
    ONE_CATEGORY = "one_category"
    ONE_CODE = "one_code"
    CATEGORY_UNUSED = "category_unused"
    CATEGORY_NOT_COMPARED = "category_not_compared"
    ONE_CATEGORY_COMPARED = "one_category_compared"
    NO_ISSUE_IN_COMMON = "no_issue_in_common"
    ONE_ISSUE_IN_COMMON = "one_issue_in_common"
    PAIR_ONE_CATEGORY = "pair_one_category"
    NO_PAIR = "no_pair"
    NO_VOLUNTEER = "no_volunteer"
    SLOTS = "slots"
    BOOTSTRAP_ONLY = "bootstrap_only"
    SOME_PAIRS = "some_pairs"
    NOT_TWICE = "not_twice"
    ONE_ISSUE_TWICE = "one_issue_twice"
    TWICE_ONE_CATEGORY = "twice_one_category"
    FEW_TWICE = "few_twice"
    NO_DECISION = "no_decision"
    ONE_DECISION = "one_decision"
    ONE_CATEGORY_DECIDED = "one_category_decided"
    ONE_PERIOD = "one_period"
    TWO_RATERS = "two_raters"
    MORE_VOLUNTEERS_DO_NOT_HELP = "more_volunteers_do_not_help"

    @property
    def text(self) -> str:
        """The reason in English, also its message id: reads on after "undefined:"."""
        return TEXTS[self]


TEXTS: dict[Reason, str] = {
    Reason.NO_LABELS: gettext_noop("there are no labels"),
    Reason.ONE_RATER: gettext_noop("only one person has labelled"),
    Reason.NO_OVERLAP: gettext_noop("no issue has two labels"),
    Reason.ONE_ISSUE: gettext_noop("only one issue has two labels or more"),
    Reason.ONE_CATEGORY: gettext_noop("all labels are the same category"),
    Reason.ONE_CODE: gettext_noop("the codebook has only one category at this level"),
    Reason.CATEGORY_UNUSED: gettext_noop("nobody chose this category"),
    Reason.CATEGORY_NOT_COMPARED: gettext_noop("on no issue with two labels"),
    Reason.ONE_CATEGORY_COMPARED: gettext_noop("the only category on issues with two labels"),
    Reason.NO_ISSUE_IN_COMMON: gettext_noop("the two have labelled no issue in common"),
    Reason.ONE_ISSUE_IN_COMMON: gettext_noop("the two have labelled only one issue in common"),
    Reason.PAIR_ONE_CATEGORY: gettext_noop(
        "the two chose one and the same category for every issue they share"
    ),
    Reason.NO_PAIR: gettext_noop("no two people have a kappa with each other"),
    Reason.NO_VOLUNTEER: gettext_noop("it has a kappa with none of the volunteers"),
    Reason.SLOTS: gettext_noop("different people labelled different issues, so no pairs are compared"),
    Reason.BOOTSTRAP_ONLY: gettext_noop(
        "its standard error has no formula: the bootstrap gives the interval"
    ),
    Reason.SOME_PAIRS: gettext_noop(
        "mean of the pairs that have a kappa; pairs without one are left out, and only the bootstrap gives"
        " an interval"
    ),
    Reason.NOT_TWICE: gettext_noop("no issue was labelled twice"),
    Reason.ONE_ISSUE_TWICE: gettext_noop("only one issue was labelled twice"),
    Reason.TWICE_ONE_CATEGORY: gettext_noop("all labels, first and second, are the same category"),
    Reason.FEW_TWICE: gettext_noop("fewer than 30 issues were labelled twice"),
    Reason.NO_DECISION: gettext_noop("no issue they labelled has a decision"),
    Reason.ONE_DECISION: gettext_noop("only one issue they labelled has a decision"),
    Reason.ONE_CATEGORY_DECIDED: gettext_noop(
        "they and the decisions have one and the same category throughout"
    ),
    Reason.ONE_PERIOD: gettext_noop("only one period has labels"),
    Reason.TWO_RATERS: gettext_noop(
        "how the error falls with the number of labels shows only where three people have labelled"
    ),
    Reason.MORE_VOLUNTEERS_DO_NOT_HELP: gettext_noop(
        "more volunteers alone do not narrow the interval so far: it takes more issues"
    ),
}


class UndefinedAgreement(ValueError):
    """A one-shot function was asked for a coefficient that these labels do not define.

    `reason` says why; `str()` of the error says it in words.
    """

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.text)
        self.reason = reason
