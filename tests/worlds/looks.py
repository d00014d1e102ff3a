"""A category is split while a round runs, and its labels are given again in second looks."""

from rounds.models import Round
from taxonomy.models import Version
from taxonomy.tree.drafts import SPLIT
from tests.annotate.actions.test_version_upgrade import change, publication
from tests.worlds.world import World


def look_again(world: World, round_: Round, code: str) -> Round:
    """Everybody who is asked gives this label; returns the round as it is now."""
    for look in Round.objects.filter(of=round_, closed_at=None):
        for turn in list(look.assignments.filter(submitted_at=None).order_by("pk")):
            issue = next(one for one in world.issues if one.pk == turn.issue_id)
            member = next(one for one in world.members if one.pk == turn.volunteer_id)
            world.submit(look, issue, member, code, summary=f"{code} again")
    return Round.objects.select_related("version__taxonomy", "study").get(pk=round_.pk)


def split_and_look_again(world: World, split: str, code: str) -> Version:
    """Split this category, and let everybody who had chosen it choose `code`; returns the new version."""
    change(world, SPLIT, split, parts=[{"name": "Part"}], stays=True)
    world.version = publication(world)
    for round_ in Round.objects.filter(study=world.study, of=None):
        look_again(world, round_, code)
    return world.version
