"""The content of a replication package in numbers, counted without writing the package."""

from collections import Counter
from dataclasses import dataclass, field

from django.db.models import Count, QuerySet

from annotate.models import Repeat
from consensus.models import Decision
from consensus.queries.agendas import standing_decisions
from ingest.models import Repository, Source
from reports.queries.frozen import package_files
from rounds.models import Round, RoundIssue
from rounds.queries.blindness import NOTHING, WithheldIssues, keeps_frozen
from rounds.queries.coached import coached_issues
from rounds.queries.rounds import current_labels, revealed, revealed_labels
from studies.models import Event, Membership
from taxonomy.models import CategoryState


@dataclass
class Folder:
    """One folder of the package: its repositories, its number of label rows, its lists with their lengths."""

    name: str
    repositories: list[Repository]
    rows: int
    lists: list[tuple[str, int]] = field(default_factory=list)


@dataclass(frozen=True)
class Contents:
    """A package in numbers: folders, rows of the long layout (`labels`), categories, and warnings.

    `issues` are in the round, `revealed` of them go into the package, `undecided` of these have no decision,
    `unlabelled` lack labels (the round closed early), `open_labels` count but have no category, `surplus`
    labels are only in the long layout, `decisions` counts superseded ones, too, and `twice` counts second
    labels of the drift check. `withheld` issues are withheld from the reader and in no other number.
    Volunteers were coached on `coached` of the complete issues. `reports` are the files of all frozen
    reports; none if any issue is withheld.
    """

    folders: list[Folder]
    labels: int
    surplus: int
    categories: int
    issues: int
    revealed: int
    undecided: int
    unlabelled: int
    open_labels: int
    twice: int
    decisions: int = 0
    withheld: int = 0
    coached: int = 0
    reports: tuple[str, ...] = ()

    @property
    def hidden(self) -> int:
        return self.issues - self.revealed


def contents(round_: Round, blind: WithheldIssues = NOTHING, member: Membership | None = None) -> Contents:
    """Count what `write_package` would write now, without the issues withheld from this member.

    Fourteen queries at most for any size of round, and two more if issues can be withheld.
    """
    shown = revealed(round_).exclude(pk__in=blind.values("pk"))
    kept = blind.values("issue")
    labels = revealed_labels(round_).exclude(issue__in=kept)
    count, withheld = shown.count(), blind.count()
    return Contents(
        folders=_folders(round_, shown),
        labels=labels.count(),
        surplus=labels.filter(assignment=None).count(),
        categories=CategoryState.objects.filter(version=round_.version_id).count(),
        issues=RoundIssue.objects.filter(round=round_).count() - withheld,
        revealed=count,
        undecided=count - standing_decisions(round_).exclude(issue__in=kept).count(),
        unlabelled=shown.filter(completed_at=None).count(),
        open_labels=current_labels(round_).filter(category=None).exclude(issue__in=kept).count(),
        twice=Repeat.objects.filter(
            round=round_, submitted_at__isnull=False, issue__in=shown.values("issue")
        ).count(),
        decisions=Decision.objects.filter(round=round_, issue__in=shown.values("issue")).count(),
        withheld=withheld,
        coached=coached_issues(round_).filter(pk__in=shown.values("pk"), completed_at__isnull=False).count(),
        reports=() if withheld or keeps_frozen(round_, member).exists() else tuple(package_files(round_)),
    )


def own_packages(round_: Round, member: Membership | None, *, limit: int = 5) -> list[Event]:
    """The member's own downloads of packages of this round, newest first, with the hash of the manifest. One
    query.
    """
    if member is None:
        return []
    sent = Event.objects.filter(
        study=round_.study_id,
        by=member.user_id,
        verb="exports.downloaded",
        detail__round=round_.name,
        detail__has_key="manifest_sha256",
    )
    return list(sent.order_by("-pk")[:limit])


def folders_of(round_: Round) -> dict[str, list[Repository]]:
    """The repositories of the round's issues, by their folder in the package."""
    used = RoundIssue.objects.filter(round=round_).values("issue__repository")
    folders: dict[str, list[Repository]] = {}
    for repository in Repository.objects.filter(study=round_.study_id, pk__in=used).order_by("pk"):
        folders.setdefault(repository.folder, []).append(repository)
    return folders


def _folders(round_: Round, shown: QuerySet[RoundIssue]) -> list[Folder]:
    """The folders; for repositories without lists, the package lists the revealed issues by year."""
    rows = dict(shown.order_by().values_list("issue__repository").annotate(n=Count("*")))
    folders = {
        name: Folder(name, repositories, sum(rows.get(one.pk, 0) for one in repositories))
        for name, repositories in folders_of(round_).items()
    }
    of = {repository.pk: folder for folder in folders.values() for repository in folder.repositories}
    sources = Source.objects.filter(repository__in=of).order_by("name")
    for source in sources.annotate(lines=Count("entries")):
        of[source.repository_id].lists.append((source.name, source.lines))
    without = {id_: folder for id_, folder in of.items() if not folder.lists}
    issues = shown.filter(issue__repository__in=without, issue__year__isnull=False).order_by()
    years: Counter[tuple[str, int]] = Counter()
    for id_, year, count in issues.values_list("issue__repository", "issue__year").annotate(n=Count("*")):
        years[without[id_].name, year] += count
    for (name, year), count in sorted(years.items()):
        folders[name].lists.append((f"{name}_{year}.txt", count))
    return list(folders.values())
