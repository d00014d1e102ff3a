"""Asks the forges what issues are that came as addresses only: an issue or a pull request, its text, or where
it is now.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db import transaction
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.models import User
from core import clock, jobs
from core.models import Job
from core.sql.retry import retried
from harvests.actions.quiet import asking_politely, wait
from harvests.errors import NothingListed, PagesMissing, ResolvingRunning
from harvests.queries.forge_clients import dialect_of, host_of, tokens_of
from harvests.queries.listed import forge_at, listed_only
from ingest.actions import chunks
from ingest.actions.finds import begin_search
from ingest.actions.similar import begin_comparison
from ingest.addresses import Address, Kind
from ingest.forges.dialects import Dialect
from ingest.forges.pages import ForgeError, Paused, Resolved, TokenRefused
from ingest.models import Issue
from ingest.readers.refusals import Refused
from ingest.rules import may_import
from studies.actions import record
from studies.actions.seats import require_rule
from studies.models import Study

JOB = "ingest.resolve_listed"
AT_ONCE = 50

Report = Callable[[int, int | None, str], None]


@transaction.atomic
def resolve_listed(*, study: Study, by: User | None, rings: bool = True) -> Job:
    """Let a worker ask what the study's addresses are. Raises NothingListed, ResolvingRunning and
    PermissionDenied.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    require_rule(study, by, may_import)
    if Job.objects.filter(kind=JOB, arguments__study=study.pk, finished_at=None).exists():
        raise ResolvingRunning
    if not listed_only(study.pk).exists():
        raise NothingListed
    arguments = {"study": study.pk, "language": get_language()}
    if rings:
        return jobs.enqueue(JOB, arguments=arguments, by=by)
    return Job.objects.create(kind=JOB, arguments=arguments, created_by=by)


def run_resolving(*, study_id: int, by: User | None, report: Report = lambda *_told: None) -> dict[str, int]:
    """Ask about each address once, fifty in a transaction; safe to repeat after any interruption. Returns the
    numbers by outcome. Raises PagesMissing if some could not be asked about, when all others are, and every
    error of `report`.
    """
    study = Study.objects.get(pk=study_id)
    run = _Resolving(study, report)
    hosts = listed_only(study_id).values_list("repository__host", flat=True).distinct()
    for host in hosts.order_by("repository__host"):
        forge, base_url = forge_at(study_id, host)
        if base_url:
            run.ask(forge, host, base_url)
    if any(run.counts.values()):
        with transaction.atomic():
            record(study, "issues.resolved", by, asked=sum(run.counts.values()))
            begin_search(study=study, by=by)
            begin_comparison(study=study, by=by)
    if run.troubles:
        raise PagesMissing(run.troubles)
    return run.counts


@dataclass(frozen=True, slots=True)
class _Asked:
    issue: Issue
    address: Address


class _Resolving:
    """One run over the addresses of a study."""

    def __init__(self, study: Study, report: Report) -> None:
        self._study = study
        self._report = report
        self._done = 0
        self._total = listed_only(study.pk).count()
        self.counts: dict[str, int] = {}
        self.troubles: list[tuple[str, str]] = []

    def ask(self, forge: str, host: str, base_url: str) -> None:
        """Ask one forge about its addresses."""
        tokens = [token for _pk, token in tokens_of(self._study.pk, host_of(base_url)).values()]
        dialect = dialect_of(forge, host, base_url)
        with asking_politely(self._study.pk, dialect, tokens, sleep=self._sleep) as client:
            for some in _batches(self._study.pk, host):
                try:
                    found = client.resolve([one.address for one in some])
                except (Paused, TokenRefused) as error:
                    self.troubles.append((host, str(error)))
                    return
                except ForgeError as error:
                    self.troubles.append((some[0].address.path, str(error)))
                else:
                    self._keep(dialect, some, found)
                self._done += len(some)
                self._tell()

    def _keep(self, dialect: Dialect, some: Sequence[_Asked], found: Mapping[Address, Resolved]) -> None:
        outcomes = _store(self._study.pk, dialect, [(one, found[one.address]) for one in some])
        for outcome in outcomes:
            self.counts[outcome] = self.counts.get(outcome, 0) + 1

    def _tell(self) -> None:
        self._report(self._done, max(self._total, self._done + 1), _("asking forges about addresses"))

    def _sleep(self, seconds: float) -> None:
        wait(seconds, self._tell)


def _batches(study_id: int, host: str) -> Iterator[list[_Asked]]:
    """The addresses on a host in the order of their ids, read as they are asked for."""
    after = 0
    rows = listed_only(study_id).filter(repository__host=host).select_related("repository").order_by("pk")
    while some := list(rows.filter(pk__gt=after)[:AT_ONCE]):
        after = some[-1].pk
        yield [_Asked(issue, _address(issue)) for issue in some]


def _address(issue: Issue) -> Address:
    kind: Kind = "pull_request" if issue.number.startswith("!") else "issue"
    repository = issue.repository
    return Address(repository.forge, repository.host, repository.path, issue.number, kind)


@retried
@transaction.atomic
def _store(study_id: int, dialect: Dialect, found: Sequence[tuple[_Asked, Resolved]]) -> list[str]:
    """Store what the addresses are; return the outcome of each."""
    drafts = []
    for asked, one in found:
        issue = asked.issue
        fate = {"transferred": Issue.Fate.TRANSFERRED, "gone": Issue.Fate.GONE}.get(one.outcome, "")
        moved_to = one.url[:500] if one.outcome == "transferred" else ""
        Issue.objects.filter(pk=issue.pk).update(resolved_at=clock.now(), fate=fate, moved_to=moved_to)
        if one.record is not None:
            try:
                draft = dialect.draft(one.record)
            except Refused:
                continue
            # A text that is elsewhere now is still that of this address.
            drafts.append(replace(draft, address=asked.address, line=0))
    if drafts:
        placed = chunks.place(study_id, None, drafts)
        chunks.store_texts(placed, frozenset(dialect.mapping()), keeps_current=True)
    return [one.outcome for _asked, one in found]
