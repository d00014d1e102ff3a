"""Pages of boards: the list, a new one, and the one to sort on, phase by phase."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from boards.actions.boards import start_board, start_board_from_mapping
from boards.actions.phases import begin_together
from boards.mapping import SubTheme
from boards.models import Board, Sorting
from studies.models import Role
from tests import factories
from tests.kept import kept
from tests.worlds.board import BoardWorld, board_world
from tests.worlds.pages import client as signed_in
from tests.worlds.pages import queries_of
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db


@kept
def world() -> BoardWorld:
    return board_world()


FILE = b'rootcause,subcategory,symptoms\nCause,Sub,"Crash,Hang"\nCause,Other,Slow\n'


def listed(world, member=None):
    return signed_in(member or world.lead).get(reverse("boards", args=[world.board.taxonomy_id]))


def shown(world, member):
    return signed_in(member).get(world.board.get_absolute_url())


def begun(world, member=None, **fields):
    address = reverse("new_board", args=[world.board.taxonomy_id])
    return signed_in(member or world.lead).post(address, {"name": "Anew", "source": "file", **fields})


def upload(data: bytes = FILE) -> SimpleUploadedFile:
    return SimpleUploadedFile("mapping.csv", data, "text/csv")


def test_an_empty_list_says_what_to_do_to_who_may(client):
    study = factories.make_study()
    taxonomy = factories.make_version(study).taxonomy
    lead, volunteer = factories.make_member(study, Role.LEAD), factories.make_member(study)
    address, begin = reverse("boards", args=[taxonomy.pk]), reverse("new_board", args=[taxonomy.pk])
    assert begin in signed_in(lead).get(address).text
    page = signed_in(volunteer).get(address).text
    assert begin not in page
    assert "A lead of the study creates the first board." in page


def test_the_list_costs_the_same_at_one_board_and_at_three(world):
    counts = []
    for wanted in (1, 3):
        while Board.objects.count() < wanted:
            name = f"Board {Board.objects.count()}"
            rows = [SubTheme("Cause", "Sub", ("Crash",))]
            start_board_from_mapping(
                taxonomy=world.board.taxonomy, name=name, rows=rows, by=world.lead, with_piles=False,
                sorters=[world.one, world.two],
            )  # fmt: skip
        assert listed(world).text.count('<th scope="row"') == wanted
        counts.append(queries_of(signed_in(world.lead), reverse("boards", args=[world.board.taxonomy_id])))
    assert counts[0] == counts[1]


def test_the_list_says_how_far_a_board_is_but_not_one_that_is_sorted_apart(world):
    world.pile("Stops", *world.cards[:2])
    lines = listed(world).context["boards"]
    assert [(line.cards, line.sorted, line.piles) for line in lines] == [(4, 2, 1)]
    apart = board_world(apart=True)
    apart.pile("Secret", apart.cards[0], by=apart.one)
    page = listed(apart).text
    assert "0 of 2 done" in page
    assert page.count("hidden until the joint session starts") == 2


def test_a_board_begins_with_a_file_and_its_piles(world):
    answer = begun(world, file=upload(), with_piles="on")
    made = Board.objects.get(name="Anew")
    assert (answer.status_code, answer.url) == (302, made.get_absolute_url())
    assert list(made.cards.order_by("number").values_list("text", flat=True)) == ["Crash", "Hang", "Slow"]
    assert list(made.sortings.get().piles.values_list("name", flat=True)) == ["Sub", "Other"]


def test_who_sorts_apart_begins_without_the_piles_of_the_file(world):
    begun(world, file=upload(), with_piles="on", sorters=[world.one.pk, world.two.pk])
    made = Board.objects.get(name="Anew")
    assert made.phase == Board.Phase.APART
    assert list(made.sortings.order_by("pk").values_list("member", flat=True)) == [
        None,
        world.one.pk,
        world.two.pk,
    ]
    assert not made.sortings.filter(piles__isnull=False).exists()


def test_each_refused_line_of_a_file_is_named_and_nothing_is_stored(world):
    wrong = upload(FILE + b'Cause,Third,"Crash\nCause,Fourth\n')
    answer = begun(world, file=wrong)
    assert answer.status_code == 422
    assert "2 lines have mistakes" in answer.text
    assert "Line 4: the quote at character 13 is not closed in this line" in answer.text
    assert "Line 5: the row has 2 cells instead of 3" in answer.text
    assert Board.objects.count() == 1


def test_a_file_is_looked_at_before_anything_is_stored(world):
    answer = begun(world, file=upload(), check="1")
    assert answer.status_code == 200
    assert "The file has no mistakes: 3 cards in 2 sub-themes." in answer.text
    assert Board.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "This field is required."),
        ({"source": "labels", "about": ""}, "This field is required."),
        ({"source": "labels", "about": "0"}, "Select a valid choice."),
        ({"name": "symptoms", "file": True}, "A board with this name already exists."),
        ({"sorters": ["one"], "file": True}, "Choose at least two members to sort alone, or nobody."),
    ],
)
def test_what_is_missing_or_wrong_is_said(world, fields, words):
    fields = dict(fields)
    if fields.pop("file", None):
        fields["file"] = upload()
    if "sorters" in fields:
        fields["sorters"] = [world.one.pk]
    answer = begun(world, **fields)
    assert answer.status_code == 422
    assert words in answer.text
    assert Board.objects.count() == 1


def test_a_board_of_labels_needs_some_with_summaries(world):
    about = factories.category(world.version, "A")
    with pytest.raises(Exception, match="This category has no summary"):
        start_board(taxonomy=world.version.taxonomy, name="None", about=about, by=world.lead)
    answer = begun(world, source="labels", about=about.pk)
    assert answer.status_code == 422
    assert "This category has no summary of a complete and revealed issue." in answer.text


def test_each_phase_offers_its_own_steps():
    """Sorting apart: a sorter is done, a lead begins the joint session; together: a lead closes the board."""
    apart = board_world(apart=True)
    sorter, lead = shown(apart, apart.one), shown(apart, apart.lead)
    for page, button, there in [
        (sorter, 'id="done"', True), (sorter, 'id="together"', False), (sorter, 'id="undo"', True),
        (lead, 'id="done"', False), (lead, 'id="together"', True), (lead, 'id="undo"', False),
    ]:  # fmt: skip
        assert (button in page.text) is there, button
    assert "You sort alone" in sorter.text
    assert "All piles are hidden from you" in lead.text

    Sorting.objects.filter(member=apart.one).update(done_at=timezone.now())
    done = shown(apart, apart.one)
    assert "You have finished sorting." in done.text
    assert 'id="undo"' not in done.text

    together = board_world()
    sorter, lead = shown(together, together.one), shown(together, together.lead)
    assert 'id="close-board"' not in sorter.text
    assert 'id="close-board"' in lead.text
    assert all(reverse("board_mapping", args=[together.board.pk]) in page.text for page in (sorter, lead))

    Board.objects.filter(pk=together.board.pk).update(phase=Board.Phase.CLOSED, closed_at=timezone.now())
    closed = shown(together, together.lead)
    assert "This board is closed" in closed.text
    assert 'id="undo"' not in closed.text


def test_the_page_costs_the_same_with_four_cards_and_with_forty():
    counts = []
    for size in (4, 40):
        world = board_world([f"Symptom {number}" for number in range(size)])
        counts.append(queries_of(signed_in(world.one), world.board.get_absolute_url()))
    assert counts[0] == counts[1]


def test_how_alike_it_was_sorted_is_shown_when_all_sort_together():
    """Three cards lie in piles of both, {1 2} {3} and {1 2 3}. Of their three pairs the first has one together, the
    second all: one by chance too (1 x 3 / 3), so the index is (1 - 1) / (2 - 1) = 0.
    """
    world = board_world(apart=True)
    one, two, three, four = world.cards
    world.pile("Ends", one, two, by=world.one)
    world.pile("Waits", three, four, by=world.one)
    world.pile("Bad", one, two, three, by=world.two)
    address = reverse("board_agreement", args=[world.board.pk])
    assert [signed_in(each).get(address).status_code for each in (world.one, world.lead)] == [404, 404]
    begin_together(board=world.board, by=world.lead)
    page = signed_in(world.one).get(address)
    agreement = page.context["found"]
    found = agreement.pairs[0].alike
    assert (found.cards, found.left_out, found.together, found.first, found.second) == (3, 1, 1, 0, 2)
    assert found.adjusted_rand == 0
    rows = [
        (each.who, each.is_done, each.made, len(each.piles), len(each.aside)) for each in agreement.sorters
    ]
    assert rows == [("R1", False, 2, 4, 0), ("R2", False, 1, 3, 0)]


def test_home_says_which_boards_wait_to_be_sorted_until_one_is_done():
    world = board_world(apart=True)
    waits = [signed_in(each).get("/").context["waits"] for each in (world.one, world.lead)]
    assert [[wait.url for wait in each] for each in waits] == [[world.board.get_absolute_url()], []]
    world.act(world.one, "done")
    assert signed_in(world.one).get("/").context["waits"] == []
    assert len(signed_in(world.two).get("/").context["waits"]) == 1
    begin_together(board=world.board, by=world.lead)
    assert signed_in(world.two).get("/").context["waits"] == []


def test_the_piles_can_be_read_without_a_script(monkeypatch):
    world = board_world(("Crash", "Hang", "Slow", "Leak <b>"))
    crash, hang, slow, _leak = world.cards
    stops = world.pile("Stops", crash, hang)
    world.act(world.one, "describe", pile=stops, theme="C.1", definition="It stops.")
    world.act(world.one, "move", cards=[slow], aside=True)
    address = reverse("board_piles", args=[world.board.pk])
    page = signed_in(world.two).get(address)
    lists = [*page.context["piles"], *page.context["others"]]
    assert [[card["text"] for card in each.cards] for each in lists] == [
        ["Crash", "Hang"],
        ["Slow"],
        ["Leak <b>"],
    ]
    assert "Leak &lt;b&gt;" in page.text
    assert [word in page.text for word in ("Stops", "It stops.", "C.1", "Left aside", "To sort")] == [
        True
    ] * 5
    assert "The first" not in page.text
    monkeypatch.setattr("boards.views.boards.CARDS_SHOWN", 1)
    cut = signed_in(world.two).get(address).text
    assert ("The first 1 of 2 cards." in cut, "Hang" in cut) == (True, False)
    assert address in signed_in(world.two).get(world.board.get_absolute_url()).text


def test_apart_only_ones_own_piles_are_read():
    world = board_world(apart=True)
    world.pile("Stops", world.cards[0], by=world.one)
    address = reverse("board_piles", args=[world.board.pk])
    pages = [signed_in(each).get(address).text for each in (world.one, world.two, world.lead)]
    assert [("Stops" in page, reverse("board_mapping", args=[world.board.pk]) in page) for page in pages] == [
        (True, False), (False, False), (False, False)
    ]  # fmt: skip


def test_pages_say_how_many_issues_are_withheld_whatever_was_said_of_them():
    """Of two issues that wait for the reader one gave a card, the other says something else: both are counted."""
    world = small_world(issues=3, members=2)
    round_ = world.round()
    for issue, code in zip(world.issues, ("C.1", "A.1", "C.1"), strict=True):
        for member in world.members:
            world.submit(round_, issue, member, code, summary=f"{code} {issue.pk}")
    about = world.category("C.1")
    start_board(taxonomy=world.version.taxonomy, name="Theme", about=about, by=world.lead)
    board = start_board(taxonomy=world.version.taxonomy, name="Theme again", about=about, by=world.lead)
    reader = world.members[0]
    world.waits_for(reader, *world.issues[:2])
    pages = [reverse("boards", args=[world.version.taxonomy_id]), board.get_absolute_url()]
    pages.append(reverse("board_piles", args=[board.pk]))
    for address in pages:
        assert "2 issues are hidden until you label them" in signed_in(reader).get(address).text
        assert "held back" not in signed_in(world.members[1]).get(address).text
    file = signed_in(reader).post(reverse("board_mapping", args=[board.pk]))
    assert file.headers["Crosscheck-Withheld"] == "2"
    of_file = board_world().board
    assert "held back" not in signed_in(of_file.made_by).get(of_file.get_absolute_url()).text
