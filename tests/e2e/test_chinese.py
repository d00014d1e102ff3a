"""An evening of somebody who reads no English, from the invitation to the minutes."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import User
from annotate.actions.volunteers import add_volunteer
from consensus.actions.consensus import decide_item
from consensus.actions.meetings import close_meeting, open_meeting, plan_meeting, turn_to
from consensus.actions.votes import close_vote, open_vote
from consensus.models import Decision
from ingest.models import Issue, Repository
from rounds.models import Label
from studies.actions import invite, publish_guideline
from studies.models import Membership, Role, Study
from taxonomy.models import CategoryState, Motion, Taxonomy
from tests.e2e.room import press
from tests.factories import make_member, propose
from tests.long import only_long
from tests.worlds.meeting import put
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db(transaction=True)

PATIENT = 20_000
GUIDELINE = "# 如何标注\n\n选择**原因**所在的主题。\n\n愿望属于需求。\n"
KEPT = {
    "crosscheck", "github", "gitee", "issue", "markdown", "pdf", "csv", "api", "html", "enter", "ctrl", "alt",
    "esc", "tab", "shift", "svg", "url", "utc", "english", "kappa", "fleiss",
}  # fmt: skip
"""Words that stay as they are: names of products, of statistics and of keys, and the name of the other language."""

TEXTS = """() => {
  const shown = [document.title, document.body.innerText];
  for (const element of document.querySelectorAll("[aria-label], [title], [placeholder], img[alt]")) {
    if (element.closest("[hidden], template, dialog:not([open])")) continue;
    for (const name of ["aria-label", "title", "placeholder", "alt"]) shown.push(element.getAttribute(name) ?? "");
  }
  return shown.join("\\n");
}"""
WORD = re.compile(r"[A-Za-z][A-Za-z’']{2,}")


def written_by_people() -> list[str]:
    """Everything that people wrote into the database, longest first."""
    found = {
        text
        for model, *names in (
            (User, "name", "email"),
            (Study, "name", "slug"),
            (Membership, "pseudonym"),
            (Repository, "host", "path"),
            (Issue, "url", "current__title", "current__body", "current__author"),
            (Taxonomy, "name"),
            (CategoryState, "name", "definition", "code"),
            (Label, "summary"),
            (Motion, "title", "reasons"),
        )
        for row in model.objects.values_list(*names)
        for text in row
    }
    return sorted((text for text in map(str, found) if len(text) > 2), key=len, reverse=True)


def english_on(page: Page) -> list[str]:
    """The English words of a page that nobody wrote."""
    text = page.evaluate(TEXTS)
    for known in written_by_people():
        # A body is shown without the signs of its Markdown.
        for shown in (known, known.replace("**", "")):
            text = text.replace(shown, " ")
    # The lead’s circle has room for three letters.
    text = re.sub(r"^Lea$", " ", text, flags=re.MULTILINE)
    return sorted({word for word in WORD.findall(text) if word.lower() not in KEPT})


@pytest.fixture
def world() -> World:
    world = small_world(issues=20, members=2)
    publish_guideline(study=world.study, by=world.lead.user, text=GUIDELINE, made_from=None)
    return world


@only_long
def test_an_evening_without_a_word_of_english(open_page, world):
    round_ = world.round(name="正式轮次")
    owner = make_member(world.study, Role.OWNER)
    _invitation, token = invite(study=world.study, role=Role.VOLUNTEER, by=owner.user)
    page = open_page(None, reverse("accept_invitation", args=[token]), language="zh-CN")
    found: dict[str, list[str]] = {}

    def look(place: str) -> None:
        if words := english_on(page):
            found[place] = words

    look("invitation")
    page.locator("[name=name]").fill("王芳")
    page.locator("[name=email]").fill("wang@example.org")
    page.locator("[name=password]").fill("正确的马电池订书钉一二三")
    page.locator("main button.primary").click()
    page.wait_for_url(f"**/studies/{world.study.slug}/**")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    look("study")
    newcomer = Membership.objects.get(user__email="wang@example.org")
    add_volunteer(round_=round_, member=newcomer, by=world.lead)

    page.goto(reverse("guideline", args=[world.study.slug]))
    expect(page.get_by_text("愿望属于需求。")).to_be_visible()
    look("guideline")
    page.goto("/")
    look("home")

    page.goto(reverse("label", args=[round_.pk]))
    look("labelling")
    for done in range(1, 21):
        press(page, "c 9 Enter" if done % 2 else "c 1 Enter")
        if done == 2:
            look("labelling, chosen")
        press(page, "Enter")
        if done < 20:
            expect(page.locator("#pace")).to_contain_text(f"{done} / 20", timeout=PATIENT)
    expect(page.locator("h1")).to_have_text("全部完成", timeout=PATIENT)
    look("all done")
    assert Label.objects.filter(volunteer=newcomer).count() == 20
    page.goto(reverse("own_labels", args=[round_.pk]))
    look("own labels")

    for member in world.members:
        for issue in world.issues:
            world.submit(round_, issue, member, "C.1")
    page.goto(reverse("disagreements", args=[round_.pk]))
    look("disagreements")

    motion = propose(world.version.taxonomy, by=world.lead, code="C.10")
    page.goto(reverse("proposals", args=[world.version.taxonomy_id]))
    look("proposals")
    page.locator(f"#p{motion.number} button", has_text="投赞成票").click()
    expect(page.get_by_text(f"你对提案 {motion.number} 的选票已保存")).to_be_visible()

    meeting = plan_meeting(round_=round_, by=world.lead, name="第一次讨论会", chair=world.lead, quorum=1)
    open_meeting(meeting=meeting, by=world.lead)
    (item, *_rest) = put(meeting, world.lead, world.issues)
    page.goto(reverse("meeting", args=[meeting.pk]))
    look("meeting")
    turn_to(meeting=meeting, item=item, by=world.lead)
    vote = open_vote(item=item, by=world.lead)
    expect(page.locator("#ballot")).to_contain_text("1人中0人已投票", timeout=PATIENT)
    look("vote")
    press(page, "1")
    expect(page.locator("#ballot")).to_contain_text("1人中1人已投票", timeout=PATIENT)
    look("voted")
    close_vote(vote=vote, by=world.lead)
    decide_item(
        item=item,
        by=world.lead,
        category=world.category("C.1"),
        how=Decision.How.CHAIR,
        rationale="日志说明了原因。",
        seen_number=0,
    )
    close_meeting(meeting=meeting, by=world.lead)
    page.goto(reverse("minutes", args=[meeting.pk]))
    look("minutes")
    page.goto("/")
    look("home, later")
    assert found == {}
