"""Turns that are here before they are asked for, and answers that wait: without a connection, without a session."""

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from annotate.actions.label_drafts import save_draft
from annotate.models import Draft, Skip
from rounds.models import Label, Round
from studies.models import Membership
from tests.e2e.axe import violations
from tests.e2e.room import answer, draft_saved, held, issue_on, label_page, press, stored, title, waiting
from tests.factories.annotate import label_input
from tests.long import only_long

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.world(issues=8)]

PASSWORD = "correct horse battery"  # of every user of the factories

# Press Enter, and say after how many ms the next issue was drawn.
ENTER = """() => new Promise((done) => {
  const start = performance.now(), before = document.querySelector("h1").textContent;
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  const look = () => (document.querySelector("h1").textContent === before ? requestAnimationFrame(look) : done(performance.now() - start));
  requestAnimationFrame(look);
})"""


def codes(round_: Round, member: Membership) -> list[str]:
    """The codes of the member's labels, in the order in which they were stored."""
    states = round_.version.states.values_list("category", "code")
    code = dict(states)
    return [code[label.category_id] for label in Label.objects.filter(volunteer=member).order_by("pk")]


def end_session() -> None:
    """The session ends at the server: the browser still has its cookie."""
    Session.objects.all().delete()


@only_long
def test_the_next_issue_is_here_before_it_is_asked_for(open_page, world, member):
    round_ = world.round()
    page = open_page(member.user, label_page(round_))
    times = []
    for number in range(5):
        held(page, 2)
        press(page, "c 3 Enter")
        expect(page.locator("#submit")).to_contain_text("Submit C.3")
        page.evaluate("document.activeElement.blur()")
        times.append(page.evaluate(ENTER))
        stored(page)
        expect(page.locator("#pace")).to_contain_text(f"{number + 1} / 8")
    assert sorted(times)[2] < 400, times  # about 15 ms on a machine that does nothing else
    assert codes(round_, member) == ["C.3"] * 5
    assert Draft.objects.count() == 0


def test_answers_wait_for_the_connection_and_are_sent_once(open_page, world, member):
    round_ = world.round()
    page = open_page(member.user, label_page(round_))
    held(page, 2)
    shown = [issue_on(page, world)]
    page.context.set_offline(True)
    answer(page, "c 3 Enter Enter")
    shown.append(issue_on(page, world))
    press(page, "c 2 Enter s")
    page.keyboard.type("typed in a tunnel")
    press(page, "Escape")
    answer(page, "Enter")
    expect(page.locator("#outbox")).to_contain_text("2 answers wait for the connection")
    shown.append(issue_on(page, world))
    # The third is the last one that was held: the page says so, and keeps all three.
    press(page, "x")
    page.keyboard.type("needs an expert")
    press(page, "Enter")
    expect(page.locator("h1")).to_have_text("Your answers are kept in this browser")
    expect(page.locator("#outbox")).to_contain_text("3 answers wait for the connection")
    press(page, "c 1 Enter Enter u s")
    waiting(page, 3)
    assert (Label.objects.count(), Skip.objects.count()) == (0, 0)
    assert violations(page) == []
    page.context.set_offline(False)
    stored(page)
    expect(page.locator("#label-form")).to_be_visible()
    expect(page.locator("#outbox")).to_be_hidden()
    assert issue_on(page, world) not in shown
    assert [(label.issue, label.summary) for label in Label.objects.order_by("pk")] == [
        (shown[0], ""),
        (shown[1], "typed in a tunnel"),
    ]
    assert list(Skip.objects.values_list("issue", "reason")) == [(shown[2].pk, "needs an expert")]
    assert Draft.objects.count() == 0
    assert codes(round_, member) == ["C.3", "C.2"]


@only_long
def test_waiting_answers_survive_a_closed_page_and_belong_to_their_member(open_page, world, member):
    round_ = world.round()
    page = open_page(member.user, label_page(round_))
    held(page, 2)
    page.route("**/submit/", lambda route: route.abort())
    answer(page, "c 3 Enter Enter")
    answer(page, "c 2 Enter Enter")
    expect(page.locator("#outbox")).to_contain_text("2 answers wait for the connection")
    context, colleague = page.context, world.members[1].user
    page.goto("about:blank")  # and then close: what is sent while a page closes, nobody aborts
    page.close()
    # Another member on the same computer sends nothing of it.
    cookies = context.cookies()
    context.clear_cookies()
    other = open_page(colleague, label_page(round_))
    context.add_cookies([cookie for cookie in other.context.cookies() if cookie["name"] != "csrftoken"])
    page = context.new_page()
    page.goto(label_page(round_))
    held(page, 2)
    waiting(page, 0)
    assert Label.objects.count() == 0
    page.close()
    context.clear_cookies()
    context.add_cookies(cookies)
    page = context.new_page()
    page.goto(label_page(round_))
    stored(page)
    expect(page.locator("#label-form")).to_be_visible()
    assert codes(round_, member) == ["C.3", "C.2"]
    assert codes(round_, world.members[1]) == []


