"""The model of the demonstration study: rules with keywords, in place of a language model."""

from django.utils.translation import gettext as _

from annotate.actions.model_labels import ModelRow, label_as_model
from demo.data import rows
from demo.story import Story
from ingest.models import Issue
from rounds.models import Round
from studies.actions import add_model


def keyword_rules(story: Story, round_: Round) -> None:
    """The owner adds the model, and the model labels all issues of the round. Nobody knows its token."""
    member, _token = add_model(study=story.study, name=_("Keyword rules"), by=story.owner.user)
    rules = [(line["words"].split("|"), line["category"]) for line in rows("model.csv")]
    issues = Issue.objects.filter(in_rounds__round=round_).select_related("current").order_by("pk")
    labels = [ModelRow(issue.pk, category_of(issue, rules)) for issue in issues]
    label_as_model(round_=round_, member=member, rows=labels)


def category_of(issue: Issue, rules: list[tuple[list[str], str]]) -> str:
    """The category of the first rule with a word of the title; the last rule has the empty word."""
    title = issue.current.title.lower() if issue.current else ""
    return next(category for words, category in rules if any(word in title for word in words))
