"""An evening of labelling in a real browser."""

import re

import pgtrigger
import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.models import Draft, Skip
from rounds.models import Label
from taxonomy.models import CategoryState
from tests import factories
from tests.e2e.axe import violations
from tests.e2e.room import answer, draft_saved, held, label_page, press, stored, title
from tests.long import only_long

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.world(issues=6)]

HOSTILE = """
<script>document.title = "taken over"</script>
<img src="https://elsewhere.example/pixel.png" onerror="document.title='taken over'">
![picture](https://elsewhere.example/picture.png)
[link](javascript:document.title='taken%20over')
<svg onload="document.title='taken over'"><use href="https://elsewhere.example/x.svg#a"/></svg>
<iframe src="https://elsewhere.example/"></iframe>
<form action="https://elsewhere.example/"><button>Submit C.2</button></form>
<style>@import url(https://elsewhere.example/x.css); body { display: none }</style>
<div hx-get="/rounds/" hx-trigger="load">List<String> and a < b and <module></div>
"""


def test_an_evening_by_keyboard_alone(open_page, world, member):
    round_ = world.round()
    page = open_page(member.user, reverse("label", args=[round_.pk]))
    # Four key presses for a known theme.
    for number in range(1, 5):
        answer(page, "c 3 Enter Enter")
        expect(page.locator("#said")).to_contain_text("C.3 submitted. Next: ")
        expect(page.locator("#pace")).to_contain_text(f"{number} / 6")
        expect(page.locator("#tree .active")).to_have_count(0)  # nothing is left of the last choice
    # By words, with a summary, unsure.
    page.keyboard.type("/name of b.2")
    press(page, "Enter s")
    page.keyboard.type("cache, but is it?")
    press(page, "Escape u")
    draft_saved(page)
    answer(page, "Enter")
    stored(page)
    assert list(Label.objects.order_by("pk").values_list("summary", "unsure")) == [("", False)] * 4 + [
        ("cache, but is it?", True)
    ]
    assert Label.objects.filter(category=world.category("C.3")).count() == 4
    assert Label.objects.get(unsure=True).category == world.category("B.2")
    # Reload in the middle of a draft.
    press(page, "a 1 Enter s")
    page.keyboard.type("half a thought")
    page.reload()
    expect(page.locator("#summary")).to_have_value("half a thought")
    expect(page.locator("#submit")).to_contain_text("Submit A.1")
    draft_saved(page)
    draft = Draft.objects.get()
    assert (draft.category, draft.summary) == (world.category("A.1"), "half a thought")
    # Finish, and see one's own progress.
    press(page, "Enter")
    expect(page.locator("h1")).to_have_text("All done")
    expect(page.locator("main")).to_contain_text("of 6 labelled by you")
    page.locator("#main").get_by_role("link", name="My labels").click()
    expect(page.locator("tbody tr")).to_have_count(6)
    expect(page.locator("tbody tr").first).to_contain_text("half a thought")


def test_keys_never_fire_while_somebody_types(open_page, world, member):
    round_ = world.round()
    page = open_page(member.user, reverse("label", args=[round_.pk]))
    address = page.url
    press(page, "s")
    page.keyboard.type("suxbojkgp?/[]c3 ")
    expect(page.locator("#summary")).to_have_value("suxbojkgp?/[]c3 ")
    expect(page.locator("#unsure")).not_to_be_checked()
    expect(page.locator("#find")).to_have_value("")
    press(page, "Escape /")
    page.keyboard.type("sux bojk")
    expect(page.locator("#find")).to_have_value("sux bojk")
    expect(page.locator("#unsure")).not_to_be_checked()
    press(page, "Escape Escape x")
    page.keyboard.type("sux?b")
    expect(page.locator("#reason")).to_have_value("sux?b")
    assert page.locator("dialog[open]").count() == 1
    assert page.url == address
    assert (Label.objects.count(), Skip.objects.count()) == (0, 0)


@only_long
def test_a_letter_that_is_a_code_and_a_key_waits_for_its_digit(open_page, world, member):
    round_ = world.round()
    world.submit(round_, world.issues[0], member, "C.2")
    page = open_page(member.user, reverse("label", args=[round_.pk]))
    press(page, "b 2")
    expect(page.locator("#find")).to_have_value("b2")
    assert "issue=" not in page.url
    press(page, "Escape Escape b")
    page.wait_for_url(f"**/label/?issue={world.issues[0].pk}")


@only_long
def test_enter_held_down_does_not_submit_what_it_chose(open_page, world, member):
    page = open_page(member.user, reverse("label", args=[world.round().pk]))
    before = title(page)
    press(page, "c 3")
    for _ in range(4):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    expect(page.locator("#submit")).to_contain_text("Submit C.3")
    assert title(page) == before
    assert Label.objects.count() == 0


