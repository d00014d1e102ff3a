"""The thread of a proposal: said by members, read by all, kept for ever; whom it names, and where they hear it."""

import re

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse
from django.utils import timezone

from studies.models import Role
from taxonomy import errors
from taxonomy.actions import cast, comment
from taxonomy.models import MotionComment, MotionMention
from taxonomy.queries.motion_threads import unseen_on_motions
from tests.factories import make_member, make_study
from tests.taxonomy.test_proposal_views import as_, page, put, text_of

pytestmark = pytest.mark.django_db


def named() -> list[str]:
    return sorted(MotionMention.objects.filter(seen_at=None).values_list("member__pseudonym", flat=True))


def test_a_comment_is_read_at_once_and_tells_whom_it_names(client, taxonomy, people) -> None:
    motion = put(taxonomy, people[0])
    one, two = (member.pseudonym for member in people[:2])
    door = reverse("comment_on_proposal", args=[taxonomy.pk, motion.number])

    answer = as_(client, people[0]).post(door, {"text": f"@{two}, @{one}: is <b>C.1</b> used?\r\nBy whom?"})

    assert (answer.status_code, answer.url) == (302, f"{page(taxonomy)}#p1")
    assert MotionComment.objects.get().text == f"@{two}, @{one}: is <b>C.1</b> used?\nBy whom?"
    assert named() == [two]  # not oneself
    shown = as_(client, people[1]).get(page(taxonomy)).text
    assert "is &lt;b&gt;C.1&lt;/b&gt; used?" in shown
    assert "mentions you" in shown
    assert "1 comment mentions you." in shown
    assert "comment mentions you" in text_of(client.get("/"))
    assert len(unseen_on_motions(people[1].user)) == 1

    assert client.post(reverse("see_proposal_comments", args=[taxonomy.pk])).status_code == 302
    assert named() == []
    assert "mentions you" not in client.get(page(taxonomy)).text
    assert "comment mentions you" not in text_of(client.get("/"))


def test_it_goes_on_after_the_vote(client, taxonomy, people) -> None:
    motion = put(taxonomy, people[0])
    for member in people:
        motion = cast(motion=motion, member=member, choice="for")
    comment(motion=motion, by=people[2], text="So be it.")
    assert "So be it." in text_of(as_(client, people[1]).get(page(taxonomy)))


def test_who_reads_only_says_nothing(client, taxonomy, people) -> None:
    motion = put(taxonomy, people[0])
    comment(motion=motion, by=people[0], text="Read this.")
    viewer = make_member(taxonomy.study, Role.VIEWER)
    door = reverse("comment_on_proposal", args=[taxonomy.pk, motion.number])
    shown = as_(client, viewer).get(page(taxonomy)).text
    assert "Read this." in shown
    assert 'name="text"' not in shown
    assert client.post(door, {"text": "No."}).status_code == 403
    gone = make_member(taxonomy.study, left_at=timezone.now())
    for by in (viewer, gone, make_member(make_study())):
        with pytest.raises(errors.NotSaid):
            comment(motion=motion, by=by, text="No.")


@pytest.mark.parametrize("text", ["", " \n ", "x" * 2001])
def test_what_is_refused_keeps_what_was_typed(client, taxonomy, people, text) -> None:
    motion = put(taxonomy, people[0])
    door = reverse("comment_on_proposal", args=[taxonomy.pk, motion.number])
    answer = as_(client, people[1]).post(door, {"text": text})
    assert answer.status_code == 422
    assert "Write a comment of 1 to 2,000 characters." in text_of(answer)
    assert text.strip() in answer.text
    assert not MotionComment.objects.exists()


def test_a_second_click_says_it_once(client, taxonomy, people) -> None:
    motion = put(taxonomy, people[0])
    as_(client, people[1])
    key = re.search(r'name="form_key" value="([^"]+)"', client.get(page(taxonomy)).text)[1]
    door = reverse("comment_on_proposal", args=[taxonomy.pk, motion.number])
    for _ in range(2):
        assert client.post(door, {"text": "Once.", "form_key": key}).status_code == 302
    assert MotionComment.objects.count() == 1


def test_what_was_said_stays(taxonomy, people) -> None:
    said = comment(motion=put(taxonomy, people[0]), by=people[1], text="As it was.")
    for write in (lambda: MotionComment.objects.update(text="x"), said.delete):
        with pytest.raises(DatabaseError), transaction.atomic():
            write()


def test_over_rest(client, taxonomy, people) -> None:
    motion = put(taxonomy, people[0])
    door = reverse("api_proposal_comments", args=[taxonomy.pk, motion.number])
    as_(client, people[1])
    answer = client.post(door, {"text": "Over REST."}, content_type="application/json")
    assert answer.status_code == 201
    (said,) = answer.json()["comments"]
    assert (said["author"], said["text"]) == (people[1].pseudonym, "Over REST.")
    assert client.post(door, {"text": ""}, content_type="application/json").status_code == 400
