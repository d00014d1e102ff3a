"""Static files of a deployed platform."""

from whitenoise.storage import CompressedManifestStaticFilesStorage

_IMPORT = r"""(?P<matched>from "(?P<url>\.[^"]+\.js)";)"""


class HashedModules(CompressedManifestStaticFilesStorage):
    """Names files by their content, also in imports of this project's scripts (docs/decisions/0025).

    Django's own `support_js_module_import_aggregation` also reads the scripts of installed packages, and
    fails at the first comment with a path in it.
    """

    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("js/*.js", ((_IMPORT, 'from "%(url)s";'),)))
