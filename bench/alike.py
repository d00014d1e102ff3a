"""Groups of similar texts, and the page of similar disagreements at full size.

Titles and summaries are made: each issue is about one of 120 topics, in a few words of the topic and a few
common words, so that the groups resemble those of a real study.
"""

import random
from collections.abc import Iterator

from django.db import connection, transaction
from django.urls import reverse

from bench.ground import SEED, VOLUNTEERS, Ground, Measurement, median_of, rows_of, seconds
from bench.rounds import main_round
from bench.submit import signed_in
from consensus.likeness import stars
from consensus.queries.alike import _grouped
from studies.models import Membership

PAGE = 0.15
TEXTS = {1400: 0.1, 5000: 1.0}
TIMES = 9
TOPICS = 120
SYLLABLES = "ba ce di fo gu ha ki lo mu ne po qui ra si to vu we xo ya zi".split()
LARGEST = """
    SELECT least(chosen[1], chosen[2]), greatest(chosen[1], chosen[2]), count(*) FROM consensus_disagreement
    WHERE round_id = %s AND ways = 2 AND open_labels = 0 GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 1
"""
READ = """
    SELECT s.title, string_agg(l.summary, ' ') FROM consensus_disagreement g
    JOIN ingest_issue i ON i.id = g.issue_id LEFT JOIN ingest_snapshot s ON s.id = i.current_id
    JOIN rounds_label l ON l.round_id = g.round_id AND l.issue_id = g.issue_id
    WHERE g.round_id = %s AND g.ways = 2 AND least(g.chosen[1], g.chosen[2]) = %s
      AND greatest(g.chosen[1], g.chosen[2]) = %s
    GROUP BY g.issue_id, s.title
"""


def rows(ground: Ground) -> Iterator[Measurement]:
    for size, bar in TEXTS.items():
        ground.say(f"groups of {size:,} texts …")
        texts = [" ".join(said) for said in sayings(size)]
        ours = median_of(TIMES, lambda texts=texts: stars(texts))  # type: ignore[misc]
        yield Measurement(
            work=f"groups of {size:,} texts: a title and {VOLUNTEERS} summaries each",
            ours=seconds(ours),
            bar=f"≤ {seconds(bar)}",
            met=ours <= bar,
            note=f"{len(stars(texts)):,} groups; median of {TIMES}",
        )
    yield from page(ground)


def page(ground: Ground) -> Iterator[Measurement]:
    """The page with its largest pair, before and after its groups are cached."""
    round_ = main_round(ground.study(ground.issues))
    ground.say("titles and summaries …")
    say_something(round_.pk)
    client = signed_in(Membership.objects.get(study=round_.study, role="owner"))
    address = reverse("alike", args=[round_.pk])
    pair = rows_of(LARGEST, [round_.pk])[0]
    least = median_of(TIMES, lambda: rows_of(READ, [round_.pk, *pair[:2]]))

    def asked(*, first: bool) -> None:
        if first:
            _grouped.cache_clear()
        if client.get(address).status_code != 200:
            raise RuntimeError(address)

    for what, first in (("grouped for the first time", True), ("again", False)):
        ground.say(f"the page of alike disagreements, {what} …")
        ours = median_of(TIMES, lambda first=first: asked(first=first))  # type: ignore[misc]
        yield Measurement.timed(
            f"alike disagreements, the largest pair of {pair[2]:,}: {what}",
            ours,
            least,
            "the query that reads their texts",
            most=PAGE,
            note=f"a whole request, with the counts of all pairs; median of {TIMES}, warm database",
        )


def sayings(how_many: int) -> Iterator[list[str]]:
    """For each issue a title and the summaries of its volunteers."""
    chance = random.Random(SEED)
    words = [_word(chance) for _ in range(6000)]
    common, topics = words[:400], [chance.sample(words[400:], 14) for _ in range(TOPICS)]
    for _ in range(how_many):
        own = topics[min(int(chance.expovariate(3 / TOPICS)), TOPICS - 1)]

        def say(most: int, own: list[str] = own) -> str:
            said = chance.sample(own, most // 2) + chance.choices(common, k=most - most // 2)
            return " ".join(chance.sample(said, most))

        yield [say(9), *(say(7) for _ in range(VOLUNTEERS))]


def _word(chance: random.Random) -> str:
    return "".join(chance.choices(SYLLABLES, k=chance.choice((2, 2, 3, 3, 4))))


def say_something(round_id: int) -> None:
    """Give titles and summaries to the disagreements, and supersede their decisions; disables the triggers
    that protect labels.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT issue_id FROM consensus_disagreement WHERE round_id = %s ORDER BY position", [round_id]
        )
        issues = [row[0] for row in cursor.fetchall()]
        texts = list(sayings(len(issues)))
        cursor.execute("ALTER TABLE rounds_label DISABLE TRIGGER USER")
        cursor.execute("CREATE TEMP TABLE said (issue_id bigint, title text, says text[]) ON COMMIT DROP")
        for at in range(0, len(issues), 1000):
            part = issues[at : at + 1000]
            made = zip(part, texts[at : at + 1000], strict=True)
            values = b",".join(
                cursor.mogrify("(%s,%s,%s)", (issue, title, says)) for issue, (title, *says) in made
            )
            cursor.execute(b"INSERT INTO said VALUES " + values)
        cursor.execute(
            """
            WITH made AS (
                INSERT INTO ingest_snapshot (issue_id, content_hash, taken_at, title, body, author,
                    author_association, labels, state, state_reason, comments, comment_count)
                SELECT issue_id, 'made', now(), title, '', '', '', '[]', '', '', '[]', 0 FROM said
                RETURNING id, issue_id
            )
            UPDATE ingest_issue i SET current_id = made.id FROM made WHERE i.id = made.issue_id
            """
        )
        cursor.execute(
            """
            UPDATE rounds_label l SET summary = left(said.says[a.slot], 500)
            FROM said, rounds_assignment a
            WHERE l.round_id = %s AND l.issue_id = said.issue_id AND a.id = l.assignment_id
            """,
            [round_id],
        )
        cursor.execute(
            """
            UPDATE consensus_decision SET superseded_at = now()
            WHERE round_id = %s AND issue_id IN (SELECT issue_id FROM said)
            """,
            [round_id],
        )
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE rounds_label ENABLE TRIGGER USER")
        for table in ("ingest_snapshot", "ingest_issue", "rounds_label", "consensus_decision"):
            cursor.execute(f"VACUUM ANALYZE {table}")
