from collections.abc import Iterable
from typing import Any

from django.db.backends.postgresql import client

from core import embedded
from core.embedded.postgres import program


class DatabaseClient(client.DatabaseClient):
    """`manage.py dbshell` with the embedded server's own psql."""

    @classmethod
    def settings_to_cmd_args_env(
        cls, settings_dict: dict[str, Any], parameters: Iterable[str]
    ) -> tuple[list[str], dict[str, str] | None]:
        server = embedded.ensure_postgres()
        settings_dict = {
            **settings_dict,
            "HOST": server["host"],
            "PORT": server["port"],
            "USER": server["user"],
        }
        arguments, environment = super().settings_to_cmd_args_env(settings_dict, list(parameters))
        return [str(program("psql")), *arguments[1:]], environment
