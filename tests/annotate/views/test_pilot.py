"""What a lead reads of a pilot, and the taxonomy and the training that they make from it."""

import html
import re

import pytest
from django.urls import reverse

from annotate.actions.rounds import close_round
from annotate.queries.pilot import candidates, issue_ids, outcome
from ingest.models import Issue
from rounds.models import Answer, Round
from rounds.queries.blindness import withheld_issues
from studies.models import Role
from taxonomy.actions import publish
from taxonomy.models import Taxonomy
from taxonomy.queries.codebooks import codebook
from taxonomy.tree import read_csv
from tests import factories
from tests.kept import kept
from tests.worlds.pages import client as signed_in
from tests.worlds.pages import queries_of
from tests.worlds.planned import get, post, text_of
from tests.worlds.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=8, members=2)]


@kept
def pilot(world) -> Round:
    """A pilot of the lead's. 1, 2: C.1; 3: C.1, unsure; 4: A.2 without a summary; 5, 6: missing; 7, 8: to come."""
    round_ = world.round(name="Pilot", kind="pilot", members=[world.lead])
    said(world, round_, 1, "C.1", "it crashes; at once")
    said(world, round_, 2, "C.1", "it crashes later")
    said(world, round_, 3, "C.1", "or does it", unsure=True)
    said(world, round_, 4, "A.2", "")
    misses(world, round_, 5, "Deadlock", "C.9")
    misses(world, round_, 6, "deadlock", "C.9")
    return round_


def said(world: World, round_, number: int, code: str, summary: str, member=None, **fields) -> None:
    world.submit(round_, world.issues[number - 1], member or world.lead, code, summary=summary, **fields)


def misses(world: World, round_, number: int, name: str, nearest: str) -> None:
    said(
        world, round_, number, nearest, f"stuck {number}", proposed_name=name, proposed_reason=f"Nobody goes on: {number}"
    )  # fmt: skip


def told(world: World, round_) -> tuple:
    found = outcome(round_, codebook(round_.version_id))
    used = [(one.state.code, one.labels, one.issues, one.unsure) for one in found.used]
    missing = [
        (one.name, one.nearest and one.nearest.code, one.labels, len(one.reasons)) for one in found.proposed
    ]
    return used, missing


# --- what it says


def test_categories_in_use_and_found_missing(world, pilot):
    assert told(world, pilot) == ([("A.2", 1, 1, 0), ("C.1", 3, 3, 1)], [("Deadlock", "C.9", 2, 2)])


def test_two_people_who_miss_the_same_are_told_as_one(world):
    round_ = world.round(name="Pilot", kind="pilot", members=[world.lead, world.members[0]])
    for member, name in ((world.lead, "Deadlock"), (world.members[0], " DEADLOCK")):
        said(world, round_, 1, "C.9", "", member, proposed_name=name, proposed_reason=f"says {member}")
    assert told(world, round_) == ([], [("Deadlock", "C.9", 2, 2)])


def test_what_a_hidden_label_says_of_a_proposal_does_not_show(world):
    """A proposal is shared by all labels that want it."""
    other = world.members[0]
    round_ = world.round(name="Pilot", kind="pilot", members=[other, world.members[1]])
    for member in (other, world.members[1]):
        said(world, round_, 1, "C.9", "", member, proposed_name="Deadlock", proposed_reason="stuck")
    blind = get(world.lead, "pilot", round_.pk)
    said(world, round_, 2, "A.1", "", other, proposed_name="Deadlock", proposed_reason="canary")
    after = get(world.lead, "pilot", round_.pk)
    assert text_of(after) == text_of(blind)
    assert "stuck" in text_of(after).split()
    close_round(round_=round_, by=world.lead)
    assert {"stuck", "canary"} <= set(text_of(get(world.lead, "pilot", round_.pk)).split())


def test_clear_issues_come_first_and_what_is_open_last(world, pilot):
    found = candidates(pilot, codebook(pilot.version_id), each=5)
    numbers = {issue.pk: number for number, issue in enumerate(world.issues, start=1)}
    assert [
        (numbers[one.issue.pk], one.right and one.right.code, one.summary, one.is_clear) for one in found
    ] == [
        (4, "A.2", "", True),
        (1, "C.1", "it crashes; at once", True),
        (2, "C.1", "it crashes later", True),
        (3, "C.1", "or does it", False),
        (5, None, "stuck 5", True),
        (6, None, "stuck 6", True),
    ]
    assert len(candidates(pilot, codebook(pilot.version_id), each=1)) == 3


