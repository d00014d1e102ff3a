"""Groups of alike disagreements as a page: who sees what, what is decided at one stroke, what it costs."""

import html
import re
from functools import partial
from uuid import uuid4

import pytest
from django.urls import reverse

from annotate.actions.rounds import close_round
from consensus.models import AgendaItem, BulkDecision, Decision
from consensus.queries.alike import _grouped
from rounds.models import Round
from studies.models import Role
from tests import factories
from tests.long import only_long
from tests.worlds.alike import alike_world
from tests.worlds.pages import client as signed_in
from tests.worlds.pages import cost, text_of
from tests.worlds.world import World

pytestmark = pytest.mark.django_db

WHEEL = ("Wheel build fails on aarch64", "The wheel build fails, aarch64", "aarch64: wheel build fails")
FRAGMENT = {"HX-Request": "true", "HX-Target": "alike"}


def _world(*rows: str, titles=WHEEL, **fields) -> tuple[World, Round]:
    """Each summary is the title as an exclamation."""
    return alike_world(*rows, titles=titles, summaries=[f"{title}!" for title in titles], **fields)


def _get(member, round_, query="", **headers):
    return signed_in(member).get(
        f"{reverse('alike', args=[round_.pk])}{f'?{query}' if query else ''}", headers=headers
    )


def _post(member, round_, issues, query="", client=None, **form):
    form = {"form_key": str(uuid4()), "rationale": "They fail to build."} | form
    address = f"{reverse('decide_alike', args=[round_.pk])}{f'?{query}' if query else ''}"
    return (client or signed_in(member)).post(address, form | {"issues": [issue.pk for issue in issues]})


_text = partial(text_of, end="")
"""With the messages, which stand behind it."""


def _pairs(response) -> list[tuple[str, str]]:
    """The codes of each pair, and its count."""
    found = re.findall(
        r'<span class="pp">(.*?)</span>\s*<span class="clip".*?class="n">(.*?)</span>',
        response.content.decode(),
        re.DOTALL,
    )
    return [(" ".join(re.findall(r'"code [^"]*">([^<]*)', codes)), n) for codes, n in found]


def _lines(response) -> list[tuple[str, str]]:
    """Of each group its size and its words."""
    body = response.content.decode()
    lines = re.findall(r'<a class="line".*?</a>', body, re.DOTALL)
    return [
        (
            re.search(r'class="size num">([^<]*)', line).group(1),
            " ".join(re.findall(r'class="word"[^>]*>([^<]*)', line)),
        )
        for line in lines
    ]


def _rows(response) -> list[int]:
    return sorted(int(id_) for id_ in re.findall(r'id="issue-(\d+)"', response.content.decode()))


def _ticked(response) -> list[int]:
    boxes = re.findall(r'<input type="checkbox"\s+name="issues"[^>]*>', response.content.decode())
    return sorted(int(re.search(r'value="(\d+)"', box).group(1)) for box in boxes if "checked" in box)


def test_page_shows_pairs_groups_and_the_rows_of_the_first():
    world, round_ = _world(
        "C.2 C.9 C.2",
        "C.2 C.9 C.9",
        "B.1 A.1 A.1",
        "C.2 C.9 C.2",
        "C.2 C.9 B.1",
        titles=(WHEEL[0], WHEEL[1], "Docs", "Segfault at exit", "Three ways"),
    )
    response = _get(world.lead, round_)

    assert response.status_code == 200
    assert _pairs(response) == [("C.2 C.9", "3"), ("A.1 B.1", "1"), ("B.1 C.2", "1")]
    assert [size for size, _words in _lines(response)] == ["2", "1"]
    assert {"wheel", "aarch64", "build"} <= set(_lines(response)[0][1].split())
    assert _rows(response) == _ticked(response) == [world.issues[0].pk, world.issues[1].pk]
    body = _text(response)
    assert f"{WHEEL[0]}!" in body
    assert "not similar to another issue" in body
    assert "2 × C.2, 1 × C.9" in body


def test_page_opens_what_is_asked_for():
    world, round_ = _world(
        "C.2 C.9 C.2",
        "C.2 C.9 C.9",
        "C.2 C.9 B.1",
        "C.9 C.9 C.2",
        titles=(*WHEEL[:2], "Docs", "Segfault at exit"),
    )
    centre = re.search(r'id="group-(\d+)"', _get(world.lead, round_).content.decode()).group(1)

    assert _rows(_get(world.lead, round_, f"pair=C.9+C.2&group={centre}")) == [i.pk for i in world.issues[:2]]
    alone = _get(world.lead, round_, "pair=C.2+C.9&group=alone")
    assert (_rows(alone), _ticked(alone)) == ([world.issues[3].pk], [])
    more = _get(world.lead, round_, "pair=B.1+C.2&ways=more")
    assert _rows(more) == [world.issues[2].pk]
    assert "and others" in _text(more)
    # Of a pair above the depth of the labels the page shows all that lies below.
    assert _pairs(_get(world.lead, round_, "pair=B+C")) == [("B.1 C.2", "1")]
    assert "No disagreement matches these filters." in _text(_get(world.lead, round_, "pair=A+B"))


