"""Planning a round: what is stored, what is refused at which field, and the preview."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from ingest.models import SavedFilter
from rounds.models import Assignment, Round, RoundIssue
from rounds.queries.rounds import issues_to_label
from studies.models import Role
from taxonomy.models import Level
from tests import factories
from tests.long import only_long
from tests.worlds.planned import form_of, get, plan, post, text_of
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4, members=3)]

PREVIEW = {"HX-Request": "true", "HX-Target": "preview"}


# --- planning


def test_a_plan_is_stored_as_posted(world):
    form = form_of(world, kind="pilot", depth=Level.TYPE.value, reveal="round_closed")
    answer, again = (post(world.lead, "new_round", world.study.slug, form=form) for _click in range(2))
    assert again.status_code == 302
    made = Round.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, reverse("round", args=[made.pk]))
    assert (made.name, made.kind, made.version, made.depth, made.allocation, made.labels_per_issue, made.reveal) == (
        "Main round", "pilot", world.version, Level.TYPE, "crossed", 3, "round_closed",
    )  # fmt: skip
    assert list(made.volunteers.order_by("column").values_list("member", flat=True)) == [
        member.pk for member in world.members
    ]
    assert (made.round_issues.count(), made.opened_at, Assignment.objects.count()) == (4, None, 0)


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, [0, 1, 2, 3, 4]),
        ({"repositories": "other"}, [4]),
        ({"year": "2024"}, [1]),
        ({"with_text": "on"}, [0, 1, 2, 4]),
        ({"without_pull_requests": "on"}, [0, 1, 3, 4]),
        ({"year": "2024", "repositories": "other"}, []),
    ],
)
def test_the_filter_chooses_the_issues(chosen, expected):
    world = small_world(issues=0)
    other = factories.make_repository(world.study, "owner/other")
    issues = [
        factories.make_issue(world.repository, year=2023),
        factories.make_issue(world.repository, year=2024),
        factories.make_issue(world.repository, is_pull_request=True),
        factories.make_issue(world.repository, text=False),
        factories.make_issue(other, is_pull_request=False),
    ]
    everything = {"repositories": [world.repository.pk, other.pk]}
    if chosen.get("repositories") == "other":
        chosen = chosen | {"repositories": [other.pk]}
    answer = plan(world, **(everything | chosen))
    if not expected:
        assert answer.status_code == 422
        assert "No issue is chosen. Use fewer filters, or choose another source." in text_of(answer)
        return
    assert answer.status_code == 302
    chosen_ids = RoundIssue.objects.order_by("position").values_list("issue", flat=True)
    assert list(chosen_ids) == [issues[place].pk for place in expected]


def test_rounds_and_samples_leave_out_pull_requests_by_default_and_give_their_number(world):
    def ticked(name, query=""):
        page = get(world.lead, name, world.study.slug, query=query)
        found = re.search(r'<input[^>]*name="without_pull_requests"[^>]*>', page.content.decode())
        return "checked" in found[0], text_of(page)

    assert not ticked("new_round", "?kind=screening")[0]
    factories.make_issue(world.repository, "77", is_pull_request=True)
    for name, query in (("new_round", "?kind=screening"), ("new_round", "?kind=main"), ("new_sample", "")):
        is_ticked, page = ticked(name, query)
        assert (is_ticked, "1 pull request is left out." in page) == (True, True)
    # Whoever took it into a round wants it in the next.
    kept = world.round(name="With all", issues=issues_to_label(world.study), opened=False)
    is_ticked, page = ticked("new_round", f"?kind=main&source=round:{kept.pk}")
    assert (is_ticked, "1 of these issues is a pull request." in page) == (False, True)
    reports = issues_to_label(world.study, without_pull_requests=True)
    other = world.round(name="Without", issues=reports, opened=False)
    assert ticked("new_round", f"?kind=main&source=round:{other.pk}")[0]
    # A filter for pull requests alone keeps them; each other filter does not.
    for asked, leaves_out in (({"kind": "pull_request"}, False), ({"q": "77"}, True)):
        saved = SavedFilter.objects.create(study=world.study, name=str(asked), query=asked)
        assert ticked("new_round", f"?kind=screening&source=filter:{saved.pk}")[0] is leaves_out


def test_a_sample_of_a_filter_for_pull_requests_begins_with_what_the_list_showed(world):
    factories.make_issue(world.repository, "77", is_pull_request=True)
    for asked, said in (
        ({"kind": "pull_request"}, "1 of these issues is a pull request."),
        ({"q": "77"}, "No issue is left to draw from."),
    ):
        saved = SavedFilter.objects.create(study=world.study, name=str(asked), query=asked)
        page = text_of(get(world.lead, "new_sample", world.study.slug, query=f"?source=filter:{saved.pk}"))
        assert said in page
    unknown = text_of(get(world.lead, "new_sample", world.study.slug, query="?source=filter:0"))
    assert "1 pull request is left out." in unknown


def test_issues_of_other_studies_are_never_offered(world):
    elsewhere = factories.make_issue(factories.make_repository(factories.make_study()))
    assert elsewhere not in issues_to_label(world.study)
    assert list(issues_to_label(world.study, repositories=[elsewhere.repository_id])) == []


def test_a_refused_number_stays_in_the_preview(world):
    answer = plan(world, allocation="k_of_n", labels_per_issue="2", members=[world.members[0].pk])
    said = text_of(answer)
    assert answer.status_code == 422
    assert "× 2 assignments – 2 labels per issue need 2 volunteers. You have chosen 1." in said
    assert "2 labels per issue need 2 volunteers. You have chosen 1." in said
    assert "Enter the number of labels" not in said


@only_long
def test_drafts_and_foreign_versions_and_members_are_no_choices(world):
    other = factories.make_study()
    foreign, outsider = factories.make_version(other), factories.make_member(other)
    draft = factories.make_version(world.study, published=False)
    program = factories.make_member(world.study, Role.MODEL, pseudonym="M1")
    without_account = factories.make_member(world.study, user=None, pseudonym="R9")
    gone = factories.make_member(world.study, pseudonym="R8", left_at=timezone.now())
    for changes in (
        {"version": foreign.pk}, {"version": draft.pk}, {"members": [outsider.pk]},
        {"members": [program.pk]}, {"members": [without_account.pk]}, {"members": [gone.pk]},
    ):  # fmt: skip
        assert plan(world, **changes).status_code == 422
    assert not Round.objects.exists()


def test_volunteers_are_chosen_beforehand_and_leads_are_not(world):
    page = get(world.lead, "new_round", world.study.slug)
    assert "Labels per issue Only for" in text_of(page)  # it is not called optional
    body = page.content.decode()
    boxes = re.findall(r'<input type="checkbox" name="members" value="(\d+)"([^>]*)>', body)
    assert {int(id_): "checked" in rest for id_, rest in boxes} == {
        world.lead.pk: False,
        **{member.pk: True for member in world.members},
    }


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "issues 4 labels per issue × 3 assignments = 12 Each of 3 volunteers labels all 4 issues."),
        ({"name": ""}, "assignments = 12"),
        (
            {"allocation": "k_of_n", "labels_per_issue": "2"},
            "× 2 assignments = 8 3 volunteers share the issues, about 3 each.",
        ),
        ({"allocation": "k_of_n"}, "Enter the number of labels per issue."),
        (
            {"allocation": "k_of_n", "labels_per_issue": "4"},
            "× 4 assignments – 4 labels per issue need 4 volunteers. You have chosen 3. Choose 1 more volunteer,",
        ),
        ({"members": []}, "× 0 assignments = 0 No volunteer chosen yet."),
        ({"repositories": []}, "issues 0"),
    ],
)
@pytest.mark.slow(cases=3)
def test_the_preview_counts_and_stores_nothing(world, changes, said):
    form = form_of(world, **changes) | {"preview": "1"}
    fragment = post(world.lead, "new_round", world.study.slug, form=form, **PREVIEW)
    assert fragment.status_code == 200
    assert fragment.content.decode().lstrip().startswith("<section")
    assert said in text_of(fragment)
    page = post(world.lead, "new_round", world.study.slug, form=form)
    assert page.status_code == 200
    assert said in text_of(page)
    assert not Round.objects.exists()
