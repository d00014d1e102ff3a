"""The rounds of the demonstration study: screening, pilot, training, main, and two small open ones."""

from datetime import timedelta

from django.utils import timezone

from annotate.actions.decisions import settle_issue
from annotate.actions.demonstration.data import rows, told
from annotate.actions.demonstration.past import (
    SEED,
    Said,
    closed,
    decide_complete,
    evenings,
    opened,
    store_labels,
)
from annotate.actions.demonstration.story import Story, days_ago, moment
from annotate.actions.rounds import create_round
from annotate.actions.samples import draw_sample
from annotate.actions.terms import admit
from annotate.actions.training import comment, set_answer
from annotate.drift import comes_again
from annotate.models import Comment, Label, Repeat, Round, RoundVolunteer, Sample
from annotate.queries.samples import Frame
from annotate.queries.screening import kept_issues
from ingest.models import Issue
from taxonomy.models import Level, Proposal, Version
from taxonomy.queries import Codebook, codebook

SCREENING = "Screening"
PILOT = "Pilot"
TRAINING = "Training"
MAIN_ROUND = "Main round"
TO_TRY = "Two per issue, to try"
ONCE_MORE = "Once more, by sub-theme"
REPOSITORY_TO_TRY = "quillnet/lattice"

DAYS = 14
SCREENED_DAYS_AGO = 25
PILOTED_DAYS_AGO = 20
TRAINED_DAYS_AGO = 16
PASS_MARK = 75
DRIFT_PERCENT = 5
CHANGED_MIND_EVERY = 6


def screening(story: Story, version: Version) -> Round:
    """Everybody screens everything; what is not unanimous was talked over, and settled."""
    book = codebook(version)
    round_ = create_round(
        study=story.study,
        by=story.lead,
        name=SCREENING,
        kind=Round.Kind.SCREENING,
        version=version,
        depth=Level.TYPE,
        issues=Issue.objects.filter(repository__study=story.study).order_by("pk"),
        members=story.volunteers(),
        excludes=book.by_code["F"].category,
        seed=SEED + 2,
    )
    opened(round_, by=story.lead, at=moment(SCREENED_DAYS_AGO + 10, 9))
    given = {row["Issue_URL"]: row for row in rows("screening.csv")}
    said = {
        (url, f"R{number}"): Said(given[url][f"R{number}"] if url in given else "R")
        for url in story.issues()
        for number in range(1, 8)
    }
    store_labels(
        round_,
        said,
        book,
        today=days_ago(SCREENED_DAYS_AGO),
        days=8,
        guidelines=story.guidelines,
        seed=SEED + 20,
    )
    complete = decide_complete(round_)
    for row in given.values():
        if row["decision"]:
            settle_issue(
                round_=round_,
                issue=complete[row["Issue_URL"]].issue,
                by=story.lead,
                category=book.by_code[row["decision"]].category,
                rationale=row["rationale"],
                seen_number=0,
                decided_at=moment(SCREENED_DAYS_AGO, 17),
            )
    return closed(round_, by=story.lead, at=moment(SCREENED_DAYS_AGO, 18))


def pilot(story: Story, version: Version, kept: Round) -> Round:
    """The lead labels a sample of what was kept, alone."""
    sample = draw_sample(
        study=story.study,
        by=story.lead,
        name="Pilot sample",
        frame=Frame(f"kept:{kept.pk}", SCREENING),
        margin=0.3,
        seed=SEED,
    )
    Sample.objects.filter(pk=sample.pk).update(created_at=moment(PILOTED_DAYS_AGO + 4, 9))
    drawn = Issue.objects.filter(pk__in=sample.drawn.values("issue")).order_by("pk")
    round_ = create_round(
        study=story.study,
        by=story.lead,
        name=PILOT,
        kind=Round.Kind.PILOT,
        version=version,
        depth=Level.THEME,
        issues=drawn,
        members=[story.lead],
        seed=SEED + 3,
        selection={"source": f"sample:{sample.pk}", "name": sample.name},
    )
    opened(round_, by=story.lead, at=moment(PILOTED_DAYS_AGO + 4, 10))
    urls = set(drawn.values_list("url", flat=True))
    said = {
        (row["Issue_URL"], "R2"): Said(row["R2"], row["summary2"])
        for row in rows("labels.csv")
        if row["Issue_URL"] in urls
    }
    store_labels(
        round_,
        said,
        codebook(version),
        today=days_ago(PILOTED_DAYS_AGO),
        days=3,
        guidelines=story.guidelines,
        seed=SEED + 30,
    )
    decide_complete(round_)
    return closed(round_, by=story.lead, at=moment(PILOTED_DAYS_AGO, 9))