@only_long
def test_an_answer_that_was_stored_without_an_answer_is_stored_once(open_page, world, member):
    round_ = world.round()
    page = open_page(member.user, label_page(round_))
    held(page, 2)
    tries = []

    def lose_the_answer(route):
        tries.append(route.fetch())
        route.abort()

    page.route("**/submit/", lose_the_answer, times=1)
    answer(page, "c 3 Enter Enter")
    stored(page)
    assert [try_.status for try_ in tries] == [200]
    assert codes(round_, member) == ["C.3"]
    expect(page.locator("#returned .note")).to_have_count(0)


@only_long
def test_a_refused_answer_comes_back_with_its_text(open_page, world, member):
    round_ = world.round()
    page = open_page(member.user, label_page(round_))
    held(page, 2)
    issue = issue_on(page, world)
    world.submit(round_, issue, member, "A.2", summary="submitted elsewhere")
    press(page, "c 3 Enter s")
    page.keyboard.type("from this page")
    press(page, "Escape")
    answer(page, "Enter")
    back = page.locator("#returned .note")
    expect(back).to_contain_text(f"{issue} was not saved: You have already labelled this issue.")
    expect(back).to_contain_text("C.3 · from this page")
    answer(page, "c 2 Enter Enter")
    stored(page)
    page.reload()
    back.get_by_role("link", name="Open issue").click()
    refusal = page.locator("#refusal")
    expect(refusal).to_contain_text("A.2 · submitted elsewhere")
    expect(refusal).to_contain_text("C.3 · from this page")
    expect(back).to_have_count(0)
    refusal.get_by_role("button", name="Keep my text").click()
    page.locator("#submit").click()
    expect(page.locator("#toasts")).to_contain_text("now has your label C.3")
    assert Label.objects.get(issue=issue).summary == "from this page"
    assert codes(round_, member) == ["C.3", "C.2"]


@only_long
def test_a_refusal_is_shown_in_place_while_nothing_else_is(open_page, world, member):
    round_ = world.round()
    page = open_page(member.user, label_page(round_))
    page.route("**/ahead/", lambda route: route.abort())
    page.reload()
    page.wait_for_load_state()
    issue = issue_on(page, world)
    world.submit(round_, issue, member, "A.2", summary="submitted elsewhere")
    expect(page.locator("#pace b").first).to_have_text("0")
    press(page, "c 3 Enter s")
    page.keyboard.type("from this page")
    page.locator("#submit").click()
    refusal = page.locator("#refusal")
    expect(refusal).to_contain_text("You have already labelled this issue.")
    expect(refusal).to_contain_text("submitted elsewhere")
    # The label of the other window counts here too, and nothing says that this one was submitted.
    expect(page.locator("#pace b").first).to_have_text("1")
    expect(page.locator("#recent button")).to_have_text("A.2")
    expect(page.locator("#said")).to_have_text("")
    expect(page.locator("#summary")).to_have_value("from this page")
    assert issue_on(page, world) == issue
    refusal.get_by_role("link", name="Change that label").click()
    expect(page.locator("#summary")).to_have_value("from this page")


@only_long
def test_an_ended_session_is_taken_up_in_place(open_page, world, member):
    round_ = world.round()
    page = open_page(member.user, label_page(round_))
    held(page, 2)
    end_session()
    answer(page, "c 3 Enter Enter")
    dialog = page.locator("#sign-in")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_label("Email address")).to_have_value(member.user.email)
    expect(dialog.get_by_label("Password")).to_be_focused()
    expect(page.locator("#outbox")).to_contain_text("1 answer waits until you are signed in")
    assert violations(page) == []
    page.keyboard.type("not the password")
    press(page, "Enter")
    expect(page.locator("#sign-in-said")).to_contain_text("not correct")
    page.keyboard.type(PASSWORD)
    press(page, "Enter")
    expect(dialog).to_be_hidden()
    stored(page)
    assert codes(round_, member) == ["C.3"]
    answer(page, "c 2 Enter Enter")
    stored(page)
    assert codes(round_, member) == ["C.3", "C.2"]


