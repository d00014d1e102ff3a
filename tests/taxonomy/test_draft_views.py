"""The editor of a taxonomy as pages: without script, with htmx, and where something cannot be done."""

import re
from uuid import UUID

import pytest
from django.urls import reverse

from boards.models import Board
from studies.models import Role
from taxonomy.actions import start_taxonomy
from taxonomy.models import Change, Taxonomy
from taxonomy.queries.drafts import drafted
from taxonomy.tree.drafts import ADD, DESCRIBE, MOVE, RETIRE
from tests.factories import edit, make_member, make_version
from tests.taxonomy.test_proposal_views import put
from tests.taxonomy.trees import lines
from tests.worlds.pages import rows_read

pytestmark = pytest.mark.django_db


def text_of(response) -> str:
    return re.sub(r"\s+", " ", response.text)


def page(taxonomy, **query) -> str:
    return reverse("draft", args=[taxonomy.pk]) + "".join(f"?{name}={value}" for name, value in query.items())


def post(client, taxonomy, kind, *, door="change_draft", htmx=False, **fields):
    headers = {"HX-Request": "true", "HX-Target": "editor"} if htmx else {}
    return client.post(reverse(door, args=[taxonomy.pk]), {"kind": kind, **fields}, headers=headers)


@pytest.mark.parametrize("role", ["volunteer", "viewer"])
def test_who_does_not_lead_is_shown_no_way_to_the_draft(client, study, taxonomy, role) -> None:
    client.force_login(make_member(study, role).user)

    shown = client.get(reverse("taxonomy", args=[taxonomy.pk]))
    assert reverse("draft", args=[taxonomy.pk]) not in text_of(shown)


def test_the_taxonomy_leads_to_its_draft(signed_in, taxonomy) -> None:
    assert page(taxonomy) in text_of(signed_in.get(reverse("taxonomy", args=[taxonomy.pk])))
    assert "The draft has no changes yet." in text_of(signed_in.get(page(taxonomy)))


def test_forms_post_without_script(signed_in, taxonomy, keys) -> None:
    answer = post(signed_in, taxonomy, ADD, parent=keys["C"], name="Docs")

    assert (answer.status_code, answer.url) == (302, page(taxonomy, category="C.11"))
    shown = text_of(signed_in.get(answer.url))
    assert "C.11" in shown
    assert "<b>1 change</b> compared with v1" in shown
    for act_ in (
        {"kind": "describe", "key": keys["C.1"], "name": "RAM", "seen-name": "Name of C.1"},
        {"kind": "move", "key": keys["C.2"], "parent": keys["B"]},
        {"kind": "merge", "key": keys["C.9"], "into": keys["C.10"]},
        {"kind": "split", "key": keys["A.2"], "parts": "One\r\n\r\n Two ", "stays": "on"},
        {"kind": "retire", "key": keys["C.3"]},
    ):
        assert post(signed_in, taxonomy, **act_).status_code == 302
    assert lines(taxonomy) == [
        "A Name of A", "A.1 Name of A.1", "A.1.i Name of A.1.i", "A.1.ii Name of A.1.ii", "A.2 Name of A.2",
        "A.3 One", "A.4 Two", "B Name of B", "B.1 Name of B.1", "B.2 Name of B.2", "B.3 Name of C.2", "C Name of C",
        "C.1 RAM", "C.1.i Name of C.1.i", "C.10 Name of C.10", "C.11 Docs",
    ]  # fmt: skip
    shown = text_of(signed_in.get(page(taxonomy)))
    for mark in ("merged into C.10", "retired", ">split<", "was C.2", "RAM <del>Name of C.1</del>", ">new<"):
        assert mark in shown


