"""The checkboxes of rounds and samples whose issues are left out."""

from typing import Any

from django import forms


def boxes_to_leave_out(field: forms.BoundField) -> dict[str, Any]:
    """The checkboxes of a field whose labels are `Excludable`: pilots and trainings, main rounds, and others;
    `opened`: one of `others` is ticked.
    """
    boxes = [(box, box.data["label"]) for box in field]
    coaching = [box for box, one in boxes if one.coaches]
    main = [box for box, one in boxes if one.is_main]
    others = [box for box, one in boxes if not (one.coaches or one.is_main)]
    opened = any(box.data["selected"] for box in others)
    return {"field": field, "coaching": coaching, "main": main, "others": others, "opened": opened}
