# ruff: noqa: SLF001 - the fields of a model are in its _meta
"""All that is stored of one person: a ZIP archive with a JSON file for each table that has rows of theirs."""

import json
import zipfile
from collections.abc import Iterator
from typing import IO, Any

from django.apps import apps
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import ForeignKey, OuterRef, Q, Subquery

from accounts.models import User
from core import clock
from core.sql.snapshots import snapshot
from overview.my_data import LEFT_OUT, OWN, Own
from studies.models import Membership
from taxonomy.models import CategoryState

_ACCOUNT = (
    "id", "email", "name", "language", "time_zone", "joined_at", "seen_at", "last_login", "is_active",
    "may_create_studies",
)  # fmt: skip
_ABOUT = """All that this server stores of you: one JSON file for each table that has rows of yours.

Times are UTC. A column that ends in _id is the number of a row in another table. Secrets, such as passwords
and tokens, are stored as hashes, and are left out. Other people's numbers are left out, too.

Left out are these tables:
"""


def write_my_data(user: User, to: IO[bytes]) -> None:
    """Write the archive of `user` into a stream: the rows of one moment, read one after the other."""
    with snapshot(), zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        left_out = "".join(f"* {table}: {reason}\n" for table, reason in LEFT_OUT.items())
        archive.writestr("README.txt", _ABOUT + left_out)
        _write(archive, "account", iter([User.objects.values(*_ACCOUNT).get(pk=user.pk)]))
        _write(archive, "sessions", _sessions(user))
        for table, own in OWN.items():
            _write(archive, table.lower(), rows_of(user, table, own))


def rows_of(user: User, table: str, own: Own) -> Iterator[dict[str, Any]]:
    """The rows of one table that are this person's, with the columns to be given."""
    model: Any = apps.get_model(table)
    mine = Q()
    for name in own.by:
        mine |= Q(**{name if _links_to(model, name) is User else f"{name}__user": user})
    seats = set(Membership.objects.filter(user=user).values_list("pk", flat=True))
    fields: tuple[Any, ...] = model._meta.concrete_fields
    people = {
        field.attname: {user.pk} if field.related_model is User else seats
        for field in fields
        if isinstance(field, ForeignKey) and field.related_model in {User, Membership}
    }
    columns = [
        field.attname for field in fields if not field.primary_key and field.attname not in own.without
    ]
    found = model.objects.filter(mine, **dict(own.only)).order_by("pk")
    version = next((name for name in (*columns, *own.more) if name.endswith("version_id")), "")
    coded = bool(version) and "category_id" in columns
    if coded:
        states = CategoryState.objects.filter(version=OuterRef(version), category=OuterRef("category_id"))
        found = found.annotate(category_code=Subquery(states.values("code")[:1]))
    found = found.values(*columns, *own.more, *(["category_code"] if coded else []))
    for row in found.iterator(chunk_size=2000):
        # Who else is named in a row is somebody else's.
        yield {name: value for name, value in row.items() if name not in people or value in people[name]}


def _links_to(model: Any, name: str) -> Any:
    for part in name.split("__"):
        model = model._meta.get_field(part).related_model
    return model


def _sessions(user: User) -> Iterator[dict[str, Any]]:
    for session in Session.objects.filter(expire_date__gt=clock.now()).iterator():
        if session.get_decoded().get(SESSION_KEY) == str(user.pk):
            yield {"expires_at": session.expire_date}


def _write(archive: zipfile.ZipFile, name: str, rows: Iterator[dict[str, Any]]) -> None:
    """A file with these rows, one a line, unless there are none."""
    first = next(rows, None)
    if first is None:
        return
    with archive.open(f"{name}.json", "w") as file:
        file.write(b"[\n" + _line(first))
        for row in rows:
            file.write(b",\n" + _line(row))
        file.write(b"\n]\n")


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False).encode()
