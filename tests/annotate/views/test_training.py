"""The pages of a training: right labels, the answer beside one's own label, the gate, and how it went."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.actions import choose_language
from annotate.actions.rounds import close_round
from annotate.actions.training import comment
from consensus.models import Comment
from reports.queries.calibration import calibrations
from rounds.models import Answer, Round
from studies.models import Role
from taxonomy.models import CategoryState, Version
from tests import factories
from tests.kept import kept
from tests.long import only_long
from tests.worlds.pages import client, queries_of, text_of
from tests.worlds.planned import get, post
from tests.worlds.trained import again, another_lead, answer, label_as, main_after, take_out, training

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4, members=2)]


# --- right labels


def test_a_lead_gives_right_labels_one_by_one(world):
    planned = training(world, "C.1", "-", "-", opened=False)
    issue = world.issues[1]
    assert "1 of 3 right labels given" in text_of(get(world.lead, "answers", planned.pk))

    form = {"category": world.category("C.2").pk, "explanation": "It does not start."}
    response = post(world.lead, "set_answer", planned.pk, issue.pk, form=form)
    assert response["Location"] == f"{reverse('answers', args=[planned.pk])}?after=0#answer-{issue.pk}"

    target = f"answer-{world.issues[2].pk}"
    line = post(
        world.lead,
        "set_answer",
        planned.pk,
        world.issues[2].pk,
        form=form,
        HX_Request="true",
        HX_Target=target,
    )
    body = line.content.decode()
    assert (line.status_code, "<html" in body, f'id="{target}"' in body) == (200, False, True)
    assert "<b>3</b> of 3 right labels given" in " ".join(body.split())
    assert 'hx-swap-oob="true"' in body
    assert list(Answer.objects.order_by("issue").values_list("explanation", flat=True)) == [
        "Because of C.1.",
        "It does not start.",
        "It does not start.",
    ]
    assert "All right labels are given. Go to the training to open it." in text_of(
        get(world.lead, "answers", planned.pk)
    )
    assert post(world.lead, "remove_answer", planned.pk, issue.pk).status_code == 302
    assert not Answer.objects.filter(issue=issue).exists()


def test_a_refused_right_label_keeps_what_was_typed(world):
    planned = training(world, "-", "-", opened=False)
    for form, said in (
        ({"category": "", "explanation": "Typed text"}, "Choose the right category."),
        (
            {"category": world.category("C").pk, "explanation": "Typed text"},
            "This category is too broad for this round.",
        ),
    ):
        response = post(world.lead, "set_answer", planned.pk, world.issues[0].pk, form=form)
        assert response.status_code in {422, 409}
        assert said in text_of(response)
        assert "Typed text" in text_of(response)
    assert not Answer.objects.exists()


def test_right_labels_are_read_only_once_the_training_is_open(world):
    opened = training(world, "C.1")
    response = get(world.lead, "answers", opened.pk)
    said = text_of(response)

    assert "Because of C.1." in said
    assert "<textarea" not in response.content.decode()
    form = {"category": world.category("C.2").pk, "explanation": "Changed my mind"}
    refused = post(world.lead, "set_answer", opened.pk, world.issues[0].pk, form=form)
    assert refused.status_code == 409
    assert "Changed my mind" in refused.content.decode()


def test_right_labels_are_for_leads_who_do_not_label_in_the_training(world):
    both = another_lead(world)
    opened = training(world, "C.1", members=[both, *world.members])
    assert [get(who, "answers", opened.pk).status_code for who in (world.lead, both)] == [200, 403]
    assert get(world.lead, "answers", world.round().pk).status_code == 404

    close_round(round_=opened, by=world.lead)
    assert get(both, "answers", opened.pk).status_code == 200


def test_right_labels_cost_the_same_queries_for_one_issue_and_for_three(world):
    counts = []
    for codes in (["C.1"], ["C.1", "C.2", "-"]):
        planned = training(world, *codes, opened=False)
        counts.append(queries_of(client(world.lead), reverse("answers", args=[planned.pk])))
    assert counts[0] == counts[1]


# --- labelling


def test_a_label_is_followed_by_the_right_one_and_then_by_the_next_issue(world):
    opened = training(world, "C.1", "C.1")
    member = world.members[0]
    page = get(member, "label", opened.pk)
    issue = page.context["turn"].issue
    form = {
        "issue": issue.pk,
        "member": member.pk,
        "version": opened.version_id,
        "category": world.category("C.2").pk,
        "form_key": str(uuid4()),
    }
    response = post(member, "submit_label", opened.pk, form=form)
    address = f"{reverse('label', args=[opened.pk])}?issue={issue.pk}"
    assert response["Location"] == address
    as_json = post(member, "submit_label", opened.pk, form=form, Accept="application/json").json()
    assert (as_json["go"], as_json["next"]) == (address, None)

    shown = client(member).get(address)
    body = shown.content.decode()
    assert shown.context["mode"] == "answer"
    assert "Not right: the lead chose another category." in body
    assert "Because of C.1." in body
    assert "Definition of C.1" in body
    assert "1 of 2 labelled, 0 right" in " ".join(body.split())
    assert reverse("change_label", args=[opened.pk]) not in body
    assert reverse("submit_label", args=[opened.pk]) not in body


@only_long
def test_the_right_label_is_explained_in_the_readers_language(world):
    """The definition of the own label too, where it is another."""
    texts = {"definition_zh": "定义：甲", "includes_zh": "泄漏；溢出", "excludes_zh": "挂起"}
    version = factories.make_version(world.study, ["C", "C.1", "C.2"], published=False)
    CategoryState.objects.filter(version=version, code="C.1").update(**texts)
    CategoryState.objects.filter(version=version, code="C.2").update(definition_zh="定义：乙")
    Version.objects.filter(pk=version.pk).update(published_at=timezone.now())
    version.refresh_from_db()
    world.version = version
    opened = training(world, "C.1")
    member = world.members[0]
    label_as(world, opened, member, "C.2")
    address = f"{reverse('label', args=[opened.pk])}?issue={world.issues[0].pk}"
    chinese = ["定义：甲", "泄漏；溢出", "挂起", "定义：乙"]
    assert [text in client(member).get(address).text for text in chinese] == [False] * 4
    choose_language(user=member.user, language="zh-hans")
    assert [text in client(member).get(address).text for text in chinese] == [True] * 4


def test_the_end_of_a_training_says_what_opens_now(world):
    opened = training(world, "C.1")
    main = main_after(world, opened)
    first, second = world.members
    label_as(world, opened, first, "C.1")
    label_as(world, opened, second, "C.2")

    for address in ("", f"?issue={world.issues[0].pk}"):
        passed, failed = (
            get(who, "label", opened.pk, query=address).content.decode() for who in (first, second)
        )
        assert "You passed." in passed
        assert f'href="{reverse("label", args=[main.pk])}"' in passed
        assert "Not passed yet." in failed
        assert f'href="{reverse("label", args=[main.pk])}"' not in failed


@kept
def labelled(world) -> Round:
    """A training of two issues, of which R1 has labelled the first."""
    opened = training(world, "C.1", "C.1")
    label_as(world, opened, world.members[0], "C.2")
    return opened


def test_comments_are_stored_once_and_shown_to_their_author(world, labelled):
    member, issue = world.members[0], world.issues[0]
    form = {"text": "The definition of C.1 is unclear", "form_key": str(uuid4())}

    for _click in range(2):
        assert post(member, "comment", labelled.pk, issue.pk, form=form).status_code == 302
    assert Comment.objects.count() == 1
    assert form["text"] in get(member, "label", labelled.pk, query=f"?issue={issue.pk}").content.decode()


def test_going_on_takes_what_is_typed_along(world, labelled):
    for text in ("", "The definition of C.1 is unclear"):
        form = {"text": text, "next": "1"}
        response = post(world.members[0], "comment", labelled.pk, world.issues[0].pk, form=form)
        assert (response.status_code, response.url) == (302, reverse("label", args=[labelled.pk]))
    assert [one.text for one in Comment.objects.all()] == ["The definition of C.1 is unclear"]


@pytest.mark.parametrize(
    "form", [{"text": ""}, {"text": " \n"}, {"text": "x" * 2001}, {"text": "x" * 2001, "next": "1"}]
)
def test_a_comment_that_is_refused_is_shown_back(world, labelled, form):
    response = post(world.members[0], "comment", labelled.pk, world.issues[0].pk, form=form)
    assert response.status_code == 409
    assert form["text"].strip() in response.content.decode()
    assert not Comment.objects.exists()


# --- the gate


def test_a_main_round_shows_the_training_first(world):
    opened = training(world, "C.1", "C.1", "C.1")
    main = main_after(world, opened)
    label_as(world, opened, world.members[0], "C.1", "C.2")

    response = get(world.members[0], "label", main.pk)
    said = text_of(response)
    label_as(world, opened, world.members[1], "C.2", "C.2", "C.2")
    assert text_of(get(world.members[0], "label", main.pk)) == said  # whatever the others do

    assert f"First the training: {opened.name}" in said
    assert "2 of 3 done 1 right" in said
    assert f'href="{reverse("label", args=[opened.pk])}"' in response.content.decode()


def test_one_who_was_taken_out_is_told(world):
    main = world.round()
    take_out(main, world.members[0])
    assert "You no longer label in this round" in text_of(get(world.members[0], "label", main.pk))


def test_home_shows_the_training_first_and_the_main_round_once_it_is_passed(world):
    opened = training(world, "C.1")
    main = main_after(world, opened, name="The great round")
    member = world.members[0]

    before = text_of(get(member, "home"))
    assert f"{opened.name} 1 issue to train with opens The great round to you" in before
    assert "issues to label" not in before

    label_as(world, opened, member, "C.1")
    after = text_of(get(member, "home"))
    assert f"{main.name} 4 issues to label" in after

    take_out(main, member)
    assert "Nothing waits for you now." in text_of(get(member, "home"))


# --- how it went, blind


def test_the_page_of_trainings_is_for_members_who_read_what_is_revealed(world):
    opened = training(world, "C.1", pass_mark=100)
    for member, code in zip(world.members, ("C.1", "C.2"), strict=True):
        label_as(world, opened, member, code)
    close_round(round_=opened, by=world.lead)
    viewer = factories.make_member(world.study, Role.VIEWER)

    said = text_of(get(viewer, "training", world.study.slug))

    assert "R1 100 % of 1 passed" in said
    assert "R2 0 % of 1 not passed" in said
    assert "Team, revealed issues 50 % of 2" in said
    assert "50 % of 2 1 × C.2" in said


def test_without_a_training_the_page_says_what_to_do(world):
    assert "Plan training" in text_of(get(world.lead, "training", world.study.slug))
    assert "Results will be here when a lead opens a training." in text_of(
        get(world.members[0], "training", world.study.slug)
    )


# --- REST, and what training does not count in


def test_rest_tells_ones_own_result(world):
    opened = training(world, "C.1", "C.1", pass_mark=50)
    label_as(world, opened, world.members[0], "C.1", "C.2")

    assert get(world.members[0], "api_training", opened.pk).json() == {
        "total": 2,
        "done": 2,
        "right": 1,
        "pass_mark": 50,
        "passed": True,
    }
    assert get(world.members[0], "api_training", world.round().pk).status_code == 404


def test_a_training_is_nothing_to_settle_and_no_stage_of_the_report(world):
    opened = training(world, "C.1", "C.1")
    for member, code in zip(world.members, ("C.1", "C.2"), strict=True):
        label_as(world, opened, member, code, code)

    said = text_of(get(world.lead, "study", world.study.slug))

    assert "to decide" not in said
    assert "Report to come later" in said
    assert "disagreement to decide" not in text_of(get(world.lead, "home"))


def test_the_study_leads_to_the_right_labels_that_are_missing(world):
    planned = training(world, "C.1", "-", "-", opened=False)
    response = get(world.lead, "study", world.study.slug)

    assert f"{planned.name} 2 issues without their right labels" in text_of(response)
    assert reverse("answers", args=[planned.pk]) in response.content.decode()
    answer(world, planned, world.issues[1], "C.1")
    answer(world, planned, world.issues[2], "C.1")
    assert "without" not in text_of(get(world.lead, "study", world.study.slug))
    assert again(world, planned).kind == Round.Kind.TRAINING


# --- deadlines


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (timedelta(days=3), "due in 3 days"),
        (timedelta(days=1), "due tomorrow"),
        (timedelta(days=-1), "overdue by 1 day"),
        (timedelta(days=-9), "overdue by 9 days"),
        (None, ""),
    ],
)
@pytest.mark.slow(cases=2)
def test_home_says_when_a_round_is_due(world, after, words):
    round_ = world.round()
    deadline = timezone.now() + after if after else None
    Round.objects.filter(pk=round_.pk).update(deadline=deadline)

    said = text_of(get(world.members[0], "home"))

    assert words in said
    assert ("due" in said) is bool(words)


def test_home_shows_what_is_due_sooner_first(world):
    for name, days in (("Late one", 9), ("Soon one", 2), ("Any time", None)):
        round_ = world.round(name=name)
        deadline = timezone.now() + timedelta(days=days) if days else None
        Round.objects.filter(pk=round_.pk).update(deadline=deadline)

    said = text_of(get(world.members[0], "home"))
    assert said.index("Soon one") < said.index("Late one") < said.index("Any time")


# --- what the reader still has to label elsewhere


def test_what_is_withheld_is_in_no_number_of_a_training_but_ones_own(world):
    first, second = world.members
    opened = training(world, "C.1", "C.1", "C.1")
    for member, codes in ((first, ("C.1", "C.1", "C.2")), (second, ("C.1", "C.2", "C.2"))):
        label_as(world, opened, member, *codes)
    comment(round_=opened, issue=world.issues[1], author=second, text="quetzal")
    close_round(round_=opened, by=world.lead)
    world.waits_for(first, world.issues[1])

    (held,), (whole,) = (calibrations(world.study, member) for member in (first, second))

    assert (held.revealed, held.blind.count(), held.labels, held.right) == (2, 1, 4, 2)
    assert (whole.revealed, whole.blind.count(), whole.labels, whole.right) == (3, 0, 6, 3)
    assert [(seat.labels, seat.right) for seat in held.seats] == [(3, 2), (2, 1)]
    assert [(seat.labels, seat.right) for seat in whole.seats] == [(3, 2), (3, 1)]
    said = [get(member, "training", world.study.slug).content.decode() for member in (first, second)]
    assert ["1 issue is hidden until you label it" in page for page in said] == [True, False]
    assert ["quetzal" in page for page in said] == [False, True]
