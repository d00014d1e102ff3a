"""The REST API: who may ask, how often, and how it is described."""

from datetime import timedelta

from .environment import limit

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.rest.tokens.Tokens",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "accounts.rest.scopes.WithinScope",
    ],
    # By address: accounts.rest.endpoints, before anybody is known.
    "DEFAULT_THROTTLE_CLASSES": ["accounts.rest.throttles.ByToken"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["core.uploads.WholeJson"],
    "DEFAULT_SCHEMA_CLASS": "accounts.rest.schema.EndpointSchema",
    "DEFAULT_PAGINATION_CLASS": "core.api.KeysetPagination",
    "PAGE_SIZE": 50,
    "EXCEPTION_HANDLER": "core.api.exception_handler",
}
# Requests that the API takes from one token (or person), and from one address; empty: any number.
API_LIMIT_TOKEN = limit("API_LIMIT_TOKEN", "1200/m")
API_LIMIT_ADDRESS = limit("API_LIMIT_ADDRESS", "6000/m")
KNOX_TOKEN_MODEL = "knox.AuthToken"  # noqa: S105 - a model, no token
# Every token has its own lifetime; a token without one would expire by this default.
REST_KNOX = {"TOKEN_TTL": timedelta(days=180), "AUTO_REFRESH": False}
SPECTACULAR_SETTINGS = {
    "TITLE": "Crosscheck",
    "DESCRIPTION": "Independent, blind, cross-checked labelling of issue reports.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "ENUM_NAME_OVERRIDES": {
        "JobStateEnum": "core.models.Job.State",
        "LevelEnum": "taxonomy.models.Level",
        "LevelNameEnum": "taxonomy.tree.nodes.LEVEL_NAMES",
        "EvidenceKindEnum": "findings.models.Evidence.Kind",
        "RoundKindEnum": "rounds.models.Round.Kind",
        "MeetingKindEnum": "consensus.models.Meeting.Kind",
        "RemapKindEnum": "taxonomy.models.Remap.Kind",
        "ChangeKindEnum": "taxonomy.tree.drafts.KINDS",
    },
}
