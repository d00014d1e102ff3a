"""A client that labels with the codes of the version it read, while the round goes on with a new one."""

import pytest

from rounds.models import Label
from taxonomy.models import CategoryState
from taxonomy.queries.drafts import drafted
from taxonomy.tree.drafts import ADD, MERGE, MOVE, RETIRE
from tests.annotate.actions.test_version_upgrade import change, publication
from tests.api.conftest import client_of
from tests.factories import edit
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db


def changed_world() -> World:
    """Version 2: what was C.2 lies below A, another category is C.2; C.9 is retired, C.10 part of C.1."""
    world = small_world(issues=2, members=2)
    taxonomy = world.version.taxonomy
    world.round()
    change(world, MOVE, "C.2", parent="A")
    keys = {entry.code: entry.key for entry in drafted(taxonomy).draft}
    edit(taxonomy, ADD, None, {"parent": keys["C"], "name": "New", "code": "C.2"})
    change(world, RETIRE, "C.9")
    change(world, MERGE, "C.10", into="C.1")
    publication(world)
    return world


def send(world: World, code: str, **more):
    round_, issue = world.study.rounds.get(), world.issues[0]
    body = {"issue": issue.pk, "category": code, **more}
    return client_of(world.members[0]).post(f"/api/v1/rounds/{round_.pk}/labels/", body, format="json")


def test_codes_are_of_the_version_that_the_client_read():
    world = changed_world()
    was = world.category("C.2")
    answer = send(world, "C.2", version=1)
    assert answer.status_code == 201
    label = Label.objects.get()
    assert (label.category, label.version) == (was, world.version)
    now = CategoryState.objects.get(version__number=2, category=was).code
    assert answer.json()["category"] == now != "C.2"

    path = f"/api/v1/rounds/{world.study.rounds.get().pk}/labels/{world.issues[0].pk}/"
    client, seen = client_of(world.members[0]), answer.json()["submitted_at"]
    changed = client.put(path, {"category": "C.2", "version": 2, "seen": seen}, format="json").json()
    label.refresh_from_db()
    assert (changed["category"], label.version.number) == ("C.2", 2)
    assert label.category != was
    seen = changed["changed_at"]
    changed = client.put(path, {"category": "C.2", "version": 1, "seen": seen}, format="json").json()
    label.refresh_from_db()
    assert (label.category, changed["category"]) == (was, now)


def test_without_a_version_codes_are_of_the_rounds_own():
    world = changed_world()
    assert send(world, "C.2").status_code == 201
    label = Label.objects.get()
    assert label.version.number == 2
    assert label.category != world.category("C.2")


def test_what_was_merged_is_said_as_what_it_became():
    assert send(changed_world(), "C.10", version=1).json()["category"] == "C.1"


def test_what_is_gone_and_what_was_never_published_is_refused():
    world = changed_world()
    gone = send(world, "C.9", version=1)
    assert (gone.status_code, gone.json()["code"]) == (409, "CategoryGone")
    assert send(world, "C.9", version=2).json() == {"category": ["Version 2 has no category 'C.9'."]}
    change(world, RETIRE, "C.3")
    unknown = send(world, "C.1", version=3)
    assert unknown.status_code == 400
    assert unknown.json() == {"version": ["The round's taxonomy has no published version 3."]}
    assert not Label.objects.exists()
