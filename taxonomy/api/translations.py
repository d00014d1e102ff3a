"""The translated texts of categories in REST: by language and name, as `{"zh-hans": {"name": "内存"}}`."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from taxonomy.tree import TEXTS, TRANSLATED, TRANSLATIONS


class TranslationsField(serializers.DictField):
    """Texts by language and name; fields of the category that are named otherwise inside the platform."""

    child = serializers.DictField(child=serializers.CharField(allow_blank=True))

    def to_internal_value(self, data: Any) -> dict[str, dict[str, str]]:
        given: dict[str, dict[str, str]] = super().to_internal_value(data)
        for language, texts in given.items():
            if language not in TRANSLATIONS:
                known = ", ".join(TRANSLATIONS)
                raise serializers.ValidationError(
                    f"Unknown language “{language}”: the languages are {known}."
                )
            if unknown := sorted(set(texts) - {"name", *TEXTS}):
                raise serializers.ValidationError(f"Unknown text “{unknown[0]}” in “{language}”.")
        return given


def by_language(values: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """These translated fields by language and name, empty ones included."""
    found = {
        language: {name: values[f"{name}_{end}"] for name in ("name", *TEXTS) if f"{name}_{end}" in values}
        for language, end in TRANSLATIONS.items()
    }
    return {language: texts for language, texts in found.items() if texts}


def translations_of(values: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The translated texts among these fields by language and name, without empty ones."""
    return by_language({name: text for name, text in values.items() if text})


def with_translations(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a change as REST shows them: translated texts below `translations`."""
    shown = {name: value for name, value in values.items() if name not in TRANSLATED}
    translated = by_language(values)
    return shown | ({"translations": translated} if translated else {})


def fields_of(translations: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The texts by the names of their fields: the inverse of `translations_of`, empty texts included."""
    return {
        f"{name}_{TRANSLATIONS[language]}": text
        for language, texts in translations.items()
        for name, text in texts.items()
    }
