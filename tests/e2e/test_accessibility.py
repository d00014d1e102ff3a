"""Every main page, as axe, a phone and the Tab key find it. The world is the demonstration study and an empty one.

Axe is asked about each page in three looks, and in Chinese; that takes minutes, so a long run does it.
"""

from collections.abc import Collection, Iterator
from datetime import timedelta
from io import BytesIO

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from playwright.sync_api import Page

from accounts.models import User
from annotate.actions.labels import submit_label
from annotate.actions.rounds import create_round, open_round
from consensus.models import Decision, Meeting
from core import clock, jobs
from demo.demonstration import Demonstration, load_demonstration
from demo.rounds import MAIN_ROUND, TO_TRY
from harvests.models import Harvest
from ingest import files
from ingest.actions import mark_pair, receive_upload
from ingest.models import Import, Issue, SimilarPair
from interviews.actions.codings import open_coding
from interviews.actions.transcripts import import_transcript
from interviews.queries.pseudonyms import Spoken
from replication.actions.packages import ask_for_package
from reports.actions.report_files import ask_for_report
from rounds.models import Round
from studies.actions import create_study, invite
from studies.models import Membership, Role, Study
from taxonomy.models import Level, Version
from taxonomy.queries.codebooks import codebook
from tests.e2e.axe import violations
from tests.e2e.conftest import DESKTOP, PHONE
from tests.factories import category, make_member
from tests.factories.annotate import label_input
from tests.factories.interviews import make_guide, make_participant, make_session, make_transcript
from tests.interviews.coding import quote, reveal
from tests.long import only_long
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db(transaction=True)

FILE = b"Title,URL,Body\nIt hangs,https://github.com/o/r/issues/1,For ever\nBad,not an address,\n"
NOTHING, BROKEN = "/nothing/is/here/", "/broken/"
LOOKS = ("light", "dark", "phone")
STATUS = {NOTHING: 404, BROKEN: 500, "/accounts/signup/": 403}
POOR = """<!DOCTYPE html><html lang="en"><title>Poor</title><meta name="color-scheme" content="light dark">
<style>body { background: #fff; color: #111 } @media (prefers-color-scheme: dark) { body { background: #333 } } p { width: 600px; margin: 0 } body { margin: 0 }</style>
<main><h1>One</h1><h1>Two</h1><p>Dark on dark</p><img src="data:,"></main></html>"""

# An element shows that it has the focus by an outline of its own, or of the label or search field around it.
SHOWS_FOCUS = """at => {
  const seen = [at, at.closest("label, .search, .find, .segmented")].filter(Boolean).some((element) => {
    const style = getComputedStyle(element);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
  });
  const box = at.getBoundingClientRect();
  return seen && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
}"""
NAME = "at => at.outerHTML.slice(0, 120)"
WIDER = """() => [...document.querySelectorAll("body *")]
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
  .map((element) => element.outerHTML.slice(0, 80)).slice(0, 4)"""

# A text that is wider than its button; what is cut off on purpose, or scrolls, is none.
CRAMPED = """() => [...document.querySelectorAll("button, .btn, summary, [role=tab]")]
  .filter((element) => element.offsetParent && !element.closest(".clip, .tree, .scroll"))
  .filter((element) => element.scrollWidth > element.clientWidth + 1)
  .map((element) => `${element.textContent.trim().slice(0, 40)}: ${element.scrollWidth} px in ${element.clientWidth}`)
  .slice(0, 4)"""


@pytest.fixture
def uploads(monkeypatch, tmp_path) -> None:
    """Uploads of this test in a folder that goes with it."""
    folder = settings.DATA_DIR / tmp_path.name
    monkeypatch.setattr(files, "FOLDER", folder.name)


def pages_of_visitors(study: Study, owner: User) -> Iterator[str]:
    _invitation, token = invite(study=study, role=Role.VOLUNTEER, by=owner)
    yield reverse("account_login")
    yield reverse("account_signup")
    yield reverse("account_reset_password")
    yield reverse("accept_invitation", args=[token])
    yield NOTHING


