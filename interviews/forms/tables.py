"""The forms that import a table of participants: the file, then what each column is."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from interviews.actions.participants import LONGEST, LONGEST_VALUE, Background, NewParticipant
from interviews.models import Audience, Participant
from interviews.queries.reading import TABLES
from interviews.queries.tables import ONCE, Row, Table, guessed_kinds, kind_choices, rows_of
from studies.models import Study

MOST_BYTES = 1 << 20
PSEUDONYM = re.compile(r"([A-Z]{1,4})\s*0*([1-9]\d{0,4})", re.IGNORECASE)


class TableForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"),
        widget=forms.ClearableFileInput(attrs={"accept": ",".join(f".{ending}" for ending in TABLES)}),
        help_text=gettext_lazy("A table with the names of columns in the first row, as XLSX or CSV."),
    )

    def clean_file(self) -> Any:
        upload = self.cleaned_data["file"]
        if upload.size > MOST_BYTES:
            raise forms.ValidationError(_("A table of participants has at most 1 MB."))
        return upload


class ColumnsForm(forms.Form):
    """What each column is. `people` are the participants of the rows, `problems` the lines with causes."""

    def __init__(self, *args: Any, study: Study, table: Table, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.table, self.study = table, study
        self.audiences = list(Audience.objects.filter(study=study))
        self.problems: list[tuple[int, str]] = []
        for number, (name, kind) in enumerate(zip(table.header, guessed_kinds(table.header), strict=True)):
            self.fields[f"column_{number}"] = forms.ChoiceField(
                label=name or _("column %(n)s") % {"n": number + 1}, choices=kind_choices(), initial=kind
            )
        self.fields["audience"] = forms.ChoiceField(
            label=_("Audience of rows that name none"),
            choices=[("", _("none")), *((str(one.pk), one.name) for one in self.audiences)],
            required=False,
            initial=str(self.audiences[0].pk) if self.audiences else "",
        )

    @property
    def kinds(self) -> list[str]:
        """What each column is: as chosen, or as guessed on a page that is not sent yet."""
        names = [f"column_{number}" for number in range(len(self.table.header))]
        if self.is_bound:
            return [self.cleaned_data[name] for name in names]
        return [str(self.fields[name].initial) for name in names]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            kinds = self.kinds
            if twice := [kind for kind in ONCE if kinds.count(kind) > 1]:
                words = _("Two columns are “%(kind)s”. Choose one of them.")
                self.add_error(None, words % {"kind": dict(kind_choices())[twice[0]]})
        return cleaned

    def people(self) -> list[NewParticipant]:
        """The participants of the rows; lines that describe none are in `problems` afterwards."""
        self.problems = []
        default = self.cleaned_data["audience"] if self.is_bound else self.fields["audience"].initial
        taken = {(one.audience_id, one.number) for one in Participant.objects.filter(study=self.study)}
        found = []
        for row in rows_of(self.table, self.kinds):
            audience, number, cause = self._placed(row, str(default))
            if audience and number and (audience.pk, number) in taken:
                words = _("the participant %(participant)s already exists")
                cause = words % {"participant": f"{audience.prefix}{number}"}
            cause = cause or _too_long(row)
            if cause or audience is None:
                self.problems.append((row.line, cause))
                continue
            if number:
                taken.add((audience.pk, number))
            found.append(
                NewParticipant(audience, Background(**row.fields, attributes=row.attributes), number)
            )
        return found

    def _placed(self, row: Row, default: str) -> tuple[Audience | None, int | None, str]:
        """Audience, number and, if the row has no audience, why."""
        if row.pseudonym:
            match = PSEUDONYM.fullmatch(row.pseudonym)
            by_prefix = {one.prefix: one for one in self.audiences}
            audience = by_prefix.get(match[1].upper()) if match else None
            if match and audience:
                return audience, int(match[2]), ""
            return None, None, _("no audience has the prefix of this pseudonym")
        if row.audience:
            for one in self.audiences:
                names = {one.name.casefold(), one.prefix.casefold()}
                if row.audience.casefold() in names:
                    return one, None, ""
            return None, None, _("the study has no audience of this name")
        chosen = next((one for one in self.audiences if str(one.pk) == default), None)
        return chosen, None, "" if chosen else _("no audience is chosen")


def _too_long(row: Row) -> str:
    long = any(len(row.fields[name]) > most for name, most in LONGEST.items())
    return (
        _("a cell is too long")
        if long or any(len(value) > LONGEST_VALUE for value in row.attributes.values())
        else ""
    )
