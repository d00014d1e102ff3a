"""The work of a harvest's job: walks over its repositories, one after another, then chooses among what came.

A repository whose page is missing does not keep the others from being fetched. When a forge wants to be left
alone for longer than a worker should wait, the run ends, and the harvest goes on by itself later.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from django.db.models import Count, F, Sum
from django.utils.translation import gettext as _

from core import clock
from core.errors import DomainError
from harvests.actions.pages import Phase, owner_of
from harvests.actions.quiet import asking_politely, wait
from harvests.actions.selections import select_fetched
from harvests.actions.walks import walk
from harvests.errors import PagesMissing
from harvests.models import ForgeToken, Harvest, HarvestedIssue, HarvestedRepository, HarvestPage
from harvests.queries.forge_clients import dialect_of, host_of, tokens_of
from harvests.queries.harvests import totals
from ingest.forges.client import ForgeClient
from ingest.forges.pages import Page, PageMissing, Paused, TokenRefused
from ingest.models import Import

Report = Callable[[int, int | None, str], None]

_MEASURED = {Phase.LISTING, Phase.PULLS, Phase.COMMENTS}


def run_harvest(*, harvest: Harvest, report: Report = lambda *_told: None) -> dict[str, Any]:
    """Fetch what is missing, and choose among what is there; safe to repeat after any interruption.

    Returns {"paused": why, "until": when} if the harvest has to wait, else the numbers of the flow figure.
    Raises PagesMissing when all else is done, and every error of `report` (between two pages).
    """
    harvest = Harvest.objects.select_related("run__study").get(pk=harvest.pk)
    run = _Run(harvest, report)
    paused = run.fetch()
    if paused:
        Harvest.objects.filter(pk=harvest.pk).update(resume_at=paused.until)
        return {"paused": paused.why, "until": paused.until.isoformat()}
    counts = select_fetched(harvest=harvest, report=report)
    unfinished = harvest.repositories.exclude(phase=Phase.DONE).order_by("position")
    troubles = list(unfinished.values_list("path", "trouble"))
    if troubles:
        raise PagesMissing(troubles)
    if harvest.refreshes:
        counts = _brought(harvest, counts)
        counts["unchanged"] = _unchanged(harvest.refreshes, counts)
    Import.objects.filter(pk=harvest.run_id).update(counts=counts | {"complete": True})
    return counts


def _brought(refresh: Harvest, counts: dict[str, Any]) -> dict[str, Any]:
    """The numbers of the last selection, with what all runs of the refresh brought: each of them chose among
    what was complete by then, and knew what the ones before had brought.
    """
    each = [totals(one) for one in refresh.selections.exclude(finished_at=None)]
    sums = {name: sum(one.get(name, 0) for one in each) for name in ("new", "changed")}
    sums["known"] = max(counts["kept"] - sum(sums.values()), 0)
    same = {name: number for name, number in counts.items() if name not in sums}
    return same | {name: number for name, number in sums.items() if number}


def _unchanged(root: Harvest, counts: dict[str, Any]) -> int:
    """How many kept issues a refresh neither brought nor gave another text."""
    kept = HarvestedIssue.objects.filter(
        repository__harvest=root, outcome=HarvestedIssue.Outcome.KEPT
    ).count()
    return kept - int(counts.get("new", 0)) - int(counts.get("changed", 0))


class _Run:
    """One run over the repositories of a harvest; a forge has one client, whose tokens keep their turns."""

    def __init__(self, harvest: Harvest, report: Report) -> None:
        self._harvest = harvest
        self._report = report
        self._began = clock.now()
        self._meter = _Meter(harvest)

    def fetch(self) -> Paused | None:
        """Walk over each repository as far as its forge lets; the pause if one wants to be left alone."""
        pauses: dict[tuple[str, str], Paused] = {}
        with ExitStack() as stack:
            clients: dict[tuple[str, str], ForgeClient] = {}
            for repository in self._harvest.repositories.exclude(phase=Phase.DONE).order_by("position"):
                repository.harvest = self._harvest
                key = (repository.host, repository.base_url)
                if key in pauses:
                    continue
                if key not in clients:
                    clients[key] = stack.enter_context(self._client(repository))
                try:
                    self._walk(repository, clients[key])
                except Paused as paused:
                    pauses[key] = paused
                    if paused.why == "budget":
                        break
        return min(pauses.values(), key=lambda paused: paused.until) if pauses else None

    @contextmanager
    def _client(self, repository: HarvestedRepository) -> Iterator[ForgeClient]:
        tokens = tokens_of(self._harvest.run.study_id, host_of(repository.base_url))
        budget = self._harvest.budget
        left = None if budget is None else budget - (clock.now() - self._began).total_seconds()
        dialect = dialect_of(repository.forge, repository.host, repository.base_url)
        given = [token for _pk, token in tokens.values()]
        study_id = self._harvest.run.study_id
        with asking_politely(study_id, dialect, given, sleep=self._sleep, budget=left) as client:
            try:
                yield client
            finally:
                _note_refusals(client, {name: pk for name, (pk, _token) in tokens.items()})

    def _walk(self, repository: HarvestedRepository, client: ForgeClient) -> None:
        """Raises Paused; whatever else keeps the walk from its end is written down at the repository."""

        spent = _Spent(client)

        def report(page: Page | None) -> None:
            spent.note(repository)
            self._report(*self._meter.after(repository, client, page))

        try:
            walk(repository, client, report)
        except PageMissing as missing:
            told = _("%(url)s could not be fetched: %(cause)s.") % {
                "url": missing.url,
                "cause": missing.cause,
            }
            _stop(repository, told, missing.url)
        except TokenRefused as refused:
            told = _("The forge refused %(names)s. Add a valid token.")
            _stop(repository, told % {"names": ", ".join(refused.names) or _("a request without a token")})
        except DomainError as error:
            # The one way out refused the address: not to be asked, whoever planned it.
            _stop(repository, str(error.message))
        finally:
            spent.note(repository)

    def _sleep(self, seconds: float) -> None:
        wait(seconds, lambda: self._report(*self._meter.now()))


class _Spent:
    """Notes what a client asks and waits for a walk, from where it stands now."""

    def __init__(self, client: ForgeClient) -> None:
        self._client = client
        self._noted = client.asked.total(), client.waited

    def note(self, repository: HarvestedRepository) -> None:
        now = self._client.asked.total(), self._client.waited
        requests, waited = now[0] - self._noted[0], now[1] - self._noted[1]
        if requests or waited:
            HarvestedRepository.objects.filter(pk=repository.pk).update(
                requests=F("requests") + requests, waited=F("waited") + waited
            )
        self._noted = now


def _stop(repository: HarvestedRepository, trouble: str, url: str = "") -> None:
    HarvestedRepository.objects.filter(pk=repository.pk).exclude(phase=Phase.DONE).update(
        trouble=trouble, missing_url=url
    )


def _note_refusals(client: ForgeClient, ids: dict[str, int]) -> None:
    """Write down which tokens the forge refused, and which it took again."""
    refused = [ids[turn.name] for turn in client.ring.turns if turn.is_refused and turn.name in ids]
    taken = [ids[turn.name] for turn in client.ring.turns if turn.remaining and turn.name in ids]
    ForgeToken.objects.filter(pk__in=refused).update(refused_at=clock.now())
    ForgeToken.objects.filter(pk__in=set(taken) - set(refused)).update(refused_at=None)


class _Meter:
    """How many records came, of how many, over all repositories. The forge's count tells the issues; the
    comments are reckoned from those listed so far.
    """

    def __init__(self, harvest: Harvest) -> None:
        rows = HarvestPage.objects.filter(repository__harvest=harvest, phase__in=_MEASURED)
        self._done = dict(rows.values_list("repository").annotate(sum=Sum("records")).order_by())
        self._listed: dict[int, list[int]] = {}
        self._totals: dict[int, int] = {}
        self._step = ""
        for repository in harvest.repositories.all():
            found = HarvestedIssue.objects.filter(repository=owner_of(repository)).aggregate(
                listed=Count("pk"), comments=Sum("comment_count")
            )
            self._listed[repository.pk] = [found["listed"], found["comments"] or 0]
            self._reckon(repository, with_comments=harvest.with_comments)

    def _reckon(self, repository: HarvestedRepository, *, with_comments: bool) -> None:
        done = self._done.get(repository.pk, 0)
        if repository.phase == Phase.DONE or not repository.expected:
            self._totals[repository.pk] = done
            return
        listed, comments = self._listed[repository.pk]
        issues = repository.expected["issues"] + (repository.expected["pull_requests"] or 0)
        per_issue = comments / listed if listed and with_comments else 0
        self._totals[repository.pk] = max(done, round(issues * (1 + per_issue)))

    def after(
        self, repository: HarvestedRepository, client: ForgeClient, page: Page | None
    ) -> tuple[int, int, str]:
        """What to report after a step of the walk."""
        if page is not None and repository.phase in {*_MEASURED, Phase.CLOSING}:
            self._done[repository.pk] = self._done.get(repository.pk, 0) + len(page.records)
            if page.kind != "comments":
                listed = self._listed[repository.pk]
                listed[0] += len(page.records)
                listed[1] += sum(client.forge.comment_count(record) or 0 for record in page.records)
        self._reckon(repository, with_comments=repository.harvest.with_comments)
        self._step = f"{repository.path}: {repository.get_phase_display()}"
        return self.now()

    def now(self) -> tuple[int, int, str]:
        done = sum(self._done.values())
        # Only the last report of the job says that everything is done.
        return done, max(sum(self._totals.values()), done + 1), self._step
