"""Samples as a lead plans them and as everybody reads them."""

import csv
import re

import pytest
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from annotate.actions.samples import draw_sample
from annotate.errors import SampleRefused
from annotate.models import Sample
from annotate.queries.samples import SampleFrame
from ingest.models import Issue
from rounds.models import Round
from tests import factories
from tests.worlds.pages import client as signed_in
from tests.worlds.pages import queries_of
from tests.worlds.planned import get, post, text_of
from tests.worlds.world import World, small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=60, members=1)]

PLAN = {"HX-Request": "true", "HX-Target": "plan"}


def form_of(**changes) -> dict:
    form = {
        "name": "Pilot sample",
        "source": "issues",
        "year": "",
        "confidence": "95",
        "margin": "5",
        "share": "50",
        "rounding": "up",
        "seed": "7",
    }
    return {name: value for name, value in (form | changes).items() if value is not None}


def make(world: World, **changes):
    return post(world.lead, "new_sample", world.study.slug, form=form_of(**changes))


def drawn(world: World, name="Pilot sample", **fields) -> Sample:
    return draw_sample(
        study=world.study, by=world.lead, name=name, frame=SampleFrame(name="All"), seed=7, **fields
    )


def test_a_sample_is_drawn_as_posted(world):
    form = form_of(margin="12.5", confidence="90", share="30", rounding="cochran", seed="42")
    form |= {"form_key": "6f0d5c0e-3f0a-4b9e-9a55-0a4cf2f3b7d1"}
    answer, again = (post(world.lead, "new_sample", world.study.slug, form=form) for _click in range(2))
    assert again.status_code == 302
    sample = Sample.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, sample.get_absolute_url())
    plan = {name: sample.plan[name] for name in ("confidence", "margin", "share", "rounding")}
    assert plan == {"confidence": 0.9, "margin": 0.125, "share": 0.3, "rounding": "cochran"}
    assert (sample.name, sample.seed, sample.drawn.count()) == ("Pilot sample", 42, 23)


def test_the_form_offers_a_seed_and_draws_one_without_it(world):
    body = get(world.lead, "new_sample", world.study.slug).content.decode()
    assert re.search(r'name="seed" value="\d+"', body)
    make(world, seed="", **{f"own_{world.repository.pk}": "3"})
    sample = Sample.objects.get()
    assert 0 <= sample.seed < 10**9
    assert sample.drawn.count() == 3  # the own number, not the size by the rule


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": ""}, "Give the sample a name."),
        ({"confidence": "100"}, "less than or equal to 99.9"),
        ({"margin": "0"}, "greater than or equal to 0.1"),
        ({"share": "a half"}, "Enter a number."),
        ({"seed": "-1"}, "greater than or equal to 0"),
        ({"seed": str(2**63)}, "less than or equal to 9223372036854775807"),
        ({"source": "filter:99"}, "Select a valid choice."),
        ({"name": "Taken"}, "The study already has a sample with this name."),
        ({"own": "61"}, "has 60 issues to draw from, not 61."),
        ({"own": "0"}, "No issue would be drawn."),
    ],
)
def test_a_refusal_keeps_what_was_typed(world, changes, said):
    drawn(world, name="Taken")
    if "own" in changes:
        changes = {f"own_{world.repository.pk}": changes["own"]}
    answer = make(world, **changes)
    assert answer.status_code == 422
    assert said in text_of(answer)
    assert all(
        f'value="{value}"' in answer.content.decode() for name, value in changes.items() if name != "source"
    )
    assert Sample.objects.count() == 1


def test_the_calculator_shows_both_roundings_and_their_totals(world):
    other = factories.make_repository(world.study, "zz/zz")
    factories.make_issues(other, 3)
    factories.make_repository(world.study, "zz/without")
    form = form_of(margin="36", name="") | {"preview": "1"}
    said = text_of(post(world.lead, "new_sample", world.study.slug, form=form, **PLAN))
    heads = "Repository Issues Rounded up Cochran Own number"
    assert (
        f"11 of 63 issues {heads} {world.repository.path} 60 8 7 zz/zz 3 3 3 Total 63 11 10 Draw sample"
        in said
    )
    assert "zz/without" not in said
    assert not Sample.objects.exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "52 of 60 issues"),
        ({"margin": "x"}, "60 – –"),
        ({"with_text": "on"}, "No issue is left to draw from."),
    ],
)
def test_the_calculator_answers_without_javascript_too(world, changes, said):
    if "with_text" in changes:
        Issue.objects.update(current=None)
    form = form_of(**changes) | {"preview": "1"}
    answer = post(world.lead, "new_sample", world.study.slug, form=form)
    assert answer.status_code == 200
    assert said in text_of(answer)
    assert text_of(post(world.lead, "new_sample", world.study.slug, form=form, **PLAN)) in text_of(answer)
    assert not Sample.objects.exists()


