"""The disagreements: who reads them, what is listed and drawn, and that nothing blind is on it."""

import html
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.actions.rounds import close_round
from annotate.models import Decision, Round
from studies.models import Role
from taxonomy.models import Level
from tests import factories
from tests.annotate.views.parted import (
    FRAGMENT,
    cells_of,
    chips_of,
    five_issues,
    get,
    give_labels,
    listed,
    post,
    settle,
    signed_in,
    text_of,
)
from tests.annotate.world import World, small_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    return small_world(issues=5, members=4)


@pytest.fixture
def labelled(world) -> Round:
    return five_issues(world)


# --- who may see it


@pytest.mark.parametrize("name", ["disagreements", "settle_issue"])
def test_a_stranger_finds_nothing(world, labelled, name):
    stranger = factories.make_member(factories.make_study(), Role.OWNER)
    assert get(stranger, labelled).status_code == 404
    assert post(stranger, labelled, world.issues[0], choice=world.category("C.2").pk).status_code == 404
    assert not Decision.objects.filter(method="lead").exists()


def test_a_visitor_is_asked_to_sign_in(labelled):
    response = Client().get(reverse("disagreements", args=[labelled.pk]))
    assert (response.status_code, response["Location"].partition("?")[0]) == (302, reverse("account_login"))


@pytest.mark.parametrize(
    ("role", "status"), [(Role.OWNER, 200), (Role.LEAD, 200), (Role.VOLUNTEER, 200), (Role.VIEWER, 200), (Role.MODEL, 403)]
)  # fmt: skip
def test_every_member_but_a_model_reads(world, labelled, role, status):
    member = factories.make_member(world.study, role, pseudonym="X")
    assert get(member, labelled).status_code == status


@pytest.mark.parametrize("role", [Role.VOLUNTEER, Role.VIEWER, Role.MODEL])
def test_only_owner_and_leads_settle(world, labelled, role):
    member = factories.make_member(world.study, role, pseudonym="X")
    answer = post(member, labelled, world.issues[0], choice=world.category("C.2").pk)
    assert answer.status_code == 403
    assert not Decision.objects.filter(method="lead").exists()
    if role != Role.MODEL:
        page = get(member, labelled, f"issue={world.issues[0].pk}")
        assert (
            'id="decide"' in page.content.decode(),
            "a lead of the study, or a meeting, decides" in text_of(page),
        ) == (
            False,
            True,
        )


# --- what is on it


def test_the_sentence_counts_with_its_bases(world, labelled):
    settle(world, labelled, world.issues[0], "C.9")
    assert (
        "3 of 4 complete issues are not unanimous (75.0 %). 1 is settled, 2 wait for a decision."
        " 4 of the round's 5 issues are complete; the others stay blind."
    ) in text_of(get(world.lead, labelled))


def test_shares_are_rounded():
    world = small_world(issues=3, members=2)
    round_ = world.round()
    give_labels(world, round_, "C.2 C.9", "C.2 C.9", "C.2 C.2")
    assert "2 of 3 complete issues are not unanimous (66.7 %)." in text_of(get(world.lead, round_))


def test_the_list_shows_chips_in_fixed_columns_with_the_odd_ones_marked(world, labelled):
    response = get(world.members[0], labelled)
    assert listed(response) == [world.issues[0].pk, world.issues[2].pk, world.issues[3].pk]
    assert chips_of(response) == [
        [("C.2", "ghost"), ("C.2", "ghost"), ("C.9", "odd"), ("C.2", "ghost")],
        # Two against two: nobody departs from a majority.
        [("C.2", ""), ("B.1", ""), ("C.2", ""), ("B.1", "")],
        [("C.2", "odd"), ("C.9", "ghost"), ("C.9", "ghost"), ("C.9", "ghost")],
    ]
    said = text_of(response)
    assert "3 × C.2, 1 × C.9 part at theme" in said.replace(" ,", ",")
    assert "2 × B.1, 2 × C.2 part at type" in said.replace(" ,", ",")
    assert [f"R{n}" for n in range(1, 5)] == re.findall(r'class="v" title="(\w+)"', response.content.decode())


def test_many_volunteers_share_one_column():
    world = small_world(issues=1, members=11)
    round_ = world.k_of_n(2)
    world.submit(round_, world.issues[0], world.members[10], "C.2")
    world.submit(round_, world.issues[0], world.members[3], "C.9")
    response = get(world.lead, round_)
    assert listed(response) == [world.issues[0].pk]
    assert 'class="v"' not in response.content.decode()
    assert "R4 C.9" in text_of(response)
    assert "R11 C.2" in text_of(response)