@pytest.mark.parametrize(
    ("key", "to", "expected"),
    [
        ("C.2", "up", ["C.2", "C.1", "C.3", "C.9", "C.10"]),
        ("C.1", "up", ["C.1", "C.2", "C.3", "C.9", "C.10"]),
        ("C.2", "down", ["C.1", "C.3", "C.2", "C.9", "C.10"]),
        ("C.10", "down", ["C.1", "C.2", "C.3", "C.9", "C.10"]),
        ("C.10", "first", ["C.10", "C.1", "C.2", "C.3", "C.9"]),
    ],
)
def test_among_siblings(signed_in, taxonomy, keys, key, to, expected) -> None:
    post(signed_in, taxonomy, "move", key=keys[key], parent=keys["C"], to=to)

    draft = drafted(taxonomy).draft
    assert [entry.code for entry in draft.below(keys["C"])] == expected


def test_htmx_gets_the_editor_and_its_address(signed_in, taxonomy, keys) -> None:
    answer = post(signed_in, taxonomy, DESCRIBE, htmx=True, key=keys["C.1"], code="C.7")

    assert answer.status_code == 200
    assert answer["HX-Push-Url"] == page(taxonomy, category="C.7")
    assert answer.text.lstrip().startswith('<div id="editor"')


def test_what_is_refused_keeps_what_was_typed(signed_in, taxonomy, keys) -> None:
    added = post(signed_in, taxonomy, ADD, htmx=True, parent=keys["C"], name="name of C.1")
    told = post(
        signed_in, taxonomy, DESCRIBE, htmx=True, key=keys["C.2"], name="Name of C.1", definition="New words"
    )

    assert (added.status_code, told.status_code) == (422, 422)
    assert 'value="name of C.1"' in text_of(added)
    assert "C.1 has the same parent and the same name" in text_of(added)
    assert 'value="Name of C.1"' in text_of(told)
    assert "New words</textarea>" in text_of(told)
    assert not Change.objects.exists()


def test_a_refusal_keeps_the_filter_of_the_tree(signed_in, taxonomy, keys) -> None:
    """Each form that changes the draft sends the filter along. What was done ends it: it may hide what is new."""
    filtered = signed_in.get(page(taxonomy, q="C.1"))
    acts = re.findall(r'<form[^>]*method="post".*?</form>', text_of(filtered))
    acts = [form for form in acts if f'action="/taxonomies/{taxonomy.pk}/' in form]
    assert acts
    assert [form for form in acts if '<input type="hidden" name="q" value="C.1">' not in form] == []

    taken = {"parent": keys["C"], "name": "name of C.1", "q": "C.1"}
    for htmx in (True, False):
        refused = post(signed_in, taxonomy, ADD, htmx=htmx, **taken)
        assert refused.status_code == 422
        assert shown_codes(refused) == shown_codes(filtered) != shown_codes(signed_in.get(page(taxonomy)))
        assert re.search(r'id="find" value="C.1"', text_of(refused))
    added = post(signed_in, taxonomy, ADD, htmx=True, **{**taken, "name": "Docs"})
    assert "C.11" in [code for code, _n in shown_codes(added)]


def test_a_clash_shows_both_sides_and_saving_again_decides(signed_in, taxonomy, keys) -> None:
    edit(taxonomy, DESCRIBE, keys["C.1"], {"definition": "Theirs."})
    mine = {"key": keys["C.1"], "definition": "Mine.", "seen-definition": "Definition of C.1"}

    clash = post(signed_in, taxonomy, DESCRIBE, htmx=True, **mine)

    assert clash.status_code == 409
    shown = text_of(clash)
    assert "Mine.</textarea>" in shown
    assert '<p dir="auto">Theirs.</p>' in shown
    assert 'name="seen-definition" hidden>Theirs.</textarea>' in shown
    post(signed_in, taxonomy, DESCRIBE, **mine | {"seen-definition": "Theirs."})
    assert drafted(taxonomy).draft[keys["C.1"]].definition == "Mine."