def test_a_pair_above_the_depth_stays_a_filter_when_one_below_it_is_picked():
    world, round_ = _world("C.2 C.9", "C.2 C.9", "A.1 C.9", titles=(*WHEEL[:2], "Segmentation fault"))
    assert _pairs(_get(world.lead, round_, "pair=C+C")) == [("C.2 C.9", "2")]
    links = re.findall(
        r'hx-get="([^"]*\?[^"]*between=C\.2[^"]*)"', _get(world.lead, round_, "pair=C+C").content.decode()
    )
    query = html.unescape(links[0]).partition("?")[2]
    page = _get(world.lead, round_, query)
    assert _pairs(page) == [("C.2 C.9", "2")]
    assert [line[0] for line in _lines(page)] == ["2"]


@pytest.mark.parametrize(
    "query", ["pair=C.2", "state=none", "group=x", "group=1.5", "from=-1", "row=a", "ways=2"]
)
def test_page_of_an_address_that_no_link_has_is_not_found(query):
    world, round_ = _world("C.2 C.9")
    assert _get(world.lead, round_, query).status_code == 404


def test_page_as_a_fragment_is_the_part_that_changes():
    world, round_ = _world("C.2 C.9 C.2", "C.2 C.9 C.2")
    response = _get(world.lead, round_, **FRAGMENT)
    body = response.content.decode()
    assert response.status_code == 200
    assert "<html" not in body
    assert body.count('id="alike"') == 1
    assert 'id="said" role="status" hx-swap-oob="innerHTML"' in body
    assert _rows(response) == [issue.pk for issue in world.issues]


def test_page_without_disagreements_says_what_to_do():
    world, round_ = _world()
    body = _text(_get(world.lead, round_))
    assert "No disagreements yet." in body


def test_page_with_nothing_open_leads_to_what_is_decided():
    world, round_ = _world("C.2 C.9", "C.2 C.9")
    for issue in world.issues:
        world.settle(round_, issue, "C.2", rationale="x")
    assert "No disagreement is open. All disagreements are decided" in _text(_get(world.lead, round_))
    picked = _get(world.lead, round_, "pair=C.2+C.9")
    assert "No disagreement between these two categories is open." in _text(picked)
    done = _get(world.lead, round_, "pair=C.2+C.9&state=decided")
    assert _rows(done) == [issue.pk for issue in world.issues]
    assert 'name="rationale"' not in done.content.decode()


def test_page_of_a_state_that_nothing_is_in_says_so():
    world, round_ = _world("C.2 C.9")
    assert "No disagreement is decided yet." in _text(_get(world.lead, round_, "state=decided"))
    assert "No disagreement is on an agenda." in _text(_get(world.lead, round_, "state=agenda"))


def test_page_says_what_went_before_in_a_group():
    world, round_ = _world("C.2 C.9 C.2", "C.2 C.9 C.2", "C.2 C.9 C.2")
    world.settle(round_, world.issues[0], "C.9", rationale="x")
    response = _get(world.lead, round_)
    assert _rows(response) == [issue.pk for issue in world.issues[1:]]
    assert "1 × C.9 decided" in _text(response)


def test_page_without_any_text_groups_by_split_and_says_so():
    world, round_ = _world("C.2 C.2 C.9", "C.2 C.2 C.9", "C.2 C.9 C.9", titles=())
    response = _get(world.lead, round_)
    body = _text(response)
    assert "3 issues have no title and no summary" in body
    assert "minority label: R3" in body
    assert _rows(response) == [issue.pk for issue in world.issues[:2]]


def test_page_hides_what_is_withheld_and_counts_it():
    world, round_ = _world("C.2 C.9", "C.2 C.9", "C.2 C.9")
    hidden = world.issues[1]
    for member in (world.lead, world.members[0]):
        world.waits_for(member, hidden)

    seen = _get(world.lead, round_)
    assert _rows(seen) == [world.issues[0].pk, world.issues[2].pk]
    assert WHEEL[1] not in seen.content.decode()
    assert "1 issue is hidden until you label it in another round." in _text(seen)
    assert _pairs(seen) == [("C.2 C.9", "2")]
    assert len(_rows(_get(world.members[1], round_))) == 3
    assert _post(world.lead, round_, [hidden], choice=world.category("C.2").pk, sure="1").status_code == 409
    asked = _post(world.lead, round_, [hidden, world.issues[0]], choice=world.category("C.2").pk)
    assert "Decide 1 issue as C.2?" in _text(asked)