def test_the_matrix_counts_issues_by_pair_and_links_filter(world, labelled):
    response = get(world.lead, labelled)
    both = {"C.2-C.9": "2", "C.9-C.2": "2", "B.1-C.2": "1", "C.2-B.1": "1"}
    assert cells_of(response) == both
    link = re.search(r'<a href="([^"]*)" hx-get="([^"]*)"[^>]*id="cell-C.9-C.2"', response.content.decode())
    assert link[1] == link[2] == f"{reverse('disagreements', args=[labelled.pk])}?pair=C.2+C.9"
    picked = signed_in(world.lead).get(link[1])
    assert listed(picked) == [world.issues[0].pk, world.issues[3].pk]
    assert re.findall(r'id="cell-([^"]*)" aria-current="true"', picked.content.decode()) == [
        "C.2-C.9",
        "C.9-C.2",
    ]
    assert "Pair C.2 and C.9" in text_of(picked)


def test_the_matrix_at_the_level_of_types(world, labelled):
    response = get(world.lead, labelled, "level=type")
    assert cells_of(response) == {"B-C": "1", "C-B": "1"}
    assert "Where two types meet" in text_of(response)


def test_the_levels_end_at_the_rounds_depth(world):
    round_ = world.round(depth=Level.TYPE)
    give_labels(world, round_, "C B C C")
    response = get(world.lead, round_, "level=sub-theme")
    assert cells_of(response) == {"B-C": "1", "C-B": "1"}
    assert 'aria-label="Level of the matrix"' not in response.content.decode()


def test_the_largest_pairs_come_first(world, labelled):
    text = text_of(get(world.lead, labelled))
    assert (
        "largest pairs issues C.2 C.9 Name of C.2 or Name of C.9 2 2 B.1 C.2 Name of B.1 or Name of C.2 1 1"
        in text
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", [0, 2, 3]),
        ("type=B", [2]),
        ("type=A", []),
        ("pair=C.9+C.2", [0, 3]),
        ("pair=C+B", [2]),
        ("pair=C.2+C.9&type=B", []),
        ("pair=C.2+nonsense", []),
        ("state=open", [2, 3]),
        ("state=settled", [0]),
        ("state=settled&pair=C.2+B.1", []),
    ],
)
def test_filters(world, labelled, query, expected):
    settle(world, labelled, world.issues[0], "C.9")
    response = get(world.lead, labelled, query)
    assert response.status_code == 200
    assert listed(response) == [world.issues[place].pk for place in expected]


def test_counts_of_states_follow_the_other_filters(world, labelled):
    settle(world, labelled, world.issues[0], "C.9")
    text = text_of(get(world.lead, labelled, "pair=C.2+C.9&state=open"))
    assert "2 issues in the order of the round All 2 Open 1 Settled 1" in text


def test_the_filter_by_repository(world):
    other = factories.make_repository(world.study, "owner/other")
    world.issues.append(factories.make_issue(other))
    round_ = world.round()
    give_labels(world, round_, "C.2 C.2 C.9 C.2", *["C.2 C.2 C.2 C.2"] * 4, "B.1 C.9 C.9 C.9")
    response = get(world.lead, round_, f"repository={other.pk}")
    assert listed(response) == [world.issues[5].pk]
    assert "layout=long&amp;round=Round+1&amp;repository=owner%2Fother" in response.content.decode()


@pytest.mark.parametrize(
    "query",
    [
        "repository=x",
        "repository=99999999999999999999",
        "after=-1",
        "state=both",
        "level=deep",
        "pair=C.1",
        "issue=0x1",
    ],
)
def test_an_address_that_no_link_says_is_not_found(world, labelled, query):
    assert get(world.lead, labelled, query).status_code == 404


@pytest.mark.slow
def test_pages_follow_each_other():
    world = small_world(issues=53, members=2)
    round_ = world.round()
    for issue in world.issues:
        for member, code in zip(world.members, ("C.2", "C.9"), strict=True):
            factories.add_label(round_, issue, member, code)
    first = get(world.lead, round_, "pair=C.2+C.9")
    assert listed(first) == [issue.pk for issue in world.issues[:50]]
    (following,) = re.findall(r'rel="next"\s+href="([^"]*)"', first.content.decode())
    assert following == f"{reverse('disagreements', args=[round_.pk])}?pair=C.2+C.9&amp;after=50"
    last = signed_in(world.lead).get(html.unescape(following))
    assert listed(last) == [issue.pk for issue in world.issues[50:]]
    assert 'rel="next"' not in last.content.decode()
    # Behind the last issue of a page the next page begins.
    at_end = get(world.lead, round_, f"issue={world.issues[49].pk}")
    assert f"issue={world.issues[50].pk}" in re.search(r'<a [^>]*id="next"', at_end.content.decode())[0]


def test_a_fragment_is_the_region_alone_and_says_so(world, labelled):
    response = get(world.lead, labelled, "pair=C.2+C.9", **FRAGMENT)
    body = response.content.decode()
    assert "<html" not in body
    assert body.count('id="disagreements"') == 1
    assert 'id="said" role="status" hx-swap-oob="innerHTML"' in body
    assert "<title>" in body
    assert {"HX-Request", "HX-Target", "Cookie"} <= set(response["Vary"].split(", "))
    assert listed(response) == [world.issues[0].pk, world.issues[3].pk]


