import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from overview.queries.sizes import Size, size_of
from rounds.models import Round
from studies.actions import create_study
from studies.models import Membership
from tests.factories import make_issue, make_member, make_repository, make_round, make_study, make_version
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db


def test_the_label_tab_is_for_the_volunteers_of_the_open_round(client):
    study = make_study(slug="engines")
    volunteer, newcomer = make_member(study), make_member(study)
    round_ = make_round(make_version(study), [make_issue(make_repository(study))], [volunteer])
    link = f'href="{reverse("label", args=[round_.pk])}"'

    def tabs_of(member) -> str:
        client.force_login(member.user)
        body = client.get(reverse("round", args=[round_.pk])).content.decode()
        return body.partition('class="within"')[2].partition("</nav>")[0]

    assert link in tabs_of(volunteer)
    assert link not in tabs_of(newcomer)
    round_.closed_at = timezone.now()
    round_.save()
    assert link not in tabs_of(volunteer)


def links(body: str, place: str) -> dict[str, str]:
    """Name to address of the links in the row of tabs with this label; the page's own tab ends with a star."""
    row = body.partition(f'aria-label="{place}"')[2].partition("</nav>")[0]
    found = re.findall(r'<a href="([^"]+)"\s*(aria-current="[a-z]+")?\s*>(.*?)</a>', row, re.DOTALL)
    return {
        " ".join(re.sub("<[^>]+>", " ", name).split()) + ("*" if mark else ""): url
        for url, mark, name in found
    }


def test_the_sections_of_a_study_and_the_pages_within_one(client):
    world = small_world()
    client.force_login(world.lead.user)
    body = client.get(reverse("keywords", args=[world.study.slug])).content.decode()
    assert list(links(body, "Study")) == [
        "Overview",
        "Issues 3*",
        "Taxonomy v1",
        "Rounds",
        "Meetings",
        "Interviews",
        "Report",
        "People 4",
        "Export",
    ]
    assert list(links(body, "Section")) == [
        "All issues",
        "Imports",
        "Harvests",
        "Keyword lists*",
        "Similar reports",
        "Samples",
    ]
    client.force_login(world.members[0].user)
    body = client.get(reverse("keywords", args=[world.study.slug])).content.decode()
    assert list(links(body, "Section")) == ["All issues", "Keyword lists*", "Samples"]
    for url in links(body, "Study").values():
        assert client.get(url).status_code == 200


def test_a_round_has_its_own_tabs_with_their_counts_and_can_be_switched(client):
    world = small_world(issues=3, members=2)
    first, second = world.round(name="First round"), world.round(name="Second round")
    for member, code in zip(world.members, ("C.1", "A.1"), strict=True):
        world.submit(first, world.issues[0], member, code)
    client.force_login(world.members[0].user)

    body = client.get(reverse("disagreements", args=[first.pk])).content.decode()
    assert list(links(body, "Study"))[3] == "Rounds*"
    assert list(links(body, "Round")) == [
        "Label 2 to go",
        "My labels",
        "Progress 33 % complete",
        "Disagreements*",  # the other round still asks for a label of this issue
        "Agreement",
    ]
    menu = body.partition('class="within"')[2].partition("</div>")[0]
    assert re.findall(r'href="([^"]+)"', menu) == [
        reverse("disagreements", args=[second.pk]),
        reverse("disagreements", args=[first.pk]),
    ]
    client.force_login(world.lead.user)
    said = links(client.get(reverse("agreement", args=[first.pk])).content.decode(), "Round")
    assert list(said) == ["Progress 33 % complete", "Disagreements 1 open", "Agreement*"]
    client.force_login(world.members[0].user)
    body = client.get(reverse("round", args=[second.pk])).content.decode()
    assert list(links(body, "Round")) == [
        "Label 3 to go",
        "My labels",
        "Progress 0 % complete*",
        "Disagreements",
        "Agreement",
    ]


def test_a_round_that_hides_its_progress_shows_no_share(client):
    world = small_world(issues=1, members=2)
    round_ = world.round(reveal=Round.Reveal.ROUND_CLOSED)
    for member, code in zip(world.members, ("C.1", "A.1"), strict=True):
        world.submit(round_, world.issues[0], member, code)
    client.force_login(world.lead.user)
    body = client.get(reverse("round", args=[round_.pk])).content.decode()
    assert list(links(body, "Round")) == ["Progress*", "Disagreements", "Agreement"]


@pytest.mark.parametrize("name", ["study_meetings", "study_report"])
def test_the_pages_of_all_rounds_cost_the_same_at_one_and_at_three(client, name):
    counts = []
    for rounds in (1, 3):
        world = small_world(issues=1, members=2)
        for nth in range(rounds):
            round_ = world.round(name=f"Round {nth}")
            for member, code in zip(world.members, ("C.1", "A.1"), strict=True):
                world.submit(round_, world.issues[0], member, code)
        client.force_login(world.lead.user)
        address = reverse(name, args=[world.study.slug])
        body = client.get(address).content.decode()
        assert all(f"Round {nth}" in body for nth in range(rounds))
        with CaptureQueriesContext(connection) as queries:
            client.get(address)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_tabs_say_how_large_the_study_is_and_of_no_other_study(client):
    world, other = small_world(issues=2, members=2), small_world(issues=7, members=3)
    assert (world.study.pk, size_of(world.study)) != (other.study.pk, size_of(other.study))
    assert size_of(world.study) == Size(issues=2, people=3, open_meetings=0, version=1)
    assert size_of(create_study(name="Empty", by=world.lead.user)) == Size(
        issues=0, people=1, open_meetings=0, version=0
    )

    Membership.objects.filter(pk=world.members[0].pk).update(left_at=timezone.now())
    assert size_of(world.study) == Size(issues=2, people=2, open_meetings=0, version=1)
    assert size_of(other.study) == Size(issues=7, people=4, open_meetings=0, version=1)

    make_version(other.study)
    assert size_of(other.study).version == 0  # of two taxonomies


def test_the_bell_asks_for_what_waits(client):
    world = small_world(issues=3, members=2)
    world.round(name="Main round")
    client.force_login(world.members[0].user)
    page = client.get(reverse("me")).content.decode()
    assert page.count('hx-get="/"') == 1

    asked = {"HX-Request": "true", "HX-Target": "waits"}
    body = client.get("/", headers=asked).content.decode()
    assert re.findall(r'href="([^"]+)"', body) == [reverse("label", args=[Round.objects.get().pk])]
    assert " ".join(re.sub("<[^>]+>", " ", body).split()).startswith("3 issues to label Main round")

    client.force_login(make_member(world.study, role="viewer").user)
    assert "Nothing waits for you now." in client.get("/", headers=asked).content.decode()