def test_keys_after_back_act_on_the_issue_gone_back_to_while_its_label_is_still_sent(
    open_page, world, member
):
    page = open_page(member.user, label_page(world.round()))
    held(page, 2)
    first = title(page)
    page.route("**/submit/", lambda route: (page.wait_for_timeout(1500), route.continue_()), times=1)
    # Typed without looking: C.3, no, C.2; then C.9 for the next issue, unsure.
    press(page, "c 3 Enter Enter")
    second = title(page)
    press(page, "u b c")
    assert title(page) == first  # shown at once
    press(page, "1 Backspace 2 Enter Enter s n o t e Escape c 9 Enter Enter")
    expect(page.locator("#pace")).to_contain_text("2 / 6")
    stored(page)
    assert [
        (label.issue.current.title, label.category, label.summary, label.unsure)
        for label in Label.objects.order_by("pk")
    ] == [(first, world.category("C.2"), "", False), (second, world.category("C.9"), "note", True)]
    expect(page.locator("#toasts")).to_contain_text("now has your label C.2")
    # Esc stays, also while the answer waits for the connection.
    third = title(page)
    page.context.set_offline(True)
    press(page, "c 3 Enter Enter b")
    expect(page.locator("#refusal")).to_contain_text("Your last answer is not saved yet")
    assert title(page) not in {first, second, third}


def test_the_tree_counts_own_labels_alone(open_page, world, member):
    round_ = world.round()
    for issue in world.issues[:4]:
        world.submit(round_, issue, world.members[1], "C.3")
    page = open_page(member.user, label_page(round_))
    counts = page.locator("#tree .n")
    assert set(counts.all_inner_texts()) == {""}
    for expected in ("1", "2"):
        answer(page, "c 3 Enter Enter")
        stored(page)
        assert [text for text in counts.all_inner_texts() if text] == [expected]
    page.reload()
    assert [text for text in counts.all_inner_texts() if text] == ["2"]


def test_keys_typed_while_the_browser_loads_the_next_page_act_there(open_page, world, member):
    round_ = world.round()
    world.submit(round_, world.issues[0], member, "C.3")
    page = open_page(member.user, f"{label_page(round_)}?issue={world.issues[0].pk}")
    first = title(page)
    page.route("**/label/", lambda route: (page.wait_for_timeout(800), route.continue_()), times=1)
    press(page, "c 2 Enter Enter c 9 Enter")
    expect(page.locator("h1")).not_to_have_text(first)
    expect(page.locator("#submit")).to_contain_text("Submit C.9")
    expect(page.locator("#toasts .toast.warn")).to_have_count(0)
    # Only there, and only once.
    page.reload()
    draft = Draft.objects.filter(volunteer=member)
    assert [one.category for one in draft] in ([], [world.category("C.9")])
    assert Label.objects.get().category == world.category("C.2")


def test_keys_typed_after_the_last_issue_change_no_label_that_is_opened_next(open_page, world, member):
    round_ = world.round()
    for issue in world.issues[:5]:
        world.submit(round_, issue, member, "C.3")
    page = open_page(member.user, label_page(round_))
    late = []
    page.route("**/label/", lambda route: late.append(route), times=1)  # noqa: PLW0108 - not a method of C
    press(page, "c 2 Enter Enter")
    while not late:
        page.wait_for_timeout(20)
    press(page, "c 9 Enter")
    late[0].continue_()
    expect(page.locator("#submit")).to_have_count(0)
    page.goto(f"{label_page(round_)}?issue={world.issues[0].pk}")
    expect(page.locator("#toasts")).to_contain_text("These keys were not used: c9 Enter.")
    expect(page.locator("#submit")).not_to_contain_text("C.9")


def test_keys_typed_after_a_change_that_fails_are_shown_and_change_nothing(open_page, world, member):
    round_ = world.round()
    world.submit(round_, world.issues[0], member, "C.3")
    page = open_page(member.user, f"{label_page(round_)}?issue={world.issues[0].pk}")
    page.evaluate(
        """() => {
            const plain = fetch;
            window.fetch = (url, options) => String(url).includes("/change/")
                ? new Promise((_resolve, reject) => setTimeout(() => reject(new TypeError()), 800))
                : plain(url, options);
        }"""
    )
    press(page, "c 2 Enter Enter c 9 Enter Enter s n o")
    expect(page.locator("#toasts")).to_contain_text("These keys were not used: c9 Enter Enter sno.")
    expect(page.locator("#submit")).to_contain_text("Change to C.2")
    expect(page.locator("#summary")).to_have_value("")
    assert Label.objects.get().category == world.category("C.3")


