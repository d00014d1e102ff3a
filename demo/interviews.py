"""The interviews of the demonstration: ten invented people, in all states that an interview goes through.

Three are settled, one is revealed and half settled, one is blind and waits for R3, one has its transcript
with names still, and one participant has withdrawn the consent. Three came with a table that tells their
audience; one of them is erased since. A coder of the half settled one was taken off, and its transcript was
corrected after the reveal.
"""

from collections.abc import Sequence
from datetime import timedelta

from django.utils.translation import gettext as _

from core import clock
from demo.data import DATA, rows, text
from demo.story import Scene, Story
from interviews.actions.codebooks import import_codebook
from interviews.actions.coders import release_coder
from interviews.actions.codings import finish_coding, open_coding
from interviews.actions.consents import (
    describe_interviewer,
    publish_consent_text,
    record_consent,
    withdraw_consent,
)
from interviews.actions.erasing import erase_participant
from interviews.actions.guides import Ranks, publish_guide
from interviews.actions.identities import name_participant
from interviews.actions.participants import (
    Background,
    add_participant,
    change_background,
    import_participants,
)
from interviews.actions.quotes import save_quote
from interviews.actions.rankings import record_ranking
from interviews.actions.sessions import add_session
from interviews.actions.settling import settle_coding, settle_quotes
from interviews.actions.tables import planned_people
from interviews.actions.transcripts import (
    INTERVIEWER,
    PARTICIPANT,
    add_replacement,
    correct_transcript,
    import_transcript,
    store_transcript,
)
from interviews.models import Audience, Coding, Consent, ConsentText, Guide, Participant, Session, Turn
from interviews.queries.codebooks import codebook_file
from interviews.queries.pseudonyms import Spoken
from interviews.queries.quotes import Content, Span
from interviews.queries.rankings import ranking_questions
from interviews.queries.reading import guide_text, read_table, read_turns
from interviews.queries.reconciling import items_of
from interviews.queries.table_audiences import likely_assignment, likely_kinds
from taxonomy.models import Level, Version
from taxonomy.queries.codebooks import codebook

FOLDER = "interviews"
GUIDE_DAYS_AGO = 16
INTERVIEWED_AT = 13
RANKED = {"bugs": (Level.THEME, "C", 3), "types": (Level.TYPE, "", None)}
"""The ranking questions, in the order of the guide: level, below which category, how many first places."""
CODED = {
    "U1": (6, "R4 R6"),
    "U2": (6, "R4 R6"),
    "D1": (5, "R4 R5 R6"),
    "U3": (4, "R6 R5 R7"),
    "D2": (3, "R3 R5"),
}
"""When the coding of an interview was opened, and its coders."""
STILL_BLIND = "D2"
HALF_SETTLED = "U3"
WITH_NAMES = "D3"
TAKEN_OFF = {"U3": "R6"}
"""A coder whom a lead took off before the reveal."""
MISHEARD = ("the shards only fit there", "the pieces only fit there")
"""Words of HALF_SETTLED: a quote of them has to be placed again."""
ERASED = "U6"


def plan_interviews(scene: Scene, themes: Version) -> None:
    """Plan all that happens around the interviews, before today."""
    story = scene.story
    scene.plan(story.moment(GUIDE_DAYS_AGO, 10), _prepare, story, themes)
    for row in rows(f"{FOLDER}/participants.csv"):
        at = story.moment(int(row["days_ago"]), INTERVIEWED_AT)
        scene.plan(at, _invite, story, row)
        if row["minutes"]:
            scene.plan(at + timedelta(minutes=int(row["minutes"])), _interview, story, row)
    for who, (days_ago, coders) in CODED.items():
        names = coders.split()
        scene.plan(story.moment(days_ago, 9), _open, story, who, names, themes)
        for number, coder in enumerate(names):
            if who == STILL_BLIND and coder == "R3":
                continue  # the visitor codes it
            scene.plan(story.moment(days_ago, 19 + number), _code, story, who, coder)
        if who in TAKEN_OFF:
            scene.plan(story.moment(days_ago, 19.9), _take_off, story, who)
        if who != STILL_BLIND:
            scene.plan(story.moment(days_ago - 1, 16), _settle, story, who)
    scene.plan(story.moment(1, 11), _invite_by_table, story)
    scene.plan(story.moment(4, 10), _import_codebook, story, themes)
    scene.plan(story.moment(2, 18), _correct, story)
    scene.plan(story.moment(1, 15), _erase, story)


