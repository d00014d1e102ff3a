"""The rounds of the demonstration study: screening, pilot, training, main, and two small open ones."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from annotate.actions.rounds import close_round, create_round, open_round
from annotate.actions.samples import draw_sample
from annotate.actions.terms import admit
from annotate.actions.training import comment, set_answer
from annotate.label_input import LabelInput
from annotate.queries.samples import SampleFrame
from consensus.queries.screening import kept_issues
from core import clock
from demo.data import meeting_lines, rows
from demo.labels import SEED, Place, evenings, note_last_visits, plan_labels
from demo.story import Scene, Story
from ingest.models import Issue
from rounds.drift import comes_again
from rounds.models import Round, RoundVolunteer
from studies.models import Membership
from taxonomy.models import Category, Level, Version

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
LET_IN_REASON = "Wrote the guideline, and was away in the week of the training."


def screening(story: Story, version: Version) -> Round:
    """Everybody screens everything. The lead settles the issues whose labels differ."""
    scene = _open_round(
        story,
        story.moment(SCREENED_DAYS_AGO + 10, 9),
        name=SCREENING,
        kind=Round.Kind.SCREENING,
        version=version,
        depth=Level.TYPE,
        issues=Issue.objects.filter(repository__study=story.study),
        members=story.volunteers(),
        excludes=Category.objects.get(states__version=version, states__code="F"),
        seed=SEED + 2,
    )
    answers = {row["Issue_URL"]: row for row in rows("screening.csv")}
    given = {
        (url, member.pseudonym): scene.label(answers[url][member.pseudonym] if url in answers else "R")
        for url in story.issues
        for member in story.volunteers()
    }
    plan_labels(scene, given, days_ago=SCREENED_DAYS_AGO, days=8, seed=SEED + 20)
    scene.run()
    with story.at(SCREENED_DAYS_AGO, 17):
        for row in answers.values():
            if row["decision"]:
                scene.settle(row["Issue_URL"], row["decision"], row["rationale"])
    with story.at(SCREENED_DAYS_AGO, 18):
        return close_round(round_=scene.round, by=story.lead)


def pilot(story: Story, version: Version, kept: Round) -> None:
    """The lead alone labels a sample of the issues that the screening kept."""
    with story.at(PILOTED_DAYS_AGO + 4, 9):
        sample = draw_sample(
            study=story.study,
            by=story.lead,
            name="Pilot sample",
            frame=SampleFrame(f"kept:{kept.pk}", SCREENING),
            margin=0.3,
            seed=SEED,
        )
    scene = _open_round(
        story,
        story.moment(PILOTED_DAYS_AGO + 4, 10),
        name=PILOT,
        kind=Round.Kind.PILOT,
        version=version,
        issues=Issue.objects.filter(pk__in=sample.drawn.values("issue")),
        members=[story.lead],
        seed=SEED + 3,
        selection={"source": f"sample:{sample.pk}", "name": sample.name},
    )
    given = {
        (row["Issue_URL"], "R2"): scene.label(row["R2"], row["summary2"])
        for row in rows("labels.csv")
        if row["R2"]
    }
    plan_labels(scene, given, days_ago=PILOTED_DAYS_AGO, days=3, seed=SEED + 30)
    scene.run()
    with story.at(PILOTED_DAYS_AGO, 9):
        close_round(round_=scene.round, by=story.lead)


def training(story: Story, version: Version) -> Round:
    """Twelve issues with the lead's answers. Everybody passes, R7 with the lowest score."""
    answers = list(rows("training.csv"))

    def give_answers(scene: Scene) -> None:
        for row in answers:
            set_answer(
                round_=scene.round,
                issue=story.issues[row["Issue_URL"]],
                category=scene.book.by_code[row["category"]].category,
                explanation=row["explanation"],
                by=story.lead,
            )

    scene = _open_round(
        story,
        story.moment(TRAINED_DAYS_AGO + 3, 9),
        prepare=give_answers,
        name=TRAINING,
        kind=Round.Kind.TRAINING,
        version=version,
        issues=_issues(story, answers),
        members=story.volunteers("R2"),
        pass_mark=PASS_MARK,
        seed=SEED + 4,
    )
    given = {
        (row["Issue_URL"], member.pseudonym): scene.label(row[member.pseudonym])
        for row in answers
        for member in story.volunteers("R2")
    }
    plan_labels(scene, given, days_ago=TRAINED_DAYS_AGO, days=2, seed=SEED + 40)
    scene.run()
    with story.at(TRAINED_DAYS_AGO, 8):
        for row in rows("comments.csv"):
            issue, author = story.issues[row["Issue_URL"]], story.members[row["volunteer"]]
            comment(round_=scene.round, issue=issue, author=author, text=row["text"])
    with story.at(TRAINED_DAYS_AGO, 9):
        return close_round(round_=scene.round, by=story.lead)


def to_try(story: Story, version: Version, kept: Round) -> None:
    """Two volunteers for each issue, and all slots free for the visitor. Neither this round nor the main
    round reveals anything of the other round.
    """
    _open_round(
        story,
        story.moment(DAYS + 1, 0.5),
        name=TO_TRY,
        kind=Round.Kind.PILOT,
        version=version,
        issues=kept_issues(kept).filter(repository__path=REPOSITORY_TO_TRY),
        members=story.volunteers(),
        allocation=Round.Allocation.K_OF_N,
        labels_per_issue=2,
        seed=SEED + 1,
    )