@only_long
def test_going_back_in_a_hurry_pairs_no_text_with_the_form_of_another_issue(open_page, world, member):
    page = open_page(member.user, label_page(world.round()))
    held(page, 2)
    first = title(page)
    press(page, "c 3 Enter Enter")
    stored(page)
    second = title(page)
    # Enter right after b is meant for the issue gone back to, although a digit could still follow b.
    press(page, "c 9 Enter b Enter")
    expect(page.locator("h1")).to_have_text(second)
    expect(page.locator("#toasts")).to_contain_text("now has your label C.3")
    assert Label.objects.count() == 1
    # A click on Back while a change is on its way waits for nothing and does nothing.
    press(page, "b")
    expect(page.locator("#label-form[data-mode=change]")).to_have_count(1)
    page.evaluate(
        """() => {
            const plain = fetch;
            window.fetch = (url, options) => String(url).includes("/change/")
                ? new Promise((resolve) => setTimeout(() => resolve(plain(url, options)), 1500))
                : plain(url, options);
        }"""
    )
    press(page, "c 2 Enter Enter")
    page.locator("#back").dispatch_event("click")
    expect(page.locator("#label-form[data-mode=label]")).to_have_count(1)
    page.wait_for_timeout(1000)
    assert title(page) == second
    press(page, "c 9 Enter Enter")
    expect(page.locator("#pace")).to_contain_text("2 / 6")
    stored(page)
    found = Label.objects.order_by("pk").values_list("issue__current__title", "category")
    assert list(found) == [(first, world.category("C.2").pk), (second, world.category("C.9").pk)]


@only_long
def test_back_change_and_skip_by_keys(open_page, world, member):
    round_ = world.round()
    page = open_page(member.user, reverse("label", args=[round_.pk]))
    answer(page, "c 3 Enter Enter")
    stored(page)
    first = Label.objects.get()
    press(page, "b")
    page.wait_for_url(f"**/label/?issue={first.issue_id}")
    expect(page.locator("#submit")).to_contain_text("Change to C.3")
    press(page, "c 2 Enter")
    expect(page.locator("#submit")).to_contain_text("Change to C.2")
    press(page, "Enter")
    expect(page.locator("#toasts")).to_contain_text("now has your label C.2")
    first.refresh_from_db()
    assert (first.category, Label.objects.count()) == (world.category("C.2"), 1)
    skipped = title(page)
    press(page, "x")
    page.keyboard.type("needs an expert")
    press(page, "Enter")
    expect(page.locator("h1")).not_to_have_text(skipped)
    expect(page.locator("#said")).to_contain_text("is skipped. Next: ")
    stored(page)
    assert list(Skip.objects.values_list("reason", flat=True)) == ["needs an expert"]
    page.goto(reverse("own_labels", args=[round_.pk]))
    page.get_by_role("button", name="Undo skip").click()
    expect(page.locator("h1")).to_have_text(skipped)


def test_a_hostile_issue_is_text(open_page, world, member):
    world.issues[:] = [
        factories.make_issue(world.repository, body=HOSTILE, comments=[{"author": "eve", "body": HOSTILE}])
    ]
    round_ = world.round(issues=type(world.issues[0]).objects.filter(pk=world.issues[0].pk))
    page = open_page(member.user, reverse("label", args=[round_.pk]))
    press(page, "]")
    page.wait_for_load_state("networkidle")
    expect(page.locator(".thread .in")).to_be_visible()
    for text in ["List<String> and a < b and <module>", "<iframe src=", "<svg onload="]:
        expect(page.locator("article > .prose")).to_contain_text(text)
    found = page.locator(".prose").locator(
        "script, img, svg, iframe, form, style, [onerror], [onload], [hx-get]"
    )
    assert found.count() == 0
    links = page.locator(".prose a").evaluate_all("links => links.map((link) => link.protocol)")
    assert set(links) == {"https:"}
    assert re.fullmatch(r"#\d+ · Round 1 · Crosscheck", page.title())


@only_long
def test_in_a_round_of_some_the_page_claims_by_itself(open_page, world, member):
    round_ = world.k_of_n(1)
    page = open_page(member.user, reverse("label", args=[round_.pk]))
    expect(page.locator("#label-form")).to_be_visible()
    page.wait_for_load_state()  # the form is drawn before the script that gives it keys has run
    for _ in range(2):
        answer(page, "c 3 Enter Enter")
    stored(page)
    assert Label.objects.filter(volunteer=member).count() == 2


