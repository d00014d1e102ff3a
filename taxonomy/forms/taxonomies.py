"""Forms of taxonomies."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from taxonomy.errors import TaxonomyRefused
from taxonomy.models import Taxonomy
from taxonomy.presets import PRESETS, load_preset
from taxonomy.tree import MAX_BYTES, TaxonomyFileError, Tree, read_csv
from taxonomy.tree.qdc import read_qdc

MOST_PROBLEMS = 100


class TaxonomyForm(forms.Form):
    """A name, and a preset, a file (CSV or QDC), a text, or nothing. Cleans to `name` and `tree`, which is
    None for an empty taxonomy. `causes` explains each refused line; the error of `file` or `text` is their
    heading.
    """

    causes: tuple[str, ...] = ()

    source = forms.ChoiceField(
        label=gettext_lazy("Start from"),
        choices=[
            *((preset.name, preset.title) for preset in PRESETS.values()),
            ("file", ""),
            ("text", ""),
            ("empty", ""),
        ],
        initial=next(iter(PRESETS)),
        error_messages={"required": gettext_lazy("Choose a starting point.")},
    )
    file = forms.FileField(label=gettext_lazy("CSV or QDC file"), required=False, allow_empty_file=True)
    text = forms.CharField(
        label=gettext_lazy("Tree as CSV text"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 18, "spellcheck": "false", "wrap": "off"}),
    )
    name = forms.CharField(
        label=gettext_lazy("Name"),
        required=False,
        max_length=Taxonomy._meta.get_field("name").max_length,  # noqa: SLF001 - Django's own API
        help_text=pgettext_lazy(
            "taxonomy", "The name that volunteers read. If empty, the name of the preset or the file is used."
        ),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        source, file = cleaned.get("source"), cleaned.get("file")
        tree: Tree | None = None
        title = ""
        if source == "file":
            if file is None:
                self.add_error("file", _("Choose a CSV or QDC file."))
            else:
                tree = self._read_file(file)
                title = str(file.name).rpartition(".")[0] or str(file.name)
        elif source == "text":
            tree = self._read("text", cleaned.get("text", ""))
        elif source and source != "empty":
            preset = PRESETS[source]
            tree, title = load_preset(source), _(preset.title)
        if source in {"text", "empty"} and not cleaned.get("name"):
            self.add_error("name", _("Enter a name for the taxonomy."))
        cleaned["tree"] = tree
        cleaned["name"] = (cleaned.get("name") or title)[:120]
        return cleaned

    def tree_so_far(self) -> Tree | None:
        """The posted tree, even if the form is otherwise incomplete; None without a readable tree."""
        if not self.is_bound:
            return None
        self.is_valid()
        tree: Tree | None = self.cleaned_data.get("tree")
        return tree

    def _read_file(self, file: Any) -> Tree | None:
        if file.size > MAX_BYTES:
            self.add_error("file", _("The file is larger than 5 MB. A taxonomy file can have at most 5 MB."))
            return None
        if str(file.name).lower().endswith(".qdc"):
            return self._read("file", file.read(MAX_BYTES + 1), read_qdc)
        return self._read("file", file)

    def _read(self, field: str, source: Any, reader: Callable[[Any], Tree] = read_csv) -> Tree | None:
        """The tree in the source; None if it is refused, with an error at `field` and `causes` by line."""
        try:
            return reader(source)
        except TaxonomyFileError as error:
            refusal, *causes = str(TaxonomyRefused(error.problems).message).splitlines()
            self.causes = tuple(causes[:MOST_PROBLEMS])
            if len(causes) > MOST_PROBLEMS:
                self.causes += (_("and %(n)d more.") % {"n": len(causes) - MOST_PROBLEMS},)
            self.add_error(field, refusal)
            return None
