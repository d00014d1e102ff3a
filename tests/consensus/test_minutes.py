"""The minutes of a meeting: what stands in them, in words and as files, and who reads what."""

import re
from dataclasses import replace
from html import unescape
from io import BytesIO

import pytest
from markdown_it import MarkdownIt
from pypdf import PdfReader

from annotate.actions.rounds import close_round
from consensus.actions.decisions import reopen
from consensus.actions.meetings import close_meeting
from consensus.minutes_files import markdown, pdf
from consensus.minutes_text import document, method, spent
from consensus.models import Decision
from consensus.queries.agendas import agenda
from consensus.queries.consensus_numbers import ConsensusNumbers, consensus_numbers, meeting_numbers
from consensus.queries.minute_records import MinuteTotals
from consensus.queries.minutes import minutes
from core.places import place
from drawing import vega
from drawing.errors import DrawingBusy
from rounds.actions.seals import seal_round
from rounds.models import Assignment, Seal
from tests import factories
from tests.long import only_long
from tests.worlds.meeting import meeting_world
from tests.worlds.pages import cost
from tests.worlds.scripted import BEGIN, TITLES, scripted_meeting, stopped_clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def clock(monkeypatch):
    return stopped_clock(monkeypatch)


MARKDOWN = r"""
# Meeting of 14 November

Minutes

- **Study:** Study 1
- **Round:** Round 1
- **Taxonomy:** Taxonomy 1, version 1
- **Kind:** live, at a fixed time
- **Held:** 14 November 2026, 14:00 to 14:05 UTC, 5 min 25 s
- **Chair:** Lead
- **Quorum:** 3
- **Decision rule:** unanimously, by majority, or by the chair with a reason
- **Invited and absent:** R3
- **Present:** R1 (14:00 to 14:05), R2 (14:00 to 14:04), Lead (14:00 to 14:05)

## Numbers

- On the agenda: 5
- Discussed: 4
- Decided: 2
- Unanimously: 1 (50.0 %)
- By majority: 0 (0.0 %)
- By the chair: 1 (50.0 %)
- Parked: 1
- Left open: 1
- Not reached: 1
- Median time per issue: 1 min 25 s
- Cause: unclear issue: 1
- Cause: unclear guideline: 1

## For the method section

In 1 meeting with 3 people, 4 issues were discussed. 2 issues were decided: 1 (50.0 %) unanimously and 1 (50.0 %) by the chair. The median time per issue was 1 min 25 s.

## C.1 Name of C.1 or C.9 Name of C.9

### ember/engine \#101: assert without a message on driver 535

<https://github.com/ember/engine/issues/101>

- **Labels:** R1 C.9, R2 C.9, R3 C.1
- **Vote 1** (14:01): 1 × C.1, 1 × C.9, 3 present, closed by Lead. R1 C.9, R2 C.1
- **Vote 2** (14:02): 2 × C.9, 3 present, closed by Lead. R1 C.9, R2 C.9
- **Decision: C.9 Name of C.9**, by majority, 2 of 3, recorded by Lead at 14:02
  - Cause: unclear guideline
  - reopened by Lead, 14 November 2026, 14:03 UTC: The fix says otherwise.
- **Decision: C.1 Name of C.1**, by the chair, recorded by Lead at 14:03
  > Read the fix.
  >
  > \- It adds the \*message\*.
  - Cause: unclear issue
- R1 for C.9 (14:01):
  > The trigger is the driver.
  >
  > \# Not a heading
- Time: 2 min

### ember/engine \#102: 驱动程序崩溃 \| \# \*\* \<b\>x\</b\> \[a\](http\://evil.example)

<https://github.com/ember/engine/issues/102>

- **Labels:** R1 C.1, R2 C.9, R3 C.9
- **Vote 1** (14:03): 3 × C.9, 3 present. R1 C.9, R2 C.9, Lead C.9
- **Decision: C.9 Name of C.9**, unanimously, recorded by Lead at 14:03
  - Cause: unclear guideline
- **Follow-up:** guideline line
  > Look at what was repaired.
  - noted by Lead
- **Follow-up:** example for a category C.9
  - noted by Lead
- **Follow-up:** proposal for the taxonomy
  > Drivers: None fits.
  - noted by Lead
- Time: 50 s

### ember/engine \#104: Title of 104

<https://github.com/ember/engine/issues/104>

- **Labels:** R1 C.9, R2 C.9, R3 C.1
- **left open**
- Time: 1 min 15 s

## B.1 Name of B.1 or B.2 Name of B.2

### ember/engine \#103: فشل البناء

<https://github.com/ember/engine/issues/103>

- **Labels:** R1 B.1, R2 B.2, R3 B.2
- **parked: Nobody knows the driver.**
- Time: 20 s

## Not reached

- ember/engine \#105: Title of 105 <https://github.com/ember/engine/issues/105>
"""


