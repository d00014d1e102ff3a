"""The checkboxes of rounds and samples whose issues are left out."""

from typing import Any

from django import forms


def boxes_to_leave_out(field: forms.BoundField) -> dict[str, Any]:
    """The checkboxes of a field whose labels are `Excludable`; `opened`: one of `others` is ticked."""
    coaching = [box for box in field if box.data["label"].coaches]
    others = [box for box in field if not box.data["label"].coaches]
    opened = any(box.data["selected"] for box in others)
    return {"field": field, "coaching": coaching, "others": others, "opened": opened}
