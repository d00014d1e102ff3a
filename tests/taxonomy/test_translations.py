"""Names and texts of categories in Chinese beside the study's own: the same categories, the same labels."""

import io
import json

import pytest
from django.db import connection, transaction
from django.db.utils import IntegrityError
from django.urls import reverse
from django.utils import translation

from accounts.actions import choose_language
from studies.models import Role
from taxonomy import actions
from taxonomy.actions.taxonomies import create_taxonomy, start_taxonomy
from taxonomy.errors import ChangeClash, ChangeRefused
from taxonomy.models import CategoryState
from taxonomy.presets import load_preset
from taxonomy.queries.codebooks import codebook
from taxonomy.queries.draft_reading import about, branches, told
from taxonomy.queries.drafts import drafted
from taxonomy.queries.history import steps
from taxonomy.queries.reading import about as of_version
from taxonomy.queries.reading import first_match
from taxonomy.skos import as_skos
from taxonomy.tree import (
    TEXTS,
    TRANSLATED,
    Node,
    TaxonomyFileError,
    Tree,
    phrases,
    read_csv,
    text_in,
    write_csv,
)
from tests.factories.studies import make_member
from tests.factories.taxonomy import make_version

pytestmark = pytest.mark.django_db

FILE = """code,level,name,definition,name_zh,examples_zh
C,type,Bug,Broken.,缺陷,崩溃；挂起
C.1,theme,Memory,,,
"""


def written(tree: Tree) -> str:
    stream = io.StringIO(newline="")
    write_csv(tree, stream)
    return stream.getvalue()


def test_a_text_is_said_in_the_language_of_its_reader_or_as_the_study_wrote_it():
    node = Node("C", 1, None, "Bug", definition="Broken.", name_zh="缺陷")
    assert [text_in(node, "name", language) for language in ("en", "zh-hans", "de", None)] == [
        "Bug",
        "缺陷",
        "Bug",
        "Bug",
    ]
    assert text_in(node, "definition", "zh-hans") == "Broken."


def test_a_file_holds_both_languages_and_comes_back_byte_for_byte():
    tree = read_csv(FILE)
    assert (tree["C"].name_zh, tree["C"].examples_zh, tree["C.1"].name_zh) == ("缺陷", "崩溃；挂起", "")
    assert phrases(tree["C"].examples_zh) == ("崩溃", "挂起")
    assert written(tree) == FILE


def test_a_file_without_translation_has_no_further_columns():
    plain = "code,level,name,definition\nC,type,Bug,Broken.\n"
    assert written(read_csv(plain)) == plain


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("C,type,Bug,,缺" + "陷" * 200 + ",", "the name_zh has 201 characters, but at most 200 are allowed"),
        ('C,type,Bug,,"缺\n陷",', "the name contains a line break or another control character"),
    ],
)
def test_a_translated_name_keeps_the_rules_of_names(row, message):
    with pytest.raises(TaxonomyFileError) as refused:
        read_csv("code,level,name,definition,name_zh,examples_zh\n" + row + "\n")
    assert [problem.message for problem in refused.value.problems] == [message]


@pytest.mark.parametrize("preset", ["llm-frameworks", "relevance"])
def test_presets_are_whole_in_chinese(preset):
    tree = load_preset(preset)
    untranslated = [
        node.code for node in tree if not (node.name_zh and node.definition_zh and node.examples_zh)
    ]
    assert untranslated == []
    assert [node.code for node in tree if len(phrases(node.examples)) != len(phrases(node.examples_zh))] == []
    siblings = [(node.parent, node.name_zh) for node in tree]
    assert len(set(siblings)) == len(siblings)
    assert [node.code for node in tree if "  " in node.definition_zh or "," in node.definition_zh] == []


def test_a_preset_has_the_words_of_its_file():
    tree = load_preset("llm-frameworks")
    assert (tree["C"].name, tree["C"].name_zh) == ("Bug", "缺陷")
    assert tree["A.4.ii"].name_zh == "环境兼容性挑战"
    assert phrases(tree["C.3.i"].examples_zh) == ("第二个节点始终没有加入进程组", "2 × 4 的网格被建成 4 × 2")
    assert phrases(tree["C.2.iii"].includes_zh) == (
        "反量化慢", "量化权重保存了两份", "量化过程中 OOM", "低精度下没有用上的内核",
    )  # fmt: skip
    assert phrases(tree["B.1.iii"].excludes_zh)[0] == "新版本使原来正常的功能失效 → C.1.iii"


