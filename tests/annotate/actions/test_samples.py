"""Drawing a sample: which issues come, what is kept with them, what is refused."""

import hashlib
from dataclasses import replace

import pytest

from annotate import errors
from annotate.actions.rounds import close_round
from annotate.actions.samples import draw_sample
from annotate.models import Sample, SampleIssue
from annotate.queries.planning import sources
from annotate.queries.samples import SampleFrame, check, frame_of, framed_urls
from ingest.models import Issue, SavedFilter
from rounds.errors import NotAllowed
from studies.models import Event, Role
from tests import factories
from tests.kept import kept
from tests.races import at_once
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db


@kept
def world() -> World:
    """A study of repositories `a/a` with 30 and `b/b` with 5 issues."""
    study = factories.make_study()
    first, second = factories.make_repository(study, "a/a"), factories.make_repository(study, "b/b")
    issues = [factories.make_issue(first, str(number), year=2023 + number % 2) for number in range(1, 31)]
    issues += [factories.make_issue(second, str(number), text=False) for number in range(1, 6)]
    return World(
        study=study,
        version=factories.make_version(study),
        repository=first,
        issues=issues,
        lead=factories.make_member(study, Role.LEAD, pseudonym="Lead"),
        members=[factories.make_member(study, pseudonym="R1")],
    )


def drawn(world: World, **fields) -> Sample:
    fields = {"name": "Pilot", "frame": SampleFrame(), "by": world.lead, "margin": 0.2, "seed": 7} | fields
    return draw_sample(study=world.study, **fields)


def urls(sample: Sample) -> list[str]:
    places = SampleIssue.objects.filter(sample=sample).order_by("position")
    return list(places.values_list("issue__url", flat=True))


def by_recipe(found, size: int, seed: int) -> list[str]:
    return sorted(found, key=lambda url: hashlib.blake2b(f"{seed}/{url}".encode()).digest())[:size]


def test_a_sample_is_what_the_recipe_draws_from_the_urls_and_the_seed(world):
    sample = drawn(world)
    assert urls(sample) == [
        *by_recipe([issue.url for issue in world.issues[:30]], 14, 7),
        *by_recipe([issue.url for issue in world.issues[30:]], 5, 7),
    ]
    positions = SampleIssue.objects.filter(sample=sample).order_by("position")
    assert list(positions.values_list("position", flat=True)) == list(range(1, 20))
    event = Event.objects.get(verb="samples.drawn")
    assert (event.by, event.detail) == (world.lead.user, {"sample": "Pilot", "issues": 19, "seed": 7})


def test_the_plan_is_kept_with_the_sample(world):
    frame = SampleFrame(name="All issues")
    sample = drawn(world, frame=frame, own={world.issues[30].repository_id: 2}, confidence=0.9)
    assert (sample.name, sample.seed, sample.created_by) == ("Pilot", 7, world.lead)
    assert sample.plan == {
        "confidence": 0.9, "margin": 0.2, "share": 0.5, "rounding": "up",
        "filter": {
            "source": "issues", "name": "All issues", "query": {}, "year": None, "with_text": False,
            "without_pull_requests": False,
            "left_out": [],
        },
        "left_out": [],
        "newest": world.issues[-1].pk,
        "strata": [
            {"id": world.repository.pk, "repository": "a/a", "issues": 30, "size": 11, "drawn": 11},
            {"id": world.issues[30].repository_id, "repository": "b/b", "issues": 5, "size": 4, "drawn": 2},
        ],
    }  # fmt: skip


def test_a_seed_is_drawn_when_none_is_given(world):
    first, second = drawn(world, name="1", seed=None), drawn(world, name="2", seed=None)
    assert first.seed != second.seed
    assert 0 <= first.seed < 10**9


def test_the_rounding_is_that_of_the_plan(world):
    asked = {"margin": 0.37, "confidence": 0.95}
    for rounding, sizes in (("up", [7, 4]), ("cochran", [6, 4])):
        strata = drawn(world, name=rounding, rounding=rounding, **asked).plan["strata"]
        assert [stratum["drawn"] for stratum in strata] == sizes


@pytest.mark.parametrize(
    ("frame", "sizes"),
    [
        ({"year": 2023}, {"a/a": 15}),
        ({"with_text": True}, {"a/a": 30}),
        ({"without_pull_requests": True}, {"a/a": 20, "b/b": 5}),
    ],
)
def test_what_it_is_drawn_from_can_be_narrowed(world, frame, sizes):
    Issue.objects.filter(pk__in=[issue.pk for issue in world.issues[:10]]).update(is_pull_request=True)
    strata = drawn(world, frame=SampleFrame(**frame)).plan["strata"]
    assert {stratum["repository"]: stratum["issues"] for stratum in strata} == sizes


def named(world: World, value: str) -> SampleFrame:
    return frame_of(world.study, next(one for one in sources(world.study) if one.value == value))


