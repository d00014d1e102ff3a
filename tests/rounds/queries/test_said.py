"""Whoever counts labels, counts what they say in the version that their round goes on with."""

import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.models import Repeat
from annotate.queries.pilot import outcome, proposal_names
from annotate.queries.repeats import counted, repeats_to_come
from consensus.queries.screening import screening_counts
from reports.agreement_report import agreement_report
from reports.exports import labels_csv, labels_twice_csv
from reports.queries import screened
from rounds.models import Label, Round
from rounds.queries.blindness import NOTHING
from taxonomy.queries.codebooks import codebook
from taxonomy.tree.drafts import MERGE, MOVE, RETIRE, SPLIT
from tests.annotate.actions.test_version_upgrade import change, publication
from tests.worlds.pages import client, label_all

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=3, members=3)]


def published(world, round_, kind, code, **values):
    change(world, kind, code, **values)
    world.version = publication(world)
    round_.refresh_from_db()


def rows(chunks):
    return list(csv.DictReader(io.StringIO(b"".join(chunks).decode())))


def test_a_pilot_counts_what_was_merged_as_what_it_became(world):
    round_ = world.round(kind=Round.Kind.PILOT)
    label_all(world, round_, "C.1 C.2 C.2", "C.9 C.9 C.3")
    published(world, round_, MERGE, "C.2", into="C.1")
    found = outcome(round_, codebook(round_.version_id))
    assert found.labels == 6
    assert {one.state.code: (one.labels, one.issues) for one in found.used} == {
        "C.1": (3, 1),
        "C.3": (1, 1),
        "C.9": (2, 1),
    }


def test_a_pilot_counts_no_proposal_that_a_second_look_answered(world):
    round_ = world.round(kind=Round.Kind.PILOT)
    label_all(world, round_, "?Docs C.1 C.1")
    book = codebook(round_.version_id)
    assert [(one.name, one.labels) for one in outcome(round_, book).proposed] == [("Docs", 1)]
    assert [name for _id, name in proposal_names(round_)] == ["Docs"]
    published(world, round_, RETIRE, "C.9")
    assert [(one.name, one.labels) for one in outcome(round_, codebook(round_.version_id)).proposed] == [
        ("Docs", 1)
    ], "nothing answered it"


def test_the_long_file_says_the_first_labels_and_the_wide_one_what_counts_now(world):
    round_ = world.round()
    label_all(world, round_, "B.1 C.9 C.9", "C.1 C.2 C.2")
    published(world, round_, SPLIT, "C.9", parts=[{"name": "Ten"}], stays=True)
    published(world, round_, MERGE, "C.2", into="C.1")
    close_round(round_=Round.objects.get(of=round_), by=world.lead)
    round_.refresh_from_db()
    wide = rows(labels_csv(round_))
    assert [[row[f"Label{n}"] for n in (1, 2, 3)] for row in wide[:2]] == [["B.1", "", ""], ["C.1"] * 3]
    long = rows(labels_csv(round_, layout="long"))
    assert [row["Label"] for row in long] == ["B.1", "C.9@v1", "C.9@v1", "C.1", "C.1", "C.1"]


def test_a_surplus_label_says_what_its_category_became(world):
    round_ = world.round()
    label_all(world, round_, "C.1 C.1 C.1")
    for member, code in zip(world.members, ("C.2", "C.9", "C.3"), strict=True):
        Label.objects.create(
            round=round_, issue=world.issues[1], volunteer=member, surplus=True, category=world.category(code),
            version=world.version, submitted_at=timezone.now(),
        )  # fmt: skip
    published(world, round_, MERGE, "C.2", into="C.1")
    published(world, round_, RETIRE, "C.9")
    close_round(round_=round_, by=world.lead)
    round_.refresh_from_db()
    surplus = [row["Label"] for row in rows(labels_csv(round_, layout="long")) if row["Surplus"]]
    assert surplus == ["C.1", "", "C.3"]