@pytest.fixture
def version(study, lead):
    return create_taxonomy(study=study, name="Cause", tree=read_csv(FILE), by=lead.user)


def key_of(version, code):
    return str(CategoryState.objects.get(version=version, code=code).category.key)


def test_a_category_is_shown_in_the_language_of_its_reader(version):
    state = codebook(version).by_code["C"]
    with translation.override("zh-hans"):
        assert (state.title, state.said("definition")) == ("缺陷", "Broken.")
    with translation.override("en"):
        assert (state.title, str(state)) == ("Bug", "C Bug")


def test_a_published_version_keeps_its_translation(version):
    with pytest.raises(IntegrityError, match="a published version is immutable"), transaction.atomic():
        CategoryState.objects.filter(version=version, code="C").update(name_zh="错误")
    assert CategoryState.objects.get(version=version, code="C").name_zh == "缺陷"


def test_old_rows_have_no_translation(version):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT column_name, column_default, is_nullable FROM information_schema.columns"
            " WHERE table_name = 'taxonomy_categorystate' AND column_name LIKE '%%\\_zh' ORDER BY 1"
        )
        assert [row[0] for row in cursor.fetchall()] == sorted(TRANSLATED)
    assert make_version(version.taxonomy.study, ["A"]).states.get().name_zh == ""


def test_a_translation_is_a_change_of_the_draft_and_is_published(version, lead):
    taxonomy, key = version.taxonomy, key_of(version, "C.1")
    acted = actions.act(
        taxonomy=taxonomy,
        kind="describe",
        key=key,
        values={"name": "Memory", "name_zh": " 内存 ", "definition_zh": "占用过多。"},
        by=lead.user,
    )
    assert acted.change.values == {"name_zh": "内存", "definition_zh": "占用过多。"}
    assert [line.what for line in told(acted.drafted)] == [
        "text changed: Name in Chinese, Definition in Chinese"
    ]
    [shown] = [
        text
        for text in about(acted.drafted, acted.drafted.draft[key], {})["translated"]
        if text["name"] == "name_zh"
    ]
    assert (shown["label"], shown["text"]) == ("Name in Chinese", "内存")
    assert len(shown["difference"]) == 1

    after = actions.publish(taxonomy=taxonomy, by=lead.user)
    state = CategoryState.objects.get(version=after, code="C.1")
    assert (state.name, state.name_zh, state.definition_zh) == ("Memory", "内存", "占用过多。")
    assert str(state.category.key) == key
    assert [change.texts for change in steps(taxonomy)[0].changed] == [("name_zh", "definition_zh")]
    assert codebook(after).by_code["C"].name_zh == "缺陷"


def test_two_who_translate_the_same_text_do_not_write_over_each_other(version, lead):
    owner = make_member(version.taxonomy.study, Role.OWNER)
    taxonomy, key = version.taxonomy, key_of(version, "C.1")
    seen = {"name_zh": ""}
    common = {"taxonomy": taxonomy, "kind": "describe", "key": key, "seen": seen}
    actions.act(values={"name_zh": "内存"}, by=lead.user, **common)
    with pytest.raises(ChangeClash) as clash:
        actions.act(values={"name_zh": "存储"}, by=owner.user, **common)
    assert (clash.value.theirs, clash.value.ours) == ({"name_zh": "内存"}, {"name_zh": "存储"})


def test_a_translated_name_without_an_end_is_refused(version, lead):
    with pytest.raises(ChangeRefused, match="the name_zh has 201 characters"):
        actions.act(
            taxonomy=version.taxonomy,
            kind="describe",
            key=key_of(version, "C"),
            values={"name_zh": "长" * 201},
            by=lead.user,
        )


def test_a_tree_with_translations_opens_as_a_draft(study, lead):
    taxonomy = start_taxonomy(study=study, name="Two languages", by=lead.user, tree=read_csv(FILE))
    entry = next(iter(drafted(taxonomy).draft))
    assert (entry.name_zh, entry.examples_zh) == ("缺陷", "崩溃；挂起")
    plain = drafted(taxonomy).changes[1].values
    assert not set(plain) & set(TRANSLATED)
    assert set(TEXTS) <= set(plain)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("words", ["Bug", "缺陷", "陷"])