def test_saving_after_a_clash_leaves_what_was_not_typed_as_it_is(signed_in, taxonomy, keys) -> None:
    theirs = {"name": "Their name", "definition": "Their words."}
    edit(taxonomy, DESCRIBE, keys["C.1"], theirs)
    seen = {"seen-name": "Name of C.1", "seen-definition": "Definition of C.1", "seen-includes": ""}
    posted = {"name": "Name of C.1", "definition": "My words.", "includes": ""}

    clash = post(signed_in, taxonomy, DESCRIBE, htmx=True, key=keys["C.1"], **seen, **posted)

    shown = text_of(clash)
    assert clash.status_code == 409
    assert re.search(r'id="f-name"[^>]*value="Their name"', shown)
    assert "My words.</textarea>" in shown


def test_what_was_typed_about_a_category_that_is_gone_is_kept_apart(signed_in, taxonomy, keys) -> None:
    edit(taxonomy, RETIRE, keys["C.1.i"])

    posted = {"key": keys["C.1.i"], "name": "Leaks", "seen-name": "Name of C.1.i"}
    gone = post(signed_in, taxonomy, DESCRIBE, htmx=True, **posted)

    shown = text_of(gone)
    assert gone.status_code == 422
    assert "C.1.i no longer exists because the category was retired" in shown
    assert re.search(r'id="f-name"[^>]*value="Name of A"', shown)
    assert re.search(r"readonly>Leaks</textarea>", shown)


def test_after_retiring_the_next_sibling_is_chosen(signed_in, taxonomy, keys) -> None:
    for code, following in (("C.2", "C.3"), ("C.10", "C.9"), ("C.1.i", "C.1")):
        assert post(signed_in, taxonomy, RETIRE, key=keys[code]).url == page(taxonomy, category=following)


def test_a_refused_split_keeps_its_parts(signed_in, taxonomy, keys) -> None:
    shown = text_of(post(signed_in, taxonomy, "split", htmx=True, key=keys["C.1"], parts="One\nTwo"))

    assert "keep C.1 as one part, or move these categories first" in shown
    assert "One Two</textarea>" in shown
    assert not re.search(r'name="stays" +checked', shown)


def test_a_nul_is_stored_as_what_it_is_not(signed_in, taxonomy, keys) -> None:
    assert post(signed_in, taxonomy, ADD, parent=keys["C"], name="Do\0cs").status_code == 302
    assert post(signed_in, taxonomy, "split", key=keys["C.2"], parts="A\0", stays="on").status_code == 302
    edition = drafted(taxonomy).edition
    assert post(signed_in, taxonomy, "", door="publish_draft", edition=edition, note="\0").status_code == 302
    assert taxonomy.versions.get(number=2).states.filter(name__in=["Do\ufffdcs", "A\ufffd"]).count() == 2


def test_undo_and_redo(signed_in, taxonomy, keys) -> None:
    nothing = post(signed_in, taxonomy, "", door="undo_change", htmx=True)
    post(signed_in, taxonomy, RETIRE, key=keys["C.1"])
    post(signed_in, taxonomy, "", door="undo_change")

    assert (nothing.status_code, len(lines(taxonomy))) == (409, 15)
    assert "You have no change to undo." in text_of(nothing)
    post(signed_in, taxonomy, "", door="redo_change")
    assert len(lines(taxonomy)) == 13


def test_what_cannot_be_done_again_is_said(signed_in, lead, taxonomy) -> None:
    post(signed_in, taxonomy, ADD, name="Docs", code="D")
    post(signed_in, taxonomy, "", door="undo_change")
    edit(taxonomy, ADD, None, {"name": "Other"})

    shown = text_of(signed_in.get(page(taxonomy)))
    refused = post(signed_in, taxonomy, "", door="redo_change", htmx=True)

    assert "redo is not possible: New type: Docs (the category “Other” already has the code D)." in shown
    assert re.search('aria-disabled="true" title="Redo', shown)
    assert refused.status_code == 422
    assert "Not possible: the category “Other” already has the code D." in text_of(refused)


def test_a_double_click_changes_once(signed_in, taxonomy, keys) -> None:
    key = str(UUID(int=7))
    for _ in range(2):
        post(signed_in, taxonomy, ADD, parent=keys["C"], name="Docs", form_key=key)
        post(signed_in, taxonomy, "", door="undo_change", form_key=str(UUID(int=8)))

    assert Change.objects.count() == 1
    assert Change.objects.get().undone_at is not None