def pages_of_the_owner(demo: Demonstration) -> Iterator[str]:
    """Every page of the demonstration study; a round of each state, an import of each state; a study without anything."""
    study, owner = demo.study, demo.members["R1"]
    main = Round.objects.select_related("version").get(study=study, name=MAIN_ROUND)
    planned = create_round(
        study=study,
        by=owner,
        name="Planned",
        version=main.version,
        depth=Level.THEME,
        issues=Issue.objects.filter(repository__study=study),
        members=[owner],
    )
    looked_at = receive_upload(study=study, by=owner.user, name="bad.csv", stream=BytesIO(FILE))
    with_text = Issue.objects.filter(repository__study=study, current__isnull=False).latest("pk")
    similar = SimilarPair.objects.create(
        study=study, first=Issue.objects.earliest("pk"), second=with_text, likeness=1, is_across=True
    )
    mark_pair(study=study, issues=[similar.first_id, with_text.pk], kind="related", note="See", by=owner.user)
    empty = create_study(name="Nothing yet", by=owner.user)
    yield from map(reverse, ("home", "me", "account_change_password", "new_study"))
    for name in (
        "study", "people", "issues", "imports", "new_import", "harvests", "new_harvest", "forge_tokens", "taxonomies", "new_taxonomy", "rounds", "new_round",
        "export", "integrity", "audit", "study_settings", "guideline", "edit_guideline", "keywords", "new_keyword_list", "import_keyword_lists", "similar", "standards", "standards_method", "citation", "my_background",
    ):  # fmt: skip
        yield reverse(name, args=[study.slug])
    for keyword_list in study.keyword_lists.order_by("pk"):
        yield reverse("keyword_list", args=[study.slug, keyword_list.pk])
        yield reverse("edit_keyword_list", args=[study.slug, keyword_list.pk])
        yield reverse("issues", args=[study.slug]) + f"?list={keyword_list.pk}&found=masked"
    yield reverse("issue", args=[study.slug, with_text.pk])
    harvest = Harvest.objects.get(run__study=study)
    for name in ("harvest", "harvest_pages", "harvested_issues"):
        yield reverse(name, args=[study.slug, harvest.pk])
    yield reverse("similar_group", args=[study.slug, with_text.pk])
    yield reverse("import", args=[study.slug, Import.objects.earliest("pk").pk])
    yield reverse("import", args=[study.slug, looked_at.pk])
    yield reverse("take_back_import", args=[study.slug, Import.objects.earliest("pk").pk])
    yield reverse("remove_issue", args=[study.slug, with_text.pk])
    for taxonomy in study.taxonomies.all():
        yield reverse("taxonomy", args=[taxonomy.pk])
        yield reverse("taxonomy_figure", args=[taxonomy.pk])
        yield reverse("taxonomy_history", args=[taxonomy.pk])
        yield reverse("draft", args=[taxonomy.pk])
        yield reverse("draft_dry_run", args=[taxonomy.pk])
        yield reverse("proposals", args=[taxonomy.pk])
        yield f"{reverse('draft_examples', args=[taxonomy.pk])}?issue={with_text.pk}"
        yield reverse("new_proposal", args=[taxonomy.pk])
        yield reverse("boards", args=[taxonomy.pk])
        yield reverse("new_board", args=[taxonomy.pk])
        for board in taxonomy.boards.all():
            yield board.get_absolute_url()
            yield reverse("board_piles", args=[board.pk])
            yield reverse("board_agreement", args=[board.pk])
    for name in ("round", "label", "own_labels", "disagreements", "alike", "agreement", "consensus"):
        yield reverse(name, args=[main.pk])
    yield reverse("agreement", args=[main.pk]) + "?dissents=yes&independence=yes"
    yield reverse("forecast", args=[study.slug]) + "?kappa=0.7&shares=50,30&volunteers=3&within=0.05"
    files = [ask_for_report(round_=main, by=owner, form=form) for form in ("html", "pdf")]
    jobs.run(files[0].pk)
    yield from (reverse("agreement_file", args=[main.pk, one.pk]) for one in files)
    packages = [ask_for_package(round_=main, by=owner, without_coached=one) for one in (False, True)]
    jobs.run(packages[0].pk)
    yield from (reverse("package", args=[main.pk, one.pk]) for one in packages)
    yield reverse("export", args=[study.slug]) + f"?round={main.pk}"
    yield reverse("frozen_reports", args=[main.pk])
    yield main.frozen_reports.get().get_absolute_url()
    yield reverse("round", args=[planned.pk])
    yield from pages_of_meetings(main)
    yield from pages_of_interviews(study, owner)
    yield reverse("interviews", args=[empty.slug])
    yield reverse("participants", args=[empty.slug])
    yield reverse("consensus", args=[planned.pk])
    yield reverse("label", args=[planned.pk])
    for name in (
        "study",
        "people",
        "issues",
        "imports",
        "harvests",
        "taxonomies",
        "rounds",
        "new_round",
        "export",
    ):
        yield reverse(name, args=[empty.slug])
    for name in ("guideline", "edit_guideline", "keywords"):
        yield reverse(name, args=[empty.slug])
    for name in ("samples", "training", "guideline", "keywords"):
        yield reverse(name, args=[empty.slug])
    yield NOTHING


