"""An open round over a made study, half of it labelled, with texts: the ground for measuring labelling."""

import json
from importlib.resources import files
from typing import Any

from django.db import connection, transaction

from annotate.actions import rounds
from bench.ground import account, owner
from ingest.actions import ListContent, make_keyword_list
from ingest.keywords import read_list
from ingest.models import Issue
from rounds.models import Round
from studies.models import Membership, Role

OPEN_ROUND = "Open round"
PLANNED_ROUND = "Planned round"
EVENING_ROUND = "Evening round"

TEXTS = """
    WITH text AS (
        SELECT value AS of, ordinality - 1 AS number
        FROM jsonb_array_elements(%(texts)s::jsonb) WITH ORDINALITY
    )
    INSERT INTO ingest_snapshot (
        issue_id, content_hash, taken_at, title, body, author, author_association, labels, state,
        state_reason, opened_at, comments, comment_count
    )
    SELECT i.id, md5(i.id::text), now(), of->>'title', (of->>'body') || E'\n\nReport ' || i.id, of->>'author',
           of->>'association', '[]', of->>'state', '', (of->>'opened_at')::timestamptz,
           coalesce((
               SELECT jsonb_agg(c || jsonb_build_object('body', (c->>'body') || E'\n\n' || i.id))
               FROM jsonb_array_elements(of->'comments') c
           ), '[]'), jsonb_array_length(of->'comments')
    FROM ingest_issue i
    JOIN ingest_repository r ON r.id = i.repository_id AND r.study_id = %(study)s
    JOIN text ON text.number = i.id %% jsonb_array_length(%(texts)s::jsonb);
    UPDATE ingest_issue i SET current_id = s.id FROM ingest_snapshot s
    WHERE s.issue_id = i.id
      AND i.repository_id IN (SELECT id FROM ingest_repository WHERE study_id = %(study)s)
"""

# All bodies differ, so that no cache of rendered texts makes the work smaller. The measured member has
# labelled the issues with negative ranks, half of them, and all others have labelled everything.
LABELS = """
    INSERT INTO rounds_label (
        round_id, issue_id, volunteer_id, assignment_id, category_id, version_id, snapshot_id, surplus,
        summary, unsure, submitted_at
    )
    SELECT a.round_id, a.issue_id, a.volunteer_id, a.id, l.category_id, l.version_id, i.current_id, false, '',
           false, now() - random() * interval '30 days'
    FROM rounds_assignment a
    JOIN rounds_label l
      ON l.round_id = %(main)s AND l.issue_id = a.issue_id AND l.volunteer_id = a.volunteer_id
    JOIN ingest_issue i ON i.id = a.issue_id
    WHERE a.round_id = %(round)s AND (a.volunteer_id <> %(member)s OR a.rank < 0);
    UPDATE rounds_assignment a SET submitted_at = l.submitted_at
    FROM rounds_label l WHERE l.assignment_id = a.id AND a.round_id = %(round)s;
    UPDATE rounds_roundissue i SET completed_at = now()
    WHERE i.round_id = %(round)s AND NOT EXISTS (
        SELECT FROM rounds_assignment a
        WHERE a.round_id = i.round_id AND a.issue_id = i.issue_id AND a.submitted_at IS NULL
    )
"""


def open_round_in(slug: str) -> tuple[Any, Any]:
    """The open round of a study and the member who labels in it; makes both at the first call."""
    lead, main, members = team_of(slug)
    found = Round.objects.filter(study=lead.study, name=OPEN_ROUND).first()
    if found is None:
        Membership.objects.filter(pk=members[0].pk).update(user=account("Labeller"))
        in_bulk(TEXTS, {"texts": json.dumps(texts()), "study": lead.study_id})
        make_keyword_list(study=lead.study, name="Keywords", content=keywords(), by=None)
        found = rounds.open_round(round_=planned(OPEN_ROUND, lead, main, members), by=lead)
        in_bulk(LABELS, {"main": main.pk, "round": found.pk, "member": members[0].pk})
        with connection.cursor() as cursor:
            cursor.execute("CHECKPOINT")
    return found, Membership.objects.select_related("user", "study").get(pk=members[0].pk)


def planned_round_in(slug: str) -> tuple[Any, Any]:
    """A crossed round over a whole study that is not open yet, and the lead to open it."""
    lead, main, members = team_of(slug)
    return planned(PLANNED_ROUND, lead, main, members), lead


def evening_round_in(slug: str, size: int) -> tuple[Any, list[Any]]:
    """An open round over a whole study with `size` new members, each with an account and without labels."""
    open_round_in(slug)  # gives texts to the issues
    lead, main, _members = team_of(slug)
    names = [f"Evening {n}" for n in range(1, size + 1)]
    members = [
        Membership.objects.create(study=lead.study, user=account(name), role=Role.VOLUNTEER, pseudonym=name)
        for name in names
    ]
    round_ = planned(EVENING_ROUND, lead, main, members)
    return rounds.open_round(round_=round_, by=lead), members


def team_of(slug: str) -> tuple[Any, Any, list[Any]]:
    """The lead of a made study, its main round, and the members who labelled that round."""
    seats, main = Membership.objects.select_related("user", "study"), main_round(slug)
    lead = seats.get(study=main.study, user=owner())
    return lead, main, list(seats.filter(rounds__round=main).order_by("rounds__column"))


def main_round(slug: str) -> Any:
    """The labelled round of a made study."""
    found = Round.objects.select_related("study", "version__taxonomy")
    return found.get(study__slug=slug, name="Main round")


def planned(name: str, lead: Any, main: Any, members: list[Any]) -> Any:
    """A round like the main one, over all issues of its study."""
    return rounds.create_round(
        study=lead.study,
        by=lead,
        name=name,
        version=main.version,
        depth=main.depth,
        issues=Issue.objects.filter(repository__study=lead.study),
        members=members,
        seed=1,
    )


def in_bulk(statements: str, values: dict[str, Any]) -> None:
    """Run statements over whole tables, with fresh statistics before and after."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("ANALYZE; SET LOCAL enable_nestloop = off")
        cursor.execute(statements, values)
        cursor.execute("ANALYZE")


def keywords() -> Any:
    """The terms of the demonstration, which occur in its reports, for all repositories."""
    text = files("demo.invented").joinpath("keyword_lists.txt").read_text(encoding="utf-8")
    terms = {term.text: term for found in read_list(text).lists for term in found.terms}
    return ListContent(list(terms.values()))


def texts() -> list[dict[str, Any]]:
    """The reports of the demonstration in the form of snapshots."""
    lines = files("demo.invented").joinpath("issues.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        {
            "title": issue["title"],
            "body": issue["body"] or "",
            "author": issue["user"]["login"],
            "association": issue["author_association"],
            "state": issue["state"],
            "opened_at": issue["created_at"],
            "comments": [
                {
                    "author": comment["user"]["login"],
                    "association": comment["author_association"],
                    "at": comment["created_at"],
                    "body": comment["body"],
                }
                for comment in issue["comments"]
            ],
        }
        for issue in map(json.loads, lines)
    ]
