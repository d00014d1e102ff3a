"""The disagreements: who reads them, what is listed and drawn, and that nothing blind is on it."""

import html
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotate.actions.rounds import close_round
from consensus.actions.agendas import put_on_agenda
from consensus.actions.decisions import note_disagreements
from consensus.actions.meetings import open_meeting, plan_meeting
from consensus.models import Decision
from consensus.queries.agendas import open_agendas
from ingest.models import Issue, SavedFilter, TermFind
from ingest.queries.filters import saved_filters
from rounds.models import Round
from studies.models import Role
from taxonomy.models import Level
from tests import factories
from tests.kept import kept
from tests.long import only_long
from tests.worlds.pages import queries_of
from tests.worlds.parted import (
    FRAGMENT,
    cells_of,
    chips_of,
    five_issues,
    get,
    give_labels,
    listed,
    post,
    signed_in,
    text_of,
)
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=5, members=4)]


@kept
def labelled(world) -> Round:
    return five_issues(world)


# --- who may see it


@pytest.mark.parametrize("role", [Role.VOLUNTEER, Role.VIEWER])
def test_only_owner_and_leads_are_offered_to_settle(world, labelled, role):
    member = factories.make_member(world.study, role, pseudonym="X")
    page = get(member, labelled, f"issue={world.issues[0].pk}")
    assert 'id="decide"' not in page.content.decode()
    assert "A lead or a meeting decides" in text_of(page)


# --- what is on it


def test_the_sentence_counts_with_its_bases(world, labelled):
    world.settle(labelled, world.issues[0], "C.9")
    assert (
        "Labels differ on 3 of 4 complete issues (75.0 %). Decided: 1 . On an agenda: 0 . Open: 2 ."
        " 4 of 5 issues in this round are complete. Labels of the other issues stay hidden."
    ) in text_of(get(world.lead, labelled))


@pytest.mark.world(issues=3, members=2)
def test_shares_are_rounded(world):
    round_ = world.round()
    give_labels(world, round_, "C.2 C.9", "C.2 C.9", "C.2 C.2")
    assert "Labels differ on 2 of 3 complete issues (66.7 %)." in text_of(get(world.lead, round_))


def test_the_list_shows_chips_in_fixed_columns_with_the_odd_ones_marked(world, labelled):
    response = get(world.members[0], labelled)
    assert listed(response) == [world.issues[2].pk, world.issues[0].pk, world.issues[3].pk]
    assert chips_of(response) == [
        # Two against two: nobody departs from a majority.
        [("C.2", ""), ("B.1", ""), ("C.2", ""), ("B.1", "")],
        [("C.2", "ghost"), ("C.2", "ghost"), ("C.9", "odd"), ("C.2", "ghost")],
        [("C.2", "odd"), ("C.9", "ghost"), ("C.9", "ghost"), ("C.9", "ghost")],
    ]
    said = text_of(response)
    assert "3 × C.2, 1 × C.9 differ in theme" in said.replace(" ,", ",")
    assert "2 × B.1, 2 × C.2 differ in type" in said.replace(" ,", ",")
    assert [f"R{n}" for n in range(1, 5)] == re.findall(r'class="v" title="(\w+)"', response.content.decode())


@pytest.mark.world(issues=1, members=11)
def test_many_volunteers_share_one_column(world):
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


def test_the_matrix_counts_the_issues_that_its_cells_list(world, labelled):
    """Chosen filters count in the matrix and its pairs too."""
    world.settle(labelled, world.issues[0], "C.2")
    for query, both, pairs in (
        ("state=open", {"C.2-C.9": "1", "B.1-C.2": "1"}, {("B.1", "C.2"): 1, ("C.2", "C.9"): 1}),
        ("state=decided", {"C.2-C.9": "1"}, {("C.2", "C.9"): 1}),
        ("split=2:2&pair=C.2+C.9", {"B.1-C.2": "1"}, {("B.1", "C.2"): 1}),
        ("state=agenda", {}, {}),
    ):
        response = get(world.lead, labelled, query)
        turned = {"-".join(reversed(cell.split("-"))): number for cell, number in both.items()}
        assert cells_of(response) == both | turned, query
        shown = response.context["matrix"]["pairs"]
        assert {(one["first"].code, one["second"].code): one["issues"] for one in shown} == pairs
        for one in shown:
            assert len(listed(signed_in(world.lead).get(one["url"]))) == one["issues"]
    assert "No disagreement matches these filters." in text_of(response)