def _prepare(story: Story, themes: Version) -> None:
    """Publish guide and consent text, and describe who asks the questions."""
    study, lead = story.study, story.lead
    said = guide_text(text(f"{FOLDER}/guide.md"))
    book = codebook(themes.pk)
    asked = {
        (at, place): Ranks(themes.taxonomy_id, level, book.by_code[under].category_id if under else None, top)
        for (at, place, _question), (level, under, top) in zip(said.ranking(), RANKED.values(), strict=True)
    }
    prefixes = {"LLM users": "U", "framework developers": "D"}
    publish_guide(
        study=study,
        text=text(f"{FOLDER}/guide.md"),
        said=said,
        by=lead,
        rankings=asked,
        prefixes=prefixes,
    )
    publish_consent_text(study=study, text=text(f"{FOLDER}/consent.md"), by=lead)
    describe_interviewer(
        member=lead,
        role=_("Doctoral student"),
        experience=_("20 interviews in two studies"),
        bias=_("Has used ember-serve for a year."),
        by=lead,
    )
    describe_interviewer(
        member=story.owner,
        role=_("Professor"),
        experience=_("Ten years of interview studies"),
        bias=_("Supervises a committer of lattice."),
        by=lead,
    )


def _invite(story: Story, row: dict[str, str]) -> None:
    """Add a participant with name, contact and consent."""
    lead, who = story.lead, row["pseudonym"]
    background = Background(
        role=row["role"],
        experience=row["experience"],
        context=row["context"],
        incentive=row["incentive"],
        attributes={_("Sector"): row["sector"]},
    )
    audience = Audience.objects.get(study=story.study, prefix=who[0])
    made = add_participant(
        study=story.study, audience=audience, background=background, by=lead, number=int(who[1:])
    )
    name_participant(participant=made, name=row["name"], contact=row["contact"], by=lead)
    consents = ConsentText.objects.get(study=story.study)
    is_withdrawn = row["permits"] == "withdrawn"
    today = clock.now().date()
    consent = record_consent(
        participant=made,
        text=consents,
        given_on=today,
        permits=[Consent.Permission.QUOTE] if is_withdrawn else row["permits"].split(),
        by=lead,
    )
    if is_withdrawn:
        with clock.at(clock.now() + timedelta(hours=5)):
            withdraw_consent(consent=consent, withdrawn_on=today, by=lead)
    if row["member_check"] != Participant.MemberCheck.NOT_ASKED:
        change_background(
            participant=made,
            background=background,
            by=lead,
            member_check=row["member_check"],
            checked_on=story.day(1),
        )


def _interview(story: Story, row: dict[str, str]) -> None:
    """Keep an interview with its rankings and its transcript, with pseudonyms but for one."""
    lead, who = story.lead, row["pseudonym"]
    participant = _participant(story, who)
    session = add_session(
        participant=participant,
        interviewer=story.members[row["interviewer"]],
        held_on=clock.now().date(),
        by=lead,
        guide=Guide.objects.get(study=story.study),
        minutes=int(row["minutes"]),
    )
    _rank(story, session, who)
    for pair in filter(None, row["replacements"].split(";")):
        original, _sign, stand_in = pair.partition("=")
        add_replacement(participant=participant, original=original, stand_in=stand_in, by=lead)
    turns = read_turns(DATA.joinpath(FOLDER, f"{who}.txt").read_bytes(), "txt").turns
    import_transcript(session=session, turns=turns, file_format="txt", by=lead)
    if who != WITH_NAMES:
        asks = turns[0].speaker
        speakers = {turn.speaker: INTERVIEWER if turn.speaker == asks else PARTICIPANT for turn in turns}
        store_transcript(session=session, speakers=speakers, by=lead)


def _rank(story: Story, session: Session, who: str) -> None:
    """Record both orders of a participant; `=` between two categories is a tie."""
    [given] = [row for row in rows(f"{FOLDER}/rankings.csv") if row["participant"] == who]
    for question, name in zip(ranking_questions(session), RANKED, strict=True):
        book = codebook(question.taxonomy.versions.get(number=1).pk) if question.taxonomy else None
        places = {
            book.by_code[code.strip()].category_id: place
            for place, codes in enumerate(given[name].split(">"), 1)
            for code in codes.split("=")
            if book
        }
        record_ranking(session=session, question=question, places=places, by=story.lead)


def _open(story: Story, who: str, coders: list[str], version: Version) -> None:
    chosen = [story.members[name] for name in coders]
    session = Session.objects.get(participant=_participant(story, who))
    open_coding(session=session, version=version, coders=chosen, by=story.lead)