def test_only_revealed_issues_are_named(world, pilot):
    seen, hidden = world.issues[0], world.issues[6]
    assert issue_ids(pilot, [seen.url, f"#{seen.number}", hidden.url, hidden.number, "nothing"]) == {
        seen.url: seen.pk, f"#{seen.number}": seen.pk, hidden.url: None, hidden.number: None, "nothing": None,
    }  # fmt: skip
    assert candidates(pilot, codebook(pilot.version_id), more=[hidden.pk]) == []


def test_the_page_says_it_in_words(world, pilot):
    page = text_of(get(world.lead, "pilot", pilot.pk)).replace("\xa0", " ")
    assert "6 of 8 issues are revealed, with 6 labels." in page
    assert "C.1 Name of C.1 1 unsure 50 % of 6 3" in page
    assert "it crashes; at once" in page
    assert "Deadlock nearest C.9 2 Nobody goes on: 5 Nobody goes on: 6" in page


def test_it_says_what_the_draft_leaves_out_and_where_the_labels_differ(world, pilot):
    page = get(world.lead, "pilot", pilot.pk)
    assert (
        "The draft keeps 4 categories: those that labels of this pilot chose, and the categories above these "
        "and above missing categories." in text_of(page)
    )
    assert "The draft adds 1 missing category that a label of this pilot proposed." in text_of(page)
    left = len(factories.taxonomy.CODES) - 4
    assert f"The draft leaves out {left} categories that no label of these 6 issues chose." in text_of(page)
    assert '<button class="btn" type="submit" name="draft"' in page.content.decode(), "not the loudest button"
    assert "differ-h" not in page.content.decode(), "one volunteer labelled"
    two = Issue.objects.filter(pk__in=[issue.pk for issue in world.issues[:2]])
    both = world.round(name="Pilot of two", kind="pilot", issues=two)
    for issue, codes in zip(world.issues, (("C.1", "C.2"), ("A.1", "A.1")), strict=False):
        for member, code in zip(world.members, codes, strict=True):
            world.submit(both, issue, member, code)
    page = get(world.lead, "pilot", both.pk)
    assert "1 of 2 revealed issues has different labels. 1 disagreement has no decision yet." in text_of(page)
    assert "Show disagreements Show agreement" in text_of(page)
    lonely = world.round(name="Lonely", kind="pilot", members=[world.lead])
    misses(world, lonely, 1, "Deadlock", "C.9")
    assert (
        "The draft keeps 1 category: labels of this pilot chose it, or a missing category belongs to it. "
        "The draft adds 1 missing category that" in text_of(get(world.lead, "pilot", lonely.pk))
    )


def test_a_draft_that_keeps_nothing_says_only_what_it_adds(world):
    empty = world.round(name="Empty", kind="pilot", members=[world.lead])
    world.submit(empty, world.issues[0], world.lead, "?Deadlock")
    page = text_of(get(world.lead, "pilot", empty.pk))
    assert "The draft adds 1 missing category that a label of this pilot proposed." in page
    assert "The draft keeps" not in page
    assert "nearest category" not in page


def test_before_reveal_nothing_is_counted_or_named(world):
    round_ = world.round(name="Pilot", kind="pilot", members=[world.lead, world.members[0]])
    blank = get(world.lead, "pilot", round_.pk)
    said(world, round_, 1, "C.1", "canary one", member=world.members[0])
    misses_by = world.members[0]
    world.submit(
        round_, world.issues[1], misses_by, "C.9", summary="canary two", proposed_name="Canary",
        proposed_reason="canary three",
    )  # fmt: skip
    after = get(world.lead, "pilot", round_.pk)
    assert text_of(after) == text_of(blank)
    assert "No issue of this pilot is complete yet." in text_of(after)
    assert text_of(get(world.lead, "pilot_training", round_.pk)).count("anary") == 0
    said(world, round_, 1, "C.2", "mine")
    assert told(world, round_) == ([("C.1", 1, 1, 0), ("C.2", 1, 1, 0)], [])


