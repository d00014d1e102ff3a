"""The key by which a keyword list names a repository. Pure: no Django."""

import re

LONGEST = 560
_KEY = re.compile(r"[a-z0-9.-]+(?::[0-9]+)?(?:/[^\s/?#]+){2,}")


def repository_key(given: str) -> str:
    """Host and path in lower case, such as `github.com/pytorch/pytorch`; "" for what names no repository. An
    address is taken with or without `https://`, and `owner/name` alone is on GitHub.
    """
    text = given.replace("\0", "").strip().lower()
    text = re.sub(r"^https?://", "", text).rstrip("/").removesuffix(".git")
    host, _slash, path = text.partition("/")
    if path and "/" not in path and "." not in host and ":" not in host:
        text = f"github.com/{text}"
    return text if len(text) <= LONGEST and _KEY.fullmatch(text) else ""
