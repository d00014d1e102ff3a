"""The chain of seals: does it hold together, and do labels and decisions say what was sealed?

Written a second time, with nothing of the platform: the form of seals and events stands in README.md. A chain
proves order, and that nothing was changed since; it does not prove that two people did not speak.
"""

import hashlib
import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pandas as pd
from faults import fault, tried
from package import read

CHAIN, EVENTS = "chain.csv", "chain_events.csv"
LABELS, DECISIONS, AGAIN = "labels_long.csv", "decisions.csv", "labels_second_look.csv"
FORM = "crosscheck seal 1"
FIRST = "0" * 64
FIRST_ROW = 2
TOLERANCE = timedelta(minutes=10)
MOMENTS = {
    "label": ("changed_at", "submitted_at"),
    "decision": ("decided_at",),
    "superseding": ("superseded_at",),
    "opening": ("opened_at",),
    "closing": ("closed_at",),
    "reveal": ("revealed_at",),
    "vote": ("closed_at",),
}
"""The moment of an event of a kind: the first of these that it has."""


def head_of(folder: Path) -> str:
    """The digest of the newest seal; empty without a chain. Each fault is noted."""
    head = ""
    if not (folder / CHAIN).exists():
        return head
    with tried(CHAIN, "verified"):
        seals, events = read(folder / CHAIN), read(folder / EVENTS)
        head = str(seals["Digest"].iloc[-1])
        _seals(seals, events)
        said = json.loads((folder / "manifest.json").read_text("utf-8")).get("chain_head", "")
        if said != head:
            fault("manifest.json", f"chain_head is {said}, where {CHAIN} ends with {head}", CHAIN)
        contents = _events(seals, events)
        _after_the_close(events)
        with tried(LABELS, "compared with the chain"):
            _labels(folder, events, contents)
        with tried(DECISIONS, "compared with the chain"):
            _decisions(folder, events, contents)
    return head


def _after_the_close(events: pd.DataFrame) -> None:
    """The close seals all before it, and nobody labels later. Where the first seal has the close, nobody
    knows what came after it.
    """
    closing = events.loc[events["Kind"] == "closing", "Seal"].astype(int)
    if len(closing) and closing.min() > 1:
        late = events["Kind"].isin(["label", "change"]) & (events["Seal"].astype(int) >= closing.min())
        for one in events[late].to_dict("records"):
            fault(EVENTS, f"seal {one['Seal']}: a {one['Kind']} was sealed after the round was closed")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _seals(seals: pd.DataFrame, events: pd.DataFrame) -> None:
    """Each seal has its events in order, its own digest, and follows from the one before."""
    previous, before = FIRST, None
    lines = (events["Kind"] + " " + events["Key"] + " " + events["Digest"]).groupby(events["Seal"])
    of_seal = {seal: list(its) for seal, its in lines}
    for number, one in enumerate(seals.to_dict("records"), 1):
        row = number + FIRST_ROW - 1
        its = of_seal.pop(one["Seal"], [])
        at = _moment(one["Sealed_at"])
        moment = at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")  # noqa: UP017 - of Python 3.10, too
        digest = _sha256("\n".join(its))
        text = (
            FORM,
            one["Round_id"],
            one["Seal"],
            one["Previous"],
            moment,
            one["Reason"],
            one["Events"],
            digest,
        )
        if one["Seal"] != str(number) or one["Previous"] != previous:
            fault(CHAIN, f"row {row}: seal {one['Seal']} does not follow from the seal before")
        if str(len(its)) != one["Events"] or _sha256("\n".join(text)) != one["Digest"]:
            fault(CHAIN, f"row {row}: seal {one['Seal']} or its events were changed", EVENTS)
        if before and at < before:
            fault(CHAIN, f"row {row}: seal {one['Seal']} has a moment before the seal before")
        previous, before = one["Digest"], at
    for seal in of_seal:
        fault(EVENTS, f"seal {seal} is not in {CHAIN}", CHAIN)


