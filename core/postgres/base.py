from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandError
from django.db.backends.postgresql import base, client
from django.db.utils import OperationalError

from core import embedded
from core.embedded.errors import EmbeddedServerError
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
            "USER": settings_dict["USER"] or server["user"],
        }
        arguments, environment = super().settings_to_cmd_args_env(settings_dict, list(parameters))
        return [str(program("psql")), *arguments[1:]], environment


class ServerUnavailableError(OperationalError, CommandError):
    """The embedded server cannot run. Pages and health checks see a failed connection; commands print one
    message without a traceback.
    """


class DatabaseWrapper(base.DatabaseWrapper):
    """Starts the embedded server at the first connection, and again if it no longer runs."""

    client_class = DatabaseClient

    def get_connection_params(self) -> dict[str, Any]:
        return {**embedded.postgres_parameters(), **super().get_connection_params()}

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        try:
            # Register as a user before connecting: the last user may be ending the server right now.
            embedded.use()
            try:
                return super().get_new_connection(conn_params)
            except self.Database.OperationalError:
                embedded.ensure_postgres()
                return super().get_new_connection(conn_params)
        except EmbeddedServerError as error:
            raise ServerUnavailableError(str(error)) from error