def test_a_study_without_issues_is_told_to_import_some():
    bare = small_world(issues=0)
    assert "This study has no issues yet" in text_of(get(bare.lead, "new_sample", bare.study.slug))
    assert "This study has no issues yet" in text_of(get(bare.lead, "samples", bare.study.slug))


def test_the_list_leads_on(world):
    assert "Calculate how many" in text_of(get(world.lead, "samples", world.study.slug))
    assert "A lead draws the first sample." in text_of(get(world.members[0], "samples", world.study.slug))
    sample = drawn(world)
    page = get(world.members[0], "samples", world.study.slug)
    assert "Pilot sample All 52 95 % ± 5 % 7" in text_of(page).replace("\xa0", " ")
    assert sample.get_absolute_url() in page.content.decode()
    assert reverse("new_sample", args=[world.study.slug]) not in page.content.decode()


def test_a_sample_tells_how_to_draw_it_again(world):
    sample = drawn(world)
    page = get(world.lead, "sample", world.study.slug, sample.pk)
    said = text_of(page).replace("\xa0", " ")
    assert "52 of 60 issues, drawn by Lead. Source: All." in said
    assert 'hashlib.blake2b(f"7/{url}".encode()).digest()' in said
    assert f"new/?kind=pilot&amp;source=sample%3A{sample.pk}" in page.content.decode()
    member = get(world.members[0], "sample", world.study.slug, sample.pk).content.decode()
    assert "kind=pilot" not in member


def test_its_issues_come_in_pages_in_the_order_of_the_draw(world):
    sample = drawn(world)
    first = get(world.lead, "sample", world.study.slug, sample.pk).content.decode()
    after = re.search(r"\?after=(\d+)", first)[0]
    second = signed_in(world.lead).get(f"{sample.get_absolute_url()}{after}").content.decode()
    back = re.search(r"\?before=(\d+)", second)[0]
    again = signed_in(world.lead).get(f"{sample.get_absolute_url()}{back}").content.decode()
    numbers = [
        re.findall(r'<td class="n">([\d,]+)</td>\s*<th scope="row" class="ti">', page)
        for page in (first, second, again)
    ]
    assert numbers == [[str(n) for n in range(1, 51)], ["51", "52"], [str(n) for n in range(1, 51)]]


def test_the_check_says_whether_it_would_come_again(world):
    sample = drawn(world)
    address = f"{sample.get_absolute_url()}?check=1"
    headers = {"HX-Request": "true", "HX-Target": "check"}
    assert "The same 52 issues, in the same order." in text_of(
        signed_in(world.lead).get(address, headers=headers)
    )
    factories.make_issues(world.repository, 2)
    assert "2 newer issues are not part of the draw." in text_of(signed_in(world.lead).get(address))


def test_the_urls_download_as_csv(world):
    sample = drawn(world)
    answer = get(world.members[0], "sample_csv", world.study.slug, sample.pk)
    rows = list(csv.reader(answer.getvalue().decode().splitlines()))
    places = sample.drawn.order_by("position").select_related("issue")
    assert rows == [
        ["Repository", "Issue_URL"],
        *([world.repository.path, place.issue.url] for place in places),
    ]
    assert answer["Content-Disposition"] == 'attachment; filename="pilot-sample-sample.csv"'
    everything = signed_in(world.lead).get(
        f"{reverse('sample_csv', args=[world.study.slug, sample.pk])}?of=all"
    )
    rows = list(csv.reader(everything.getvalue().decode().splitlines()))
    assert rows[0] == ["Repository", "Issue_URL", "Drawn"]
    assert [sum(row[2] == mark for row in rows) for mark in "10"] == [52, 8]


def test_a_sample_of_another_study_is_not_there(world):
    other = small_world(issues=1)
    assert get(other.lead, "sample", other.study.slug, drawn(world).pk).status_code == 404