def _events(seals: pd.DataFrame, events: pd.DataFrame) -> dict[int, dict[str, Any]]:
    """The contents by place in the table; each is what was sealed, and no older than its seal allows."""
    at = {number: _moment(moment) for number, moment in zip(seals["Seal"], seals["Sealed_at"], strict=True)}
    imported = seals["Reason"].iloc[0] == "imported"
    found: dict[int, dict[str, Any]] = {}
    columns = ("Seal", "Place", "Kind", "Key", "Salt", "Digest", "Content")
    last = "", 0
    for place, (seal, its_place, kind, key, salt, digest, content) in enumerate(
        zip(*(events[name] for name in columns), strict=True)
    ):
        last = seal, (last[1] + 1 if last[0] == seal else 1)
        if its_place != str(last[1]):
            fault(EVENTS, f"row {place + FIRST_ROW}: place {its_place} of seal {seal} is not in order")
        if not content:
            continue
        if _sha256(f"{salt} {content}") != digest:
            fault(EVENTS, f"row {place + FIRST_ROW}: {kind} {key} has another content than was sealed")
        said = found[place] = json.loads(content)
        moment = next((said[name] for name in MOMENTS.get(kind, ()) if name in said), None)
        earlier = at.get(str(int(seal) - 1))
        if moment and earlier and not imported and _moment(moment) < earlier - TOLERANCE:
            what = f"row {place + FIRST_ROW}: {kind} {key} was made later than its moment {moment}"
            fault(EVENTS, what)
    return found


def _of_kind(
    events: pd.DataFrame, contents: dict[int, dict[str, Any]], kind: str
) -> list[tuple[Any, dict[str, Any]]]:
    rows = events.to_dict("records")
    return [(rows[place], said) for place, said in contents.items() if rows[place]["Kind"] == kind]


def _labels(folder: Path, events: pd.DataFrame, contents: dict[int, dict[str, Any]]) -> None:
    """Every label was sealed as it stands here, and every sealed one stands here."""
    sealed = {(row["Issue_URL"], row["Volunteer"]): said for row, said in _of_kind(events, contents, "label")}
    again = set(read(folder / AGAIN, ("Issue_URL",))["Issue_URL"])
    codes: dict[tuple[Any, Any], str] = {}
    for row, one in enumerate(read(folder / LABELS).to_dict("records"), FIRST_ROW):
        of = one["Issue_URL"], one["Volunteer"]
        if of not in sealed:
            fault(LABELS, f"row {row}: the label of {of[1]} on {of[0]} was never sealed", EVENTS)
            continue
        said = sealed.pop(of)
        if of[0] in again:  # its first label may be of a second look, which has a chain of its own
            continue
        given = {
            "Summary": said.get("summary", ""),
            "Unsure": "yes" if said["unsure"] else "",
            "Surplus": "yes" if said["surplus"] else "",
        }
        wrong = [name for name, value in given.items() if bool(one[name]) != bool(value)]
        if one["Summary"] != given["Summary"]:
            wrong.append("Summary")
        if _moment(one["Submitted_at"]) != _moment(said["submitted_at"]):
            wrong.append("Submitted_at")
        category = said.get("category_id"), said["version_id"]
        if codes.setdefault(category, one["Label"]) != one["Label"]:
            wrong.append("Label")
        if wrong:
            fault(LABELS, f"row {row}: {', '.join(dict.fromkeys(wrong))} is not as it was sealed", EVENTS)
    for url, who in sealed:
        fault(LABELS, f"the label of {who} on {url} was sealed and is missing", EVENTS)


def _decisions(folder: Path, events: pd.DataFrame, contents: dict[int, dict[str, Any]]) -> None:
    """Every decision was sealed as it stands here, and every sealed one stands here."""
    sealed = {
        (row["Issue_URL"], str(said["number"])): (row, said)
        for row, said in _of_kind(events, contents, "decision")
    }
    ended = {said["id"]: said["superseded_at"] for _row, said in _of_kind(events, contents, "superseding")}
    for row, one in enumerate(read(folder / DECISIONS).to_dict("records"), FIRST_ROW):
        of = one["Issue_URL"], one["Number"]
        if of not in sealed:
            fault(DECISIONS, f"row {row}: decision {of[1]} on {of[0]} was never sealed", EVENTS)
            continue
        event, said = sealed.pop(of)
        end = ended.get(said["id"])
        wrong = [
            name
            for name, here, there in (
                ("Label", one["Label"], event["Label"]),
                ("Method", one["Method"], said["method"]),
                ("Cause", one["Cause"], said["cause"]),
                ("Rationale", one["Rationale"], said["rationale"]),
                ("Decided_at", _moment(one["Decided_at"]), _moment(said["decided_at"])),
                (
                    "Superseded_at",
                    one["Superseded_at"] and _moment(one["Superseded_at"]),
                    end and _moment(end),
                ),
            )
            if (here or None) != (there or None)
        ]
        if wrong:
            fault(DECISIONS, f"row {row}: {', '.join(wrong)} is not as it was sealed", EVENTS)
    for url, number in sealed:
        fault(DECISIONS, f"decision {number} on {url} was sealed and is missing", EVENTS)
