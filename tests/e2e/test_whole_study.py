"""Nineteen participants go from a table of names to a finding in the replication package, in the browser.

The first interview is done by hand; the forms of the others are sent from the open page.
"""

import zipfile

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from findings.models import Finding
from interviews.models import Coding, Participant, Quote, Session, Settlement, Transcript
from interviews.queries.coded import coded_interviews
from interviews.queries.coding_agreement import agreement_of
from interviews.queries.reconciling import items_of
from interviews.queries.sessions import newest_transcript
from taxonomy.models import Level
from taxonomy.queries.codebooks import codebook
from tests.factories.interviews import make_audience, make_guide
from tests.long import only_long
from tests.worlds.pages import label_all
from tests.worlds.world import World, small_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

USERS = "Aila Bero Cyra Dovan Elmi Fenja Goran Hesper Imre Jorunn Kaveh".split()
DEVELOPERS = "Lunete Mirko Nadira Osvald Pelle Quirin Rasmina Soma".split()
NAMES = {f"U{n}": name for n, name in enumerate(USERS, 1)} | {
    f"D{n}": name for n, name in enumerate(DEVELOPERS, 1)
}
TABLE = "Participant,Name,Roles,Years of Experience\n" + "".join(
    f"{who},{name},Engineer,{place % 9 + 1} years\n" for place, (who, name) in enumerate(NAMES.items())
)
EMPLOYER = "Quetzalworks"
SEND = """async ([address, fields]) => {
  const token = JSON.parse(document.body.getAttribute("hx-headers"));
  const form = {method: "POST", headers: token, body: new URLSearchParams(fields), redirect: "manual"};
  const answer = await fetch(address, form);
  return answer.type === "opaqueredirect" || answer.status === 200;
}"""
"""Without the page after the form: half of the time."""


def send(page: Page, address: str, *fields: tuple[str, object]) -> None:
    """Send a form from the page."""
    assert page.evaluate(SEND, [address, [[name, str(value)] for name, value in fields]]), (address, fields)


def said_by(name: str) -> str:
    return (
        f"Ann: Where do you work, {name}?\n{name}: At {EMPLOYER}, on night shifts.\n"
        f"Ann: What fails?\n{name}: The memory runs out. A restart helps."
    )


@only_long
def test_nineteen_participants_go_the_whole_way(open_page):
    world = small_world(issues=3, members=3)
    label_all(world, world.round(), "A.1 A.1 A.1", "B.1 B.1 B.1", "A.1 B.1 C.1")
    make_audience(world.study, "U", "LLM users")
    make_audience(world.study, "D", "Framework developers")
    ranks = {"is_ranking": True, "taxonomy": world.version.taxonomy, "level": Level.TYPE}
    guide = make_guide(world.study, world.lead, ranks)
    study = [world.study.slug]
    lead = open_page(world.lead.user, reverse("import_participants", args=study))

    lead.locator("input[type=file]").set_input_files(
        {"name": "background.csv", "mimeType": "text/csv", "buffer": TABLE.encode()}
    )
    lead.get_by_role("button", name="Read file").click()
    lead.locator("button[name=import]").click()
    expect(lead.get_by_role("main").get_by_role("row")).to_have_count(20)
    people = {str(one): one for one in Participant.objects.select_related("audience")}
    assert set(people) == set(NAMES)

    for who, person in people.items():
        session = held(lead, world, person, guide.pk)
        if who == "U1":
            pseudonymised_by_hand(lead, session, NAMES[who])
        else:
            pseudonymised(lead, session, NAMES[who])
        rank(lead, world, session, "CAB" if who == "D8" else "CBA")
        coders = [("coders", one.pk) for one in world.members[:2]]
        send(lead, reverse("new_coding", args=[session.pk]), ("version", world.version.pk), *coders)
    assert Transcript.objects.count() == Coding.objects.count() == 19
    codings = list(Coding.objects.order_by("pk"))

    coded(open_page, world, codings, 0, "B.1")
    assert not Coding.objects.exclude(revealed_at=None).exists()
    coded(open_page, world, codings, 1, "C.1")
    assert not Coding.objects.filter(revealed_at=None).exists()

    settled(lead, world, codings)
    assert not Coding.objects.filter(settled_at=None).exists()
    assert Quote.objects.filter(coder=None).count() == 2 * 19
    assert Settlement.objects.filter(method="equal").count() == 19
    # Of two answers in each interview the coders agree on one: on A.1 always, on B.1 and C.1 never.
    agreed = agreement_of(coded_interviews(Coding.objects.all()), codebook(world.version.pk), Level.THEME)
    kappas = {one.state.code: one.coefficients["fleiss_kappa"].value for one in agreed.categories}
    assert (agreed.answers, kappas["A.1"]) == (2 * 19, 1)
    assert kappas["B.1"] == kappas["C.1"] < 0

    lead.goto(reverse("rankings", args=study))
    expect(lead.get_by_role("main")).to_contain_text("19 participants")
    in_the_package(lead, world)


