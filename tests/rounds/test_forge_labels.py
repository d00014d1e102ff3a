"""Labels that issues have on their forge: hidden from those who label without, until the reveal, at every door."""

import pytest
from django.urls import reverse

from ingest.models import Issue, Snapshot
from replication.package_inputs import facts
from reports.agreement_report import PAGE_BY, agreement_report
from reports.sentences.paragraph import how_to_report
from rounds.models import Round
from rounds.queries.blindness import NOTHING, Reader
from studies.models import Membership, Role
from tests import factories
from tests.api.conftest import client_of
from tests.worlds.opening import open_without_waiting
from tests.worlds.planned import form_of, get, plan, post, text_of
from tests.worlds.world import World

pytestmark = pytest.mark.django_db
LABEL = "canary-label-tragopan"
TITLE = "Out of memory on the second card"


def labelled_on_the_forge(*issues: Issue) -> None:
    """Give these issues another text, with a label of their forge."""
    for issue in issues:
        text = Snapshot.objects.create(
            issue=issue, content_hash=f"forge {issue.pk}", title=TITLE, body="It grows.", labels=[LABEL]
        )
        Issue.objects.filter(pk=issue.pk).update(current=text)


def doors(world: World, round_: Round, member: Membership) -> set[str]:
    """The doors at which this member is given the label of the first issue."""
    issue, api, slug = world.issues[0], client_of(member), world.study.slug
    shown = {
        "issue": get(member, "issue", slug, issue.pk),
        "label": get(member, "label", round_.pk, query=f"?issue={issue.pk}"),
        "issues": get(member, "issues", slug),
        "rest": api.get(reverse("api_issue", args=[slug, issue.pk])),
        "list": api.get(reverse("api_issues", args=[slug])),
        "claim": api.post(reverse("api_claim", args=[round_.pk])),
    }
    found = {door for door, answer in shown.items() if LABEL in answer.content.decode()}
    # Nor can a search tell which issues have it.
    searched = get(member, "issues", slug, query=f"?q={LABEL}").content.decode()
    return found | ({"search"} if TITLE in searched else set())


@pytest.mark.world(issues=1, members=2)
def test_no_door_gives_them_to_a_volunteer_before_the_reveal(world):
    labelled_on_the_forge(*world.issues)
    first, second = world.members
    # The volunteer of a plan could read them before the round opens.
    planned = world.round(forge_labels="hidden", opened=False)
    assert doors(world, planned, first) == set()
    round_ = open_without_waiting(planned, world.lead)
    assert doors(world, round_, first) == set()
    assert "labels on GitHub hidden" in text_of(get(first, "label", round_.pk))
    world.submit(round_, world.issues[0], first, "A.1")
    assert doors(world, round_, first) == set()  # the label can still be changed
    assert doors(world, round_, world.lead) == {"issue", "rest"}  # the lead does not label
    world.submit(round_, world.issues[0], second, "A.1")
    assert doors(world, round_, first) == {"issue", "label", "rest"}


@pytest.mark.world(issues=2, members=2)
def test_they_stay_hidden_in_a_round_that_is_revealed_already(world):
    labelled_on_the_forge(*world.issues)
    first, second = world.members
    shown = world.round(members=[first, second], issues=Issue.objects.filter(pk=world.issues[0].pk))
    assert "claim" in doors(world, shown, first)
    for member, code in ((first, "A.1"), (second, "C.1")):
        world.submit(shown, world.issues[0], member, code)
    panel = f"?issue={world.issues[0].pk}"
    assert LABEL in get(first, "disagreements", shown.pk, query=panel).content.decode()
    other = factories.make_version(world.study, ["S", "S.1"])
    world.round(version=other, depth=1, members=[first], forge_labels="hidden", reveal="round_closed")
    page = get(first, "disagreements", shown.pk, query=panel).content.decode()
    assert (TITLE in page, LABEL in page) == (True, False)
    assert LABEL in get(second, "disagreements", shown.pk, query=panel).content.decode()


@pytest.mark.world(issues=1, members=2)
def test_a_model_is_held_like_a_volunteer(world):
    labelled_on_the_forge(*world.issues)
    model = factories.make_member(world.study, Role.MODEL, pseudonym="M1")
    round_ = world.round(forge_labels="hidden")
    issues = reverse("api_round_issues", args=[round_.pk])
    assert client_of(model).get(issues).json()["results"][0]["text"]["labels"] is None
    assert client_of(world.lead).get(issues).json()["results"][0]["text"]["labels"] == [LABEL]


def test_the_plan_says_what_it_does(world):
    page = text_of(get(world.lead, "new_round", world.study.slug))
    assert "Volunteers see what the maintainers chose. This can lead them all to the same label" in page
    assert "Volunteers can then read labels of others while they still label the rest." in page
    assert "Volunteers do not see the labels on GitHub or Gitee until" in page, "hidden unless a lead asks"
    seen = post(
        world.lead, "new_round", world.study.slug, form=form_of(world, forge_labels="shown", preview="1")
    )
    assert "Volunteers see the labels that the issues have on GitHub or Gitee." in text_of(seen)
    warning = "An issue that is revealed does not come again."
    for percent, reveal in (("10", "issue_complete"), ("10", "round_closed"), ("0", "issue_complete")):
        form = form_of(world, drift_percent=percent, reveal=reveal, preview="1")
        said = text_of(post(world.lead, "new_round", world.study.slug, form=form))
        assert (warning in said) == ((percent, reveal) == ("10", "issue_complete"))
    plan(world, forge_labels="hidden")
    made = Round.objects.get()
    assert made.forge_labels == "hidden"
    page = text_of(get(world.members[0], "round", made.pk))
    assert "Labels on GitHub or Gitee hidden until the labels of the round are revealed" in page


@pytest.mark.parametrize("setting", Round.ForgeLabels.values)
@pytest.mark.world(issues=2, members=2)
def test_the_paragraph_and_the_package_say_what_volunteers_saw(world, setting):
    round_ = world.round(forge_labels=setting)
    for issue in world.issues:
        for member in world.members:
            world.submit(round_, issue, member, "A.1")
    said = how_to_report(agreement_report(round_, by=PAGE_BY, reader=Reader(None)))
    assert ("The volunteers could see the labels that" in said) == (setting == "shown")
    assert ("were hidden from the volunteers until the reveal." in said) == (setting == "hidden")
    assert facts(round_, NOTHING)["forge_labels"] == setting