def test_labels_revealed_at_the_end_are_not_told_before(world):
    round_ = world.round(name="Pilot", kind="pilot", members=[world.lead], reveal="round_closed")
    said(world, round_, 1, "C.1", "canary")
    page = text_of(get(world.lead, "pilot", round_.pk))
    assert "The labels of this pilot appear here when the round is closed." in page
    assert "canary" not in page
    assert (
        post(world.lead, "pilot_training", round_.pk, form={"more": world.issues[0].url}).status_code == 422
    )
    close_round(round_=round_, by=world.lead)
    assert "canary" in text_of(get(world.lead, "pilot", round_.pk))


def test_only_of_a_pilot(world, pilot):
    main = world.round(name="Main", opened=False)
    assert get(world.lead, "pilot", main.pk).status_code == 404


@pytest.mark.parametrize("name", ["pilot", "pilot_training"])
def test_pages_take_a_fixed_number_of_queries(world, name):
    """With one label, and with three and two proposals."""
    round_ = world.round(name="Pilot", kind="pilot", members=[world.lead])
    said(world, round_, 1, "C.1", "a")
    misses(world, round_, 2, "Deadlock", "C.9")
    lead, address = signed_in(world.lead), reverse(name, args=[round_.pk])
    one = queries_of(lead, address)
    said(world, round_, 3, "C.1", "b")
    said(world, round_, 4, "A.2", "c")
    misses(world, round_, 5, "Livelock", "A.1")
    assert queries_of(lead, address) == one


# --- a taxonomy


def draft_of(page) -> str:
    return html.unescape(
        re.search(r'<textarea name="text"[^>]*>\n?(.*?)</textarea>', page.content.decode(), re.DOTALL)[1]
    )


def test_the_draft_is_edited_before_it_is_published(world, pilot):
    text = draft_of(get(world.lead, "pilot", pilot.pk))
    tree = read_csv(text)
    assert [node.code for node in tree] == ["A", "A.2", "C", "C.1", "C.11"]
    assert (tree["C.11"].name, tree["C.11"].definition, tree["C.11"].examples) == (
        "Deadlock", "Nobody goes on: 5 Nobody goes on: 6", "stuck 5; stuck 6",
    )  # fmt: skip
    assert tree["C.1"].examples == "it crashes, at once; it crashes later; or does it"
    assert tree["A.2"].examples == world.issues[3].current.title

    form = {"prefill": "1", "name": "After the pilot", "text": text}
    page = post(world.lead, "new_taxonomy", world.study.slug, form=form)
    assert page.status_code == 200
    assert "The text has no mistakes: 2 types, 3 themes" in text_of(page)
    assert Taxonomy.objects.filter(study=world.study).count() == 1
    edited = text.replace("Deadlock", "Standstill")
    form = {"source": "text", "name": "After the pilot", "text": edited}
    assert post(world.lead, "new_taxonomy", world.study.slug, form=form).status_code == 302
    made = Taxonomy.objects.get(name="After the pilot").versions.get()
    assert [state.code for state in made.states.all()] == ["A", "A.2", "C", "C.1", "C.11"]
    assert made.states.get(code="C.11").name == "Standstill"


def test_the_draft_opens_in_the_editor_and_its_rounds_leave_the_pilot_out(world, pilot):
    page = get(world.lead, "pilot", pilot.pk)
    form = dict(
        re.findall(r'<input type="hidden" name="(source|origin|name)" value="([^"]*)"', page.content.decode())
    )
    assert (form["source"], form["origin"]) == ("text", str(pilot.version.taxonomy_id))
    form |= {"draft": "1", "text": draft_of(page)}
    answer = post(world.lead, "new_taxonomy", world.study.slug, form=form)
    made = Taxonomy.objects.get(origin=pilot.version.taxonomy_id)
    assert (answer.status_code, answer["Location"]) == (302, reverse("draft", args=[made.pk]))
    editor = text_of(get(world.lead, "draft", made.pk))
    assert "Deadlock" in editor
    assert made.versions.get().published_at is None
    version = publish(taxonomy=made, by=world.lead.user)
    assert [state.code for state in version.states.order_by("position")] == ["A", "A.2", "C", "C.1", "C.11"]
    asked = signed_in(world.lead).get(
        f"{reverse('new_round', args=[world.study.slug])}?kind=main&version={version.pk}"
    )
    ticked = re.findall(r'name="left_out" value="([^"]*)"[^>]*checked', asked.content.decode())
    assert ticked == [f"round:{pilot.pk}"]


