"""Disagreements with titles and summaries by which they are alike, or without any text."""

from collections.abc import Sequence

from rounds.models import Round
from tests import factories
from tests.worlds.world import World, small_world


def alike_world(
    *rows: str, titles: Sequence[str] = (), summaries: Sequence[str] = (), **fields
) -> tuple[World, Round]:
    """One complete issue per row of codes, with its title and the summary that all its labels have."""
    world = small_world(issues=0, members=len(rows[0].split()) if rows else 2)
    texts = [[*given, *[""] * len(rows)] for given in (titles, summaries)]
    for _row, title in zip(rows, texts[0], strict=False):
        world.issues.append(factories.make_issue(world.repository, title=title, body=""))
    if not rows:
        world.issues.append(factories.make_issue(world.repository))
    round_ = world.round(**fields)
    for issue, row, summary in zip(world.issues, rows, texts[1], strict=False):
        for member, code in zip(world.members, row.split(), strict=True):
            world.submit(round_, issue, member, code, summary=summary)
    return world, round_