@pytest.mark.parametrize("name", ["decide", "panel", "nonesuch"])
def test_other_targets_get_the_page(world, labelled, name):
    body = get(world.lead, labelled, **(FRAGMENT | {"HX-Target": name})).content.decode()
    assert body.lstrip().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("query", ["", "pair=C.2+C.9", "issue={}"])
def test_the_page_costs_the_same_for_one_row_and_for_three(query):
    counts = []
    for rows in (1, 3):
        world = small_world(issues=rows, members=3)
        round_ = world.round()
        give_labels(world, round_, *["C.2 C.9 C.9"] * rows)
        client = signed_in(world.lead)
        address = f"{reverse('disagreements', args=[round_.pk])}?{query.format(world.issues[0].pk)}"
        client.get(address)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert len(listed(client.get(address))) == rows
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 26


# --- nothing to show


def test_empty_states_say_what_comes_next(world):
    planned = world.round(opened=False)
    assert "not open yet" in text_of(get(world.lead, planned))
    opened = world.round()
    assert "No issue is complete yet" in text_of(get(world.lead, opened))
    blind = world.round(reveal=Round.Reveal.ROUND_CLOSED)
    give_labels(world, blind, "C.2 C.2 C.9 C.2")
    assert "reveals its labels when it is closed" in text_of(get(world.lead, blind))
    give_labels(world, opened, "C.2 C.2 C.2 C.2")
    assert "agree: there is nothing to settle" in text_of(get(world.lead, opened))


def test_an_empty_list_offers_a_way_out(world, labelled):
    assert "No disagreement matches these filters. Clear the filters" in text_of(
        get(world.lead, labelled, "type=A")
    )
    assert "None of these is settled yet. Show all" in text_of(get(world.lead, labelled, "state=settled"))
    for issue, code in zip(
        (world.issues[0], world.issues[2], world.issues[3]), ("C.9", "C.2", "C.9"), strict=True
    ):
        settle(world, labelled, issue, code)
    assert "all of these are settled. Show all" in text_of(get(world.lead, labelled, "state=open"))


# --- blindness


@pytest.mark.parametrize("query", ["", "level=type", "pair=B.2+C.10", "type=B", "state=open", "issue={}"])
@pytest.mark.parametrize("headers", [{}, FRAGMENT])
def test_labels_of_an_incomplete_issue_are_nowhere(world, query, headers):
    """One issue lacks its last label; what others chose for it moves no byte, for the lead neither."""
    round_ = world.round()
    give_labels(world, round_, "C.2 C.2 C.9 C.2")
    shown = query.format(world.issues[0].pk)
    asking = {member: signed_in(member) for member in (world.lead, world.members[3])}
    address = f"{reverse('disagreements', args=[round_.pk])}?{shown}"
    before = {member: _stable(client.get(address, headers=headers)) for member, client in asking.items()}
    for member, code in zip(world.members[:3], ("C.10", "B.2", "C.10"), strict=True):
        world.submit(round_, world.issues[1], member, code, summary=f"{member.pseudonym} said a canary")
    for member, client in asking.items():
        after = _stable(client.get(address, headers=headers))
        assert after == before[member]
        assert "canary" not in after


def _stable(response) -> str:
    """A body without what differs by nature: tokens and keys of forms."""
    body = response.content.decode()
    body = re.sub(r'(name="(?:form_key|csrfmiddlewaretoken)" value=")[^"]*', r"\1", body)
    return re.sub(r'"X-CSRFToken": "[^"]*"', "", body)


def test_a_round_that_reveals_at_its_close_shows_nothing_before(world):
    round_ = world.round(reveal=Round.Reveal.ROUND_CLOSED)
    before = _stable(get(world.lead, round_))
    give_labels(world, round_, "C.2 C.2 C.9 C.2", "C.9 C.9 B.1 C.9")
    assert _stable(get(world.lead, round_)) == before
    assert get(world.lead, round_, f"issue={world.issues[0].pk}").status_code == 404
    close_round(round_=round_, by=world.lead)
    assert listed(get(world.lead, round_)) == [world.issues[0].pk, world.issues[1].pk]
    assert cells_of(get(world.lead, round_)) == {
        "C.2-C.9": "1",
        "C.9-C.2": "1",
        "B.1-C.9": "1",
        "C.9-B.1": "1",
    }


def test_an_issue_that_was_never_complete_is_on_no_list_after_the_close(world, labelled):
    close_round(round_=labelled, by=world.lead)
    assert listed(get(world.lead, labelled)) == [world.issues[0].pk, world.issues[2].pk, world.issues[3].pk]
    assert get(world.lead, labelled, f"issue={world.issues[4].pk}").status_code == 404
