"""What is on the forges: repositories with issues, pull requests and comments, the same in every run."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.forges.clock import Clock

_WORDS = "loss kernel gradient tensor rank hang deadlock NCCL allreduce OOM shard checkpoint pipeline 算子 编译 精度 显存 超时".split()
_PEOPLE = ["ada", "grace", "linus-t", "mei", "dependabot[bot]", "zhang_san"]
_ASSOCIATIONS = ["NONE", "CONTRIBUTOR", "MEMBER", "COLLABORATOR"]
_GITEE_STATES = ("open", "progressing", "closed", "rejected")
_PULL_STATES = ("open", "closed", "merged")
_PULLS = {"issues": False, "pulls": True, "both": None}


@dataclass
class Comment:
    id: int
    number: str
    body: str
    author: str
    association: str
    created_at: datetime
    updated_at: datetime


@dataclass
class Issue:
    """An issue or pull request. `gone` is "", "deleted", or where it was transferred to: "owner/name#12"."""

    id: int
    number: str
    title: str
    body: str | None
    author: str
    association: str
    labels: list[str]
    state: str
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None = None
    state_reason: str | None = None
    is_pull_request: bool = False
    gone: str = ""


@dataclass
class Repository:
    """`status` other than 200 is what all its addresses answer; `was` are paths that lead here by a redirect."""

    forge: str
    path: str
    id: int
    clock: Clock
    issues: dict[str, Issue] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    status: int = 200
    was: set[str] = field(default_factory=set)
    _last_id: int = 0
    _by_issue: dict[str, list[Comment]] = field(default_factory=dict)
    _listed: dict[str, list[Any]] = field(default_factory=dict)

    # What is true

    def listed(self, what: str) -> list[Any]:
        """All that exists of `what` (issues, pulls, both or comments), in order of creation."""
        if what not in self._listed:
            rows: Iterable[Any] = (
                self.comments.values() if what == "comments" else self.truth(pulls=_PULLS[what]).values()
            )
            self._listed[what] = sorted(rows, key=lambda row: (row.created_at, row.id))
        return self._listed[what]

    def standing(self, *, pulls: bool) -> dict[str, Issue]:
        """The issues, or the pull requests, that exist now, by number."""
        return {
            issue.number: issue
            for issue in self.issues.values()
            if not issue.gone and issue.is_pull_request == pulls
        }

    def truth(
        self, start: datetime | None = None, end: datetime | None = None, *, pulls: bool | None = None
    ) -> dict[str, Issue]:
        """What a harvest of the window must have, by number: issues, pull requests (`pulls` True), or both (None)."""
        return {
            number: issue
            for kind in ([False, True] if pulls is None else [pulls])
            for number, issue in self.standing(pulls=kind).items()
            if (start is None or start <= issue.created_at) and (end is None or issue.created_at < end)
        }

    def comments_of(self, number: str) -> list[Comment]:
        return sorted(self._by_issue.get(number, []), key=lambda comment: (comment.created_at, comment.id))

    # What happens

    def add(
        self, *, pull: bool = False, at: datetime | None = None, body: str | None = None, comments: int = 0
    ) -> Issue:
        at = at or self.clock.now()
        nth = len(self.issues) + 1
        states = (
            ["open", "closed"] if self.forge == "github" else [*_PULL_STATES] if pull else [*_GITEE_STATES]
        )
        state = states[nth % len(states)]
        closed = state not in {"open", "progressing"}
        issue = Issue(
            id=self._next_id(),
            number=self._number(nth, pull=pull),
            title=f"{_WORDS[nth % len(_WORDS)]} fails in step {nth}",
            body=_body(nth) if body is None else body,
            author=_PEOPLE[nth % len(_PEOPLE)],
            association=_ASSOCIATIONS[nth % len(_ASSOCIATIONS)],
            labels=["bug", f"part/{nth % 7}"][: nth % 3],
            state=state,
            created_at=at,
            updated_at=at + timedelta(hours=3) if closed else at,
            closed_at=at + timedelta(hours=3) if closed else None,
            state_reason=("completed", "not_planned")[nth % 2]
            if closed and self.forge == "github" and not pull
            else None,
            is_pull_request=pull,
        )
        self.issues[issue.number] = issue
        self._listed.clear()
        for n in range(comments):
            self.comment(issue.number, at=at + timedelta(minutes=n + 1))
        return issue

    def _next_id(self) -> int:
        self._last_id = (self._last_id or 2_500_000_000 + self.id * 1_000_000) + 1
        return self._last_id

    def _number(self, nth: int, *, pull: bool) -> str:
        if self.forge == "github":
            return str(nth)
        if pull:
            return f"!{1 + sum(issue.is_pull_request for issue in self.issues.values())}"
        return "I" + _base36(8_000_000 + nth * 37)

    def comment(self, number: str, body: str | None = None, at: datetime | None = None) -> Comment:
        at = at or self.clock.now()
        nth = len(self.comments) + 1
        comment = Comment(
            self._next_id(), number, body or f"The same with rank {nth}.\r\n> {_WORDS[nth % len(_WORDS)]}",
            _PEOPLE[nth % len(_PEOPLE)], _ASSOCIATIONS[nth % len(_ASSOCIATIONS)], at, at,
        )  # fmt: skip
        self.comments[comment.id] = comment
        self._by_issue.setdefault(number, []).append(comment)
        self._listed.clear()
        self.issues[number].updated_at = max(at, self.issues[number].updated_at)
        return comment

    def edit(self, number: str, body: str) -> None:
        self.issues[number].body = body
        self.issues[number].updated_at = self.clock.now()

    def delete(self, number: str, to: str = "deleted") -> None:
        """Deletes an issue with its comments, or transfers it to `to`, such as owner/name#12."""
        self.issues[number].gone = to
        for comment in self._by_issue.pop(number, []):
            del self.comments[comment.id]
        self._listed.clear()


def filled(
    forge: str,
    path: str,
    number: int,
    clock: Clock,
    *,
    issues: int,
    comments: int,
    pulls_every: int,
    start: datetime,
    step: timedelta,
) -> Repository:
    """A repository with `issues` issues; after every `pulls_every` of them a pull request; `comments` is the most on one."""
    repository = Repository(forge, path, number, clock)
    at = start
    for nth in range(1, issues + 1):
        repository.add(at=at, comments=nth % (comments + 1))
        at += step
        if pulls_every and nth % pulls_every == 0:
            repository.add(pull=True, at=at, comments=min(1, comments))
            at += step
    return repository


def _body(nth: int) -> str | None:
    if nth % 11 == 0:
        return None
    text = f"### Describe the bug\r\nStep {nth} of {_WORDS[nth % 13]} ends with `{_WORDS[nth % 7]}`.\r\n"
    return text * (1 + nth % 5) + ("\u0000" if nth % 97 == 0 else "")


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[digit] + digits
    return digits


START = datetime(2024, 1, 1, tzinfo=UTC)