def test_what_no_form_of_ours_sends_is_not_found(signed_in, taxonomy, keys) -> None:
    for fields in (
        {"kind": "rename", "key": keys["C"]},
        {"kind": "retire"},
        {"kind": "retire", "key": "C.1"},
        {"kind": "describe", "key": keys["C"], "hue": "9"},
        {"kind": "move", "key": keys["C.1"], "parent": "nothing"},
    ):
        assert post(signed_in, taxonomy, **fields).status_code == 404
    assert post(signed_in, taxonomy, "merge", key=keys["C.1"], into="").status_code == 422
    assert not Change.objects.exists()


def test_an_open_page_asks_for_news(signed_in, taxonomy, keys, django_assert_num_queries) -> None:
    headers = {"HX-Request": "true", "HX-Target": "editor"}
    edition = drafted(taxonomy).edition

    with django_assert_num_queries(7):
        assert signed_in.get(page(taxonomy, edition=edition), headers=headers).status_code == 204
    edit(taxonomy, RETIRE, keys["C.1"])
    assert signed_in.get(page(taxonomy, edition=edition), headers=headers).status_code == 200


def test_publishing(signed_in, taxonomy, keys) -> None:
    post(signed_in, taxonomy, RETIRE, key=keys["C.1"])
    edition = drafted(taxonomy).edition
    post(signed_in, taxonomy, RETIRE, key=keys["C.2"])

    late = post(signed_in, taxonomy, "", door="publish_draft", edition=edition, note="kept")
    assert "Another member changed the draft after you opened the page." in text_of(late)
    assert ">kept</textarea>" in text_of(late)
    done = post(
        signed_in, taxonomy, "", door="publish_draft", edition=drafted(taxonomy).edition, note=" too few \n"
    )

    assert (late.status_code, done.status_code) == (409, 302)
    version = taxonomy.versions.get(number=2)
    assert (version.note, version.states.count()) == ("too few", 12)
    assert "Version 2 of Taxonomy 1 is published." in text_of(signed_in.get(done.url))


def test_a_draft_that_was_never_published_is_deleted(signed_in, study, taxonomy) -> None:
    """The other taxonomy stays; so does a draft that was published, voted on, changed since, or has a board."""
    made = start_taxonomy(study=study, name="Symptom", by=None)
    edit(made, ADD, None, {"name": "Crash"})
    seen = drafted(made).edition
    edit(made, ADD, None, {"name": "Hang"})

    def delete(taxonomy, edition):
        return post(signed_in, taxonomy, "", door="delete_draft", edition=edition)

    assert "Delete the draft of Symptom?" in text_of(signed_in.get(page(made)))
    assert "Delete draft" not in text_of(signed_in.get(page(taxonomy)))
    assert delete(made, seen).status_code == 409
    kept = delete(taxonomy, drafted(taxonomy).edition)
    assert (kept.status_code, "This draft cannot be deleted:" in text_of(kept)) == (409, True)
    board = Board.objects.create(taxonomy=made, name="Piles", made_by=study.memberships.first())
    assert delete(made, drafted(made).edition).status_code == 409
    board.delete()

    done = delete(made, drafted(made).edition)

    assert (done.status_code, done.url) == (302, reverse("taxonomies", args=[study.slug]))
    assert "The draft of Symptom is deleted." in text_of(signed_in.get(done.url))
    assert list(Taxonomy.objects.filter(study=study)) == [taxonomy]
    assert study.events.filter(verb="taxonomies.draft_deleted", detail={"name": "Symptom"}).count() == 1


def test_an_empty_draft_says_how_to_begin(signed_in, study) -> None:
    taxonomy = start_taxonomy(study=study, name="Cause", by=None)

    shown = text_of(signed_in.get(page(taxonomy)))

    assert "This taxonomy has no categories yet" in shown
    assert signed_in.get(reverse("taxonomy", args=[taxonomy.pk])).status_code == 404
    assert page(taxonomy) in text_of(signed_in.get(reverse("taxonomies", args=[study.slug])))


