"""Parts of a whole, as percentages without a base: the numbers that a sample is planned by."""

from django import template
from django.utils import formats

from core.templatetags.crosscheck import NO_BREAK

register = template.Library()


@register.filter
def percent(share: float) -> str:
    """`{{ 0.955|percent }}` is "95.5 %": two decimals at most, none where they say nothing."""
    text = f"{share * 100:.2f}".rstrip("0").rstrip(".")
    decimals = len(text.partition(".")[2])
    return f"{formats.number_format(text, decimals)}{NO_BREAK}%"
