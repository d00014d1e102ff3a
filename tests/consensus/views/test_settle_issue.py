"""One disagreement: its panel, and the decision of a lead."""

import re

import pytest
from django.urls import reverse

from consensus.actions.decisions import reopen
from consensus.actions.threads import say
from consensus.models import Decision
from ingest.models import Issue
from rounds.models import Round
from studies.models import Role
from tests import factories
from tests.kept import kept
from tests.worlds.parted import FRAGMENT, five_issues, get, give_labels, post, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=5, members=4)]


@kept
def labelled(world) -> Round:
    return five_issues(world)


# --- one issue


def test_the_panel_shows_labels_with_summaries_and_the_text(world, labelled):
    issue = world.issues[2]
    response = get(world.members[1], labelled, f"issue={issue.pk}")
    text = text_of(response)
    for member, code in zip(world.members, ("C.2", "B.1", "C.2", "B.1"), strict=True):
        assert f"{member.pseudonym} {code} Name of {code} “{member.pseudonym} said {code} of {issue}”" in text
    assert f"Body of <strong>{issue.number}</strong>" in response.content.decode()
    assert f"<title> {issue} · Disagreements" in " ".join(response.content.decode().split())
    assert len(re.findall("<h1", response.content.decode())) == 1
    # Two against two comes first: after it the others, in the order of the round.
    assert f"issue={world.issues[0].pk}" in re.search(r'<a [^>]*id="next"', response.content.decode())[0]


def test_the_panel_of_the_last_issue_has_no_next(world, labelled):
    assert 'id="next"' not in get(world.lead, labelled, f"issue={world.issues[3].pk}").content.decode()


def test_the_text_of_an_issue_is_inert(world, labelled):
    repository = world.repository
    issue = factories.make_issue(
        repository, title="<script>alert(1)</script>", body='<img src=x onerror="alert(1)">'
    )
    round_ = world.round(issues=Issue.objects.filter(pk=issue.pk))
    for member, code in zip(world.members, ("C.2", "C.2", "C.9", "C.2"), strict=True):
        world.submit(round_, issue, member, code, summary="<svg onload=alert(1)>")
    body = get(world.lead, round_, f"issue={issue.pk}").content.decode()
    assert "<script>alert" not in body
    assert "<svg onload" not in body
    assert "<img" not in body


@pytest.mark.parametrize("place", [1, 4])
def test_what_is_unanimous_or_incomplete_has_no_panel(world, labelled, place):
    issue = world.issues[place]
    assert get(world.lead, labelled, f"issue={issue.pk}").status_code == 404
    assert post(world.lead, labelled, issue, choice=world.category("C.10").pk).status_code == 404
    assert not Decision.objects.filter(method="lead").exists()


def test_another_rounds_issue_has_no_panel(world, labelled):
    other = world.round(issues=Issue.objects.filter(pk=world.issues[4].pk))
    assert get(world.lead, other, f"issue={world.issues[0].pk}").status_code == 404


# --- settling


def test_settling_stores_the_decision_and_goes_on_with_the_next_open_issue(world, labelled):
    answer = post(
        world.lead, labelled, world.issues[0], "pair=C.2+C.9&state=open", choice=world.category("C.9").pk
    )
    page = reverse("disagreements", args=[labelled.pk])
    assert (answer.status_code, answer["Location"]) == (
        302,
        f"{page}?pair=C.2+C.9&state=open&issue={world.issues[3].pk}",
    )
    decision = Decision.objects.get(round=labelled, issue=world.issues[0])
    assert (decision.category, decision.method, decision.rationale, decision.decided_by, decision.number) == (
        world.category("C.9"),
        "lead",
        "It fails to import.",
        world.lead,
        1,
    )


def test_behind_the_last_issue_comes_the_first_open_one_and_behind_that_the_list(world, labelled):
    world.settle(labelled, world.issues[0], "C.2")
    answer = post(world.lead, labelled, world.issues[3], choice=world.category("C.9").pk)
    assert answer["Location"].endswith(f"?issue={world.issues[2].pk}")
    answer = post(world.lead, labelled, world.issues[2], "state=open", choice=world.category("C.2").pk)
    assert answer["Location"].endswith("/disagreements/?state=open")


def test_htmx_gets_the_next_issue_in_the_same_answer(world, labelled):
    answer = post(world.lead, labelled, world.issues[0], headers=FRAGMENT, choice=world.category("C.9").pk)
    page = reverse("disagreements", args=[labelled.pk])
    assert (answer.status_code, answer["HX-Push-Url"]) == (200, f"{page}?issue={world.issues[3].pk}")
    body = answer.content.decode()
    assert f'action="{page}{world.issues[3].pk}/settle/"' in body
    assert f"{world.issues[0]} is decided: C.9." in body
    assert "<html" not in body


