"""What pages of several rooms tell about a round: addresses, and the header of what is withheld."""

from django.urls import reverse

from rounds.models import Round

WITHHELD = "Crosscheck-Withheld"
"""A file's header that gives the number of issues that the blindness of a round keeps from its reader."""


def example_url(round_: Round, issue_id: int) -> str:
    """Where an issue is taken as an example for a category of the round's taxonomy."""
    return reverse("draft_examples", args=[round_.version.taxonomy_id], query={"issue": issue_id})


def vote_url(round_: Round, issue_id: int) -> str:
    """Where what the labels of an issue miss is put to the vote."""
    taxonomy = round_.version.taxonomy_id
    return reverse("put_to_vote", args=[taxonomy], query={"round": round_.pk, "issue": issue_id})
