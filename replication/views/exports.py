"""The export page: the replication package and its files, with checks and commands for REST."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from consensus.rules import may_settle
from core.http import render_page, require
from core.templatetags.crosscheck import count
from findings.queries.archiving import QuotesLeftOut, quotes_left_out
from ingest.models import Repository
from replication.croissant import NAME as CROISSANT
from replication.package import ITS_HASH, LOADER, MANIFEST, RANKING_ANSWERS, RANKINGS, SCRIPTS
from replication.queries.exports import Contents, contents, own_packages
from replication.queries.packages import kept_packages, kept_until
from reports.actions.exports import note_download
from reports.exports import labels_csv
from reports.file_responses import stored_as
from reports.formats.files import named_for
from rounds.models import Round
from rounds.queries.blindness import withheld_issues
from rounds.queries.rounds import current_round, rounds_for
from studies.models import Membership, Study
from studies.pages import study_of, works_when_read_only
from studies.rules import may_lead, may_read_revealed


@require_safe
def export(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the content of a round's package, its checks and its files; `?round=` chooses the round."""
    study, member = _study(request, slug)
    rounds = list(_rounds(request, study))
    round_ = _chosen(rounds, request.GET.get("round", ""))
    context: dict[str, Any] = {"study": study, "membership": member, "rounds": rounds, "chosen": round_}
    context["checks_integrity"] = may_lead(member)
    if round_:
        found = contents(round_, withheld_issues(round_, member), member)
        files = _files(request, round_, found)
        context |= {
            "found": found,
            "checks": _checks(
                round_, found, quotes_left_out(study, member), settles=may_settle(member, round_)
            ),
            "files": files,
            "package_lines": _package_lines(request, round_),
            "packages": own_packages(round_, member),
            "kept": [(job, kept_until(job)) for job in kept_packages(round_, member)] if member else [],
            "certain": sum(not one.if_any for one in files),
        }
    return render_page(request, "replication/export.html", context)


@works_when_read_only
@require_POST
def download(request: AuthedRequest, slug: str) -> HttpResponseBase:
    """Send one file of a round and record it in the audit: a POST, since the audit is a change."""
    study, member = _study(request, slug)
    round_ = _chosen(list(_rounds(request, study)), request.POST.get("round", ""))
    if round_ is None or member is None:
        raise Http404
    blind = withheld_issues(round_, member)
    name = request.POST.get("file", "")
    if name == "long":
        chunks, file = labels_csv(round_, layout="long", blind=blind), named_for(round_, "-labels-long.csv")
    elif name == "wide":
        folder = request.POST.get("folder", "").replace("\0", "?")
        repositories = list(Repository.objects.filter(study=study, folder=folder))
        if not repositories:
            raise Http404
        chunks = labels_csv(round_, repositories=repositories, blind=blind)
        file = named_for(round_, f"-{slugify(folder) or repositories[0].pk}.csv")
    else:
        raise Http404
    note_download(round_=round_, by=member, file=file)
    headers = stored_as(file, blind.count())
    return StreamingHttpResponse(chunks, content_type="text/csv; charset=utf-8", headers=headers)


def _study(request: AuthedRequest, slug: str) -> tuple[Study, Membership | None]:
    study, member = study_of(request, slug)
    require(may_read_revealed(member))
    return study, member


def _rounds(request: AuthedRequest, study: Study) -> Any:
    opened = rounds_for(request.user).filter(study=study, opened_at__isnull=False)
    return opened.order_by("-opened_at", "-pk")


def _chosen(rounds: list[Round], text: str) -> Round | None:
    """The round with this id, else the current round; None if the study has opened no round."""
    if not text:
        return current_round(rounds)
    found = next((round_ for round_ in rounds if str(round_.pk) == text), None)
    if found is None:
        raise Http404
    return found


# --- the texts of the page


@dataclass(frozen=True)
class Check:
    """A fact to know before the package is passed on; `is_fine`: there is nothing to do."""

    is_fine: bool
    text: str
    url: str = ""
    action: str = ""


def _archived(quotes: QuotesLeftOut) -> list[Check]:
    """Quotes of findings that the package leaves out."""
    left = quotes.quoting + quotes.archiving
    if not left:
        return []
    text = ngettext(
        "%(n)s quote of the findings is left out: the participant does not permit quoting and archiving.",
        "%(n)s quotes of the findings are left out: the participants do not permit quoting and archiving.",
        left,
    )
    return [Check(False, text % {"n": count(left)})]


