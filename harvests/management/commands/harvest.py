"""Harvest issues from forges."""

import os
from argparse import ArgumentParser
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from core import clock, jobs
from core.errors import DomainError
from core.fetch.answers import Secret
from core.models import Job
from harvests import actions
from harvests.errors import HarvestFetched
from harvests.models import Harvest
from harvests.queries.forge_clients import RepositoryAsked, host_of, tokens_of
from harvests.queries.query_text import query_text
from harvests.queries.reports import flow_of
from ingest.forges.naming import Named, read_names
from ingest.models import KeywordList
from ingest.terminal import account, progress_bar
from studies.models import Study

ROWS = {
    "listed": "listed by the forges",
    "outside": "opened outside the window",
    "in_window": "opened in the window",
    "pull_requests": "pull requests, left out",
    "vanished": "no longer on the forge",
    "refused": "cannot be stored",
    "issues": "issues",
    "unmatched": "no keyword",
    "path_only": "keywords only in addresses, paths or names",
    "matched": "matched",
    "by_hand": "kept by a lead",
    "kept_earlier": "kept by an earlier selection",
    "kept": "kept",
}


class Command(BaseCommand):
    help = (
        "Harvest issues of GitHub and Gitee: repositories, a window of days, keyword lists. The same command"
        " again goes on with what was cut off. Ctrl+C pauses; nothing fetched is lost."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--study", required=True, metavar="SLUG")
        parser.add_argument(
            "--repository", action="append", default=[], metavar="FORGE:OWNER/NAME",
            help="github:owner/name, gitee:owner/name or any address; may be repeated",
        )  # fmt: skip
        parser.add_argument(
            "--base-url", metavar="URL", help="of the REST interface, if it is not the usual one of the host"
        )
        parser.add_argument("--from", dest="first", type=_day, metavar="DATE", help="first day, 2024-01-31")
        parser.add_argument("--before", type=_day, metavar="DATE", help="the day after the last one")
        parser.add_argument("--zone", default="UTC", help="in which these days begin, such as Asia/Shanghai")
        parser.add_argument(
            "--list", action="append", default=[], metavar="NAME", help="of keywords; may be repeated"
        )
        parser.add_argument("--no-comments", action="store_true")
        parser.add_argument("--with-pull-requests", action="store_true")
        parser.add_argument(
            "--token-env", metavar="NAME",
            help="environment variable with a token; it is kept encrypted in the study, for the hosts asked",
        )  # fmt: skip
        parser.add_argument("--budget", type=int, metavar="SECONDS", help="pause after this time")
        parser.add_argument("--owner", metavar="EMAIL", help="in whose name")
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--resume", type=int, metavar="ID", help="go on with this harvest")
        which.add_argument("--refresh", type=int, metavar="ID", help="fetch what changed since this harvest")

    def handle(self, *args: Any, **options: Any) -> None:
        study = _study(options["study"])
        owner = account(options["owner"]) if options["owner"] is not None else None
        try:
            harvest = self._harvest(study, owner, options)
            self._keep_token(study, harvest, owner, options["token_env"])
            self._run(harvest, owner)
        except HarvestFetched:
            self._report(harvest)
            self.stdout.write(f"Nothing was fetched: --refresh {harvest.pk} fetches what changed since.")
        except DomainError as error:
            raise CommandError(str(error.message)) from error

    def _harvest(self, study: Study, owner: User | None, options: dict[str, Any]) -> Harvest:
        """The harvest that the options name, or that they plan; the same plan again is the same harvest."""
        given = options["resume"] or options["refresh"]
        if given:
            if options["repository"]:
                raise CommandError("A harvest has its repositories: leave --repository out.")
            found = Harvest.objects.filter(run__study=study, pk=given).first()
            if found is None:
                raise CommandError(f"The study has no harvest {given}.")
            if options["resume"]:
                return found
            refresh = actions.refresh_harvest(harvest=found, by=owner, rings=False)
            self.stdout.write(f"Harvest {refresh.pk} refreshes harvest {found.pk}.")
            return refresh
        plan = _plan(study, options)
        former = _same(study, plan)
        if former:
            self.stdout.write(f"Harvest {former.pk} has the same plan.")
            return former
        harvest = actions.plan_harvest(study=study, by=owner, **plan)
        self.stdout.write(f"Harvest {harvest.pk}: {harvest.run.name}. --resume {harvest.pk} goes on with it.")
        return harvest

    def _keep_token(self, study: Study, harvest: Harvest, owner: User | None, variable: str | None) -> None:
        if not variable:
            return
        text = os.environ.get(variable, "").strip()
        if not text:
            raise CommandError(f"The environment variable {variable} is not set.")
        for base_url in (
            harvest.repositories.values_list("base_url", flat=True).distinct().order_by("base_url")
        ):
            host = host_of(base_url)
            kept = {token.secret for _pk, token in tokens_of(study.pk, host).values()}
            if not any(secret == _secret(text) for secret in kept):
                actions.add_token(study=study, host=host, text=text, name=variable, by=owner)
                self.stdout.write(f"The token of {variable} is kept for {host}, encrypted.")

    def _run(self, harvest: Harvest, owner: User | None) -> None:
        job = self._job(harvest, owner)
        with progress_bar() as watch:
            try:
                ended = jobs.run(job.pk, watch=watch)
            except KeyboardInterrupt:
                # Without this the sweeper would take the job for lost, and a worker would finish it.
                jobs.cancel(job)
                ended = jobs.run(job.pk)
        job = ended or Job.objects.get(pk=job.pk)
        harvest.refresh_from_db()
        if job.state == Job.State.CANCELLED:
            raise CommandError(f"Paused. --resume {harvest.pk} goes on at the next page.")
        if job.state != Job.State.DONE:
            raise CommandError(job.error or f"The harvest is {job.get_state_display()}.")
        if harvest.resume_at:
            self._pause(harvest, job)
        else:
            self._report(harvest)

    def _job(self, harvest: Harvest, owner: User | None) -> Job:
        """The job to run here: of a refresh the one that was planned with it."""
        harvest.run.refresh_from_db()
        job = harvest.run.job
        if job and job.state == Job.State.QUEUED and harvest.refreshes_id:
            return job
        return actions.start_harvest(harvest=harvest, by=owner, rings=False)

    def _pause(self, harvest: Harvest, job: Job) -> None:
        why = "The time is used up" if job.result.get("paused") == "budget" else "The forge asks to wait"
        wait = harvest.resume_at - clock.now() if harvest.resume_at else timedelta()
        when = f" until {harvest.resume_at:%Y-%m-%d %H:%M:%S} UTC" if wait > timedelta(seconds=1) else ""
        self.stdout.write(
            f"{why}: paused{when}. A running server goes on by itself then; so does --resume {harvest.pk}."
        )

    def _report(self, harvest: Harvest) -> None:
        rows = list((harvest.refreshes or harvest).repositories.order_by("position"))
        total, _each = flow_of(rows)
        numbers = total.as_json()
        for name, words in ROWS.items():
            if numbers[name] or name in {"listed", "issues", "kept"}:
                self.stdout.write(f"{numbers[name]:>9,} {words}")
        if harvest.refreshes_id:
            counts = harvest.run.counts
            told = ", ".join(f"{counts.get(name, 0):,} {name}" for name in ("new", "changed", "unchanged"))
            self.stdout.write(f"Refreshed: {told}.")
        for row in harvest.repositories.order_by("position"):
            line = f"{row.moved_to or row.path}: {row.get_outcome_display()}"
            self.stdout.write(f"{line}. {row.trouble}".strip() if row.trouble else f"{line}.")
        self.stdout.write(query_text(harvest))


def _day(text: str) -> date:
    return date.fromisoformat(text)


def _secret(text: str) -> Secret | None:
    try:
        return Secret(text)
    except ValueError:
        return None


def _study(slug: str) -> Study:
    found = Study.objects.filter(slug=slug).first()
    if found is None:
        slugs = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"There is no study {slug!r} (there are: {slugs}).")
    return found


