"""What volunteers do: take turns, label, change, type, skip, in as many windows as they like."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from tests.storm import checks
from tests.storm.deeds import BEGIN, JSON, Deed, Window
from tests.storm.model import Place, RoundModel, Said

if TYPE_CHECKING:
    from tests.storm.life import Life


def free_window(life: "Life", *, shows: bool) -> Window | None:
    """One that is not in use in this step; its second window may be."""
    free = [one for one in life.windows if id(one) not in life.busy and (one.shown is not None) == shows]
    window = life.draw.choice(free) if free else None
    if window:
        life.busy.add(id(window))
    return window


def sit(life: "Life", hot: int) -> Deed | None:
    window = free_window(life, shows=False)
    if window is None:
        return None
    round_, member = window.round, window.member
    url = reverse("ahead", args=[round_.pk])
    life.busy |= {("claim", round_.pk), ("claims", round_.pk, member.pk)}

    def believe(answer: Any) -> None:
        turn = answer.json().get("next") if answer.status_code == 200 else None
        shows(life, window, turn)

    return Deed(f"{member.pseudonym} sits at {round_.name}", lambda: window.client.post(url, **JSON), believe)


def shows(life: "Life", window: Window, turn: dict[str, Any] | None) -> None:
    window.shown = turn["issue"] if turn else None
    window.version = turn["version"] if turn else None
    if turn:
        round_, place = window.round, (turn["issue"], window.member.pk)
        assert round_.seats[window.member.pk] or ("seat", round_.pk, window.member.pk) in life.busy, (
            f"{window.member.pseudonym} was taken out and gets issues"
        )
        if not round_.is_crossed:
            renewed(life, round_, window.member.pk)
            round_.held[place] = lease(life, round_)


def renewed(life: "Life", round_: RoundModel, member: int) -> None:
    """Whoever shows that they are at work keeps what they hold; what ran out may be another one's by now."""
    for place, until in round_.held.items():
        if place[1] == member and until > life.began:
            round_.held[place] = lease(life, round_)


def lease(life: "Life", round_: RoundModel) -> datetime:
    """Until when a lease surely lasts that was given in this step."""
    return life.now + timedelta(minutes=round_.lease_minutes) - timedelta(seconds=95)


def label(life: "Life", hot: int) -> Deed | None:
    """Submit, a second time if the answer to the first was lost."""
    windows = [one for one in life.windows if id(one) not in life.busy and one.shown is not None]
    there = [one for one in windows if one.shown == hot]
    if not windows:
        return None
    window = life.draw.choice(there or windows)
    life.busy.add(id(window))
    place: Place = (window.shown or 0, window.member.pk)
    form = window.unanswered or {
        "issue": window.shown,
        "form_key": life.key(),
        "version": window.version,
        "category": life.pk_of(life.draw.choice(life.choosable(life.taxonomy.shown_in(window.version)))),
        "summary": life.word(window.member.pk),
    }
    said = Said(life.codes[form["category"]], form["summary"])
    round_, is_again = window.round, window.unanswered is not None
    expected = may_label(life, window, place)
    life.busy |= {("label", round_.pk, place), ("issue", round_.pk, place[0])}
    within_lease = round_.is_crossed or round_.held.get(place, BEGIN) > life.now
    url = reverse("submit_label", args=[round_.pk])

    def believe(answer: Any) -> None:
        window.unanswered = None
        data = answer.json()
        if answer.status_code == 200 and is_again and place in round_.labels:
            # The first sending was stored, and may have been changed since.
            shows(life, window, data.get("next"))
            return
        if answer.status_code == 200 and data.get("saved"):
            stored(life, round_, place, said)
            if within_lease and not is_taken_out(life, round_, place[1]):
                round_.must_count.add(place)
            shows(life, window, data.get("next"))
            return
        if answer.status_code == 200:
            stored(life, round_, place, said)
            window.shown = None
            return
        assert not expected or explained(life, round_, place), f"refused for no reason: {data}"
        window.shown = None

    def unknown() -> None:
        window.unanswered = form
        round_.perhaps.setdefault(place, set()).add(said)

    return Deed(
        f"{window.member.pseudonym} labels {place[0]} {said.code} {said.word} in {round_.name}",
        lambda: window.client.post(url, form, **JSON),
        believe,
        unknown,
    )


