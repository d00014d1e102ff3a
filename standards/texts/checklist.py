"""The filled checklist: Markdown in the form of the standards, CSV and JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.csv import csv_lines
from core.text.escaping import markdown
from standards.outcomes import ANSWERED, ASKED, LATER, MET, NOT_APPLICABLE, NOT_MET
from standards.queries.items import ItemLine, counted
from standards.sets import Standard

STATE_NAMES = {
    MET: gettext_lazy("met"),
    NOT_MET: gettext_lazy("not met"),
    ASKED: gettext_lazy("yours to answer"),
    ANSWERED: gettext_lazy("answered"),
    NOT_APPLICABLE: gettext_lazy("does not apply"),
    LATER: gettext_lazy("after reveal"),
}
KIND_NAMES = {
    "E": gettext_lazy("essential"),
    "D": gettext_lazy("desirable"),
    "X": gettext_lazy("extraordinary"),
    "AP": gettext_lazy("antipattern"),
}


def evidence_of(line: ItemLine) -> str:
    return " ".join(str(one) for one in line.said)


def checklist_markdown(standard: Standard, lines: Sequence[ItemLine]) -> str:
    """A ticked box for each item that is met, answered or does not apply."""
    total = ", ".join(f"{number} {STATE_NAMES[state]}" for state, number in counted(lines))
    text = [
        f"# {standard.name}",
        "",
        _("Version %(version)s. %(source)s") % {"version": standard.version, "source": standard.source},
        "",
        _("%(n)s items: %(states)s.") % {"n": len(lines), "states": total},
    ]
    section = ""
    for line in lines:
        if str(line.item.section) != section:
            section = str(line.item.section)
            text += ["", f"## {section}", ""]
        box = "x" if line.state in {MET, ANSWERED, NOT_APPLICABLE} else " "
        state, kind = STATE_NAMES[line.state], KIND_NAMES[line.item.kind]
        text.append(f"- [{box}] **{line.item.number}** ({kind}) {line.item.text} **{state}**")
        text += [f"  - {markdown(one.text)}" for one in line.said]
        if line.answer:
            text += [f"  - {markdown(' '.join(line.answer.text.split()))}"]
    return "\n".join(text) + "\n"


def checklist_csv(lines: Sequence[ItemLine]) -> Iterator[bytes]:
    header = ("number", "kind", "section", "item", "state", "evidence", "files", "answer")
    return csv_lines(
        header,
        (
            (
                line.item.number, line.item.kind, line.item.section, line.item.text, line.state,
                evidence_of(line), " ".join(files_of(line)), line.answer.text if line.answer else "",
            )
            for line in lines
        ),
    )  # fmt: skip


def files_of(line: ItemLine) -> list[str]:
    """The files of the package with the numbers of this item."""
    return sorted({name for one in line.said for name in one.files})


def checklist_dict(standard: Standard, lines: Sequence[ItemLine]) -> dict[str, Any]:
    """The checklist as JSON and REST give it."""
    return {
        "key": standard.key,
        "name": str(standard.name),
        "version": standard.version,
        "source": str(standard.source),
        "states": dict(counted(lines)),
        "items": [
            {
                "number": line.item.number,
                "kind": line.item.kind,
                "section": str(line.item.section),
                "text": str(line.item.text),
                "state": line.state,
                "evidence": [str(one) for one in line.said],
                "files": files_of(line),
                "question": str(line.item.question),
                "answer": line.answer.text if line.answer else "",
                "does_not_apply": bool(line.answer and line.answer.does_not_apply),
                "answers": line.number,
            }
            for line in lines
        ],
    }
