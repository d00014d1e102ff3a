"""What leads do: decide, ask for more labels, take volunteers out and back, close."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from tests.storm import checks
from tests.storm.deeds import Deed

if TYPE_CHECKING:
    from tests.storm.life import Life


def lead(
    life: "Life",
    words: str,
    url: str,
    form: dict[str, Any],
    believe: Callable[[Any], None],
    unknown: Callable[[], None],
) -> Deed:
    client = life.clients[life.world.lead.pk]
    return (
        Deed(words, lambda: client.post(url, form | {"form_key": key}), believe, unknown)
        if (key := life.key())
        else None
    )


def settle(life: "Life", hot: int) -> Deed | None:
    ways = [
        (round_, issue)
        for round_ in life.rounds
        for issue in round_.wanted
        if ("settle", round_.pk, issue) not in life.busy and checks.is_disagreement(round_, issue)
    ]
    if not ways:
        return None
    round_, issue = life.draw.choice(ways)
    code = life.draw.choice(life.themes(round_))
    life.busy.add(("settle", round_.pk, issue))
    seen, before = checks.decision_number(round_, issue), checks.decided_as(life, round_, issue)
    form = {
        "choice": "other", "other": life.pk_of(code),
        "rationale": "As the guideline says.", "seen_number": seen,
    }  # fmt: skip
    url = reverse("settle_issue", args=[round_.pk, issue])

    def believe(answer: Any) -> None:
        if answer.status_code in {200, 302}:
            round_.decided[issue] = {code}

    def unknown() -> None:
        round_.decided[issue] = {code, before}

    return lead(life, f"{issue} is decided as {code}", url, form, believe, unknown)


def ask_for_more(life: "Life", hot: int) -> Deed | None:
    round_ = life.rounds[0]
    to = max(round_.wanted.values()) + 1
    if round_.is_closed or to > sum(round_.seats.values()) or ("raise", round_.pk) in life.busy:
        return None
    life.busy.add(("raise", round_.pk))

    def raised(answer: Any = None) -> None:
        is_sure = answer is not None and answer.status_code == 302
        if is_sure or (answer is None and checks.labels_per_issue(round_) == to):
            round_.raising = to

    return lead(
        life,
        f"{round_.name} asks for {to} labels", reverse("raise_labels", args=[round_.pk]), {"to": to}, raised, raised,
    )  # fmt: skip


def leave(life: "Life", hot: int) -> Deed | None:
    round_ = life.rounds[0]
    active = [member for member, is_in in round_.seats.items() if is_in]
    if round_.is_closed or len(active) <= max(round_.wanted.values()) or ("seats", round_.pk) in life.busy:
        return None
    member = life.draw.choice(active)
    life.busy |= {("seat", round_.pk, member), ("seats", round_.pk)}
    url = reverse("remove_volunteer", args=[round_.pk, member])

    def gone(answer: Any = None) -> None:
        if answer is not None and answer.status_code == 302:
            round_.seats_asked[member] = False

    return lead(life, f"member {member} is taken out of {round_.name}", url, {"to": ""}, gone, gone)


def join(life: "Life", hot: int) -> Deed | None:
    round_ = life.rounds[0]
    out = [member for member, is_in in round_.seats.items() if not is_in]
    if round_.is_closed or not out or ("seats", round_.pk) in life.busy:
        return None
    member = life.draw.choice(out)
    life.busy |= {("seat", round_.pk, member), ("seats", round_.pk)}

    def back(answer: Any = None) -> None:
        if answer is not None and answer.status_code == 302:
            round_.seats_asked[member] = True

    return lead(
        life,
        f"member {member} is back in {round_.name}", reverse("add_volunteer", args=[round_.pk]), {"member": member},
        back, back,
    )  # fmt: skip


def close(life: "Life", hot: int) -> Deed | None:
    round_ = life.draw.choice(life.rounds)
    if round_.is_closed or ("close", round_.pk) in life.busy:
        return None
    life.busy.add(("close", round_.pk))

    def closed(answer: Any = None) -> None:
        round_.is_closed = checks.is_closed(round_)
        assert round_.is_closed or answer is None, "an answer says that the round is closed"

    return lead(
        life, f"{round_.name} is closed", reverse("close_round", args=[round_.pk]), {}, closed, closed
    )
