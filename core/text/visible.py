"""Characters that nobody sees, or that turn around what follows them, as marks that everybody sees."""

import re

_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
_PICTURES |= {0x00: 0xFFFD, 0x7F: 0x2421}
_CONTROL = re.compile(f"[{re.escape(''.join(map(chr, _PICTURES)))}]")
# No pictures exist of the second set of controls, and of what embeds, isolates or overrides a direction.
_TURNING = re.compile("[\x80-\x9f\u202a-\u202e\u2066-\u2069]")


def pictured(text: str) -> str:
    """The text with pictures for control characters; a search first, because most texts have none."""
    return text.translate(_PICTURES) if _CONTROL.search(text) else text


def visible(text: str | None) -> str:
    """A line of plain text, such as a title, with pictures for control characters, and `[U+202E]` for those
    without one and for characters that change the direction of writing: a title can neither hide nor turn
    around what stands beside it. "" for None.
    """
    return _TURNING.sub(lambda found: f"[U+{ord(found.group()):04X}]", pictured(str(text or "")))