def test_texts_of_others_are_text(signed_in, taxonomy, keys) -> None:
    evil = "<script>alert(1)</script>"
    edit(taxonomy, DESCRIBE, keys["C.1"], {"name": evil, "definition": evil})

    assert evil not in text_of(signed_in.get(page(taxonomy, category="C.1")))


def shown_codes(response) -> list[tuple[str, str]]:
    """The code of each category in the tree, with its number of labels."""
    tree = re.sub(r"\s+", " ", response.text.split('<div id="tree">')[1].split("</footer>")[0])
    nodes = re.findall(r'class="node".*?>([A-C](?:\.\w+)*)<(.*?)(?:</a>|</span> </span>)', tree)
    return [(code, "".join(re.findall(r'<span class="n">([^<]*)', rest))) for code, rest in nodes]


@pytest.mark.world(issues=2, members=2)
def test_the_tree_counts_revealed_labels_and_can_show_changes_only(client, world) -> None:
    taxonomy = world.version.taxonomy
    client.force_login(world.lead.user)
    assert dict(shown_codes(client.get(page(taxonomy))))["C"] == ""
    round_ = world.round()
    for member in world.members:
        world.submit(round_, world.issues[0], member, "C.1")
    world.submit(round_, world.issues[1], world.members[0], "C.2")  # not revealed
    before = rows_read("rounds_label")
    counts = dict(shown_codes(client.get(page(taxonomy))))
    assert rows_read("rounds_label") == before  # each act shows the page: it reads what the issues repeat
    assert {code: n for code, n in counts.items() if n != "0"} == {"C": "2", "C.1": "2"}
    assert "The draft changes no category yet." in text_of(client.get(page(taxonomy, view="changes")))

    keys = {entry.code: entry.key for entry in drafted(taxonomy).draft}
    edit(taxonomy, RETIRE, keys["C.1"], {})
    edit(taxonomy, ADD, None, {"parent": keys["B"], "name": "Docs"})
    edit(taxonomy, DESCRIBE, keys["A.1"], {"definition": "Other"})
    assert shown_codes(client.get(page(taxonomy, view="changes"))) == [
        ("A", "0"), ("A.1", "0"), ("B", "0"), ("B.3", "0"), ("C", "2"), ("C.1", "2"), ("C.1.i", "0"),
    ]  # fmt: skip
    assert len(shown_codes(client.get(page(taxonomy)))) == len(counts) + 1
    shown = client.get(page(taxonomy, view="changes")).text
    forms = re.findall("<form.*?</form>", shown, re.DOTALL)
    acts = [form for form in forms if f'action="{page(taxonomy)}' in form]
    assert ["view" in re.findall('name="(.*?)"', form) for form in acts] == [True] * 11
    fields = {"key": keys["B.1"], "name": "Wishes", "seen-name": "Name of B.1", "view": "changes"}
    acted = post(client, taxonomy, DESCRIBE, htmx=True, **fields)
    assert acted["HX-Push-Url"] == f"{page(taxonomy, view='changes')}&category=B.1"
    assert [code for code, _n in shown_codes(acted)] == ["A", "A.1", "B", "B.1", "B.3", "C", "C.1", "C.1.i"]
    undone = post(client, taxonomy, "", door="undo_change", view="changes")
    assert undone.url == f"{page(taxonomy, view='changes')}&category=B.1"
    other = make_version(world.study).taxonomy
    edit(other, RETIRE, str(other.versions.get().states.get(code="A.1").category.key))
    assert "category=B.1" not in client.get(page(other, view="changes")).text


