"""Pages as a reader finds them."""

import html
import re
from collections.abc import Callable

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from studies.models import Membership
from tests.worlds.world import World


def client(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def cost(act: Callable[[], object]) -> int:
    """How many queries an act takes."""
    with CaptureQueriesContext(connection) as queries:
        act()
    return len(queries)


def queries_of(reader: Client, address: str) -> int:
    """How many queries a page takes that this reader has read before."""
    assert reader.get(address).status_code == 200
    return cost(lambda: reader.get(address))


def rows_read(table: str) -> int:
    """Rows that this transaction has read of a table so far, from the table itself or by an index."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = %s", [table]
        )
        return int(cursor.fetchone()[0])


def label_all(world: World, round_, *rows: str) -> None:
    """One issue per row of codes, one code per volunteer, `-` for none."""
    for issue, row in zip(world.issues, rows, strict=False):
        for member, code in zip(world.members, row.split(), strict=False):
            if code != "-":
                world.submit(
                    round_, issue, member, code, summary=f"{member.pseudonym} said {code} of {issue}"
                )


def text_of(response, begin: str = "<main", end: str = "</main>") -> str:
    """What a reader sees or hears: no tags, every run of white space as one blank (no-break spaces too).

    Of what is on the page from `begin` to `end`, or with "" to its end.
    """
    body = response.content.decode()
    body = body[body.index(begin) : body.index(end) if end else None]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def same_bytes(response) -> str:
    """The whole answer but for what differs from one request to the next: tokens and moments."""
    body = response.content.decode()
    body = re.sub(r'(name="csrfmiddlewaretoken" value=|X-CSRFToken": )"[^"]*"', "", body)
    body = re.sub(r'(name="form_key" value=)"[^"]*"', r"\1", body)
    body = re.sub(r"<time[^>]*>[^<]*</time>", "", body)
    return re.sub(r"As of [^.]*\.", "", body)