def test_a_sample_of_a_saved_filter_keeps_the_filter_as_it_was(world):
    saved = SavedFilter.objects.create(study=world.study, name="Of 2024", query={"year": "2024"})
    sample = drawn(world, frame=named(world, f"filter:{saved.pk}"))
    assert sample.plan["filter"]["query"] == {"year": "2024"}
    saved.delete()
    assert check(sample).is_same


def test_a_sample_of_a_round_and_of_another_sample(world):
    round_ = world.round(issues=Issue.objects.filter(repository=world.repository, year=2023))
    of_round = drawn(world, frame=named(world, f"round:{round_.pk}"))
    assert [stratum["issues"] for stratum in of_round.plan["strata"]] == [15]
    of_sample = drawn(world, name="Half", frame=named(world, f"sample:{of_round.pk}"), margin=0.4)
    assert set(urls(of_sample)) < set(urls(of_round))


def test_only_leads_of_the_study_draw(world):
    others = [factories.make_member(world.study, role) for role in (Role.VOLUNTEER, Role.VIEWER, Role.MODEL)]
    for by in (*others, factories.make_member(factories.make_study(), Role.OWNER)):
        with pytest.raises(NotAllowed):
            drawn(world, by=by)


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({"name": "  "}, "name", "Give the sample a name."),
        ({"name": "x" * 121}, "name", "longer than 120"),
        ({"confidence": 1}, "confidence", "above 0 and below 100 percent"),
        ({"margin": 0}, "margin", "above 0 and below 100 percent"),
        ({"share": 1.5}, "share", "above 0 and below 100 percent"),
        ({"seed": -1}, "seed", "A seed is a whole number from 0 to 9,223,372,036,854,775,807."),
        ({"seed": 2**63}, "seed", "A seed is a whole number"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_the_field(world, fields, field, said):
    with pytest.raises(errors.SampleRefused, match=said) as refused:
        drawn(world, **fields)
    assert refused.value.field == field
    assert not Sample.objects.exists()


@pytest.mark.parametrize("number", [-1, 31])
def test_an_own_number_that_the_repository_does_not_have_is_refused(world, number):
    with pytest.raises(errors.SampleRefused, match="a/a has 30 issues to draw from") as refused:
        drawn(world, own={world.repository.pk: number})
    assert refused.value.field == f"own_{world.repository.pk}"


def test_a_sample_without_issues_is_none(world):
    nothing = {issue.repository_id: 0 for issue in world.issues}
    for asked in ({"own": nothing}, {"frame": SampleFrame(year=1999)}):
        with pytest.raises(errors.SampleRefused, match="No issue would be drawn"):
            drawn(world, **asked)


def test_a_name_is_given_once(world):
    drawn(world)
    with pytest.raises(errors.SampleRefused, match="a sample with this name"):
        drawn(world)
    assert Sample.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_leads_draw_the_same_name_at_once():
    world = small_world(issues=4)
    one, other = at_once(lambda: drawn(world), lambda: drawn(world))
    refused = [answer for answer in (one, other) if isinstance(answer, errors.SampleRefused)]
    assert len(refused) == 1
    assert SampleIssue.objects.count() == Sample.objects.get().drawn.count() == 4


# --- drawn again


def test_a_sample_is_drawn_again_as_it_was_and_what_came_since_takes_no_part(world):
    sample = drawn(world)
    found = check(sample)
    assert (found.is_same, found.size, found.differing, found.changed, found.newer) == (True, 19, 0, [], 0)
    factories.make_issues(world.repository, 40)
    found = check(sample)
    assert (found.is_same, found.newer) == (True, 40)


def test_what_changed_since_is_said(world):
    sample = drawn(world, frame=SampleFrame(year=2023))
    came = Issue.objects.get(url=urls(sample)[0])
    Issue.objects.filter(pk=came.pk).update(year=2024)
    found = check(sample)
    assert (found.is_same, found.differing) == (False, 1)
    assert found.changed == [{"repository": "a/a", "then": 15, "now": 14}]


def test_what_it_was_drawn_from_is_listed_with_the_drawn_marked(world):
    sample = drawn(world)
    rows = list(framed_urls(sample))
    assert len(rows) == 35
    assert {url for _path, url, is_drawn in rows if is_drawn} == set(urls(sample))


def test_what_a_screening_kept_is_to_be_had_once_it_is_closed(world):
    relevance = factories.make_version(world.study, ["R", "F", "F.1"])
    false = factories.category(relevance, "F")
    screening = world.round(kind="screening", version=relevance, depth=1, excludes=false)
    source = f"kept:{screening.pk}"
    assert source not in [one.value for one in sources(world.study)]
    for issue, code in zip(world.issues, ["R", "R", *["F"] * 33], strict=True):
        replace(world, version=relevance).submit(screening, issue, world.members[0], code)
    close_round(round_=screening, by=world.lead)
    assert set(urls(drawn(world, frame=named(world, source)))) == {issue.url for issue in world.issues[:2]}