def test_the_matrix_at_the_level_of_types(world, labelled):
    response = get(world.lead, labelled, "level=type")
    assert cells_of(response) == {"B-C": "1", "C-B": "1", "C-C": "2"}
    assert "Disagreements by pair of types" in text_of(response)


def test_the_levels_end_at_the_rounds_depth(world):
    round_ = world.round(depth=Level.TYPE)
    give_labels(world, round_, "C B C C")
    response = get(world.lead, round_, "level=sub-theme")
    assert cells_of(response) == {"B-C": "1", "C-B": "1"}
    assert 'aria-label="Level of the matrix"' not in response.content.decode()


def test_the_largest_pairs_come_first(world, labelled):
    text = text_of(get(world.lead, labelled))
    assert "issues C.2 C.9 Name of C.2 or Name of C.9 2 2 B.1 C.2 Name of B.1 or Name of C.2 1 1" in text
    assert "2 issues Sorted: two categories against each other first" in text_of(
        get(world.lead, labelled, "pair=C.2+C.9")
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [("", [2, 0, 3]), ("type=B", [2]), ("pair=C.9+C.2&state=open", [3]), ("state=decided&pair=C.2+B.1", [])],
)
def test_filters(world, labelled, query, expected):
    world.settle(labelled, world.issues[0], "C.9")
    response = get(world.lead, labelled, query)
    assert response.status_code == 200
    assert listed(response) == [world.issues[place].pk for place in expected]


def test_counts_of_states_follow_the_other_filters(world, labelled):
    world.settle(labelled, world.issues[0], "C.9")
    text = text_of(get(world.lead, labelled, "pair=C.2+C.9&state=open"))
    assert (
        "1 issue Sorted: two categories against each other first, then the closest votes Numbers changed: reload list All 2 Open 1 On an agenda 0 Decided 1"
        in text
    )


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
        "after=50",
        "split=4",
        "split=4:0",
        "parts_at=deep",
        "cause=weather",
        "volunteer=R1",
        "inside=C",
        "state=both",
        "level=deep",
        "pair=C.1",
        "issue=0x1",
    ],
)
def test_an_address_that_no_link_says_is_not_found(world, labelled, query):
    assert get(world.lead, labelled, query).status_code == 404


@pytest.mark.world(issues=33, members=2)
@pytest.mark.slow
@only_long
def test_pages_follow_each_other(world):
    round_ = world.round()
    for issue in world.issues:
        for member, code in zip(world.members, ("C.2", "C.9"), strict=True):
            factories.add_label(round_, issue, member, code)
    note_disagreements(round_)
    first = get(world.lead, round_, "pair=C.2+C.9")
    assert listed(first) == [issue.pk for issue in world.issues[:30]]
    (following,) = re.findall(r'rel="next"\s+href="([^"]*)"', first.content.decode())
    assert following == f"{reverse('disagreements', args=[round_.pk])}?pair=C.2+C.9&amp;after=2-0-30"
    last = signed_in(world.lead).get(html.unescape(following))
    assert listed(last) == [issue.pk for issue in world.issues[30:]]
    assert 'rel="next"' not in last.content.decode()
    # Behind the last issue of a page the next page begins.
    at_end = get(world.lead, round_, f"issue={world.issues[29].pk}")
    assert f"issue={world.issues[30].pk}" in re.search(r'<a [^>]*id="next"', at_end.content.decode())[0]


def test_a_fragment_is_the_region_alone_and_says_so(world, labelled):
    response = get(world.lead, labelled, "pair=C.2+C.9", **FRAGMENT)
    body = response.content.decode()
    assert "<html" not in body
    assert body.count('id="disagreements"') == 1
    assert 'id="said" role="status" hx-swap-oob="innerHTML"' in body
    assert "<title>" in body
    assert {"HX-Request", "HX-Target", "Cookie"} <= set(response["Vary"].split(", "))
    assert listed(response) == [world.issues[0].pk, world.issues[3].pk]


def test_an_open_meeting_is_a_click_away_for_those_who_can_join(world, labelled):
    meeting = plan_meeting(
        round_=labelled,
        by=world.lead,
        name="Thursday",
        chair=world.lead,
        participants=world.members,
        quorum=2,
    )
    put_on_agenda(meeting=meeting, by=world.lead, issues=[issue.pk for issue in world.issues])
    assert "Meeting open" not in get(world.lead, labelled).content.decode()
    open_meeting(meeting=meeting, by=world.lead)
    for member, joins in ((world.members[0], True), (factories.make_member(world.study, Role.VIEWER), False)):
        page = get(member, labelled).content.decode()
        assert ">Meeting open: 3 issues</a>" in page
        assert ("Join meeting</a>" in page) is joins
    world.settle(labelled, world.issues[0], "C.9")
    assert ">Meeting open: 2 issues</a>" in get(world.lead, labelled).content.decode()