def normal(text: str) -> str:
    """Without the counters of the factories."""
    text = re.sub(r"owner/repository-\d+", "ember/engine", text)
    first = min(map(int, re.findall(r"#(\d+)", text)), default=101)
    for number in range(first, first + 6):
        text = re.sub(rf"\b{number}\b", str(101 + number - first), text)
    return re.sub(r"Study \d+", "Study 1", text).replace("\N{NO-BREAK SPACE}", " ")


def test_the_whole_minutes_of_a_meeting(clock):
    world = scripted_meeting(clock)

    assert "\n" + normal(markdown(document(minutes(world.meeting, world.members[0])))) == MARKDOWN


def test_the_numbers_of_a_meeting_and_of_its_round(clock):
    world = scripted_meeting(clock)
    written = minutes(world.meeting, world.lead)

    assert written.totals == MinuteTotals(
        agenda=5,
        discussed=4,
        decided=2,
        unanimity=1,
        majority=0,
        chair=1,
        parked=1,
        open=1,
        waiting=1,
        median_seconds=85.0,
        causes=(("unclear issue", 1), ("unclear guideline", 1)),
    )
    numbers = ConsensusNumbers(
        meetings=1,
        there=(3, 3),
        discussed=4,
        unanimity=1,
        majority=0,
        chair=1,
        pair=0,
        lead=0,
        bulk=0,
        open=4,
        median_seconds=85.0,
    )
    assert consensus_numbers(world.round_, world.lead) == numbers
    assert meeting_numbers(written) == replace(numbers, open=2)


@only_long
def test_minutes_of_a_meeting_that_goes_on_say_so_and_keep_open_ballots(clock):
    world = scripted_meeting(clock, closed=False)
    item = next(item for item in world.items if item.issue_id == world.issues[4].pk)
    world.vote(item, "C.2", of=world.members[:1])

    written = minutes(world.fresh(), world.lead)
    text = markdown(document(written))

    assert "Minutes so far, 14 November 2026, 14:04 UTC" in text
    assert "since 14 November 2026, 14:00 UTC" in text
    assert [
        line.votes for group in written.groups for line in group.items if line.issue_id == item.issue_id
    ] == [()]
    assert written.there[0].until is None


def test_minutes_of_a_planned_meeting_are_empty(clock):
    world = meeting_world(2, members=3)
    clock.now = BEGIN
    world.plan(name="Later", opened=False)

    found = document(minutes(world.meeting, world.lead))

    assert (found["groups"], found["there"], found["method"]) == ([], [], "")
    assert found["nothing"] == "Nothing was discussed yet."
    assert len(found["not_reached"]) == 2


def test_what_is_withheld_stands_in_nobodys_minutes_but_as_a_number(clock):
    world = scripted_meeting(clock)
    member = world.members[0]
    factories.make_round(world.version, world.issues[:2], [member], name="Other round")
    assert Assignment.objects.filter(volunteer=member, submitted_at=None).count() == 2

    written = minutes(world.meeting, member)
    text = markdown(document(written))

    assert written.withheld == 2
    assert "2 issues are hidden until you label them" in text
    for word in ("assert without", "驱动程序", "Read the fix", "Look at what was repaired", "Drivers"):
        assert word not in text
    assert (written.totals.agenda, written.totals.decided) == (3, 0)
    assert consensus_numbers(world.round_, member).unanimity == 0
    assert minutes(world.meeting, world.members[1]).withheld == 0


def test_names_are_shown_where_the_meeting_shows_them_and_never_to_a_viewer(clock):
    world = scripted_meeting(clock, shows_names=True)
    for member in (*world.members, world.lead):
        member.user.name = f"Name of {member.pseudonym}"
        member.user.save()
    viewer = factories.make_member(world.study, "viewer")

    assert [one.who for one in minutes(world.meeting, world.lead).there] == [
        "Name of R1",
        "Name of R2",
        "Name of Lead",
    ]
    assert [one.who for one in minutes(world.meeting, viewer).there] == ["R1", "R2", "Lead"]


