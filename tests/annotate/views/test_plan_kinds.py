"""Planning rounds of each kind on the page: what the form starts with, asks, refuses and stores."""

import html
import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.models import Sample, SampleIssue
from ingest.models import SavedFilter
from rounds.actions.slots import make_slots
from rounds.models import Answer, Round, RoundVolunteer
from taxonomy.models import Level
from tests import factories
from tests.long import only_long
from tests.worlds.pages import client as signed_in
from tests.worlds.pages import cost
from tests.worlds.planned import form_of, plan, post, text_of
from tests.worlds.world import World, small_world, undone

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4, members=3)]
PREVIEW = {"HX-Request": "true", "HX-Target": "preview"}


def shown(world: World, **query):
    return signed_in(world.lead).get(reverse("new_round", args=[world.study.slug]), query)


def chosen(response, name: str) -> list[str]:
    """What is chosen or filled in at a field of the form, in order."""
    body = response.content.decode()
    select = re.search(rf'<select name="{name}".*?</select>', body, re.DOTALL)
    if select:
        return re.findall(r'<option value="([^"]*)" selected', select[0])
    boxes = re.findall(rf'<input type="(?:checkbox|radio)" name="{name}" value="([^"]*)"[^>]*checked', body)
    return boxes or re.findall(rf'<input type="\w+" name="{name}" value="([^"]*)"', body)


def options(response, name: str) -> list[str]:
    """The values that a select offers."""
    select = re.search(rf'<select name="{name}".*?</select>', response.content.decode(), re.DOTALL)
    return re.findall(r'<option value="([^"]*)"', select[0]) if select else []


def fields(response) -> set[str]:
    return set(re.findall(r'<(?:input|select)[^>]* name="(\w+)"', response.content.decode()))


@pytest.mark.parametrize(
    ("kind", "own"),
    [
        ("screening", {"excludes", "training", "rule", "majority"}),
        ("pilot", {"rule", "majority", "drift_percent", "drift_hours"}),
        ("training", {"pass_mark", "training"}),
        ("main", {"training", "rule", "majority", "drift_percent", "drift_hours"}),
    ],
)
def test_each_kind_asks_for_what_it_needs(world, kind, own):
    everywhere = fields(shown(world, kind=kind)) - own
    asked = fields(shown(world, kind=kind))
    assert own <= asked
    assert not everywhere & {
        "excludes", "pass_mark", "training", "rule", "majority", "drift_percent", "drift_hours",
    }  # fmt: skip
    page = shown(world, kind=kind).content.decode()
    links = re.findall(r'<a href="(\?[^"]*)"\s*(aria-current="true")?>', page)
    assert [(html.unescape(href), bool(current)) for href, current in links] == [
        (f"?kind={other}", other == kind) for other in ("screening", "pilot", "training", "main")
    ]


def test_an_unknown_kind_is_a_main_round_to_look_at_and_refused_to_store(world):
    assert chosen(shown(world, kind="nonsense"), "kind") == ["main"]
    assert plan(world, kind="nonsense").status_code == 422
    assert not Round.objects.exists()


def test_a_screening_without_a_fitting_taxonomy_leads_to_one(world):
    assert "Load the preset Relevance" in text_of(shown(world, kind="screening"))
    assert "Load the preset Relevance" not in text_of(shown(world, kind="main"))
    factories.make_version(world.study, ["R", "F"])
    assert "Load the preset Relevance" not in text_of(shown(world, kind="screening"))


def test_a_screening_starts_with_the_relevance_taxonomy_and_its_excluded_type(world):
    relevance = factories.make_version(world.study, ["R", "F", "F.1"])
    page = shown(world, kind="screening")
    false = str(factories.category(relevance, "F").pk)
    assert [chosen(page, name) for name in ("version", "depth", "excludes", "kind")] == [
        [str(relevance.pk)], [str(Level.TYPE.value)], [false], ["screening"],
    ]  # fmt: skip
    answer = plan(world, kind="screening", version=relevance.pk, depth=1, excludes=false)
    assert answer.status_code == 302
    made = Round.objects.get()
    assert (made.kind, made.excludes_id) == ("screening", int(false))


