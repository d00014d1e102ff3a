"""The categories of the labelling page in the language of its reader."""

import json
import re

import pytest
from django.utils import timezone, translation

from annotate.views.picker import picker
from rounds.queries.categories import codebook
from taxonomy.actions import create_taxonomy
from taxonomy.models import CategoryState, Version
from taxonomy.presets import load_preset
from tests import factories
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    world = small_world(issues=1)
    version = factories.make_version(world.study, ["C", "C.1"], published=False)
    texts = {"name": "Memory", "definition": "Too much.", "name_zh": "内存", "includes_zh": "泄漏；溢出"}
    CategoryState.objects.filter(version=version, code="C.1").update(**texts)
    Version.objects.filter(pk=version.pk).update(published_at=timezone.now())
    version.refresh_from_db()
    world.version = version
    return world


def shown(world: World, language: str) -> dict[str, str]:
    """What the script of the page knows of C.1 in this language."""
    with translation.override(language):
        data = json.loads(re.sub(r"<[^>]+>", "", picker(world.round()).data))
    texts = ("name", "also", "definition", "includes", "excludes", "examples")
    return {name: data[1][name] for name in texts if data[1][name]}


def test_the_picker_has_the_readers_texts_and_the_other_name_to_search_by(world):
    assert shown(world, "en") == {"name": "Memory", "also": "内存", "definition": "Too much."}
    assert shown(world, "zh-hans") == {
        "name": "内存",
        "also": "Memory",
        "definition": "Too much.",
        "includes": "泄漏；溢出",
    }


def test_the_tree_has_the_readers_names_and_the_same_values(world):
    found = []
    for language in ("en", "zh-hans"):
        with translation.override(language):
            tree = str(picker(world.round()).tree)
        found.append((re.findall(r'class="name">([^<]+)<', tree), re.findall(r'value="([^"]+)"', tree)))
    assert [names for names, _ in found] == [["Name of C", "Memory"], ["Name of C", "内存"]]
    assert found[0][1] == found[1][1] != []


def test_a_cached_codebook_says_names_in_each_language(world, django_assert_num_queries):
    state = codebook(world.version.pk).by_code["C.1"]
    with django_assert_num_queries(0):
        for language, name in (("en", "Memory"), ("zh-hans", "内存")):
            with translation.override(language):
                assert state.title == name


def test_a_preset_in_the_picker_is_chinese_throughout():
    world = small_world(issues=1)
    world.version = create_taxonomy(
        study=world.study, name="Root cause", tree=load_preset("llm-frameworks"), by=world.lead.user
    )
    with translation.override("zh-hans"):
        data = json.loads(re.sub(r"<[^>]+>", "", picker(world.round()).data))
    assert len(data) == 90
    assert [
        (each["code"], name)
        for each in data
        for name in ("name", "definition", "includes", "excludes", "examples")
        if not re.search(r"[\u4e00-\u9fff]", each[name])
    ] == []
