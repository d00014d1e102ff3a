"""Findings as files: the chain from evidence to finding as CSV, and all findings as Markdown."""

from collections.abc import Iterable, Iterator, Sequence

from django.utils.translation import gettext as _

from core.csv import csv_lines
from core.text.joining import named
from findings.errors import FindingRefused
from findings.queries.evidence import CHANGED, ERASED, GONE, HIDDEN, SAME, SILENT, UNARCHIVED
from findings.queries.findings import EvidenceLine, FindingLine
from interviews.queries.exports import without_names

COLUMNS = (
    "Finding", "Text", "Frozen_At", "Evidence", "Kind", "Source", "Reference", "Content", "Codes", "Value",
    "Value_Then", "State", "Note",
)  # fmt: skip


def state_in_words(state: str) -> str:
    return {
        SAME: _("as confirmed"),
        CHANGED: _("changed"),
        GONE: _("no longer there"),
        HIDDEN: _("hidden from you"),
        SILENT: _("not to be quoted"),
        UNARCHIVED: _("not to be archived"),
        ERASED: _("participant erased"),
    }[state]


def chain_rows(lines: Iterable[FindingLine]) -> Iterator[tuple[object, ...]]:
    """A row for each piece of evidence; a finding without any has one row."""
    for line in lines:
        finding = line.finding
        begins = (line.number, line.text, finding.frozen_at.isoformat() if finding.frozen_at else "")
        if not line.evidence:
            yield (*begins, *[""] * (len(COLUMNS) - len(begins)))
        for one in line.evidence:
            now = one.live
            yield (
                *begins,
                one.number,
                one.evidence.kind,
                now.source,
                now.reference,
                now.content,
                " ".join(now.codes),
                one.shown if one.state in {SAME, CHANGED} and one.evidence.kind != "quote" else "",
                one.was,
                one.state,
                one.evidence.note,
            )


def findings_csv(lines: Sequence[FindingLine], study_id: int) -> Iterator[bytes]:
    """Raises FindingRefused if a listed name of a participant is left in it."""
    rows = list(chain_rows(lines))
    require_no_name(study_id, (str(cell) for row in rows for cell in row))
    return csv_lines(COLUMNS, rows)


def findings_markdown(lines: Sequence[FindingLine], study_id: int) -> str:
    """Raises FindingRefused if a listed name of a participant is left in it."""
    text = "\n".join(_markdown(lines))
    require_no_name(study_id, [text])
    return text


def _markdown(lines: Sequence[FindingLine]) -> Iterator[str]:
    yield f"# {_('Findings')}"
    for line in lines:
        yield ""
        yield f"## {_('Finding %(number)s') % {'number': line.number}}"
        yield ""
        yield line.text
        if line.finding.frozen_at:
            yield ""
            yield _("Frozen on %(day)s.") % {"day": line.finding.frozen_at.date().isoformat()}
        if line.is_changed:
            yield ""
            yield _("Some evidence changed since it was confirmed.")
        if line.evidence:
            yield ""
        for one in line.evidence:
            yield f"{one.number}. {_item(one)}"


def _item(one: EvidenceLine) -> str:
    now = one.live
    parts = [named(one.evidence.get_kind_display(), now.source)]
    if now.content:
        quoted = f"“{now.content}”" if one.evidence.kind == "quote" else now.content
        parts.append(" ".join(quoted.split()))
    if now.codes:
        parts.append(" ".join(now.codes))
    if one.state != SAME:
        before = f" ({_('before: %(value)s') % {'value': one.was}})" if one.was else ""
        parts.append(f"**{state_in_words(one.state)}**{before}")
    if one.evidence.note:
        parts.append(" ".join(one.evidence.note.split()))
    return " · ".join(parts)


def require_no_name(study_id: int, texts: Iterable[str]) -> None:
    """Raises FindingRefused if a listed name of a participant is in one of these texts."""
    said = list(texts)
    _kept, named = without_names(study_id, said, said)
    if named:
        raise FindingRefused(
            _(
                "A finding contains a listed name of a participant, so no file was made. Use the pseudonym in"
                " the text, or correct the transcript."
            )
        )