def test_the_excluded_type_is_one_of_the_chosen_version(world):
    relevance = factories.make_version(world.study, ["R", "F", "F.1"])
    false, bug = (
        str(factories.category(of, code).pk) for of, code in ((relevance, "F"), (world.version, "C"))
    )
    assert bug not in options(shown(world, kind="screening"), "excludes")
    form = form_of(world, kind="screening", depth=1, excludes=bug)
    # The other version is chosen, with a script or by “Show numbers” without one.
    for headers in (PREVIEW, {}):
        posted = form | {"version": relevance.pk, "preview": "1"}
        answer = post(world.lead, "new_round", world.study.slug, form=posted, **headers)
        assert options(answer, "excludes") == ["", *(str(factories.category(relevance, c).pk) for c in "RF")]
        assert chosen(answer, "excludes") == [false]
        assert answer.content.decode().count('id="of-version"') == 1
    answer = post(world.lead, "new_round", world.study.slug, form=form | {"version": relevance.pk})
    assert answer.status_code == 422
    assert "is not a type of" in text_of(answer)
    assert bug not in options(answer, "excludes")


def test_a_pilot_starts_with_whoever_plans_it_alone(world):
    page = shown(world, kind="pilot")
    assert chosen(page, "members") == [str(world.lead.pk)]
    assert "1 volunteer labels all 4 issues." in text_of(page)


def test_a_training_starts_with_a_pass_mark_and_stores_it(world):
    page = shown(world, kind="training")
    assert chosen(page, "pass_mark") == ["80"]
    assert chosen(page, "reveal") == ["round_closed"]
    assert chosen(shown(world, kind="pilot"), "reveal") == ["issue_complete"]
    asked = {"kind": "training", "pass_mark": "75", "rule": "majority", "drift_percent": "10"}
    for refused, words in (
        ({"reveal": "issue_complete"}, "A training reveals its labels when the round closes"),
        (
            {"reveal": "round_closed", "allocation": "k_of_n", "labels_per_issue": "2"},
            "In a training, every volunteer labels every issue.",
        ),
    ):
        answer = plan(world, **asked, **refused)
        assert answer.status_code == 422
        assert words in text_of(answer)
    assert not Round.objects.exists()

    plan(world, **asked, reveal="round_closed")
    made = Round.objects.get()
    assert (made.kind, made.pass_mark, made.rule, made.drift_percent) == ("training", 75, "unanimous", 0)
    assert made.reveal == "round_closed"


def test_a_main_round_stores_all_that_was_chosen(world):
    training = world.round(opened=False, name="First training", kind="training", pass_mark=80)
    day = timezone.localdate() + timedelta(days=10)
    first, second, third = world.members
    answer = plan(
        world, order="by_repository", allocation="k_of_n", labels_per_issue="2", quota="3",
        rule="majority", majority="2", training=training.pk, deadline=day.isoformat(), drift_percent="10",
        drift_hours="48", lease_minutes="15", **{f"quota_{second.pk}": "4"},
    )  # fmt: skip
    assert answer.status_code == 302
    made = Round.objects.get(kind="main")
    assert (
        made.allocation, made.labels_per_issue, made.lease_minutes, made.order, made.rule, made.majority,
        made.training, made.drift_percent, made.drift_hours, timezone.localtime(made.deadline).date(), made.selection,
    ) == (
        "k_of_n", 2, 15, "by_repository", "majority", 2, training, 10, 48, day,
        {
            "source": "issues", "name": "All issues of the study", "repositories": None, "year": None,
            "with_text": False, "without_pull_requests": False,
        },
    )  # fmt: skip
    quotas = RoundVolunteer.objects.filter(round=made).values_list("member", "quota")
    assert dict(quotas) == {first.pk: 3, second.pk: 4, third.pk: 3}