def pages_of_meetings(main: Round) -> Iterator[str]:
    """Planning, the plans and the minutes of the demonstration's meetings, and what follows from them."""
    yield reverse("meetings", args=[main.pk])
    yield reverse("new_meeting", args=[main.pk]) + "?all=1"
    yield reverse("follow_ups", args=[main.study.slug])
    for meeting in Meeting.objects.filter(round=main):
        yield reverse("minutes", args=[meeting.pk])
        if meeting.closed_at is None:
            yield reverse("change_meeting", args=[meeting.pk])


def pages_of_interviews(study: Study, owner: Membership) -> Iterator[str]:
    """A participant, who is named, and an interview with a transcript."""
    participant = make_participant(study, owner, "W", role="Engineer", attributes={"Tasks": "inference"})
    guide = make_guide(study, owner, {}, {"audience": participant.audience})
    session = make_session(participant, owner, guide=guide)
    make_transcript(session, owner)
    waits = make_session(participant, owner)
    import_transcript(session=waits, turns=[Spoken("Ann", "Hello.")], file_format="txt", by=owner)
    yield reverse("pseudonymise", args=[waits.pk])
    yield reverse("guide", args=[guide.pk])
    for name in (
        "interviews", "new_interview", "participants", "new_participant", "audiences", "consents", "interviewers",
        "rankings", "guides", "new_guide", "import_participants",
    ):  # fmt: skip
        yield reverse(name, args=[study.slug])
    for name in ("participant", "edit_participant", "identity", "erase_participant"):
        yield reverse(name, args=[participant.pk])
    yield reverse("edit_audience", args=[study.slug, participant.audience_id])
    yield reverse("new_transcript", args=[waits.pk])
    for name in ("interview", "edit_interview", "rank", "correct_transcript", "new_coding"):
        yield reverse(name, args=[session.pk])
    yield from pages_of_coding(study, owner)


def pages_of_coding(study: Study, owner: Membership) -> Iterator[str]:
    """An interview that the owner codes, one that others code, and one that is revealed."""
    version = Version.objects.filter(taxonomy__study=study, published_at__isnull=False)[0]
    codes = codebook(version).states
    others = list(Membership.objects.filter(study=study, role=Role.VOLUNTEER).order_by("pk")[:2])
    made = []
    for coders in ([owner, others[0]], others, [owner, others[0]]):
        session = make_session(make_participant(study, owner, "W"), owner)
        make_transcript(session, owner)
        made.append(open_coding(session=session, version=version, coders=coders, by=owner))
        for place, coder in enumerate(coders):
            quote(made[-1], coder, "memory", codes[place].code, "an open code", memo="A memo.", strength=2)
            quote(made[-1], coder, "often", codes[0].code)
    reveal(made[2])
    yield from (
        reverse(name, args=[study.slug])
        for name in ("codings", "open_codes", "codings_agreement", "coverage")
    )
    yield from (f"{one.get_absolute_url()}?turn=1" for one in made[:2])
    yield reverse("coding_agreement", args=[made[2].pk])
    yield reverse("reconcile", args=[made[2].pk]) + "?show=all"