@pytest.mark.parametrize("name", ["decide", "panel", "nonesuch"])
def test_other_targets_get_the_page(world, labelled, name):
    body = get(world.lead, labelled, **(FRAGMENT | {"HX-Target": name})).content.decode()
    assert body.lstrip().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("query", ["", "pair=C.2+C.9", "issue={}"])
@pytest.mark.slow
def test_the_page_costs_the_same_for_one_row_and_for_three(query):
    counts = []
    for rows in (1, 3):
        world = small_world(issues=rows, members=3)
        round_ = world.round()
        give_labels(world, round_, *["C.2 C.9 C.9"] * rows)
        address = f"{reverse('disagreements', args=[round_.pk])}?{query.format(world.issues[0].pk)}"
        assert len(listed(signed_in(world.lead).get(address))) == rows
        counts.append(queries_of(signed_in(world.lead), address))
    assert counts[0] == counts[1] == {"": 15, "pair=C.2+C.9": 16}.get(query, 19)


# --- nothing to show


def test_empty_states_say_what_comes_next(world):
    planned = world.round(opened=False)
    assert "not open yet" in text_of(get(world.lead, planned))
    opened = world.round()
    assert "No issue is complete yet" in text_of(get(world.lead, opened))
    blind = world.round(reveal=Round.Reveal.ROUND_CLOSED)
    give_labels(world, blind, "C.2 C.2 C.9 C.2")
    assert "Labels are revealed when this round closes" in text_of(get(world.lead, blind))
    give_labels(world, opened, "C.2 C.2 C.2 C.2")
    assert "agree. There is nothing to decide." in text_of(get(world.lead, opened))


def test_an_empty_list_offers_a_way_out(world, labelled):
    assert "No disagreement matches these filters. Clear filters" in text_of(
        get(world.lead, labelled, "type=A")
    )
    assert "None of these issues is decided yet. Show all" in text_of(
        get(world.lead, labelled, "state=decided")
    )
    assert "None of these issues is on an agenda. Show all" in text_of(
        get(world.lead, labelled, "state=agenda")
    )
    for issue, code in zip(
        (world.issues[0], world.issues[2], world.issues[3]), ("C.9", "C.2", "C.9"), strict=True
    ):
        world.settle(labelled, issue, code)
    assert "All issues are decided or on an agenda. Show all" in text_of(
        get(world.lead, labelled, "state=open")
    )


# --- blindness


@pytest.mark.parametrize("query", ["", "level=type", "pair=B.2+C.10", "type=B", "state=open", "issue={}"])
@pytest.mark.parametrize("headers", [{}, FRAGMENT])
@pytest.mark.slow(cases=4)
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
    assert listed(get(world.lead, labelled)) == [world.issues[2].pk, world.issues[0].pk, world.issues[3].pk]
    assert get(world.lead, labelled, f"issue={world.issues[4].pk}").status_code == 404


# --- inside a cell


def test_a_cell_at_the_level_of_types_leads_to_the_themes_inside_it(world, labelled):
    page = reverse("disagreements", args=[labelled.pk])
    body = get(world.lead, labelled, "level=type").content.decode()
    link = html.unescape(re.search(r'<a href="([^"]*)"[^>]*id="cell-B-C"', body)[1])
    assert link == f"{page}?level=theme&pair=B+C&inside=B+C"
    inside = signed_in(world.lead).get(link)
    assert listed(inside) == [world.issues[2].pk]
    assert cells_of(inside) == {"B.1-C.2": "1"}
    assert re.findall(r'<th scope="row" title="Name of (B[^"]*)"', inside.content.decode()) == ["B.1", "B.2"]
    assert "Disagreements by pair of themes all types B and C" in text_of(inside)
    up = html.unescape(re.search(r'href="([^"]*)"[^>]*id="trail-1"', inside.content.decode())[1])
    assert up == f"{page}?level=type"
    # A theme picked inside stays inside; picked again it leads back to the whole cell.
    cell = html.unescape(re.search(r'<a href="([^"]*)"[^>]*id="cell-B.1-C.2"', inside.content.decode())[1])
    assert cell == f"{page}?level=theme&pair=B.1+C.2&inside=B+C"
    picked = signed_in(world.lead).get(cell)
    back = html.unescape(re.search(r'<a href="([^"]*)"[^>]*id="cell-B.1-C.2"', picked.content.decode())[1])
    assert back == link