def test_what_is_hidden_is_not_stored(world):
    answer = plan(world, quota="1", majority="1", rule="meeting", labels_per_issue="2")
    assert answer.status_code == 302
    made = Round.objects.get()
    assert (made.labels_per_issue, made.rule, made.majority) == (3, "meeting", None)
    assert set(made.volunteers.values_list("quota", flat=True)) == {None}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"name": " "}, "name", "Give the round a name."),
        ({"name": "Taken"}, "name", "The study already has a round with this name. Choose another name."),
        ({"members": []}, "members", "Choose at least one volunteer."),
        ({"repositories": []}, "repositories", "Choose at least one repository."),
        ({"allocation": "k_of_n"}, "labels_per_issue", "Enter the number of labels per issue: one or more."),
        ({"allocation": "k_of_n", "labels_per_issue": "4"}, "labels_per_issue",
         "4 labels per issue need 4 volunteers. You have chosen 3."),
        ({"lease_minutes": "99999"}, "lease_minutes", "A claim lasts between 1 minute and 31 days."),
        ({"year": "1999"}, "year", "Select a valid choice. 1999 is not one of the available choices."),
        ({"rule": "majority", "majority": "1"}, "majority",
         "Of 3 labels, a majority is more than half: 2 to 3."),
        ({"allocation": "k_of_n", "labels_per_issue": "2", "quota": "1"}, "quota",
         "With these quotas, some issues do not get all of their labels. Give each volunteer a quota of 3 or more."),
        ({"deadline": "2020-01-01"}, "deadline", "This deadline is in the past. Choose a later day."),
        ({"deadline": "soon"}, "deadline", "Enter a valid date."),
        ({"drift_percent": "60"}, "drift_percent",
         "A drift check repeats at most half of the issues: 0 to 50 percent."),
        ({"drift_percent": "5", "drift_hours": "0"}, "drift_hours",
         "An issue can come again after 1 hour at the earliest"),
        ({"drift_percent": "5", "drift_hours": "9999"}, "drift_hours",
         "An issue can come again after 1 hour at the earliest and 1 year at the latest."),
        ({"kind": "screening"}, "excludes",
         "Choose the type that excludes an issue from the study: one of A, B, C."),
        ({"source": "kept:1"}, "source", "Select a valid choice. kept:1 is not one of the available choices."),
        ({"source": ""}, "source", "This field is required."),
    ],
)  # fmt: skip
@pytest.mark.slow(cases=6)
def test_a_refusal_stands_at_its_field_and_in_the_preview(world, changes, field, said):
    world.round(name="Taken", opened=False)
    answer = plan(world, **changes)
    assert answer.status_code == 422
    body = answer.content.decode()
    found = re.search(rf'<ul class="errorlist"[^>]*id="id_{field}_error"[^>]*>(.*?)</ul>', body, re.DOTALL)
    assert said in html.unescape(found[1])
    # A group of boxes has no one field to lead to.
    assert (f'<a href="#id_{field}">' in body) == (field not in {"members", "repositories"})
    form = form_of(world, **changes) | {"preview": "1"}
    fragment = post(world.lead, "new_round", world.study.slug, form=form, **PREVIEW)
    assert fragment.status_code == 200
    assert "What to change" in text_of(fragment)
    assert said in text_of(fragment)
    assert Round.objects.count() == 1


def test_everything_that_is_wrong_is_said_at_once(world):
    said = text_of(
        plan(world, name="", rule="majority", deadline="2020-01-01", members=[world.members[0].pk])
    )
    for words in ("Give the round a name.", "decide an issue: 1 to 1.", "This deadline is in the past."):
        assert words in said


