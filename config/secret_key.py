"""The secret key of an installation that was not given one."""

import os
import secrets
from pathlib import Path


def local_secret_key(data_dir: Path) -> str:
    """The key kept in `data_dir/secret_key`, made at the first call; readable by its owner only."""
    path = data_dir / "secret_key"
    if not path.exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        made = path.with_suffix(f".{os.getpid()}")
        made.touch(mode=0o600)
        made.write_text(secrets.token_urlsafe(60))
        try:
            # A link fails when another process was first: then its key is the one.
            os.link(made, path)
        except FileExistsError:
            pass
        finally:
            made.unlink()
    return path.read_text()