def main_round(story: Story, version: Version, kept: Round, passed: Round) -> Scene:
    """Everybody labels every issue that the screening kept. The round was opened two weeks ago."""
    return _open_round(
        story,
        story.moment(DAYS + 1, 1),
        prepare=lambda scene: admit(
            round_=scene.round, member=story.lead, by=story.owner, reason=LET_IN_REASON
        ),
        name=MAIN_ROUND,
        version=version,
        issues=kept_issues(kept),
        members=story.volunteers(),
        training=passed,
        drift_percent=DRIFT_PERCENT,
        deadline=story.moment(-21, 20),
        seed=SEED,
        selection={"source": f"kept:{kept.pk}", "name": SCREENING},
        reason=f"“{TO_TRY}” is for visitors to try: nothing of it changes this round.",
    )


def plan_main_labels(scene: Scene) -> datetime:
    """Plan the labels of the main round, the drift check, and the disagreements that the lead settles.
    Returns the moment of the label that completes the last complete issue.
    """
    story = scene.story
    given = {
        (row["Issue_URL"], f"R{number}"): scene.label(row[f"R{number}"], row[f"summary{number}"])
        for row in rows("labels.csv")
        for number in range(1, 8)
        if row[f"R{number}"]
    }
    for row in rows("proposals.csv"):
        place = row["Issue_URL"], row["volunteer"]
        given[place] = scene.label(row["nearest"], row["summary"], row["name"], row["reason"])
    # Issues on an agenda are labelled first, because a meeting takes complete issues only.
    first = {line["issue"] for line in meeting_lines() if line["do"] == "turn"}
    first |= {row["Issue_URL"] for row in rows("agendas.csv") if row["agenda"] == "apart"}
    moments = plan_labels(scene, given, days=DAYS, first=first)
    completed: dict[str, datetime] = {}
    for url in {url for url, _name in given}:
        found = [moments[url, one.pseudonym] for one in story.volunteers() if (url, one.pseudonym) in moments]
        if len(found) == len(story.volunteers()):
            completed[url] = max(found)
    _plan_repeats(scene, given, moments, completed)
    settled = [row for row in rows("labels.csv") if row["lead_decision"]]
    evening = evenings(len(settled), seed=SEED, today=story.day(0), days=1)
    for row, moment in zip(settled, evening, strict=True):
        url = row["Issue_URL"]
        at = max(moment, completed[url] + timedelta(minutes=5))
        scene.plan(at, scene.settle, url, row["lead_decision"], row["lead_rationale"])
    note_last_visits(story, moments)
    return max(completed.values())


def _plan_repeats(
    scene: Scene,
    given: Mapping[Place, LabelInput],
    moments: Mapping[Place, datetime],
    completed: Mapping[str, datetime],
) -> None:
    """Plan the drift check: a day after its first label an issue comes again, unless it is complete by then.
    Most of the second answers are the same as the first.
    """
    story, round_ = scene.story, scene.round
    seeds = dict(RoundVolunteer.objects.filter(round=round_).values_list("member__pseudonym", "seed"))
    latest = story.told_at - timedelta(days=2)
    repeats = [
        (url, name)
        for url, name in sorted(moments, key=lambda place: moments[place])
        if not given[url, name].proposed_name
        and comes_again(story.issues[url].pk, seeds[name], DRIFT_PERCENT)
    ]
    for number, (url, name) in enumerate(repeats, start=1):
        at = moments[url, name] + timedelta(hours=round_.drift_hours, minutes=17)
        if moments[url, name] > latest or (url in completed and completed[url] <= at):
            continue
        same = LabelInput(category=given[url, name].category)
        again = same if number % CHANGED_MIND_EVERY else scene.label("C.9")
        scene.submit(at, url, story.members[name], again)


def once_more(story: Story, version: Version) -> None:
    """Two issues that the lead has yet to label by sub-theme. Until then the main round withholds their
    labels from the lead.
    """
    _open_round(
        story,
        clock.now(),
        by=story.owner,
        name=ONCE_MORE,
        kind=Round.Kind.PILOT,
        version=version,
        depth=Level.SUB_THEME,
        issues=_issues(story, (row for row in rows("agendas.csv") if row["agenda"] == "once more")),
        members=[story.lead],
        seed=SEED + 5,
    )


def _open_round(
    story: Story,
    at: datetime,
    *,
    prepare: Callable[[Scene], object] = lambda _scene: None,
    by: Membership | None = None,
    depth: int = Level.THEME,
    issues: QuerySet[Issue],
    reason: str = "",
    **plan: Any,
) -> Scene:
    """Plan a round, prepare it and open it, all at one moment; the lead does this if nobody is named."""
    opener = by or story.lead
    with clock.at(at):
        planned = create_round(
            study=story.study, by=opener, depth=depth, issues=issues.order_by("pk"), **plan
        )
        prepare(Scene(story, planned))
        return Scene(story, open_round(round_=planned, by=opener, reason=reason))


def _issues(story: Story, named: Iterable[Mapping[str, str]]) -> QuerySet[Issue]:
    return Issue.objects.filter(pk__in=[story.issues[row["Issue_URL"]].pk for row in named])