def training(story: Story, version: Version) -> Round:
    """Twelve issues with the lead's answers; all have passed, R7 by a hair."""
    book = codebook(version)
    given = list(rows("training.csv"))
    issues = story.issues()
    round_ = create_round(
        study=story.study,
        by=story.lead,
        name=TRAINING,
        kind=Round.Kind.TRAINING,
        version=version,
        depth=Level.THEME,
        issues=Issue.objects.filter(pk__in=[issues[row["Issue_URL"]].pk for row in given]).order_by("pk"),
        members=story.volunteers("R2"),
        pass_mark=PASS_MARK,
        seed=SEED + 4,
    )
    for row in given:
        set_answer(
            round_=round_,
            issue=issues[row["Issue_URL"]],
            category=book.by_code[row["category"]].category,
            explanation=row["explanation"],
            by=story.lead,
        )
    opened(round_, by=story.lead, at=moment(TRAINED_DAYS_AGO + 3, 9))
    said = {
        (row["Issue_URL"], member.pseudonym): Said(row[member.pseudonym])
        for row in given
        for member in story.volunteers("R2")
    }
    store_labels(
        round_,
        said,
        book,
        today=days_ago(TRAINED_DAYS_AGO),
        days=2,
        guidelines=story.guidelines,
        seed=SEED + 40,
    )
    decide_complete(round_)
    for row in rows("comments.csv"):
        said_by = story.members[row["volunteer"]]
        made = comment(round_=round_, issue=issues[row["Issue_URL"]], author=said_by, text=row["text"])
        Comment.objects.filter(pk=made.pk).update(said_at=moment(TRAINED_DAYS_AGO, 8))
    return closed(round_, by=story.lead, at=moment(TRAINED_DAYS_AGO, 9))


def main_round(story: Story, version: Version, kept: Round, passed: Round) -> Round:
    """Everyone labels everything that the screening kept; opened two weeks ago."""
    book = codebook(version)
    round_ = create_round(
        study=story.study,
        by=story.lead,
        name=MAIN_ROUND,
        version=version,
        depth=Level.THEME,
        issues=kept_issues(kept).order_by("pk"),
        members=story.volunteers(),
        training=passed,
        drift_percent=DRIFT_PERCENT,
        deadline=moment(-21, 20),
        seed=SEED,
        selection={"source": f"kept:{kept.pk}", "name": SCREENING},
    )
    admit(round_=round_, member=story.lead, by=story.members["R1"])
    opened(round_, by=story.lead, at=moment(DAYS + 1, 1))
    said = {
        (row["Issue_URL"], f"R{number}"): Said(row[f"R{number}"], row[f"summary{number}"])
        for row in rows("labels.csv")
        for number in range(1, 8)
        if row[f"R{number}"]
    }
    for row in rows("proposals.csv"):
        proposal = Proposal.objects.create(
            taxonomy=version.taxonomy,
            version=version,
            name=row["name"],
            proposed_by=story.members[row["volunteer"]],
        )
        said[row["Issue_URL"], row["volunteer"]] = Said(
            "", row["summary"], proposal, row["reason"], book.by_code[row["nearest"]].category_id
        )
    store_labels(
        round_,
        said,
        book,
        today=timezone.localdate(),
        days=DAYS,
        guidelines=story.guidelines,
        first={line["issue"] for line in told() if line["do"] == "turn"},
    )
    _settle(story, round_, book)
    _repeats(round_, book)
    return round_