def test_changes_only_shows_new_places_and_colours(signed_in, taxonomy, keys) -> None:
    """C.10 goes before C.2, which nobody moved. C.9 and B.1 went away and came back."""
    edit(taxonomy, MOVE, keys["C.10"], {"parent": keys["C"], "after": keys["C.1"]})
    for after in ("C.2", "C.3"):
        edit(taxonomy, MOVE, keys["C.9"], {"parent": keys["C"], "after": keys[after]})
    for parent, code in (("A", "A.9"), ("B", "B.1")):
        edit(taxonomy, MOVE, keys["B.1"], {"parent": keys[parent], "after": None, "code": code})
    edit(taxonomy, DESCRIBE, keys["A"], {"hue": 2})

    shown = signed_in.get(page(taxonomy, view="changes"))

    assert [code for code, _n in shown_codes(shown)] == ["A", "C", "C.10"]
    tree = text_of(shown).split('<div id="tree">')[1].split("</footer>")[0]
    marks = re.findall(r'<span class="badge[^>]*>([^<]*)<', tree)
    assert marks == ["colour changed", "moved"]


@pytest.mark.parametrize("changes", [1, 3])
def test_a_fixed_number_of_queries(signed_in, taxonomy, keys, changes, django_assert_num_queries) -> None:
    for code in ("C.1", "C.2", "C.3")[:changes]:
        edit(taxonomy, DESCRIBE, keys[code], {"name": f"New {code}"})
    signed_in.get(page(taxonomy))

    with django_assert_num_queries(11):
        signed_in.get(page(taxonomy))


def test_what_one_save_changed_is_said_in_full(signed_in, taxonomy, keys) -> None:
    fields = {"name": "RAM", "seen-name": "Name of C.1", "definition": "Runs out."}
    post(signed_in, taxonomy, DESCRIBE, key=keys["C.1"], **fields)

    shown = text_of(signed_in.get(page(taxonomy)))

    assert "<span>renamed from “Name of C.1”; text changed: definition</span>" in shown
    assert '<span class="badge warn">renamed</span> <span class="badge">text changed</span>' in shown


def test_earlier_changes_are_folded(signed_in, taxonomy, keys) -> None:
    for n in range(9):
        edit(taxonomy, DESCRIBE, keys["C.1"], {"name": f"Name {n}"})
        if n == 7:
            assert "earlier change" not in text_of(signed_in.get(page(taxonomy)))

    shown = text_of(signed_in.get(page(taxonomy)))

    first, folded = shown.split("1 earlier change")
    assert [f"“Name {n}”" in first for n in (0, 7)] == [True, True]
    assert "“Name of C.1”" not in first
    assert "renamed from “Name of C.1”" in folded


def test_the_taxonomy_says_what_goes_on(client, signed_in, study, lead, taxonomy, keys) -> None:
    here = reverse("taxonomy", args=[taxonomy.pk])
    assert "Planned for the next version" not in text_of(signed_in.get(here))
    for name in ("One", "Two"):
        edit(taxonomy, DESCRIBE, keys["C.1"], {"name": name}, by=lead.user)
    assert "a draft with 2 changes</a>" in text_of(signed_in.get(here))
    client.force_login(make_member(study, Role.VOLUNTEER).user)
    assert "Planned for the next version" not in text_of(client.get(here))

    put(taxonomy, lead, "C.9")

    said = text_of(client.get(here))
    assert f'href="{reverse("proposals", args=[taxonomy.pk])}">1 open vote</a>' in said
    assert "a draft with" not in said


def test_texts_that_name_an_old_code_are_warned_of(
    signed_in, taxonomy, keys, django_assert_num_queries
) -> None:
    edit(taxonomy, DESCRIBE, keys["B.1"], {"excludes": "a fault → C.9"})
    assert "Texts with old codes" not in text_of(signed_in.get(page(taxonomy)))
    edit(taxonomy, DESCRIBE, keys["C.9"], {"code": "C.4"})

    for address in (page(taxonomy), reverse("draft_dry_run", args=[taxonomy.pk])):
        _before, warned = text_of(signed_in.get(address)).split("Texts with old codes")
        assert f'href="{page(taxonomy, category="B.1")}"' in warned
        assert "<span>Excludes: C.9 is now C.4</span>" in warned
    assert drafted(taxonomy).draft[keys["B.1"]].excludes == "a fault → C.9"
