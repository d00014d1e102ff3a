"""The page of disagreements as a reader finds it, and labels to disagree about."""

import re
from uuid import uuid4

from django.urls import reverse

from rounds.models import Round
from tests.worlds import pages
from tests.worlds.pages import client as signed_in
from tests.worlds.pages import label_all as give_labels
from tests.worlds.world import World

FRAGMENT = {"HX-Request": "true", "HX-Target": "disagreements"}


def get(member, round_, query="", **headers):
    address = reverse("disagreements", args=[round_.pk])
    return signed_in(member).get(f"{address}?{query}" if query else address, headers=headers)


def post(member, round_, issue, query="", headers=None, **form):
    address = reverse("settle_issue", args=[round_.pk, issue.pk])
    form = {"form_key": str(uuid4()), "rationale": "It fails to import.", "seen_number": 0} | form
    return signed_in(member).post(f"{address}?{query}", form, headers=headers)


def text_of(response) -> str:
    """What a reader sees from the disagreements on, messages included."""
    return pages.text_of(response, 'id="disagreements"', "")


def listed(response) -> list[int]:
    """The issues of the list, in order."""
    return [int(id_) for id_ in re.findall(r'id="issue-(\d+)"', response.content.decode())]


def chips_of(response) -> list[list[tuple[str, str]]]:
    """Of each row of the list the code and the look of each column."""
    rows = re.findall(r'<th scope="row" class="ti">.*?</tr>', response.content.decode(), re.DOTALL)
    chip = re.compile(r'<td class="v">(?:<span class="code (\w*) ?(\w*)" title="[^"]*">([^<]*))?')
    return [[(code, look) for _hue, look, code in chip.findall(row)] for row in rows]


def cells_of(response) -> dict[str, str]:
    """The matrix: what stands in each cell that is a link."""
    cells = re.findall(r'id="cell-([^"]+)"[^>]*>([^<]*)</a>', response.content.decode())
    return dict(cells)


def five_issues(world: World) -> Round:
    """Of five issues, for four volunteers: three disagreements, one unanimous, one whose last label is missing."""
    round_ = world.round()
    give_labels(
        world,
        round_,
        "C.2 C.2 C.9 C.2",
        "A.1.i A.1.ii A.1 A.1",
        "C.2 B.1 C.2 B.1",
        "C.2 C.9 C.9 C.9",
        "C.10 B.2 C.10 -",
    )
    return round_
