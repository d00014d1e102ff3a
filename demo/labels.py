"""The labels of the demonstration study: the evenings in which volunteers submit them."""

import random
from collections.abc import Collection, Mapping
from datetime import date, datetime, time, timedelta

from django.utils import timezone

from accounts.actions import note_seen
from annotate.label_input import LabelInput
from core import clock
from demo.story import Scene, Story
from rounds.models import Assignment, RoundVolunteer

LONGEST_EVENING = 18
SEED = 2506

Place = tuple[str, str]
"""The URL of an issue and the pseudonym of a volunteer."""


def plan_labels(
    scene: Scene,
    given: Mapping[Place, LabelInput],
    *,
    days_ago: int = 0,
    days: int,
    seed: int = SEED,
    first: Collection[str] = (),
) -> dict[Place, datetime]:
    """Plan that each volunteer submits their labels, and return the moment of each label. Each volunteer
    labels in their own order, in evenings of the `days` before the day `days_ago`, beginning with the issues
    whose URLs are in `first`.
    """
    story, round_ = scene.story, scene.round
    moments: dict[Place, datetime] = {}
    for volunteer in RoundVolunteer.objects.filter(round=round_).select_related("member"):
        member = story.members[volunteer.member.pseudonym]
        slots = Assignment.objects.filter(round=round_, volunteer=member).order_by("rank")
        urls = [url for url in slots.values_list("issue__url", flat=True) if (url, member.pseudonym) in given]
        urls.sort(key=lambda url: url not in first)
        today, seeded = story.day(days_ago), seed + volunteer.column
        for url, at in zip(urls, evenings(len(urls), seed=seeded, today=today, days=days), strict=True):
            scene.submit(at, url, member, given[url, member.pseudonym])
            moments[url, member.pseudonym] = at
    return moments


def note_last_visits(story: Story, moments: Mapping[Place, datetime]) -> None:
    """Note the last label of each volunteer as their last visit."""
    for member in story.volunteers():
        if member.user is not None:
            with clock.at(max(at for (_url, name), at in moments.items() if name == member.pseudonym)):
                note_seen(user=member.user)


def evenings(count: int, *, seed: int, today: date, days: int) -> list[datetime]:
    """`count` moments in order, in evenings of the `days` before `today`, a label every minute or two. Raises
    ValueError if the labels do not fit into that many evenings.
    """
    chance = random.Random(seed)
    sessions = -(-count // LONGEST_EVENING)
    chosen = sorted(chance.sample(range(1, days + 1), sessions), reverse=True)
    moments = []
    for number, days_ago in enumerate(chosen):
        start = datetime.combine(
            today - timedelta(days=days_ago),
            time(chance.randrange(18, 21), chance.randrange(60), chance.randrange(60)),
            tzinfo=timezone.get_current_timezone(),
        )
        for _label in range(count // sessions + (number < count % sessions)):
            start += timedelta(seconds=min(20 + chance.lognormvariate(4.1, 0.7), 480))
            moments.append(start)
    return moments
