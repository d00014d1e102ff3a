"""What contradicts itself in a study: each kind where it is, and where it is not."""

import pgtrigger
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.actions.rounds import close_round
from ingest.models import Issue, SimilarMark, SimilarPair, Snapshot
from replication.queries.integrity import integrity
from replication.views.integrity import WORDS
from studies.actions import publish_guideline
from taxonomy.models import CategoryState
from tests.factories import make_issues
from tests.worlds.pages import client

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4, members=2)]


def counts(world, member=None) -> dict[str, int]:
    """How many of each kind the lead, or another member, is told; without those that are none."""
    found = integrity(world.study, member or world.lead)
    assert [one.key for one in found] == list(WORDS)
    return {one.key: one.count for one in found if one.count}


def define(*codes: str, text: str = "What belongs here.") -> None:
    """Change the definitions of these categories, or of all, in a version that nobody may change."""
    found = CategoryState.objects.filter(code__in=codes) if codes else CategoryState.objects.all()
    with pgtrigger.ignore("taxonomy.CategoryState:published_states_stay"):
        found.update(definition=text)


def examples(world, key):
    return next(one.examples for one in integrity(world.study, world.lead) if one.key == key)


@pytest.fixture
def labelled(world):
    """A closed round: two issues unanimous, one decided by a lead, one with a single label."""
    define()
    round_ = world.round(name="Main")
    for issue, codes in zip(
        world.issues, [("C.2", "C.2"), ("A.1", "A.1"), ("C.2", "C.9"), ("B.1",)], strict=True
    ):
        for member, code in zip(world.members, codes, strict=False):
            world.submit(round_, issue, member, code, summary="hangs")
    world.settle(round_, world.issues[2], "C.9", rationale="It is of the schedule.")
    close_round(round_=round_, by=world.lead)
    return round_


def test_a_study_without_faults_has_only_its_undecided_issue(world, labelled):
    assert counts(world) == {"undecided": 1}
    [example] = examples(world, "undecided")
    assert example.text == f"{world.repository.path} {world.issues[3]} · Main"
    assert example.url == reverse("issue", args=[world.study.slug, world.issues[3].pk])


def test_issues(world, labelled):
    first, second, third, fourth = world.issues
    Issue.objects.filter(pk=first.pk).update(fate=Issue.Fate.TRANSFERRED, is_pull_request=True)
    Issue.objects.filter(pk=second.pk).update(fate=Issue.Fate.GONE)
    Issue.objects.filter(pk=third.pk).update(current=None)
    outside = make_issues(world.repository, 2, is_pull_request=True)
    for one, other in ((first, second), (third, fourth), (outside[0], outside[1])):
        SimilarPair.objects.create(study=world.study, first=one, second=other, likeness=0.9, is_across=False)
    found = counts(world)
    # A pull request that is in no round does no harm. Of three pairs nobody has judged any.
    assert {key: found[key] for key in ("moved", "gone", "pull_requests", "without_text", "unjudged")} == {
        "moved": 1, "gone": 1, "pull_requests": 1, "without_text": 1, "unjudged": 3,
    }  # fmt: skip
    for one, other, kind in ((first, second, "duplicate"), (third, fourth, "related")):
        SimilarMark.objects.create(study=world.study, first=one, second=other, kind=kind)
    found = counts(world)
    assert (found["unjudged"], found["duplicates"]) == (1, 2)


def test_the_codebook(world, labelled):
    define("C.9", text="")
    assert [one.text for one in examples(world, "undefined")] == ["C.9 Name of C.9"]
    text = (
        "C.9 goes before C.99, and A. is a type. C.1.i is a sub-theme, X.3.iv is none; see v1.2 and B.1.x.y"
    )
    publish_guideline(study=world.study, text=text, by=world.lead.user)
    assert [one.text for one in examples(world, "unknown_codes")] == ["C.99", "X.3.iv"]


def test_labels(world):
    define()
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "?Farm")
    world.submit(round_, world.issues[1], world.members[0], "C.2")
    issue = world.issues[1]
    later = Snapshot.objects.create(issue=issue, content_hash="later", title="Another text")
    Issue.objects.filter(pk=issue.pk).update(current=later)
    assert counts(world) == {}  # the round is open
    close_round(round_=round_, by=world.lead)
    assert counts(world) == {"undecided": 4, "open": 1, "other_text": 1}


def test_names_of_people(world, labelled):
    user = world.members[0].user
    user.name = "Ada Lovelace"
    user.save()
    assert "names" not in counts(world)
    world.settle(labelled, world.issues[2], "C.9", rationale="ada lovelace said so", seen=1)
    assert counts(world)["names"] == 1
    assert examples(world, "names")[0].text.startswith(f"{world.repository.path} {world.issues[2]}")
    user.name = world.members[0].pseudonym  # whoever is called like their pseudonym is not told apart
    user.save()
    assert "names" not in counts(world)


def test_what_the_lead_has_to_label_elsewhere_is_left_out(world, labelled):
    assert counts(world)["undecided"] == 1
    world.waits_for(world.lead, world.issues[3])
    assert "undecided" not in counts(world)


@pytest.mark.parametrize("more", [0, 3])
def test_queries_do_not_grow(world, labelled, more):
    make_issues(world.repository, more)
    Issue.objects.update(fate=Issue.Fate.GONE)
    page = client(world.lead)
    page.get(reverse("integrity", args=[world.study.slug]))
    with CaptureQueriesContext(connection) as asked:
        shown = page.get(reverse("integrity", args=[world.study.slug]))
    assert shown.status_code == 200
    assert "Issues that are no longer on their forge" in shown.text
    assert len(asked) == 45


def test_a_volunteer_does_not_see_it(world, labelled):
    assert client(world.members[0]).get(reverse("integrity", args=[world.study.slug])).status_code == 403
