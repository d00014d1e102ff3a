"""A screening study: types T (an issue of the study) and F (a false positive) with two reasons."""

from collections.abc import Sequence

from rounds.models import Round
from studies.models import Role
from taxonomy.models import Level
from tests import factories
from tests.worlds.parted import give_labels
from tests.worlds.world import World

CODES = "T F F.1 F.2".split()
ROWS = (
    "F.1 F.1 F.1",  # excluded for F.1
    "F.1 F.2 F",  # excluded, reasons differ
    "F F F",  # excluded, no reason
    "T T T",  # included
    "F.1 F.1 T",  # open
    "T T F.2",  # open
    "F.1 F.1 -",  # incomplete
)


def screening_world(members: int = 3, codes: Sequence[str] = CODES) -> World:
    """Four issues in one repository and three in another."""
    study = factories.make_study()
    first = factories.make_repository(study, "ember/engine")
    second = factories.make_repository(study, "ember/docs")
    return World(
        study=study,
        version=factories.make_version(study, codes),
        repository=first,
        issues=[*factories.make_issues(first, 4), *factories.make_issues(second, 3)],
        lead=factories.make_member(study, Role.LEAD, pseudonym="Lead"),
        members=[factories.make_member(study, pseudonym=f"R{number}") for number in range(1, members + 1)],
    )


def screening(world: World, *rows: str, **fields) -> Round:
    """An open screening in which the volunteers gave these labels, a row per issue; ROWS if none is said."""
    round_ = world.round(kind=Round.Kind.SCREENING, depth=Level.TYPE, excludes=world.category("F"), **fields)
    give_labels(world, round_, *(rows or ROWS))
    return round_