def _checks(round_: Round, found: Contents, quotes: QuotesLeftOut, *, settles: bool) -> list[Check]:
    """What is complete and what is missing in the package; `settles`: the reader may settle issues."""
    return [
        Check(True, _("All %(n)s issues are revealed.") % {"n": count(found.issues)})
        if not found.hidden
        else Check(
            False,
            ngettext(
                "%(n)s of %(all)s issues is not revealed yet. The package leaves this issue out.",
                "%(n)s of %(all)s issues are not revealed yet. The package leaves these issues out.",
                found.hidden,
            )
            % {"n": count(found.hidden), "all": count(found.issues)},
            reverse("round", args=[round_.pk]),
            _("Show round"),
        ),
        *_withheld(found),
        *_coached(found),
        *_archived(quotes),
        Check(True, _("Every revealed issue has all of its labels."))
        if not found.unlabelled
        else Check(
            False,
            ngettext(
                "%(n)s revealed issue lacks labels. The cells of missing labels are empty.",
                "%(n)s revealed issues lack labels. The cells of missing labels are empty.",
                found.unlabelled,
            )
            % {"n": count(found.unlabelled)},
        ),
        *_open_labels(found),
        Check(True, _("Every revealed issue has a decision."))
        if not found.undecided
        else Check(
            False,
            ngettext(
                "%(n)s revealed issue has no decision. Its Final_Label is empty.",
                "%(n)s revealed issues have no decision. Their Final_Label is empty.",
                found.undecided,
            )
            % {"n": count(found.undecided)},
            reverse("disagreements", args=[round_.pk]) if settles else "",
            _("Show disagreements") if settles else "",
        ),
        Check(True, _("The round is closed, so a later package has the same labels."))
        if round_.closed_at
        else Check(False, _("The round is open, so a later package may have more labels.")),
        *_surplus(found),
    ]


def _open_labels(found: Contents) -> list[Check]:
    if not found.open_labels:
        return []
    text = ngettext(
        "%(n)s label has no category: its author proposed a name, or its category ended. Its cell is empty.",
        "%(n)s labels have no category: their authors proposed names, or their categories ended."
        " Their cells are empty.",
        found.open_labels,
    )
    return [Check(False, text % {"n": count(found.open_labels)})]


def _withheld(found: Contents) -> list[Check]:
    if not found.withheld:
        return []
    text = ngettext(
        "%(n)s issue is hidden until you label it in another round. No file has this issue.",
        "%(n)s issues are hidden until you label them in another round. No file has these issues.",
        found.withheld,
    )
    return [Check(False, text % {"n": count(found.withheld)})]


def _coached(found: Contents) -> list[Check]:
    if not found.coached:
        return []
    text = ngettext(
        "%(n)s issue was in a pilot or training before. coached.csv lists this issue.",
        "%(n)s issues were in a pilot or training before. coached.csv lists these issues.",
        found.coached,
    )
    return [Check(False, text % {"n": count(found.coached)})]


def _surplus(found: Contents) -> list[Check]:
    if not found.surplus:
        return []
    text = ngettext(
        "%(n)s surplus label is in labels_long.csv only, and is marked there.",
        "%(n)s surplus labels are in labels_long.csv only, and are marked there.",
        found.surplus,
    )
    return [Check(True, text % {"n": count(found.surplus)})]


@dataclass(frozen=True)
class File:
    """One file of the package. `rows` is None for files without rows; `file` is its name for `download`. With
    `if_any` the package has it, or several, only where the study has anything of the kind.
    """

    name: str
    what: str
    rows: int | None
    file: str = ""
    folder: str = ""
    curl: tuple[str, ...] = ()
    if_any: bool = False


def _package_lines(request: AuthedRequest, round_: Round) -> list[str]:
    """How a program asks for the package, follows and downloads it; JOB is the `id` of the first answer."""
    address = request.build_absolute_uri(reverse("api_packages", args=[round_.pk]))
    curl = 'curl -fsS -H "Authorization: Token $CROSSCHECK_TOKEN"'
    return [
        f'{curl} -X POST "{address}"',
        f'{curl} "{address}$JOB/"',
        f'{curl} -OJ "{address}$JOB/content/"',
    ]


