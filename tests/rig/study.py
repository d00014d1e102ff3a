"""A study in an open round, made by any copy of the code: run as `python -c`, so that it is that code's own.

What it prints is one line of JSON: {"round", "categories", "people": [[member, session key]], "lead", "study"}.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.rig.hosts import manage
from tests.rig.people import Person

MADE = """
import json, django
django.setup()
from django.test import Client
from rounds.models import Round
from tests.factories import make_member, make_user
from tests.worlds.world import small_world
world = small_world(issues={issues}, members={people})
round_ = world.round({given})
def session(member):
    client = Client()
    client.force_login(member.user)
    return client.cookies["sessionid"].value
codes = ["C.1", "C.2", "C.3", "B.1"]
print(json.dumps({{
    "study": world.study.slug,
    "round": round_.pk,
    "categories": [world.category(code).pk for code in codes],
    "people": [[member.pk, session(member)] for member in world.members],
    "lead": [world.lead.pk, session(world.lead)],
}}))
"""


@dataclass
class Study:
    study: str
    round: int
    categories: list[int]
    people: list[Person]
    lead: Person


def make_study(
    code: Path, environment: Mapping[str, str], *, issues: int, people: int, given: str = ""
) -> Study:
    """Make it in the database of this environment."""
    told = manage(code, environment, "-c", MADE.format(issues=issues, people=people, given=given))
    found = json.loads(told.splitlines()[-1])
    return Study(
        study=found["study"],
        round=found["round"],
        categories=found["categories"],
        people=[Person(*one) for one in found["people"]],
        lead=Person(*found["lead"]),
    )
