"""What a replication package says of votes on the taxonomy."""

import json

import pytest

from replication.package import write_package
from replication.queries.proposals import decided_proposals
from taxonomy.actions import cast, comment
from tests.factories import propose

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=1, members=2)]


def opened(world, code):
    examples = "https://x.org/1\nhttps://x.org/2"
    return propose(world.version.taxonomy, world.members[0], code=code, examples=examples)


def test_decided_ones_with_ballots_arguments_and_comments_and_no_open_one(world, tmp_path) -> None:
    round_ = world.round()
    first, hidden = opened(world, "C.1"), opened(world, "C.2")
    comment(motion=first, by=world.lead, text="Sure?")
    for member, choice in zip((world.lead, *world.members), ("abstain", "for", "for"), strict=True):
        cast(motion=first, member=member, choice=choice, argument=f"says {member}")
    cast(motion=hidden, member=world.lead, choice="against", argument="canary")

    write_package(round_, tmp_path / "out")

    text = (tmp_path / "out/proposals.json").read_text()
    assert "canary" not in text
    (told,) = json.loads(text)["proposals"]
    assert (told["number"], told["outcome"], told["for"], told["against"], told["abstained"]) == (
        1,
        "accepted",
        2,
        0,
        1,
    )
    assert (told["electorate"], told["quorum"], told["rule"], told["opened_by"]) == (3, 2, "unanimity", "R1")
    assert told["became_part_of_version"] == 2
    assert told["examples"] == ["https://x.org/1", "https://x.org/2"]
    assert [(one["member"], one["choice"], one["argument"]) for one in told["ballots"]] == [
        ("Lead", "abstain", "says Lead"), ("R1", "for", "says R1"), ("R2", "for", "says R2"),
    ]  # fmt: skip
    assert [(one["author"], one["text"]) for one in told["comments"]] == [("Lead", "Sure?")]
    assert "proposals.json" in json.loads((tmp_path / "out/manifest.json").read_text())["sha256"]


def test_without_a_decided_one_there_is_no_file(world, tmp_path) -> None:
    round_ = world.round()
    opened(world, "C.1")
    write_package(round_, tmp_path / "out")
    assert not (tmp_path / "out/proposals.json").exists()


@pytest.mark.parametrize("how_many", [1, 3])
def test_three_queries(world, how_many, django_assert_num_queries) -> None:
    round_ = world.round()
    for code in ("C.1", "C.2", "C.3")[:how_many]:
        motion = opened(world, code)
        for member in (world.lead, *world.members):
            cast(motion=motion, member=member, choice="for")
    with django_assert_num_queries(3):
        assert len(decided_proposals(round_)) == how_many