def held(page: Page, world: World, person: Participant, guide: int) -> Session:
    fields = [("participant", person.pk), ("held_on", "2025-05-06"), ("interviewer", world.lead.pk)]
    send(page, reverse("new_interview", args=[world.study.slug]), *fields, ("minutes", 35), ("guide", guide))
    return Session.objects.get(participant=person)


def pseudonymised_by_hand(page: Page, session: Session, name: str) -> None:
    page.goto(reverse("new_transcript", args=[session.pk]))
    page.get_by_role("textbox", name="Text").first.fill(said_by(name))
    page.get_by_role("button", name="Import transcript").click()
    assert EMPLOYER not in page.content()
    page.get_by_role("button", name="Show transcript with names").click()
    for original, stand_in in ((name, "U1"), (EMPLOYER, "[company]")):
        page.get_by_label("Text to replace").fill(original)
        page.get_by_label("Replacement", exact=True).fill(stand_in)
        page.get_by_role("button", name="Add replacement").click()
    expect(page.locator(".places mark")).to_have_count(2)
    page.get_by_role("button", name="Store transcript").click()
    expect(page.get_by_text("At [company], on night shifts.")).to_be_visible()


def pseudonymised(page: Page, session: Session, name: str) -> None:
    send(page, reverse("new_transcript", args=[session.pk]), ("secret_text", said_by(name)))
    address = reverse("pseudonymise", args=[session.pk])
    for original, stand_in in ((name, str(session)), (EMPLOYER, "[company]")):
        send(page, address, ("add", 1), ("secret_original", original), ("stand_in", stand_in))
    who = [("speaker_0", "interviewer"), ("speaker_1", "participant")]
    send(page, address, ("store", 1), *who)


def rank(page: Page, world: World, session: Session, order: str) -> None:
    question = session.guide.parts.get().questions.get()
    places = [(f"place_{world.category(code).pk}", place) for place, code in enumerate(order, 1)]
    send(page, reverse("rank", args=[session.pk]), ("question", question.pk), *places)


