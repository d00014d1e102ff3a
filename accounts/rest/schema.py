"""OpenAPI: what each endpoint needs of a token, and what it answers to too many requests."""

from typing import Any

from drf_spectacular.contrib.knox_auth_token import KnoxTokenScheme
from drf_spectacular.openapi import AutoSchema

from accounts.rest.scopes import scope_of


class TokenScheme(KnoxTokenScheme):
    target_class = "accounts.rest.tokens.Tokens"


class EndpointSchema(AutoSchema):
    """An operation has its scope in `x-scope` and at the end of its description."""

    def get_operation(self, *given: Any) -> Any:
        operation = super().get_operation(*given)
        if operation:
            scope = scope_of(self.view, self.method).value
            operation["x-scope"] = scope
            operation["description"] = f"{operation.get('description', '')}\n\nScope: `{scope}`.".strip()
            seconds = {"schema": {"type": "integer"}, "description": "Seconds to wait"}
            operation["responses"]["429"] = {
                "description": "Too many requests",
                "headers": {"Retry-After": seconds},
            }
        return operation