def test_any_category_deep_enough_can_be_chosen(world, labelled):
    page = get(world.lead, labelled, f"issue={world.issues[0].pk}").content.decode()
    offered = re.findall(r'<option value="(\d+)">\s*([^<]*?)\s*</option>', page)
    assert [
        name.split()[0] for _id, name in offered
    ] == "A.1 A.1.i A.1.ii A.2 B.1 B.2 C.1 C.1.i C.2 C.3 C.9 C.10".split()
    chosen = {"choice": "other", "other": world.category("C.10").pk}
    assert post(world.lead, labelled, world.issues[0], **chosen).status_code == 302
    assert Decision.objects.get(issue=world.issues[0]).category == world.category("C.10")


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({}, "Choose the category of this issue."),
        ({"choice": "other"}, "Choose the category of this issue."),
        ({"choice": "C.2", "other": "C.10"}, "Two categories are chosen. Keep one of them."),
        ({"choice": "C.10"}, "Select a valid choice. "),
        ({"choice": "other", "other": "C"}, "Select a valid choice. "),
        ({"choice": "C.2", "rationale": "  "}, "Give the reason for this decision in one sentence."),
        ({"choice": "C.2", "seen_number": ""}, "This field is required."),
    ],
)
@pytest.mark.parametrize("headers", [{}, FRAGMENT])
@pytest.mark.slow(cases=5)
def test_an_invalid_decision_stays_in_the_form(world, labelled, form, said, headers):
    codes = {"C", "C.2", "C.10"}
    form = {name: world.category(value).pk if value in codes else value for name, value in form.items()}
    answer = post(world.lead, labelled, world.issues[0], headers=headers, **form)
    assert answer.status_code == 422
    assert said in text_of(answer)
    if form.get("rationale") != "  ":
        assert "It fails to import.</textarea>" in answer.content.decode()
    assert not Decision.objects.filter(method="lead").exists()


@pytest.mark.parametrize("headers", [{}, FRAGMENT])
def test_a_stale_decision_shows_both_sides_and_keeps_the_rationale(world, labelled, headers):
    other = factories.make_member(world.study, Role.OWNER, pseudonym="Owner")
    world.settle(labelled, world.issues[0], "C.2")
    answer = post(other, labelled, world.issues[0], headers=headers, choice=world.category("C.9").pk)
    body = answer.content.decode()
    assert answer.status_code == 409
    assert "Somebody else decided this issue while you typed." in text_of(answer)
    assert "Decided C.2 lead by Lead," in text_of(answer)
    assert "Said by the lead." in body
    assert "It fails to import.</textarea>" in body
    assert re.search(rf'<input[^>]*value="{world.category("C.9").pk}"[^>]*checked', body)
    assert Decision.objects.filter(method="lead").count() == 1
    # The form has seen that decision now, so it can be sent again.
    (seen,) = re.findall(r'name="seen_number"\s+value="(\d+)"', body)
    again = post(other, labelled, world.issues[0], choice=world.category("C.9").pk, seen_number=seen)
    assert again.status_code == 302
    standing = Decision.objects.get(issue=world.issues[0], superseded_at=None)
    assert (standing.category, standing.number, standing.decided_by) == (world.category("C.9"), 2, other)


# --- the chain


def test_the_panel_shows_every_decision_and_why_it_was_superseded(world, labelled):
    issue = world.issues[0]
    world.settle(labelled, issue, "C.2")
    reopen(round_=labelled, issue=issue, by=world.lead, why="New facts.", seen_number=1)
    text = text_of(get(world.members[0], labelled, f"issue={issue.pk}"))
    assert (
        "1 earlier decision C.2 lead by Lead, just now “Said by the lead.” reopened by Lead, just now “New facts.”"
        in text
    )
    world.settle(labelled, issue, "C.9", rationale="It crashes.", cause="overlap")
    text = text_of(get(world.members[0], labelled, f"issue={issue.pk}"))
    assert "Decided C.9 lead overlapping categories by Lead, just now It crashes." in text
    assert "1 earlier decision C.2 lead" in text
    assert "Reopen" not in text
    assert (
        reverse("reopen_issue", args=[labelled.pk, issue.pk])
        in get(world.lead, labelled, f"issue={issue.pk}").content.decode()
    )


def test_where_a_meeting_decides_the_lead_is_led_to_an_agenda(world):
    round_ = world.round(rule=Round.Rule.MEETING)
    give_labels(world, round_, "C.2 C.2 C.9 C.2")
    page = get(world.lead, round_, f"issue={world.issues[0].pk}")
    assert 'id="decide"' not in page.content.decode()
    assert "Open. A meeting decides." in text_of(page)
    assert "Put on agenda of new meeting" in text_of(page)
    refused = post(world.lead, round_, world.issues[0], choice=world.category("C.2").pk)
    assert refused.status_code == 409
    assert not Decision.objects.exists()


def test_the_thread_is_part_of_the_panel(world, labelled):
    issue = world.issues[0]
    say(round_=labelled, issue=issue, author=world.members[1], text="The log says otherwise.")
    text = text_of(get(world.members[0], labelled, f"issue={issue.pk}"))
    assert "Discussion 1 comment" in text
    assert "The log says otherwise." in text
