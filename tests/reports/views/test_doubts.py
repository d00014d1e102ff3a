"""A star of an interval in doubt has its reason in the same section: without a pointer, in print, read aloud."""

import re

import pytest

from annotate.actions.model_labels import label_as_model
from studies.models import Role
from tests.annotate.actions.test_model_labels import rows
from tests.factories import make_member
from tests.worlds.meeting import meeting_world
from tests.worlds.pages import label_all

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

ROWS = ("C.1 C.1 C.1", "C.1 C.2 C.1", "C.2 C.2 C.1", "A.1 A.1 A.1", "A.1 A.2 A.1", "A.2 A.2 A.1") * 7
STAR = r'<abbr class="warn-ink" title="([^"]+)">\*</abbr>'
SECTIONS = {"volunteers", "types", "repositories", "weighted", "rounds", "models"}


def test_each_star_has_its_reason_below_its_table(client):
    world = meeting_world(issues=len(ROWS), members=3, rows=ROWS)
    model = make_member(world.study, Role.MODEL, pseudonym="M1")
    label_as_model(round_=world.round_, member=model, rows=rows(world, *(row[:3] for row in ROWS)))
    for number, row in enumerate(ROWS):
        if len(set(row.split())) > 1:
            world.settle(world.round_, world.issues[number], row[:3])
    later = world.round(name="Later")
    label_all(world, later, *ROWS)
    client.force_login(world.lead.user)
    body = client.get(f"/rounds/{world.round_.pk}/agreement/?weighted=groups").content.decode()
    with_stars = set()
    for part in re.sub(r"\s+", " ", body).split("<section ")[1:]:
        [name] = re.findall(r'<h2 id="([a-z-]+)-h"', part)[:1] or [""]
        for why in set(re.findall(STAR, part)):
            with_stars.add(name)
            assert why in re.sub(STAR, "", part), name
    assert with_stars >= SECTIONS
