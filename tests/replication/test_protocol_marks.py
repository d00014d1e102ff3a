"""The script compares what a report marks as planned with the protocol in the package."""

import json

import pytest

from replication.package import write_package
from rounds.queries.blindness import Reader
from tests.protocols.plans import frozen
from tests.worlds.recomputed import forge_hashes, summary, wrong_paths

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.world(issues=2, members=2)]


@pytest.fixture
def package(world, tmp_path):
    frozen(world, level="theme", coefficient="gwet_ac1")
    round_ = world.round()
    for issue, codes in zip(world.issues, [("C.2", "C.9"), ("C.1", "C.1")], strict=True):
        for member, code in zip(world.members, codes, strict=True):
            world.submit(round_, issue, member, code)
    write_package(round_, tmp_path, reader=Reader(world.lead))
    return tmp_path


def test_marks_are_those_of_the_frozen_plan(package):
    marks = json.loads((package / "agreement.json").read_text())["protocol"]["marks"]
    assert {name for name, mark in marks.items() if mark == "planned"} == {"gwet_ac1"}
    assert summary(package)[1] == 0


def test_another_plan_is_found(package):
    path = package / "protocol-v1.json"
    plan = json.loads(path.read_text())
    plan["plan"]["coefficient"] = "fleiss_kappa"
    path.write_text(json.dumps(plan))
    forge_hashes(package)
    assert wrong_paths(package) == {"protocol marks fleiss_kappa", "protocol marks gwet_ac1"}
