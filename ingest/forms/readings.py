"""The form that chooses which column or key of a file has which field."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ingest.addresses import BadAddress, parse
from ingest.forms.named import zone_choices
from ingest.readers import FIELDS, Sniffed
from ingest.words import FIELD_NAMES

_PATH = re.compile(r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)+")


class ReadingForm(forms.Form):
    """The sources of the fields of `part`; cleans to the arguments of `actions.read_again`."""

    base = forms.CharField(
        label=gettext_lazy("Repository, or host of the repositories"),
        required=False,
        max_length=500,
        widget=forms.TextInput(
            attrs={"class": "input mono", "placeholder": "github.com/owner/name", "spellcheck": "false"}
        ),
        help_text=gettext_lazy(
            "For rows without an address: github.com/owner/name, github.com, or issues.example.org/jira."
        ),
    )
    zone = forms.ChoiceField(
        label=gettext_lazy("Time zone of times without a zone"),
        required=False,
        help_text=gettext_lazy("If you choose no zone, rows with such times are refused."),
    )
    only = forms.CharField(
        label=gettext_lazy("Only these repositories"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "class": "mono sm", "spellcheck": "false"}),
        help_text=gettext_lazy("One per line, such as owner/name. Empty: issues of all repositories."),
    )

    def __init__(self, data: Any = None, *, sniffed: Sniffed, part: Sniffed) -> None:
        sources = {f"from_{field}": source for field, source in part.mapping.items()}
        first = {"base": part.base, "zone": part.zone, "only": "\n".join(sniffed.only), **sources}
        super().__init__(data, initial=first)
        self._part = part
        choices = [("", _("not read")), *((source, source) for source in part.choices)]
        zone = self.fields["zone"]
        assert isinstance(zone, forms.ChoiceField)  # noqa: S101 - as declared above
        zone.choices = [("", _("no zone")), *zone_choices()]
        for field in FIELDS if part.format in {"csv", "json"} else ():
            self.fields[f"from_{field}"] = forms.ChoiceField(
                label=str(FIELD_NAMES[field]), choices=choices, required=False
            )

    def sources(self) -> list[Any]:
        """The fields of the form that choose a column or key."""
        return [self[name] for name in self.fields if name.startswith("from_")]

    def clean_base(self) -> str:
        text = re.sub(r"^https?://", "", self.cleaned_data["base"].strip()).strip("/").removesuffix(".git")
        if text and not any(
            map(_is_address, (f"{text}/issues/1", f"{text}/browse/A-1", f"{text}/o/r/issues/1"))
        ):
            raise forms.ValidationError(
                _("This is neither a repository nor a host: %(text)s") % {"text": text}
            )
        return text

    def clean_only(self) -> tuple[str, ...]:
        lines = [line.strip() for line in self.cleaned_data["only"].splitlines() if line.strip()]
        wrong = next((line for line in lines if not _PATH.fullmatch(line)), None)
        if wrong is not None:
            raise forms.ValidationError(_("This is not a repository: %(text)s") % {"text": wrong})
        return tuple(lines)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        mapping = {
            name.removeprefix("from_"): source
            for name, source in cleaned.items()
            if name.startswith("from_") and source
        }
        has_place = "number" in mapping and ("repository" in mapping or cleaned.get("base"))
        if self.sources() and "url" not in mapping and not has_place and self._part.shape != "comments":
            raise forms.ValidationError(
                _("Choose the column with the address, or the column with the number and a repository.")
            )
        if not self.sources():
            mapping = dict(self._part.mapping)
        chosen = {name: cleaned.get(name) for name in ("base", "zone", "only")}
        return {**chosen, "mapping": mapping, "file": self._part.name}


def _is_address(text: str) -> bool:
    try:
        parse(f"https://{text}")
    except BadAddress:
        return False
    return True
