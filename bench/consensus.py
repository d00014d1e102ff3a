"""Disagreements and meetings of a full study: views, similar groups, bulk decisions, long agenda, polls."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from bench.ground import Ground, Measurement, median_of, percentile, rows_of, seconds, timed
from bench.rounds import TEXTS, in_bulk, keywords, team_of, texts
from bench.submit import JSON, WARM_UP, one_query, signed_in
from consensus.actions import meetings as actions
from consensus.actions import presence
from consensus.actions.agendas import put_on_agenda
from consensus.actions.bulk import decide_majority, take_back
from consensus.models import AgendaItem, Disagreement
from consensus.queries.disagreement_filters import Narrowing
from ingest.actions import ListContent, find_keywords, make_keyword_list
from ingest.keywords import Term
from ingest.models import KeywordList, Snapshot

TIMES = 30
POLLS = 400
AGENDA = 500
AT_LEAST = 4
KEYWORD = "memory"
LISTS = 3
MOST = 0.15

# Supersedes all decisions, with which a published study comes.
OPEN_ALL = """
    UPDATE consensus_decision d SET superseded_at = now()
    FROM consensus_disagreement g
    WHERE g.round_id = %(round)s AND d.round_id = g.round_id AND d.issue_id = g.issue_id
      AND d.superseded_at IS NULL
"""
COPIED = """
    CREATE TEMPORARY TABLE copied (LIKE consensus_decision INCLUDING ALL) ON COMMIT DROP;
    INSERT INTO copied SELECT * FROM consensus_decision WHERE bulk_id = %(bulk)s
"""
READ = """
    SELECT sum(length(s.title) + length(s.body)) FROM ingest_snapshot s
    JOIN ingest_issue i ON i.id = s.issue_id JOIN ingest_repository r ON r.id = i.repository_id
    WHERE r.study_id = %s
"""
DIGEST = """
    SELECT md5(string_agg(l::text, chr(10) ORDER BY l.id)) FROM rounds_label l WHERE l.round_id = %s