def test_page_of_labels_that_are_not_revealed_shows_nothing():
    world, round_ = _world("C.2 C.9", "C.2 C.9", reveal=Round.Reveal.ROUND_CLOSED)
    assert _pairs(_get(world.lead, round_)) == _rows(_get(world.lead, round_)) == []
    close_round(round_=round_, by=world.lead)
    assert len(_rows(_get(world.lead, round_))) == 2


def test_who_only_reads_is_offered_no_form():
    world, round_ = _world("C.2 C.9", "C.2 C.9")
    for member in (factories.make_member(world.study, Role.VIEWER), world.members[0]):
        page = _get(member, round_)
        assert len(_rows(page)) == 2
        assert "<form id=" not in page.content.decode()


def test_deciding_first_says_what_it_would_do():
    world, round_ = _world("C.2 C.2 C.9", "C.2 C.9 C.9", "C.2 C.2 C.9")
    response = _post(world.lead, round_, world.issues, choice=world.category("C.2").pk, cause="overlap")
    body = _text(response)
    assert response.status_code == 200
    assert "Decide 3 issues as C.2?" in body
    assert "2 of 3 2 1 of 3 1" in body
    assert "They fail to build." in body
    assert "overlapping categories" in body
    assert not Decision.objects.exists()
    assert "nobody chose this category" in _text(
        _post(world.lead, round_, world.issues, choice="other", other=world.category("B.1").pk)
    )


def test_deciding_gives_each_its_own_decision_once_and_can_be_taken_back():
    world, round_ = _world("C.2 C.2 C.9", "C.2 C.9 C.9", "C.2 C.2 C.9")
    client = signed_in(world.lead)
    form = {"choice": world.category("C.2").pk, "cause": "overlap", "sure": "1", "form_key": str(uuid4())}

    response = _post(world.lead, round_, world.issues[:2], "pair=C.2+C.9", client, **form)
    again = _post(world.lead, round_, world.issues[:2], "pair=C.2+C.9", client, **form)

    bulk = BulkDecision.objects.get()
    address = f"{reverse('alike', args=[round_.pk])}?pair=C.2+C.9"
    assert (response.status_code, response.url) == (302, f"{address}&done={bulk.pk}")
    assert (again.status_code, again.url) == (302, address)
    made = Decision.objects.order_by("issue")
    assert [(d.issue, d.category, d.method, d.rationale, d.cause, d.bulk, d.decided_by) for d in made] == [
        (issue, world.category("C.2"), "lead", "They fail to build.", "overlap", bulk, world.lead)
        for issue in world.issues[:2]
    ]
    page = client.get(response.url)
    assert "2 issues are decided as C.2." in _text(page)
    assert "2 issues were decided." in _text(page)
    assert _rows(page) == [world.issues[2].pk]
    undo = re.search(r'action="([^"]*/take-back/[^"]*)"', page.content.decode())
    back = client.post(html.unescape(undo[1]), {"form_key": str(uuid4())})
    assert (back.status_code, back.url) == (302, address)
    assert len(_rows(client.get(response.url))) == 3
    assert "2 issues were decided." not in _text(client.get(address))


def test_deciding_leaves_out_what_somebody_decided_meanwhile():
    world, round_ = _world("C.2 C.2 C.9", "C.2 C.2 C.9", "C.2 C.2 C.9")
    world.settle(round_, world.issues[0], "C.9", rationale="x")
    client = signed_in(world.lead)
    c2 = world.category("C.2").pk
    asked = _post(world.lead, round_, world.issues, choice=c2)
    assert "1 ticked issue is left out" in _text(asked)
    done = client.get(_post(world.lead, round_, world.issues, "", client, choice=c2, sure="1").url)
    assert "2 issues are decided as C.2. 1 issue was left out" in _text(done).replace(" Dismiss", "").replace(
        " ×", ""
    )
    assert _post(world.lead, round_, world.issues, choice=c2, sure="1").status_code == 409
    nothing = _post(world.lead, round_, world.issues, choice=c2)
    assert 'name="sure"' not in nothing.content.decode()