def test_a_sample_or_a_filter_or_another_round_gives_the_issues(world):
    sample = Sample.objects.create(study=world.study, name="Draw", seed=1, plan={}, created_by=world.lead)
    SampleIssue.objects.create(sample=sample, issue=world.issues[1], position=1)
    old = factories.make_issue(world.repository, year=2019)
    saved = SavedFilter.objects.create(study=world.study, name="Old", query={"year": "2019"})
    page = shown(world, kind="pilot", source=f"sample:{sample.pk}", name="Pilot of the draw")
    assert (chosen(page, "source"), chosen(page, "name")) == ([f"sample:{sample.pk}"], ["Pilot of the draw"])
    assert "issues 1 labels per issue × 1" in text_of(page)
    for source, name, issues in (
        (f"sample:{sample.pk}", "Draw", [world.issues[1]]),
        (f"filter:{saved.pk}", "Old", [old]),
    ):
        plan(world, name=name, source=source)
        made = Round.objects.get(name=name)
        assert [place.issue for place in made.round_issues.order_by("position")] == issues
        assert (made.selection["source"], made.selection["name"]) == (source, name)
    plan(world, name="Again", source=f"round:{made.pk}", year="")
    again = Round.objects.get(name="Again")
    assert [place.issue for place in again.round_issues.all()] == [old]


def test_a_filter_narrows_a_source_further(world):
    old = factories.make_issue(world.repository, year=2019)
    factories.make_issue(world.repository, year=2019, is_pull_request=True)
    saved = SavedFilter.objects.create(study=world.study, name="Old", query={"year": "2019"})
    plan(world, source=f"filter:{saved.pk}", without_pull_requests="on")
    made = Round.objects.get()
    assert [place.issue for place in made.round_issues.all()] == [old]
    assert made.selection["without_pull_requests"] is True


def test_what_a_closed_screening_kept_says_what_left_and_what_was_never_decided(world):
    relevance = factories.make_version(world.study, ["R", "F"])
    false = factories.category(relevance, "F")
    screening = world.round(kind="screening", version=relevance, depth=1, excludes=false, name="Screening 1")
    factories.add_label(screening, world.issues[0], world.members[0], "F")
    open_ = text_of(shown(world, source=f"kept:{screening.pk}"))
    assert "The screening kept" not in open_
    assert "Issues that a screening kept" not in shown(world).content.decode()
    close_round(round_=screening, by=world.lead)
    page = shown(world, source=f"kept:{screening.pk}")
    assert chosen(page, "source") == [f"kept:{screening.pk}"]
    assert "The screening kept 4 issues and excluded 0. 4 of the kept issues have no decision." in text_of(
        page
    )


def test_volunteers_who_are_not_in_the_training_are_named(world):
    training = world.round(opened=False, kind="training", members=world.members[:1])
    form = form_of(world, training=training.pk) | {"preview": "1"}
    fragment = post(world.lead, "new_round", world.study.slug, form=form, **PREVIEW)
    two, three = (member.known_as for member in world.members[1:])
    assert f"{two}, {three} are not in this training and cannot label until you let them in." in text_of(
        fragment
    )
    Answer.objects.create(
        round=training, issue=world.issues[0], category=world.category("C.1"), explanation="It crashes.",
        given_by=world.members[1],
    )  # fmt: skip
    fragment = post(world.lead, "new_round", world.study.slug, form=form, **PREVIEW)
    assert f"{three} is not in this training and cannot label until you let them in." in text_of(fragment)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {},
            "12 min of labelling in total, 4 min for each volunteer. This assumes 60 s a label, because nobody has",
        ),
        ({"deadline": 0}, "1 day is left until the deadline: 4 min for each volunteer."),
        (
            {"deadline": 3},
            "4 days are left until the deadline: 1 min a day for each volunteer, 1 of 4 labels.",
        ),
    ],
)
def test_the_preview_reckons_with_time(world, changes, said):
    if "deadline" in changes:
        changes = {"deadline": (timezone.localdate() + timedelta(days=changes["deadline"])).isoformat()}
    form = form_of(world, **changes) | {"preview": "1"}
    assert said in text_of(post(world.lead, "new_round", world.study.slug, form=form, **PREVIEW))