def _code(story: Story, who: str, coder: str) -> None:
    """A coder gives all quotes of an interview, one a minute, and is done, unless a lead takes them off."""
    coding, member = _coding(story, who), story.members[coder]
    given = [row for row in rows(f"{FOLDER}/codes.csv") if (row["participant"], row["coder"]) == (who, coder)]
    begun, turns = clock.now(), _answers(coding)
    for number, row in enumerate(given):
        content = Content(
            codes=tuple(row["codes"].split()),
            open_codes=tuple(filter(None, [row["open"]])),
            memo=row["memo"],
            strength=int(row["strength"]),
        )
        with clock.at(begun + timedelta(minutes=number)):
            save_quote(coding=coding, member=member, span=_span(turns, row["words"]), content=content)
    if TAKEN_OFF.get(who) == coder:
        return
    with clock.at(begun + timedelta(minutes=len(given) + 5)):
        finish_coding(coding=coding, member=member)


def span_of(coding: Coding, words: str) -> Span:
    """The place of these words in the transcript, which has them once."""
    return _span(_answers(coding), words)


def _answers(coding: Coding) -> list[Turn]:
    newest = coding.session.transcripts.order_by("number").last()
    return list(newest.turns.filter(is_interviewer=False)) if newest else []


def _span(turns: Sequence[Turn], words: str) -> Span:
    [turn] = [one for one in turns if words in one.text]
    start = turn.text.index(words)
    return Span(turn.position, start, start + len(words))


def _settle(story: Story, who: str) -> None:
    """The lead settles what was talked over, and the coding, if nothing is left."""
    coding = _coding(story, who)
    items, turns = items_of(coding, coding.session.transcripts.get()), _answers(coding)
    for row in rows(f"{FOLDER}/settled.csv"):
        if row["participant"] != who:
            continue
        span = _span(turns, row["words"])
        [item] = [one for one in items if one.span.overlaps(span)]
        content = Content(tuple(row["codes"].split()), (row["open"],) if row["open"] else ())
        settle_quotes(
            coding=coding,
            keys=item.keys,
            outcome=row["outcome"],
            by=story.lead,
            keep=[quote.key for quote in item.of(row["keep"])],
            content=content if row["outcome"] == "merge" else None,
            rationale=row["rationale"],
        )
    if who != HALF_SETTLED:
        settle_coding(coding=coding, by=story.lead)


def _invite_by_table(story: Story) -> None:
    """Import a table of people to invite, whose first column tells the audience."""
    study = story.study
    audiences = list(Audience.objects.filter(study=study))
    table = read_table(DATA.joinpath(FOLDER, "invited.csv").read_bytes(), "csv")
    by = likely_assignment(table, audiences)
    plan = planned_people(study, table, likely_kinds(table, by), by)
    import_participants(study=study, people=plan.people, by=story.lead)


def _import_codebook(story: Story, version: Version) -> None:
    """Import the codebook of an earlier study; it links a category that this taxonomy lacks."""
    read = codebook_file(DATA.joinpath(FOLDER, "earlier_codebook.csv").read_bytes())
    import_codebook(
        study=story.study,
        name="earlier_codebook.csv",
        rows=read.rows,
        version=version,
        is_published=True,
        by=story.lead,
    )


def _take_off(story: Story, who: str) -> None:
    """Take a coder off who has no time to finish."""
    release_coder(coding=_coding(story, who), member=story.members[TAKEN_OFF[who]], by=story.lead)


def _correct(story: Story) -> None:
    """Correct words that were misheard."""
    session = Session.objects.get(participant=_participant(story, HALF_SETTLED))
    turns = [
        Spoken(turn.speaker, turn.text.replace(*MISHEARD), turn.begins)
        for turn in session.transcripts.get().turns.order_by("position")
    ]
    note = _("The participant said “pieces”, not “shards”.")
    correct_transcript(session=session, turns=turns, note=note, by=story.lead)


def _erase(story: Story) -> None:
    """Erase somebody who asked for it."""
    erase_participant(participant=_participant(story, ERASED), by=story.lead)


def _participant(story: Story, who: str) -> Participant:
    found = Participant.objects.select_related("audience", "study")
    return found.get(study=story.study, audience__prefix=who[0], number=int(who[1:]))


def _coding(story: Story, who: str) -> Coding:
    found = Coding.objects.select_related("session__participant__audience", "session__study", "version")
    return found.get(session__participant=_participant(story, who))