def test_a_cell_of_the_diagonal_leads_to_what_parts_within_a_type(world, labelled):
    inside = get(world.lead, labelled, "pair=C+C&level=theme&inside=C+C")
    assert listed(inside) == [world.issues[0].pk, world.issues[3].pk]
    assert cells_of(inside) == {"C.2-C.9": "2", "C.9-C.2": "2"}
    assert "Pair within C" in text_of(inside)


def test_what_the_version_lacks_is_inside_of_nothing(world, labelled):
    response = get(world.lead, labelled, "inside=X+Y&level=theme")
    assert (response.status_code, cells_of(response)) == (200, {})


# --- filters, offered and kept


def test_the_menus_offer_what_there_is(world, labelled):
    body = get(world.lead, labelled, "split=3:1").content.decode()
    text = text_of(get(world.lead, labelled, "split=3:1"))
    assert "Split 3 : 1 any 2 : 2 1 3 : 1 2" in text
    assert "Minority label any R1 R2 R3 R4" in text
    assert "Differ in any type theme" in text
    assert "Keyword" not in text
    assert "Cause any slip unclear guideline unclear issue missing category overlapping categories" in text
    assert f'href="{reverse("disagreements", args=[labelled.pk])}?split=2%3A2"' in body
    assert listed(get(world.lead, labelled, "split=3:1")) == [world.issues[0].pk, world.issues[3].pk]
    factories.make_list(world.study, "import", "Attention")
    factories.make_list(world.study, "import")
    assert "Keyword any Attention import" in text_of(get(world.lead, labelled))


def test_a_page_reads_the_finds_of_a_keyword_once_and_no_text(world, labelled):
    factories.make_list(world.study, "title*", search=True)
    client = signed_in(world.lead)
    address = reverse("disagreements", args=[labelled.pk])

    def asked(word: str) -> tuple[list[int], int, int]:
        """What is listed, how many queries read finds, and how many there are."""
        with CaptureQueriesContext(connection) as queries:
            response = client.get(address, {"keyword": word})
        return listed(response), sum("termfind" in query["sql"] for query in queries), len(queries)

    asked("TITLE*")
    everything, reads, queries = asked("title*")
    assert (set(everything), reads) == ({world.issues[place].pk for place in (0, 2, 3)}, 1)
    assert asked("titl*")[:2] == ([], 0)
    Issue.objects.filter(pk=everything[0]).update(current=None)
    assert asked("title*") == (everything[1:], 1, queries)
    TermFind.objects.all().delete()
    assert asked("title*")[:2] == ([], 1)


def _filter(member, round_, route, query="", filter_id=None, **form):
    address = reverse(route, args=[round_.pk, *([filter_id] if filter_id else [])])
    return signed_in(member).post(f"{address}?{query}", {"form_key": str(uuid4())} | form)


def test_filters_are_kept_under_a_name_applied_and_removed(world, labelled):
    page = reverse("disagreements", args=[labelled.pk])
    answer = _filter(world.lead, labelled, "save_disagreement_filter", "pair=C.2+C.9&state=open", name="Two")
    assert (answer.status_code, answer["Location"]) == (302, f"{page}?pair=C.2+C.9&state=open")
    saved = SavedFilter.objects.get()
    assert (saved.page, saved.name, saved.query) == (
        "disagreements",
        "Two",
        {"pair": "C.2 C.9", "state": "open", "round": str(labelled.pk)},
    )
    for member in (world.lead, world.members[0]):
        body = get(member, labelled).content.decode()
        link = re.search(r'<a href="([^"]*)"[^>]*>Two</a>', body)
        assert html.unescape(link[1]) == f"{page}?pair=C.2+C.9&state=open"
        assert ("Delete filter Two" in body) == (member == world.lead)
    other = world.round()
    assert "Saved filters" not in text_of(get(world.lead, other))
    assert list(saved_filters(world.study)) == []
    again = _filter(world.lead, labelled, "save_disagreement_filter", "state=open", name="two")
    assert again.status_code == 409
    assert _filter(world.lead, labelled, "save_disagreement_filter", "", name="All").status_code == 422
    removed = _filter(world.lead, labelled, "remove_disagreement_filter", "type=C", saved.pk)
    assert (removed.status_code, removed["Location"]) == (302, f"{page}?type=C")
    assert not SavedFilter.objects.exists()


