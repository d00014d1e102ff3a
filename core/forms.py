"""The layout of forms: every field with its label, hint and errors, tied to it for assistive technology."""

from html import escape
from typing import Any

from django.forms import Select
from django.forms.renderers import TemplatesSetting
from django.forms.utils import flatatt
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe


class Renderer(TemplatesSetting):
    """Renders forms and fields with the project's templates (FORM_RENDERER). Django itself writes
    `aria-describedby` (hint and errors) and `aria-invalid` on the field.
    """

    form_template_name = "shared/_form.html"
    field_template_name = "shared/_field.html"


class LongSelect(Select):
    """A list of about a hundred choices, without groups: written at once, not by a template per choice."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:  # noqa: ARG002
        chosen = set(self.format_value(value))
        options = []
        for key, said in self.choices:
            on = " selected" if str(key) in chosen else ""
            options.append(f'<option value="{escape(str(key))}"{on}>{escape(str(said))}</option>')
        given = self.build_attrs(self.attrs, {"name": name, **(attrs or {})})
        return format_html("<select{}>{}</select>", flatatt(given), mark_safe("".join(options)))  # noqa: S308 - escaped
