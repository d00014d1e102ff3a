"""The head of a round's chain on its page and over REST: after the close, and for whom nothing is hidden."""

import pytest

from annotate.actions.rounds import close_round
from rounds.actions.seals import seal_round
from rounds.queries.seals import head_of

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=2, members=2)]


def answers(client, round_, member):
    client.force_login(member.user)
    page = client.get(f"/rounds/{round_.pk}/").content.decode()
    return page, client.get(f"/api/v1/rounds/{round_.pk}/chain/").json()


def test_the_head_is_shown_once_the_round_is_closed(world, client):
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "A.1")
    seal_round(round_=round_)
    for member in (world.lead, world.members[0]):
        page, said = answers(client, round_, member)
        assert ("head-of-chain" in page, said) == (False, {"head": None, "seals": []})
    close_round(round_=round_, by=world.lead)
    seal_round(round_=round_)
    for member in (world.lead, world.members[0]):
        page, said = answers(client, round_, member)
        assert head_of(round_).digest in page
        assert said["head"] == head_of(round_).digest
        assert [(seal["number"], seal["events"]) for seal in said["seals"]] == [(1, 2), (2, 1)]
        assert said["seals"][1]["previous"] == said["seals"][0]["digest"]


def test_who_still_has_to_label_an_issue_elsewhere_sees_no_head(world, client):
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "A.1")
    close_round(round_=round_, by=world.lead)
    seal_round(round_=round_)
    world.waits_for(world.members[1], world.issues[0])
    page, said = answers(client, round_, world.members[1])
    assert ("head-of-chain" in page, said) == (False, {"head": None, "seals": []})
    assert "head-of-chain" in answers(client, round_, world.members[0])[0]