def test_what_is_reopened_and_decided_after_the_meeting_is_not_of_its_minutes(clock):
    world = scripted_meeting(clock)
    before = minutes(world.meeting, world.lead).totals
    clock.go_on(days=1)
    issue = world.issues[1]
    reopen(round_=world.round_, issue=issue, by=world.lead, why="A new release.", seen_number=1)
    world.settle(world.round_, world.issues[3], "C.1", rationale="The log says otherwise.")

    written = minutes(world.meeting, world.lead)

    assert (written.totals, written.totals.decided) == (before, 2)
    assert "reopened by Lead, 15 November 2026, 14:05 UTC: A new release." in markdown(document(written))
    assert consensus_numbers(world.round_, world.lead).unanimity == 0


def _numbers(found):
    return {one["name"]: one["text"].replace("\N{NO-BREAK SPACE}", " ") for one in found["numbers"]}


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.slow
def test_what_a_lead_decided_anew_is_decided_in_the_minutes_as_on_the_screen(clock, closed):
    world = scripted_meeting(clock, closed=False)
    world.settle(world.round_, world.issues[1], "C.1", rationale="The log says otherwise.", seen=1)
    clock.go_on(minutes=1)
    if closed:
        close_meeting(meeting=world.meeting, by=world.lead)
    written = minutes(world.fresh(), world.lead)
    found = document(written)
    numbers = _numbers(found)
    text = markdown(found)

    lines, _withheld = agenda(world.meeting, world.lead)
    assert written.totals.decided == sum(line["state"] == "decided" for line in lines) == 2
    assert (numbers["Decided"], numbers["By the chair"], numbers["By a lead"]) == (
        "2",
        "1 (50.0 %)",
        "1 (50.0 %)",
    )
    assert numbers["Left open"] == "1"
    assert "reopened and not decided again" not in text
    assert "replaced, 14 November 2026, 14:04 UTC" in text
    assert "**changed to C.1 by the lead Lead at 14 November 2026, 14:04 UTC**" in text
    assert "1 issue was decided: 1 (100.0 %) by the chair. 1 more issue was decided by a lead." in found[
        "method"
    ].replace("\N{NO-BREAK SPACE}", " ")
    assert meeting_numbers(written).open == 2


def test_what_the_meeting_reopened_and_left_says_the_decision_and_why(clock):
    world = scripted_meeting(clock, closed=False)
    reopen(round_=world.round_, issue=world.issues[1], by=world.lead, why="A new release.", seen_number=1)
    clock.go_on(minutes=1)
    close_meeting(meeting=world.meeting, by=world.lead)

    written = minutes(world.fresh(), world.lead)
    text = markdown(document(written))

    assert (written.totals.decided, written.totals.open) == (1, 2)
    assert (
        "- **Decision: C.9 Name of C.9**, unanimously, recorded by Lead at 14:03\n"
        "  - Cause: unclear guideline\n"
        "  - reopened by Lead, 14 November 2026, 14:04 UTC: A new release.\n"
        "- **reopened and not decided again**\n"
    ) in text


def test_a_pair_that_agrees_is_counted_as_a_pair(clock):
    world = meeting_world(2, members=3)
    clock.now = BEGIN
    r1, r2, _r3 = world.members
    world.plan(kind="pair", name="R1 and R2", participants=[r1, r2])
    world.arrive(r1, r2)
    for member in (r1, r2):
        world.ballot(world.items[0], member, "C.9")

    written = minutes(world.fresh(), world.lead)

    assert (written.totals.decided, written.totals.unanimity, written.totals.median_seconds) == (1, 1, None)
    assert method(meeting_numbers(written)) == (
        "In 1 meeting with 2 people, 1 issue was discussed."
        " 1 issue was decided: 1 (100.0\N{NO-BREAK SPACE}%) by pairs of volunteers."
    )
    assert consensus_numbers(world.round_, world.lead).pair == 1


def test_the_method_section_of_a_round():
    numbers = ConsensusNumbers(
        meetings=3,
        there=(5, 7),
        discussed=41,
        unanimity=30,
        majority=6,
        chair=2,
        pair=0,
        lead=1,
        bulk=1200,
        open=3,
        median_seconds=130.0,
    )

    assert method(numbers).replace("\N{NO-BREAK SPACE}", " ") == (
        "In 3 meetings with 5 to 7 people, 41 issues were discussed."
        " 38 issues were decided: 30 (78.9 %) unanimously, 6 (15.8 %) by majority and 2 (5.3 %) by the chair."
        " 1,200 more issues were decided by a majority of their labels."
        " 1 more issue was decided by a lead. The median time per issue was 2 min 10 s."
    )
    assert method(replace(numbers, discussed=0)) == ""


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (59.6, "1 min"),
        (38, "38 s"),
        (130, "2 min 10 s"),
        (3599.6, "1 h 0 min"),
        (3780, "1 h 3 min"),
    ],
)
def test_time_is_said_to_the_second_below_an_hour(seconds, said):
    assert spent(seconds) == said


