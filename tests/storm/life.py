"""One life of a study, drawn by a number. Everything goes through the doors that people use."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pgtrigger
from django.contrib.contenttypes.models import ContentType
from django.core.cache import cache
from django.db import connection
from django.test import Client
from rest_framework.test import APIClient

from core import clock
from rounds.models import Round
from studies.models import Membership, Role
from tests import factories
from tests.conftest import KEPT
from tests.database import as_owner
from tests.storm import checks, leads, meetings, volunteers, votes
from tests.storm.deeds import BEGIN, CODES, Deed, Window
from tests.storm.meeting_model import MeetingModel
from tests.storm.model import RoundModel
from tests.storm.trees import TaxonomyModel, Tree
from tests.storm.turns import Act, Workers, at_once
from tests.worlds.opening import open_without_waiting
from tests.worlds.world import World, small_world

IDS = 10_000
"""More than any table of a life has rows."""
TICK = timedelta(microseconds=7)


class Broken(AssertionError):
    """A promise that did not hold, with the number that plays it again."""


Move = Callable[["Life"], Deed | None]


@dataclass
class Life:
    number: int
    workers: Workers
    people: int = 5
    issues: int = 6
    now: datetime = BEGIN
    began: datetime = BEGIN
    """When this step began."""
    is_young: bool = True
    """No round closes in the first quarter of a life."""
    told: list[str] = field(default_factory=list)
    words: int = 0
    keys: int = 0
    seen: int = 0
    """Words that readers saw: a life in which nobody sees anything shows nothing."""
    compared: int = 0
    keys_given: int = 0
    secret: int = 0
    """How often pages were compared while a vote was open."""
    meetings: list[MeetingModel] = field(default_factory=list)
    arguments: dict[str, tuple[RoundModel, int]] = field(default_factory=dict)
    """Words of comments, with the round and the issue that they are about."""
    edits: set[int] = field(default_factory=set)
    """Changes of the draft that a lead was answered."""
    written: dict[int, set[str]] = field(default_factory=dict)
    busy: set[Any] = field(default_factory=set)
    """What the acts of this step touch: refusals are explained by it."""

    def __post_init__(self) -> None:
        self.draw = random.Random(self.number)
        self.ticks = 0
        begin_anew(self.number)
        with clock.told_by(self.clock):
            self.begin()

    def clock(self) -> datetime:
        self.ticks += 1
        return self.now + self.ticks * TICK

    # The study

    def begin(self) -> None:
        draw = self.draw
        self.world: World = small_world(issues=self.issues, members=self.people)
        world = self.world
        self.viewer = factories.make_member(world.study, Role.VIEWER, pseudonym="Viewer")
        k = draw.choice([2, 3, min(4, self.people - 1)])
        main = self._plan(k)
        open_without_waiting(main, world.lead)
        crossed_members = world.members[: draw.choice([2, 3])]
        crossed = world.round(
            seed=self.number,
            opened=False,
            members=crossed_members,
            reveal=draw.choice(Round.Reveal.values),
            kind=Round.Kind.PILOT,
        )
        open_without_waiting(crossed, world.lead)
        self.codes = {world.category(code).pk: code for code in factories.taxonomy.CODES}
        """The first codes of categories, or their names in the model, by their ids."""
        self.category_keys = {code: str(world.category(code).key) for code in factories.taxonomy.CODES}
        taxonomy = world.version.taxonomy
        taxonomy.by_majority = draw.random() < 0.5
        taxonomy.save(update_fields=["by_majority"])
        self.taxonomy = TaxonomyModel(taxonomy.pk, taxonomy.by_majority, pks={1: world.version.pk})
        self.rest = self.rest_of(self.viewer)
        self.rounds = [self._model(main), self._model(crossed)]
        self.clients = {one.pk: self._signed_in(one) for one in (*world.members, world.lead, self.viewer)}
        self.windows = [
            Window(member, model, self._signed_in(member))
            for model in self.rounds
            for member in world.members
            for _ in range(draw.choice([1, 1, 2]))
            if member.pk in model.seats
        ]

    def _plan(self, k: int) -> Round:
        draw = self.draw
        majority = draw.random() < 0.5
        return self.world.k_of_n(
            k,
            seed=-self.number,
            opened=False,
            reveal=draw.choice(Round.Reveal.values),
            lease_minutes=draw.choice([5, 60]),
            order=draw.choice(Round.Order.values),
            rule=Round.Rule.MAJORITY if majority else Round.Rule.UNANIMOUS,
            majority=k // 2 + 1 if majority else None,
        )

    def _model(self, round_: Round) -> RoundModel:
        round_.refresh_from_db()
        return RoundModel(
            pk=round_.pk,
            name=round_.name,
            is_crossed=round_.allocation == Round.Allocation.CROSSED,
            waits_for_close=round_.reveal == Round.Reveal.ROUND_CLOSED,
            majority=round_.majority,
            lease_minutes=round_.lease_minutes,
            version_pk=round_.version_id,
            wanted={issue.pk: round_.labels_per_issue for issue in self.world.issues},
            seats=dict.fromkeys(round_.volunteers.values_list("member", flat=True), True),
        )

    def rest_of(self, member: Membership) -> APIClient:
        client = APIClient()
        client.force_authenticate(member.user)
        return client

    def _signed_in(self, member: Membership) -> Client:
        client = Client(raise_request_exception=False)
        client.force_login(member.user)
        return client

    @property
    def labels(self) -> int:
        return sum(len(round_.labels) for round_ in self.rounds)

    # Steps

    def live(self, steps: int) -> None:
        for step in range(steps):
            self.is_young = step < steps // 4
            try:
                self.step()
            except Broken:
                raise
            except AssertionError as error:
                told = "\n  ".join(self.told[-12:])
                raise Broken(f"life {self.number}, step {step}: {error}\n  {told}") from error

    def step(self) -> None:
        draw = self.draw
        self._jump()
        self.began, self.busy = self.now, set()
        hot = draw.choice(self.world.issues).pk
        rushes = [
            self._usual,
            self._last_labels,
            self._claims,
            self._end,
            self._last_votes,
            self._publication,
        ]
        rush = draw.choices([*rushes, self._meeting], [60, 20, 12, 2, 8, 5, 12])[0]
        deeds = [deed for act in rush(hot) if (deed := act(self))]
        if not deeds:
            return
        killed = {}
        if draw.random() < 0.08:
            killed[draw.randrange(len(deeds))] = draw.randrange(2, 24)
        self.told.append(f"{self.now:%d %H:%M} {' | '.join(deed.words for deed in deeds)} {killed or ''}")
        done = at_once(self.workers, draw, *(self._timed(deed.ask) for deed in deeds), killed=killed)
        self.now += timedelta(seconds=draw.randrange(1, 90))
        # What was refused may be explained by what was taken.
        for deed, act in sorted(zip(deeds, done, strict=True), key=lambda one: _rank(one[1])):
            self._answered(deed, act)
        checks.all_promises(self)

    def _answered(self, deed: Deed, act: Act) -> None:
        assert not isinstance(act.result, BaseException), f"{deed.words}: {act.result!r}"
        status = act.result.status_code
        if act.was_killed and status == 503:
            self.told.append(f"    {deed.words}: cut")
            deed.unknown()
            return
        assert status < 500, f"{deed.words}: answered {status}"
        self.told.append(f"    {deed.words}: {status} {_code(act.result)}")
        deed.believe(act.result)

    def _timed(self, ask: Callable[[], Any]) -> Callable[[], Any]:
        def timed() -> Any:
            with clock.told_by(self.clock):
                return ask()

        return timed

    def _jump(self) -> None:
        """Clocks are set, and evenings end."""
        self.now += self.draw.choices(
            [
                timedelta(0),
                timedelta(minutes=4),
                timedelta(minutes=61),
                timedelta(days=1),
                timedelta(minutes=-2),
            ],
            [70, 12, 10, 4, 4],
        )[0]

    def _usual(self, hot: int) -> list[Move]:
        return [partial(self._drawn(), hot=hot) for _ in range(self.draw.choice([1, 1, 2, 2, 3]))]

    def _last_labels(self, _hot: int) -> list[Move]:
        """Everybody who looks at one issue labels it at once."""
        shown = Counter((one.round.pk, one.shown) for one in self.windows if one.shown)
        if not shown:
            return []
        (_round, issue), most = shown.most_common(1)[0]
        return [partial(volunteers.label, hot=issue or 0) for _ in range(min(most, 3))]

    def _claims(self, hot: int) -> list[Move]:
        return [partial(volunteers.sit, hot=hot) for _ in range(3)]

    def _end(self, hot: int) -> list[Move]:
        """A round is closed while others label in it."""
        if self.is_young:
            return []
        return [partial(leads.close, hot=hot), *(partial(volunteers.label, hot=hot) for _ in range(2))]

    def _last_votes(self, hot: int) -> list[Move]:
        return [partial(act, hot=hot) for act in votes.last_votes(self)]

    def _publication(self, hot: int) -> list[Move]:
        """A version is published while others label, edit and propose."""
        others = self.draw.choices([volunteers.label, votes.edit, votes.publish, votes.propose], k=2)
        return [partial(act, hot=hot) for act in (votes.publish, *others)]

    def _meeting(self, hot: int) -> list[Move]:
        """Many vote at once, while the chair counts or decides and a lead decides too."""
        chairs = [meetings.count_votes, meetings.decide, leads.settle, meetings.end, meetings.ballot]
        acts = [meetings.ballot, meetings.ballot, self.draw.choices(chairs, [3, 3, 2, 1, 4])[0]]
        return [partial(act, hot=hot) for act in acts]

    def _drawn(self) -> Callable[..., Deed | None]:
        acts = {
            volunteers.sit: 5,
            volunteers.label: 12,
            volunteers.change: 3,
            volunteers.draft: 2,
            volunteers.skip: 1,
        }
        acts |= {
            leads.settle: 0.6,
            leads.ask_for_more: 0.25,
            leads.leave: 0.25,
            leads.join: 0.3,
            votes.propose: 0.6,
            votes.vote: 3,
            votes.edit: 0.4,
            votes.publish: 0.3,
            meetings.plan: 2,
            meetings.begin: 4,
            meetings.ballot: 5,
            meetings.argue: 1.5,
            meetings.count_votes: 1,
            meetings.decide: 1.2,
            meetings.end: 0.2,
        }
        return self.draw.choices(list(acts), list(acts.values()))[0]

    def word(self, member: int) -> str:
        """A word of this member that occurs nowhere else."""
        self.words += 1
        word = f"zq{self.number}x{self.words}w"
        self.written.setdefault(member, set()).add(word)
        return word

    def key(self) -> str:
        self.keys += 1
        return str(UUID(int=(self.number << 64) + self.keys))

    def pk_of(self, name: str) -> int:
        return next(pk for pk, known in self.codes.items() if known == name)

    def choosable(self, tree: Tree) -> list[str]:
        """Few categories, so that labels are often equal."""
        known = [name for name in [*CODES, *self.codes.values()] if name in CODES or name.startswith("N")]
        return [one for one in dict.fromkeys(known) if tree.is_there(one) and tree.level(one) > 1]

    def themes(self, round_: RoundModel) -> list[str]:
        return [one for one in self.choosable(round_.tree) if round_.tree.level(one) == 2]


def _rank(act: Act) -> int:
    """What was taken first, then what may have been, then what was refused."""
    status = getattr(act.result, "status_code", 500)
    return 0 if status < 400 else 1 if act.was_killed else 2


def _code(answer: Any) -> str:
    if answer.headers.get("Content-Type", "").startswith("application/json"):
        return str(answer.json().get("code", ""))
    return ""


def begin_anew(number: int) -> None:
    """An empty database whose ids begin at a number of this life, and nothing remembered: orders are drawn from ids, and
    processes remember what never changes by its id.
    """
    tables = ", ".join(f'"{name}"' for name in connection.introspection.table_names() if name not in KEPT)
    first = """
        SELECT setval(format('%%I.%%I', schemaname, sequencename)::regclass, %s, false) FROM pg_sequences
        WHERE schemaname = 'public' AND sequencename <> ALL(%s)
    """
    with as_owner(), pgtrigger.ignore(), connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {tables} CASCADE")
        cursor.execute(first, [1 + number * IDS, [f"{name}_id_seq" for name in KEPT]])
    ContentType.objects.clear_cache()
    cache.clear()
