"""The picture of the rooms is the one that the import contract gives; templates and scripts keep to it too."""

import re

from django.conf import settings

from scripts import draw_rooms

ROOMS = [room for floor in draw_rooms.floors() for room in floor]
TEMPLATES = {path: path.read_text(encoding="utf-8") for path in draw_rooms.ROOT.glob("templates/**/*.html")}
SCRIPTS = {path: path.read_text(encoding="utf-8") for path in draw_rooms.ROOT.glob("static/js/**/*.js")}


def test_picture_of_the_rooms_is_drawn_from_the_contract():
    assert draw_rooms.PICTURE.read_text(encoding="utf-8") == draw_rooms.drawn(), "make rooms draws it"


def test_every_room_says_what_it_is_for():
    packages = {path.parent.name for path in draw_rooms.ROOT.glob("*/__init__.py")}
    assert set(ROOMS) == packages - {"tests", "bench", "scripts"}
    assert all(draw_rooms.purpose(room).endswith(".") for room in ROOMS)


def test_a_room_is_looked_over_at_a_glance():
    """At most 15 modules at its top; in core 25, each a tool that explains itself."""
    loose = {
        room: sum(path.name != "__init__.py" for path in (draw_rooms.ROOT / room).glob("*.py"))
        for room in ROOMS
    }
    assert {room: number for room, number in loose.items() if number > (25 if room == "core" else 15)} == {}


def test_no_room_holds_over_a_fifth_of_the_lines():
    """Of Python without migrations: a room that outgrows it is cut by capability (docs/architecture.md)."""
    lines = {
        room: sum(
            len(path.read_text(encoding="utf-8").splitlines())
            for path in (draw_rooms.ROOT / room).rglob("*.py")
            if "migrations" not in path.parts
        )
        for room in ROOMS
    }
    whole = sum(lines.values())
    assert {room: number for room, number in lines.items() if number * 5 > whole} == {}


def test_a_template_takes_nothing_from_a_room_above():
    """Neither a tag library nor a template: rooms above put panels there (core.panels)."""
    libraries = {path.stem: path.parts[-3] for path in draw_rooms.ROOT.glob("*/templatetags/[a-z]*.py")}
    libraries |= {"l10n": "django", "tz": "django"}
    (engine,) = settings.TEMPLATES
    assert [name for name in engine["OPTIONS"]["builtins"] if name.partition(".")[0] in ROOMS] == [
        "core.templatetags.crosscheck"
    ]
    above = []
    for path, text in TEMPLATES.items():
        room = path.relative_to(draw_rooms.ROOT / "templates").parts[0]
        used = [
            name.partition("/")[0] for name in re.findall(r"""{% (?:include|extends) ["'](.+?)["']""", text)
        ]
        used += [libraries[name] for line in re.findall(r"{% load (.+?) %}", text) for name in line.split()]
        floor = ROOMS.index(room) if room in ROOMS else len(ROOMS)  # all rooms use what is shared
        above += [(path.name, other) for other in used if other in ROOMS and ROOMS.index(other) < floor]
    assert above == []


def test_a_script_imports_from_its_own_room_and_from_core():
    for path, text in SCRIPTS.items():
        assert path.parent.name in ROOMS, path
        for name in re.findall(r"""from ["'](.+?)["']""", text):
            assert (path.parent / name).resolve() in SCRIPTS, (path, name)
            assert name.startswith("./") or name == "../core/page.js", (path, name)


def test_scripts_are_modules_that_share_no_global():
    for path, text in TEMPLATES.items():
        for attributes, name in re.findall(r"<script([^>]*?){% static 'js/(.+?)' %}", text):
            assert draw_rooms.ROOT / "static/js" / name in SCRIPTS, path
            assert 'type="module"' in attributes, path
    assert not [path for path, text in SCRIPTS.items() if "window." in text]


def test_lines_of_scripts_are_short():
    long = [
        (path.name, line) for path, text in SCRIPTS.items() for line in text.split("\n") if len(line) > 110
    ]
    assert long == []