def test_escaped_texts_come_out_as_they_were(clock):
    world = scripted_meeting(clock)
    rendered = (
        MarkdownIt("commonmark")
        .enable("table")
        .render(markdown(document(minutes(world.meeting, world.lead))))
    )

    assert [unescape(one) for one in re.findall(r"<h3>.*?: (.*?)</h3>", rendered)][1] == TITLES[1]
    assert rendered.count("<h1>") == 1
    assert re.findall(r"<h2>(.*?)</h2>", rendered) == [
        "Numbers",
        "For the method section",
        "C.1 Name of C.1 or C.9 Name of C.9",
        "B.1 Name of B.1 or B.2 Name of B.2",
        "Not reached",
    ]
    assert 'evil.example"' not in rendered


@only_long
def test_the_pdf_has_the_texts_as_texts(clock):
    world = scripted_meeting(clock)
    found = document(minutes(world.meeting, world.lead))

    reader = PdfReader(BytesIO(pdf(found)))
    text = " ".join(" ".join(page.extract_text() for page in reader.pages).split())

    assert reader.metadata.title == "Meeting of 14 November"
    for part in (
        "by the chair, recorded by Lead at 14:03 Read the fix. - It adds the *message*.",
        "reopened by Lead, 14 November 2026, 14:03\N{NO-BREAK SPACE}UTC: The fix says otherwise.".replace(
            "\N{NO-BREAK SPACE}", " "
        ),
        "| # ** <b>x</b> [a](http://evil.example)",
        "Drivers: None fits.",
    ):
        assert part in text
    # Letters that are written from the right may come in the order in which they are drawn.
    assert set(TITLES[2].split()) <= set(text.split())


@only_long
def test_minutes_wait_for_their_place_to_be_set(clock, settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(vega, "WAIT", 0.1)
    world = scripted_meeting(clock)
    written = document(minutes(world.meeting, world.lead))
    with place("drawing", of=2, wait=0):
        with place("drawing", of=2, wait=0), pytest.raises(DrawingBusy):
            pdf(written)
        assert pdf(written).startswith(b"%PDF")


def test_no_text_is_read_as_markup_of_the_typesetter(clock):
    world = scripted_meeting(clock)
    written = minutes(world.meeting, world.lead)
    evil = '#panic("x") $x$ *b* @label <label> \\u{0} #read("/etc/passwd") \u202e'
    line = replace(written.groups[0].items[0], title=evil, repository=evil, url=evil)
    group = replace(written.groups[0], items=(line,))
    names = dict.fromkeys(written.names, evil)

    made = pdf(document(replace(written, groups=(group,), names=names, chairs=(evil,))))

    text = " ".join(" ".join(page.extract_text() for page in PdfReader(BytesIO(made)).pages).split())
    assert '#panic("x") $x$ *b* @label <label>' in text
    assert '#read("/etc/passwd")' in text


def test_minutes_need_as_many_queries_for_three_issues_as_for_one(clock):
    counts = []
    for size in (1, 3):
        world = meeting_world(size, members=3)
        clock.now = BEGIN
        world.plan(quorum=2)
        world.arrive()
        for item in world.items:
            world.vote(item, "C.9", "C.9", "C.9")
            world.ballot(item, world.lead, "C.9")
            world.decide(item, "C.9", Decision.How.UNANIMITY)
        meeting = world.fresh()
        counts.append(cost(lambda: document(minutes(meeting, world.members[0]))))  # noqa: B023 - called at once
    assert counts[0] == counts[1] <= 18


def test_the_head_of_the_chain_is_that_of_the_end_of_the_meeting():
    world = meeting_world()
    meeting = world.plan()
    world.arrive()
    close_meeting(meeting=meeting, by=world.lead)
    meeting.refresh_from_db()
    sealed = Seal.objects.get(round=world.round_)
    assert (sealed.why, sealed.at <= meeting.closed_at) == (Seal.Why.MINUTES, True)
    assert minutes(meeting, world.lead).chain_head == ""  # the round is open

    close_round(round_=world.round_, by=world.lead)
    later = seal_round(round_=world.round_)  # the close itself
    assert later.previous == sealed.digest
    meeting = type(meeting).objects.select_related("round__version__taxonomy").get(pk=meeting.pk)
    written = minutes(meeting, world.lead)
    assert written.chain_head == sealed.digest
    assert f"- Head of the chain at the end: {sealed.digest}" in markdown(document(written))
    world.waits_for(world.lead, world.issues[0])
    assert minutes(meeting, world.lead).chain_head == ""