def again(world, round_, place, member, code):
    """The member labels an issue a second time, for the drift check."""
    Repeat.objects.update_or_create(
        round=round_, issue=world.issues[place], volunteer=member,
        defaults={
            "due_at": timezone.now(), "submitted_at": timezone.now(), "category": world.category(code),
            "version": world.version,
        },
    )  # fmt: skip


def test_what_was_merged_is_no_change_of_mind_in_the_drift_check(world):
    round_ = world.round(drift_percent=50)
    label_all(world, round_, "C.2 C.2 C.2", "C.9 C.9 C.9", "C.1 C.1 C.1")
    Repeat.objects.all().delete()
    member = world.members[0]
    again(world, round_, 0, member, "C.1")
    again(world, round_, 1, member, "C.3")
    again(world, round_, 2, member, "C.2")
    published(world, round_, MERGE, "C.2", into="C.1")
    published(world, round_, RETIRE, "C.9")
    close_round(round_=Round.objects.get(of=round_), by=world.lead)
    close_round(round_=round_, by=world.lead)
    round_.refresh_from_db()
    said = [(row["First_Label"], row["Second_Label"]) for row in rows(labels_twice_csv(round_))]
    assert said == [("C.1", "C.1"), ("C.9@v2", "C.3"), ("C.1", "C.1")]
    found = agreement_report(round_).intra
    assert found.pooled.issues == 3, "a category that was retired since was still one that was given"
    assert found.pooled.percent_agreement.value == pytest.approx(2 / 3)
    assert found.left_out == {}


def test_an_issue_that_is_looked_at_again_does_not_come_again_meanwhile(world, monkeypatch):
    round_ = world.round(drift_percent=50)
    member = world.members[0]
    monkeypatch.setattr("annotate.queries.repeats.YOUNGEST", timedelta(0))
    Repeat.objects.create(round=round_, issue=world.issues[0], volunteer=member, due_at=timezone.now())
    world.submit(round_, world.issues[0], member, "C.9")
    assert repeats_to_come(round_, member).exists(), "nobody else has seen it"
    for other in world.members[1:]:
        world.submit(round_, world.issues[0], other, "C.9")
    assert not repeats_to_come(round_, member).exists()
    lost = counted(round_, member, since=timezone.now()).lost
    published(world, round_, RETIRE, "C.9")
    assert not repeats_to_come(round_, member).exists(), "its label stays as it is"
    assert counted(round_, member, since=timezone.now()).lost == lost == 1


def test_a_screening_is_counted_anew_in_another_version(world):
    round_ = world.round(kind=Round.Kind.SCREENING, depth=2, excludes=world.category("C"))
    label_all(world, round_, "A.1 A.1 A.2", "B.1 B.1 B.1", "A.2 A.2 A.2")
    before = screening_counts(round_).whole
    agreed = screened.screening_agreement(round_, NOTHING).coefficients["percent_agreement"].value
    assert (before.excluded, before.included, agreed) == (0, 2, 1)
    published(world, round_, MOVE, "A.2", parent="C")
    after = screening_counts(round_).whole
    assert (after.excluded, after.included) == (1, 1)
    agreed = screened.screening_agreement(round_, NOTHING).coefficients["percent_agreement"].value
    assert agreed == pytest.approx((1 / 3 + 1 + 1) / 3)


def test_own_labels_over_rest_have_the_code_that_the_page_shows(world):
    round_ = world.round()
    label_all(world, round_, "C.2 C.1 C.1", "C.9 C.1 C.1")
    world.submit(round_, world.issues[2], world.members[0], "?Docs")
    published(world, round_, MERGE, "C.2", into="C.1")
    published(world, round_, RETIRE, "C.9")
    answer = client(world.members[0]).get(reverse("api_labels", args=[round_.pk]))
    assert [one["category"] for one in answer.json()["results"]] == ["", "C.9", "C.1"]
