"""The forms that import a table of participants: the file, then what each column is."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from interviews.actions.tables import TablePlan, planned_people
from interviews.models import Audience
from interviews.queries.reading import TABLES
from interviews.queries.table_audiences import (
    MOST_GROUPS,
    Assignment,
    groups_of,
    likely_assignment,
    likely_audience,
    likely_kinds,
)
from interviews.queries.tables import ONCE, Table, kind_choices
from studies.models import Study

MOST_BYTES = 1 << 20
MOST_SHEETS = 200


class TableForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"),
        widget=forms.ClearableFileInput(attrs={"accept": ",".join(f".{ending}" for ending in TABLES)}),
        help_text=gettext_lazy("A table with the names of columns in the first row, as XLSX or CSV."),
    )
    sheet = forms.IntegerField(
        label=gettext_lazy("Sheet"),
        min_value=1,
        max_value=MOST_SHEETS,
        required=False,
        initial=1,
        help_text=gettext_lazy("The number of the sheet in an XLSX file. Import one sheet after the other."),
    )

    def clean_file(self) -> Any:
        upload = self.cleaned_data["file"]
        if upload.size > MOST_BYTES:
            raise forms.ValidationError(_("A table of participants has at most 1 MB."))
        return upload

    def clean_sheet(self) -> int:
        return int(self.cleaned_data["sheet"] or 1)


class ColumnsForm(forms.Form):
    """What each column is, and which column tells the audience."""

    def __init__(self, data: Any = None, *, study: Study, table: Table) -> None:
        self.table, self.study = table, study
        self.audiences = list(Audience.objects.filter(study=study))
        self.guess = likely_assignment(table, self.audiences)
        data = None if data is None else data.copy()
        self.groups = self._groups(data)
        for name, field in self.groups.items():
            if data is not None:
                data.setdefault(name, field.initial)
        super().__init__(data)
        columns = []
        kinds = likely_kinds(table, self.guess)
        for number, (name, kind) in enumerate(zip(table.header, kinds, strict=True)):
            words = name or _("column %(n)s") % {"n": number + 1}
            columns.append((str(number), words))
            self.fields[f"column_{number}"] = forms.ChoiceField(
                label=words, choices=kind_choices(), initial=kind
            )
        self.fields["audience_column"] = forms.ChoiceField(
            label=_("Column that tells the audience"),
            choices=[("", _("none")), *columns],
            required=False,
            initial="" if self.guess.column is None else str(self.guess.column),
        )
        self.fields.update(self.groups)
        self.fields["audience"] = self._audience(_("Audience of rows that name none"), self.guess.default)

    def _audience(self, label: str, initial: Audience | None) -> forms.ChoiceField:
        choices = [("", _("none")), *((str(one.pk), one.name) for one in self.audiences)]
        start = str(initial.pk) if initial else ""
        return forms.ChoiceField(label=label, choices=choices, required=False, initial=start)

    def _groups(self, data: Any) -> dict[str, forms.ChoiceField]:
        """A field for each group of the chosen column; its name is new for each column."""
        chosen = self.guess.column
        if data is not None:
            sent = str(data.get("audience_column", ""))
            known = [str(number) for number in range(len(self.table.header))]
            chosen = known.index(sent) if sent in known else None
        self.column = chosen
        found = [] if chosen is None else groups_of(self.table, chosen)
        self.named = {f"group_{chosen}_{place}": name for place, (name, _rows) in enumerate(found)}
        if len(found) > MOST_GROUPS:
            self.named = {}
            return {}
        fields = {}
        for key, (name, rows) in zip(self.named, found, strict=True):
            words = ngettext("“%(group)s”, %(n)s row", "“%(group)s”, %(n)s rows", rows)
            label = words % {"group": name[:80], "n": rows}
            fields[key] = self._audience(label, likely_audience(name, self.audiences))
        return fields

    @property
    def kinds(self) -> list[str]:
        """What each column is: as chosen, or as guessed on a page that is not sent yet."""
        return [str(self._value(f"column_{number}")) for number in range(len(self.table.header))]

    def _value(self, name: str) -> Any:
        return self.cleaned_data[name] if self.is_bound else self.fields[name].initial

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            kinds = self.kinds
            if twice := [kind for kind in ONCE if kinds.count(kind) > 1]:
                words = _("Two columns are “%(kind)s”. Choose one of them.")
                self.add_error(None, words % {"kind": dict(kind_choices())[twice[0]]})
        if self.column is not None and not self.groups and groups_of(self.table, self.column):
            words = _("This column has more than %(most)s different values. Choose another column.")
            self.add_error("audience_column", words % {"most": MOST_GROUPS})
        return cleaned

    def plan(self) -> TablePlan:
        """Whom an import would add."""
        by_pk = {str(one.pk): one for one in self.audiences}
        groups = {name.casefold(): by_pk.get(self._value(key)) for key, name in self.named.items()}
        assignment = Assignment(self.column, groups, by_pk.get(self._value("audience")))
        return planned_people(self.study, self.table, self.kinds, assignment)