def test_unused_categories_stay_if_asked(world, pilot):
    page = signed_in(world.lead).get(f"{reverse('pilot', args=[pilot.pk])}?unused=1")
    assert len(read_csv(draft_of(page))) == len(factories.taxonomy.CODES) + 1
    assert (
        f"The draft keeps all {len(factories.taxonomy.CODES)} categories. The draft adds 1 missing category"
        in text_of(page)
    )
    assert "The draft leaves out" not in text_of(page)


# --- a training


def form_of(world: World, pilot: Round, *rows: tuple[int, str, str], **changes) -> dict:
    """What the form posts: per row an issue's number in the world, its code, and why."""
    form = {
        "name": "Training",
        "version": pilot.version_id,
        "depth": "2",
        "pass_mark": "80",
        "members": [member.pk for member in world.members],
        "more": "",
        "rows": ",".join(str(world.issues[number - 1].pk) for number, _code, _why in rows),
    }
    for number, code, why in rows:
        pk = world.issues[number - 1].pk
        form |= {f"pick_{pk}": "1", f"code_{pk}": code, f"why_{pk}": why}
    return form | changes


def test_the_form_begins_with_clear_issues_that_say_why(world, pilot):
    body = get(world.lead, "pilot_training", pilot.pk).content.decode()
    ticked = re.findall(r'name="pick_(\d+)"\s+value="1"\s+(checked)?', body)
    numbers = {str(issue.pk): number for number, issue in enumerate(world.issues, start=1)}
    assert {numbers[pk]: bool(checked) for pk, checked in ticked} == {
        1: True, 2: True, 3: False, 4: False, 5: False, 6: False,
    }  # fmt: skip
    boxes = re.findall(r'name="members" value="(\d+)"([^>]*)>', body)
    assert {int(pk): "checked" in rest for pk, rest in boxes} == {member.pk: True for member in world.members}


def test_a_training_is_planned_with_its_right_labels(world, pilot):
    Round.objects.filter(pk=pilot.pk).update(forge_labels="hidden")
    form = form_of(world, pilot, (1, "c.1", "It ends by itself."), (4, "A.2", "A question."))
    form |= {"form_key": "6f0d5c0e-3f0a-4b9e-9a55-0a4cf2f3b7d1"}
    answer, again = (post(world.lead, "pilot_training", pilot.pk, form=form) for _click in range(2))
    assert again.status_code == 302
    made = Round.objects.get(kind="training")
    assert (answer.status_code, answer["Location"]) == (302, made.get_absolute_url())
    assert (made.name, made.pass_mark, made.version, made.depth, made.opened_at, made.forge_labels) == (
        "Training", 80, pilot.version, 2, None, "hidden",
    )  # fmt: skip
    assert made.selection["source"] == f"round:{pilot.pk}"
    rows = Answer.objects.filter(round=made).order_by("issue").values_list("issue", "category", "explanation")
    assert list(rows) == [
        (world.issues[0].pk, world.category("C.1").pk, "It ends by itself."),
        (world.issues[3].pk, world.category("A.2").pk, "A question."),
    ]
    assert list(made.volunteers.order_by("column").values_list("member", flat=True)) == [
        m.pk for m in world.members
    ]


def test_codes_are_those_of_the_version_that_is_chosen(world, pilot):
    newer = factories.make_version(world.study, ["C", "C.1", "C.11"])
    form = form_of(world, pilot, (1, "C.11", "why"), version=newer.pk)
    assert post(world.lead, "pilot_training", pilot.pk, form=form).status_code == 302
    assert Answer.objects.get().category == factories.category(newer, "C.11")


def test_a_version_that_names_the_missing_category_has_it_filled_in(world, pilot):
    newer = factories.make_version(world.study, ["C", "C.1", "C.11"], published=False)
    newer.states.filter(code="C.11").update(name="Deadlock")
    type(newer).objects.filter(pk=newer.pk).update(published_at=pilot.opened_at)
    page = signed_in(world.lead).get(f"{reverse('pilot_training', args=[pilot.pk])}?version={newer.pk}")
    assert re.search(rf'name="code_{world.issues[4].pk}"\s+value="C.11"', page.content.decode())
    assert re.search(rf'name="code_{world.issues[3].pk}"\s+value=""', page.content.decode())