@only_long
def test_without_script_the_form_posts(open_page, world, member):
    page = open_page(member.user, reverse("label", args=[world.round().pk]), script=False)
    before = title(page)
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#refusal")).to_contain_text("Choose a category first")
    page.get_by_role("radio", name="C.9 Name of C.9").check()
    page.get_by_label("Summary in one line").fill("no script at all")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("h1")).not_to_have_text(before)
    label = Label.objects.get()
    assert (label.category, label.summary) == (world.category("C.9"), "no script at all")


@only_long
def test_without_script_nothing_shows_that_only_a_script_does(open_page, world, member):
    round_ = world.round()
    world.submit(round_, world.issues[0], member, "C.2")
    page = open_page(member.user, reverse("label", args=[round_.pk]), script=False)
    expect(page.locator("#recent")).to_be_hidden()
    expect(page.locator("kbd").filter(visible=True)).to_have_count(0)
    with_script = open_page(member.user, reverse("label", args=[round_.pk]))
    expect(with_script.locator("#recent button")).to_have_text("C.2")
    expect(with_script.locator("#submit kbd")).to_be_visible()


@only_long
def test_long_names_leave_the_page_as_wide_as_the_window(open_page, world, member):
    type(world.study).objects.update(
        name="Issue reports of the frameworks for large language models, second harvest"
    )
    page = open_page(member.user, reverse("label", args=[world.round().pk]))
    for width in (1280, 1024, 800):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.locator("#submit").evaluate("one => one.getBoundingClientRect().right") < width


def test_a_definition_has_the_room_that_the_list_leaves(open_page, world, member):
    text = "A report that this text describes in so many words that three lines of it are filled. " * 3
    with pgtrigger.ignore("taxonomy.CategoryState:published_states_stay"):
        CategoryState.objects.filter(category=world.category("C.3")).update(
            definition=text, includes=text, excludes=text
        )
    page = open_page(member.user, label_page(world.round()))
    about = "one => one.scrollHeight - one.clientHeight"
    press(page, "c 3")
    expect(page.locator("#about")).to_contain_text("Excludes")
    assert page.locator("#about").evaluate(about) <= 0  # whole
    # No room: the part that shows ends in a shadow, and the rest can be scrolled to.
    page.set_viewport_size({"width": 1440, "height": 640})
    assert page.locator("#about").evaluate(about) > 0
    assert page.locator("#submit").evaluate("one => one.getBoundingClientRect().bottom") < 640


@pytest.mark.parametrize(
    ("dark", "phone"),
    [
        pytest.param(False, False, id="light-desktop", marks=only_long),
        pytest.param(False, True, id="light-phone"),
        pytest.param(True, False, id="dark-desktop"),
        pytest.param(True, True, id="dark-phone", marks=only_long),
    ],
)
def test_axe_finds_nothing_grave(open_page, world, member, dark, phone):
    round_ = world.round()
    world.submit(round_, world.issues[0], member, "C.2", summary="one")
    for each in world.members:
        world.submit(round_, world.issues[1], each, "C.3", summary="all")
    body = "# Head\n\n1. `code` and [a link](https://example.org)\n\n> quoted\n\n| a | b |\n|--:|---|\n| 1 | 2 |\n\n"
    body += "```python\ndef one(): return 'two'  # three\n```\n"
    rich = factories.make_issue(
        world.repository,
        body=body,
        author="ann",
        state="open",
        labels=["bug"],
        comments=[{"author": "max", "association": "MEMBER", "body": body}],
    )
    rich.in_rounds.create(round=round_, position=100)
    round_.assignments.create(issue=rich, slot=1, volunteer=member, rank=-(2**63))
    page = open_page(member.user, reverse("label", args=[round_.pk]), dark=dark, phone=phone)
    expect(page.locator("article > .prose h3")).to_have_text("Head")
    found = {"as it opens": violations(page, colours=dark)}
    page.keyboard.type("/definition c")
    press(page, "Enter ]")
    draft_saved(page)
    found["searched and chosen"] = violations(page, colours=dark)
    press(page, "?")
    found["keys"] = violations(page, colours=dark)
    press(page, "Escape x")
    found["skip"] = violations(page, colours=dark)
    for name, path in {
        "change": f"{reverse('label', args=[round_.pk])}?issue={world.issues[0].pk}",
        "revealed": f"{reverse('label', args=[round_.pk])}?issue={world.issues[1].pk}",
        "own labels": reverse("own_labels", args=[round_.pk]),
    }.items():
        page.goto(path)
        press(page, "j ] ?")
        assert page.locator("#keys[open]").count() == (name != "own labels")
        press(page, "Escape")
        found[name] = violations(page, colours=dark)
    assert found == {name: [] for name in found}