def may_label(life: "Life", window: Window, place: Place) -> bool:
    """Must this label be taken, if nothing else happens in this step?"""
    round_ = window.round
    return (
        not round_.is_closed
        and round_.seats[place[1]]
        and place not in round_.labels
        and not round_.perhaps.get(place)
        and (round_.is_crossed or round_.held.get(place, BEGIN) > life.now)
    )


def explained(life: "Life", round_: RoundModel, place: Place) -> bool:
    """Does something else in this step explain that a label was refused?"""
    others = {("publish",), ("close", round_.pk), ("seat", round_.pk, place[1]), ("skip", round_.pk, place)}
    return bool(others & life.busy) or place in round_.labels or place in round_.perhaps


def is_taken_out(life: "Life", round_: RoundModel, member: int) -> bool:
    return not round_.seats[member] or ("seat", round_.pk, member) in life.busy


def stored(life: "Life", round_: RoundModel, place: Place, said: Said) -> None:
    before = round_.labels.get(place)
    assert before in (None, said) or ("change", round_.pk, place) in life.busy, (
        f"two labels of one person at {place}: {before}, {said}"
    )
    round_.labels[place] = said
    round_.perhaps.pop(place, None)
    round_.held.pop(place, None)


def change(life: "Life", hot: int) -> Deed | None:
    own = [
        (round_, place)
        for round_ in life.rounds
        for place in round_.labels
        if ("label", round_.pk, place) not in life.busy
    ]
    if not own:
        return None
    round_, place = life.draw.choice([one for one in own if one[1][0] == hot] or own)
    seen = checks.seen_of(round_, place)
    said = Said(life.draw.choice(life.choosable(round_.tree)), life.word(place[1]))
    before = round_.labels[place]
    client = life.clients[place[1]]
    form = {
        "issue": place[0], "category": life.pk_of(said.code), "summary": said.word, "seen": seen,
        "version": round_.version_pk,
    }  # fmt: skip
    url = reverse("change_label", args=[round_.pk])
    was_revealed = round_.is_revealed(place[0])
    life.busy |= {("label", round_.pk, place), ("change", round_.pk, place)}

    def believe(answer: Any) -> None:
        if answer.status_code != 200:
            reasons = was_revealed or is_taken_out(life, round_, place[1]) or reveals(life, round_, place[0])
            reasons = reasons or ("publish",) in life.busy
            assert reasons, f"a change was refused for no reason: {answer.content!r}"
            return
        assert not was_revealed, f"{before} was changed after its reveal"
        round_.labels[place] = said

    def unknown() -> None:
        round_.perhaps.setdefault(place, set()).update({said, before})

    return Deed(f"{place} is changed to {said}", lambda: client.post(url, form, **JSON), believe, unknown)


def reveals(life: "Life", round_: RoundModel, issue: int) -> bool:
    """May something in this step have revealed the issue?"""
    return ("close", round_.pk) in life.busy or ("issue", round_.pk, issue) in life.busy


def draft(life: "Life", hot: int) -> Deed | None:
    window = free_window(life, shows=True)
    if window is None or window.unanswered:
        return None
    round_, place = window.round, (window.shown or 0, window.member.pk)
    url = reverse("save_draft", args=[round_.pk])
    form = {"issue": window.shown, "summary": life.word(place[1])}

    def believe(answer: Any) -> None:
        if answer.status_code == 200 and not round_.is_crossed and answer.json()["revision"]:
            renewed(life, round_, place[1])

    return Deed(
        f"{window.member.pseudonym} types at {place[0]}",
        lambda: window.client.post(url, form, **JSON),
        believe,
    )


def skip(life: "Life", hot: int) -> Deed | None:
    window = free_window(life, shows=True)
    if window is None or window.unanswered:
        return None
    round_, place = window.round, (window.shown or 0, window.member.pk)
    url = reverse("skip_issue", args=[round_.pk])
    life.busy.add(("skip", round_.pk, place))

    def believe(answer: Any) -> None:
        window.shown = None
        if answer.status_code == 200:
            round_.held.pop(place, None)
            shows(life, window, answer.json().get("next"))

    def unknown() -> None:
        window.shown = None
        round_.held.pop(place, None)

    return Deed(
        f"{window.member.pseudonym} skips {place[0]}",
        lambda: window.client.post(url, {"issue": place[0], "reason": "later"}, **JSON),
        believe,
        unknown,
    )
