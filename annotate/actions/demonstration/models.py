"""The model of the demonstration study: a handful of words, in the place of a language model."""

from django.utils.translation import gettext as _

from annotate.actions.demonstration.data import rows
from annotate.actions.demonstration.story import Story
from annotate.actions.model_labels import ModelRow, label_as_model
from annotate.models import Round
from ingest.models import Issue
from studies.actions import add_model


def keyword_rules(story: Story, round_: Round) -> None:
    """The owner adds the model, and it labels all issues of the round, both now: its labels stay as they are
    stored. Nobody knows its token.
    """
    member, _token = add_model(study=story.study, name=_("Keyword rules"), by=story.members["R1"].user)
    rules = [(line["words"].split("|"), line["category"]) for line in rows("model.csv")]
    issues = Issue.objects.filter(in_rounds__round=round_).select_related("current").order_by("pk")
    said = [ModelRow(issue.pk, category_of(issue, rules)) for issue in issues]
    label_as_model(round_=round_, member=member, rows=said)


def category_of(issue: Issue, rules: list[tuple[list[str], str]]) -> str:
    """That of the first line with a word that is in the title; the last line has the empty word."""
    title = issue.current.title.lower() if issue.current else ""
    return next(category for words, category in rules if any(word in title for word in words))