def _plan(study: Study, options: dict[str, Any]) -> dict[str, Any]:
    """What the options plan, as arguments of plan_harvest."""
    try:
        zone = ZoneInfo(options["zone"])
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise CommandError(f"{options['zone']!r} is no time zone.") from None
    named = [_named(text) for text in options["repository"]]
    if not named:
        raise CommandError("Name at least one --repository, or a harvest with --resume or --refresh.")
    return {
        "repositories": [
            RepositoryAsked(one.forge, one.host, one.path, options["base_url"] or one.base_url)
            for one in named
        ],
        "opened_from": options["first"] and datetime.combine(options["first"], time.min, zone),
        "opened_before": options["before"] and datetime.combine(options["before"], time.min, zone),
        "zone": options["zone"],
        "with_pull_requests": options["with_pull_requests"],
        "with_comments": not options["no_comments"],
        "lists": [_list(study, name) for name in options["list"]],
        "budget": options["budget"],
    }


def _named(text: str) -> Named:
    """A repository as the option names it: github:owner/name, gitee:owner/name, or an address."""
    forge, colon, path = text.partition(":")
    given = f"https://{forge}.com/{path}" if colon and forge in {"github", "gitee"} else text
    named, bad = read_names(given)
    if bad or len(named) != 1:
        raise CommandError(
            f"{text!r} names no repository: github:owner/name, gitee:owner/name or an address."
        )
    return named[0]


def _list(study: Study, name: str) -> KeywordList:
    lists = KeywordList.objects.filter(study=study, retired_at=None)
    found = lists.filter(name__iexact=name).first()
    if found is None:
        names = ", ".join(lists.order_by("name").values_list("name", flat=True)) or "none yet"
        raise CommandError(f"There is no keyword list {name!r} (there are: {names}).")
    return found


def _same(study: Study, plan: dict[str, Any]) -> Harvest | None:
    """The harvest that was planned like this before: the command was cut off, or is repeated."""
    fields = {
        name: plan[name]
        for name in ("opened_from", "opened_before", "zone", "with_pull_requests", "with_comments")
    }
    wanted = sorted((asked.identity, asked.base) for asked in plan["repositories"])
    lists = {one.pk for one in plan["lists"]}
    for harvest in Harvest.objects.filter(run__study=study, refreshes=None, **fields).order_by("-pk"):
        rows = harvest.repositories.values_list("host", "path", "base_url")
        asked = sorted((f"{host}/{path}".lower(), base) for host, path, base in rows)
        if asked == wanted and set(harvest.lists.values_list("pk", flat=True)) == lists:
            return harvest
    return None
