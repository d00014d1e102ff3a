"""The forms that import a codebook in the published shape: the file, then what is known of it."""

import json
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_variables

from interviews.actions.codebooks import LONGEST_NAME
from interviews.errors import IdentityUnreadable
from interviews.queries.codebooks import codebook_file
from interviews.queries.codings import versions_to_code_with
from interviews.queries.identities import sealed, unsealed
from interviews.queries.reading import MOST_PACKED, Unread
from interviews.readers.codebook import Codebook
from studies.models import Study
from taxonomy.models import Version

MOST_BYTES = 1 << 20


class CodebookFileForm(forms.Form):
    """A file. `read` is what it says, `packed` the same for the next page, encrypted."""

    read: Codebook
    packed: str

    file = forms.FileField(
        label=gettext_lazy("File"),
        widget=forms.ClearableFileInput(attrs={"accept": ".csv"}),
        help_text=gettext_lazy(
            "A CSV file with the columns Participant, Type, Experience Level, Framework Context, Prompt"
            " Category, Thematic Quote, Linked Taxonomy Node(s) and Research Insight."
        ),
    )

    def clean_file(self) -> Any:
        upload = self.cleaned_data["file"]
        if upload.size > MOST_BYTES:
            raise forms.ValidationError(_("A codebook has at most 1 MB."))
        data = upload.read(MOST_BYTES + 1)
        try:
            self.read = codebook_file(data)
        except Unread as refused:
            raise forms.ValidationError(str(refused)) from None
        self.packed = packed(upload.name, data)
        if len(self.packed) > MOST_PACKED:
            raise forms.ValidationError(
                _("The codebook has too much text. Nothing was stored. Split the file.")
            )
        return upload


class VersionField(forms.ModelChoiceField):
    """The version of a taxonomy with which links are compared, or none."""

    def __init__(self, versions: QuerySet[Version], **kwargs: Any) -> None:
        super().__init__(
            versions,
            label=_("Taxonomy of the links"),
            required=False,
            empty_label=_("do not compare"),
            help_text=_("Links to categories that this version lacks are named. They stay text."),
            **kwargs,
        )

    def label_from_instance(self, obj: Version) -> str:
        return f"{obj.taxonomy.name}, v{obj.number}"


class CodebookForm(forms.Form):
    """What a codebook is called, with which taxonomy its links are compared, and whether it is published."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=LONGEST_NAME)
    is_published = forms.BooleanField(
        label=gettext_lazy("These quotes are published already"),
        required=False,
        help_text=gettext_lazy(
            "Then rows of people whom this study does not know can be exported. Participants of this study"
            " decide by their consent."
        ),
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        versions = versions_to_code_with(study)
        self.fields["version"] = VersionField(versions, initial=versions.first())


@sensitive_variables()
def packed(name: str, data: bytes) -> str:
    """A file for a hidden field of the page, encrypted: the server keeps nothing before the import."""
    return sealed(json.dumps([name, data.decode("latin-1")])).decode()


@sensitive_variables()
def unpacked(text: str) -> tuple[str, Codebook] | None:
    """Name and content of the hidden field; None for a text that this server did not write."""
    try:
        name, data = json.loads(unsealed(text.encode()))
        return name, codebook_file(data.encode("latin-1"))
    except (IdentityUnreadable, Unread, ValueError):
        return None
