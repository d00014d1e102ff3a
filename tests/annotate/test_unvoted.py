"""New categories and splits that nobody voted on: named before they are published, and ever after."""

import json
import re

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse

from replication.package import write_package
from reports.agreement_report import agreement_report
from reports.sentences.paragraph import how_to_report
from rounds.models import Round
from taxonomy.actions import cast, publish
from taxonomy.errors import ReasonMissing
from taxonomy.models import Unvoted, Version
from taxonomy.queries.drafts import drafted
from taxonomy.queries.history import steps
from taxonomy.queries.unvoted import unvoted
from taxonomy.tree.drafts import ADD, MERGE, SPLIT
from tests.annotate.actions.test_version_upgrade import change
from tests.factories import propose
from tests.worlds.pages import label_all
from tests.worlds.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=2, members=2)]


@pytest.fixture
def drafted_alone(world: World) -> World:
    """A closed main round; in the draft C.3 is split and C.9 merged by a lead, and a new type is voted on."""
    label_all(world, world.round(), "C.1 C.1", "C.1 C.2")
    motion = propose(world.version.taxonomy, world.lead, ADD, values={"name": "Voted"})
    for member in (world.lead, *world.members):
        cast(motion=motion, member=member, choice="for")
    change(world, SPLIT, "C.3", parts=[{"name": "Half"}], stays=True)
    change(world, MERGE, "C.9", into="C.10")
    return world


def named(world: World) -> list[str]:
    found = drafted(world.version.taxonomy)
    return [found.draft[key].name for key in unvoted(found)]


def test_before_labels_of_a_pilot_or_main_round_nobody_needs_to_vote(world: World) -> None:
    change(world, ADD, "new", name="Free")
    screening = world.round(kind=Round.Kind.SCREENING, excludes=world.category("B"))
    world.submit(screening, world.issues[0], world.members[0], "C.1")
    assert named(world) == []

    world.submit(world.round(), world.issues[0], world.members[0], "C.1")
    assert named(world) == ["Free"]


def test_what_nobody_voted_on_is_published_with_a_reason_only(drafted_alone: World) -> None:
    taxonomy = drafted_alone.version.taxonomy
    assert named(drafted_alone) == ["Half"]

    with pytest.raises(ReasonMissing) as refused:
        publish(taxonomy=taxonomy, by=drafted_alone.lead.user, note=" ")
    assert refused.value.codes == ("C.11",)
    assert "Nobody voted on C.11. Nothing was published." in str(refused.value)

    version = publish(taxonomy=taxonomy, by=drafted_alone.lead.user, note="Two causes in one.")

    (alone,) = steps(taxonomy)[0].alone
    assert (alone.version, alone.state.code, alone.source and alone.source.code) == (version, "C.11", "C.3")
    # Voted categories and merges alone need no reason.
    change(drafted_alone, MERGE, "C.11", into="C.3")
    publish(taxonomy=taxonomy, by=drafted_alone.lead.user)
    assert Unvoted.objects.count() == 1


def test_pages_and_rest_name_it_before_and_after(drafted_alone: World, client) -> None:
    taxonomy = drafted_alone.version.taxonomy
    client.force_login(drafted_alone.lead.user)

    shown = re.sub(r"\s+", " ", client.get(reverse("draft", args=[taxonomy.pk])).text)
    assert "Nobody voted on 1 new category. Publishing needs your reason." in shown
    assert 'maxlength="2000" required' in shown
    assert "2 new categories have no definition: C.11, D." in shown
    assert client.get(reverse("api_draft", args=[taxonomy.pk])).json()["unvoted"] == [
        entry.key for entry in drafted(taxonomy).draft if entry.code == "C.11"
    ]
    edition = drafted(taxonomy).edition
    late = client.post(reverse("publish_draft", args=[taxonomy.pk]), {"edition": edition})
    assert (late.status_code, Version.objects.filter(published_at__isnull=False).count()) == (422, 1)

    client.post(reverse("publish_draft", args=[taxonomy.pk]), {"edition": edition, "note": "Two causes."})
    told = re.sub(r"\s+", " ", client.get(reverse("taxonomy_history", args=[taxonomy.pk])).text)
    assert "Nobody voted on these:" in told
    assert "split off from C.3" in told


def test_report_and_package_name_it_for_ever(drafted_alone: World, tmp_path) -> None:
    publish(taxonomy=drafted_alone.version.taxonomy, by=drafted_alone.lead.user, note="Two causes in one.")
    round_ = Round.objects.get(kind=Round.Kind.MAIN)

    said = how_to_report(agreement_report(round_))
    write_package(round_, tmp_path)

    assert "1 category was added or split without a vote, after labelling had begun: C.11." in said
    (alone,) = json.loads((tmp_path / "proposals.json").read_text())["without_vote"]
    assert (alone["version"], alone["code"], alone["name"], alone["split_off_from"], alone["reason"]) == (
        2, "C.11", "Half", "C.3", "Two causes in one.",
    )  # fmt: skip


def test_the_database_wants_the_reason_and_keeps_what_it_noted(drafted_alone: World) -> None:
    taxonomy = drafted_alone.version.taxonomy
    draft = taxonomy.versions.get(published_at=None)
    Unvoted.objects.create(version=draft, category=drafted_alone.category("C.1"))
    with pytest.raises(DatabaseError, match="a reason is missing"), transaction.atomic():
        Version.objects.filter(pk=draft.pk).update(published_at=draft.created_at)
    Unvoted.objects.all().delete()

    publish(taxonomy=taxonomy, by=None, note="Two causes in one.")
    with pytest.raises(DatabaseError, match="a published version is immutable"), transaction.atomic():
        Unvoted.objects.all().delete()