"""


def rows(ground: Ground) -> Iterator[Measurement]:
    settings.ROOT_URLCONF = "bench.urls"
    slug = ground.study(ground.issues)
    ground.say("disagreements …")
    lead, round_ = disputed(slug)
    limit = percentile(one_query(round_, lead)[WARM_UP:], 0.95)
    yield searched(lead)
    yield from views(round_, lead, limit)
    yield from majority(round_, lead)
    ground.say(f"a meeting with {AGENDA} issues on its agenda …")
    yield from meeting(round_, lead, limit)


def disputed(slug: str) -> tuple[Any, Any]:
    """The lead and the main round of a made study, with texts, and without its imported decisions."""
    lead, round_, _members = team_of(slug)
    if not Snapshot.objects.filter(issue__repository__study=lead.study).exists():
        in_bulk(TEXTS, {"texts": json.dumps(texts()), "study": lead.study_id})
    in_bulk(OPEN_ALL, {"round": round_.pk})
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")  # autovacuum does this within minutes
    return lead, round_


def searched(lead: Any) -> Measurement:
    """The search for three lists of keywords in all texts of the study, as the job runs it."""
    texts = Snapshot.objects.filter(issue__repository__study=lead.study).count()
    read = median_of(3, lambda: rows_of(READ, [lead.study_id]))
    KeywordList.objects.filter(study=lead.study).delete()
    terms = [Term(KEYWORD), *keywords().terms]
    for number in range(LISTS):
        make_keyword_list(study=lead.study, name=f"List {number}", content=ListContent(terms), by=None)
    made: list[int] = []
    ours = timed(lambda: made.append(find_keywords(study_id=lead.study_id)))
    return Measurement.timed(
        f"{LISTS} keyword lists searched in {texts:,} texts",
        ours,
        read,
        "reading these texts in the database",
        note=f"{len(terms)} terms each, {made[0]:,} finds; once",
    )


def views(round_: Any, lead: Any, limit: float) -> Iterator[Measurement]:
    """The pages of a lead's work, one after the other."""
    client = signed_in(lead)
    rows_ = Disagreement.objects.filter(round=round_).order_by("ways", "margin", "position")
    count = rows_.count()
    middle, opened = rows_[count // 2 : count // 2 + 2]
    page = f"/rounds/{round_.pk}/disagreements/"
    repository = middle.issue.repository_id
    behind = f"{page}?after={middle.ways}-{middle.margin}-{middle.position}"
    addresses = {
        "the dashboard": page,
        "the page in the middle": behind,
        "matrix of sub-themes": f"{page}?level=sub-theme",
        "one pair": f"{page}?pair=C.1+C.9",
        "split 4 : 3": f"{page}?split=4:3",
        "one repository": f"{page}?repository={repository}",
        "a keyword": f"{page}?keyword={KEYWORD}",
        "one disagreement": f"{behind}&issue={opened.issue_id}",
        "alike groups of a pair": f"{page}alike/?pair=C.1+C.9",
        "forecast of a majority": f"{page}majority/?at_least={AT_LEAST}",
    }
    for what, address in addresses.items():

        def look(address: str = address) -> None:
            answer = client.get(address)
            if answer.status_code != 200:
                raise RuntimeError(f"{address}: {answer.status_code}")

        first = f"; the first time {seconds(timed(look))}"
        times = [timed(look) for _ in range(TIMES)]
        yield Measurement.p95(f"{what}, {count:,} disagreements", times, limit, most=MOST, note=first)


def majority(round_: Any, lead: Any) -> Iterator[Measurement]:
    """Decide every issue with four equal labels at once, and take it back; checks that no label changes."""

    before = rows_of(DIGEST, [round_.pk])
    made: list[Any] = []
    decided = timed(
        lambda: made.append(decide_majority(round_=round_, by=lead, at_least=AT_LEAST, narrowing=Narrowing()))
    )
    with transaction.atomic(), connection.cursor() as cursor:
        copied = timed(lambda: cursor.execute(COPIED, {"bulk": made[0].pk}))
    count = made[0].decisions.count()
    undone = timed(lambda: take_back(bulk=made[0], by=lead))
    if rows_of(DIGEST, [round_.pk]) != before:
        raise RuntimeError("labels are not as they were")
    for what, ours in (("decided by majority", decided), ("taken back", undone)):
        yield Measurement.timed(
            f"{count:,} issues {what}",
            ours,
            copied,
            "these decisions copied into an empty table with the same constraints and keys",
            note=f"at least {AT_LEAST} equal labels; once; the labels have the same bytes before and after",
        )


def opened(round_: Any, lead: Any, *, quorum: int, people: list[Any]) -> Any:
    """An open meeting with AGENDA issues, the lead as chair, and all of these people present."""
    held = actions.plan_meeting(
        round_=round_, by=lead, name="Measured", chair=lead, quorum=quorum, participants=people
    )
    elsewhere = AgendaItem.objects.filter(round=round_, released_at=None).values("issue")
    waiting = Disagreement.objects.filter(round=round_).exclude(issue__in=elsewhere)
    issues = waiting.order_by("ways", "margin", "position").values_list("issue", flat=True)[:AGENDA]
    put_on_agenda(meeting=held, by=lead, issues=list(issues))
    actions.open_meeting(meeting=held, by=lead)
    for member in {lead, *people}:
        presence.here(meeting=held, member=member)
    return held


def meeting(round_: Any, lead: Any, limit: float) -> Iterator[Measurement]:
    """The room with a long agenda: as a page, after a change, and without a change."""
    held = opened(round_, lead, quorum=1, people=[lead])
    items = list(held.items.order_by("position"))
    actions.turn_to(meeting=held, item=items[0], by=lead)
    client = signed_in(lead)
    page = f"/meetings/{held.pk}/"

    def turn() -> None:
        items.append(items.pop(0))
        answer = client.post(f"{page}turn/", {"item": items[0].pk, "revision": "-1"}, headers=JSON)
        if answer.status_code != 200:
            raise RuntimeError(f"turn: {answer.status_code}")

    acts: dict[str, Callable[[], object]] = {
        "the room as a page": lambda: client.get(page),
        "the chair turns, and is sent what changed": turn,
        "a screen that lacks everything": lambda: client.post(
            f"{page}here/", {"revision": "-1"}, headers=JSON
        ),
    }
    for what, act in acts.items():
        act()
        times = [timed(act) for _ in range(TIMES)]
        yield Measurement.p95(f"{what}, agenda of {AGENDA}", times, limit, most=MOST)
    held.refresh_from_db()
    revision = {"revision": str(held.revision)}

    def poll() -> None:
        answer = client.post(f"{page}here/", revision, headers=JSON)
        if answer.status_code != 204:
            raise RuntimeError(f"here: {answer.status_code}")

    each = median_of(POLLS, poll)
    yield Measurement(
        work="a poll of a screen that is up to date, one process",
        ours=f"{1 / each:,.0f} a second",
        limit=f"{1 / limit:,.0f} a second",
        limit_is="a signed-in view with one query, p95",
        ratio=each / limit,
        note=f"median {seconds(each)} over {POLLS}; a meeting of seven asks seven times a second",
    )
