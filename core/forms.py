"""How forms look: every field with its label, hint and errors tied to it for assistive technology."""

from django.forms.renderers import TemplatesSetting


class Renderer(TemplatesSetting):
    """Renders forms and fields with the project's templates (FORM_RENDERER).

    Django itself writes `aria-describedby` (hint and errors) and `aria-invalid` on the field.
    """

    form_template_name = "shared/_form.html"
    field_template_name = "shared/_field.html"
