"""Rounds as a reader finds them, and the form that plans one."""

import html
import re
from uuid import uuid4

from django.urls import reverse

from studies.models import Membership
from taxonomy.models import Level
from tests.worlds.parted import signed_in
from tests.worlds.world import World


def text_of(response) -> str:
    body = re.sub(r"<(script|style|template).*?</\1>", " ", response.content.decode(), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def get(member: Membership, name: str, *args, query="", **headers):
    return signed_in(member).get(reverse(name, args=args) + query, headers=headers)


def post(member: Membership, name: str, *args, form=None, **headers):
    return signed_in(member).post(reverse(name, args=args), form or {}, headers=headers)


def form_of(world: World, **changes) -> dict:
    """What the form of a new round posts; None takes a field out."""
    form = {
        "form_key": str(uuid4()),
        "name": "Main round",
        "kind": "main",
        "version": world.version.pk,
        "depth": Level.THEME.value,
        "source": "issues",
        "repositories": [world.repository.pk],
        "year": "",
        "members": [member.pk for member in world.members],
        "allocation": "crossed",
        "labels_per_issue": "",
        "reveal": "issue_complete",
        "lease_minutes": "60",
    }
    return {name: value for name, value in (form | changes).items() if value is not None}


def plan(world: World, **changes):
    return post(world.lead, "new_round", world.study.slug, form=form_of(world, **changes))
