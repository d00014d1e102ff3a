"""The progress bar and the account of the commands that load files."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from accounts.models import User


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int | None, str], None]]:
    """Yields a function that reports progress; draws nothing without a terminal."""
    told = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    timed = (TextColumn("{task.fields[rate]}"), TimeElapsedColumn(), TimeRemainingColumn())
    console, is_terminal = Console(stderr=True), sys.stderr.isatty()
    with Progress(*told, *timed, disable=not is_terminal, transient=True, console=console) as bar:
        task = bar.add_task("starting", total=None, rate="")

        def tell(done: int, total: int | None, step: str) -> None:
            speed = bar.tasks[0].speed
            rate = f"{speed:,.0f}/s" if speed else ""
            bar.update(task, completed=done, total=total, description=step or "done", rate=rate)

        yield tell


def account(email: str) -> User:
    try:
        return User.objects.get_by_natural_key(email)
    except User.DoesNotExist as error:
        raise CommandError(f"No account has the address {email}.") from error