@pytest.mark.parametrize(
    ("rows", "changes", "said"),
    [
        ([(1, "", "why")], {}, "Choose the right category."),
        ([(1, "Z.9", "why")], {}, "This version has no category Z.9."),
        ([(1, "C", "why")], {}, "C is too broad: labels are compared at a deeper level."),
        ([(1, "C.1", " ")], {}, "Explain why this label is right."),
        ([(1, "C.1", "x" * 5001)], {}, "The explanation is longer than 5000 characters."),
        ([], {}, "No issue is chosen."),
        ([(1, "C.1", "why")], {"name": ""}, "Give the round a name."),
        ([(1, "C.1", "why")], {"name": "Pilot"}, "a round with this name"),
        ([(1, "C.1", "why")], {"pass_mark": "0"}, "greater than or equal to 1"),
        ([(1, "C.1", "why")], {"members": []}, "Choose at least one volunteer."),
        ([(1, "C.1", "why")], {"members": "lead"}, "is not one of the available choices."),
        (
            [(1, "C.1", "why")],
            {"more": "nowhere"},
            "Not found among the revealed issues of this pilot: nowhere.",
        ),
    ],
)
@pytest.mark.slow(cases=4)
def test_a_refusal_stores_nothing_and_keeps_what_was_typed(world, pilot, rows, changes, said):
    if changes.get("members") == "lead":  # who gives the right labels does not label
        changes = {"members": [world.lead.pk]}
    form = form_of(world, pilot, *rows, **changes)
    if not rows:
        pk = world.issues[0].pk
        form |= {"rows": str(pk), f"code_{pk}": "C.1", f"why_{pk}": "why"}
    answer = post(world.lead, "pilot_training", pilot.pk, form=form)
    assert answer.status_code == 422
    assert said in text_of(answer)
    assert not Round.objects.filter(kind="training").exists()
    assert not Answer.objects.exists()
    if rows and rows[0][2].strip():
        assert rows[0][2] in answer.content.decode()


def test_issues_that_are_not_revealed_are_dropped_from_the_form(world, pilot):
    form = form_of(world, pilot, (1, "C.1", "why"), (7, "C.1", "why"))
    assert post(world.lead, "pilot_training", pilot.pk, form=form).status_code == 302
    assert list(Answer.objects.values_list("issue", flat=True)) == [world.issues[0].pk]


def test_more_issues_join_the_list(world, pilot):
    form = form_of(world, pilot, (4, "A.2", "typed already"), more=f"#{world.issues[1].number}", show="1")
    page = post(world.lead, "pilot_training", pilot.pk, form=form)
    body = page.content.decode()
    assert page.status_code == 200
    assert "typed already" in body
    assert re.search(rf'name="pick_{world.issues[1].pk}"\s+value="1"\s+checked', body)
    assert not Round.objects.filter(kind="training").exists()


def test_the_round_page_leads_to_it(world, pilot):
    address = reverse("pilot", args=[pilot.pk])
    assert address in get(world.lead, "round", pilot.pk).content.decode()
    assert address not in get(world.members[0], "round", pilot.pk).content.decode()


def test_what_is_withheld_from_the_lead_is_no_part_of_the_outcome(world, pilot):
    other = factories.make_member(world.study, Role.LEAD)
    whole = told(world, pilot)
    world.waits_for(world.lead, world.issues[3], world.issues[4])
    blind = withheld_issues(pilot, world.lead)
    book = codebook(pilot.version_id)

    found = outcome(pilot, book, blind)
    assert (found.revealed, found.withheld, found.labels) == (4, 2, 4)
    assert [one.state.code for one in found.used] == ["C.1"]
    assert [(one.name, one.labels) for one in found.proposed] == [("Deadlock", 1)]
    seen = {candidate.issue.pk for candidate in candidates(pilot, book, each=9, blind=blind)}
    assert seen == {world.issues[place].pk for place in (0, 1, 2, 5)}
    url = world.issues[3].url
    assert issue_ids(pilot, [url], blind) == {url: None}
    assert issue_ids(pilot, [url], withheld_issues(pilot, other)) == {url: world.issues[3].pk}
    assert told(world, pilot) == whole
    for name in ("pilot", "pilot_training"):
        said = [
            "2 issues are hidden until you label them"
            in text_of(signed_in(member).get(reverse(name, args=[pilot.pk])))
            for member in (world.lead, other)
        ]
        assert said == [True, False]
