"""Worlds that neighbouring tests share: built once, in a transaction around theirs, and a copy for each of them.

`@kept` stands in the place of `@pytest.fixture`, on a function that builds rows and may ask for other kept fixtures.
Each test works in a savepoint on copies of the built objects, so that it may change rows and objects alike. Tests of a
file that ask for the same kept fixtures run one after the other. A test with transactions of its own gets its world
built anew, as by a plain fixture. Keep nothing that ages: who is there in a meeting has left when a slow file ends.

`world` of tests/conftest.py is a kept `small_world`, whose arguments the nearest mark says:
`@pytest.mark.world(issues=1, members=2)` on a test, or in `pytestmark` for a file.
"""

import inspect
import pickle
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import _lru_cache_wrapper
from typing import Any

import pytest
from django.db import connection, transaction

ROOMS = {"annotate", "boards", "consensus", "overview", "protocols", "replication", "reports", "rounds"}
"""The rooms that remember answers about rows."""
_caches: set[Any] = set()
_scanned: set[str] = set()


@dataclass(frozen=True)
class Builder:
    """One kept fixture of one test, with the arguments that the test's mark says."""

    name: str
    build: Callable[..., Any]
    asks: tuple[str, ...]
    marked: tuple[tuple[str, Any], ...] = ()

    def __call__(self, made: dict[str, Any]) -> Any:
        return self.build(**{name: made[name] for name in self.asks}, **dict(self.marked))


@dataclass(frozen=True)
class Plan:
    """The kept fixtures of a test in the order of their building, and whether they are built around the test."""

    builders: tuple[Builder, ...] = ()
    around: bool = False

    def made(self) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for builder in self.builders:
            made[builder.name] = builder(made)
        return made


def kept(build: Callable[..., Any] | None = None, *, marked: str = "") -> Any:
    """A fixture that is built once for neighbouring tests. `marked` names the mark that says its arguments."""
    if build is None:
        return lambda build: kept(build, marked=marked)

    def copied(_copies: dict[str, Any]) -> Any:
        return _copies[build.__name__]

    found = pytest.fixture(name=build.__name__)(copied)
    found.kept = (build, marked)
    return found


def arrange(metafunc: pytest.Metafunc, shared: dict[str, Any]) -> None:
    """Tell a test which worlds stand around it: none around one with transactions of its own."""
    builders = _builders(metafunc, shared)
    mark = metafunc.definition.get_closest_marker("django_db")
    own = {"transactional_db", "live_server"} & set(metafunc.fixturenames)
    plan = Plan(builders, around=bool(builders) and not (own or (mark and mark.kwargs.get("transaction"))))
    metafunc.parametrize(
        "_worlds", [pytest.param(plan, id=pytest.HIDDEN_PARAM)], indirect=True, scope="module"
    )


def _builders(metafunc: pytest.Metafunc, shared: dict[str, Any]) -> tuple[Builder, ...]:
    """Those of the module of the test, and those of `shared` that the module does not replace."""
    seen: dict[str, Any] = shared | vars(metafunc.module)
    wanted: dict[str, Builder] = {}

    def want(name: str) -> None:
        build, mark = getattr(seen.get(name), "kept", (None, ""))
        if build is None or name in wanted:
            return
        marker = metafunc.definition.get_closest_marker(mark) if mark else None
        asks = () if mark else tuple(inspect.signature(build).parameters)
        for asked in asks:
            want(asked)
            if asked not in wanted:
                raise pytest.UsageError(f"{metafunc.definition.nodeid}: {name} is kept, and {asked} is not.")
        wanted[name] = Builder(name, build, asks, tuple(sorted(marker.kwargs.items())) if marker else ())

    for name in sorted(metafunc.fixturenames):
        want(name)
    return tuple(wanted.values())


def neighbours(items: list[pytest.Item]) -> None:
    """Put the tests of a file that share worlds beside each other, and leave all else in its order."""
    files: dict[Any, int] = {}
    plans: dict[Any, int] = {}

    def place(item: pytest.Item) -> tuple[int, int]:
        callspec = getattr(item, "callspec", None)
        plan = callspec.params["_worlds"] if callspec else Plan()
        return files.setdefault(item.path, len(files)), plans.setdefault((item.path, plan), len(plans))

    items.sort(key=place)


def _forget() -> None:
    """Empty what functions of the rooms keep in memory, but those that know nothing of rows."""
    if len(sys.modules) != len(_scanned):
        for name in sys.modules.keys() - _scanned:
            if name.partition(".")[0] in ROOMS:
                found = vars(sys.modules[name]).values()
                _caches.update(cache for cache in found if isinstance(cache, _lru_cache_wrapper))
        _scanned.update(sys.modules)
    for remembered in _caches:
        remembered.cache_clear()
    if keywords := sys.modules.get("ingest.queries.keywords"):
        keywords.forget_versions()


@pytest.fixture(scope="module", autouse=True)
def _worlds(request: pytest.FixtureRequest) -> Iterator[tuple[Plan, bytes]]:
    """The worlds around the tests of a file, for as long as tests ask for the same."""
    plan: Plan = getattr(request, "param", Plan())
    if not plan.around:
        yield plan, b""
        return
    request.getfixturevalue("django_db_setup")
    with request.getfixturevalue("django_db_blocker").unblock():
        around = transaction.atomic()
        # Like the transaction that Django puts around a test: an act that must be the outermost may run inside.
        around._from_testcase = True
        with around:
            _forget()  # the tests before may have begun the ids anew
            made = plan.made()
            # Checked here once: what is deferred would be checked anew after each test.
            connection.check_constraints()
            yield plan, pickle.dumps(made)
            transaction.set_rollback(True)


@pytest.fixture
def _copies(_worlds: tuple[Plan, bytes]) -> dict[str, Any]:
    """The test's own copies of the kept objects, which know each other as the built ones do.

    What the process remembers of a row by its id goes: the test before may have changed that row, and took it back.
    """
    plan, packed = _worlds
    _forget()
    return dict(pickle.loads(packed)) if plan.around else plan.made()