def _files(request: AuthedRequest, round_: Round, found: Contents) -> list[File]:
    address = request.build_absolute_uri(reverse("api_labels_csv", args=[round_.study.slug]))

    def curl(file: str, **query: str) -> str:
        header = "Authorization: Token $CROSSCHECK_TOKEN"
        chosen = urlencode({"round": round_.name, **query}, safe="/")
        return f"curl -fsS -H \"{header}\" -o {file} '{address}?{chosen}'"

    files = []
    for folder in found.folders:
        lines = tuple(
            curl(f"{slugify(folder.name) or repository.pk}.csv", repository=repository.path, layout="wide")
            for repository in folder.repositories
        )
        what = _("labels of %(repository)s, one row per issue") % {
            "repository": ", ".join(repository.path for repository in folder.repositories)
        }
        files.append(File(f"{folder.name}/{folder.name}.csv", what, folder.rows, "wide", folder.name, lines))
        files += [
            File(f"{folder.name}/{name}", _("addresses of issues, in their original order"), rows)
            for name, rows in folder.lists
        ]
    return [
        *files,
        File("taxonomy.csv", _("the categories with their definitions"), found.categories),
        File(
            "labels_long.csv",
            _("one row per label, with volunteer, summary and time"),
            found.labels,
            "long",
            curl=(curl("labels_long.csv", layout="long"),),
        ),
        File(
            "issues.csv",
            _("one row per issue, with its decision and the time of its last label"),
            found.revealed,
        ),
        File(
            "decisions.csv",
            _("every decision with its method, cause and rationale, also the superseded ones"),
            found.decisions,
        ),
        File("labels_twice.csv", _("second labels of the drift check, beside the first labels"), found.twice),
        File(
            "probable.csv",
            _("the most probable category of each issue, by models of erring raters"),
            None,
            if_any=True,
        ),
        File(
            "probable_confusion.csv", _("the most probable confusions of each volunteer"), None, if_any=True
        ),
        File("labels_of_models.csv", _("labels of models, if there are any"), None, if_any=True),
        File("ballots.csv", _("last ballots on issues of meetings, if there are any"), None, if_any=True),
        File("votes.csv", _("every ballot of closed votes, if there are any"), None, if_any=True),
        File("minutes/…", _("minutes of closed meetings, if there are any"), None, if_any=True),
        File("weights/…", _("the study’s own weights of categories, if there are any"), None, if_any=True),
        File("guidelines/…", _("each version of the guideline, if there is one"), None, if_any=True),
        File(
            "labels_second_look.csv",
            _("labels given again after the reveal, if there are any"),
            None,
            if_any=True,
        ),
        File(
            "false_positives.csv",
            _("issues that a screening excluded, if there was a screening"),
            None,
            if_any=True,
        ),
        *(
            [
                File(
                    "coached.csv",
                    _("issues that volunteers were coached on, with the pilot or training"),
                    None,
                )
            ]
            if found.coached
            else []
        ),
        File(
            "rounds/…",
            _("labels and issues of the other rounds in the report, if there are any"),
            None,
            if_any=True,
        ),
        File(
            "not_counted/…",
            _("labels that no number counts: of trainings, and of rounds with another taxonomy"),
            None,
            if_any=True,
        ),
        File("codebook.md", _("the categories as prose"), None),
        File("keywords.csv", _("every version of the keyword lists, if there are any"), None, if_any=True),
        File("harvests/…", _("what was asked of which forge, if issues were harvested"), None, if_any=True),
        File("samples/…", _("plan, seed and frame of each sample, if there are any"), None, if_any=True),
        File("comments.csv", _("comments on issues after the reveal, if there are any"), None, if_any=True),
        File("agreement.json", _("agreement report, by type, repository, month and round"), None),
        File(
            "findings/…",
            _("findings of the study with their evidence, if there are any"),
            None,
            if_any=True,
        ),
        File("checklist.md", _("what reviewers ask, each item with its state"), None),
        File("checklist.csv", _("the same as a table"), None),
        File("method.md", _("method section, made from the rows of the study"), None),
        File("method_numbers.csv", _("numbers of the method section, with the files that have them"), None),
        File("data_availability.md", _("section on the availability of data"), None),
        File("CITATION.cff", _("how to cite the package"), None),
        File(
            "interviews/coder_agreement.csv",
            _("agreement of the coders of interviews, if any interview is revealed"),
            None,
            if_any=True,
        ),
        File(
            RANKINGS,
            _("rankings of interviews in numbers, if participants ranked"),
            None,
            if_any=True,
        ),
        File(RANKING_ANSWERS, _("single answers behind these rankings, without names"), None, if_any=True),
        File("proposals.json", _("decided proposals for the taxonomy, if there are any"), None, if_any=True),
        *(File(name, _("frozen report, unchanged"), None) for name in found.reports),
        File("recompute.py", _("script that computes every number of the report from these files"), None),
        *(File(name, _("part of the script"), None) for name in SCRIPTS[1:] if name != LOADER),
        File(LOADER, _("reads the tables into pandas, with the same types everywhere"), None),
        File(CROISSANT, _("description of the files for machines (Croissant)"), None),
        File("requirements.txt", _("libraries of the script, with versions"), None),
        File("README.md", _("description of the files, and how to run the script"), None),
        File(MANIFEST, _("time, version of the taxonomy, SHA-256 of every file"), None),
        File(ITS_HASH, _("SHA-256 of manifest.json"), None),
    ]