def pages_of_rounds(demo: Demonstration) -> Iterator[str]:
    """What the four kinds of rounds have of their own, and what goes before them."""
    study, owner = demo.study, demo.members["R1"]
    rounds = {round_.name: round_ for round_ in Round.objects.filter(study=study).select_related("version")}
    main, to_try, done = rounds[MAIN_ROUND], rounds[TO_TRY], rounds["Screening"]
    for name in ("training", "guideline", "edit_guideline", "keywords", "samples", "new_sample"):
        yield reverse(name, args=[study.slug])
    yield reverse("guideline", args=[study.slug]) + "?version=2&since=1"
    for kind in Round.Kind:
        yield reverse("new_round", args=[study.slug]) + f"?kind={kind}"
    sample = reverse("sample", args=[study.slug, study.samples.get().pk])
    yield from (sample, f"{sample}?check=1")
    for name in ("pilot", "pilot_training"):
        yield reverse(name, args=[rounds["Pilot"].pk])

    training = rounds["Training"]
    planned = create_round(
        study=study, by=owner, name="Second training", kind=Round.Kind.TRAINING, version=training.version,
        depth=Level.THEME, issues=Issue.objects.filter(in_rounds__round=training), members=[demo.members["R7"]],
    )  # fmt: skip
    yield reverse("answers", args=[planned.pk])
    yield reverse("answers", args=[training.pk])
    answered = training.round_issues.earliest("position").issue_id
    yield reverse("label", args=[training.pk]) + f"?issue={answered}"

    excluded = Decision.objects.filter(round=done, category__states__code__startswith="F").first()
    assert excluded is not None
    screened = reverse("screening", args=[done.pk])
    yield from (screened, f"{screened}?issue={excluded.issue_id}")
    voting = undecided_screening(demo, done)
    disputed = reverse("disagreements", args=[voting.pk])
    yield reverse("screening", args=[voting.pk]) + "?at_least=2"
    yield from (disputed, *(f"{disputed}?issue={one.issue_id}" for one in voting.round_issues.all()))

    newcomer = make_member(study, pseudonym="R8")
    yield reverse("round_volunteers", args=[main.pk])
    yield reverse("remove_volunteer", args=[main.pk, demo.members["R3"].pk])
    yield reverse("close_round", args=[main.pk])
    yield reverse("incomplete_issues", args=[main.pk])
    yield reverse("round_volunteers", args=[to_try.pk])
    yield reverse("add_volunteer", args=[to_try.pk]) + f"?member={newcomer.pk}"
    yield reverse("raise_labels", args=[to_try.pk]) + "?to=3"


def undecided_screening(demo: Demonstration, like: Round) -> Round:
    """An open screening of two issues: two against one, and one with an open label."""
    members = [demo.members[name] for name in ("R1", "R2", "R3")]
    # What is still to be labelled in the round to try is held back here, and has no address of its own.
    free = Issue.objects.filter(repository__study=demo.study).exclude(in_rounds__round__name=TO_TRY)
    issues = free.order_by("pk")[:2]
    round_ = create_round(
        study=demo.study, by=members[0], name="Second screening", kind=Round.Kind.SCREENING,
        version=like.version, depth=Level.TYPE, issues=Issue.objects.filter(pk__in=[one.pk for one in issues]),
        members=members, excludes=like.excludes,
    )  # fmt: skip
    round_ = open_round(round_=round_, by=members[0])
    for issue, codes in zip(issues, ("F F R", "F R -"), strict=True):
        for member, code in zip(members, codes.split(), strict=True):
            missing = {"proposed_name": "Spam", "proposed_reason": "It sells something."}
            submit_label(
                round_=round_,
                issue=issue,
                member=member,
                given=label_input(
                    summary="",
                    unsure=False,
                    form_key=None,
                    category=None if code == "-" else category(like.version, code),
                    **missing if code == "-" else {},
                ),
            )
    return round_


@only_long
def test_every_page_in_light_dark_and_on_a_phone(open_page, uploads):
    visitor = open_page(None, reverse("welcome"))
    found = look_at(visitor, reverse("welcome"), LOOKS)
    demo = load_demonstration()
    user = demo.members["R1"].user
    assert user is not None
    for path in pages_of_visitors(demo.study, user):
        found |= look_at(visitor, path, LOOKS)
    owner = open_page(user)
    paths = [*pages_of_the_owner(demo), *pages_of_rounds(demo)]
    for path in paths:
        found |= look_at(owner, path, LOOKS)
    owner.route(
        f"**{BROKEN}",
        lambda route: route.fulfill(status=500, body=render_to_string("500.html"), content_type="text/html"),
    )
    found |= look_at(owner, BROKEN, LOOKS)
    User.objects.filter(pk=user.pk).update(language="zh-hans")
    for path in paths:
        found |= {f"{path} in Chinese": wrong for wrong in look_at(owner, path, ()).values()}
    assert found == {}