def coded(open_page, world: World, codings: list[Coding], place: int, other: str) -> None:
    """A coder codes both answers of each interview, and is done: of the first one by keys."""
    first, *rest = codings
    page = open_page(world.members[place].user, first.get_absolute_url())
    # The other coder may have done all this: nothing of it is on the page.
    assert "memo of" not in page.content()
    expect(page.locator("#turns mark")).to_have_count(0)
    for words, code in (("on night shifts", other), ("The memory runs out", "A.1")):
        turn = page.locator("#turns .turn", has_text=words)
        turn.click()
        page.evaluate(
            """(words) => {
              const walk = document.createTreeWalker(document.getElementById("turns"), NodeFilter.SHOW_TEXT);
              for (let node = walk.nextNode(); node; node = walk.nextNode()) {
                const start = node.data.indexOf(words);
                if (start >= 0) getSelection().setBaseAndExtent(node, start, node, start + words.length);
              }
            }""",
            words,
        )
        turn.dispatch_event("pointerup")
        expect(page.locator("#quoted q")).to_have_text(words)
        page.locator("#find").fill(code)
        page.keyboard.press("Control+Enter")
        expect(page.locator("body")).to_have_attribute("data-waiting", "0")
    expect(page.locator("#turns mark")).to_have_count(2)
    for coding in rest:
        for turn, words, code in ((1, "on night shifts", other), (3, "The memory runs out", "A.1")):
            fields = [("turn", turn), ("text", words), ("codes", code), ("memo", f"memo of {place}")]
            send(page, reverse("code_quote", args=[coding.pk]), *fields)
    for coding in codings:
        send(page, reverse("end_coding", args=[coding.pk]))


def settled(page: Page, world: World, codings: list[Coding]) -> None:
    """What the coders coded differently is settled: for the first interview by hand, as the first coder has it."""
    page.goto(reverse("reconcile", args=[codings[0].pk]))
    page.locator(".item input[name=keep]").last.uncheck()
    page.get_by_role("button", name="Keep checked quotes").click()
    for number, coding in enumerate(codings):
        [item] = [one for one in items_of(coding, newest_transcript(coding.session)) if one.is_open] or [None]
        assert (item is None) is (number == 0)
        if item:
            keys = [("item", key) for key in item.keys]
            keep = item.of(world.members[0].pseudonym)[0].key
            address = reverse("settle_item", args=[coding.pk])
            send(page, address, *keys, ("transcript", 1), ("outcome", "keep"), ("keep", keep))
        send(page, reverse("settle_coding", args=[coding.pk]))


def in_the_package(page: Page, world: World) -> None:
    """A finding rests on the consented quote and the ranking; it is frozen, and goes out with the package."""
    first = Participant.objects.get(number=1, audience__prefix="U")
    send(page, reverse("consents", args=[world.study.slug]), ("text", "You may quote me."))
    text = world.study.consent_texts.get()
    permits = [("permits", "quote"), ("permits", "archive")]
    consent = [("text", text.pk), ("given_on", "2025-05-01"), *permits]
    send(page, reverse("new_consent", args=[first.pk]), *consent)
    page.goto(reverse("new_finding", args=[world.study.slug]))
    page.get_by_label("Finding").fill("Users say {1}; bugs rank {2}.")
    page.get_by_role("button", name="Add finding").click()
    page.get_by_role("link", name="Attach quote").click()
    page.get_by_role("radio").last.check()
    page.get_by_role("button", name="Attach quote").click()
    finding = Finding.objects.get()
    question = world.study.guides.get().parts.get().questions.get()
    ranked = [("question", question.pk), ("category", world.category("C").pk)]
    send(page, reverse("attach_evidence", args=[finding.pk, "ranking"]), *ranked)
    page.goto(finding.get_absolute_url())
    expect(page.locator(".told")).to_have_text("Users say “The memory runs out”; bugs rank 1.00.")
    page.get_by_role("button", name="Freeze finding").click()
    page.locator("dialog[open]").get_by_role("button", name="Freeze finding").click()
    expect(page.get_by_role("main")).to_contain_text("Its numbers are those of that moment")
    page.goto(reverse("export", args=[world.study.slug]))
    with page.expect_download(timeout=60_000) as download:
        page.get_by_role("button", name="Download package").click()
    with zipfile.ZipFile(download.value.path()) as package:
        files = {name: package.read(name) for name in package.namelist()}
    [listed] = [data.decode() for name, data in files.items() if name.endswith("findings/findings.md")]
    assert "Users say “The memory runs out”; bugs rank 1.00." in listed
    whole = b"\n".join(files.values())
    assert [name for name in [*NAMES.values(), EMPLOYER] if name.encode() in whole] == []