@only_long
def test_deciding_with_something_missing_keeps_what_was_typed():
    world, round_ = _world("C.2 C.9 C.2", "C.2 C.9 C.2", "C.2 C.9 C.2")
    response = _post(world.lead, round_, world.issues[:2], "pair=C.2+C.9")
    assert response.status_code == 422
    assert "Choose the category for all ticked issues." in _text(response)
    assert "They fail to build." in _text(response)
    assert _ticked(response) == [issue.pk for issue in world.issues[:2]]

    response = _post(world.lead, round_, [], choice=world.category("C.2").pk, rationale=" ")
    assert response.status_code == 422
    assert "No issue is ticked." in _text(response)
    assert "Give the reason for all of these decisions" in _text(response)
    assert f'value="{world.category("C.2").pk}" checked' in " ".join(response.content.decode().split())

    two = {"choice": world.category("C.2").pk, "other": world.category("C.9").pk}
    assert "Two categories are chosen." in _text(_post(world.lead, round_, world.issues, **two))
    for bad in ({"choice": "77"}, {"choice": world.category("C").pk}, {"other": "x"}, {"cause": "mood"}):
        assert _post(world.lead, round_, world.issues, sure="1", **bad).status_code == 422
    address = reverse("decide_alike", args=[round_.pk])
    assert signed_in(world.lead).post(address, {"issues": "1e9"}).status_code == 422
    assert not Decision.objects.exists()


def test_deciding_can_go_back_to_what_was_typed():
    world, round_ = _world("C.2 C.9 C.2", "C.2 C.9 C.2", "C.2 C.9 C.2")
    response = _post(
        world.lead, round_, world.issues[:2], choice=world.category("C.2").pk, back="1", cause="slip"
    )
    assert response.status_code == 200
    assert _ticked(response) == [issue.pk for issue in world.issues[:2]]
    assert "They fail to build." in _text(response)
    assert '<option value="slip" selected>' in response.content.decode()
    assert not Decision.objects.exists()


def test_what_was_typed_is_shown_when_nothing_is_open_any_more():
    world, round_ = _world("C.2 C.9 C.2", "C.2 C.2 C.9")
    asked = {"choice": world.category("C.2").pk, "rationale": "A wheel <b> is missing"}
    for issue in world.issues[:2]:
        world.settle(round_, issue, "C.9", rationale="x")
    for more in ({"back": "1"}, {}):
        response = _post(world.lead, round_, world.issues[:2], **asked, **more)
        assert "A wheel &lt;b&gt; is missing" in response.content.decode()
    assert "Somebody decided these issues" not in _text(_get(world.lead, round_))


def test_a_round_that_a_meeting_decides_offers_its_agenda_only():
    world, round_ = _world("C.2 C.9", "C.2 C.9", rule=Round.Rule.MEETING)
    meeting = factories.make_meeting(round_, world.lead, name="Thursday")
    page = _get(world.lead, round_)
    body = page.content.decode()
    assert "In this round only a meeting decides disagreements." in _text(page)
    assert 'name="rationale"' not in body
    assert "Thursday" in body
    assert (
        _post(world.lead, round_, world.issues, choice=world.category("C.2").pk, sure="1").status_code == 409
    )
    put = re.search(r'formaction="([^"]*)"', body).group(1)
    posted = signed_in(world.lead).post(
        put, {"issues": _ticked(page), "meeting": meeting.pk, "form_key": str(uuid4())}
    )
    assert posted.status_code == 302
    assert AgendaItem.objects.filter(meeting=meeting).count() == 2
    agenda = _get(world.lead, round_, "pair=C.2+C.9&state=agenda")
    assert _rows(agenda) == [issue.pk for issue in world.issues]
    assert reverse("meeting", args=[meeting.pk]) in agenda.content.decode()


def test_a_large_group_comes_in_pages():
    titles = [f"Wheel build fails on aarch64 {place}" for place in range(43)]
    world, round_ = _world(*["C.2 C.9"] * 43, titles=titles)
    first = _get(world.lead, round_)
    second = _get(world.lead, round_, f"pair=C.2+C.9&group={_rows(first)[0]}&row=30")
    assert (len(_rows(first)), len(_rows(second))) == (30, 13)
    assert "1 to 30 of 43" in _text(first)
    assert "31 to 43 of 43" in _text(second)
    assert len({*_rows(first), *_rows(second)}) == 43


# One issue is alone: no group has a centre to be read.
@pytest.mark.parametrize(("issues", "queries"), [(1, 15), (3, 16)])
def test_the_page_costs_the_same_however_many(issues, queries):
    world, round_ = _world(*["C.2 C.9 C.2"] * issues)
    client = signed_in(world.lead)
    address = reverse("alike", args=[round_.pk])
    client.get(address)
    _grouped.cache_clear()
    # Titles and summaries are read where these have not been grouped yet.
    assert [cost(lambda: client.get(address)) for _again in range(2)] == [queries + 2, queries]
