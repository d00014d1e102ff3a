"""The form of a new version of the guide."""

import base64
import binascii
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.numbers import whole_number
from interviews.actions.audiences import prefix_for
from interviews.actions.guides import LONGEST_GUIDE, Place, Ranks
from interviews.models import Audience
from interviews.queries.guides import GuideText, what_to_rank
from interviews.queries.reading import Unread, guide_text
from studies.models import Study


class GuideForm(forms.Form):
    """A text, pasted or from a file, and what changed. `source` keeps the file as it came, so that its
    line ends outlive the page. `said` is what a valid text says.
    """

    said = GuideText()

    text = forms.CharField(
        label=gettext_lazy("Text"),
        strip=False,
        required=False,
        widget=forms.Textarea(attrs={"rows": 18, "class": "mono sm", "spellcheck": "false"}),
        help_text=gettext_lazy("Markdown: a heading for each part, then its objective and its questions."),
    )
    file = forms.FileField(
        label=gettext_lazy("Or a Markdown file"),
        required=False,
        widget=forms.ClearableFileInput(attrs={"accept": ".md,.markdown,.txt,text/markdown"}),
    )
    note = forms.CharField(
        label=gettext_lazy("What changed and why"),
        max_length=500,
        required=False,
        help_text=gettext_lazy("One sentence. Not needed for the first version."),
    )
    source = forms.CharField(required=False, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        upload = cleaned.get("file")
        if upload:
            cleaned["text"] = self._read(upload)
        else:
            cleaned["text"] = _as_it_came(cleaned.get("text", ""), cleaned.get("source", ""))
        if not cleaned["text"].strip() and not self.errors:
            self.add_error("text", _("Paste a text, or choose a file."))
        if not self.errors:
            try:
                self.said = guide_text(cleaned["text"])
            except Unread as refused:
                self.add_error("file" if upload else "text", str(refused))
        return cleaned

    def _read(self, upload: UploadedFile) -> str:
        data = upload.read(4 * LONGEST_GUIDE + 1)
        if len(data) > 4 * LONGEST_GUIDE:
            self.add_error("file", _("The file is too long for a guide."))
            return ""
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            self.add_error("file", _("Line %(line)s is not UTF-8. Save the file as UTF-8.") % {"line": line})
            return ""
        if "\0" in text:
            self.add_error("file", _("The file contains a NUL character, so it is not a text."))
            return ""
        return text


def kept_source(text: str) -> str:
    """The text for the hidden field."""
    return base64.b64encode(text.encode()).decode()


def _as_it_came(typed: str, source: str) -> str:
    """The text of the file, if the text area still says the same; else the typed text with LF."""
    plain = typed.replace("\r\n", "\n").replace("\r", "\n")
    try:
        came = base64.b64decode(source.encode(), validate=True).decode()
    except (binascii.Error, ValueError):
        return plain
    return came if came and came.replace("\r\n", "\n").replace("\r", "\n") == plain else plain


class RankingsForm(forms.Form):
    """What each ranking question of a text is about, and the prefix of each audience that the study lacks."""

    def __init__(self, *args: Any, study: Study, said: GuideText, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.said = said
        choices = [("", _("do not record")), *what_to_rank(study)]
        self.ranked: list[tuple[Place, str]] = []
        for at, place, question in said.ranking():
            key = f"{at}_{place}"
            self.ranked.append(((at, place), key))
            self.fields[f"what_{key}"] = forms.ChoiceField(
                label=question.text, choices=choices, required=False
            )
            self.fields[f"top_{key}"] = forms.IntegerField(
                label=_("First places"),
                min_value=1,
                max_value=999,
                required=False,
                initial=question.top,
                help_text=_("Empty: the participant puts all in order."),
            )
        known = {one.name.casefold(): one.prefix for one in Audience.objects.filter(study=study)}
        self.added: list[tuple[str, str]] = []
        for number, name in enumerate(said.audiences):
            if name.casefold() not in known:
                prefix = prefix_for(name, list(known.values()))
                known[name.casefold()] = prefix
                self.added.append((name, f"prefix_{number}"))
                self.fields[f"prefix_{number}"] = forms.CharField(
                    label=_("Prefix for %(name)s") % {"name": name}, max_length=4, initial=prefix
                )

    @property
    def rankings(self) -> dict[Place, Ranks]:
        found = {}
        for place, key in self.ranked:
            parts = self.cleaned_data[f"what_{key}"].split(":")
            numbers = [whole_number(part) for part in parts]
            if len(numbers) == 3 and numbers[0] and numbers[1]:
                found[place] = Ranks(numbers[0], numbers[1], numbers[2], self.cleaned_data[f"top_{key}"])
        return found

    @property
    def prefixes(self) -> dict[str, str]:
        return {name: self.cleaned_data[key] for name, key in self.added}
