"""The secret key of an installation without a configured one."""

import os
import secrets
from pathlib import Path


def local_secret_key(data_dir: Path) -> str:
    """The key in `data_dir/secret_key`, made at the first call; only its owner can read the file."""
    path = data_dir / "secret_key"
    if not path.exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        made = path.with_suffix(f".{os.getpid()}")
        made.touch(mode=0o600)
        made.write_text(secrets.token_urlsafe(60))
        try:
            # The link fails if another process was first; then that process's key counts.
            os.link(made, path)
        except FileExistsError:
            pass
        finally:
            made.unlink()
    return path.read_text()