def test_only_leads_keep_filters_and_only_of_this_list(world, labelled):
    member = world.members[0]
    assert _filter(member, labelled, "save_disagreement_filter", "state=open", name="x").status_code == 403
    elsewhere = SavedFilter.objects.create(study=world.study, name="Old", query={"year": "2019"})
    assert _filter(world.lead, labelled, "remove_disagreement_filter", "", elsewhere.pk).status_code == 404
    assert _filter(member, labelled, "remove_disagreement_filter", "", elsewhere.pk).status_code == 403
    assert "Save filters" not in text_of(get(member, labelled, "state=open"))
    assert "Save filters" in text_of(get(world.lead, labelled, "state=open"))


# --- choosing


def test_only_leads_choose_and_only_what_is_open(world, labelled):
    world.settle(labelled, world.issues[0], "C.9")
    body = get(world.lead, labelled, "type=C").content.decode()
    boxes = dict(re.findall(r'name="issues"\s+value="(\d+)"\s+(disabled)?', body))
    assert "Decided. Reopen this issue to choose it again." in body
    assert boxes == {
        str(world.issues[2].pk): "",
        str(world.issues[0].pk): "disabled",
        str(world.issues[3].pk): "",
    }
    assert f'action="{reverse("put_on_agenda", args=[labelled.pk])}?type=C"' in body
    assert f'formaction="{reverse("assign_pair", args=[labelled.pk])}?type=C"' in body
    assert f'href="{reverse("decide_majority", args=[labelled.pk])}?type=C"' in body
    assert "Put on agenda of new meeting" in body
    plain = get(world.members[0], labelled).content.decode()
    assert 'name="issues"' not in plain
    assert "put_on_agenda" not in plain


def test_what_cannot_be_chosen_says_why(world, labelled):
    meeting = plan_meeting(round_=labelled, by=world.lead, name="Today", chair=world.lead, quorum=1)
    put_on_agenda(meeting=meeting, by=world.lead, issues=[world.issues[0].pk])
    world.settle(labelled, world.issues[2], "C.9")
    body = get(world.lead, labelled).content.decode()
    boxes = re.findall(r'<td class="ck"(?: title="([^"]*)")?>\s*<input[^>]*value="(\d+)"', body)
    assert {int(pk): why for why, pk in boxes} == {
        world.issues[0].pk: "On the agenda of Today. Remove this issue from the agenda to choose it again.",
        world.issues[2].pk: "Decided. Reopen this issue to choose it again.",
        world.issues[3].pk: "",
    }


def test_the_bar_prefers_the_meeting_that_the_reader_chairs_and_votes_over_days_come_last(world, labelled):
    chair = world.members[0]
    days = plan_meeting(
        round_=labelled, by=world.lead, name="Days", chair=world.lead, quorum=1, kind="apart",
        participants=world.members[:2],
    )  # fmt: skip
    open_meeting(meeting=days, by=world.lead)
    now = timezone.now()
    for name, who, at in (("Theirs", chair, 1), ("Late", world.lead, 3), ("Soon", world.lead, 2)):
        plan_meeting(
            round_=labelled, by=world.lead, name=name, chair=who, quorum=1, starts_at=now + timedelta(days=at)
        )
    names = [meeting.name for meeting in open_agendas(labelled, world.lead)]
    assert names == ["Soon", "Late", "Theirs", "Days"]
    assert [meeting.name for meeting in open_agendas(labelled, chair)] == ["Theirs", "Soon", "Late", "Days"]
    shown = get(world.lead, labelled).content.decode()
    assert "Put on agenda of Soon" in shown
    # Nobody waits in a meeting over days: its page has the same words on every way to it.
    assert re.findall(r'<a class="(.*?)" href="(.*?)">[^\n]*(Join|Go to) meeting</a>', shown) == [
        ("btn", days.get_absolute_url(), "Go to")
    ]


