"""What happens to the taxonomy: it is edited, put to the vote, voted on and published, while others label."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from studies.models import Membership
from taxonomy.models import Ballot, Change, Motion, Taxonomy, Version
from taxonomy.queries.drafts import edition_of
from tests.storm.deeds import CODES, Deed
from tests.storm.leads import lead
from tests.storm.trees import Edit, MotionModel

if TYPE_CHECKING:
    from tests.storm.life import Life

MOST_OPEN = 2
FOR = ["for"] * 16 + ["against", "abstain"]


def _drawn_edit(life: "Life", kinds: list[str]) -> Edit | None:
    """A change that is possible in the draft as it was after the step before."""
    draw, tree = life.draw, life.taxonomy.drafted()
    kind = draw.choice(kinds)
    known = [
        name for name in [*CODES, *life.category_keys] if name in life.category_keys and tree.is_there(name)
    ]
    known = list(dict.fromkeys(known))
    if kind == "add":
        above = draw.choice([one for one in known if tree.level(one) < 3])
        life.taxonomy.added += 1
        number = life.taxonomy.added
        return Edit("add", f"N{number}", above, f"New {number}")
    if kind == "describe":
        life.keys_given += 1
        return Edit("describe", draw.choice(known), text=f"Renamed {life.keys_given}")
    themes = [one for one in known if one in tree.parents and tree.level(one) > 1]
    name = draw.choice(themes)
    into = [one for one in themes if one != name and tree.level(one) == tree.level(name)]
    return Edit("merge", name, draw.choice(into)) if into else None


def _form(life: "Life", edit: Edit) -> dict[str, str]:
    form = {"kind": edit.kind}
    if edit.kind == "add":
        return form | {"parent": life.category_keys[edit.other], "name": edit.text}
    form["key"] = life.category_keys[edit.name]
    if edit.kind == "merge":
        form["into"] = life.category_keys[edit.other]
    if edit.kind == "describe":
        form["name"] = edit.text
    return form


def propose(life: "Life", hot: int) -> Deed | None:
    taxonomy = life.taxonomy
    open_now = [one for one in taxonomy.motions.values() if not one.is_closed]
    if len(open_now) >= MOST_OPEN or ("propose",) in life.busy:
        return None
    edit = _drawn_edit(life, ["add", "add", "merge", "describe"])
    if edit is None:
        return None
    life.busy.add(("propose",))
    member = life.draw.choice([*life.world.members, life.world.lead])
    reasons = f"Because of {life.key()}"
    deadline = life.now + timedelta(days=life.draw.choice([1, 3, 7]), minutes=5)
    form = _form(life, edit) | {
        "reasons": reasons, "deadline": f"{deadline:%Y-%m-%dT%H:%M}", "form_key": life.key(),
    }  # fmt: skip
    if edit.kind == "describe":
        form |= {"seen-name": ""}
    url, client = reverse("new_proposal", args=[taxonomy.pk]), life.clients[member.pk]

    def opened(answer: Any = None) -> None:
        found = list(Motion.objects.filter(taxonomy=taxonomy.pk, reasons=reasons))
        assert len(found) <= 1, f"a proposal was opened {len(found)} times"
        if answer is not None:
            assert (answer.status_code == 302) == bool(found), f"answered {answer.status_code}, found {found}"
        for motion in found:
            life.category_keys.setdefault(edit.name, str(motion.key))
            taxonomy.motions[motion.pk] = MotionModel(
                pk=motion.pk,
                number=motion.number,
                edit=edit,
                electors=frozenset(one.pk for one in (*life.world.members, life.world.lead)),
                quorum=_quorum(life, edit),
                by_majority=taxonomy.by_majority,
                deadline=motion.deadline,
            )

    return Deed(f"{member.pseudonym} proposes {edit}", lambda: client.post(url, form), opened, opened)


def _quorum(life: "Life", edit: Edit) -> int:
    everybody = len(life.world.members) + 1
    return everybody if edit.kind == "add" else everybody // 2 + 1


def vote(life: "Life", hot: int) -> Deed | None:
    """By somebody who has not voted yet, more often than by somebody who changes their mind."""
    open_now = [one for one in life.taxonomy.motions.values() if not one.is_closed]
    if not open_now:
        return None
    motion = life.draw.choice(open_now)
    people = [*life.world.members, life.world.lead]
    free = [one for one in people if ("vote", motion.pk, one.pk) not in life.busy]
    waiting = [one for one in free if one.pk not in motion.cast and one.pk not in motion.perhaps]
    if not free:
        return None
    member: Membership = life.draw.choice(waiting if waiting and life.draw.random() < 0.9 else free)
    life.busy |= {("vote", motion.pk, member.pk), ("motion", motion.pk)}
    ballot = (life.draw.choice(FOR), life.word(member.pk))
    url = reverse("vote_on_proposal", args=[life.taxonomy.pk, motion.number])
    client = life.clients[member.pk]
    form = {"choice": ballot[0], "argument": ballot[1], "form_key": life.key()}
    is_in_time = life.now + timedelta(minutes=1) < motion.deadline

    def believe(answer: Any) -> None:
        if answer.status_code == 302 and is_in_time:
            motion.cast[member.pk] = ballot
        elif answer.status_code == 302:
            motion.perhaps.setdefault(member.pk, set()).add(ballot)

    def unknown() -> None:
        motion.perhaps.setdefault(member.pk, set()).add(ballot)

    return Deed(
        f"{member.pseudonym} votes {ballot[0]} on {motion.number}",
        lambda: client.post(url, form), believe, unknown,
    )  # fmt: skip


def last_votes(life: "Life") -> list[Any]:
    """As many as are missing at a vote vote at once."""
    open_now = [one for one in life.taxonomy.motions.values() if not one.is_closed]
    return [vote] * min(3, max((len(one.electors) - len(one.cast) for one in open_now), default=0))


def edit(life: "Life", hot: int) -> Deed | None:
    drawn = _drawn_edit(life, ["merge", "describe"])
    if drawn is None or ("edit",) in life.busy:
        return None
    life.busy.add(("edit",))
    form = _form(life, drawn)

    def edited(answer: Any = None) -> None:
        same = Change.objects.filter(
            version__taxonomy=life.taxonomy.pk,
            kind=drawn.kind,
            key=life.category_keys[drawn.name],
            made_by__isnull=False,
        )
        found = [
            one.pk for one in same if drawn.text in {"", one.values.get("name")} and one.pk not in life.edits
        ]
        assert len(found) <= 1, f"one change of the draft is stored {len(found)} times"
        if answer is not None:
            assert (answer.status_code == 302) == bool(found), f"answered {answer.status_code}, found {found}"
        life.edits.update(found)
        life.taxonomy.draft.update(dict.fromkeys(found, drawn))

    return lead(
        life, f"draft: {drawn}", reverse("change_draft", args=[life.taxonomy.pk]), form, edited, edited
    )


def publish(life: "Life", hot: int) -> Deed | None:
    """Two leads may press at once: what is published is what was seen, and once."""
    taxonomy = life.taxonomy
    if not taxonomy.draft:
        return None
    life.busy.add(("publish",))
    seen = {*taxonomy.draft}
    edition = edition_of(Taxonomy.objects.get(pk=taxonomy.pk))
    before = taxonomy.newest

    def published(answer: Any = None) -> None:
        last = (
            Version.objects.filter(taxonomy=taxonomy.pk, published_at__isnull=False).latest("number").number
        )
        if last > before:
            taxonomy.published[last] = seen
        if answer is not None and answer.status_code == 302:
            assert last > before, "an answer says that a version was published"

    return lead(
        life, f"publishes version {before + 1}", reverse("publish_draft", args=[taxonomy.pk]),
        {"edition": edition, "note": "As agreed."}, published, published,
    )  # fmt: skip


def ballots_of(pk: int) -> dict[int, tuple[str, str]]:
    cast = Ballot.objects.filter(motion=pk).exclude(choice="").values_list("member", "choice", "argument")
    return {member: (choice, argument) for member, choice, argument in cast}
