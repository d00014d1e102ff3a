"""Forms of transcripts: the file or text that is imported, a replacement, who a speaker is, a correction."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from interviews.actions.transcripts import (
    INTERVIEWER,
    LONGEST_ORIGINAL,
    LONGEST_STAND_IN,
    OTHER,
    PARTICIPANT,
)
from interviews.queries.reading import TRANSCRIPTS

FORMATS = tuple(f".{ending}" for ending in TRANSCRIPTS)
MOST_BYTES = 20 << 20


class TranscriptForm(forms.Form):
    """A transcript as text or file. A refusal repeats no field named `secret_…` (core.http.typed)."""

    secret_text = forms.CharField(
        label=gettext_lazy("Text"),
        strip=False,
        required=False,
        widget=forms.Textarea(attrs={"rows": 14, "dir": "auto", "autocomplete": "off"}),
        help_text=gettext_lazy("One turn per line: speaker, colon, text. A time in brackets can come first."),
    )
    file = forms.FileField(
        label=gettext_lazy("Or a file"),
        required=False,
        widget=forms.ClearableFileInput(attrs={"accept": ",".join(FORMATS)}),
        help_text=gettext_lazy("The file itself is not kept."),
    )

    def clean_file(self) -> Any:
        upload = self.cleaned_data["file"]
        if upload and not upload.name.lower().endswith(FORMATS):
            words = _("Choose a file that ends with %(endings)s.")
            raise forms.ValidationError(words % {"endings": ", ".join(FORMATS)})
        if upload and upload.size > MOST_BYTES:
            raise forms.ValidationError(_("A transcript has at most 20 MB."))
        return upload

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not cleaned.get("file") and not cleaned.get("secret_text", "").strip():
            self.add_error("secret_text", _("Paste a text, or choose a file."))
        return cleaned

    @property
    def given(self) -> tuple[bytes, str]:
        """The bytes, and the ending of the file that they are of."""
        upload = self.cleaned_data["file"]
        if upload:
            return upload.read(MOST_BYTES + 1), upload.name.lower().rpartition(".")[2]
        return self.cleaned_data["secret_text"].encode(), "txt"


class CorrectionForm(TranscriptForm):
    """A corrected transcript, and what was corrected."""

    note = forms.CharField(
        label=gettext_lazy("What was corrected"),
        max_length=500,
        help_text=gettext_lazy("One sentence, without names."),
    )
    secret_original = forms.CharField(
        label=gettext_lazy("A name that was missed"),
        max_length=LONGEST_ORIGINAL,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "dir": "auto"}),
        help_text=gettext_lazy("Turns of earlier versions that contain this name are emptied."),
    )
    stand_in = forms.CharField(
        label=gettext_lazy("Its replacement"), max_length=LONGEST_STAND_IN, required=False
    )
    made_from = forms.IntegerField(widget=forms.HiddenInput, min_value=1)


class ReplacementForm(forms.Form):
    secret_original = forms.CharField(
        label=gettext_lazy("Text to replace"),
        max_length=LONGEST_ORIGINAL,
        widget=forms.TextInput(attrs={"autocomplete": "off", "dir": "auto"}),
    )
    stand_in = forms.CharField(
        label=gettext_lazy("Replacement"),
        max_length=LONGEST_STAND_IN,
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": "[company]"}),
        help_text=gettext_lazy("Such as [company] or [colleague 1]."),
    )


class SpeakersForm(forms.Form):
    """Who each speaker of the file is."""

    def __init__(self, *args: Any, speakers: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.speakers = {f"speaker_{number}": speaker for number, speaker in enumerate(speakers)}
        for key, speaker in self.speakers.items():
            self.fields[key] = forms.ChoiceField(
                label=speaker or _("no name"),
                choices=[
                    (PARTICIPANT, _("the participant")),
                    (INTERVIEWER, _("the interviewer")),
                    (OTHER, _("somebody else")),
                ],
                initial=guessed_role(speaker, speakers),
            )

    @property
    def roles(self) -> dict[str, str]:
        return {speaker: self.cleaned_data[key] for key, speaker in self.speakers.items()}


def guessed_role(speaker: str, speakers: list[str]) -> str:
    """Who this is, by the usual names; the first of two speakers without such a name asks."""
    usual = {"interviewer", "i", "q", "int", "moderator", "researcher", "采访者", "访谈者", "问"}
    asking = [one for one in speakers if one.strip().casefold() in usual]
    if speaker in asking or (not asking and len(speakers) == 2 and speaker == speakers[0]):
        return INTERVIEWER
    return PARTICIPANT if len(speakers) <= 2 or len(speakers) - len(asking) == 1 else OTHER