def _settle(story: Story, round_: Round, book: Codebook) -> None:
    """Decide what is unanimous, then settle what the lead has settled so far, last night."""
    complete = decide_complete(round_)
    settled = [row for row in rows("labels.csv") if row["lead_decision"]]
    evening = evenings(len(settled), seed=SEED, today=timezone.localdate(), days=1)
    for row, at in zip(settled, evening, strict=True):
        place = complete[row["Issue_URL"]]
        if place.completed_at:
            settle_issue(
                round_=round_,
                issue=place.issue,
                by=story.lead,
                category=book.by_code[row["lead_decision"]].category,
                rationale=row["lead_rationale"],
                seen_number=0,
                decided_at=max(at, place.completed_at + timedelta(minutes=5)),
            )


def _repeats(round_: Round, book: Codebook) -> None:
    """The drift check so far: a day after its first label an issue came again, mostly to the same answer."""
    other = book.by_code["C.9"].category_id
    seeds = {one.member_id: one.seed for one in RoundVolunteer.objects.filter(round=round_)}
    latest = timezone.now() - timedelta(days=2)
    repeats = []
    for label in Label.objects.filter(round=round_, category__isnull=False).order_by("submitted_at"):
        if not comes_again(label.issue_id, seeds[label.volunteer_id], DRIFT_PERCENT):
            continue
        due_at = label.submitted_at + timedelta(hours=round_.drift_hours)
        if label.submitted_at > latest:
            repeats.append(
                Repeat(round=round_, issue_id=label.issue_id, volunteer_id=label.volunteer_id, due_at=due_at)
            )
            continue
        changed = len(repeats) % CHANGED_MIND_EVERY == CHANGED_MIND_EVERY - 1
        repeats.append(
            Repeat(
                round=round_,
                issue_id=label.issue_id,
                volunteer_id=label.volunteer_id,
                due_at=due_at,
                category_id=other if changed else label.category_id,
                version_id=round_.version_id,
                snapshot_id=label.snapshot_id,
                guideline_id=label.guideline_id,
                submitted_at=due_at + timedelta(minutes=17),
            )
        )
    Repeat.objects.bulk_create(repeats)


def to_try(story: Story, version: Version, kept: Round) -> Round:
    """Two volunteers per issue, all slots free: for the visitor to try. The main round reveals nothing of it,
    and it nothing of the main round.
    """
    round_ = create_round(
        study=story.study,
        by=story.lead,
        name=TO_TRY,
        kind=Round.Kind.PILOT,
        version=version,
        depth=Level.THEME,
        issues=kept_issues(kept).filter(repository__path=REPOSITORY_TO_TRY).order_by("pk"),
        members=story.volunteers(),
        allocation=Round.Allocation.K_OF_N,
        labels_per_issue=2,
        seed=SEED + 1,
    )
    return opened(round_, by=story.lead, at=moment(DAYS + 1, 0.5))


def once_more(story: Story, version: Version) -> Round:
    """Two issues that the lead has yet to label again, finer: until then the main round keeps from the lead
    what others said of them.
    """
    issues = story.issues()
    chosen = [issues[row["Issue_URL"]].pk for row in rows("agendas.csv") if row["agenda"] == "once more"]
    round_ = create_round(
        study=story.study,
        by=story.members["R1"],
        name=ONCE_MORE,
        kind=Round.Kind.PILOT,
        version=version,
        depth=Level.SUB_THEME,
        issues=Issue.objects.filter(pk__in=chosen).order_by("pk"),
        members=[story.lead],
        seed=SEED + 5,
    )
    return opened(round_, by=story.members["R1"], at=moment(1, 7))