def test_both_names_are_found_in_both_languages(version, language, words):
    with translation.override(language):
        assert first_match(codebook(version), words).code == "C"
        assert [branch.entry.code for branch in branches(drafted(version.taxonomy), words=words)] == ["C"]


def test_the_page_shows_the_readers_language(client, version, study):
    client.force_login(make_member(study, Role.VOLUNTEER).user)
    address = reverse("taxonomy", args=[version.taxonomy_id]) + "?category=C"
    assert "<span>Bug</span>" in client.get(address).text
    with translation.override("zh-hans"):
        shown = of_version(codebook(version), codebook(version).by_code["C"])
    assert [[part.text for part in phrase] for phrase in shown["examples"]] == [["崩溃"], ["挂起"]]


def test_the_page_of_a_preset_is_chinese_and_its_arrows_are_links(client, study, lead):
    preset = create_taxonomy(study=study, name="Root cause", tree=load_preset("llm-frameworks"), by=lead.user)
    reader = make_member(study, Role.VOLUNTEER).user
    client.force_login(reader)
    address = reverse("taxonomy", args=[preset.taxonomy_id]) + "?category=C.2.iii"
    in_english = client.get(address).text
    assert "slow dequantisation" in in_english
    assert "反量化慢" not in in_english

    choose_language(user=reader, language="zh-hans")
    in_chinese = client.get(address).text
    assert "反量化慢" in in_chinese
    assert "slow dequantisation" not in in_chinese
    with translation.override("zh-hans"):
        book = codebook(preset)
        [first, *_] = of_version(book, book.by_code["C.2.iii"])["excludes"]
    assert [(part.text, part.state and part.state.code) for part in first] == [
        ("量化后的回答错误 ", None),
        ("C.4.ii", "C.4.ii"),
    ]


def test_the_editor_holds_the_translation_folded(client, version, lead):
    client.force_login(lead.user)
    page = client.get(reverse("draft", args=[version.taxonomy_id]) + "?category=C").text
    assert '<details class="chinese"' in page
    assert 'name="name_zh"' in page
    assert 'value="缺陷"' in page
    sent = {
        "kind": "describe",
        "key": key_of(version, "C"),
        "code": "C",
        "seen-code": "C",
        "name": "Bug",
        "seen-name": "Bug",
        "name_zh": "错误",
        "seen-name_zh": "缺陷",
    }
    client.post(reverse("change_draft", args=[version.taxonomy_id]), sent)
    [change] = drafted(version.taxonomy).changes
    assert change.values == {"name_zh": "错误"}


def test_rest_reads_and_writes_translations(client, version, lead):
    client.force_login(lead.user)
    here = f"/api/v1/taxonomies/{version.taxonomy_id}/"
    first, second = client.get(f"{here}versions/1/").json()
    assert (first["name"], first["translations"]) == (
        "Bug",
        {"zh-hans": {"name": "缺陷", "examples": "崩溃；挂起"}},
    )
    assert second["translations"] == {}

    def change(translations):
        body = {"kind": "describe", "key": second["key"], "translations": translations}
        return client.post(f"{here}draft/changes/", json.dumps(body), "application/json")

    answer = change({"zh-hans": {"name": "内存"}})
    assert answer.status_code == 201
    [made] = answer.json()["changes"]
    assert made["values"] == {"translations": {"zh-hans": {"name": "内存"}}}
    assert answer.json()["categories"][1]["translations"] == {"zh-hans": {"name": "内存"}}
    assert "name_zh" not in answer.json()["categories"][1]
    assert change({"fr": {"name": "mémoire"}}).status_code == 400
    assert change({"zh-hans": {"title": "内存"}}).status_code == 400


def test_tools_read_both_languages(version):
    [concept] = [each for each in json.loads(as_skos(version))["@graph"] if each.get("notation") == "C"]
    assert concept["prefLabel"] == ["Bug", {"@language": "zh-Hans", "@value": "缺陷"}]
    assert concept["definition"] == "Broken."
    assert concept["example"] == [
        {"@language": "zh-Hans", "@value": "崩溃"},
        {"@language": "zh-Hans", "@value": "挂起"},
    ]