@only_long
def test_who_has_no_password_signs_in_in_another_tab(open_page, world, member):
    member.user.set_unusable_password()
    member.user.save()
    round_ = world.round()
    page = open_page(member.user, label_page(round_))
    held(page, 2)
    session = [cookie for cookie in page.context.cookies() if cookie["name"] == "sessionid"]
    page.context.clear_cookies(name="sessionid")
    press(page, "c 3 Enter s")
    page.keyboard.type("typed too late")
    expect(page.locator("#state")).to_contain_text("You are signed out.")
    press(page, "Escape")
    answer(page, "Enter")
    dialog = page.locator("#sign-in")
    expect(dialog.get_by_role("link", name="Sign in in a new tab")).to_be_visible()
    page.context.add_cookies(session)
    page.evaluate("dispatchEvent(new Event('focus'))")  # as when somebody comes back from the other tab
    stored(page)
    expect(dialog).to_be_hidden()
    assert Label.objects.get().summary == "typed too late"


@only_long
def test_somebody_else_sends_nothing(open_page, world, member):
    round_ = world.round()
    page = open_page(member.user, label_page(round_))
    held(page, 2)
    other = open_page(world.members[1].user, label_page(round_))
    page.context.clear_cookies()
    page.context.add_cookies(other.context.cookies())
    answer(page, "c 3 Enter Enter")
    expect(page.locator("#outbox")).to_contain_text(
        f"Somebody else is signed in. 1 answer waits for {member.user.email}"
    )
    assert Label.objects.count() == 0


@only_long
def test_two_tabs_with_different_answers(open_page, world, member):
    round_ = world.round()
    page = open_page(member.user, label_page(round_))
    issue = issue_on(page, world)
    save_draft(
        round_=round_,
        issue=issue,
        member=member,
        given=label_input(
            category=world.category("B.1"), summary="from the other tab", unsure=False, revision=0
        ),
    )
    press(page, "c 3 Enter s")
    page.keyboard.type("from this one")
    refusal = page.locator("#refusal")
    expect(refusal).to_contain_text("B.1 · from the other tab")
    expect(refusal).to_contain_text("C.3 · from this one")
    refusal.get_by_role("button", name="Keep my text").click()
    draft_saved(page)
    assert Draft.objects.get().summary == "from this one"


@only_long
def test_another_device_has_the_same_place_and_the_same_draft(open_page, world, member):
    round_ = world.round()
    desk = open_page(member.user, label_page(round_))
    held(desk, 2)
    answer(desk, "c 3 Enter Enter")
    stored(desk)
    press(desk, "c 2 Enter u s")
    desk.keyboard.type("begun at the desk")
    draft_saved(desk)
    phone = open_page(member.user, label_page(round_), phone=True)
    assert title(phone) == title(desk)
    expect(phone.locator("#submit")).to_contain_text("Submit C.2")
    expect(phone.locator("#summary")).to_have_value("begun at the desk")
    expect(phone.locator("#unsure")).to_be_checked()


@only_long
def test_a_draft_under_way_stays_behind_no_answer(open_page, world, member):
    round_ = world.round()
    page = open_page(member.user, label_page(round_))
    held(page, 2)
    late = []
    page.route(
        "**/draft/", lambda route: (page.wait_for_timeout(700), late.append(1), route.continue_()), times=1
    )
    press(page, "c 3 Enter s")
    page.keyboard.type("one line")
    expect(page.locator("#state")).to_contain_text("Saving")
    press(page, "Escape")
    answer(page, "Enter")
    stored(page)
    assert late == [1]
    assert (Label.objects.get().summary, Draft.objects.count()) == ("one line", 0)


@only_long
def test_labels_taken_back_to_the_last_one_wait_for_it_to_be_stored(open_page, world, member):
    round_ = world.round()
    page = open_page(member.user, label_page(round_))
    held(page, 2)
    issue = issue_on(page, world)
    page.context.set_offline(True)
    answer(page, "c 3 Enter Enter")
    answer(page, "c 2 Enter Enter")
    page.context.set_offline(False)
    stored(page)
    press(page, "b")
    page.wait_for_url("**/label/?issue=*")
    expect(page.locator("#submit")).to_contain_text("Change to C.2")
    assert issue_on(page, world) != issue


@only_long
def test_each_answer_brings_the_turn_after_those_that_are_held(open_page, world, member):
    page = open_page(member.user, label_page(world.round()))
    held(page, 2)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/label/")[2]))
    answer(page, "c 3 Enter Enter")
    stored(page)
    held(page, 2)
    assert [name for name in asked if name != "draft/"] == ["submit/"]