def test_what_is_wrong_with_a_page_is_found(open_page):
    page = open_page(None, reverse("welcome"))
    page.route("**/poor/", lambda route: route.fulfill(body=POOR, content_type="text/html"))
    (found,) = look_at(page, "/poor/", LOOKS).values()
    assert [line.partition(": [")[0] for line in found] == [
        "2 h1",
        "title: 'Poor'",
        "light: image-alt: Images must have alternative text",
        "dark: color-contrast: Elements must meet minimum color contrast ratio thresholds",
        "phone: 600 px wide",
        "phone: image-alt: Images must have alternative text",
    ]


def look_at(page: Page, path: str, looks: Collection[str]) -> dict[str, list[str]]:
    """Go there and ask axe in these looks; what is wrong with the page, by its path: nothing if nothing is."""
    wrong = []
    answer = page.goto(path)
    assert answer is not None
    if answer.status != STATUS.get(path, 200):
        wrong.append(f"status {answer.status}")
    if (headings := page.locator("h1").count()) != 1:
        wrong.append(f"{headings} h1")
    before, _, site = page.title().rpartition(" · ")
    if not before.strip() or site != "Crosscheck":
        wrong.append(f"title: {page.title()!r}")
    if "light" in looks:
        wrong += [f"light: {one}" for one in violations(page)]
    if "dark" in looks:
        page.emulate_media(color_scheme="dark")
        # Nothing but colours differs from a page that was looked at in the light.
        wrong += [f"dark: {one}" for one in violations(page, colours="light" in looks)]
        page.emulate_media(color_scheme="light")
    wrong += [f"cramped: {one}" for one in page.evaluate(CRAMPED)]
    finger = page.context.new_cdp_session(page)
    finger.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    page.set_viewport_size(PHONE)
    if (width := page.evaluate("document.documentElement.scrollWidth")) > PHONE["width"]:
        wrong.append(f"phone: {width} px wide: {page.evaluate(WIDER)}")
    wrong += [f"phone: cramped: {one}" for one in page.evaluate(CRAMPED)]
    if "phone" in looks:
        wrong += [f"phone: {one}" for one in violations(page)]
    finger.detach()
    page.set_viewport_size(DESKTOP)
    return {path: wrong} if wrong else {}


@only_long
@pytest.mark.parametrize(("ahead", "days"), [("archived_at", 0), ("delete_at", 31)])
def test_pages_of_a_read_only_study_in_light_dark_and_on_a_phone(open_page, ahead, days):
    world = small_world()
    round_ = world.round()
    Study.objects.filter(pk=world.study.pk).update(**{ahead: clock.now() + timedelta(days=days)})
    owner = make_member(world.study, Role.OWNER)
    page = open_page(owner.user)
    found = look_at(page, reverse("home"), LOOKS)
    page.locator("details.archived > summary").click()
    assert violations(page) == []
    for name in ("study", "people", "study_settings", "export", "rounds", "issues"):
        found |= look_at(page, reverse(name, args=[world.study.slug]), LOOKS)
        assert page.get_by_role("status").filter(has_text="This study").count() == 1, name
    for name in ("round", "agreement", "disagreements"):
        found |= look_at(page, reverse(name, args=[round_.pk]), LOOKS)
    assert found == {}


@only_long
def test_tab_reaches_the_main_action_with_the_focus_in_sight(open_page):
    world = small_world()
    round_ = world.round()
    volunteer = open_page(world.members[0].user)
    for page, path, action in (
        (open_page(None, reverse("account_login")), "", "main button.primary"),
        (volunteer, reverse("home"), "main .btn.primary"),
        (volunteer, reverse("label", args=[round_.pk]), "#submit"),
        (open_page(world.lead.user), reverse("new_import", args=[world.study.slug]), "main button.primary"),
        (open_page(world.lead.user), reverse("new_round", args=[world.study.slug]), "main button.primary"),
    ):
        if path:
            page.goto(path)
        assert tab_to(page, action) == [], page.url


def tab_to(page: Page, action: str, *, most: int = 80) -> list[str]:
    """Press Tab until the focus is on the action; return the elements on the way that do not show that they have it."""
    dim = []
    page.evaluate("document.activeElement.blur()")
    for _ in range(most):
        page.keyboard.press("Tab")
        at = page.evaluate_handle("document.activeElement").as_element()
        assert at is not None
        if not at.evaluate(SHOWS_FOCUS):
            dim.append(at.evaluate(NAME))
        if at.evaluate("(at, action) => at.matches(action)", action):
            return dim
    return [*dim, f"{action} was not reached"]