def test_the_preview_counts_repositories_where_they_are_few(world):
    other = factories.make_repository(world.study, "owner/other")
    factories.make_issues(other, 2)
    form = form_of(world, repositories=[world.repository.pk, other.pk]) | {"preview": "1"}
    said = text_of(post(world.lead, "new_round", world.study.slug, form=form, **PREVIEW))
    assert f"owner/other 2 {world.repository.path} 4" in said


@pytest.mark.parametrize("method", ["get", "post"])
def test_the_builder_costs_the_same_whatever_the_size(method):
    counts = []
    for size in (1, 3):
        world = small_world(issues=size, members=size)
        for number in range(size):
            world.round(opened=False, name=f"Training {number}", kind="training")
            SavedFilter.objects.create(study=world.study, name=f"Filter {number}")
        lead, address = signed_in(world.lead), reverse("new_round", args=[world.study.slug])
        lead.get(address)
        form = form_of(world) | {"preview": "1"}
        counts.append(cost(lambda: lead.get(address) if method == "get" else lead.post(address, form)))  # noqa: B023 - called at once
    assert counts[0] == counts[1] <= 50


def test_the_list_shows_kind_rule_and_deadline(world):
    soon = timezone.now() + timedelta(days=3)
    late = world.round(name="Late", rule="majority", majority=2, deadline=soon)
    world.round(name="School", kind="training", pass_mark=70, opened=False)
    world.round(name="Talk", rule="meeting", opened=False)
    address = reverse("rounds", args=[world.study.slug])
    said = text_of(signed_in(world.lead).get(address))
    for words in ("2 equal labels decide", "pass mark 70 %", "then a meeting", f"until {soon:%-d %b %Y}"):
        assert words in said
    assert "overdue" not in said
    Round.objects.filter(pk=late.pk).update(deadline=timezone.now() - timedelta(hours=1))
    assert "overdue" in text_of(signed_in(world.lead).get(address))
    close_round(round_=late, by=world.lead)
    assert "overdue" not in text_of(signed_in(world.lead).get(address))


@only_long
def test_slots_that_are_being_made_are_seen_by_nobody(world):
    round_ = world.round(opened=False, deadline=timezone.now() + timedelta(days=9))
    issue = world.issues[0].pk
    addresses = [
        reverse(name, args=[round_.pk])
        for name in ("round", "label", "own_labels", "disagreements", "agreement", "round_volunteers")
    ]
    addresses += [f"{reverse('label', args=[round_.pk])}?issue={issue}", reverse("home")]
    addresses += [reverse(name, args=[world.study.slug]) for name in ("study", "rounds", "people")]
    addresses += [f"/api/v1/rounds/{round_.pk}/", f"/api/v1/rounds/{round_.pk}/labels/"]
    posts = [
        (reverse("next_issue", args=[round_.pk]), {}),
        (reverse("skip_issue", args=[round_.pk]), {"issue": issue, "reason": "later"}),
        (reverse("save_draft", args=[round_.pk]), {"issue": issue, "summary": "typed", "revision": "0"}),
        (f"/api/v1/rounds/{round_.pk}/claim/", {}),
    ]

    def seen(member) -> list[tuple[int, str]]:
        client = signed_in(member)
        answers = [client.get(address) for address in addresses]
        for address, form in posts:
            with undone():
                answers.append(client.post(address, form))
        # A minute may pass between two looks.
        return [
            (one.status_code, re.sub(r"just now|\d+ minutes? ago", "AGO", text_of(one))) for one in answers
        ]

    for member in (world.members[0], world.lead):
        before = seen(member)
        with undone():
            make_slots(round_, first=1, last=3)
            assert seen(member) == before