@pytest.mark.parametrize("name", ["samples", "new_sample", "sample"])
def test_pages_take_a_fixed_number_of_queries(world, name):
    """At one repository and sample, and at three."""
    sample, lead = drawn(world), signed_in(world.lead)
    address = reverse(name, args=[world.study.slug, *([sample.pk] if name == "sample" else [])])
    one = queries_of(lead, address)
    for number in range(2):
        factories.make_issues(factories.make_repository(world.study), 4)
        drawn(world, name=f"Another {number}")
    assert queries_of(lead, address) == one


def test_rest_gives_the_plan_and_the_urls(world):
    sample = drawn(world)
    client = APIClient()
    client.force_authenticate(world.members[0].user)
    listed = client.get(reverse("api_samples", args=[world.study.slug])).json()
    assert [(one["name"], one["seed"], one["issues"], one["plan"]) for one in listed] == [
        ("Pilot sample", 7, 52, sample.plan)
    ]
    one = client.get(reverse("api_sample", args=[world.study.slug, sample.pk])).json()
    assert one["urls"] == [
        place.issue.url for place in sample.drawn.order_by("position").select_related("issue")
    ]


def test_a_sample_leaves_out_pilots_trainings_and_other_samples(world):
    pilot = world.round(
        kind="pilot", name="Pilot", issues=Issue.objects.filter(pk__in=[one.pk for one in world.issues[:10]])
    )
    main = world.round(kind="main", name="Main", opened=False)
    first = drawn(world, name="First", own={world.repository.pk: 20})
    page = get(world.lead, "new_sample", world.study.slug)
    ticked = re.findall(r'name="left_out" value="([^"]*)"[^>]*checked', page.content.decode())
    assert ticked == [f"round:{pilot.pk}", f"round:{main.pk}"]
    assert "Left out: 10 issues of Pilot" in text_of(page)
    page = get(world.lead, "new_sample", world.study.slug, query=f"?source=round:{main.pk}")
    assert re.findall(r'name="left_out" value="([^"]*)"[^>]*checked', page.content.decode()) == ticked[:1]
    gone = {one.pk for one in world.issues[:10]} | set(first.drawn.values_list("issue", flat=True))
    left_out = [f"round:{pilot.pk}", f"sample:{first.pk}"]
    seen = post(
        world.lead, "new_sample", world.study.slug, form=form_of(left_out=left_out, preview="1"), **PLAN
    )
    assert f"of {60 - len(gone)} issues" in text_of(seen)
    make(world, name="Second", left_out=left_out, margin="1")
    second = Sample.objects.get(name="Second")
    assert set(second.drawn.values_list("issue", flat=True)) == {one.pk for one in world.issues} - gone
    assert second.plan["left_out"] == [
        {"source": left_out[0], "name": "Pilot", "issues": 10},
        {"source": left_out[1], "name": "First", "issues": 20},
    ]
    page = text_of(get(world.lead, "sample", world.study.slug, second.pk, query="?check=1"))
    assert "Left out: 10 issues of Pilot, 20 issues of First." in page
    assert "in the same order" in page
    with pytest.raises(SampleRefused) as refusal:
        draw_sample(
            study=world.study, by=world.lead, name="Third", frame=SampleFrame(left_out=["round:0"]), seed=7
        )
    assert refusal.value.field == "left_out"


def test_a_sample_is_drawn_from_what_the_newest_screening_kept_unless_told_otherwise(world):
    rounds = [
        factories.make_round(world.version, world.issues, world.members, name=f"No. {n}", kind="screening")
        for n in (1, 2, 3)
    ]
    Round.objects.filter(pk__in=[one.pk for one in rounds[:2]]).update(closed_at=timezone.now())
    page = get(world.lead, "new_sample", world.study.slug).content.decode()
    assert f'value="kept:{rounds[1].pk}" selected' in page
    page = signed_in(world.lead).get(reverse("new_sample", args=[world.study.slug]) + "?source=issues")
    assert 'value="issues" selected' in page.content.decode()


def test_a_smaller_sample_says_the_margin_that_it_reaches(world):
    """Of 60 issues 52 are calculated for 5 %; 20 reach z sqrt(0.25 x (40/59) / 20) = 18.04 %."""
    planned, few = drawn(world, "Whole"), drawn(world, "Few", own={world.repository.pk: 20})
    shown = [text_of(get(world.lead, "sample", world.study.slug, one.pk)) for one in (planned, few)]
    assert ["Fewer issues were drawn than calculated" in text for text in shown] == [False, True]
    assert "± 18.04 %" in shown[1]
    assert "± 17.89" not in shown[0]
