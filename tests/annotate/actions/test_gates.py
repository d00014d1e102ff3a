"""Opening a round while rounds of earlier stages are open: it waits, or says why it does not."""

import pytest
from django.urls import reverse

from annotate.actions import rounds as actions
from annotate.actions.rounds import begin_opening, close_round, open_round
from annotate.queries.gates import unfinished_before
from core import clock
from core.jobs import run
from rounds.errors import RoundRefused
from rounds.models import Round
from studies.audit import line
from studies.models import Event
from tests.worlds.pages import client, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=2, members=2)]

KINDS = ("screening", "pilot", "training", "main")


def planned_of(world, kind: str, **fields) -> Round:
    if kind == "screening":
        fields |= {"excludes": world.category("A"), "depth": 1}
    return world.round(kind=kind, opened=False, **fields)


def of_kind(world, kind: str, *, opened: bool = True) -> Round:
    made = planned_of(world, kind, name=kind.title())
    if opened:
        Round.objects.filter(pk=made.pk).update(opened_at=clock.now())
    return Round.objects.get(pk=made.pk)


@pytest.mark.parametrize(
    ("kind", "waits_for"),
    [
        ("screening", []),
        ("pilot", ["Screening"]),
        ("training", ["Screening", "Pilot"]),
        ("main", ["Screening", "Pilot", "Training"]),
    ],
)
def test_a_round_waits_for_the_open_rounds_of_earlier_stages(world, kind, waits_for):
    for other in reversed(KINDS):
        of_kind(world, other)
    planned = planned_of(world, kind, name="Planned")
    assert [one.name for one in unfinished_before(planned)] == waits_for


def test_planned_and_closed_rounds_and_other_studies_hold_nothing_up(world):
    of_kind(world, "pilot", opened=False)
    screening = of_kind(world, "screening")
    planned = world.round(name="Planned", opened=False)
    assert unfinished_before(planned) == [screening]
    close_round(round_=screening, by=world.lead)
    assert unfinished_before(planned) == []
    assert open_round(round_=planned, by=world.lead).is_open
    assert "reason" not in Event.objects.get(verb="rounds.opened").detail


def test_a_training_that_lets_volunteers_in_one_by_one_is_not_waited_for(world):
    training = of_kind(world, "training")
    assert unfinished_before(world.round(name="Planned", opened=False, training=training)) == []


@pytest.mark.parametrize("reason", ["", "  "])
def test_without_a_reason_nothing_opens(world, reason):
    of_kind(world, "screening")
    planned = world.round(name="Planned", opened=False)
    for act in (open_round, begin_opening):
        with pytest.raises(
            RoundRefused,
            match=r"Earlier rounds are still open: Screening\. Close them first, or give a reason",
        ):
            act(round_=planned, by=world.lead, reason=reason)
    planned.refresh_from_db()
    assert planned.opened_at is None


def test_the_audit_has_the_reason(world):
    of_kind(world, "screening")
    planned = world.round(name="Planned", opened=False)
    open_round(round_=planned, by=world.lead, reason=" Only two issues are left. ")
    said = line(Event.objects.get(verb="rounds.opened"))
    assert said.sentence == "Opened the round Planned"
    assert dict(said.details) == {
        "slots": "4",
        "without waiting for": "Screening",
        "reason": "Only two issues are left.",
    }


def test_a_large_round_takes_its_reason_along(world, monkeypatch):
    monkeypatch.setattr(actions, "SLOTS_AT_ONCE", 1)
    of_kind(world, "screening")
    planned = world.round(name="Planned", opened=False)
    with pytest.raises(RoundRefused):
        begin_opening(round_=planned, by=world.lead)
    job = begin_opening(round_=planned, by=world.lead, reason="Only two are left.")
    run(job.pk)
    planned.refresh_from_db()
    assert planned.is_open
    assert Event.objects.get(verb="rounds.opened").detail["reason"] == "Only two are left."


def test_the_page_names_what_is_open_and_asks_why(world):
    screening = of_kind(world, "screening")
    planned = world.round(name="Planned", opened=False)
    page = client(world.lead).get(reverse("round", args=[planned.pk]))
    assert (
        "Their results would come too late for this round: Screening screening Why does this round"
        in text_of(page)
    )
    assert f'href="{reverse("round", args=[screening.pk])}"' in page.content.decode()
    answer = client(world.lead).post(reverse("open_round", args=[planned.pk]))
    assert answer.status_code == 409
    assert "Earlier rounds are still open: Screening." in text_of(answer)
    client(world.lead).post(reverse("open_round", args=[planned.pk]), {"reason": "Enough is known."})
    planned.refresh_from_db()
    assert planned.is_open
    close_round(round_=screening, by=world.lead)
    free = world.round(name="Free", opened=False)
    assert "does not wait" not in text_of(client(world.lead).get(reverse("round", args=[free.pk])))