def test_the_bar_puts_on_the_agenda_of_the_meeting_in_front(world, labelled):
    planned = plan_meeting(round_=labelled, by=world.lead, name="Thursday", chair=world.lead, quorum=1)
    opened = plan_meeting(round_=labelled, by=world.lead, name="Today", chair=world.lead, quorum=1)
    open_meeting(meeting=opened, by=world.lead)
    body = get(world.lead, labelled).content.decode()
    assert "Put on agenda of Today" in body
    assert re.findall(r'name="meeting"\s+value="(\w+)"', body) == [
        str(opened.pk), str(opened.pk), str(planned.pk), "new",
    ]  # fmt: skip
    put_on_agenda(meeting=opened, by=world.lead, issues=[world.issues[0].pk])
    text = text_of(get(world.lead, labelled))
    assert "Decided: 0 . On an agenda: 1 . Open: 2 ." in text
    assert "on the agenda of Today" in text
    assert "On the agenda of Today ." in text_of(get(world.lead, labelled, f"issue={world.issues[0].pk}"))


# --- counts that follow


def test_the_counts_come_alone_when_the_open_page_asks(world, labelled):
    before = get(world.lead, labelled, **(FRAGMENT | {"HX-Target": "live"})).content.decode()
    assert (before.count("<div"), 'id="live"' in before, "<table" in before) == (1, True, False)
    assert 'data-counts="3 0 0"' in before
    world.settle(labelled, world.issues[0], "C.9")
    after = get(world.lead, labelled, **(FRAGMENT | {"HX-Target": "live"})).content.decode()
    assert 'data-counts="2 0 1"' in after


# --- what a reader has yet to label in another round


def test_what_a_reader_still_has_to_label_is_withheld_and_counted(world, labelled):
    issue, member = world.issues[2], world.members[0]
    again = world.round(name="Once more", members=[member], issues=Issue.objects.filter(pk=issue.pk))
    said = "1 more complete issue is hidden until you label it in another round. Label in Once more"
    for query in ("", "level=type", "pair=B+C", "type=B", "state=open", "split=2:2", "parts_at=type"):
        mine, other = get(member, labelled, query), get(world.members[1], labelled, query)
        assert said in text_of(mine)
        assert "hidden until" not in text_of(other)
        assert issue.pk not in listed(mine)
        assert issue.pk in listed(other)
        assert not any(cell.startswith("B") for cell in cells_of(mine))
        assert any(cell.startswith("B") for cell in cells_of(other))
    assert "Labels differ on 2 of 3 complete issues" in text_of(get(member, labelled))
    assert get(member, labelled, f"issue={issue.pk}").status_code == 404
    assert get(world.members[1], labelled, f"issue={issue.pk}").status_code == 200
    world.submit(again, issue, member, "C.2")
    assert issue.pk in listed(get(member, labelled))
    assert "hidden until" not in text_of(get(member, labelled))


def test_a_lead_who_still_has_to_label_it_is_kept_out_too(world, labelled):
    issue = world.issues[2]
    world.round(members=[world.lead], issues=Issue.objects.filter(pk=issue.pk))
    assert issue.pk not in listed(get(world.lead, labelled))
    assert post(world.lead, labelled, issue, choice=world.category("C.2").pk).status_code == 404
    assert not Decision.objects.filter(method="lead").exists()


# --- one label per issue, and the majority


@pytest.mark.world(issues=3, members=1)
def test_a_round_with_one_label_per_issue_has_names_proposed_and_no_disagreements(world):
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "C.2")
    world.submit(round_, world.issues[1], world.members[0], "?Flaky driver")
    said = text_of(get(world.lead, round_))
    assert "Proposed names A name is proposed for 1 of 2 complete issues (50.0 %)." in said
    page = get(world.lead, round_).content.decode()
    assert "<h1>Proposed names</h1>" in page
    # Neither in the tabs and the title of the page, nor as a matrix of what cannot differ.
    assert not re.search(r"[Dd]isagreements?\b", re.sub(r'="[^"]*"|<style.*?</style>', "", page))
    home = signed_in(world.lead).get(reverse("home")).content.decode()
    assert "proposed name to decide" in home
    assert "disagreement" not in re.sub(r'="[^"]*"', "", home)


@pytest.mark.parametrize(
    ("members", "fields", "is_offered"),
    [(3, {}, True), (2, {}, False), (3, {"rule": Round.Rule.MEETING}, False)],
)
def test_a_majority_is_offered_where_one_can_decide(world, members, fields, is_offered):
    round_ = world.round(members=world.members[:members], **fields)
    world.submit(round_, world.issues[0], world.members[0], "C.2")
    for member in world.members[1:members]:
        world.submit(round_, world.issues[0], member, "C.9")
    page = get(world.lead, round_)
    assert listed(page) == [world.issues[0].pk]
    assert ("Decide by majority" in text_of(page)) is is_offered
